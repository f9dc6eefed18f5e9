package recheck

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/klauspost/compress/zstd"
)

// TestGeneratedFolder holds the generator against this package: two implementations of the same design. The environment
// variable FMSOP_RECHECK_GROUPS asks for more groups a stage than the test makes by itself, FMSOP_RECHECK_SEED for others.
func TestGeneratedFolder(t *testing.T) {
	groups, seed := setting(t, "FMSOP_RECHECK_GROUPS", 200), setting(t, "FMSOP_RECHECK_SEED", 0)
	dir := filepath.Join(t.TempDir(), "data")
	start := time.Now()
	generate(t, dir, groups, seed, corpus.Builtin()...)
	judge(t, dir, groups, time.Since(start))
}

// TestGeneratedFromTasks does the same for SOPBench's task files, where FMSOP_RECHECK_GROUPS asks for it: their variants and
// scenarios are not the built-in ones.
func TestGeneratedFromTasks(t *testing.T) {
	groups, seed := setting(t, "FMSOP_RECHECK_GROUPS", 40), setting(t, "FMSOP_RECHECK_SEED", 0)
	files, err := filepath.Glob("../../../shared/sopbench/tasks/*_tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("FMSOP_NO_SHARED") != "" && os.Getenv("CI") == "" {
			t.Log("SOPBench's task files are missing, and FMSOP_NO_SHARED is set")
			return
		}
		t.Fatal("SOPBench's task files are missing")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), "_tasks.json"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			start := time.Now()
			generate(t, dir, groups/len(files), seed, file)
			judge(t, dir, groups/len(files), time.Since(start))
		})
	}
}

func judge(t *testing.T, dir string, groups int, made time.Duration) {
	t.Helper()
	start := time.Now()
	report, err := Folder(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("%d rows (%v, %d negatives, %d comparisons) made in %v, checked in %v: %.0f rows/s; %v",
		report.Rows, report.Views, report.Negatives, report.Compared, made.Round(time.Millisecond), took.Round(time.Millisecond),
		float64(report.Rows)/took.Seconds(), report.Kinds)
	if groups >= 100 && len(report.Views) != 9 || report.Rows < 2*groups || report.Compared == 0 {
		t.Errorf("rows of the views %v, %d comparisons", report.Views, report.Compared)
	}
	for _, kind := range sortedKeys(report.Kinds) {
		t.Errorf("%d problems of the kind %s", report.Kinds[kind], kind)
	}
	for _, p := range report.Problems {
		t.Error(p)
	}
}

func setting(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s is %q, want a number", name, text)
	}
	return n
}

// folder is a dataset folder in memory.
type folder struct {
	t        *testing.T
	manifest object
	lines    map[string][]string
}

func loadFolder(t *testing.T, dir string) *folder {
	t.Helper()
	f := &folder{t: t, lines: map[string][]string{}}
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &f.manifest); err != nil {
		t.Fatal(err)
	}
	for name := range f.manifest["files"].(object) {
		f.lines[name] = []string{}
		if err := eachLine(filepath.Join(dir, name), func(line []byte) { f.lines[name] = append(f.lines[name], string(line)) }); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// save writes the folder with the manifest's files as they are now.
func (f *folder) save() string {
	f.t.Helper()
	dir := f.t.TempDir()
	must := func(err error) {
		f.t.Helper()
		if err != nil {
			f.t.Fatal(err)
		}
	}
	card := ""
	for name, lines := range f.lines {
		plain := []byte(strings.Join(lines, "\n") + "\n")
		if len(lines) == 0 {
			plain = nil
		}
		z, err := zstd.NewWriter(nil)
		must(err)
		must(os.WriteFile(filepath.Join(dir, name), z.EncodeAll(plain, nil), 0o600))
		sum := sha256.Sum256(plain)
		f.manifest["files"].(object)[name] = object{"rows": len(lines), "bytes": len(plain), "sha256": hex.EncodeToString(sum[:])}
		card += name + "\n"
	}
	must(os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(text(f.manifest)), 0o600))
	must(os.WriteFile(filepath.Join(dir, "README.md"), []byte(card), 0o600))
	return dir
}

