package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
)

func (a *app) rubricCommand() *cobra.Command {
	dir, lock := "", false
	c := &cobra.Command{
		Use:   "rubric [CORPUS…] -o RUN",
		Short: "What matters in each domain, and how much: begins a run folder",
		Long: `Makes rubric.yaml in the run folder: for each domain its dimensions, their
weights, and what is worth each grade. Where the file is there already it is
checked and shown. It can be edited; the weights of a domain sum to 1.`,
		Example: `  fmsop rubric bank dmv -o run
  fmsop rubric -o run --lock      # after an edit: keep it, whatever becomes of the corpus`,
		ValidArgsFunction: completeCorpora,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return hint(usagef("rubric needs the run folder: -o RUN"), "fmsop rubric bank -o run")
			}
			return a.rubric(cmd.Context(), args, dir, lock)
		},
	}
	runFlag(c.Flags(), &dir)
	c.Flags().BoolVar(&lock, "lock", false, "keep the rubrics as they are, though their corpora change")
	return c
}

func (a *app) rubric(ctx context.Context, names []string, dir string, lock bool) error {
	e, err := a.begin(dir, names)
	if err != nil {
		return err
	}
	if err := e.MakeRubrics(ctx, agents.SymbolicGenerator{}, lock); err != nil {
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
		a.next("fmsop testset %s", dir)
	}
	return nil
}

// next says which command comes next.
func (a *app) next(format string, args ...any) {
	if !a.quiet && !a.json {
		a.printf("next: "+format+"\n", args...)
	}
}
