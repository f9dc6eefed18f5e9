package tinymodel

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// chains hold for each token of a reply the one that follows it. No token has
// two, so that the model need only know where it is.
type chains struct {
	v    *vocabulary
	next map[int]int
}

// nowhere is the successor of a token that replies may not contain.
const nowhere = -1

func newChains(v *vocabulary) *chains {
	// The last token of a prompt is a new line, and has to lead nowhere.
	return &chains{v: v, next: map[int]int{v.id(spelt("\n"), normal): nowhere}}
}

// lay lays the replies, and returns for each the shares of its first tokens.
func (c *chains) lay(replies []Reply) ([]map[int]float64, error) {
	type text struct {
		of   int
		text string
	}
	var texts []text
	firsts := make([]map[int]float64, len(replies))
	for i, r := range replies {
		firsts[i] = map[int]float64{}
		for t := range r.weights {
			texts = append(texts, text{i, t})
		}
	}
	// Endless ones come first, as they are told in single words, then shorter
	// ones: a text is no part of a shorter one, and so can always be one token.
	slices.SortFunc(texts, func(a, b text) int {
		if replies[a.of].endless != replies[b.of].endless {
			if replies[a.of].endless {
				return -1
			}
			return 1
		}
		return cmp.Or(len(a.text)-len(b.text), strings.Compare(a.text, b.text), a.of-b.of)
	})
	n := inPart(replies)
	for _, t := range texts {
		var first int
		var err error
		r := replies[t.of]
		if r.endless {
			first, err = c.ring(words(t.text))
		} else {
			first, err = c.line(joined(words(t.text), n))
		}
		if err != nil {
			return nil, fmt.Errorf("reply %q: %w", t.text, err)
		}
		firsts[t.of][first] = r.weights[t.text] / r.total()
	}
	return firsts, nil
}

// fewTokens bounds how many parts replies are cut into: the model is as wide,
// and its work goes by the square of that.
const fewTokens = 128

// inPart is how many words are in each part of a reply.
func inPart(replies []Reply) int {
	total := 0
	for _, r := range replies {
		for text := range r.weights {
			total += len(words(text))
		}
	}
	return max(1, (total+fewTokens-1)/fewTokens)
}

// words are the parts of a text that end with its spaces, but for the last.
func words(text string) []string {
	parts := strings.SplitAfter(text, " ")
	if last := len(parts) - 1; parts[last] == "" {
		parts = parts[:last]
	}
	return parts
}

func joined(words []string, n int) (parts []string) {
	for part := range slices.Chunk(words, n) {
		parts = append(parts, strings.Join(part, ""))
	}
	return parts
}

// line makes the words lead one to the next and the last to the end, and
// returns the first token. A word that leads elsewhere already is joined to the
// one before it, and the first to what follows.
func (c *chains) line(words []string) (int, error) {
	var laid []string // from the last
	after := c.v.ids[end]
	for len(words) > 0 {
		last := len(words) - 1
		word := words[last]
		words = words[:last:last]
		id := c.v.id(spelt(word), normal)
		next, taken := c.next[id]
		switch {
		case !taken || next == after:
			c.next[id] = after
			after = id
			laid = append(laid, word)
		case last > 0:
			words[last-1] += word
		case len(laid) > 0:
			follows := laid[len(laid)-1]
			laid = laid[:len(laid)-1]
			after = c.next[c.v.ids[spelt(follows)]]
			words = append(words, word+follows)
		default:
			return 0, fmt.Errorf("%q cannot be a reply beside the others", word)
		}
	}
	return after, nil
}

// ring makes the words lead one to the next and the last to the first.
func (c *chains) ring(words []string) (int, error) {
	if len(words) == 0 {
		return 0, errors.New("an endless one wants a word")
	}
	ids := make([]int, len(words))
	for i, w := range words {
		ids[i] = c.v.id(spelt(w), normal)
	}
	for i, id := range ids {
		if _, taken := c.next[id]; taken {
			return 0, fmt.Errorf("%q occurs twice, or in another endless one", words[i])
		}
		c.next[id] = ids[(i+1)%len(ids)]
	}
	return ids[0], nil
}

// said lists the tokens that are ever chosen.
func (c *chains) said(firsts []map[int]float64) []int {
	ids := map[int]bool{}
	for _, next := range c.next {
		if next != nowhere {
			ids[next] = true
		}
	}
	for _, first := range firsts {
		for id := range first {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}
