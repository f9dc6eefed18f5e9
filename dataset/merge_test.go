package dataset

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

func TestParseShard(t *testing.T) {
	for _, s := range []string{"1/1", "2/4", "4/4", "7/1000000000"} {
		i, n, err := ParseShard(s)
		if err != nil || fmt.Sprintf("%d/%d", i, n) != s {
			t.Errorf("ParseShard(%q) = %d, %d, %v", s, i, n, err)
		}
	}
	for _, s := range []string{"", "/", "1", "0/4", "5/4", "-1/4", "1/0", "01/4", "+1/4", " 1/4", "1/4/4", "a/b", "1/99999999999999999999"} {
		_, _, err := ParseShard(s)
		wantError(t, err, fmt.Sprintf("shard %q, want i/n with 1 ≤ i ≤ n", s))
	}
}

// shardInfo sets every field of Info, with values that are written otherwise
// after they went through a map.
func shardInfo(shard string) Info {
	type words struct {
		Zebra string
		Apple float64
		Large uint64
	}
	return Info{
		Generator: "fmsop <test>", Seed: math.MaxUint64, Shard: shard,
		Split:    SplitInfo{Unit: UnitProcedure, Assignments: map[string]string{"bank/b": Train, "bank/a": Test}},
		Exposure: []Exposure{{"bank", "b", ""}, {"bank", "a", "01"}}, Notes: []string{"a < b & c\u2028", ""},
		Config: words{"z", 1e21, math.MaxUint64}, Lexicon: map[string]words{"b": {Zebra: "<>&\u2028"}, "a": {Large: 1<<53 + 1}},
		Paraphrase: &Author{"ollama:x", "paraphrase@0"}, Paraphrased: map[string]*Proposals{"query": {Refused: map[string]int{"number": 0}}},
		Author: &Author{"ollama:y", "author@0"}, Authored: map[string]*Proposals{"graph": {1, 1, map[string]int{}}},
	}
}

func TestAddProposals(t *testing.T) {
	sum := map[string]*Proposals{}
	AddProposals(sum, map[string]*Proposals{"query": {3, 1, map[string]int{"number": 2}}})
	AddProposals(sum, map[string]*Proposals{"query": {2, 1, map[string]int{"number": 1}}, "context": {1, 1, nil}})
	want := map[string]*Proposals{"query": {5, 2, map[string]int{"number": 3}}, "context": {1, 1, map[string]int{}}}
	if !reflect.DeepEqual(sum, want) {
		t.Errorf("the sum is %v, want %v", sum, want)
	}
}

func TestShardInfoIsComplete(t *testing.T) {
	info := reflect.ValueOf(shardInfo("1/2"))
	for field, value := range info.Fields() {
		if value.IsZero() {
			t.Errorf("Info.%s is not set, so that no test sees whether Merge keeps it", field.Name)
		}
	}
}

// writeJobs makes a folder with a batch for each job.
func writeJobs(t rapid.TB, dir string, o Options, jobs [][]Row, info Info) {
	t.Helper()
	w, err := Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, rows := range jobs {
		b := NewBatch(o)
		for _, r := range rows {
			b.Add(r)
		}
		for i := range len(rows) % 3 { // some jobs drop nothing
			b.Drop(Drop{Job: rows[i].ID, Reason: fmt.Sprint("reason ", len(rows)), Count: len(rows)})
		}
		if err := b.Seal(); err != nil {
			t.Fatal(err)
		}
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Close(info); err != nil {
		t.Fatal(err)
	}
}

// writeShards writes the jobs as n folders in parent and returns their names.
func writeShards(t rapid.TB, parent string, o Options, jobs [][]Row, n int) (dirs []string) {
	t.Helper()
	for i := range n {
		dir := filepath.Join(parent, fmt.Sprintf("shard-%d", i+1))
		writeJobs(t, dir, o, jobs[len(jobs)*i/n:len(jobs)*(i+1)/n], shardInfo(fmt.Sprintf("%d/%d", i+1, n)))
		dirs = append(dirs, dir)
	}
	return dirs
}

func contents(t rapid.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func TestMergedIsTheWhole(t *testing.T) {
	parent := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		here := filepath.Join(parent, fmt.Sprint(runs))
		defer os.RemoveAll(here)
		o := Options{Compression: rapid.SampledFrom([]string{"", "fastest", "best"}).Draw(t, "compression")}
		jobs := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(anyRow), 0, 4), 0, 10).Draw(t, "jobs")
		n := rapid.IntRange(1, 5).Draw(t, "shards")
		whole := filepath.Join(here, "whole")
		writeJobs(t, whole, o, jobs, shardInfo(""))
		dirs := rapid.Permutation(writeShards(t, here, o, jobs, n)).Draw(t, "order")
		merged := filepath.Join(here, "merged")
		m, err := Merge(context.Background(), dirs, merged, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, want := contents(t, merged), contents(t, whole)
		for name := range maps.Keys(want) {
			if got[name] != want[name] {
				t.Errorf("%s of %d shards has %d bytes that differ from the %d of the whole", name, n, len(got[name]), len(want[name]))
			}
		}
		if len(got) != len(want) {
			t.Errorf("merged holds %d files, want %d", len(got), len(want))
		}
		again, err := ReadManifest(merged)
		if err != nil || !reflect.DeepEqual(again.Files, m.Files) || !reflect.DeepEqual(again.Counts, m.Counts) || m.Lengths != again.Lengths {
			t.Errorf("Merge returned %+v, the manifest reads %+v, error %v", m, again, err)
		}
	})
}

