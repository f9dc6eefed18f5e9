package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

func (a *app) lintCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [CORPUS…]",
		Short: "What is sound in a corpus and yet makes poor data",
		Long: `Says of a corpus that validates what makes poor data of it: terms that could be
mistaken for nothing, definitions that are nearly the same, names that nothing
uses, ends that no case comes to, procedures that admit one workflow only; and,
for each procedure, how much data it can give. It is advice: the exit status
is 0.`,
		Example:           "  fmsop corpus lint ./my-pack",
		ValidArgsFunction: completeCorpora,
		RunE:              func(_ *cobra.Command, args []string) error { return a.lint(args) },
	}
}

// procedureCapacity is how much data a procedure can give, at most.
type procedureCapacity struct {
	Corpus    string  `json:"corpus"`
	Procedure string  `json:"procedure"`
	Terms     int     `json:"terms"`  // that stage 1 asks about
	Groups    float64 `json:"groups"` // of stages 2 and 3, an estimate from above
}

func (a *app) lint(names []string) error {
	loaded, err := a.corpora(names)
	for _, c := range loaded {
		advice := corpus.Lint(c.Domain)
		for _, x := range advice {
			if a.json {
				if err := a.emit(map[string]string{"corpus": c.Domain.Name, "item": x.Item, "text": x.Text}); err != nil {
					return err
				}
				continue
			}
			a.printf("%s: %s\n", c.Domain.Name, x)
		}
		if err := a.capacities(c); err != nil {
			return err
		}
		if !a.json {
			a.printf("%s: %s\n", c.Domain.Name, count(len(advice), "remark"))
		}
	}
	return err
}

func (a *app) capacities(c *corpus.Corpus) error {
	rows := [][]string{{"PROCEDURE", "TERMS (STAGE 1)", "GROUPS (STAGES 2, 3), AT MOST"}}
	for _, p := range c.Domain.Procedures {
		x := procedureCapacity{Corpus: c.Domain.Name, Procedure: p.Goal, Groups: stages.Capacity(c.Domain, p)}
		for _, t := range c.Domain.Glossary {
			if slices.Contains(t.UsedIn, p.Goal) {
				x.Terms++
			}
		}
		if a.json {
			if err := a.emit(x); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{p.Goal, fmt.Sprint(x.Terms), fmt.Sprintf("%.0f", x.Groups)})
	}
	if !a.json {
		a.printf("%s", columns(rows))
	}
	return nil
}
