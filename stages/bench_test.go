package stages_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

// BenchmarkGenerate writes whole folders of 2,000 groups from the built-in
// corpus; the figure to read is groups/s.
func BenchmarkGenerate(b *testing.B) {
	var corpora []*corpus.Corpus
	for _, n := range []string{"bank", "healthcare"} {
		c, err := corpus.Load(n)
		if err != nil {
			b.Fatal(err)
		}
		corpora = append(corpora, c)
	}
	const groups = 2000
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				p, err := stages.NewPlan(stages.Options{Groups: groups, Seed: uint64(i)}, corpora)
				if err != nil {
					b.Fatal(err)
				}
				dir := filepath.Join(b.TempDir(), fmt.Sprint(i))
				if _, err := p.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: workers}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(groups*b.N)/b.Elapsed().Seconds(), "groups/s")
		})
	}
}
