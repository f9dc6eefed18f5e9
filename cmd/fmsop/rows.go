package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
)

// eachRows has some rows of a dataset's file at a time worked on, in parallel,
// and takes the results in order. The file has to have as many as are said.
func eachRows[T any](ctx context.Context, o run.Options, path string, rows int, work func([]dataset.Row) (T, error), take func(T) error) error {
	next, stop := iter.Pull2(dataset.ReadLines(path))
	defer stop()
	source := run.NewTurns(func() ([]dataset.Line, error) { return nextLines(next) })
	err := run.Ordered(ctx, o, (rows+rowsPerJob-1)/rowsPerJob,
		func(_ context.Context, i int) (done T, err error) {
			lines, err := source.Take(i)
			if err != nil {
				return done, err
			}
			rows := make([]dataset.Row, len(lines))
			for i, line := range lines {
				if rows[i], err = dataset.ParseRow(line.Text); err != nil {
					return done, &dataset.LineError{File: path, Line: line.Number, Err: err}
				}
			}
			return work(rows)
		},
		func(_ int, done T) error { return take(done) })
	var line *dataset.LineError
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s has fewer rows than the %d of %s", path, rows, dataset.ManifestFile)
	case errors.As(err, &line): // without "job 3"
		return line
	case err != nil:
		return err
	}
	if _, damaged, more := next(); more {
		return cmp.Or(damaged, fmt.Errorf("%s has more rows than the %d of %s", path, rows, dataset.ManifestFile))
	}
	return nil
}

// nextLines takes the lines of one job, io.EOF where there are none.
func nextLines(next func() (dataset.Line, error, bool)) (lines []dataset.Line, err error) {
	for len(lines) < rowsPerJob {
		line, err, ok := next()
		if !ok {
			break
		}
		if err != nil {
			return nil, err
		}
		lines = append(lines, dataset.Line{Number: line.Number, Text: slices.Clone(line.Text)})
	}
	if len(lines) == 0 {
		return nil, io.EOF
	}
	return lines, nil
}
