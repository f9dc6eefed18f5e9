// Package document reads the files that people write procedures in, Markdown,
// plain text, HTML and Word, into one tree of blocks. Every line of text keeps
// the line of the file where it stands, so that whatever is read out of it can
// be shown to the person who wrote it. It knows nothing of procedures.
package document

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Kind tells what a block is.
type Kind string

// The kinds of blocks. A Title opens a section: its Parts are what stands in
// it. An Item's Parts are what is nested below it. A Note stands beside the
// text (a quotation, a remark in a box), Code is not prose.
const (
	Title     Kind = "title"
	Paragraph Kind = "paragraph"
	Item      Kind = "item"
	Table     Kind = "table"
	Note      Kind = "note"
	Code      Kind = "code"
)

// Block is a piece of a document.
type Block struct {
	Kind Kind
	// Number is how a title or an item counts itself: "5.1.2", "3", "b". Empty
	// where it does not.
	Number string
	Lines  []Line
	Rows   []Row // of a Table, the first one with the names of the columns
	Parts  []*Block
}

// Line is a line of text, without marks of the format.
type Line struct {
	Number int // in the file, from 1; in Word the paragraph, from 1
	Text   string
}

// Row is a row of a table.
type Row struct {
	Line  int
	Cells []string
}

// Document is a file as it was read.
type Document struct {
	File   string
	Blocks []*Block
}

// MaxBytes bounds a file, and what a compressed one unfolds to; maxText bounds
// one that is not compressed, to some hundreds of pages.
const (
	MaxBytes = 8 << 20
	maxText  = 1 << 20
	maxLine  = 50_000 // bytes of a line, which is a paragraph where people let the editor break it
)

// maxDepth bounds how deep blocks nest; what is deeper stands at that depth.
const maxDepth = 40

// Read reads a file by its name's ending: .md, .markdown, .txt, .html, .htm or
// .docx. The file is named in the document, not in errors; an error is one line.
func Read(file string, data []byte) (*Document, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("the file has %.1f MB, want at most %d", float64(len(data))/(1<<20), MaxBytes>>20)
	}
	var blocks []*Block
	var err error
	switch ending := strings.ToLower(filepath.Ext(file)); ending {
	case ".docx":
		blocks, err = readWord(data)
	case ".md", ".markdown", ".txt", ".html", ".htm":
		if len(data) > maxText {
			return nil, fmt.Errorf("the file has %.1f MB, want at most %d of text", float64(len(data))/(1<<20), maxText>>20)
		}
		var text []byte
		if text, err = plain(data); err != nil {
			break
		}
		switch {
		case ending == ".html" || ending == ".htm":
			blocks, err = readHTML(text)
		case ending == ".txt" && !looksLikeMarkdown(text):
			blocks = readText(text)
		default:
			blocks = readMarkdown(text)
		}
	default:
		return nil, fmt.Errorf("the ending is %q, want .md, .txt, .html or .docx", ending)
	}
	if err != nil {
		return nil, err
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("the file holds no text")
	}
	return &Document{File: file, Blocks: blocks}, nil
}

// plain returns text in UTF-8 with line feeds, or what the bytes are instead.
func plain(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for _, magic := range []struct{ start, what string }{
		{"%PDF-", "a PDF"}, {"PK\x03\x04", "a zip archive, as Word writes them"}, {"\xd0\xcf\x11\xe0", "an old Word file"},
		{"\x89PNG", "a picture"}, {"\xff\xd8\xff", "a picture"}, {"\xff\xfe", "UTF-16 text"}, {"\xfe\xff", "UTF-16 text"}, {"{\\rtf", "a rich text file"},
	} {
		if bytes.HasPrefix(data, []byte(magic.start)) {
			return nil, fmt.Errorf("whatever its name says, the file is %s, want text in UTF-8", magic.what)
		}
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	data = bytes.ReplaceAll(data, []byte("\r"), []byte("\n"))
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, fmt.Errorf("line %d holds a zero byte, want text in UTF-8", 1+bytes.Count(data[:i], []byte("\n")))
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("line %d is not UTF-8, want text in UTF-8", invalidLine(data))
	}
	for i, line := range bytes.Split(data, []byte("\n")) {
		if len(line) > maxLine {
			return nil, fmt.Errorf("line %d has %d bytes, want at most %d", i+1, len(line), maxLine)
		}
		marks := len(line) - len(bytes.TrimLeft(line, "> \t-*+"))
		if n := len(line[:marks]) - bytes.Count(line[:marks], []byte(" ")); n > maxDepth && marks < len(bytes.TrimRight(line, " \t")) {
			return nil, fmt.Errorf("line %d begins with %d marks of lists or quotations, want at most %d", i+1, n, maxDepth)
		}
	}
	return data, nil
}

func invalidLine(data []byte) int {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			return i + 1
		}
	}
	return 0
}

func looksLikeMarkdown(text []byte) bool {
	for line := range bytes.Lines(text) {
		if atxHeading.Match(line) {
			return true
		}
	}
	return false
}

// Text joins the lines of a block.
func (b *Block) Text() string {
	parts := make([]string, len(b.Lines))
	for i, l := range b.Lines {
		parts[i] = l.Text
	}
	return strings.Join(parts, " ")
}

// Line returns the first line of the block in the file.
func (b *Block) Line() int {
	switch {
	case len(b.Lines) > 0:
		return b.Lines[0].Number
	case len(b.Rows) > 0:
		return b.Rows[0].Line
	}
	return 0
}
