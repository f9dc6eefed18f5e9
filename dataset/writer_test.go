package dataset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

func TestFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	m := write(t, dir, Options{}, sample(), Drop{"bank/x", "too_few", "2 of 4 negatives", 3}, Drop{Job: "bank/y", Reason: "synonym"})
	wantNames(t, dir, "README.md", "drops.jsonl.zst", "manifest.json", "test.jsonl.zst", "train_1.jsonl.zst", "train_2.jsonl.zst",
		"train_3.jsonl.zst", "unproven.jsonl.zst", "unreviewed.jsonl.zst", "validation.jsonl.zst")
	wantNames(t, filepath.Dir(dir), "out")

	all := sample()
	for name, want := range map[string][]Row{
		"train_1.jsonl.zst": all[:2], "train_2.jsonl.zst": all[:5], "train_3.jsonl.zst": all[:6], "validation.jsonl.zst": all[6:7],
		"test.jsonl.zst": all[7:8], "unreviewed.jsonl.zst": all[8:9], "unproven.jsonl.zst": all[9:],
	} {
		got := readAll(t, dir, name)
		for i := range want {
			for j := range want[i].Negatives {
				n := &want[i].Negatives[j]
				n.Similarity = float64(int(n.Similarity*1e4)) / 1e4
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s holds %+v, want %+v", name, got, want)
		}
	}

	reader, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var drops []Drop
	for d, err := range reader.Drops() {
		if err != nil {
			t.Fatal(err)
		}
		drops = append(drops, d)
	}
	if want := []Drop{{"bank/x", "too_few", "2 of 4 negatives", 3}, {"bank/y", "synonym", "", 1}}; !reflect.DeepEqual(drops, want) {
		t.Errorf("drops are %v, want %v", drops, want)
	}
	if want := map[string]int{"too_few": 3, "synonym": 1}; !reflect.DeepEqual(m.Drops, want) {
		t.Errorf("the manifest counts drops as %v, want %v", m.Drops, want)
	}
	if want := map[string]int{"1": 2, "2": 7, "3": 1}; !reflect.DeepEqual(m.Counts.Stage, want) {
		t.Errorf("stages are counted as %v, want %v", m.Counts.Stage, want)
	}
}

func TestManifestAndCardGolden(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write(t, dir, Options{}, sample(), Drop{"bank/x", "too_few", "2 of 4 negatives", 3})
	empty := filepath.Join(t.TempDir(), "empty")
	write(t, empty, Options{Stages: []int{3, 1}}, nil)
	for golden, path := range map[string]string{
		"manifest.json": filepath.Join(dir, ManifestFile), "card.md": filepath.Join(dir, CardFile),
		"empty_manifest.json": filepath.Join(empty, ManifestFile), "empty_card.md": filepath.Join(empty, CardFile),
	} {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden = filepath.Join("testdata", golden)
		if *update {
			if err := os.WriteFile(golden, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s (-update rewrites it)\n got %s\nwant %s", golden, got, want)
		}
	}
}

func TestOnlyTheStagesAskedFor(t *testing.T) {
	for _, test := range []struct {
		stages []int
		want   string
	}{{[]int{2}, "train_2"}, {[]int{3, 1, 3}, "train_1 train_3"}, {nil, "train_1 train_2 train_3"}} {
		dir := filepath.Join(t.TempDir(), "out")
		write(t, dir, Options{Stages: test.stages}, nil)
		var got []string
		for _, name := range names(t, dir) {
			if strings.HasPrefix(name, "train_") {
				got = append(got, strings.TrimSuffix(name, ".jsonl.zst"))
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("stages %v give %q, want %s", test.stages, got, test.want)
		}
		if r := CheckFolder(dir); !r.OK() {
			t.Errorf("stages %v: %q", test.stages, r.Problems)
		}
	}
}

// parallel fills batches with that many workers and appends them in order.
func parallel(w *Writer, o Options, jobs [][]Row, workers int) error {
	slots := make([]chan *Batch, len(jobs))
	for i := range slots {
		slots[i] = make(chan *Batch, 1)
	}
	numbers := make(chan int)
	var wait sync.WaitGroup
	defer wait.Wait()
	for range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range numbers {
				b := NewBatch(o)
				for _, r := range jobs[i] {
					b.Add(r)
				}
				b.Drop(Drop{Job: fmt.Sprint(i), Reason: "none"})
				b.Seal() // an error is Append's too
				slots[i] <- b
			}
		}()
	}
	go func() {
		defer close(numbers)
		for i := range jobs {
			numbers <- i
		}
	}()
	for _, s := range slots {
		if err := w.Append(<-s); err != nil {
			return err
		}
	}
	return nil
}

