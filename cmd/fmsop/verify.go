package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/stages"
)

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR",
		Short: "Prove every row of a dataset folder again, from its texts",
		Long: `Reads everything again: hashes, counts, the cumulative files, duplicates, what
splits share; then parses the texts of every row, computes what the procedure
says, and holds each answer against it. The exit status is 1 where anything
does not hold.`,
		Example: "  fmsop verify data\n  fmsop verify data --json",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := a.verify(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.showVerification(v)
		},
	}
}

// verification is what verify found.
type verification struct {
	Folder   string   `json:"folder"`
	Rows     int      `json:"rows"`
	Answers  int      `json:"answers"`
	Claims   int      `json:"unproven"` // rows that the folder itself calls unproven
	Found    int      `json:"found"`
	Problems []string `json:"problems"` // the first maxProblems of those found
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
}

func (a *app) verify(ctx context.Context, dir string) (*verification, error) {
	reader, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	v := &verification{Folder: dir, Problems: []string{}}
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
			return prove(verifier, lines), nil
		},
		func(_ int, p proven) error {
			v.Rows += p.rows
			v.Answers += p.answers
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

func prove(v *stages.Verifier, lines []place) (p proven) {
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
	}
	return p
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
	if v.Found > 0 {
		return fmt.Errorf("%s in %s (%d rows read)", count(v.Found, "problem"), v.Folder, v.Rows)
	}
	return nil
}

// summary is for a folder without problems.
func (v *verification) summary() string {
	s := fmt.Sprintf("%d rows: every positive proven right, every negative proven wrong (%d answers)", v.Rows, v.Answers)
	if v.Claims > 0 {
		s += fmt.Sprintf("; %d rows are said to be unproven and were not tried", v.Claims)
	}
	return s
}
