package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/bench"
	"github.com/fmsop/fmsop/internal/run"
)

func (a *app) tasksCommand() *cobra.Command {
	var s bench.Sampling
	var file string
	var force bool
	c := &cobra.Command{
		Use:   "tasks --domain D -n N -o FILE",
		Short: "New tasks, sampled from a pack that runs",
		Long: `Draws tasks from the procedures of a pack that has a tools.star and a
records.star: a goal, a variant of its rules, a database and a user. As many
should succeed as should be refused, spread over the conditions that can decide
that; each differs in few facts, the deciding one among them, from a case that
ends otherwise. The file has the format of SOPBench's; bench replay, bench run
and the commands that take a CORPUS read it.

Every task holds the oracle's solution. It was executed and judged: what does
not pass all seven criteria is dropped, and counted with the reason.

The same seed gives the same file with any number of workers.`,
		Example: "  fmsop bench tasks --domain bank -n 200 -o bank_tasks.json\n  fmsop bench tasks --domain ./my-pack -n 50 --seed 7 -o my-pack_tasks.json --json",
		Args:    arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case s.Domain == "":
				return hint(usagef("bench tasks needs a domain: --domain D"), "fmsop bench tasks --domain bank -n 200 -o bank_tasks.json")
			case file == "":
				return hint(usagef("bench tasks needs the file to write: -o FILE"), "fmsop bench tasks --domain %s -o %s", s.Domain, bench.TaskFile(s.Domain))
			case s.N < 1:
				return usagef("-n is %d, want at least 1 task", s.N)
			}
			s.Seed, s.Workers, s.Progress = a.config.Generate.Seed, a.config.Workers, a.progress("tasks")
			return a.tasks(cmd.Context(), &s, file, force)
		},
	}
	c.Flags().StringVar(&s.Domain, "domain", "", "`D`, a built-in domain or the folder of a pack")
	c.Flags().IntVarP(&s.N, "number", "n", 100, "`N` tasks")
	c.Flags().StringVarP(&file, "output", "o", "", "`FILE` to write")
	c.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	_ = c.RegisterFlagCompletionFunc("domain", completeCorpora) // the flag is there
	return c
}

func (a *app) tasks(ctx context.Context, s *bench.Sampling, file string, force bool) error {
	if _, err := os.Lstat(file); err == nil && !force {
		return fmt.Errorf("%s is there already; --force replaces it", file)
	}
	var found *bench.SampledTasks
	err := run.AtomicFile(file, func(w io.Writer) (err error) {
		found, err = s.Write(ctx, w)
		return err
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(found)
	}
	a.printf("%s: %d tasks of %d goals of %s\n", a.paint.bold(file), found.Tasks, len(found.Goals), found.Domain)
	a.printf("  should succeed  %d\n", found.Succeed)
	a.printf("  should refuse   %d, %d of them without a call\n", found.Refuse, found.AtOnce)
	if found.Official < found.Tasks {
		a.printf("  solutions       all pass; with the official judge %d, since newer records keep half of an answer\n", found.Official)
	}
	rows := [][]string{{"  decided by", "should succeed", "should refuse"}}
	for _, name := range slices.Sorted(maps.Keys(found.Deciding)) {
		n := found.Deciding[name]
		if name == "" {
			name = "nothing: no rule can fail"
		}
		rows = append(rows, []string{"  " + name, fmt.Sprint(n[0]), fmt.Sprint(n[1])})
	}
	a.printf("%s", columns(rows))
	if len(found.Dropped) > 0 {
		a.printf("  dropped draws\n")
		for _, reason := range slices.Sorted(maps.Keys(found.Dropped)) {
			a.printf("  %6d  %s\n", found.Dropped[reason], reason)
		}
	}
	if len(found.Missing) > 0 {
		a.printf("  no such task was found, others of the goal are there instead\n")
		for _, c := range found.Missing {
			a.printf("          %s: %s decides, should succeed: %v\n", c.Goal, c.Deciding, c.Succeeds)
		}
	}
	for _, note := range found.Notes {
		a.printf("  left out        %s\n", note)
	}
	if found.Tasks < found.Asked {
		return fmt.Errorf("%s has %d tasks of the %d asked for: no draw gave the others", file, found.Tasks, found.Asked)
	}
	return nil
}
