package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop/corpus"
)

func (a *app) pipelineCommand() *cobra.Command {
	dir, force := "fmsop-data", false
	c := &cobra.Command{
		Use:   "pipeline",
		Short: "Everything: the data, and an evaluation of the baselines",
		Long: `Checks the corpora, generates a dataset folder, proves it again from its texts,
measures what a model could exploit in it, and shows one group. Then it makes
rubrics and a test set, has the baselines answer it, scores them and writes a
report, into the folder run of the dataset. Without a configuration it takes
every built-in domain and the settings of configs/default.yaml.`,
		Example: "  fmsop pipeline\n  fmsop pipeline -o data --groups 5000 --force",
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.pipeline(cmd.Context(), dir, force) },
	}
	c.Flags().StringVarP(&dir, "output", "o", dir, "`DIR`, the folder to make")
	c.Flags().BoolVar(&force, "force", false, "replace a dataset folder that is there")
	a.generateFlags(c)
	return c
}

func (a *app) pipeline(ctx context.Context, dir string, force bool) error {
	if len(a.config.Runs) > 0 {
		return hint(usagef("the configuration has several runs, pipeline makes one dataset"), "fmsop generate --config FILE -o %s", dir)
	}
	begin := time.Now()
	a.step(1, "corpora")
	corpora, err := a.corpora(nil)
	if err != nil {
		return err
	}
	total := 0
	for _, c := range corpora {
		s := summarize(c)
		total += s.Procedures
		if a.json {
			err = a.emit(s)
		} else {
			a.printf("%s: %s, %s, %s, no problem\n", s.Corpus, count(s.Procedures, "procedure"), count(s.Conditions, "condition"), count(s.Terms, "term"))
		}
		if err != nil {
			return err
		}
	}

	a.step(2, "generate")
	made, err := a.generateFrom(ctx, corpora, dir, force)
	if err != nil {
		return err
	}
	if err := a.showGeneration(made, true); err != nil {
		return err
	}

	a.step(3, "verify")
	proof, err := a.verify(ctx, dir, nil)
	if err != nil {
		return err
	}
	if err := a.showVerification(proof); err != nil {
		return err
	}

	a.step(4, "stats")
	report, err := a.stats(dir, nil)
	if err != nil {
		return err
	}
	if a.json {
		err = a.emit(report)
	} else {
		a.printf("%s", report.Table(bool(a.paint)))
	}
	if err != nil {
		return err
	}

	a.step(5, "show")
	err = a.show(dir, selection{n: 1, also: telling})
	if errors.Is(err, errNoGroup) {
		err = a.show(dir, selection{n: 1})
	}
	if err != nil {
		return err
	}
	page, err := a.evaluateBaselines(ctx, corpora, filepath.Join(dir, runFolder))
	if err != nil || a.json {
		return err
	}
	a.printf("\n%s\n", a.paint.heading("done"))
	a.printf("%d groups of %s in %s, every answer proven, in %.1f s\n", made.Made, count(total, "procedure"), count(len(corpora), "domain"), time.Since(begin).Seconds())
	a.printf("%s\n", columns([][]string{
		{"  " + dir + "/train_*.jsonl.zst", "to train on, validation and test beside them"},
		{"  " + dir + "/README.md", "the dataset card"},
		{"  " + page, "how the baselines do, domain by domain"},
		{"  fmsop show " + dir + " --n 3", "more groups"},
		{"  fmsop answer " + filepath.Join(dir, runFolder) + " --model MODEL", "a model beside the baselines"},
		{"  fmsop check --serve :8017", "the same oracle as a reward"},
	}))
	return nil
}

// runFolder is that of the evaluation, in the dataset folder.
const runFolder = "run"

// evaluateBaselines goes through an evaluation step by step and returns where
// the report is.
func (a *app) evaluateBaselines(ctx context.Context, corpora []*corpus.Corpus, dir string) (page string, err error) {
	a.step(6, "rubric")
	e, err := agents.StartEvaluation(dir, corpora, a.config.Generate.Seed)
	if err != nil {
		return "", err
	}
	if err := e.MakeRubrics(ctx, agents.SymbolicGenerator{}, false); err != nil {
		return "", err
	}
	for _, r := range e.Rubrics {
		if a.json {
			err = a.emit(r)
		} else {
			first := slices.MaxFunc(r.Dimensions, func(x, y rubric.Dimension) int { return cmp.Compare(x.Weight, y.Weight) })
			a.printf("%s: %s, the heaviest %s with %.3f\n", r.Domain, count(len(r.Dimensions), "dimension"), first.Name, first.Weight)
		}
		if err != nil {
			return "", err
		}
	}

	a.step(7, "testset")
	o := testsetOptions{TestOptions: agents.TestOptions{}.WithDefaults(), allowShortfall: true}
	if err := a.makeTestset(ctx, e, o); err != nil {
		return "", err
	}
	for _, c := range e.Coverage() {
		if a.json {
			err = a.emit(c)
		} else {
			a.printf("%s\n", coverageLine(c, e.Tests))
		}
		if err != nil {
			return "", err
		}
	}

	a.step(8, "answer")
	models, err := a.answer(ctx, e, answerOptions{models: agents.Baselines, AskOptions: agents.AskOptions{}.WithDefaults()})
	if err != nil {
		return "", err
	}
	if err := a.showAnswers(e, models); err != nil {
		return "", err
	}

	a.step(9, "score")
	scorer, err := a.score(ctx, e, models, scoreOptions{})
	if err != nil {
		return "", err
	}
	page = e.Path(agents.ReportFile)
	s, err := a.writeReport(e, scorer, page)
	if err != nil {
		return "", err
	}
	if a.json {
		return page, a.emit(s)
	}
	a.printf("%s", headline(s))

	a.step(10, "report")
	a.printf("%s\n", page)
	return page, nil
}

// coverageLine says in short how a domain's questions fill its cells.
func coverageLine(c *agents.Coverage, questions []rubric.Question) string {
	asked, possible := 0, 0
	for _, q := range questions {
		if q.Domain == c.Domain {
			asked++
		}
	}
	for _, cell := range c.Cells {
		if cell.Impossible == "" {
			possible++
		}
	}
	line := fmt.Sprintf("%s: %s, %d of %d cells possible", c.Domain, count(asked, "question"), possible, len(c.Cells))
	if short := c.Shortfalls(); len(short) > 0 {
		line += fmt.Sprintf(", %d with too few", len(short))
	}
	return line
}

// telling picks a group that shows much: a whole workflow of some length, and
// a wrong answer of each operator.
func telling(r *dataset.Row) bool {
	operators := map[string]bool{}
	for _, n := range r.Negatives {
		operators[n.Operator] = true
	}
	w, _ := steps(r.Positive.Payload)
	return len(w) >= 4 && len(operators) >= min(4, len(r.Negatives))
}

const pipelineSteps = 10

// step says on a line of its own what comes, at once.
func (a *app) step(n int, name string) {
	if a.json {
		return
	}
	if n > 1 {
		a.printf("\n")
	}
	a.printf("%s\n", a.paint.heading(fmt.Sprintf("%d/%d %s", n, pipelineSteps, name)))
	a.out.Flush() // an error shows at the end
}
