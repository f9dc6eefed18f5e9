package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readHTML reads headings, paragraphs, lists, tables and quotations; scripts,
// styles and navigation are passed over.
func readHTML(source []byte) ([]*Block, error) {
	r := htmlReader{tokens: html.NewTokenizer(bytes.NewReader(source)), line: 1}
	for {
		kind := r.tokens.Next()
		if kind == html.ErrorToken {
			if err := r.tokens.Err(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("line %d: not HTML: %w", r.line, err)
			}
			r.flush()
			r.endTable()
			return r.tree.roots, nil
		}
		newlines := bytes.Count(r.tokens.Raw(), []byte("\n")) // before Text, which changes it
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := r.tokens.TagName()
			r.start(atom.Lookup(name), kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := r.tokens.TagName()
			r.end(atom.Lookup(name))
		case html.TextToken:
			r.text(string(r.tokens.Text()))
			r.line -= newlines
		}
		r.line += newlines
	}
}

type htmlReader struct {
	tree   tree
	tokens *html.Tokenizer
	line   int
	skip   int // how many elements that hold no prose are open
	block  *Block
	depth  int   // of block
	lists  []int // the number of the last item of each open list, -1 where it has none
	quoted int
	code   int // how many pre are open
	table  *Block
}

func (r *htmlReader) start(a atom.Atom, closed bool) {
	switch a {
	case atom.Script, atom.Style, atom.Nav, atom.Template, atom.Head:
		if !closed {
			r.skip++
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.begin(Title, 10*int(a.String()[1]-'0'))
	case atom.Ul:
		r.flush()
		r.lists = append(r.lists, -1)
	case atom.Ol:
		r.flush()
		r.lists = append(r.lists, 0)
	case atom.Li:
		r.begin(Item, itemDepth+min(len(r.lists), maxDepth))
		if n := len(r.lists); n > 0 && r.lists[n-1] >= 0 {
			r.lists[n-1]++
			r.block.Number = strconv.Itoa(r.lists[n-1])
		}
	case atom.Blockquote, atom.Aside:
		r.flush()
		r.quoted++
	case atom.Table:
		r.flush()
		r.endTable()
		r.table = &Block{Kind: Table}
	case atom.Tr:
		if r.table != nil {
			r.table.Rows = append(r.table.Rows, Row{Line: r.line})
		}
	case atom.Td, atom.Th:
		if r.table != nil && len(r.table.Rows) > 0 {
			row := &r.table.Rows[len(r.table.Rows)-1]
			row.Cells = append(row.Cells, "")
		}
	case atom.Code, atom.Kbd:
		r.text("`")
	case atom.Pre:
		r.flush()
		r.code++
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Dt, atom.Dd, atom.Br, atom.Body, atom.Header, atom.Footer, atom.Main:
		if r.block == nil || r.block.Kind != Item || len(r.block.Lines) > 0 { // the first paragraph of an item is the item
			r.flush()
		}
	}
}

func (r *htmlReader) end(a atom.Atom) {
	switch a {
	case atom.Script, atom.Style, atom.Nav, atom.Template, atom.Head:
		r.skip = max(0, r.skip-1)
	case atom.Ul, atom.Ol:
		r.flush()
		if n := len(r.lists); n > 0 {
			r.lists = r.lists[:n-1]
		}
	case atom.Blockquote, atom.Aside:
		r.flush()
		r.quoted = max(0, r.quoted-1)
	case atom.Table:
		r.endTable()
	case atom.Code, atom.Kbd:
		r.text("`")
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Li, atom.P, atom.Div, atom.Dt, atom.Dd:
		r.flush()
	case atom.Pre:
		r.flush()
		r.code = max(0, r.code-1)
	}
}

func (r *htmlReader) begin(kind Kind, depth int) {
	r.flush()
	r.block, r.depth = &Block{Kind: kind}, depth
}

func (r *htmlReader) text(s string) {
	for i, part := range strings.Split(s, "\n") {
		if i > 0 {
			r.line++
		}
		if r.skip == 0 {
			r.put(part)
		}
	}
}

func (r *htmlReader) put(s string) {
	if r.table != nil {
		if n := len(r.table.Rows); n > 0 && len(r.table.Rows[n-1].Cells) > 0 {
			cells := r.table.Rows[n-1].Cells
			cells[len(cells)-1] += s + " "
		}
		return
	}
	if strings.TrimSpace(s) == "" && (r.block == nil || len(r.block.Lines) == 0) {
		return
	}
	if r.block == nil {
		kind := Paragraph
		switch {
		case r.code > 0:
			kind = Code
		case r.quoted > 0:
			kind = Note
		}
		r.block, r.depth = &Block{Kind: kind}, textDepth
		if len(r.lists) > 0 {
			r.depth = 1 << 30
		}
	}
	if n := len(r.block.Lines); n == 0 || r.block.Lines[n-1].Number < r.line {
		r.block.Lines = append(r.block.Lines, Line{Number: r.line})
	}
	r.block.Lines[len(r.block.Lines)-1].Text += s
}

// flush closes the block that text goes into.
func (r *htmlReader) flush() {
	b := r.block
	r.block = nil
	if b == nil {
		return
	}
	kept := b.Lines[:0]
	for _, l := range b.Lines {
		if l.Text = strings.Join(strings.Fields(l.Text), " "); l.Text != "" {
			kept = append(kept, l)
		}
	}
	if b.Lines = kept; len(kept) == 0 {
		return
	}
	if b.Kind == Title {
		b.Number, b.Lines[0].Text, _, _ = numbered(b.Lines[0].Text)
	}
	r.tree.add(b, r.depth)
}

func (r *htmlReader) endTable() {
	t := r.table
	r.table = nil
	if t == nil || len(t.Rows) == 0 {
		return
	}
	for i := range t.Rows {
		for k, cell := range t.Rows[i].Cells {
			t.Rows[i].Cells[k] = strings.Join(strings.Fields(cell), " ")
		}
	}
	r.tree.add(t, textDepth)
}
