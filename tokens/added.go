package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// added is a token that is found in the text before it is split.
type added struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LeftStrip  bool   `json:"lstrip"`
	RightStrip bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"` // found in the normalized text
}

// trie finds the longest of its tokens at a place.
type trie struct {
	begins [256]bool // with which byte a token begins
	root   node
}

type node struct {
	next  map[byte]*node
	token *added
}

func (t *trie) add(content string, a *added) {
	if content == "" {
		return
	}
	t.begins[content[0]] = true
	n := &t.root
	for i := range len(content) {
		if n.next == nil {
			n.next = map[byte]*node{}
		}
		child := n.next[content[i]]
		if child == nil {
			child = &node{}
			n.next[content[i]] = child
		}
		n = child
	}
	n.token = a
}

func (t *trie) longest(text string) (a *added, length int) {
	n := &t.root
	for i := 0; ; i++ {
		if n.token != nil {
			a, length = n.token, i
		}
		if i == len(text) {
			return a, length
		}
		if n = n.next[text[i]]; n == nil {
			return a, length
		}
	}
}

// piece is a token that was found, or text between such.
type piece struct {
	text  string
	token *added
}

// find cuts a text at its tokens, the leftmost first.
func (t *trie) find(text string) (list []piece) {
	start := 0
	for i := 0; i < len(text); {
		if !t.begins[text[i]] {
			i++
			continue
		}
		a, n := t.longest(text[i:])
		if a == nil {
			i++
			continue
		}
		from, to := i, i+n
		if a.SingleWord && (wordBefore(text[:from]) || wordAfter(text[to:])) {
			i = to
			continue
		}
		if a.LeftStrip {
			from = max(start, len(strings.TrimRightFunc(text[:from], unicode.IsSpace)))
		}
		if a.RightStrip {
			to = len(text) - len(strings.TrimLeftFunc(text[to:], unicode.IsSpace))
		}
		if from > start {
			list = append(list, piece{text: text[start:from]})
		}
		list = append(list, piece{text: text[from:to], token: a})
		start, i = to, to
	}
	if start < len(text) {
		list = append(list, piece{text: text[start:]})
	}
	return list
}

func wordBefore(text string) bool {
	r, n := utf8.DecodeLastRuneInString(text)
	return n > 0 && wordLetter(r)
}

func wordAfter(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && wordLetter(r)
}

func wordLetter(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}
