package document

import (
	"sort"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, extension.DefinitionList, extension.Strikethrough))

func readMarkdown(source []byte) []*Block {
	r := markdownReader{source: source}
	for i, c := range source {
		if c == '\n' {
			r.ends = append(r.ends, i)
		}
	}
	r.blocks(markdown.Parser().Parse(text.NewReader(source)), 0)
	return r.tree.roots
}

type markdownReader struct {
	tree   tree
	source []byte
	ends   []int // offsets of line feeds
}

func (r *markdownReader) lineOf(offset int) int { return 1 + sort.SearchInts(r.ends, offset) }

// blocks adds what is below a node; items says how many lists it stands in.
func (r *markdownReader) blocks(n ast.Node, items int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			r.heading(c)
		case *ast.Paragraph, *ast.TextBlock, *east.DefinitionTerm:
			r.paragraph(c, items)
		case *ast.List:
			r.list(c, items)
		case *east.Table:
			r.table(c, items)
		case *ast.Blockquote:
			r.note(c)
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			if lines := r.verbatim(c); len(lines) > 0 {
				r.tree.within(&Block{Kind: Code, Lines: lines})
			}
		case *ast.ThematicBreak:
		default:
			r.blocks(c, items)
		}
	}
}

func (r *markdownReader) heading(h *ast.Heading) {
	lines := r.inline(h)
	if len(lines) == 0 {
		return
	}
	b := &Block{Kind: Title, Lines: lines}
	b.Number, b.Lines[0].Text, _, _ = numbered(lines[0].Text)
	r.tree.add(b, 10*h.Level)
}

func (r *markdownReader) paragraph(n ast.Node, items int) {
	lines := r.inline(n)
	if len(lines) == 0 {
		return
	}
	b := &Block{Kind: Paragraph, Lines: lines}
	if items > 0 {
		r.tree.within(b)
		return
	}
	if number, rest, named, ok := numbered(lines[0].Text); ok && (named || strings.Contains(number, ".")) && len(lines) == 1 {
		b.Kind, b.Number, b.Lines[0].Text = Title, number, rest
		r.tree.add(b, 100+10*rank(number))
		return
	}
	r.tree.add(b, textDepth)
}

func (r *markdownReader) list(l *ast.List, items int) {
	number := l.Start
	for c := l.FirstChild(); c != nil; c = c.NextSibling() {
		b := &Block{Kind: Item}
		if l.IsOrdered() {
			b.Number = strconv.Itoa(number)
			number++
		}
		first := c.FirstChild()
		switch first.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			b.Lines = r.inline(first)
		}
		if len(b.Lines) > 0 {
			r.tree.add(b, itemDepth+items)
			c.RemoveChild(c, first)
		}
		if items < maxDepth {
			r.blocks(c, items+1)
		}
	}
}

func (r *markdownReader) table(t *east.Table, items int) {
	b := &Block{Kind: Table}
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		out := Row{}
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			lines := r.inline(cell)
			if len(lines) > 0 && out.Line == 0 {
				out.Line = lines[0].Number
			}
			out.Cells = append(out.Cells, (&Block{Lines: lines}).Text())
		}
		b.Rows = append(b.Rows, out)
	}
	if items > 0 {
		r.tree.within(b)
	} else {
		r.tree.add(b, textDepth)
	}
}

func (r *markdownReader) note(n ast.Node) {
	b := &Block{Kind: Note}
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		switch c.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			if entering {
				b.Lines = append(b.Lines, r.inline(c)...)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	if len(b.Lines) > 0 {
		r.tree.add(b, textDepth)
	}
}

func (r *markdownReader) verbatim(n ast.Node) (lines []Line) {
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		lines = append(lines, Line{r.lineOf(s.Start), strings.TrimRight(string(s.Value(r.source)), "\n")})
	}
	return lines
}

// inline returns the text of a node by the lines of the file, without
// emphasis and addresses; code keeps its back quotes, which tell names apart.
func (r *markdownReader) inline(n ast.Node) (lines []Line) {
	put := func(offset int, s string) {
		line := r.lineOf(offset)
		if k := len(lines); k == 0 || lines[k-1].Number < line {
			lines = append(lines, Line{line, s})
		} else {
			lines[k-1].Text += s
		}
	}
	last := 0
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		switch c := c.(type) {
		case *ast.Text:
			if entering {
				last = c.Segment.Start
				put(last, string(c.Segment.Value(r.source)))
			}
		case *ast.CodeSpan:
			if start := firstText(c); start >= 0 {
				last = start
				put(last, "`")
			}
		case *ast.AutoLink:
			if entering {
				put(last, string(c.Label(r.source)))
			}
		case *ast.Image, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	kept := lines[:0]
	for _, l := range lines {
		l.Text = strings.TrimSpace(l.Text)
		if len(kept) == 0 {
			l.Text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(l.Text, "[ ]"), "[x]"))
		}
		if l.Text != "" {
			kept = append(kept, l)
		}
	}
	return kept
}

// firstText returns the offset of the first text below n, or -1.
func firstText(n ast.Node) int {
	if t, ok := n.FirstChild().(*ast.Text); ok {
		return t.Segment.Start
	}
	return -1
}
