package recheck_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/recheck"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

// TestGeneratedFolder holds the generator against this package: two implementations of the same design. The environment
// variable FMSOP_RECHECK_GROUPS asks for more groups than the test makes by itself, FMSOP_RECHECK_SEED for others.
func TestGeneratedFolder(t *testing.T) {
	groups, seed := setting(t, "FMSOP_RECHECK_GROUPS", 2000), setting(t, "FMSOP_RECHECK_SEED", 0)
	var corpora []*corpus.Corpus
	for _, name := range corpus.Builtin() {
		c, err := corpus.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		corpora = append(corpora, c)
	}
	plan, err := stages.NewPlan(stages.Options{Groups: groups, Stages: []int{2}, Seed: uint64(seed)}, corpora)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := plan.Generate(context.Background(), dir, dataset.Options{}, run.Options{}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	report, err := recheck.Folder(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("%d rows (%d negatives, %d comparisons) in %v: %.0f rows/s",
		report.Rows, report.Negatives, report.Compared, took.Round(time.Millisecond), float64(report.Rows)/took.Seconds())
	if report.Positives < groups*9/10 || report.Other != 0 || report.Compared == 0 {
		t.Errorf("%d rows of %d groups, %d of another stage, %d comparisons", report.Positives, groups, report.Other, report.Compared)
	}
	if report.Count > 0 {
		t.Errorf("%d problems: %v", report.Count, report.Kinds)
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
