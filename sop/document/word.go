package document

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readWord reads word/document.xml: paragraphs by their styles (Heading N,
// Title, lists), and tables. A line is a paragraph, counted from 1.
func readWord(data []byte) ([]*Block, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("not a Word document: %w", err)
	}
	text, err := unzip(archive, "word/document.xml")
	if err != nil {
		return nil, err
	}
	r := wordReader{decoder: xml.NewDecoder(bytes.NewReader(text)), counts: map[string][]int{}, formats: map[string]string{}}
	if numbering, err := unzip(archive, "word/numbering.xml"); err == nil {
		r.formats = numberFormats(numbering)
	} else if !errors.Is(err, errNoMember) {
		return nil, err
	}
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("not a Word document: word/document.xml: %w", err)
	}
	return r.tree.roots, nil
}

var errNoMember = errors.New("not a Word document: it holds no word/document.xml")

// unzip reads one member, up to MaxBytes whatever the archive says its size is.
func unzip(archive *zip.Reader, name string) ([]byte, error) {
	for _, f := range archive.File {
		if f.Name != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("not a Word document: %s: %w", name, err)
		}
		defer r.Close()
		text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
		if err != nil {
			return nil, fmt.Errorf("not a Word document: %s: %w", name, err)
		}
		if len(text) > MaxBytes {
			return nil, fmt.Errorf("%s unfolds to more than %d MB, want less", name, MaxBytes>>20)
		}
		return text, nil
	}
	return nil, errNoMember
}

type wordReader struct {
	tree    tree
	decoder *xml.Decoder
	formats map[string]string // of numId/level: decimal, bullet…
	counts  map[string][]int  // by numId: the number of the last item of each level
	line    int

	style, list, level string
	text               strings.Builder
	table              *Block
	tables             int // that are open, one in another
}

func (r *wordReader) read() error {
	inText := false
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			inText = t.Name.Local == "t"
			r.start(t)
		case xml.EndElement:
			inText = false
			r.end(t.Name.Local)
		case xml.CharData:
			if inText {
				r.text.Write(t)
			}
		}
	}
}

func (r *wordReader) start(t xml.StartElement) {
	switch t.Name.Local {
	case "p":
		r.line++
		r.style, r.list, r.level = "", "", "0"
		r.text.Reset()
	case "pStyle":
		r.style = strings.ToLower(strings.ReplaceAll(attribute(t, "val"), " ", ""))
	case "numId":
		r.list = attribute(t, "val")
	case "ilvl":
		r.level = attribute(t, "val")
	case "br", "tab":
		r.text.WriteByte(' ')
	case "tbl":
		if r.tables++; r.tables == 1 {
			r.table = &Block{Kind: Table}
		}
	case "tr":
		if r.tables == 1 {
			r.table.Rows = append(r.table.Rows, Row{Line: r.line + 1})
		}
	case "tc":
		if r.tables == 1 && len(r.table.Rows) > 0 {
			row := &r.table.Rows[len(r.table.Rows)-1]
			row.Cells = append(row.Cells, "")
		}
	}
}

func (r *wordReader) end(name string) {
	switch {
	case name == "tbl" && r.tables > 0:
		if r.tables--; r.tables == 0 && len(r.table.Rows) > 0 {
			r.tree.add(r.table, textDepth)
		}
	case name == "p" && r.tables > 0:
		if n := len(r.table.Rows); n > 0 && len(r.table.Rows[n-1].Cells) > 0 {
			cells := r.table.Rows[n-1].Cells
			cells[len(cells)-1] = strings.TrimSpace(cells[len(cells)-1] + " " + r.text.String())
		}
	case name == "p":
		r.paragraph(strings.Join(strings.Fields(r.text.String()), " "))
	}
}

func (r *wordReader) paragraph(text string) {
	if text == "" {
		return
	}
	b := &Block{Kind: Paragraph, Lines: []Line{{r.line, text}}}
	level, _ := strconv.Atoi(r.level)
	level = min(max(level, 0), 8)
	heading, isHeading := strings.CutPrefix(r.style, "heading")
	switch {
	case isHeading || r.style == "title":
		n, _ := strconv.Atoi(heading)
		b.Kind = Title
		b.Number, b.Lines[0].Text, _, _ = numbered(text)
		r.tree.add(b, 10*n)
	case r.list != "" && r.list != "0":
		b.Kind, b.Number = Item, r.count(level)
		r.tree.add(b, itemDepth+level)
	case bulletItem.MatchString(text):
		b.Kind, b.Lines[0].Text = Item, bulletItem.FindStringSubmatch(text)[1]
		r.tree.add(b, itemDepth)
	default:
		if number, rest, named, ok := numbered(text); ok {
			b.Kind, b.Number, b.Lines[0].Text = Title, number, rest
			depth := 100 + 10*rank(number)
			if named {
				depth--
			}
			r.tree.add(b, depth)
			return
		}
		r.tree.add(b, textDepth)
	}
}

// count returns the number that Word shows before the item, empty for bullets.
func (r *wordReader) count(level int) string {
	counts := r.counts[r.list]
	for len(counts) <= level {
		counts = append(counts, 0)
	}
	counts = counts[:level+1] // deeper levels start anew
	counts[level]++
	r.counts[r.list] = counts
	if f := r.formats[r.list+"/"+strconv.Itoa(level)]; f == "bullet" || f == "none" {
		return ""
	}
	parts := make([]string, 0, level+1)
	for _, n := range counts {
		parts = append(parts, strconv.Itoa(max(n, 1)))
	}
	return strings.Join(parts, ".")
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// numberFormats reads word/numbering.xml; what it does not tell is missing.
func numberFormats(text []byte) map[string]string {
	var numbering struct {
		Abstract []struct {
			ID     string `xml:"abstractNumId,attr"`
			Levels []struct {
				Level  string `xml:"ilvl,attr"`
				Format struct {
					Value string `xml:"val,attr"`
				} `xml:"numFmt"`
			} `xml:"lvl"`
		} `xml:"abstractNum"`
		Lists []struct {
			ID       string `xml:"numId,attr"`
			Abstract struct {
				Value string `xml:"val,attr"`
			} `xml:"abstractNumId"`
		} `xml:"num"`
	}
	formats := map[string]string{}
	if err := xml.Unmarshal(text, &numbering); err != nil {
		return formats
	}
	for _, l := range numbering.Lists {
		for _, a := range numbering.Abstract {
			for _, level := range a.Levels {
				if a.ID == l.Abstract.Value {
					formats[l.ID+"/"+level.Level] = level.Format.Value
				}
			}
		}
	}
	return formats
}
