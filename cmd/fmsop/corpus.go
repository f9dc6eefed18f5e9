package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/sop/corpus"
)

func (a *app) corpusCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "corpus",
		Short: "Look at and check collections of procedures",
		Long: `A corpus is a domain with its procedures: a built-in domain, a folder with a
domain pack (domain.yaml and procedures/*.yaml), or a SOPBench task file.`,
		Example: "  fmsop corpus list\n  fmsop corpus show bank transfer_funds",
		Args:    noSuchCommand,
		RunE:    showHelp,
	}
	c.AddCommand(
		&cobra.Command{
			Use:               "list [CORPUS…]",
			Short:             "What the corpora hold",
			Example:           "  fmsop corpus list\n  fmsop corpus list ./my-pack bank_tasks.json --json",
			ValidArgsFunction: completeCorpora,
			RunE:              func(_ *cobra.Command, args []string) error { return a.listCorpora(args) },
		},
		&cobra.Command{
			Use:   "show CORPUS [PROCEDURE]",
			Short: "A domain or one of its procedures, laid out for a person",
			Long: `Without a procedure: what the domain is about, its procedures, thresholds and
values. With one: its rules as trees, the conditions that they lean on and how
each becomes known, the calls and what they require.`,
			Example:           "  fmsop corpus show bank\n  fmsop corpus show bank transfer_funds",
			Args:              arguments(1, 2),
			ValidArgsFunction: completeProcedure,
			RunE:              func(_ *cobra.Command, args []string) error { return a.showCorpus(args) },
		},
		&cobra.Command{
			Use:   "validate [CORPUS…]",
			Short: "Every problem of the corpora, with file and line",
			Long: `Every problem is reported at once, with file and line and what would be
accepted. The exit status is 1 where there is any.`,
			Example:           "  fmsop corpus validate ./my-pack",
			ValidArgsFunction: completeCorpora,
			RunE:              func(_ *cobra.Command, args []string) error { return a.validateCorpora(args) },
		},
		a.renderCommand(),
		a.importCommand(),
		a.reviewCommand(),
		a.lintCommand(),
		&cobra.Command{
			Use:   "init PACK",
			Short: "A small commented pack to start from",
			Long: `Writes a folder with a small domain pack, commented and valid, and the JSON
Schemas with which an editor completes and checks its files.`,
			Example: "  fmsop corpus init my-pack\n  fmsop corpus validate my-pack",
			Args:    arguments(1, 1),
			RunE: func(_ *cobra.Command, args []string) error {
				if err := corpus.Start(args[0]); err != nil {
					return err
				}
				a.remark("next: fmsop corpus validate %s, fmsop corpus lint %s", args[0], args[0])
				return nil
			},
		},
		&cobra.Command{
			Use:   "schema domain|procedure",
			Short: "The JSON Schema of domain.yaml or of a procedure file",
			Long: `With the schema an editor completes and checks the files of a pack. For the
YAML language server, save it and open the file with
  # yaml-language-server: $schema=procedure.schema.json`,
			Example:   "  fmsop corpus schema procedure > procedure.schema.json",
			ValidArgs: []string{"domain", "procedure"},
			Args:      arguments(1, 1),
			RunE:      func(_ *cobra.Command, args []string) error { return a.schema(args[0]) },
		},
	)
	return c
}

// corpusSummary is a line of corpus list.
type corpusSummary struct {
	Corpus     string   `json:"corpus"`
	Title      string   `json:"title"`
	Procedures int      `json:"procedures"`
	Conditions int      `json:"conditions"`
	Terms      int      `json:"terms"`
	Source     string   `json:"source"`
	Notes      []string `json:"notes,omitempty"`
}

func summarize(c *corpus.Corpus) corpusSummary {
	d := c.Domain
	return corpusSummary{d.Name, d.Title, len(d.Procedures), len(d.Conditions), len(d.Glossary), c.Source, c.Notes}
}

func (a *app) listCorpora(names []string) error {
	loaded, err := a.corpora(names)
	rows := [][]string{{"CORPUS", "PROCEDURES", "CONDITIONS", "TERMS", "SOURCE", "TITLE"}}
	for _, c := range loaded {
		s := summarize(c)
		if a.json {
			if err := a.emit(s); err != nil {
				return err
			}
		}
		rows = append(rows, []string{s.Corpus, fmt.Sprint(s.Procedures), fmt.Sprint(s.Conditions), fmt.Sprint(s.Terms), s.Source, s.Title})
	}
	if !a.json && len(rows) > 1 {
		a.printf("%s", columns(rows))
	}
	return err
}

// validation is what corpus validate found about one corpus.
type validation struct {
	Corpus   string    `json:"corpus"`
	Valid    bool      `json:"valid"`
	Problems []problem `json:"problems"`
	Notes    []string  `json:"notes"`
}

// problem is a corpus.Problem as JSON.
type problem struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func (a *app) validateCorpora(names []string) error {
	if len(names) == 0 {
		names = corpus.Builtin()
	}
	problems, invalid := 0, 0
	var unknown []error
	for _, name := range names {
		v := validation{Corpus: name, Problems: []problem{}, Notes: []string{}}
		c, err := corpus.Load(name)
		var found corpus.Problems
		switch {
		case errors.As(err, &found):
			for _, p := range found {
				v.Problems = append(v.Problems, problem(p))
			}
			problems += len(found)
			invalid++
		case err != nil:
			unknown = append(unknown, corpusError(err))
			continue
		default:
			v.Valid = true
			v.Notes = append(v.Notes, c.Notes...)
		}
		if a.json {
			if err := a.emit(v); err != nil {
				return err
			}
			continue
		}
		if v.Valid {
			a.printf("%s: %s, %s, no problem\n", name, count(len(c.Domain.Procedures), "procedure"), count(len(c.Domain.Conditions), "condition"))
		}
		for _, p := range found {
			a.printf("%s\n", p)
		}
		for _, n := range v.Notes {
			a.printf("  note: %s\n", n)
		}
	}
	if problems > 0 {
		unknown = append(unknown, fmt.Errorf("%s in %d of %d corpora", count(problems, "problem"), invalid, len(names)))
	}
	return errors.Join(unknown...)
}

func (a *app) schema(of string) error {
	domain, procedure, err := corpus.Schema()
	if err != nil {
		return err
	}
	switch of {
	case "domain":
		a.printf("%s\n", domain)
	case "procedure":
		a.printf("%s\n", procedure)
	default:
		return usagef("there is no schema %q, want domain or procedure", of)
	}
	return nil
}

func completeCorpora(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return corpus.Builtin(), cobra.ShellCompDirectiveDefault
}

// completeProcedure completes a corpus and then a procedure of it.
func completeProcedure(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return completeCorpora(cmd, args, word)
	}
	c, err := corpus.Load(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return goals(c.Domain), cobra.ShellCompDirectiveNoFileComp
}