// copyOf is a folder that can be changed without the other.
func (f *folder) copyOf() *folder {
	c := &folder{t: f.t, lines: maps.Clone(f.lines)}
	if err := json.Unmarshal([]byte(text(f.manifest)), &c.manifest); err != nil {
		f.t.Fatal(err)
	}
	return c
}

func rowWith(line string, edit func(object)) string {
	var row object
	if err := json.Unmarshal([]byte(line), &row); err != nil {
		panic(err)
	}
	edit(row)
	return text(row)
}

// TestFolderMutations changes one thing of a whole folder at a time.
func TestFolderMutations(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	generate(t, dir, 30, 2, "bank", "dmv", "library")
	if _, err := Folder(filepath.Dir(dir), 1); err == nil {
		t.Error("a folder without manifest is no error")
	}
	whole := loadFolder(t, dir)
	find := func(f *folder) map[string]int {
		report, err := Folder(f.save(), 2)
		if err != nil {
			t.Fatal(err)
		}
		return report.Kinds
	}
	if kinds := find(whole); len(kinds) > 0 {
		t.Fatalf("the folder as it is: %v", kinds)
	}
	train := func(k int) string { return trainFile(k) }
	for _, test := range []struct {
		name  string
		spoil func(*folder)
		want  string
	}{
		{"a smaller file lacks a row", func(f *folder) { f.lines[train(1)] = f.lines[train(1)][1:] }, "cumulative"},
		{"a smaller file has a row twice", func(f *folder) { f.lines[train(1)] = append(f.lines[train(1)], f.lines[train(1)][0]) }, "cumulative"},
		{"a smaller file has a row of a later stage", func(f *folder) {
			f.lines[train(1)] = append(slices.Clone(f.lines[train(1)]), f.lines[train(3)][len(f.lines[train(3)])-1])
		}, "cumulative"},
		{"a smaller file has a row with one blank more", func(f *folder) {
			f.lines[train(2)] = append([]string{f.lines[train(2)][0] + " "}, f.lines[train(2)][1:]...)
		}, "cumulative"},
		{"a row twice", func(f *folder) {
			f.lines["test.jsonl.zst"] = append(f.lines["test.jsonl.zst"], f.lines["test.jsonl.zst"][0])
		}, "duplicate"},
		{"an id twice", func(f *folder) {
			test := slices.Clone(f.lines["test.jsonl.zst"])
			id := ""
			rowWith(test[0], func(row object) { id = row["id"].(string) })
			test[1] = rowWith(test[1], func(row object) { row["id"] = id })
			f.lines["test.jsonl.zst"] = test
		}, "duplicate"},
		{"a training row in the test file", func(f *folder) {
			f.lines["test.jsonl.zst"] = append(f.lines["test.jsonl.zst"], f.lines[train(3)][0])
		}, "split"},
		{"a training row for testing", func(f *folder) {
			f.lines["test.jsonl.zst"] = append(f.lines["test.jsonl.zst"], rowWith(f.lines[train(3)][0], func(row object) { row["split"] = "test" }))
		}, "leakage"},
		{"goals of one domain in several splits", func(f *folder) { f.manifest["split"].(object)["unit"] = "domain" }, "leakage"},
		{"a scenario of training in a test", func(f *folder) {
			f.manifest["split"].(object)["unit"] = "scenario"
			f.manifest["split"].(object)["assignments"] = object{}
			last := f.lines[train(3)][len(f.lines[train(3)])-1]
			f.lines["test.jsonl.zst"] = append(f.lines["test.jsonl.zst"], rowWith(last, func(row object) {
				row["split"], row["id"], row["query"] = "test", row["id"].(string)+"x", row["query"].(string)+" "
			}))
		}, "leakage"},
		{"a test query worded as in training", func(f *folder) {
			query := ""
			for _, line := range f.lines[train(3)] {
				rowWith(line, func(row object) {
					if row["view"] == "workflow" {
						query = row["query"].(string)
					}
				})
			}
			for i, line := range f.lines["test.jsonl.zst"] {
				f.lines["test.jsonl.zst"][i] = rowWith(line, func(row object) {
					if row["view"] == "workflow" {
						row["query"] = query
					}
				})
			}
		}, "wording"},
		{"a goal assigned elsewhere", func(f *folder) {
			assignments := f.manifest["split"].(object)["assignments"].(object)
			for name, split := range assignments {
				assignments[name] = map[any]string{"train": "test", "test": "train", "validation": "train"}[split]
			}
		}, "leakage"},
		{"a count", func(f *folder) { f.manifest["counts"].(object)["stage"].(object)["2"] = 1 }, "counts"},
		{"a count of what is not there", func(f *folder) { f.manifest["counts"].(object)["view"].(object)["song"] = 1 }, "counts"},
		{"groups that nothing accounts for", func(f *folder) { f.manifest["config"].(object)["groups"] = 31 }, "counts"},
		{"a length", func(f *folder) { f.manifest["lengths"].(object)["context"].(object)["max"] = 1 }, "lengths"},
		{"a median", func(f *folder) { f.manifest["lengths"].(object)["context"].(object)["median"] = 1 }, "lengths"},
		{"a drop more", func(f *folder) {
			f.lines["drops.jsonl.zst"] = append(f.lines["drops.jsonl.zst"], `{"job":"j","reason":"why","detail":"","count":1}`)
		}, "counts"},
		{"a drop without a reason", func(f *folder) {
			f.lines["drops.jsonl.zst"] = append(f.lines["drops.jsonl.zst"], `{"job":"j","reason":"","detail":"","count":1}`)
		}, "drops"},
		{"another ratio", func(f *folder) { f.manifest["config"].(object)["ratio"] = []int{4, 4, 7} }, "row"},
		{"no exposure", func(f *folder) { f.manifest["exposure"] = []any{} }, "exposure"},
		{"a row that is none", func(f *folder) { f.lines["test.jsonl.zst"] = append(f.lines["test.jsonl.zst"], `{"id":"x"}`) }, "row"},
	} {
		f := whole.copyOf()
		for name, lines := range f.lines {
			f.lines[name] = slices.Clone(lines)
		}
		test.spoil(f)
		if kinds := find(f); kinds[test.want] == 0 {
			t.Errorf("%s: found %v, want %s", test.name, kinds, test.want)
		}
	}
	dir = whole.save()
	for _, test := range []struct {
		name, file string
		data       []byte
		want       string
	}{
		{"other bytes", "test.jsonl.zst", nil, "file"},
		{"a file more", "train_9.jsonl.zst", nil, "file"},
		{"a card that declares nothing", "README.md", []byte("Rows.\n"), "file"},
	} {
		path := filepath.Join(dir, test.file)
		before, missing := os.ReadFile(path)
		if err := os.WriteFile(path, test.data, 0o600); err != nil {
			t.Fatal(err)
		}
		report, err := Folder(dir, 2)
		if err != nil || report.Kinds[test.want] == 0 {
			t.Errorf("%s: found %v, %v, want %s", test.name, report.Kinds, err, test.want)
		}
		if missing != nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, before, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string]string{"test.jsonl.zst": "no zstd", "manifest.json": "{}", "README.md": ""} {
		broken := whole.save()
		path := filepath.Join(broken, name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if data != "" {
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Folder(broken, 1); err == nil {
			t.Errorf("a damaged %s is no error", name)
		}
	}
}

// TestFolderIsOrdered holds the order of what is reported against the number of workers.
func TestFolderIsOrdered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	generate(t, dir, 30, 3, "hotel")
	f := loadFolder(t, dir)
	for name, lines := range f.lines {
		for i, line := range lines {
			if strings.HasPrefix(name, "train_3") && i%3 == 0 {
				lines[i] = rowWith(line, func(row object) { row["task"] = "song" })
			}
		}
	}
	dir = f.save()
	one, err := Folder(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	many, err := Folder(dir, 8)
	if err != nil {
		t.Fatal(err)
	}
	if text(one) != text(many) || one.Kinds["row"] < 10 {
		t.Errorf("one worker: %v\neight: %v", one, many)
	}
}
