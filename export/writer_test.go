package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
)

// write exports the rows, some a part, into a new folder.
func write(t *testing.T, o Options, train, validation []dataset.Row) (folder string, m Manifest) {
	t.Helper()
	source := dataset.Manifest{Generator: "fmsop 1", Stages: []int{1, 2, 3}, Seed: 7, Files: map[string]dataset.File{
		"train_2.jsonl.zst": {Rows: len(train)}, "validation.jsonl.zst": {Rows: len(validation)},
	}}
	o.Stage = 2
	x, err := Open(source, o)
	require.NoError(t, err)
	folder = t.TempDir()
	w, err := x.Create(folder)
	require.NoError(t, err)
	defer w.Abort()
	for split, rows := range map[string][]dataset.Row{dataset.Train: train, dataset.Validation: validation} {
		for len(rows) > 0 {
			n := min(2, len(rows))
			p, err := x.Convert(split, rows[:n])
			require.NoError(t, err)
			require.NoError(t, w.Append(p))
			rows = rows[n:]
		}
	}
	m, err = w.Close()
	require.NoError(t, err)
	return folder, m
}

// TestFolder writes every format in every encoding: the same rows, settings that
// can be read and name files that are there.
func TestFolder(t *testing.T) {
	graph := small
	graph.Stage, graph.Task, graph.View = 3, "graph", dataset.ViewGraph
	for _, e := range Encodings {
		folder, m := write(t, Options{Formats: Formats, Encoding: e}, []dataset.Row{small, smallNext, small, graph}, []dataset.Row{smallNext})
		for _, f := range Formats {
			made := m.Formats[f.Name]
			train, _ := made.Split(dataset.Train)
			require.Positive(t, train.Rows, f.Name)
			require.Positive(t, made.LeftOut[laterStage], f.Name)
			for name, file := range made.Files {
				path := filepath.Join(folder, f.Name, name)
				require.True(t, strings.HasSuffix(name, "."+string(f.encodedAs(e))), name)
				assert.Equal(t, file.Rows, rowsOf(t, path), path)
			}
			besideReadable(t, filepath.Join(folder, f.Name), made)
		}
	}
}

func rowsOf(t *testing.T, path string) (n int) {
	t.Helper()
	if strings.HasSuffix(path, ".parquet") {
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		info, err := f.Stat()
		require.NoError(t, err)
		p, err := parquet.OpenFile(f, info.Size())
		require.NoError(t, err)
		return int(p.NumRows())
	}
	for line, err := range dataset.ReadLines(path) {
		require.NoError(t, err)
		require.True(t, json.Valid(line.Text))
		n++
	}
	return n
}

// besideReadable looks at all that stands beside the rows of a format.
func besideReadable(t *testing.T, folder string, made Exported) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	settings := 0
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		require.NoError(t, err)
		assert.NotContains(t, string(text), "<no value>")
		switch filepath.Ext(entry.Name()) {
		case ".yaml":
			settings++
			var v map[string]any
			require.NoError(t, yaml.UnmarshalWithOptions(text, &v, yaml.Strict()), "%s", text)
			assert.Contains(t, string(text), "# In this folder: ")
		case ".json":
			settings++
			require.True(t, json.Valid(text), "%s", text)
		case ".sh", ".py":
			settings++
		case ".md":
			front, _, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("---\n")), []byte("\n---\n"))
			var card struct {
				Configs []struct {
					DataFiles []struct{ Split, Path string } `yaml:"data_files"`
				}
			}
			require.NoError(t, yaml.Unmarshal(front, &card))
			require.Len(t, card.Configs, 1)
			require.Len(t, card.Configs[0].DataFiles, len(made.Files))
			for _, f := range card.Configs[0].DataFiles {
				assert.Contains(t, made.Files, f.Path)
			}
		}
		if strings.HasPrefix(entry.Name(), "validation.") || strings.HasPrefix(entry.Name(), "train.") {
			continue
		}
		if _, ok := made.Split(dataset.Validation); !ok {
			assert.NotContains(t, string(text), "validation", entry.Name())
		}
	}
	assert.Positive(t, settings, "%s has no settings", folder)
}

