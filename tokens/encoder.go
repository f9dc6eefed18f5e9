//go:build !hftokenizers

package tokens

import (
	"fmt"
	"strings"
)

// native is the encoder in Go.
type native struct {
	raw, normalized trie // of added tokens
	normalize       normalizer
	split           splitter
	bpe             *bpe
}

func openEncoder(file string) (encoder, error) {
	p, err := readParts(file)
	if err != nil {
		return nil, err
	}
	e, err := newNative(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return e, nil
}

func newNative(p *parts) (*native, error) {
	e := &native{}
	var err error
	if e.normalize, err = newNormalizer(p.Normalizer); err != nil {
		return nil, err
	}
	if e.split, err = newSplitter(p.PreTokenizer); err != nil {
		return nil, err
	}
	if e.bpe, err = newBPE(p.Model); err != nil {
		return nil, err
	}
	for i := range p.AddedTokens {
		a := &p.AddedTokens[i]
		if a.Normalized {
			e.normalized.add(e.normalize(a.Content), a)
		} else {
			e.raw.add(a.Content, a)
		}
	}
	return e, nil
}

func (e *native) encode(text string) ([]int, error) {
	s := e.bpe.scratch.Get().(*scratch)
	defer e.bpe.scratch.Put(s)
	var ids []int
	text = strings.ToValidUTF8(text, "\uFFFD")
	for i, outer := range e.raw.find(text) {
		if outer.token != nil {
			ids = append(ids, outer.token.ID)
			continue
		}
		for k, inner := range e.normalized.find(e.normalize(outer.text)) {
			if inner.token != nil {
				ids = append(ids, inner.token.ID)
				continue
			}
			ids = e.piece(s, inner.text, i == 0 && k == 0, ids)
		}
	}
	return ids, nil
}

// again is how long a piece has to be for its tokens to be kept: a long prompt
// comes again with each of its answers.
const again = 256

// piece appends the tokens of a text that has no added tokens in it.
func (e *native) piece(s *scratch, text string, first bool, ids []int) []int {
	if len(text) >= again {
		for i, k := range s.kept {
			if k.text == text && k.first == first {
				s.kept[0], s.kept[i] = s.kept[i], s.kept[0]
				return append(ids, k.tokens...)
			}
		}
	}
	start := len(ids)
	for _, word := range e.split(text, first) {
		ids = e.bpe.encode(s, word, ids)
	}
	if len(text) >= again {
		s.kept[0], s.kept[1] = kept{text, first, append(s.kept[1].tokens[:0], ids[start:]...)}, s.kept[0]
	}
	return ids
}
