package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/tokens"
)

// counter counts the tokens of rows.
type counter struct{ t *tokens.Tokenizer }

func (c counter) Prompt(row *dataset.Row) (int, error) { return c.t.Asked(row.Prompt()) }

func (c counter) Whole(row *dataset.Row) (int, error) {
	answers := []string{row.Positive.Text}
	for _, wrong := range row.Negatives {
		answers = append(answers, wrong.Text)
	}
	return c.t.Answered(row.Prompt(), answers...)
}

func (c counter) Tokenizer() dataset.Tokenizer {
	return dataset.Tokenizer{SHA256: c.t.SHA256, ChatTemplate: c.t.Chat.SHA256}
}

// openCounter is nil where no tokenizer is named.
func openCounter(path string) (dataset.Counter, error) {
	if path == "" {
		return nil, nil
	}
	t, err := tokens.Open(path)
	if err != nil {
		return nil, usage(err)
	}
	return counter{t}, nil
}

// lengths counts the tokens of every row of the files.
func (a *app) lengths(dir string, r *dataset.Reader, names []string, c dataset.Counter) (map[string]dataset.TokenLengths, error) {
	all := dataset.StageTokens{}
	for _, name := range names {
		err := eachRows(context.Background(), run.Options{Workers: a.config.Workers, Progress: a.progress("tokens of " + name)},
			filepath.Join(dir, name), r.Manifest.Files[name].Rows,
			func(rows []dataset.Row) (dataset.StageTokens, error) {
				some := dataset.StageTokens{}
				for i := range rows {
					prompt, err := c.Prompt(&rows[i])
					if err != nil {
						return some, fmt.Errorf("row %q: %w", rows[i].ID, err)
					}
					whole, err := c.Whole(&rows[i])
					if err != nil {
						return some, fmt.Errorf("row %q: %w", rows[i].ID, err)
					}
					some.Add(rows[i].Stage, prompt, whole)
				}
				return some, nil
			},
			func(some dataset.StageTokens) error {
				all.Merge(some)
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
	return all.Lengths(), nil
}

// lengthsTable lays the lengths out for a person.
func lengthsTable(stages map[string]dataset.TokenLengths) string {
	rows := [][]string{{"tokens", "", "median", "95 %", "longest"}}
	for _, stage := range slices.Sorted(maps.Keys(stages)) {
		for i, s := range []dataset.TokenSummary{stages[stage].Prompt, stages[stage].Whole} {
			what := []string{"stage " + stage, "prompt"}
			if i == 1 {
				what = []string{"", "with the longest answer"}
			}
			rows = append(rows, append(what, fmt.Sprint(s.Median), fmt.Sprint(s.P95), fmt.Sprint(s.Longest)))
		}
	}
	return columns(rows)
}

// fileTokens are the lengths of the rows of a folder, by file and stage.
type fileTokens map[string]map[string]dataset.TokenLengths

// lines say of each stage how long its rows are with the longest answer. The
// files of all stages up to one are told by the largest.
func (f fileTokens) lines() (lines []string) {
	last := ""
	for name := range f {
		if strings.HasPrefix(name, "train_") {
			last = max(last, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if strings.HasPrefix(name, "train_") && name != last {
			continue
		}
		var parts []string
		for _, stage := range slices.Sorted(maps.Keys(f[name])) {
			s := f[name][stage].Whole
			parts = append(parts, fmt.Sprintf("stage %s median %d, 95 %% up to %d, longest %d", stage, s.Median, s.P95, s.Longest))
		}
		if parts != nil {
			lines = append(lines, strings.TrimSuffix(name, ".jsonl.zst")+": "+strings.Join(parts, "; "))
		}
	}
	return lines
}
