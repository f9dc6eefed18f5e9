package tokens

import (
	"container/heap"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// bpe merges the letters of a piece into tokens: always the pair of the lowest
// rank, of equal ones the leftmost (Sennrich et al. 2016, §3.2).
type bpe struct {
	vocab        map[string]int
	merges       map[[2]int]merged
	ignoreMerges bool
	fuseUnknown  bool
	unknown      int      // -1: a letter without a token is left out
	bytes        [256]int // tokens of single bytes, for letters without one; -1: none
	scratch      sync.Pool
}

// merged is what a pair becomes; the lowest rank first.
type merged struct{ rank, token int }

func newBPE(m model) (*bpe, error) {
	b := &bpe{
		vocab: m.Vocab, merges: make(map[[2]int]merged, len(m.Merges)), unknown: -1,
		ignoreMerges: m.IgnoreMerges, fuseUnknown: m.FuseUnknown,
	}
	b.scratch.New = func() any { return &scratch{cache: map[string][]int{}} }
	for rank, pair := range m.Merges {
		var found merged
		found.rank = rank
		var ids [2]int
		for i, name := range []string{pair.left, pair.right, pair.left + pair.right} {
			id, ok := m.Vocab[name]
			if !ok {
				return nil, fmt.Errorf("merge %d makes use of %q, which is not in the vocabulary", rank, name)
			}
			if i < 2 {
				ids[i] = id
			} else {
				found.token = id
			}
		}
		if _, twice := b.merges[ids]; !twice {
			b.merges[ids] = found
		}
	}
	if m.Unknown != "" {
		id, ok := m.Vocab[m.Unknown]
		if !ok {
			return nil, fmt.Errorf("unk_token %q is not in the vocabulary", m.Unknown)
		}
		b.unknown = id
	}
	for i := range b.bytes {
		b.bytes[i] = -1
		if id, ok := m.Vocab[fmt.Sprintf("<0x%02X>", i)]; ok && m.ByteFallback {
			b.bytes[i] = id
		}
	}
	return b, nil
}

// scratch is what one goroutine at a time works with.
type scratch struct {
	cache   map[string][]int
	symbols []symbol
	queue   candidates
	kept    [2]kept // the last one first
}

// kept is a long text whose tokens are known. A scratch has two: an answer that is
// long too does not drive out the prompt.
type kept struct {
	text   string
	first  bool
	tokens []int
}

// symbol is a token on the way, in a list without the merged ones.
type symbol struct {
	token      int
	prev, next int // -1: none
	gone       bool
}

// Pieces come again and again: words. Long ones do not.
const (
	cachedPieces  = 1 << 15
	cachedPieceIn = 64 // bytes
)

// encode appends the tokens of a piece.
func (b *bpe) encode(s *scratch, piece string, to []int) []int {
	if id, ok := b.vocab[piece]; ok && b.ignoreMerges {
		return append(to, id)
	}
	if known, ok := s.cache[piece]; ok {
		return append(to, known...)
	}
	start := len(to)
	to = b.merge(s, piece, to)
	if len(piece) <= cachedPieceIn {
		if len(s.cache) >= cachedPieces {
			clear(s.cache)
		}
		s.cache[strings.Clone(piece)] = append([]int(nil), to[start:]...)
	}
	return to
}

func (b *bpe) merge(s *scratch, piece string, to []int) []int {
	s.symbols, s.queue = b.letters(piece, s.symbols[:0]), s.queue[:0]
	for i := range len(s.symbols) - 1 {
		s.consider(b, i)
	}
	heap.Init(&s.queue)
	for len(s.queue) > 0 {
		c := heap.Pop(&s.queue).(candidate)
		left := &s.symbols[c.at]
		if left.gone || left.next < 0 || left.token != c.left || s.symbols[left.next].token != c.right {
			continue // one of the two has been merged since
		}
		right := &s.symbols[left.next]
		right.gone = true
		left.token, left.next = c.token, right.next
		if left.next >= 0 {
			s.symbols[left.next].prev = c.at
			s.offer(b, c.at)
		}
		if left.prev >= 0 {
			s.offer(b, left.prev)
		}
	}
	for i := 0; i >= 0 && i < len(s.symbols); i = s.symbols[i].next {
		to = append(to, s.symbols[i].token)
	}
	return to
}

// letters are the first symbols of a piece.
func (b *bpe) letters(piece string, symbols []symbol) []symbol {
	add := func(token int) {
		i := len(symbols)
		symbols = append(symbols, symbol{token: token, prev: i - 1, next: i + 1})
	}
	lastUnknown := false
	for i := 0; i < len(piece); {
		_, n := utf8.DecodeRuneInString(piece[i:])
		letter := piece[i : i+n]
		i += n
		id, known := b.vocab[letter]
		inBytes := !known && b.inBytes(letter)
		switch {
		case known:
			add(id)
		case inBytes:
			for k := range n {
				add(b.bytes[letter[k]])
			}
		case b.unknown >= 0 && !(b.fuseUnknown && lastUnknown):
			add(b.unknown)
		}
		lastUnknown = !known && !inBytes
	}
	if len(symbols) > 0 {
		symbols[len(symbols)-1].next = -1
	}
	return symbols
}

// inBytes tells whether every byte of a letter has a token.
func (b *bpe) inBytes(letter string) bool {
	for i := range len(letter) {
		if b.bytes[letter[i]] < 0 {
			return false
		}
	}
	return true
}

// candidate is a pair that can be merged.
type candidate struct {
	merged
	at, left, right int
}

func (s *scratch) find(b *bpe, at int) (candidate, bool) {
	next := s.symbols[at].next
	if next < 0 {
		return candidate{}, false
	}
	left, right := s.symbols[at].token, s.symbols[next].token
	m, ok := b.merges[[2]int{left, right}]
	return candidate{m, at, left, right}, ok
}

// consider appends a pair to the queue before it is a heap.
func (s *scratch) consider(b *bpe, at int) {
	if c, ok := s.find(b, at); ok {
		s.queue = append(s.queue, c)
	}
}

func (s *scratch) offer(b *bpe, at int) {
	if c, ok := s.find(b, at); ok {
		heap.Push(&s.queue, c)
	}
}

// candidates is a heap; of equal ranks the leftmost comes first.
type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].at < c[j].at
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)   { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
