package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
)

func (a *app) statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats DIR",
		Short: "What a model could exploit in a dataset folder, against chance",
		Long: `Measures how well the right answer of a group can be picked without reading its
context: by length, by being in the middle, by look-up tables, by word counts;
each against chance. And what became of naive edits, and how much of test and
validation the training split has too.`,
		Example: "  fmsop stats data",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			report, err := a.stats(args[0])
			if err != nil {
				return err
			}
			if a.json {
				return a.emit(report)
			}
			a.printf("%s", report.Table(bool(a.paint)))
			return nil
		},
	}
}

// stats reads every row once.
func (a *app) stats(dir string) (dataset.StatsReport, error) {
	reader, err := dataset.Open(dir)
	if err != nil {
		return dataset.StatsReport{}, err
	}
	names, rows := provable(reader)
	progress := a.progress("stats")
	progress.Start(rows)
	defer progress.Finish()
	s := dataset.NewStats(a.config.Generate.Seed)
	for _, name := range names {
		for row, err := range reader.Rows(name) {
			if err != nil {
				return dataset.StatsReport{}, damaged(err, dir)
			}
			s.Add(&row)
			progress.Add(1)
		}
	}
	for d, err := range reader.Drops() {
		if err != nil {
			return dataset.StatsReport{}, damaged(err, dir)
		}
		s.AddDrop(d)
	}
	report := s.Report()
	report.Overlap = reader.Manifest.Overlap
	return report, nil
}

// damaged says where all that is wrong with a folder can be seen.
func damaged(err error, dir string) error {
	return hint(err, "fmsop verify %s lists everything that is wrong with the folder", strings.TrimSuffix(dir, "/"))
}
