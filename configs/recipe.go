package configs

import (
	"fmt"
	"math"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/fmsop/fmsop/stages"
)

// Train is what fmsop train takes over its own recipe.
type Train struct {
	// Weights are the α of the stages' losses (Eq. 13 of FM SO.P): one a stage,
	// above 0, adding up to 1; none leaves them to the trainer's recipe.
	Weights []float64 `yaml:"weights"`
}

func (t Train) validate() error {
	if t.Weights == nil {
		return nil
	}
	sum := 0.0
	for i, w := range t.Weights {
		if !(w > 0) {
			return fmt.Errorf("train.weights of stage %d is %v, want a number above 0", i+1, w)
		}
		sum += w
	}
	if len(t.Weights) != len(stages.Implemented) {
		return fmt.Errorf("train.weights has %d numbers, want %d, one a stage", len(t.Weights), len(stages.Implemented))
	}
	if math.Abs(sum-1) > 1e-3 { // a third has no end
		return fmt.Errorf("train.weights add up to %g, want 1", sum)
	}
	return nil
}

// Run is one of several datasets of a recipe: what a name has of its own stands
// over the recipe's settings.
type Run struct {
	Name     string
	Generate stages.Options
}

// Runs are the datasets of a recipe, in the order of the file; without any, a
// recipe is one dataset.
type Runs []Run

// UnmarshalYAML leaves the runs to readRuns: they begin from what else the file
// says.
func (*Runs) UnmarshalYAML([]byte) error { return nil }

// readRuns reads the runs of the file over what it says for all.
func (c *Config) readRuns(file string, tree *ast.File) error {
	for _, entry := range entries(tree.Docs[0].Body) {
		if entry.Key.GetToken().Value != "runs" {
			continue
		}
		for _, run := range entries(entry.Value) {
			r := Run{run.Key.GetToken().Value, c.Generate}
			r.Generate.Stages, r.Generate.Ratio = slices.Clone(r.Generate.Stages), slices.Clone(r.Generate.Ratio)
			if err := yaml.NodeToValue(run.Value, &r.Generate); err != nil {
				return located(file, err)
			}
			c.Runs = append(c.Runs, r)
		}
	}
	return nil
}
