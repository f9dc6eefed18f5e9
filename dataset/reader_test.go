package dataset

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func line(t testing.TB, r Row) string {
	t.Helper()
	b, err := r.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func frame(t testing.TB, text string) []byte {
	t.Helper()
	b, err := compress(zstd.SpeedDefault, nil, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReadRowsCorrupt(t *testing.T) {
	good := line(t, workflow(1))
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s has no %s", good, old)
		}
		return strings.Replace(good, old, new, 1)
	}
	frames := append(frame(t, good+good), frame(t, good+good)...)
	damaged := bytes.Clone(frames)
	damaged[len(damaged)-2] ^= 1 // in the checksum
	tests := []struct {
		name, file string
		data       string
		rows       int // that are read in spite of it
		want       string
	}{
		{"empty", "x.jsonl", "", 0, "x.jsonl:1: the file is empty"},
		{"empty, compressed", "x.jsonl.zst", "", 0, "x.jsonl.zst:1: the file is empty"},
		{"no zstd", "x.jsonl.zst", good, 0, "x.jsonl.zst:1: the file is not a zstd stream"},
		{"cut off in the second frame", "x.jsonl.zst", string(frames[:len(frames)-40]), 2, "x.jsonl.zst:3: the zstd stream is cut off"},
		{"cut off in the header", "x.jsonl.zst", string(frames[:3]), 0, "x.jsonl.zst:1: the zstd stream is cut off"},
		{"damaged", "x.jsonl.zst", string(damaged), 2, "x.jsonl.zst:3: the zstd stream is damaged: its checksum is wrong"},
		{"rubbish after the frames", "x.jsonl.zst", string(frames) + "rubbish", 4, "x.jsonl.zst:5: the file is not a zstd stream"},
		{"cut off in a line", "x.jsonl", good + good[:100], 1, "x.jsonl:2: invalid JSON at byte 100: unexpected end of JSON input"},
		{"not UTF-8", "x.jsonl", edit("Sign", "S\xffgn") + good, 1, "x.jsonl:1: not UTF-8 at byte 158"},
		{"no JSON", "x.jsonl", good + "\nrow\n" + good, 2, "x.jsonl:3: invalid JSON at byte 1: invalid character 'r' looking for beginning of value"},
		{"two values in a line", "x.jsonl", strings.TrimSpace(good) + good, 0, "x.jsonl:1: invalid JSON"},
		{"no object", "x.jsonl", "[1]\n" + good, 1, "x.jsonl:1: the value is of type array, want an object"},
		{"null", "x.jsonl", "null\n" + good, 1, `x.jsonl:1: key "id" is missing`},
		{"unknown key", "x.jsonl", good + edit(`{"id"`, `{"idd":1,"id"`), 1, `x.jsonl:2: unknown key "idd", want id, stage, task,`},
		{"key in another case", "x.jsonl", edit(`"stage"`, `"Stage"`), 0, `x.jsonl:1: unknown key "Stage", want`},
		{"unknown key of a negative", "x.jsonl", edit(`"proof"`, `"why":"","proof"`), 0, `x.jsonl:1: negative 0: unknown key "why", want text,`},
		{"unknown key of the positive", "x.jsonl", edit(`"positive":{`, `"positive":{"score":1,`), 0, `x.jsonl:1: positive: unknown key "score", want text, payload`},
		{"missing key", "x.jsonl", edit(`,"domain":"bank"`, ""), 0, `x.jsonl:1: key "domain" is missing`},
		{"null value", "x.jsonl", edit(`"domain":"bank"`, `"domain":null`), 0, `x.jsonl:1: domain is null`},
		{"wrong type", "x.jsonl", edit(`"stage":2`, `"stage":"2"`) + good, 1, `x.jsonl:1: stage is of type string, want a whole number`},
		{"wrong type of similarity", "x.jsonl", edit(`"similarity":0.5`, `"similarity":"0.5"`), 0, `similarity is of type string, want a number`},
		{"no whole number", "x.jsonl", edit(`"stage":2`, `"stage":2.5`), 0, `x.jsonl:1: stage is of type number 2.5, want a whole number`},
		{"too long a line", "x.jsonl", good + strings.Repeat("x", MaxLineBytes+1) + "\n" + good, 2, "x.jsonl:2: the line is longer than 64 MiB"},
		{"too long a last line", "x.jsonl", good + strings.Repeat("x", MaxLineBytes+2), 1, "x.jsonl:2: the line is longer than 64 MiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), test.file)
			if err := os.WriteFile(path, []byte(test.data), 0o666); err != nil {
				t.Fatal(err)
			}
			rows, problems := 0, []error{}
			for _, err := range ReadRows(path) {
				if err != nil {
					problems = append(problems, err)
				} else {
					rows++
				}
			}
			if rows != test.rows || len(problems) != 1 {
				t.Fatalf("%d rows, errors %v, want %d rows and one error", rows, problems, test.rows)
			}
			wantError(t, problems[0], test.want)
			var at *LineError
			if !errors.As(problems[0], &at) || at.File != path {
				t.Errorf("error %v is no LineError of %s", problems[0], path)
			}
		})
	}
}

