package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/stages"
)

func (a *app) verifyCommand() *cobra.Command {
	var against string
	var near float64
	c := &cobra.Command{
		Use:   "verify DIR",
		Short: "Prove every row of a dataset folder again, from its texts",
		Long: `Reads everything again: hashes, counts, the cumulative files, duplicates, what
splits share; then parses the texts of every row, computes what the procedure
says, and holds each answer against it. The exit status is 1 where anything
does not hold.

With --against it also looks for questions of a test set among the training and
validation rows: a testset.jsonl or the folder of an evaluation, the test rows of
a dataset folder, or a file of rows. A question is its context, case and query.
Exact is one with the same words, near one whose sets of runs of five words have
a Jaccard similarity of --near or more; MinHash finds the candidates.`,
		Example: "  fmsop verify data\n  fmsop verify data --json\n  fmsop verify data --against run/testset.jsonl",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var tests *dataset.Duplicates
			if against != "" {
				var err error
				if tests, err = testSet(against, near); err != nil {
					return err
				}
			}
			v, err := a.verify(cmd.Context(), args[0], tests)
			if err != nil {
				return err
			}
			return a.showVerification(v)
		},
	}
	c.Flags().StringVar(&against, "against", "", "`TESTSET` that no row may be a duplicate of")
	c.Flags().Float64Var(&near, "near", 0.8, "`S`, the similarity from which on questions are duplicates")
	return c
}

// testSet reads the questions of a test set.
func testSet(path string, near float64) (*dataset.Duplicates, error) {
	tests, err := dataset.NewDuplicates(near)
	if err != nil {
		return nil, usagef("--near: %w", err)
	}
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, agents.TestsetFile)
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			file = filepath.Join(path, dataset.Test+".jsonl.zst")
		}
	}
	for q, err := range dataset.ReadAsked(file) {
		if err != nil {
			return nil, err
		}
		tests.Add(q.ID, q.Text())
	}
	return tests, nil
}

// verification is what verify found.
type verification struct {
	Folder   string   `json:"folder"`
	Rows     int      `json:"rows"`
	Answers  int      `json:"answers"`
	Claims   int      `json:"unproven"`     // rows that the folder itself calls unproven
	By       string   `json:"by,omitempty"` // the model whose reading the rows lean on
	Found    int      `json:"found"`
	Problems []string `json:"problems"` // the first maxProblems of those found

	Against *contamination `json:"against,omitempty"` // nil where no test set was given
}

// contamination counts the questions of a test set that rows are like, and the
// rows.
type contamination struct {
	Questions int `json:"questions"`
	Exact     int `json:"exact"` // rows
	Near      int `json:"near"`  // other rows
}

const maxProblems = 20

func (v *verification) add(problem string) {
	if v.Found++; len(v.Problems) < maxProblems {
		v.Problems = append(v.Problems, problem)
	}
}

// rowsPerJob is large enough for a job to be worth its hand-over.
const rowsPerJob = 64

// place is one line of a dataset file.
type place struct {
	file string
	dataset.Line
}

// proven is what became of the rows of one job.
type proven struct {
	rows, answers int
	problems      []string
	exact, near   int // rows that are duplicates of a test set's questions
}

// verify holds the rows against the test set too, if there is one.
func (a *app) verify(ctx context.Context, dir string, tests *dataset.Duplicates) (*verification, error) {
	reader, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	v := &verification{Folder: dir, Problems: []string{}}
	if tests != nil {
		v.Against = &contamination{Questions: tests.Len()}
	}
	report := dataset.CheckFolder(dir)
	for _, n := range report.Found {
		v.Found += n
	}
	v.Problems = append(v.Problems, report.Problems[:min(maxProblems, len(report.Problems))]...)
	verifier, err := stages.NewVerifier(reader.Manifest.Lexicon)
	if err != nil {
		v.add(err.Error())
		return v, nil
	}
	names, rows := provable(reader)
	if author := reader.Manifest.Author; author != nil {
		v.By = author.Model
	}
	v.Claims = reader.Manifest.Files[dataset.Unproven+".jsonl.zst"].Rows
	next, stop := iter.Pull2(linesOf(dir, names))
	defer stop()
	source := run.NewTurns(func() ([]place, error) { return batch(next) })
	jobs := (rows + rowsPerJob - 1) / rowsPerJob
	err = run.Ordered(ctx, run.Options{Workers: a.config.Workers, Progress: a.progress("verify")}, jobs,
		func(_ context.Context, i int) (proven, error) {
			lines, err := source.Take(i)
			if err != nil {
				return proven{}, err
			}
			return prove(verifier, tests, lines), nil
		},
		func(_ int, p proven) error {
			v.Rows += p.rows
			v.Answers += p.answers
			if v.Against != nil {
				v.Against.Exact += p.exact
				v.Against.Near += p.near
			}
			for _, problem := range p.problems {
				v.add(problem)
			}
			return nil
		})
	if errors.Is(err, io.EOF) { // fewer rows than the manifest says, which CheckFolder told
		err = nil
	}
	return v, err
}

