package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
)

func (a *app) statsCommand() *cobra.Command {
	var tokenizer string
	c := &cobra.Command{
		Use:   "stats DIR",
		Short: "What a model could exploit in a dataset folder, against chance",
		Long: `Measures how well the right answer of a group can be picked without reading its
context: by length, by being in the middle, by look-up tables, by word counts;
each against chance. And what became of naive edits, and how much of test and
validation the training split has too.`,
		Example: `  fmsop stats data
  fmsop stats data --tokenizer Qwen2.5-7B-Instruct   # and how long its rows are`,
		Args: arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			counter, err := openCounter(tokenizer)
			if err != nil {
				return err
			}
			report, err := a.stats(args[0], counter)
			if err != nil {
				return err
			}
			if a.json {
				return a.emit(report)
			}
			a.printf("%s", report.Table(bool(a.paint)))
			if counter != nil {
				a.printf("\n%s", lengthsTable(report.Tokens))
			}
			return nil
		},
	}
	c.Flags().StringVar(&tokenizer, "tokenizer", "", "`PATH` of a tokenizer.json or a model's folder: rows are counted under its chat template")
	return c
}

// statsReport is what stats measures.
type statsReport struct {
	dataset.StatsReport
	Tokens map[string]dataset.TokenLengths `json:"tokens,omitempty"` // by stage
}

// stats reads every row once. Tokens are counted where there is a tokenizer.
func (a *app) stats(dir string, c dataset.Counter) (report statsReport, err error) {
	reader, err := dataset.Open(dir)
	if err != nil {
		return report, err
	}
	names, rows := provable(reader)
	progress := a.progress("stats")
	progress.Start(rows)
	defer progress.Finish()
	s := dataset.NewStats(a.config.Generate.Seed)
	for _, name := range names {
		for row, err := range reader.Rows(name) {
			if err != nil {
				return report, damaged(err, dir)
			}
			s.Add(&row)
			progress.Add(1)
		}
	}
	for d, err := range reader.Drops() {
		if err != nil {
			return report, damaged(err, dir)
		}
		s.AddDrop(d)
	}
	if c != nil {
		if report.Tokens, err = a.lengths(dir, reader, names, c); err != nil {
			return report, damaged(err, dir)
		}
	}
	report.StatsReport = s.Report()
	report.Overlap = reader.Manifest.Overlap
	return report, nil
}

// damaged says where all that is wrong with a folder can be seen.
func damaged(err error, dir string) error {
	return hint(err, "fmsop verify %s lists everything that is wrong with the folder", strings.TrimSuffix(dir, "/"))
}
