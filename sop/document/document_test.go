package document

import (
	"archive/zip"
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

// Every sample has a golden file with its tree; read the difference before
// writing it anew.
func TestRead(t *testing.T) {
	for _, name := range []string{"sample.md", "sample.txt", "sample.html"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			require.NoError(t, err)
			golden(t, name, text)
		})
	}
	t.Run("sample.docx", func(t *testing.T) { golden(t, "sample.docx", wordSample(t)) })
}

func golden(t *testing.T, name string, text []byte) {
	d, err := Read(name, text)
	require.NoError(t, err)
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(dump(d)), 0o666))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), dump(d))
}

// Windows line ends and a byte order mark change nothing, lines included.
func TestLineEnds(t *testing.T) {
	for _, name := range []string{"sample.md", "sample.txt", "sample.html"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		plain, err := Read(name, text)
		require.NoError(t, err)
		windows, err := Read(name, append([]byte("\xef\xbb\xbf"), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))...))
		require.NoError(t, err)
		assert.Equal(t, dump(plain), dump(windows), name)
	}
}

func TestRefused(t *testing.T) {
	bomb := zipOf(t, map[string]string{"word/document.xml": "<w:document>" + strings.Repeat(" ", MaxBytes+1)})
	require.Less(t, len(bomb), 100_000)
	for _, c := range []struct{ name, file, text, want string }{
		{"a PDF that is called Markdown", "scan.md", "%PDF-1.7\n%âãÏÓ", "the file is a PDF"},
		{"a Word file that is called text", "a.txt", "PK\x03\x04", "a zip archive"},
		{"a picture", "a.html", "\x89PNG\r\n", "a picture"},
		{"UTF-16", "a.txt", "\xff\xfea\x00", "UTF-16"},
		{"not UTF-8", "a.txt", "fine\ncaf\xe9\n", "line 2 is not UTF-8"},
		{"zero bytes", "a.md", "one\ntwo\x00", "line 2 holds a zero byte"},
		{"nothing", "a.md", "\n \n", "holds no text"},
		{"no ending", "sop", "# A", `the ending is ""`},
		{"another ending", "sop.pdf", "%PDF", `the ending is ".pdf"`},
		{"too large", "a.md", strings.Repeat("a", maxText+1), "want at most 1 of text"},
		{"20 MB", "a.docx", strings.Repeat("a", 20<<20), "the file has 20.0 MB, want at most 8"},
		{"a line that never ends", "a.md", "# A\n" + strings.Repeat("a", maxLine+1), "line 2 has 50001 bytes"},
		{"nested too deep", "a.md", "# A\n" + strings.Repeat("> ", 5000) + "b", "line 2 begins with 5000 marks"},
		{"no zip", "a.docx", "# A", "not a Word document"},
		{"a zip of something else", "a.docx", string(zipOf(t, map[string]string{"a.txt": "a"})), "holds no word/document.xml"},
		{"broken XML", "a.docx", string(zipOf(t, map[string]string{"word/document.xml": "<w:p><w:r>"})), "not a Word document"},
		{"a zip bomb", "a.docx", string(bomb), "unfolds to more than 8 MB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(c.file, []byte(c.text))
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// Whatever the bytes are, reading them ends, and lines stand in the file.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"sample.md", "sample.txt", "sample.html"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(filepath.Ext(name), text)
	}
	f.Add(".docx", wordSample(f))
	f.Fuzz(func(t *testing.T, ending string, text []byte) {
		d, err := Read("a"+ending, text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		if ending == ".docx" {
			return
		}
		last := 1 + bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r"))
		var walk func(blocks []*Block)
		walk = func(blocks []*Block) {
			for _, b := range blocks {
				for _, l := range b.Lines {
					assert.True(t, l.Number >= 1 && l.Number <= last, "line %d of %d", l.Number, last)
				}
				walk(b.Parts)
			}
		}
		walk(d.Blocks)
	})
}

func zipOf(t testing.TB, members map[string]string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range members {
		m, err := w.Create(name)
		require.NoError(t, err)
		_, err = m.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// wordSample is a small document as Word writes it: styles, a numbered list
// with a list in it, a table.
func wordSample(t testing.TB) []byte {
	p := func(properties, text string) string {
		return "<w:p><w:pPr>" + properties + "</w:pPr><w:r><w:t>" + text + "</w:t></w:r></w:p>"
	}
	list := func(level, id string) string {
		return `<w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="` + id + `"/></w:numPr>`
	}
	cell := func(text string) string { return "<w:tc>" + p("", text) + "</w:tc>" }
	body := p(`<w:pStyle w:val="Title"/>`, "Key cabinet") +
		p(`<w:pStyle w:val="Heading1"/>`, "1. Procedure") +
		p("", "Who takes a key signs for it.") +
		p(list("0", "1"), "Check the badge.") +
		p(list("0", "1"), "If it has expired:") +
		p(list("1", "1"), "keep the badge") +
		p(list("1", "2"), "a bullet") +
		p(list("0", "1"), "Hand over the key.") +
		"<w:tbl><w:tr>" + cell("Case") + cell("Outcome") + "</w:tr><w:tr>" + cell("key lost") + cell("report") + "</w:tr></w:tbl>" +
		p("", "2.1 Return") + p("", "Put the key back.")
	return zipOf(t, map[string]string{
		"word/document.xml": `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>` + body + "</w:body></w:document>",
		"word/numbering.xml": `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>` +
			`<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="6"><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl>` +
			`</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num></w:numbering>`,
	})
}

// What stands in pre is no prose.
func TestPreformatted(t *testing.T) {
	d, err := Read("a.html", []byte("<p>Open the shell.</p><div><pre>if ($x) { exit 1 }\nstop</pre></div><ol><li>Type it.<pre>ls</pre></li></ol>"))
	require.NoError(t, err)
	require.Len(t, d.Blocks, 3)
	assert.Equal(t, Code, d.Blocks[1].Kind)
	assert.Len(t, d.Blocks[1].Lines, 2)
	require.Len(t, d.Blocks[2].Parts, 1)
	assert.Equal(t, Code, d.Blocks[2].Parts[0].Kind)
}
