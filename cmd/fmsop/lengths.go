package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/tokens"
)

// stageLengths are the tokens of the rows of one stage under the chat template.
type stageLengths struct {
	Prompt tokens.Summary `json:"prompt"`      // up to where the model begins to answer
	Whole  tokens.Summary `json:"with_answer"` // with the longest of the answers
}

// counted are the lengths of some rows, by stage.
type counted struct{ prompts, wholes map[int]tokens.Lengths }

func newCounted() counted { return counted{map[int]tokens.Lengths{}, map[int]tokens.Lengths{}} }

// lengths counts the tokens of every row of the files.
func (a *app) lengths(dir string, r *dataset.Reader, names []string, t *tokens.Tokenizer) (map[int]stageLengths, error) {
	all := newCounted()
	for _, name := range names {
		err := eachRows(context.Background(), run.Options{Workers: a.config.Workers, Progress: a.progress("tokens of " + name)},
			filepath.Join(dir, name), r.Manifest.Files[name].Rows,
			func(rows []dataset.Row) (counted, error) {
				some := newCounted()
				for i := range rows {
					if err := some.count(&rows[i], t); err != nil {
						return some, fmt.Errorf("row %q: %w", rows[i].ID, err)
					}
				}
				return some, nil
			},
			func(some counted) error {
				merge(all.prompts, some.prompts)
				merge(all.wholes, some.wholes)
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
	stages := map[int]stageLengths{}
	for stage, prompts := range all.prompts {
		stages[stage] = stageLengths{prompts.Summary(), all.wholes[stage].Summary()}
	}
	return stages, nil
}

func merge(into, from map[int]tokens.Lengths) {
	for stage, l := range from {
		if into[stage] == nil {
			into[stage] = tokens.Lengths{}
		}
		into[stage].Merge(l)
	}
}

func (c counted) count(row *dataset.Row, t *tokens.Tokenizer) error {
	prompt, err := t.Asked(row.Prompt())
	if err != nil {
		return err
	}
	answers := []string{row.Positive.Text}
	for _, n := range row.Negatives {
		answers = append(answers, n.Text)
	}
	whole, err := t.Answered(row.Prompt(), answers...)
	if err != nil {
		return err
	}
	merge(c.prompts, map[int]tokens.Lengths{row.Stage: {prompt: 1}})
	merge(c.wholes, map[int]tokens.Lengths{row.Stage: {whole: 1}})
	return nil
}

// lengthsTable lays the lengths out for a person.
func lengthsTable(stages map[int]stageLengths) string {
	rows := [][]string{{"tokens", "", "median", "95 %", "longest"}}
	for _, stage := range slices.Sorted(maps.Keys(stages)) {
		for i, s := range []tokens.Summary{stages[stage].Prompt, stages[stage].Whole} {
			what := []string{fmt.Sprintf("stage %d", stage), "prompt"}
			if i == 1 {
				what = []string{"", "with the longest answer"}
			}
			rows = append(rows, append(what, fmt.Sprint(s.Median), fmt.Sprint(s.P95), fmt.Sprint(s.Longest)))
		}
	}
	return columns(rows)
}
