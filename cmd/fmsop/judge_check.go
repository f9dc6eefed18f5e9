package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

func (a *app) judgeCheckCommand() *cobra.Command {
	o := judgeCheckOptions{}
	c := &cobra.Command{
		Use:   "judge-check RUN --judge MODEL",
		Short: "Whether a judge is right: hold it against what is known",
		Long: `Has a judge score answers that are known to be right or wrong, and says how
often it is right.

Part one are constructed answers to the questions of the run: references, other
right answers, and wrong ones by operator, as the question asks for them and in
prose; with --data also those of a dataset, graphs included. Probes try what should make no difference: the order of grades and
dimensions, talk around an answer, and answers that ask for a good grade.

Part two are the real answers in the run to questions with a key, judge against
key. Those on which the two disagree are listed for a person to look at. Of
questions without a key, judge validity is not measured.

What the judge said is kept in the run folder: a check that was stopped goes on,
and what was asked by score --judge is not asked again.`,
		Example: `  fmsop judge-check run --judge ollama:llama3.1:8b
  fmsop judge-check run --judge ollama:llama3.1:8b --data fmsop-data --constructed 50
  fmsop judge-check run --judge ollama:llama3.1:8b --constructed 0 --verdicts 1`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.judge == "" {
				return hint(usagef("judge-check needs a judge: --judge MODEL"), "fmsop judge-check %s --judge ollama:llama3.1:8b", args[0])
			}
			if err := o.JudgeCheckOptions.Validate(); err != nil {
				return usage(err)
			}
			e, err := agents.OpenEvaluation(args[0])
			if err != nil {
				return err
			}
			return a.judgeCheck(cmd.Context(), e, o)
		},
	}
	flags := c.Flags()
	o.scoreOptions.flags(flags)
	flags.IntVar(&o.verdicts, "verdicts", agents.JudgeOptions{}.WithDefaults().Repeats, "`K` verdicts an answer, of which the median counts")
	flags.IntVar(&o.Constructed, "constructed", 20, "`N` constructed answers of each operator and form; 0: none, and no probes")
	flags.StringVar(&o.data, "data", "", "a dataset `DIR`, of which rows give constructed answers too")
	flags.Float64Var(&o.Pass, "pass", 1, "`VALUE` from which an answer passes, of the judge's and of the key's")
	return c
}

type judgeCheckOptions struct {
	scoreOptions
	agents.JudgeCheckOptions
	verdicts int
	data     string
}

// openJudge opens the judge of a run, whose replies are kept there. It is to
// judge the answers of the models. The runner is the caller's to close.
func (a *app) openJudge(ctx context.Context, e *agents.Evaluation, o scoreOptions, judge agents.JudgeOptions, models []string, drain *run.Drain) (*agents.Judge, *llm.Runner, error) {
	if err := judge.Validate(); err != nil {
		return nil, nil, usage(err)
	}
	client, err := llm.Open(o.judge, a.config.LLM)
	if err != nil {
		return nil, nil, usage(err)
	}
	for _, m := range models {
		if agents.SameModel(m, client.Name()) && !o.force {
			return nil, nil, hint(usagef("%s is to judge its own answers, want another judge", client.Name()), "--force lets it")
		}
	}
	model, err := a.runner(e, client, drain)
	if err != nil {
		return nil, nil, err
	}
	judge.Sampling = a.config.LLM.Sampling
	asker := &llm.Asker{Model: model, Structured: a.config.LLM.Structured, Reasks: a.config.LLM.Reasks}
	return agents.NewJudge(model.Name(), asker, e.Rubrics, judge), model, nil
}

func (a *app) judgeCheck(ctx context.Context, e *agents.Evaluation, o judgeCheckOptions) error {
	models, err := answeredModels(e, nil)
	if err != nil {
		return err
	}
	answers := map[string][]rubric.Answer{}
	for _, m := range models {
		if answers[m], err = e.Answers(m); err != nil {
			return err
		}
	}
	rows, err := rowsOf(o.data)
	if err != nil {
		return err
	}
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	j, model, err := a.openJudge(ctx, e, o.scoreOptions, agents.JudgeOptions{Repeats: o.verdicts}, models, drain)
	if err != nil {
		return err
	}
	defer model.Close()
	o.Seed = e.Manifest.Seed
	c, conflicts, err := agents.CheckJudge(ctx, j, agents.JudgeCheckMaterial{Questions: e.Tests, Candidates: answers, Rows: rows}, o.JudgeCheckOptions,
		run.Options{Workers: a.config.LLM.Concurrency, Progress: a.progress("judge-check"), Drain: drain})
	if err != nil {
		return goesOn(err)
	}
	if err := e.WriteJudgeCheck(c, conflicts); err != nil {
		return err
	}
	if a.json {
		err = a.emit(c)
	} else {
		a.showJudgeCheck(e, c)
	}
	if err == nil && c.Constructed.Answers+c.Together.Answers == 0 {
		return fmt.Errorf("no verdict of %s could be used", c.Judge)
	}
	return err
}