// four writes four shards with rows of all kinds.
func four(t *testing.T) (parent string, dirs []string) {
	t.Helper()
	parent = t.TempDir()
	var jobs [][]Row
	for i := range 8 {
		jobs = append(jobs, []Row{concept(100 + i), workflow(200 + i), in(Splits[1+i%4], workflow(300+i))})
	}
	return parent, writeShards(t, parent, Options{}, jobs, 4)
}

// alter changes a file of a folder by a function of its text.
func alter(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(text))
	if changed == string(text) {
		t.Fatalf("%s was not changed", path)
	}
	if err := os.WriteFile(path, []byte(changed), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestMergeRefuses(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	manifest := func(dir string) string { return filepath.Join(dir, ManifestFile) }
	same := "want shards of one run"
	tests := []struct {
		name   string
		change func(t *testing.T, dirs []string) []string // after which these are merged
		want   []string
	}{
		{"none", func(*testing.T, []string) []string { return nil }, []string{"no shards"}},
		{"one missing", func(_ *testing.T, d []string) []string { return slices.Delete(d, 2, 3) }, []string{"shard 3/4 is missing"}},
		{"two missing", func(_ *testing.T, d []string) []string { return d[2:] }, []string{"shards 1/4, 2/4 are missing"}},
		{"one twice", func(_ *testing.T, d []string) []string { return append(d, d[1]) }, []string{"shard-2", "are both shard 2/4"}},
		{"no folder", func(_ *testing.T, d []string) []string { return append(d[:3], "nowhere") }, []string{"nowhere is no dataset folder"}},
		{"another number", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[1]), replace("2/4", "2/5"))
			return d
		}, []string{"shard-2 is shard 2/5", "shard-1 is 1/4", same}},
		{"another seed", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[3]), replace(fmt.Sprint(uint64(math.MaxUint64)), "2"))
			return d
		}, []string{"shard-4 has seed 2", "shard-1 has 18446744073709551615", same}},
		{"another configuration", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[1]), replace(`"Zebra": "z"`, `"Zebra": "y"`))
			return d
		}, []string{`shard-2 has config.Zebra "y"`, `shard-1 has "z"`, same}},
		{"another lexicon", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[1]), replace("9007199254740993", "9007199254740992"))
			return d
		}, []string{"shard-2 has lexicon.a.Large 9007199254740992", "shard-1 has 9007199254740993", same}},
		{"one more unit", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[1]), replace(`"bank/a": `, `"bank/0": "train", "bank/a": `))
			return d
		}, []string{`shard-2 has split.assignments.bank/0 "train"`, "shard-1 has none", same}},
		{"other stages", func(t *testing.T, d []string) []string {
			os.RemoveAll(d[1])
			writeJobs(t, d[1], Options{Stages: []int{2}}, nil, shardInfo("2/4"))
			return d
		}, []string{"shard-2 has stages[0] 2", "shard-1 has 1", same}},
		{"no shard", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[0]), replace(`"shard": "1/4",`, ""))
			return d
		}, []string{"shard-1", "no shard, want a folder that was generated as one"}},
		{"a strange shard", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[0]), replace("1/4", "9/4"))
			return d
		}, []string{"shard-1", `shard "9/4", want i/n`}},
		{"far too many", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[0]), replace("1/4", "3/2000000000"))
			return d[:1]
		}, []string{"shards 1/2000000000, 2/2000000000, 4/2000000000, 5/2000000000, 6/2000000000 and 1999999994 more are missing"}},
		{"a killed shard", func(t *testing.T, d []string) []string {
			if err := os.Rename(d[2], d[2]+".tmp-17"); err != nil {
				t.Fatal(err)
			}
			return append(slices.Delete(d, 2, 3), d[0][:len(d[0])-1]+"3.tmp-17/")
		}, []string{"shard-3.tmp-17/ is what a killed run left"}},
		{"a folder without a manifest", func(t *testing.T, d []string) []string {
			os.Remove(manifest(d[2]))
			return d
		}, []string{"shard-3 is no dataset folder"}},
		{"a file not listed", func(t *testing.T, d []string) []string {
			alter(t, manifest(d[2]), replace("test.jsonl.zst", "text.jsonl.zst"))
			return d
		}, []string{"shard-3", "does not list test.jsonl.zst"}},
		{"a file gone", func(t *testing.T, d []string) []string {
			os.Remove(filepath.Join(d[2], "drops.jsonl.zst"))
			return d
		}, []string{"shard-3/drops.jsonl.zst", "no such file"}},
		{"an empty file", func(t *testing.T, d []string) []string {
			os.Truncate(filepath.Join(d[2], "train_1.jsonl.zst"), 0)
			return d
		}, []string{"shard-3/train_1.jsonl.zst:1: the file is empty"}},
		{"a truncated file", func(t *testing.T, d []string) []string {
			alter(t, filepath.Join(d[1], "train_3.jsonl.zst"), func(s string) string { return s[:len(s)-9] })
			return d
		}, []string{"shard-2/train_3.jsonl.zst:", "cut off"}},
		{"a frame less", func(t *testing.T, d []string) []string {
			alter(t, filepath.Join(d[1], "train_2.jsonl.zst"), func(s string) string { return s[:strings.LastIndex(s, "\x28\xb5\x2f\xfd")] })
			return d
		}, []string{"shard-2/train_2.jsonl.zst has 3 rows", "manifest.json says 4"}},
		{"another shard's file", func(t *testing.T, d []string) []string {
			other := contents(t, d[0])["train_1.jsonl.zst"]
			alter(t, filepath.Join(d[1], "train_1.jsonl.zst"), func(string) string { return other })
			return d
		}, []string{"shard-2/train_1.jsonl.zst has 2 rows", "manifest.json says 2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parent, dirs := four(t)
			dirs = test.change(t, dirs)
			before := names(t, parent)
			_, err := Merge(context.Background(), dirs, filepath.Join(parent, "deep", "out"), Options{})
			wantError(t, err, test.want...)
			wantNames(t, parent, before...)
		})
	}
}