func TestSameBytesForAnyNumberOfWorkers(t *testing.T) {
	parent := t.TempDir()
	folders := 0
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Compression: rapid.SampledFrom([]string{"", "fastest"}).Draw(t, "compression")}
		jobs := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(anyRow), 0, 6), 0, 12).Draw(t, "jobs")
		var first map[string]string
		for _, workers := range []int{1, 2, 8} {
			folders++
			dir := filepath.Join(parent, fmt.Sprint(folders))
			w, err := Create(dir, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := parallel(w, o, jobs, workers); err != nil {
				t.Fatal(err)
			}
			m, err := w.Close(sampleInfo())
			if err != nil {
				t.Fatal(err)
			}
			hashes := map[string]string{}
			entries, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				data, err := os.ReadFile(filepath.Join(dir, e.Name()))
				if err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256(data)
				hashes[e.Name()] = hex.EncodeToString(sum[:])
			}
			if first == nil {
				first = hashes
			}
			if !reflect.DeepEqual(hashes, first) {
				t.Fatalf("%d workers give the files %v, 1 gives %v", workers, hashes, first)
			}
			if again, err := ReadManifest(dir); err != nil || !reflect.DeepEqual(again.Files, m.Files) || !reflect.DeepEqual(again.Counts, m.Counts) {
				t.Fatalf("the manifest reads as %+v, %v, Close returned %+v", again, err, m)
			}
			os.RemoveAll(dir)
		}
	})
}

