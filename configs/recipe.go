package configs

import (
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/fmsop/fmsop/stages"
)

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
