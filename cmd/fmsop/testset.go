package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/rubric"
)

func (a *app) testsetCommand() *cobra.Command {
	var o testsetOptions
	c := &cobra.Command{
		Use:   "testset RUN",
		Short: "Questions on the corpora of a run, with computed answers",
		Long: `Makes testset.jsonl in a run folder that has a rubric: questions spread evenly
over complexity levels, question types and procedures, and over the dimensions
of the rubric, each with its key. Shows how many were asked for and made, and
which cannot be. Where the file is there already it is checked and counted.`,
		Example: `  fmsop testset run
  fmsop testset run --per-cell 20 --per-dimension 30 --allow-shortfall`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := agents.OpenEvaluation(args[0])
			if err != nil {
				return err
			}
			if err := a.makeTestset(cmd.Context(), e, o); err != nil {
				return err
			}
			return a.showTestset(e)
		},
	}
	o.flags(c.Flags())
	return c
}

type testsetOptions struct {
	agents.TestOptions
	allowShortfall bool
}

func (o *testsetOptions) flags(flags *pflag.FlagSet) {
	d := agents.TestOptions{}.WithDefaults()
	flags.IntVar(&o.PerCell, "per-cell", d.PerCell, "`N` questions a level and type")
	flags.IntVar(&o.PerDimension, "per-dimension", d.PerDimension, "`N` questions a dimension, at least")
	flags.BoolVar(&o.allowShortfall, "allow-shortfall", false, "go on where the corpus gives too few questions")
}

// makeTestset makes the test set of a run, or takes up the one that it has.
func (a *app) makeTestset(ctx context.Context, e *agents.Evaluation, o testsetOptions) error {
	there := e.Tests != nil
	o.Seed = e.Manifest.Seed
	err := e.MakeTestset(ctx, agents.SymbolicGenerator{}, o.TestOptions, o.allowShortfall)
	if errors.As(err, new(agents.ShortfallError)) {
		return hint(err, "--allow-shortfall goes on with what there is")
	}
	if err != nil {
		return err
	}
	if there {
		a.remark("the test set of %s is taken up", count(len(e.Tests), "question"))
	}
	return nil
}

// showTestset shows how the test set fills its cells.
func (a *app) showTestset(e *agents.Evaluation) error {
	for _, c := range e.Coverage() {
		if a.json {
			if err := a.emit(c); err != nil {
				return err
			}
			continue
		}
		a.printf("%s\n%s", a.paint.heading(c.Domain), coverageTable(c))
		for _, cell := range slices.Concat(c.Cells, c.Dimensions) {
			if cell.Impossible != "" {
				a.printf("%s", wrapped("–  ", cell.Name+": "+cell.Impossible))
			}
		}
		for _, s := range c.Shortfalls() {
			a.printf("%s", wrapped("!  ", s))
		}
		a.printf("\n")
	}
	if !a.json {
		a.printf("%s: %s\n", count(len(e.Tests), "question"), e.Path(agents.TestsetFile))
		a.next("fmsop answer %s --model MODEL", e.Dir)
	}
	return nil
}

// coverageTable has levels over types, then dimensions: made/wanted, or – where
// there can be none.
func coverageTable(c *agents.Coverage) string {
	filled := func(cell agents.CellCoverage) string {
		switch {
		case cell.Impossible != "":
			return "–"
		case cell.Wanted == 0:
			return fmt.Sprint(cell.Made)
		}
		return fmt.Sprintf("%d/%d", cell.Made, cell.Wanted)
	}
	rows := [][]string{append([]string{"made/wanted"}, rubric.Types...)}
	for _, level := range rubric.Levels {
		row := []string{fmt.Sprintf("level %d", level)}
		for _, cell := range c.Cells {
			if cell.Level == level {
				row = append(row, filled(cell))
			}
		}
		rows = append(rows, row)
	}
	dimensions := [][]string{}
	for _, d := range c.Dimensions {
		dimensions = append(dimensions, []string{d.Name, filled(d)})
	}
	return columns(rows) + columns(dimensions)
}
