package agents

import (
	"context"
	"errors"
	"slices"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop/corpus"
)

// RubricGenerator is what makes the rubric of a corpus (FM SO.P §2.3.1).
type RubricGenerator interface {
	GenerateRubric(ctx context.Context, c *corpus.Corpus) (*rubric.Rubric, error)
}

// TestGenerator is what makes the questions on a corpus (FM SO.P §2.3.2). What
// could not be made is in the coverage.
type TestGenerator interface {
	GenerateTestset(ctx context.Context, c *corpus.Corpus, r *rubric.Rubric, o TestOptions) ([]rubric.Question, *Coverage, error)
}

// SymbolicGenerator makes both from the formal model alone.
type SymbolicGenerator struct{}

// ModelRubrics makes rubrics by a model, see DraftRubric.
type ModelRubrics struct {
	Writer *Writer
	Jobs   run.Options
	// Tell is given what became of the proposals, also where they make no rubric.
	Tell func(domain string, d *Draft) error
}

// WrittenTestsets adds questions that a model writes to the computed ones, see
// WriteTestset. The dimensions are topped up to what is wanted of each.
type WrittenTestsets struct {
	WriteOptions // of which PerDimension and Seed are those of the test set
	Jobs         run.Options
	Tell         func(domain string, drops []Drop) error
}

var (
	_ RubricGenerator = SymbolicGenerator{}
	_ RubricGenerator = ModelRubrics{}
	_ TestGenerator   = SymbolicGenerator{}
	_ TestGenerator   = WrittenTestsets{}
)

// GenerateRubric is the function of that name.
func (SymbolicGenerator) GenerateRubric(_ context.Context, c *corpus.Corpus) (*rubric.Rubric, error) {
	return GenerateRubric(c)
}

// GenerateTestset is the function of that name.
func (SymbolicGenerator) GenerateTestset(_ context.Context, c *corpus.Corpus, r *rubric.Rubric, o TestOptions) ([]rubric.Question, *Coverage, error) {
	return GenerateTestset(c, r, o)
}

// GenerateRubric drafts one.
func (g ModelRubrics) GenerateRubric(ctx context.Context, c *corpus.Corpus) (*rubric.Rubric, error) {
	r, draft, err := DraftRubric(ctx, c, g.Writer, g.Jobs)
	if draft != nil {
		err = errors.Join(err, g.Tell(c.Domain.Name, draft))
	}
	return r, err
}

// GenerateTestset computes questions, and has others written.
func (g WrittenTestsets) GenerateTestset(ctx context.Context, c *corpus.Corpus, r *rubric.Rubric, o TestOptions) ([]rubric.Question, *Coverage, error) {
	questions, coverage, err := GenerateTestset(c, r, o)
	if err != nil {
		return nil, nil, err
	}
	w := g.WriteOptions
	w.PerDimension, w.Seed = o.WithDefaults().PerDimension, o.Seed
	written, more, drops, err := WriteTestset(ctx, c, r, questions, w, g.Jobs)
	if err != nil {
		return nil, nil, err
	}
	all := append(questions, written...)
	computed := slices.Clone(coverage.Cells)
	coverage.count(all)
	coverage.Cells, coverage.Written, coverage.Dimensions = computed, more.Written, more.Dimensions
	for _, cells := range [][]CellCoverage{coverage.Levels, coverage.Types} {
		for i := range cells {
			if cells[i].Made > 0 {
				cells[i].Impossible = ""
			}
		}
	}
	return all, coverage, g.Tell(c.Domain.Name, drops)
}
