package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
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
which cannot be. Where the file is there already it is checked and counted.

With a model there are further questions, which it writes and another model
answers: the references. Both are held against the SOPs, word for word where they
quote. They have no key, so that only a judge can score their answers.`,
		Example: `  fmsop testset run
  fmsop testset run --per-cell 20 --per-dimension 30 --allow-shortfall
  fmsop testset run --model ollama:qwen2.5:32b --reference-model ollama:llama3.3:70b`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (o.model == "") != (o.references == "") {
				return hint(usagef("questions that a model writes want two models"), "--model MODEL --reference-model MODEL")
			}
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
	flags := c.Flags()
	o.flags(flags)
	flags.StringVar(&o.model, "model", "", "`MODEL` that writes further questions")
	flags.StringVar(&o.references, "reference-model", "", "another `MODEL`, which writes their references")
	flags.IntVar(&o.written, "written", agents.WrittenPerCell, "`N` questions a level and type that the model writes")
	flags.BoolVar(&o.force, "force", false, "let the model of the references write the questions or the rubric too")
	return c
}

type testsetOptions struct {
	agents.TestOptions
	allowShortfall bool

	model, references string
	written           int
	force             bool
}

func (o *testsetOptions) flags(flags *pflag.FlagSet) {
	d := agents.TestOptions{}.WithDefaults()
	flags.IntVar(&o.PerCell, "per-cell", d.PerCell, "`N` questions a level and type")
	flags.IntVar(&o.PerDimension, "per-dimension", d.PerDimension, "`N` questions a dimension, at least")
	flags.IntVar(&o.PerLevel, "per-level", d.PerLevel, "`N` questions a complexity level, at least")
	flags.IntVar(&o.PerType, "per-type", d.PerType, "`N` questions a question type, at least")
	flags.BoolVar(&o.allowShortfall, "allow-shortfall", false, "go on where the corpus gives too few questions")
}

// makeTestset makes the test set of a run, or takes up the one that it has.
func (a *app) makeTestset(ctx context.Context, e *agents.Evaluation, o testsetOptions) error {
	there := e.Tests != nil
	o.Seed = e.Manifest.Seed
	var err error
	if o.model == "" || there {
		err = e.MakeTestset(ctx, agents.SymbolicGenerator{}, o.TestOptions, o.allowShortfall)
	} else {
		err = a.writeTestset(ctx, e, o)
	}
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

// writeTestset makes a test set of computed questions and written ones.
func (a *app) writeTestset(ctx context.Context, e *agents.Evaluation, o testsetOptions) error {
	questions, err := llm.Open(o.model, a.config.LLM)
	if err != nil {
		return usage(err)
	}
	references, err := llm.Open(o.references, a.config.LLM)
	if err != nil {
		return usage(err)
	}
	for _, r := range e.Rubrics {
		if err := agents.Independent(questions.Name(), references.Name(), r); err != nil && !o.force {
			return hint(usage(err), "--force lets it")
		}
	}
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	write := agents.WriteOptions{PerCell: o.written, Force: o.force}
	var first, second *llm.Runner
	if write.Questions, first, err = a.writer(ctx, e, questions, drain); err != nil {
		return err
	}
	defer first.Close()
	if write.References = write.Questions; references.Name() != questions.Name() {
		if write.References, second, err = a.writer(ctx, e, references, drain); err != nil {
			return err
		}
		defer second.Close()
	}
	return goesOn(e.MakeTestset(ctx, agents.WrittenTestsets{
		WriteOptions: write,
		Jobs:         run.Options{Workers: a.config.LLM.Concurrency, Progress: a.progress("questions"), Drain: drain},
		Tell: func(domain string, drops []agents.Drop) error {
			return a.tellDrops(domain, drops, e.Path("dropped", "testset-"+domain+".jsonl"))
		},
	}, o.TestOptions, o.allowShortfall))
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
		for _, cell := range slices.Concat(c.Cells, c.Written, c.Levels, c.Types, c.Dimensions) {
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

// coverageTable has levels over types, of written questions too if there are any,
// then dimensions: made/wanted, or – where there can be none. What is wanted of a
// level, a type or a dimension is the least.
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
	row := func(name string, cells ...agents.CellCoverage) []string {
		list := []string{name}
		for _, cell := range cells {
			list = append(list, filled(cell))
		}
		return list
	}
	rows := [][]string{slices.Concat([]string{"made/wanted"}, rubric.Types, []string{"all"})}
	for i, level := range c.Levels {
		types := len(rubric.Types)
		rows = append(rows, row(level.Name, slices.Concat(c.Cells[i*types:(i+1)*types], []agents.CellCoverage{level})...))
	}
	rows = append(rows, row("all", c.Types...))
	if len(c.Written) > 0 {
		rows = append(rows, []string{}, append([]string{"written"}, rubric.Types...))
		for i, level := range c.Levels {
			rows = append(rows, row(level.Name, c.Written[i*len(rubric.Types):(i+1)*len(rubric.Types)]...))
		}
	}
	var dimensions [][]string
	for _, d := range c.Dimensions {
		dimensions = append(dimensions, row(d.Name, d))
	}
	return columns(rows) + columns(dimensions)
}