func TestReadRowsPlain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	text := line(t, workflow(1)) + "\n" + strings.TrimSuffix(line(t, graph(2)), "\n") + "\r\n" + strings.TrimSuffix(line(t, workflow(3)), "\n")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var got []Row
	for r, err := range ReadRows(path) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	if want := []Row{workflow(1), graph(2), workflow(3)}; !reflect.DeepEqual(got, want) {
		t.Errorf("ReadRows gives %+v, want %+v", got, want)
	}
	for _, err := range ReadRows(filepath.Join(t.TempDir(), "none.jsonl")) {
		wantError(t, err, "none.jsonl", "no such file")
	}
	for _, err := range ReadRows(t.TempDir()) {
		wantError(t, err, "is a directory")
	}
}

// A file that ends between two frames is a whole zstd stream.
func TestRowsHoldsTheManifestAgainstTheFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write(t, dir, Options{}, sample())
	if err := os.WriteFile(filepath.Join(dir, "train_2.jsonl.zst"), frame(t, line(t, concept(1))), 0o666); err != nil {
		t.Fatal(err)
	}
	reader, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range reader.Rows("train_2.jsonl.zst") {
		last = err
	}
	wantError(t, last, "train_2.jsonl.zst has 1 readable rows, manifest.json says 5")
	for _, err := range reader.Rows("train_4.jsonl.zst") {
		wantError(t, err, "train_4.jsonl.zst", "train_1.jsonl.zst, train_2.jsonl.zst")
	}
}

func TestOpenErrors(t *testing.T) {
	tests := []struct {
		name, manifest string
		want           []string
	}{
		{"no manifest", "", []string{"is no dataset folder", "manifest.json"}},
		{"no JSON", "{", []string{"manifest.json", "invalid JSON"}},
		{"wrong type", `{"version":"1"}`, []string{"manifest.json", "version is of type string, want a whole number"}},
		{"another version", `{"version":2,"stages":[1]}`, []string{"manifest.json", "version is 2", "reads 1"}},
		{"unknown stages", `{"version":1,"stages":[1,7]}`, []string{"stages are [1 7]", "1, 2 and 3"}},
		{"no stages", `{"version":1}`, []string{"stages are []"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if test.manifest != "" {
				if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(test.manifest), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Open(dir)
			wantError(t, err, test.want...)
		})
	}
}

func FuzzReadRows(f *testing.F) {
	good := line(f, workflow(1))
	for _, seed := range [][]byte{[]byte(good), []byte(good + "\n{}\n"), frame(f, good), frame(f, good)[:60], {}, []byte("null"), []byte(`{"id":[]}`)} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, compressed bool) {
		name := "x.jsonl"
		if compressed {
			name += ".zst"
		}
		for r, err := range records(lines(bytes.NewReader(data), name, nil), name, ParseRow) {
			if err != nil {
				wantError(t, err, name+":")
				continue
			}
			r.Validate()
			newTally().add(&r)
			text, err := r.AppendJSON(nil)
			if err != nil {
				t.Fatalf("a row that was read cannot be written: %v", err)
			}
			again, err := ParseRow(text)
			if err != nil {
				t.Fatalf("ParseRow(%s) = %v", text, err)
			}
			if twice, err := again.AppendJSON(nil); err != nil || !bytes.Equal(twice, text) {
				t.Fatalf("%s is written again as %s, %v", text, twice, err)
			}
		}
	})
}