func TestMergeOverwritesNothing(t *testing.T) {
	parent, dirs := four(t)
	out := filepath.Join(parent, "out")
	writeJobs(t, out, Options{}, nil, shardInfo(""))
	_, err := Merge(context.Background(), dirs, out, Options{})
	wantError(t, err, out, "--force")
	_, err = Merge(context.Background(), dirs, filepath.Join(parent, ".", "shard-2"), Options{Force: true})
	wantError(t, err, "shard-2 is one of the shards")
	if _, err = Merge(context.Background(), dirs, out, Options{Force: true, Stages: []int{1}, Compression: "none"}); err != nil {
		t.Error(err)
	}
	if n := len(readAll(t, out, "train_3.jsonl.zst")); n != 16 {
		t.Errorf("the merged folder has %d training rows, want 16", n)
	}
}

func TestMergeStops(t *testing.T) {
	parent, dirs := four(t)
	before := names(t, parent)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Merge(ctx, dirs, filepath.Join(parent, "out"), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
	wantNames(t, parent, before...)
}

// A disk that is full is told as such, not as a shard that is damaged.
func TestMergeOnAFullDisk(t *testing.T) {
	parent := t.TempDir()
	large := workflow(1)
	noise := make([]byte, 1<<20) // more than is buffered
	random := rand.NewChaCha8([32]byte{})
	random.Read(noise)
	large.Context = fmt.Sprintf("%x", noise)
	dirs := writeShards(t, parent, Options{}, [][]Row{{large}}, 1)
	shards, common, err := readShards(dirs)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create(filepath.Join(parent, "out"), Options{Stages: common.Stages})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	full := w.files[1]
	if full.file, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	full.buffered = bufio.NewWriter(full.file)
	err = w.appendShard(context.Background(), full, shards[0])
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v, want %v", err, syscall.ENOSPC)
	}
	wantError(t, err, "/dev/full")
}
