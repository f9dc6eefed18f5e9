package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
)

func (a *app) diffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "What differs between two dataset folders",
		Long: `Compares settings, counts, and the rows by their ids. The exit status is 1 where
the folders differ.`,
		Example: "  fmsop diff data-1 data-2\n  fmsop diff data-1 data-2 --json",
		Args:    arguments(2, 2),
		RunE: func(_ *cobra.Command, dirs []string) error {
			d, err := dataset.Diff(dirs[0], dirs[1])
			if err != nil {
				return err
			}
			if err := a.showDifference(d); err != nil {
				return err
			}
			if !d.Empty() {
				return fmt.Errorf("%s and %s differ", dirs[0], dirs[1])
			}
			return nil
		},
	}
}

func (a *app) showDifference(d *dataset.Difference) error {
	if a.json {
		return a.emit(d)
	}
	a.printf("rows: %d the same, %d changed, %d only in the first, %d only in the second\n", d.Same, d.Changed, d.OnlyA, d.OnlyB)
	var rows [][]string
	for _, part := range []struct {
		name    string
		changes []dataset.Change
	}{{"setting", d.Manifest}, {"count", d.Counts}, {"such as", d.Examples}} {
		for _, c := range part.changes {
			rows = append(rows, []string{"  " + part.name, c.What, cmp.Or(c.A, "none") + " -> " + cmp.Or(c.B, "none")})
		}
	}
	if len(rows) > 0 {
		a.printf("%s\n", columns(rows))
	}
	return nil
}
