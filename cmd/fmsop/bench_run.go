package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/bench"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
)

type benchRunOptions struct {
	domain, model, mode, tools, user, tasks, judge, trained, out string
	number                                                       int // of tasks to draw where none are given
}

func (a *app) benchRunCommand() *cobra.Command {
	var o benchRunOptions
	var modes []string
	for _, m := range bench.Modes {
		modes = append(modes, m.Name)
	}
	c := &cobra.Command{
		Use:   "run --domain D --model MODEL [--tasks FILE] -o RUN",
		Short: "A model at work on tasks of an executable domain",
		Long: `The model talks to a customer and calls the tools of the domain, which change a
database. Nothing but the model itself follows the rules. Each conversation is
judged by the seven criteria of SOPBench: passed, failed by the criteria named,
or error where the server, not the model, has failed. Conversations end after
20 messages or 10 calls.

--mode fc uses the calls of tools that model and server have; react and act-only
have the model write its calls, after a thought or without. --tools oracle
offers only the tools of the task's own solution. --user fixed opens with the
task's request and then repeats all that the customer knows; a MODEL plays the
customer instead.

--tasks names a file of tasks, as SOPBench and fmsop bench tasks write them, or
the folder with the domain's; without it new ones are drawn. RUN keeps every conversation (run.json, which
bench replay reads) and every reply as it comes: the same command goes on after
Ctrl-C or a kill. With --json a line is printed for each task.`,
		Example: `  fmsop bench run --domain bank --model ollama:qwen2.5:7b -o bank-run
  fmsop bench run --domain bank --model ollama:qwen2.5:7b --mode react --tasks SOPBench/data -o react-run`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.benchRun(cmd.Context(), o) },
	}
	flags := c.Flags()
	flags.StringVar(&o.domain, "domain", "", "`DOMAIN`: a built-in one, or the folder of a pack that runs")
	flags.StringVar(&o.model, "model", "", "`MODEL` at work, as fmsop models check takes it, or "+strings.Join(bench.Baselines, ", "))
	flags.StringVar(&o.mode, "mode", modes[0], "how it calls tools: "+strings.Join(modes, ", "))
	flags.StringVar(&o.tools, "tools", bench.ToolLists[0], "tools that it is offered: "+strings.Join(bench.ToolLists, ", "))
	flags.StringVar(&o.user, "user", bench.FixedUserName, "the customer: fixed, or a `MODEL`")
	flags.StringVar(&o.tasks, "tasks", "", "`FILE` of tasks, or the folder with DOMAIN_tasks.json")
	flags.IntVarP(&o.number, "number", "n", 100, "`N` tasks to draw where --tasks names none")
	flags.StringVar(&o.judge, "judge", "corrected", "`NAME`: corrected, or official with all its known faults")
	trainedFlag(flags, &o.trained)
	flags.StringVarP(&o.out, "output", "o", "", "`RUN`, the folder to make or to go on with")
	return c
}

func (a *app) benchRun(ctx context.Context, o benchRunOptions) error {
	judge, err := o.validate()
	if err != nil {
		return err
	}
	seen, err := exposure(o.trained)
	if err != nil {
		return err
	}
	tasks, source, drawn, err := a.liveTasks(ctx, o)
	if err != nil {
		return err
	}
	desk, err := bench.NewDesk(o.domain, tasks)
	if err != nil {
		return err
	}
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	l := &bench.Live{Desk: desk, Tools: o.tools, Judge: judge, Sampling: a.config.LLM.Sampling, Trained: seen}
	m := &bench.LiveManifest{Domain: o.domain, Tools: o.tools, Judge: o.judge, Tasks: source}
	closing, err := a.benchSides(l, m, o, drain)
	if err != nil {
		return err
	}
	defer closing()
	if drawn != nil {
		if err := bench.KeepTasks(o.out, drawn); err != nil {
			return err
		}
	}

	results := &bench.LiveResults{}
	tally := &bench.Tally{}
	err = l.Run(ctx, tasks, o.out, run.Options{Workers: a.config.LLM.Concurrency, Progress: a.progress(m.Model), Drain: drain}, func(x bench.LiveOutcome) error {
		results.Add(x)
		if a.json {
			if err := a.emit(x); err != nil {
				return err
			}
		}
		x.Recorded = x.Verdict // that is what the record now says
		tally.Add(x.Outcome)
		return nil
	})
	if noTools := (*bench.NoToolsError)(nil); errors.As(err, &noTools) {
		return hint(noTools, "--mode react needs none: the model writes its calls as text")
	}
	if err != nil {
		return goesOn(err)
	}
	m.Results = results
	if err := m.Write(o.out); err != nil {
		return err
	}
	if !a.json {
		a.printTally(o.out, tally, false)
		a.showLiveResults(m)
	}
	if tally.Errors > 0 {
		return fmt.Errorf("%d of %d tasks have no outcome, the same command asks them again; the first: %s", tally.Errors, len(tasks), tally.FirstError)
	}
	a.next("fmsop bench replay %s --judge %s", o.out, o.judge)
	return nil
}

