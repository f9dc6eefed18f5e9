package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/report"
	"github.com/fmsop/fmsop/rubric"
)

func (a *app) evaluateCommand() *cobra.Command {
	var o evaluateOptions
	c := &cobra.Command{
		Use:   "evaluate [CORPUS…] --model MODEL -o RUN",
		Short: "Score a model on SOPs: rubric, test set, answers, scores, report",
		Long: `Makes the rubric and the test set of the corpora, puts every question to the
models, scores the answers from their keys, and writes a report. What is in the
folder already is taken up: a run that was stopped goes on, another model is
compared with those that are there.

A MODEL is as fmsop models check takes it, or a baseline: ` + strings.Join(agents.Baselines, ", ") + `.`,
		Example: `  fmsop evaluate bank --model ollama:qwen2.5:7b -o run
  fmsop evaluate my-pack --model openai:http://gpu1:8000/v1#tuned --model ollama:qwen2.5:7b -o run --repeats 3
  fmsop evaluate bank --model baseline:random -o run`,
		ValidArgsFunction: completeCorpora,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.dir == "":
				return hint(usagef("evaluate needs the run folder: -o RUN"), "fmsop evaluate bank --model ollama:qwen2.5:7b -o run")
			case len(o.models) == 0:
				return hint(usagef("evaluate needs a model: --model MODEL"), "fmsop evaluate bank --model ollama:qwen2.5:7b -o %s", o.dir)
			}
			if err := o.ask.Validate(); err != nil {
				return usage(err)
			}
			return a.evaluate(cmd.Context(), args, o)
		},
	}
	flags := c.Flags()
	flags.StringVarP(&o.dir, "output", "o", "", "`RUN`, the folder to make or to go on with")
	flags.StringArrayVar(&o.models, "model", nil, "`MODEL` to ask; may be given several times")
	flags.StringVar(&o.ask.Book, "book", agents.BookOpen, "open: the SOP is in the prompt; closed: the model must know it")
	flags.IntVar(&o.ask.Shots, "shots", 0, "`N` solved questions before each")
	flags.IntVar(&o.ask.Repeats, "repeats", 1, "`K` times each question is asked")
	flags.BoolVar(&o.ask.Tools, "tools", false, "offer calls as tools where calls are asked for")
	flags.IntVar(&o.tests.PerCell, "per-cell", 8, "`N` questions a level and type")
	flags.IntVar(&o.tests.PerDimension, "per-dimension", 8, "`N` questions a dimension, at least")
	flags.BoolVar(&o.allowShortfall, "allow-shortfall", false, "go on where the corpus gives too few questions")
	return c
}

type evaluateOptions struct {
	dir            string
	models         []string
	ask            agents.AskOptions
	tests          agents.TestOptions
	allowShortfall bool
}

func (a *app) evaluate(ctx context.Context, names []string, o evaluateOptions) error {
	corpora, err := a.corpora(names)
	if err != nil {
		return err
	}
	seed := a.config.Generate.Seed
	e, err := agents.StartEvaluation(o.dir, corpora, seed)
	if err != nil {
		return err
	}
	if err := e.MakeRubrics(); err != nil {
		return err
	}
	o.tests.Seed = seed
	var short agents.ShortfallError
	coverage, err := e.MakeTestset(o.tests, o.allowShortfall)
	if errors.As(err, &short) {
		return hint(err, "--allow-shortfall goes on with what there is")
	}
	if err != nil {
		return err
	}
	a.remarkCoverage(coverage, len(e.Tests))
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	scorer := agents.SymbolicScorer{}
	for _, name := range o.models {
		answers, err := a.ask(ctx, e, name, o, drain)
		if err != nil {
			return err
		}
		_, err = e.Score(ctx, scorer, answers[0].Model, answers, run.Options{Workers: a.config.Workers, Progress: a.progress("score"), Drain: drain})
		if err != nil {
			return err
		}
	}
	return a.reportOn(e, scorer.Name(), o.ask.Repeats)
}

// remarkCoverage says how the test set fills its cells.
func (a *app) remarkCoverage(coverage []*agents.Coverage, questions int) {
	if coverage == nil {
		a.remark("the test set of %s is taken up", count(questions, "question"))
		return
	}
	for _, c := range coverage {
		for _, cell := range c.Cells {
			if cell.Impossible != "" {
				a.remark("%s: no questions of %s: %s", c.Domain, cell.Name, cell.Impossible)
			}
		}
		for _, s := range c.Shortfalls() {
			a.remark("too few: %s", s)
		}
	}
}

