package tokens

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dlclark/regexp2"
)

// splitter cuts a piece of text into smaller ones, and may rewrite them. first
// is true for what stands at the beginning of the whole text.
type splitter func(piece string, first bool) []string

func newSplitter(c component) (splitter, error) {
	switch c.Type {
	case "":
		return func(piece string, _ bool) []string { return []string{piece} }, nil
	case "Sequence":
		return sequence(c.PreTokenizers)
	case "Split":
		return newSplit(c)
	case "Digits":
		behavior := "Contiguous"
		if c.IndividualDigits {
			behavior = "Isolated"
		}
		return func(piece string, _ bool) []string { return cut(piece, spansOf(piece, unicode.IsNumber), behavior) }, nil
	case "ByteLevel":
		return newByteLevel(c)
	case "Metaspace":
		return newMetaspace(c)
	}
	return nil, fmt.Errorf("the pre-tokenizer %q is not supported", c.Type)
}

func sequence(list []component) (splitter, error) {
	var all []splitter
	for _, part := range list {
		s, err := newSplitter(part)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return func(piece string, first bool) []string {
		pieces := []string{piece}
		for _, s := range all {
			var next []string
			for i, p := range pieces {
				next = append(next, s(p, first && i == 0)...)
			}
			pieces = next
		}
		return pieces
	}, nil
}

func newSplit(c component) (splitter, error) {
	if err := oneOf("behavior", c.Behavior, "Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"); err != nil {
		return nil, err
	}
	find := func(piece string) []span { return spansOfString(piece, c.Pattern.String) }
	if c.Pattern.String == "" {
		e, err := compile(c.Pattern.Regex)
		if err != nil {
			return nil, err
		}
		find = e.spans
	}
	return func(piece string, _ bool) []string {
		list := find(piece)
		if c.Invert {
			for i := range list {
				list[i].match = !list[i].match
			}
		}
		return cut(piece, list, c.Behavior)
	}, nil
}

// gpt2Words is the split that a ByteLevel pre-tokenizer makes by itself.
const gpt2Words = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

func newByteLevel(c component) (splitter, error) {
	words := func(piece string, _ bool) []string { return []string{piece} }
	if c.UseRegex == nil || *c.UseRegex {
		e, err := compile(gpt2Words)
		if err != nil {
			return nil, err
		}
		words = func(piece string, _ bool) []string { return cut(piece, e.spans(piece), "Isolated") }
	}
	return func(piece string, first bool) []string {
		if c.AddPrefixSpace && !strings.HasPrefix(piece, " ") {
			piece = " " + piece
		}
		list := words(piece, first)
		for i := range list {
			list[i] = byteLevel(list[i])
		}
		return list
	}, nil
}

func newMetaspace(c component) (splitter, error) {
	scheme := c.PrependScheme
	if scheme == "" {
		scheme = "never"
		if c.AddPrefixSpace {
			scheme = "always"
		}
	}
	if err := oneOf("prepend_scheme", scheme, "always", "first", "never"); err != nil {
		return nil, err
	}
	return func(piece string, first bool) []string {
		piece = strings.ReplaceAll(piece, " ", c.Replacement)
		if (scheme == "always" || scheme == "first" && first) && !strings.HasPrefix(piece, c.Replacement) {
			piece = c.Replacement + piece
		}
		if c.Split != nil && !*c.Split {
			return []string{piece}
		}
		return cut(piece, spansOfString(piece, c.Replacement), "MergedWithNext")
	}, nil
}

// span is a part of a text that a pattern matches, or that lies between two
// such; the spans of a text follow each other without a gap.
type span struct {
	end   int // in bytes
	match bool
}

// spans gathers spans without empty ones.
type spans []span

func (s spans) to(end int, match bool) spans {
	if len(s) == 0 && end == 0 || len(s) > 0 && s[len(s)-1].end == end {
		return s
	}
	return append(s, span{end, match})
}

func spansOfString(text, mark string) (list spans) {
	for at := 0; ; {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			return list.to(len(text), false)
		}
		list = list.to(at+i, false).to(at+i+len(mark), true)
		at += i + len(mark)
	}
}

// spansOf has each letter that is one as a span of its own.
func spansOf(text string, is func(rune) bool) (list spans) {
	for i, r := range text {
		if is(r) {
			list = list.to(i, false).to(i+len(string(r)), true)
		}
	}
	return list.to(len(text), false)
}

// cut makes the pieces of a text.
func cut(text string, list []span, behavior string) (pieces []string) {
	switch behavior {
	case "MergedWithNext": // as the mirror image of the other
		for i := range list {
			if list[i].match && i+1 < len(list) && !list[i+1].match {
				list[i].end = list[i+1].end
			}
		}
		list = slices.CompactFunc(list, func(a, b span) bool { return a.end == b.end })
	case "MergedWithPrevious":
		for i := len(list) - 1; i > 0; i-- {
			if list[i].match && !list[i-1].match {
				list[i-1].end = list[i].end
			}
		}
		list = slices.CompactFunc(list, func(a, b span) bool { return a.end == b.end })
	case "Contiguous":
		for i := len(list) - 2; i >= 0; i-- {
			if list[i].match == list[i+1].match {
				list[i].end = list[i+1].end
			}
		}
		list = slices.CompactFunc(list, func(a, b span) bool { return a.end == b.end })
	}
	start := 0
	for _, s := range list {
		if behavior != "Removed" || !s.match {
			pieces = append(pieces, text[start:s.end])
		}
		start = s.end
	}
	return pieces
}

// expression is a regular expression as tokenizers write it. Go's own has no
// look-ahead, which most of them need.
type expression struct{ *regexp2.Regexp }

func compile(pattern string) (expression, error) {
	if pattern == "" {
		return expression{}, fmt.Errorf("an empty pattern")
	}
	re, err := regexp2.Compile(foldGroups(pattern), regexp2.None)
	if err != nil {
		return expression{}, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return expression{re}, nil
}

// foldGroups writes groups such as (?i:'s) with all letters that fold to the
// same: regexp2 does not know that ſ is an s.
func foldGroups(pattern string) string {
	const open = "(?i:"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, open)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		group, after, closed := strings.Cut(rest, ")")
		if !closed || strings.ContainsAny(group, `([\`) {
			b.WriteString(open)
			pattern = rest
			continue
		}
		b.WriteString("(?:")
		for _, r := range group {
			if !unicode.IsLetter(r) {
				b.WriteRune(r)
				continue
			}
			b.WriteRune('[')
			b.WriteRune(r)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				b.WriteRune(f)
			}
			b.WriteRune(']')
		}
		b.WriteRune(')')
		pattern = after
	}
}

func (e expression) spans(text string) (list []span) {
	runes := []rune(text)
	found := spans{}
	at, end := 0, 0 // the same place, in runes and in bytes
	forward := func(to int) int {
		for ; at < to; at++ {
			end += len(string(runes[at]))
		}
		return end
	}
	m, err := e.FindRunesMatch(runes)
	for ; m != nil && err == nil; m, err = e.FindNextMatch(m) {
		found = found.to(forward(m.Index), false)
		found = found.to(forward(m.Index+m.Length), true)
	}
	return found.to(len(text), false)
}

func (e expression) replacer(with string) normalizer {
	return func(s string) string {
		var b strings.Builder
		start := 0
		for _, p := range e.spans(s) {
			if p.match {
				b.WriteString(with)
			} else {
				b.WriteString(s[start:p.end])
			}
			start = p.end
		}
		return b.String()
	}
}
