package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/bench"
	"github.com/fmsop/fmsop/sop/corpus"
)

func (a *app) benchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Agents at work in the executable domains",
		Long: `The domains run: a database, tools that read and change it, and the rules that
guard them. An agent's calls are executed and judged by the state that they
leave and by the procedure.`,
		Example: `  fmsop bench replay runs/*.json.zst --tasks SOPBench/data
  fmsop bench run --domain bank --model ollama:qwen2.5:7b --tasks SOPBench/data -o bank-run`,
		Args: noSuchCommand,
		RunE: showHelp,
	}
	c.AddCommand(
		a.tasksCommand(),
		a.benchRunCommand(),
		a.replayCommand(),
		a.benchShowCommand(),
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
	var tasks, judge, trained, page string
	c := &cobra.Command{
		Use:   "replay RUNS…",
		Short: "Recorded outputs of SOPBench, executed and judged again",
		Long: `Reads files that SOPBench wrote to output/ (.json or .json.zst), or folders of
fmsop bench run, executes every recorded call again and decides the seven
criteria of every run.

--judge official gives the verdicts of the official evaluator. --judge corrected
mends its known faults and lists for each mend the tasks that it changes.

--tasks names SOPBench's folder data/; without it the copies of the tasks in
the run files are taken.

--trained-on names the dataset that the models were trained on, and gives every
figure also for the goals and the tasks that training has shown and for those
that it has not.

-o FILE.html writes the pass rates by agent and domain beside those that are
published, as one page, and as CSV and JSON.

With --json a line is printed for each task and run.`,
		Example: "  fmsop bench replay output/bank/*.json --tasks data\n  fmsop bench replay runs.json.zst --judge corrected --json\n  fmsop bench replay output/*/*.json -o rates.html",
		Args:    arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			j, err := bench.JudgeNamed(judge)
			if err != nil {
				return usagef("--judge %q: %w", judge, err)
			}
			if page != "" && filepath.Ext(page) != ".html" {
				return usagef("--output is %q, want FILE.html", page)
			}
			seen, err := exposure(trained)
			if err != nil {
				return err
			}
			r := &bench.Replay{Tasks: tasks, Judge: j, Trained: seen, Compare: judge == "corrected", Workers: a.config.Workers, Progress: a.progress("replay")}
			var rates *passRates
			if page != "" {
				rates = &passRates{page: page, judge: judge, trained: trained, tallies: map[agentDomain]*bench.Tally{}}
			}
			return a.replay(cmd.Context(), r, args, rates)
		},
	}
	c.Flags().StringVar(&tasks, "tasks", "", "`DIR` with the task files, DOMAIN_tasks.json")
	c.Flags().StringVar(&judge, "judge", "official", "`NAME`: official or corrected")
	trainedFlag(c.Flags(), &trained)
	c.Flags().StringVarP(&page, "output", "o", "", "`FILE`.html to write")
	return c
}

// replay judges every file, also after one that cannot be read.
func (a *app) replay(ctx context.Context, r *bench.Replay, paths []string, rates *passRates) error {
	var failed, unjudged []error
	for _, path := range paths {
		var tally bench.Tally
		err := r.File(ctx, path, func(o bench.Outcome) error {
			tally.Add(o)
			if err := rates.add(o); err != nil {
				return err
			}
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
			unjudged = append(unjudged, fmt.Errorf("%s: %d runs could not be judged; the first: %s", path, tally.Errors, tally.FirstError))
		}
	}
	if len(failed) == 0 && rates != nil {
		failed = append(failed, a.writeRates(rates))
	}
	return errors.Join(append(failed, unjudged...)...)
}