// ask puts the test set to a model or a baseline.
func (a *app) ask(ctx context.Context, e *agents.Evaluation, name string, o evaluateOptions, drain *run.Drain) ([]rubric.Answer, error) {
	options := run.Options{Workers: a.config.LLM.Concurrency, Progress: a.progress(name), Drain: drain}
	if slices.Contains(agents.Baselines, name) || strings.HasPrefix(name, report.BaselinePrefix) {
		learn, err := otherQuestions(e, o.tests)
		if err != nil {
			return nil, err
		}
		b, err := agents.NewBaseline(name, learn, o.tests.Seed)
		if err != nil {
			return nil, usage(err)
		}
		options.Workers = a.config.Workers
		return e.Ask(ctx, b, o.ask.Repeats, options)
	}
	client, err := llm.Open(name, a.config.LLM)
	if err != nil {
		return nil, usage(err)
	}
	if err := client.Ready(ctx); err != nil {
		return nil, hint(err, "fmsop models check %s", name)
	}
	files := llm.Files{Ledger: e.LedgerFile(client.Name()), Failures: e.FailuresFile(client.Name())}
	if err := os.MkdirAll(filepath.Dir(files.Ledger), 0o777); err != nil {
		return nil, err
	}
	runner, err := llm.NewRunner(client, a.config.LLM, files, drain)
	if err != nil {
		return nil, err
	}
	defer runner.Close()
	var shots []rubric.Question
	if o.ask.Shots > 0 {
		if shots, err = otherQuestions(e, o.tests); err != nil {
			return nil, err
		}
	}
	answerer, err := agents.NewModelAnswerer(client.Name(), runner, o.ask, a.config.LLM.Sampling, shots)
	if err != nil {
		return nil, usage(err)
	}
	answers, err := e.Ask(ctx, answerer, o.ask.Repeats, options)
	var drained run.ErrDrained
	if errors.As(err, &drained) {
		return nil, fmt.Errorf("%w; the same command goes on from there", err)
	}
	return answers, err
}

// otherQuestions are questions on the same corpora that the test set does not
// hold: of another seed.
func otherQuestions(e *agents.Evaluation, o agents.TestOptions) ([]rubric.Question, error) {
	asked := map[string]bool{}
	for _, q := range e.Tests {
		asked[q.ID] = true
	}
	o.Seed++
	var others []rubric.Question
	for i, c := range e.Corpora {
		list, _, err := agents.GenerateTestset(c, e.Rubrics[i], o)
		if err != nil {
			return nil, err
		}
		for _, q := range list {
			if !asked[q.ID] {
				others = append(others, q)
			}
		}
	}
	return others, nil
}

// reportOn writes the report of all models that the folder has scores of, and
// prints the headline.
func (a *app) reportOn(e *agents.Evaluation, scorer string, repeats int) error {
	r := &report.Run{Scorer: scorer, Rubrics: e.Rubrics, Questions: e.Tests, Repeats: repeats, Seed: e.Manifest.Seed}
	for _, model := range e.Manifest.Models {
		scores, err := agents.ReadLines[rubric.Score](e.ScoresFile(model, scorer))
		if errors.Is(err, os.ErrNotExist) {
			a.remark("%s has no scores of %s and is left out", model, scorer)
			continue
		}
		if err != nil {
			return err
		}
		answers, err := agents.ReadAnswers(filepath.Join(e.Dir, agents.AnswersDir, agents.FileName(model)+".jsonl"), e.Tests)
		if err != nil {
			return err
		}
		r.Models = append(r.Models, report.Candidate{Name: model, Answers: answers, Scores: scores})
	}
	s, err := report.Summarise(r)
	if err != nil {
		return err
	}
	page := filepath.Join(e.Dir, agents.ReportFile)
	for path, write := range map[string]func(io.Writer) error{
		page:                               func(w io.Writer) error { return report.HTML(w, s) },
		filepath.Join(e.Dir, "scores.csv"): func(w io.Writer) error { return report.CSV(w, s) },
	} {
		if err := run.AtomicFile(path, write); err != nil {
			return err
		}
	}
	if a.json {
		return a.emit(s)
	}
	a.printf("%s", headline(s))
	a.printf("report: %s\n", page)
	return nil
}

// headline is one line a model. The range is the 95 % interval of a single
// domain; of several, what the mean would be if every unscored answer were worth
// 0, or 1.
func headline(s *report.Summary) string {
	head := []string{"model", "overall", "range", "scored", "unscored"}
	rows := [][]string{head}
	for _, m := range s.Models {
		overall := "unscored"
		if m.Overall != nil {
			overall = fmt.Sprintf("%.3f", *m.Overall)
		}
		span := fmt.Sprintf("%.3f–%.3f", m.OverallLow, m.OverallHigh)
		if len(m.Results) == 1 {
			if i := m.Results[0].Final.Interval; i != nil {
				span = fmt.Sprintf("%.3f–%.3f", i.Low, i.High)
			} else {
				span = m.Results[0].Final.NoInterval
			}
		}
		rows = append(rows, []string{m.Name, overall, span, fmt.Sprint(m.Scored), fmt.Sprint(m.Unscored)})
	}
	return columns(rows) + "\n"
}