// liveTasks reads the tasks, or draws them.
func (a *app) liveTasks(ctx context.Context, o benchRunOptions) (tasks []*bench.Task, source bench.TaskSource, drawn []byte, err error) {
	if o.tasks == "" {
		s := &bench.Sampling{Domain: o.domain, N: o.number, Seed: a.config.Generate.Seed, Workers: a.config.Workers, Progress: a.progress("tasks")}
		return bench.DrawTaskFile(ctx, s)
	}
	tasks, source, err = bench.ReadTaskFile(o.tasks, o.domain)
	return tasks, source, nil, err
}

// validate refuses what cannot be run, before anything is made.
func (o benchRunOptions) validate() (*bench.Judge, error) {
	for _, needed := range []struct{ flag, value, example string }{
		{"--domain", o.domain, "--domain bank"},
		{"--model", o.model, "--model ollama:qwen2.5:7b"},
		{"--output", o.out, "-o bank-run"},
	} {
		if needed.value == "" {
			return nil, hint(usagef("bench run needs %s", needed.flag), "for instance %s", needed.example)
		}
	}
	if o.number < 1 {
		return nil, usagef("-n is %d, want at least 1 task", o.number)
	}
	if _, err := bench.ModeNamed(o.mode); err != nil {
		return nil, usagef("--mode %q: %w", o.mode, err)
	}
	if !slices.Contains(bench.ToolLists, o.tools) {
		return nil, usagef("--tools %q: want one of %s", o.tools, strings.Join(bench.ToolLists, ", "))
	}
	judge, err := bench.JudgeNamed(o.judge)
	if err != nil {
		return nil, usagef("--judge %q: %w", o.judge, err)
	}
	return judge, nil
}

// benchSides opens the models and begins the folder, which keeps their replies.
func (a *app) benchSides(l *bench.Live, m *bench.LiveManifest, o benchRunOptions, drain *run.Drain) (closing func(), err error) {
	mode, err := bench.ModeNamed(o.mode)
	if err != nil {
		return nil, err
	}
	m.Model, m.User, m.Sampling = o.model, o.user, &l.Sampling
	scripted := bench.NewBaseline(o.model)
	var model *llm.Client
	switch {
	case scripted != nil:
	case isBaseline(o.model):
		return nil, usagef("--model %q: want a model, or one of %s", o.model, strings.Join(bench.Baselines, ", "))
	default:
		if model, err = llm.Open(o.model, a.config.LLM); err != nil {
			return nil, usage(err)
		}
		m.Model, m.Mode = model.Name(), mode.Name
	}
	var customer *llm.Client
	if o.user != bench.FixedUserName {
		if customer, err = llm.Open(o.user, a.config.LLM); err != nil {
			return nil, usagef("--user: %w", err)
		}
		m.User = customer.Name()
	}
	if err := m.Begin(o.out); err != nil {
		return nil, err
	}
	var open []*llm.Runner
	closing = func() {
		for _, r := range open {
			r.Close()
		}
	}
	runner := func(c *llm.Client, side bench.Side) (*llm.Runner, error) {
		ledger, err := bench.LedgerFile(o.out, side)
		if err != nil {
			return nil, err
		}
		r, err := llm.NewRunner(c, a.config.LLM, llm.Files{Ledger: ledger}, drain)
		if err == nil {
			open = append(open, r)
		}
		return r, err
	}
	l.Agent, l.User = scripted, bench.FixedUser{}
	if scripted == nil {
		agent, err := runner(model, bench.FromAgent)
		if err != nil {
			return nil, err
		}
		l.Agent, l.Mode = bench.NewModelAgent(m.Model, agent, mode, l.Sampling), mode.Name
	}
	if customer != nil {
		user, err := runner(customer, bench.FromUser)
		if err != nil {
			closing()
			return nil, err
		}
		l.User = bench.NewModelUser(m.User, user, l.Sampling)
	}
	return closing, nil
}

// showLiveResults says what a replay cannot: how conversations ended.
func (a *app) showLiveResults(m *bench.LiveManifest) {
	r := m.Results
	a.printf("tools %s, user %s, judge %s\n", m.Tools, m.User, m.Judge)
	a.printf("%d passed, %d failed", r.Passed, r.Failed)
	if r.Errors > 0 {
		a.printf(", %d without an outcome, which do not count", r.Errors)
	}
	var ends []string
	for _, end := range slices.Sorted(maps.Keys(r.Ends)) {
		ends = append(ends, fmt.Sprintf("%d by %s", r.Ends[end], endWords[end]))
	}
	if len(ends) > 0 {
		a.printf("; ended %s", strings.Join(ends, ", "))
	}
	a.printf("\n%d calls, %d replies that could not be used and were sent back\n", r.Calls, r.Unusable)
}

var endWords = map[bench.End]string{
	bench.EndExit: "the model", bench.EndUser: "the customer", bench.EndMessages: "the limit of messages", bench.EndCalls: "the limit of calls",
}
