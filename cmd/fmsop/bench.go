package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/bench"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop/corpus"
)

func (a *app) benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Agents at work in the executable domains",
		Long: `The domains run: a database, tools that read and change it, and the rules that
guard them. An agent's calls are executed and judged by the state that they
leave and by the procedure.`,
		Example: "  fmsop bench replay runs/*.json.zst --tasks SOPBench/data",
		Args:    noSuchCommand,
		RunE:    showHelp,
	}
	c.AddCommand(
		a.tasksCommand(),
		a.benchRunCommand(),
		a.replayCommand(),
		a.domainCheckCommand(),
	)
	return c
}

func (a *app) domainCheckCommand() *cobra.Command {
	var tasks string
	c := &cobra.Command{
		Use:   "domain-check [PACK…]",
		Short: "Whether packs run as their procedures say",
		Long: `A pack runs when it has a tools.star, with a function for each action and each
condition (see data/bank/tools.star). The check calls every tool with good,
missing, surplus and mistyped arguments, sees that worlds share nothing, and
follows right workflows on sampled scenarios: what the rules permit is let
through, a goal that they forbid is not. With --tasks it also carries out the
tasks of SOPBench. The exit status is 1 where something is found.`,
		Example:           "  fmsop bench domain-check ./my-pack\n  fmsop bench domain-check bank --tasks SOPBench/data",
		ValidArgsFunction: completeCorpora,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = corpus.Builtin()
			}
			return a.domainCheck(args, tasks)
		},
	}
	c.Flags().StringVar(&tasks, "tasks", "", "`DIR` with the task files, DOMAIN_tasks.json")
	return c
}

func (a *app) domainCheck(packs []string, dir string) error {
	var failed []error
	for _, pack := range packs {
		var tasks []*bench.Task
		var err error
		if dir != "" {
			if tasks, err = bench.ReadTasks(dir, pack); err != nil {
				failed = append(failed, err)
				continue
			}
		}
		found, err := bench.Conform(pack, tasks, a.config.Generate.Seed)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if a.json {
			if err := a.emit(found); err != nil {
				return err
			}
		} else {
			a.printf("%-14s %3d tools, %5d calls, %4d workflows, %3d tasks: %d findings\n", found.Domain, found.Tools, found.Calls, found.Workflows, found.Tasks, len(found.Findings))
			for _, x := range found.Findings {
				a.printf("  %s\n", x)
			}
		}
		if n := len(found.Findings); n > 0 {
			failed = append(failed, fmt.Errorf("%s does not run as it should: %d findings", pack, n))
		}
	}
	return errors.Join(failed...)
}

func (a *app) replayCommand() *cobra.Command {
	var tasks, judge string
	c := &cobra.Command{
		Use:   "replay RUNS…",
		Short: "Recorded outputs of SOPBench, executed and judged again",
		Long: `Reads files that SOPBench wrote to output/ (.json or .json.zst), executes every
recorded call again and decides the seven criteria of every run.

--judge official gives the verdicts of the official evaluator. --judge corrected
mends its known faults and lists for each mend the tasks that it changes.

--tasks names SOPBench's folder data/; without it the copies of the tasks in
the run files are taken.

With --json a line is printed for each task and run.`,
		Example: "  fmsop bench replay output/bank/*.json --tasks data\n  fmsop bench replay runs.json.zst --judge corrected --json",
		Args:    arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := bench.JudgeNamed(judge)
			if err != nil {
				return usagef("--judge %q: %w", judge, err)
			}
			r := &bench.Replay{Tasks: tasks, Judge: j, Compare: judge == "corrected", Workers: a.config.Workers, Progress: a.progress("replay")}
			return a.replay(cmd.Context(), r, args)
		},
	}
	c.Flags().StringVar(&tasks, "tasks", "", "`DIR` with the task files, DOMAIN_tasks.json")
	c.Flags().StringVar(&judge, "judge", "official", "`NAME`: official or corrected")
	return c
}

// replay judges every file, also after one that cannot be read.
func (a *app) replay(ctx context.Context, r *bench.Replay, paths []string) error {
	var failed []error
	for _, path := range paths {
		var tally bench.Tally
		err := r.File(ctx, path, func(o bench.Outcome) error {
			tally.Add(o)
			if a.json {
				return a.emit(o)
			}
			return nil
		})
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if !a.json {
			a.printTally(path, &tally, r.Compare)
		}
		if tally.Errors > 0 {
			failed = append(failed, fmt.Errorf("%s: %d runs could not be judged; the first: %s", path, tally.Errors, tally.FirstError))
		}
	}
	return errors.Join(failed...)
}

func (a *app) printTally(path string, t *bench.Tally, mends bool) {
	if t.Judged == 0 {
		a.printf("%s: no runs\n\n", path)
		return
	}
	a.printf("%s\n  %s, %s, %s: %d runs", path, t.Domain, cmp.Or(t.Model, "no model"), cmp.Or(t.Mode, "no mode"), t.Judged)
	if t.Repeated > 0 {
		a.printf(", %d of tasks that stand there twice are left out", t.Repeated)
	}
	a.printf("\n")
	for k, n := range t.Runs {
		label := "pass rate"
		if len(t.Runs) > 1 {
			label = fmt.Sprintf("pass rate, run %d", k)
		}
		i := rubric.Wilson(t.Passed[k], n)
		a.printf("  %-27s %5.1f %%  %d of %d, between %.1f and %.1f %%\n", label, inHundred(t.Passed[k], n), t.Passed[k], n, 100*i.Low, 100*i.High)
	}
	for i, name := range bench.Criteria {
		a.printf("  %-27s %5.1f %%", strings.ReplaceAll(name, "_", " "), inHundred(t.True[i], t.Judged))
		if n := len(t.Differ[i]); n > 0 {
			a.printf("  %d of %d not as recorded: items %s", n, t.Compared, firstItems(t.Differ[i]))
		}
		a.printf("\n")
	}
	if t.Compared < t.Judged {
		a.printf("  %d of the runs hold no recorded evaluation\n", t.Judged-t.Compared)
	}
	for _, m := range bench.Mends {
		if items := t.Changed[m.Name]; mends && len(items) > 0 {
			a.printf("  mend %-10s %s\n    changes %d: items %s\n", m.Name, m.Text, len(items), firstItems(items))
		}
	}
	a.printf("\n")
}

func inHundred(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// firstItems lists some of the items and counts the rest.
func firstItems(items []int) string {
	const few = 12
	var b strings.Builder
	for i, x := range items[:min(few, len(items))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, x)
	}
	if len(items) > few {
		fmt.Fprintf(&b, " and %d more", len(items)-few)
	}
	return b.String()
}
