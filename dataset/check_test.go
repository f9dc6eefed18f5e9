package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheckFolderClean(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	m := write(t, dir, Options{}, sample(), Drop{Job: "j", Reason: "too_few"})
	r := CheckFolder(dir)
	if !r.OK() || len(r.Problems) > 0 {
		t.Fatalf("problems in a good folder: %q", r.Problems)
	}
	if r.Rows != 10 || !reflect.DeepEqual(r.Files, m.Files) || !reflect.DeepEqual(r.Counts, m.Counts) || r.Lengths != m.Lengths {
		t.Errorf("CheckFolder = %+v, want 10 rows and the figures of %+v", r, m)
	}
}

func TestCheckFolderCleanForAnyRows(t *testing.T) {
	parent := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfNDistinct(rapid.Custom(anyRow), 0, 10, func(r Row) string { return r.ID }).Draw(t, "rows")
		for i := range rows { // no duplicates, no leakage
			rows[i].Context += rows[i].ID
			rows[i].Procedure = "p_" + rows[i].Split
		}
		dir := filepath.Join(parent, "out")
		o := Options{Force: true}
		w, err := Create(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		if err := parallel(w, o, [][]Row{rows}, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Close(sampleInfo()); err != nil {
			t.Fatal(err)
		}
		if r := CheckFolder(dir); !r.OK() || r.Rows != len(rows) {
			t.Fatalf("%d rows of %d, problems %q", r.Rows, len(rows), r.Problems)
		}
	})
}

// replace writes the file anew from lines and makes the manifest agree on it,
// so that only what lies deeper is wrong.
func replace(t *testing.T, dir, name string, rows ...Row) {
	t.Helper()
	var text strings.Builder
	for _, r := range rows {
		text.WriteString(line(t, r))
	}
	if err := os.WriteFile(filepath.Join(dir, name), frame(t, text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text.String()))
	m.Files[name] = File{len(rows), int64(text.Len()), hex.EncodeToString(sum[:])}
	rewrite(t, dir, m)
}

