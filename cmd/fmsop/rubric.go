package main

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
)

func (a *app) rubricCommand() *cobra.Command {
	var o rubricOptions
	c := &cobra.Command{
		Use:   "rubric [CORPUS…] -o RUN",
		Short: "What matters in each domain, and how much: begins a run folder",
		Long: `Makes rubric.yaml in the run folder: for each domain its dimensions, their
weights, and what is worth each grade. Where the file is there already it is
checked and shown. It can be edited; the weights of a domain sum to 1.

Without a model the rubric follows from what the procedures hang on. With one, a
model reads the corpora in pieces that fit its context and proposes dimensions;
each has to be borne out by lines that stand in the corpus word for word. What is
left out is counted, and kept in the folder dropped.`,
		Example: `  fmsop rubric bank dmv -o run
  fmsop rubric bank -o run --model ollama:qwen2.5:32b
  fmsop rubric -o run --lock      # after an edit: keep it, whatever becomes of the corpus`,
		ValidArgsFunction: completeCorpora,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dir == "" {
				return hint(usagef("rubric needs the run folder: -o RUN"), "fmsop rubric bank -o run")
			}
			return a.rubric(cmd.Context(), args, o)
		},
	}
	runFlag(c.Flags(), &o.dir)
	c.Flags().StringVar(&o.model, "model", "", "`MODEL` that writes the rubric, instead of the formal model")
	c.Flags().BoolVar(&o.lock, "lock", false, "keep the rubrics as they are, though their corpora change")
	return c
}

type rubricOptions struct {
	dir, model string
	lock       bool
}

func (a *app) rubric(ctx context.Context, names []string, o rubricOptions) error {
	e, err := a.begin(o.dir, names)
	if err != nil {
		return err
	}
	if err := a.makeRubrics(ctx, e, o); err != nil {
		return err
	}
	for _, r := range e.Rubrics {
		if a.json {
			if err := a.emit(r); err != nil {
				return err
			}
			continue
		}
		locked := ""
		if r.Locked {
			locked = ", locked"
		}
		a.printf("%s\n", a.paint.heading(fmt.Sprintf("%s, made by %s%s", r.Domain, r.Generator, locked)))
		for _, d := range r.Dimensions {
			a.printf("%.3f  %s\n%s", d.Weight, a.paint.bold(d.Name), wrapped("       ", d.Why))
		}
		a.printf("\n")
	}
	if !a.json {
		a.printf("rubrics: %s\n", e.Path(agents.RubricFile))
		a.next("fmsop testset %s", o.dir)
	}
	return nil
}

// makeRubrics makes the rubrics that the run lacks, by the model if one is
// named.
func (a *app) makeRubrics(ctx context.Context, e *agents.Evaluation, o rubricOptions) error {
	for _, r := range e.Rubrics {
		a.remark("the rubric of %s, made by %s, is taken up", r.Domain, r.Generator)
	}
	if o.model == "" || len(e.Rubrics) == len(e.Manifest.Corpora) {
		return e.MakeRubrics(ctx, agents.SymbolicGenerator{}, o.lock)
	}
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	client, err := llm.Open(o.model, a.config.LLM)
	if err != nil {
		return usage(err)
	}
	w, model, err := a.writer(ctx, e, client, drain)
	if err != nil {
		return err
	}
	defer model.Close()
	return goesOn(e.MakeRubrics(ctx, agents.ModelRubrics{
		Writer: w,
		Jobs:   run.Options{Workers: a.config.LLM.Concurrency, Progress: a.progress("rubric"), Drain: drain},
		Tell:   func(domain string, d *agents.Draft) error { return a.tellDraft(e, domain, d) },
	}, o.lock))
}

// next says which command comes next.
func (a *app) next(format string, args ...any) {
	if !a.quiet && !a.json {
		a.printf("next: "+format+"\n", args...)
	}
}
