package recheck

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
	generator "github.com/fmsop/fmsop/stages"
)

// generate makes a dataset folder of the corpora with the program itself: what this package is to judge.
func generate(t testing.TB, dir string, groups, seed int, names ...string) {
	t.Helper()
	var corpora []*corpus.Corpus
	for _, name := range names {
		c, err := corpus.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		corpora = append(corpora, c)
	}
	plan, err := generator.NewPlan(generator.Options{Groups: groups, Stages: []int{1, 2, 3}, Seed: uint64(seed)}, corpora)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Generate(context.Background(), dir, dataset.Options{}, run.Options{}); err != nil {
		t.Fatal(err)
	}
}

// sound returns real rows with which nothing is wrong.
func sound(t testing.TB) (*checker, [][]byte) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	generate(t, dir, 80, 1, corpus.Builtin()...)
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := newChecker(m.Lexicon)
	var rows [][]byte
	if err := eachLine(filepath.Join(dir, trainFile(3)), func(line []byte) {
		line = slices.Clone(line)
		if len(c.block(block{lines: [][]byte{line}}).rows[0].findings) == 0 {
			rows = append(rows, line)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(rows) < 100 {
		t.Fatalf("%d rows are sound", len(rows))
	}
	return c, rows
}

// BenchmarkRows proves real rows, stage by stage, on one worker.
func BenchmarkRows(b *testing.B) {
	c, rows := sound(b)
	byStage := map[int][][]byte{}
	for _, line := range rows {
		r, err := readRow(line)
		if err != nil {
			b.Fatal(err)
		}
		byStage[r.Stage] = append(byStage[r.Stage], line)
	}
	for stage, lines := range byStage {
		b.Run(strconv.Itoa(stage), func(b *testing.B) {
			for b.Loop() {
				clear(c.graphs)
				clear(c.documents)
				c.block(block{lines: lines})
			}
			b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
