package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

// selection is which groups show prints.
type selection struct {
	ids                              []string
	n, stage                         int
	view, procedure, operator, split string
	also                             func(*dataset.Row) bool // nil: every row
}

func (a *app) showCommand() *cobra.Command {
	var s selection
	c := &cobra.Command{
		Use:   "show DIR [ID…]",
		Short: "Groups of a dataset folder, laid out for a person",
		Long: `Prints the groups of the given ids, or the first that fit the filters: what the
model reads, what is asked, the right answer, and each wrong answer with what
was changed and why it is wrong. Positions count from 0.

Without colours, what a wrong answer lacks is [-so-] and what it has instead
{+so+}.`,
		Example: `  fmsop show data
  fmsop show data --n 3 --procedure transfer_funds --operator order
  fmsop show data s2-bank-transfer_funds-3f9c21d0a4b7 --json`,
		Args: arguments(1, -1),
		RunE: func(_ *cobra.Command, args []string) error {
			s.ids = args[1:]
			return a.show(args[0], s)
		},
	}
	flags := c.Flags()
	flags.IntVar(&s.n, "n", 1, "`K`, how many groups")
	flags.IntVar(&s.stage, "stage", 0, "only of stage `K`")
	flags.StringVar(&s.view, "view", "", "only of this `VIEW`")
	flags.StringVar(&s.procedure, "procedure", "", "only of this `PROCEDURE`: transfer_funds or bank/transfer_funds")
	flags.StringVar(&s.operator, "operator", "", "only with a wrong answer made by this `OPERATOR`")
	flags.StringVar(&s.split, "split", "", "only of this `SPLIT`")
	return c
}

func (a *app) show(dir string, s selection) error {
	if s.n < 1 {
		return usagef("--n is %d, want at least 1", s.n)
	}
	reader, err := dataset.Open(dir)
	if err != nil {
		return err
	}
	if err := s.possible(reader.Manifest.Counts); err != nil {
		return err
	}
	wanted := map[string]bool{}
	for _, id := range s.ids {
		wanted[id] = true
	}
	left := s.n
	if len(wanted) > 0 {
		left = len(wanted)
	}
	shown := 0
	names, _ := provable(reader)
	for _, name := range names {
		for row, err := range reader.Rows(name) {
			if err != nil {
				return damaged(err, dir)
			}
			if len(wanted) > 0 && !wanted[row.ID] || !s.fits(&row) {
				continue
			}
			delete(wanted, row.ID)
			if err := a.showRow(&row, shown > 0); err != nil {
				return err
			}
			if shown++; shown == left {
				return nil
			}
		}
	}
	switch {
	case len(s.ids) > 0:
		return fmt.Errorf("%s has no group %s", dir, strings.Join(slices.Sorted(maps.Keys(wanted)), ", "))
	case shown == 0:
		return fmt.Errorf("%s: %w", dir, errNoGroup)
	}
	return nil
}

var errNoGroup = errors.New("no group fits all that was asked for")

// possible refuses a filter that nothing in the folder can fit.
func (s selection) possible(c dataset.Counts) error {
	for _, f := range []struct {
		flag, word string
		known      map[string]int
	}{
		{"view", s.view, c.View}, {"operator", s.operator, c.Operator}, {"split", s.split, c.Split}, {"procedure", s.procedure, procedures(c)},
	} {
		if f.word == "" || f.known[f.word] > 0 {
			continue
		}
		names := slices.Sorted(maps.Keys(f.known))
		err := usagef("--%s is %q, which no group of the folder has", f.flag, f.word)
		if near := closest(f.word, names); near != "" {
			return hint(err, "did you mean %s?", near)
		}
		return hint(err, "there are %s", strings.Join(slices.DeleteFunc(names, func(n string) bool { return strings.Contains(n, "/") }), ", "))
	}
	if s.stage != 0 && c.Stage[fmt.Sprint(s.stage)] == 0 {
		return hint(usagef("--stage is %d, which no group of the folder has", s.stage), "there are %s", strings.Join(slices.Sorted(maps.Keys(c.Stage)), ", "))
	}
	return nil
}

// procedures counts them with and without their domain.
func procedures(c dataset.Counts) map[string]int {
	known := maps.Clone(c.Procedure)
	for name, n := range c.Procedure {
		_, goal, _ := strings.Cut(name, "/")
		known[goal] += n
	}
	return known
}

func (s selection) fits(r *dataset.Row) bool {
	made := func(n dataset.Negative) bool { return n.Operator == s.operator }
	return (s.also == nil || s.also(r)) &&
		(s.stage == 0 || s.stage == r.Stage) &&
		(s.view == "" || s.view == r.View) &&
		(s.split == "" || s.split == r.Split) &&
		(s.procedure == "" || s.procedure == r.Procedure || s.procedure == r.Domain+"/"+r.Procedure) &&
		(s.operator == "" || slices.ContainsFunc(r.Negatives, made))
}

var partNames = []string{"procedure", "case", "so far"}

func (a *app) showRow(r *dataset.Row, another bool) error {
	if a.json {
		return a.emit(r)
	}
	if another {
		a.printf("\n\n")
	}
	p := a.paint
	a.printf("%s  stage %d, %s, %s/%s, %s\n", p.bold(r.ID), r.Stage, r.View, r.Domain, r.Procedure, r.Split)
	for i, part := range strings.SplitN(r.Context, stages.ContextBreak, len(partNames)) {
		a.printf("\n%s\n%s\n", p.heading(partNames[i]), strings.TrimSpace(part))
	}
	a.printf("\n%s\n%s\n", p.heading("asked"), r.Query)
	a.printf("\n%s\n%s\n", p.heading("right"), p.good(r.Positive.Text))
	explain := newExplainer(r)
	for i := range r.Negatives {
		n := &r.Negatives[i]
		a.printf("\n%s\n", p.heading(fmt.Sprintf("wrong %d: %s, %.2f similar", i+1, operatorText(n), n.Similarity)))
		a.printf("%s\n", p.change(r.Positive, n))
		a.printf("%s %s\n", p.bold("why:"), explain.why(n))
	}
	return nil
}

// operatorText names the operator and what was done in detail.
func operatorText(n *dataset.Negative) string {
	var proof struct{ Edits []string }
	if json.Unmarshal([]byte(n.Proof), &proof) != nil || len(proof.Edits) == 0 {
		return n.Operator
	}
	edits := strings.Join(proof.Edits, ", then ")
	if edits == n.Operator {
		return n.Operator
	}
	return fmt.Sprintf("%s (%s)", n.Operator, edits)
}