// mostRows of a dataset are enough to choose constructed answers from.
const mostRows = 20_000

// rowsOf reads the rows of a dataset, none where no folder is named.
func rowsOf(dir string) (rows []dataset.Row, err error) {
	if dir == "" {
		return nil, nil
	}
	r, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	names := r.Names()
	for _, name := range names[max(0, slices.Index(names, r.Largest())):] {
		for row, err := range r.Rows(name) {
			if err != nil {
				return nil, err
			}
			if rows = append(rows, row); len(rows) == mostRows {
				return rows, nil
			}
		}
	}
	return rows, nil
}

func (a *app) showJudgeCheck(e *agents.Evaluation, c *rubric.JudgeCheck) {
	a.printf("%s\n", a.paint.heading("judge "+c.Judge))
	a.printf("%s an answer; an answer passes from %.2f\n", count(c.Repeats, "verdict"), c.Pass)
	if c.Repeats > 1 {
		a.printf("the verdicts agree in every grade on %d of %s\n", c.Steady.Hits, count(c.Steady.N, "answer"))
	}
	if len(c.Operators) > 0 {
		rows := [][]string{{"constructed", "", "form", "passed", "of", "share", "95 % interval", "unscored"}}
		for _, o := range c.Operators {
			known := "wrong"
			if o.Right {
				known = "right"
			}
			rows = append(rows, []string{o.Operator, known, o.Form, fmt.Sprint(o.Passed.Hits), fmt.Sprint(o.Passed.N), estimated(o.Passed.Estimate), spanned(o.Passed.Estimate), fmt.Sprint(o.Unscored)})
		}
		a.printf("\n%s", columns(rows))
		rows = [][]string{{"probe", "answers", "change of value", "95 % interval", "turned"}}
		for _, p := range c.Probes {
			change := rubric.Estimate{Interval: p.Interval, NoInterval: p.NoInterval}
			rows = append(rows, []string{p.Name, fmt.Sprint(p.Questions), fmt.Sprintf("%+.3f", p.Difference), spanned(change), fmt.Sprint(p.Turned.Hits)})
		}
		a.printf("\n%s", columns(rows))
	}
	a.printf("\n%s", agreements(c))
	if len(c.Candidates) > 1 {
		rows := [][]string{{"answers of", "judged", "accuracy", "false pass", "false fail", "kappa", "unscored"}}
		for _, k := range c.Candidates {
			rows = append(rows, []string{tail(k.Name, 24), fmt.Sprint(k.Answers), estimated(k.Accuracy.Estimate), estimated(k.FalsePass.Estimate), estimated(k.FalseFail.Estimate), estimated(k.Kappa), fmt.Sprint(k.Unscored)})
		}
		a.printf("\n%s", columns(rows))
	}
	a.printf("\n")
	for _, f := range c.Findings {
		a.printf("%s", wrapped("- ", f))
	}
	if len(c.Findings) == 0 {
		a.printf("nothing is found against this judge\n")
	}
	a.printf("conflicts: %d in %s\n", c.Conflicts, e.ConflictsFile(c.Judge))
}

// agreements of the judge with what is known of constructed answers, and with
// the keys on real ones. Of the former it is known that they are right or wrong,
// not which grade between is due.
func agreements(c *rubric.JudgeCheck) string {
	built, given := &c.Constructed, &c.Together
	rows := [][]string{
		{"", " " + built.Name, " " + given.Name},
		{"answers", fmt.Sprintf(" %d, and %d unscored", built.Answers, built.Unscored), fmt.Sprintf(" %d, and %d unscored", given.Answers, given.Unscored)},
	}
	cell := func(e rubric.Estimate) string { return " " + estimated(e) + "  " + spanned(e) }
	for _, line := range []struct {
		name         string
		built, given rubric.Estimate
	}{
		{"accuracy", built.Accuracy.Estimate, given.Accuracy.Estimate},
		{"false pass", built.FalsePass.Estimate, given.FalsePass.Estimate},
		{"false fail", built.FalseFail.Estimate, given.FalseFail.Estimate},
		{"kappa", built.Kappa, given.Kappa},
	} {
		rows = append(rows, []string{line.name, cell(line.built), cell(line.given)})
	}
	return columns(append(rows, []string{"weighted kappa", "", cell(given.WeightedKappa)}, []string{"alpha", "", cell(given.Alpha)}, []string{"bias", "", cell(given.Bias)}))
}

// tail keeps the end of a name that is too long for a table.
func tail(name string, most int) string {
	if n := []rune(name); len(n) > most {
		return "…" + string(n[len(n)-most+1:])
	}
	return name
}

func estimated(e rubric.Estimate) string {
	if e.Value == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *e.Value)
}

func spanned(e rubric.Estimate) string {
	if e.Interval == nil {
		return e.NoInterval
	}
	return fmt.Sprintf("%.3f to %.3f", e.Interval.Low, e.Interval.High)
}