func TestCreateRefuses(t *testing.T) {
	parent := t.TempDir()
	dataset, strange, empty, file := filepath.Join(parent, "dataset"), filepath.Join(parent, "home"), filepath.Join(parent, "empty"), filepath.Join(parent, "file")
	write(t, dataset, Options{}, sample())
	for _, dir := range []string{strange, empty} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(strange, "thesis.tex"), file} {
		if err := os.WriteFile(path, []byte("years of work"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before := names(t, parent)
	tests := []struct {
		name, dir string
		options   Options
		want      []string
	}{
		{"a dataset", dataset, Options{}, []string{dataset, "--force"}},
		{"an empty folder", empty, Options{}, []string{empty, "--force"}},
		{"not a dataset, with force", strange, Options{Force: true}, []string{strange, "even with --force", "manifest.json"}},
		{"a file", file, Options{Force: true}, []string{file, "is a file"}},
		{"under a file", filepath.Join(file, "x"), Options{}, []string{file, "not a directory"}},
		{"deep under a file", filepath.Join(file, "x", "y"), Options{}, []string{file, "not a directory"}},
		{"no name", "", Options{Force: true}, []string{"is empty"}},
		{"unknown stage", filepath.Join(parent, "x"), Options{Stages: []int{0}}, []string{"unknown stage 0", "1, 2 or 3"}},
		{"unknown compression", filepath.Join(parent, "x"), Options{Compression: "gzip"}, []string{`"gzip"`, "fastest, default, better or best"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w, err := Create(test.dir, test.options)
			if err == nil {
				w.Abort()
			}
			wantError(t, err, test.want...)
			wantNames(t, parent, before...)
		})
	}
}

func TestForceReplacesAtTheEnd(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	write(t, dir, Options{}, sample())
	w, err := Create(dir, Options{Force: true, Stages: []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(readAll(t, dir, "train_3.jsonl.zst")); n != 6 {
		t.Errorf("the old folder has %d rows while the new one is written, want 6", n)
	}
	if _, err := w.Close(sampleInfo()); err != nil {
		t.Fatal(err)
	}
	wantNames(t, parent, "out")
	wantNames(t, dir, "README.md", "drops.jsonl.zst", "manifest.json", "test.jsonl.zst", "train_2.jsonl.zst", "validation.jsonl.zst")
}

func TestForceFollowsALink(t *testing.T) {
	parent := t.TempDir()
	write(t, filepath.Join(parent, "real"), Options{}, sample())
	if err := os.Symlink("real", filepath.Join(parent, "link")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(parent, "link"), Options{Force: true, Stages: []int{1}}, nil)
	wantNames(t, parent, "link", "real")
	if m, err := ReadManifest(filepath.Join(parent, "real")); err != nil || len(m.Stages) != 1 {
		t.Errorf("the link's target has stages %v, error %v, want only 1", m.Stages, err)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	parent := t.TempDir()
	w, err := Create(filepath.Join(parent, "new", "deep", "out"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBatch(Options{})
	b.Add(workflow(1))
	b.Seal()
	if err := w.Append(b); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	w.Abort()
	wantNames(t, parent)
	wantError(t, w.Append(b), "aborted")
	if _, err := w.Close(Info{}); err == nil {
		t.Error("an aborted folder can be closed")
	}
}

func TestAbortAfterCloseKeepsTheFolder(t *testing.T) {
	parent := t.TempDir()
	write(t, filepath.Join(parent, "a", "out"), Options{}, nil) // aborts deferred
	wantNames(t, filepath.Join(parent, "a"), "out")
}

func TestTwoWritersOfOneFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	w, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	_, err = Create(dir, Options{})
	wantError(t, err, ".tmp-", "--force")
	if _, err := os.Stat(w.tmp); err != nil {
		t.Errorf("the second writer took the folder of the first: %v", err)
	}
}

func TestFolderAppearsMeanwhile(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	w, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err = w.Close(Info{})
	wantError(t, err, dir, "--force")
	wantNames(t, parent, "out")
	wantNames(t, dir)
}

func TestFullDisk(t *testing.T) {
	for _, when := range []string{"while appending", "at the end"} {
		t.Run(when, func(t *testing.T) {
			parent := t.TempDir()
			w, err := Create(filepath.Join(parent, "out"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			full := w.files[1]
			if err := full.create(w.tmp); err != nil {
				t.Fatal(err)
			}
			full.file.Close()
			if full.file, err = os.OpenFile("/dev/full", os.O_WRONLY, 0); err != nil {
				t.Fatal(err)
			}
			full.buffered.Reset(full.file)
			b := NewBatch(Options{})
			b.Add(workflow(1))
			b.Seal()
			if when == "while appending" {
				b.shares[slotTrain2].frame = make([]byte, 1<<20) // more than is buffered
				err = w.Append(b)
			} else {
				if err := w.Append(b); err != nil {
					t.Fatal(err)
				}
				_, err = w.Close(Info{})
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("error is %v, want %v", err, syscall.ENOSPC)
			}
			wantError(t, err, "/dev/full")
			wantNames(t, parent)
			wantError(t, w.Append(b), "/dev/full")
		})
	}
}

func TestBatchErrors(t *testing.T) {
	invalid := workflow(1)
	invalid.Query = ""
	tests := []struct {
		name    string
		options Options
		fill    func(*Batch) error
		want    []string
	}{
		{"invalid row", Options{}, func(b *Batch) error { return b.Add(invalid) }, []string{invalid.ID, "query is empty"}},
		{"stage not asked for", Options{Stages: []int{1, 3}}, func(b *Batch) error { return b.Add(workflow(1)) }, []string{"stage 2", "[1 3]"}},
		{"drop without reason", Options{}, func(b *Batch) error { return b.Drop(Drop{Job: "j"}) }, []string{`"j"`, "reason is empty"}},
		{"wrong options", Options{Compression: "x"}, func(b *Batch) error { return b.Add(workflow(1)) }, []string{"compression"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := NewBatch(test.options)
			wantError(t, test.fill(b), test.want...)
			wantError(t, b.Add(workflow(2)), test.want...)
			wantError(t, b.Seal(), test.want...)
		})
	}
	t.Run("not sealed, sealed twice, other stages", func(t *testing.T) {
		b := NewBatch(Options{Stages: []int{2}})
		if err := b.Seal(); err != nil {
			t.Fatal(err)
		}
		wantError(t, b.Seal(), "sealed")
		wantError(t, b.Add(workflow(1)), "sealed")
		for want, b := range map[string]*Batch{"not sealed": NewBatch(Options{}), "stages [2]": b} {
			w, err := Create(filepath.Join(t.TempDir(), "out"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			wantError(t, w.Append(b), want)
		}
	})
}

// A pooled encoder that has seen other data gives the bytes of a new one.
func TestCompressHasNoMemory(t *testing.T) {
	for _, level := range levels {
		rapid.Check(t, func(t *rapid.T) {
			data := []byte(strings.Repeat(rapid.String().Draw(t, "data"), rapid.IntRange(1, 300).Draw(t, "times")))
			before, err := compress(level, nil, data)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := compress(level, nil, append([]byte("other"), data...)); err != nil {
				t.Fatal(err)
			}
			if after, err := compress(level, nil, data); err != nil || string(after) != string(before) {
				t.Fatalf("the same %d bytes are compressed to %d and to %d bytes, error %v", len(data), len(before), len(after), err)
			}
		})
	}
}
