package document

import (
	"strings"
	"unicode"
)

// readText reads plain text: numbered lines, bullets, lettered items, lines in
// capitals or short lines between blank ones as titles, else paragraphs.
func readText(text []byte) []*Block {
	r := textReader{lines: strings.Split(string(text), "\n")}
	for r.at = range r.lines {
		r.line()
	}
	return r.tree.roots
}

type textReader struct {
	tree  tree
	lines []string
	at    int
	// last is the block that a line without a mark of its own goes on with,
	// indent how far its text stands in.
	last   *Block
	indent int
	blank  bool // the line before is
}

func (r *textReader) line() {
	raw := strings.ReplaceAll(r.lines[r.at], "\t", "    ")
	text := strings.TrimSpace(raw)
	if text == "" || strings.Trim(text, "-=_*~ ") == "" {
		r.last, r.blank = nil, true
		return
	}
	indent := len(raw) - len(strings.TrimLeft(raw, " "))
	defer func() { r.blank = false }()
	if number, rest, named, ok := numbered(text); ok {
		depth := 10 * (1 + rank(number))
		if named {
			depth-- // steps that count may hold numbered titles
		}
		r.open(&Block{Kind: Title, Number: number, Lines: []Line{{r.at + 1, rest}}}, depth, indent)
		return
	}
	if m := bulletItem.FindStringSubmatch(text); m != nil {
		r.open(&Block{Kind: Item, Lines: []Line{{r.at + 1, m[1]}}}, itemDepth+indent, indent)
		return
	}
	if m := letterItem.FindStringSubmatch(text); m != nil {
		r.open(&Block{Kind: Item, Number: m[1], Lines: []Line{{r.at + 1, m[2]}}}, itemDepth+indent, indent)
		return
	}
	if r.last != nil && (r.last.Kind == Paragraph || indent > r.indent) {
		r.last.Lines = append(r.last.Lines, Line{r.at + 1, text})
		return
	}
	b := &Block{Kind: Paragraph, Lines: []Line{{r.at + 1, text}}}
	if r.isTitle(text) {
		b.Kind = Title
		b.Lines[0].Text = strings.TrimSuffix(text, ":")
		r.open(b, 10, indent)
		r.last = nil
		return
	}
	if indent > 0 {
		r.tree.add(b, itemDepth+indent)
	} else {
		r.tree.add(b, textDepth)
	}
	r.last, r.indent = b, indent
}

func (r *textReader) open(b *Block, depth, indent int) {
	r.tree.add(b, depth)
	r.last, r.indent = b, indent
}

// isTitle takes lines in capitals, and short ones between blank lines that do
// not end as a sentence does.
func (r *textReader) isTitle(text string) bool {
	words := len(strings.Fields(text))
	if words > 10 || !startsWord(text) {
		return false
	}
	capitals := strings.TrimSuffix(text, ":")
	if i := strings.IndexByte(capitals, '('); i > 0 {
		capitals = capitals[:i]
	}
	if strings.ToUpper(capitals) == capitals && strings.IndexFunc(capitals, unicode.IsLetter) >= 0 && len(capitals) > 3 {
		return true
	}
	nextBlank := r.at+1 >= len(r.lines) || strings.TrimSpace(r.lines[r.at+1]) == ""
	first := r.blank || len(r.tree.roots) == 0
	return first && nextBlank && words <= 8 && !strings.ContainsAny(text[len(text)-1:], ".!?;,:")
}
