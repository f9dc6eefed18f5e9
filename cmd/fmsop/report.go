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
			s, err := a.writeReport(e, scorer, page)
			if err != nil {
				return err
			}
			return a.showReport(s, page)
		},
	}
	c.Flags().StringVarP(&page, "output", "o", "", "`FILE`.html to write, instead of report.html in the run folder")
	judgeFlag(c.Flags(), &judge)
	return c
}

// summary is what a scorer made of the models of a run.
func (a *app) summary(e *agents.Evaluation, scorer string) (*report.Summary, error) {
	r := &report.Run{Scorer: scorer, Rubrics: e.Rubrics, Questions: e.Tests, Seed: e.Manifest.Seed}
	var err error
	if r.JudgeChecks, err = e.JudgeChecks(); err != nil {
		return nil, err
	}
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
		r.Models = append(r.Models, report.Candidate{Name: m.Model, Asked: asked(m), Answers: answers, Scores: scores})
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

// asked says in words how a model was asked; of a baseline there is nothing to
// say.
func asked(m agents.Asked) string {
	if isBaseline(m.Model) {
		return ""
	}
	words := m.Book + " book"
	if m.Shots > 0 {
		words += ", " + count(m.Shots, "shot")
	}
	if m.Tools {
		words += ", tools"
	}
	return words
}

// writeReport writes the page, and beside it the same numbers.
func (a *app) writeReport(e *agents.Evaluation, scorer, page string) (*report.Summary, error) {
	s, err := a.summary(e, scorer)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(page, filepath.Ext(page))
	for _, f := range []struct {
		path  string
		write func(io.Writer, *report.Summary) error
	}{{page, report.HTML}, {base + ".csv", report.CSV}, {base + ".json", report.JSON}} {
		if err := run.AtomicFile(f.path, func(w io.Writer) error { return f.write(w, s) }); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// showReport prints the headline, and where the page is.
func (a *app) showReport(s *report.Summary, page string) error {
	if a.json {
		return a.emit(s)
	}
	a.printf("%s", headline(s))
	a.printf("report: %s\n", page)
	return nil
}

// headline is one line a model: the overall score, its 95 % interval and the
// pass rate. The range is what the score would be if every unscored answer were
// worth 0, or 1.
func headline(s *report.Summary) string {
	head := []string{"model", "overall", "95 %", "pass", "scored", "unscored"}
	ranged := s.AnyUnscored()
	if ranged {
		head = append(head, "range")
	}
	rows := [][]string{head}
	for _, m := range s.Models {
		span := func(low, high float64) string { return fmt.Sprintf("%.2f–%.2f", low, high) }
		overall, interval, pass := "unscored", m.Overall.NoInterval, "unscored"
		if m.Overall.Value != nil {
			overall = fmt.Sprintf("%.3f", *m.Overall.Value)
		}
		if i := m.Overall.Interval; i != nil {
			interval = span(i.Low, i.High)
		}
		if p := m.Passes[0].At.Value; p != nil {
			pass = fmt.Sprintf("%.2f", *p)
		}
		row := []string{shortened(m.Name, nameWidth), overall, interval, pass, fmt.Sprint(m.Overall.Scored), fmt.Sprint(m.Overall.Unscored)}
		if ranged {
			row = append(row, span(m.Overall.Low, m.Overall.High))
		}
		rows = append(rows, row)
	}
	return columns(rows)
}

// nameWidth leaves room for the numbers beside a model's name.
const nameWidth = 25

// shortened cuts the middle out of a long name.
func shortened(name string, width int) string {
	r := []rune(name)
	if len(r) <= width {
		return name
	}
	return string(r[:width/2]) + "…" + string(r[len(r)-(width-width/2-1):])
}