func rewrite(t *testing.T, dir string, m Manifest) {
	t.Helper()
	data, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestCheckFolderFinds(t *testing.T) {
	all := sample()
	train2, train3 := "train_2.jsonl.zst", "train_3.jsonl.zst"
	with := func(rows []Row, more ...Row) []Row { return append(append([]Row{}, rows...), more...) }
	renamed := func(r Row) Row { r.ID += "-b"; return r }
	tests := []struct {
		name string
		edit func(t *testing.T, dir string)
		kind string
		want string
	}{
		{"file gone", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, train2)) }, ProblemFile, train2 + " is missing"},
		{"file unknown", func(t *testing.T, dir string) { os.WriteFile(filepath.Join(dir, "train_9.jsonl"), nil, 0o666) }, ProblemFile,
			"train_9.jsonl is in the folder but not in manifest.json"},
		{"file cut off", func(t *testing.T, dir string) {
			data, _ := os.ReadFile(filepath.Join(dir, train3))
			os.WriteFile(filepath.Join(dir, train3), data[:len(data)-30], 0o666)
		}, ProblemFile, train3 + ":6: the zstd stream is cut off"},
		{"file changed", func(t *testing.T, dir string) {
			r := all[0]
			r.Query = "Which calls, in what order??"
			m, _ := ReadManifest(dir)
			replace(t, dir, "train_1.jsonl.zst", r, all[1])
			m.Files["train_1.jsonl.zst"] = File{2, m.Files["train_1.jsonl.zst"].Bytes, m.Files["train_1.jsonl.zst"].SHA256}
			rewrite(t, dir, m)
		}, ProblemFile, "train_1.jsonl.zst has sha256 "},
		{"invalid row", func(t *testing.T, dir string) {
			r := all[6]
			r.Negatives = []Negative{{Text: "x", Payload: r.Positive.Payload, Operator: "o", Proof: "{}"}}
			replace(t, dir, "validation.jsonl.zst", r)
		}, ProblemRow, "validation.jsonl.zst:1: row"},
		{"row in the wrong file", func(t *testing.T, dir string) { replace(t, dir, "validation.jsonl.zst", all[7]) }, ProblemRow, `split "test", stage 2 does not belong in validation`},
		{"stage in the wrong file", func(t *testing.T, dir string) { replace(t, dir, train2, with(all[:5], all[5])...) }, ProblemRow, "stage 3 does not belong in train_2"},
		{"row lost in a smaller file", func(t *testing.T, dir string) { replace(t, dir, train2, all[:4]...) }, ProblemCumulative, train2 + " lacks 1 of the 5 rows"},
		{"row lost in the largest file", func(t *testing.T, dir string) { replace(t, dir, train3, all[1:6]...) }, ProblemCumulative, "train_1.jsonl.zst:1: row \"s1-bank-000001\" is not in " + train3},
		{"row changed in a smaller file", func(t *testing.T, dir string) {
			r := all[2]
			r.Query += "?"
			replace(t, dir, train2, all[0], all[1], r, all[3], all[4])
		}, ProblemCumulative, train2 + ":3: row \"s2-bank-transfer_funds-000003\" is different in " + train3 + ":3"},
		{"row twice in a smaller file", func(t *testing.T, dir string) { replace(t, dir, train2, with(all[:5], all[0])...) }, ProblemDuplicate, train2 + ":6: row \"s1-bank-000001\" stands in this file before"},
		{"id twice", func(t *testing.T, dir string) { replace(t, dir, train3, with(all[:6], all[5])...) }, ProblemDuplicate, train3 + ":7: id \"s3-bank-transfer_funds-000006\" is also that of " + train3 + ":6"},
		{"group twice", func(t *testing.T, dir string) { replace(t, dir, train3, with(all[:6], renamed(all[5]))...) }, ProblemDuplicate, train3 + ":7: row \"s3-bank-transfer_funds-000006-b\" has the context, query and positive of " + train3 + ":6"},
		{"question in two splits", func(t *testing.T, dir string) {
			r := all[7]
			r.Context, r.Query, r.Positive.Text = all[0].Context, all[0].Query, "other"
			replace(t, dir, "test.jsonl.zst", r)
		}, ProblemLeakage, "split test, has the context and query of " + train3 + ":1, split train"},
		{"procedure in two splits", func(t *testing.T, dir string) {
			r := all[7]
			r.Procedure = all[6].Procedure
			replace(t, dir, "test.jsonl.zst", r)
		}, ProblemLeakage, `has the procedure of validation.jsonl.zst:1, split validation: "bank/pay_bill_validation"`},
		{"not the assigned split", func(t *testing.T, dir string) {
			m, _ := ReadManifest(dir)
			m.Split.Assignments["bank/pay_bill_test"] = Validation
			rewrite(t, dir, m)
		}, ProblemLeakage, `"bank/pay_bill_test" is assigned to "validation"`},
		{"scenario in two splits", func(t *testing.T, dir string) {
			r := all[7]
			r.Procedure, r.Reference = all[6].Procedure, `{"facts": {"logged_in_user": false}}`
			replace(t, dir, "test.jsonl.zst", r)
			m, _ := ReadManifest(dir)
			m.Split = SplitInfo{Unit: UnitScenario}
			rewrite(t, dir, m)
		}, ProblemLeakage, "has the scenario of validation.jsonl.zst:1"},
		{"unknown unit", func(t *testing.T, dir string) {
			m, _ := ReadManifest(dir)
			m.Split.Unit = "term"
			rewrite(t, dir, m)
		}, ProblemCounts, `"term", want procedure, scenario or domain`},
		{"wrong count", func(t *testing.T, dir string) {
			m, _ := ReadManifest(dir)
			m.Counts.Operator["order"] = 3
			rewrite(t, dir, m)
		}, ProblemCounts, `operator "order": 0, manifest.json says 3`},
		{"wrong lengths", func(t *testing.T, dir string) {
			m, _ := ReadManifest(dir)
			m.Lengths.Query.Max = 9
			rewrite(t, dir, m)
		}, ProblemCounts, "lengths are"},
		{"wrong drops", func(t *testing.T, dir string) {
			m, _ := ReadManifest(dir)
			m.Drops["synonym"] = 2
			rewrite(t, dir, m)
		}, ProblemCounts, `drops "synonym": 0, manifest.json says 2`},
		{"no folder", func(t *testing.T, dir string) { os.RemoveAll(dir) }, ProblemFile, "is no dataset folder"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			write(t, dir, Options{}, sample(), Drop{Job: "j", Reason: "too_few"})
			test.edit(t, dir)
			r := CheckFolder(dir)
			if r.Found[test.kind] == 0 || !strings.Contains(strings.Join(r.Problems, "\n"), test.kind+": ") ||
				!strings.Contains(strings.Join(r.Problems, "\n"), test.want) {
				t.Errorf("found %v:\n%s\nwant a %s problem with %q", r.Found, strings.Join(r.Problems, "\n"), test.kind, test.want)
			}
		})
	}
}

func TestCheckFolderCapsWhatItSpellsOut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write(t, dir, Options{}, sample())
	var rows []Row
	for range 3 * MaxProblems {
		rows = append(rows, sample()[6])
	}
	replace(t, dir, "validation.jsonl.zst", rows...)
	r := CheckFolder(dir)
	listed := 0
	for _, p := range r.Problems {
		if strings.HasPrefix(p, ProblemDuplicate) {
			listed++
		}
	}
	if r.Found[ProblemDuplicate] != 3*MaxProblems-1 || listed != MaxProblems {
		t.Errorf("found %d duplicates and listed %d, want %d and %d", r.Found[ProblemDuplicate], listed, 3*MaxProblems-1, MaxProblems)
	}
}

// No byte of a file can change without being noticed.
func TestCheckFolderNoticesAnyByte(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write(t, dir, Options{}, sample())
	path := filepath.Join(dir, "train_3.jsonl.zst")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		bad := bytes.Clone(good)
		at := rapid.IntRange(0, len(bad)-1).Draw(t, "at")
		bad[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "xor"))
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if r := CheckFolder(dir); r.OK() {
			// Some bits of a frame's header mean nothing for what is decompressed.
			got := 0
			for _, err := range ReadRows(path) {
				if err != nil {
					t.Fatalf("byte %d: nothing found, but reading says %v", at, err)
				}
				got++
			}
			if got != 6 {
				t.Fatalf("byte %d: nothing found, but there are %d rows", at, got)
			}
		}
	})
}