func TestSettingsOfTheFormats(t *testing.T) {
	folder, m := write(t, Options{Formats: Formats}, []dataset.Row{small, smallNext}, []dataset.Row{small})
	for _, f := range Formats {
		entries, err := os.ReadDir(filepath.Join("beside", f.Name))
		require.NoError(t, err)
		for _, e := range append([]string{"README.md"}, names(entries)...) {
			text, err := os.ReadFile(filepath.Join(folder, f.Name, e))
			require.NoError(t, err)
			golden(t, "beside/"+f.Name+"/"+e, text)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, ManifestFile))
	require.NoError(t, err)
	var again Manifest
	require.NoError(t, json.Unmarshal(text, &again))
	assert.Equal(t, m, again)
}

func names(entries []os.DirEntry) (list []string) {
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestMix blends chats in at their shares, spread over the file.
func TestMix(t *testing.T) {
	dir := t.TempDir()
	chats := func(name string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"messages":[{"role":"user","content":"%s %d?"},{"role":"assistant","content":"yes"}]}`+"\n", name, i)
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o666))
		return path
	}
	rows := make([]dataset.Row, 60)
	for i := range rows {
		rows[i] = small
	}
	formats, err := Lookup(chatFormats())
	require.NoError(t, err)
	mix := []Mix{{chats("a", 100), 0.25}, {chats("b", 100), 0.15}}
	for _, e := range Encodings {
		_, m := write(t, Options{Formats: formats, Encoding: e, Mix: mix}, rows, []dataset.Row{small})
		for _, f := range formats {
			made := m.Formats[f.Name]
			train, _ := made.Split(dataset.Train)
			assert.Equal(t, 100, train.Rows, "60 of ours are 60 %%")
			assert.Equal(t, Mixed{0.25, 25, 25}, made.Mixed["a"])
			assert.Equal(t, Mixed{0.15, 15, 15}, made.Mixed["b"])
			validation, _ := made.Split(dataset.Validation)
			assert.Equal(t, 1, validation.Rows)
		}
	}
	folder, m := write(t, Options{Formats: formats[:1], Mix: []Mix{{chats("c", 3), 0.5}}}, rows, nil)
	assert.Equal(t, Mixed{0.5, 60, 3}, m.Formats["trl-sft"].Mixed["c"], "a file is not repeated")
	text, err := os.ReadFile(filepath.Join(folder, "trl-sft", "train.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	assert.Contains(t, lines[2], "c 0?", "chats stand among the rows, not behind them")

	for s, want := range map[string]string{
		"f": "want FILE:share", ":0.1": "want FILE:share", "f:": `the share is ""`, "f:0": "want a number between 0 and 1",
		"f:1": "want a number between 0 and 1", "f:NaN": "want a number between 0 and 1",
	} {
		_, err := ParseMix(s)
		assert.ErrorContains(t, err, want, s)
	}
	assert.ErrorContains(t, validMix(Options{Mix: []Mix{{"a", 0.5}, {"b", 0.5}}}), "add up to 1, want less than 1")
	assert.ErrorContains(t, validMix(Options{Mix: []Mix{{"x/a", 0.1}, {"y/a", 0.1}}}), "two files of the name a")
	for line, want := range map[string]string{
		`{"messages": 1}`: "no chat, want",
		`{}`:              "does not end with an answer",
		`{"messages": [{"role":"user","content":"x"}]}`:                                        "does not end with an answer",
		`{"messages": [{"role":"user","content":""},{"role":"assistant","content":"x"}]}`:      "message 0: content is empty",
		`{"messages": [{"role":"function","content":"x"},{"role":"assistant","content":"x"}]}`: `role "function", want system, user or assistant`,
	} {
		assert.ErrorContains(t, new(Chat).parse([]byte(line)), want, line)
	}
}

func TestCutSteps(t *testing.T) {
	for _, test := range []struct {
		text, workflow string
		want           []string
	}{
		{"`a` -> `b_c` -> `b`", `["a","b_c","b"]`, []string{"`a`", " -> `b_c`", " -> `b`"}},
		{"First call `a`. Then end with `b`.", `["a","b"]`, []string{"First call `a`.", " Then end with `b`."}},
		{`{"workflow":["a","b"]}`, `["a","b"]`, []string{`{"workflow":["a",`, `"b"]}`}},
		{"1. `a`\n2. `a`\n", `["a","a"]`, []string{"1. `a`\n", "2. `a`\n"}},
		{"`ab`", `["a"]`, nil},
		{"`b`, `a`", `["a","b"]`, nil},
		{"x", `[]`, nil},
	} {
		got, ok := cutSteps(test.text, `{"workflow":`+test.workflow+`}`)
		assert.Equal(t, test.want != nil, ok, test.text)
		if test.want != nil {
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.text, strings.Join(got, ""))
		}
	}
}
