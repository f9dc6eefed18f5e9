package agents

import (
	"context"

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

var (
	_ RubricGenerator = SymbolicGenerator{}
	_ TestGenerator   = SymbolicGenerator{}
)

// GenerateRubric is the function of that name.
func (SymbolicGenerator) GenerateRubric(_ context.Context, c *corpus.Corpus) (*rubric.Rubric, error) {
	return GenerateRubric(c)
}

// GenerateTestset is the function of that name.
func (SymbolicGenerator) GenerateTestset(_ context.Context, c *corpus.Corpus, r *rubric.Rubric, o TestOptions) ([]rubric.Question, *Coverage, error) {
	return GenerateTestset(c, r, o)
}