// provable lists the files that hold every row once, without the rows that
// are said to be unproven, and counts their rows.
func provable(r *dataset.Reader) (names []string, rows int) {
	all := r.Names()
	for _, name := range all[max(0, slices.Index(all, r.Largest())):] {
		if name != dataset.Unproven+".jsonl.zst" {
			names = append(names, name)
			rows += r.Manifest.Files[name].Rows
		}
	}
	return names, rows
}

// linesOf yields the lines of the files. A file that breaks off ends with an
// error, and the next one follows.
func linesOf(dir string, names []string) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		for _, name := range names {
			for line, err := range dataset.ReadLines(filepath.Join(dir, name)) {
				line.Text = slices.Clone(line.Text)
				if !yield(place{name, line}, err) {
					return
				}
			}
		}
	}
}

// batch takes the next lines, io.EOF where there are none. What cannot be read
// is left to CheckFolder, which reads the same files.
func batch(next func() (place, error, bool)) (lines []place, err error) {
	for len(lines) < rowsPerJob {
		line, err, ok := next()
		if !ok {
			break
		}
		if err == nil {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return nil, io.EOF
	}
	return lines, nil
}

func prove(v *stages.Verifier, tests *dataset.Duplicates, lines []place) (p proven) {
	for _, line := range lines {
		row, err := dataset.ParseRow(line.Text)
		if err != nil {
			continue // CheckFolder tells it
		}
		p.rows++
		p.answers += 1 + len(row.Negatives)
		for _, problem := range v.Row(&row) {
			p.problems = append(p.problems, fmt.Sprintf("proof: %s:%d: %s: %v", line.file, line.Number, row.ID, problem))
		}
		if tests == nil || row.Split != dataset.Train && row.Split != dataset.Validation {
			continue
		}
		found := tests.Find(dataset.Asked{Context: row.Context, Query: row.Query}.Text())
		if len(found) == 0 {
			continue
		}
		if found[0].Exact {
			p.exact++
		} else {
			p.near++
		}
		p.problems = append(p.problems, fmt.Sprintf("test set: %s:%d: %s is %s", line.file, line.Number, row.ID, alike(found[0])))
	}
	return p
}

func alike(d dataset.Duplicate) string {
	if d.Exact {
		return "the question " + d.ID
	}
	return fmt.Sprintf("%.3f similar to the question %s", d.Similarity, d.ID)
}

func (a *app) showVerification(v *verification) error {
	switch {
	case a.json:
		if err := a.emit(v); err != nil {
			return err
		}
	case v.Found == 0:
		a.printf("%s\n", v.summary())
	default:
		for _, p := range v.Problems {
			a.printf("%s\n", p)
		}
		if more := v.Found - len(v.Problems); more > 0 {
			a.printf("and %d more\n", more)
		}
	}
	if v.Against != nil && v.Against.Exact+v.Against.Near > 0 {
		a.remark("of the test set's %s, %s have the same words and %d are near", count(v.Against.Questions, "question"), count(v.Against.Exact, "row"), v.Against.Near)
	}
	if v.Found > 0 {
		return fmt.Errorf("%s in %s (%d rows read)", count(v.Found, "problem"), v.Folder, v.Rows)
	}
	return nil
}

// summary is for a folder without problems.
func (v *verification) summary() string {
	s := fmt.Sprintf("%d rows: every positive proven right, every negative proven wrong (%d answers)", v.Rows, v.Answers)
	if v.By != "" {
		s += ", by the reading of " + v.By
	}
	if v.Claims > 0 {
		s += fmt.Sprintf("; %d rows are said to be unproven and were not tried", v.Claims)
	}
	if v.Against != nil {
		s += fmt.Sprintf("; none is like any of the %s of the test set", count(v.Against.Questions, "question"))
	}
	return s
}
