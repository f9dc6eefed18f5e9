package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/report"
	"github.com/fmsop/fmsop/rubric"
)

func (a *app) reportCommand() *cobra.Command {
	page, judge := "", ""
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of a run again, from the scores that are there",
		Long: `Writes one HTML page that needs nothing from outside, and beside it the same
numbers as CSV and JSON.`,
		Example: `  fmsop report run
  fmsop report run --judge ollama:llama3.1:8b -o judged.html`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if page != "" && filepath.Ext(page) != ".html" {
				return usagef("--output is %q, want FILE.html", page)
			}
			e, err := agents.OpenEvaluation(args[0])
			if err != nil {
				return err
			}
			if page == "" {
				page = e.Path(agents.ReportFile)
			}
			scorer := agents.Symbolic
			if judge != "" {
				scorer = judge
			}
			return a.writeReport(e, scorer, page)
		},
	}
	c.Flags().StringVarP(&page, "output", "o", "", "`FILE`.html to write, instead of report.html in the run folder")
	judgeFlag(c.Flags(), &judge)
	return c
}

// summary is what a scorer made of the models of a run.
func (a *app) summary(e *agents.Evaluation, scorer string) (*report.Summary, error) {
	r := &report.Run{Scorer: scorer, Rubrics: e.Rubrics, Questions: e.Tests, Seed: e.Manifest.Seed}
	for _, m := range e.Manifest.Models {
		scores, err := agents.ReadLines[rubric.Score](e.ScoresFile(m.Model, scorer))
		if errors.Is(err, os.ErrNotExist) {
			a.remark("%s has no scores of %s and is left out", m.Model, scorer)
			continue
		}
		if err != nil {
			return nil, err
		}
		answers, err := e.Answers(m.Model)
		if err != nil {
			return nil, err
		}
		r.Repeats = m.Repeats // that of all models
		r.Models = append(r.Models, report.Candidate{Name: m.Model, Answers: answers, Scores: scores})
	}
	if len(r.Models) == 0 {
		how := "fmsop score " + e.Dir
		if scorer != agents.Symbolic {
			how += " --judge " + scorer
		}
		return nil, hint(fmt.Errorf("%s has no scores of %s", e.Dir, scorer), "%s", how)
	}
	return report.Summarise(r)
}

// writeReport writes the page, and beside it the numbers, and prints the
// headline.
func (a *app) writeReport(e *agents.Evaluation, scorer, page string) error {
	s, err := a.summary(e, scorer)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(page, filepath.Ext(page))
	for _, f := range []struct {
		path  string
		write func(io.Writer, *report.Summary) error
	}{{page, report.HTML}, {base + ".csv", report.CSV}, {base + ".json", report.JSON}} {
		if err := run.AtomicFile(f.path, func(w io.Writer) error { return f.write(w, s) }); err != nil {
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
