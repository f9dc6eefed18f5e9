package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
)

func (a *app) pipelineCommand() *cobra.Command {
	dir, force := "fmsop-data", false
	c := &cobra.Command{
		Use:   "pipeline",
		Short: "Everything: validate, generate, verify, measure, show",
		Long: `Checks the corpora, generates a dataset folder, proves it again from its texts,
measures what a model could exploit in it, and shows one group. Without a
configuration it takes every built-in domain and the settings of
configs/default.yaml.`,
		Example: "  fmsop pipeline\n  fmsop pipeline -o data --groups 5000 --force",
		Args:    arguments(0, 0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.pipeline(cmd.Context(), dir, force) },
	}
	c.Flags().StringVarP(&dir, "output", "o", dir, "`DIR`, the folder to make")
	c.Flags().BoolVar(&force, "force", false, "replace a dataset folder that is there")
	a.generateFlags(c)
	return c
}

func (a *app) pipeline(ctx context.Context, dir string, force bool) error {
	begin := time.Now()
	a.step(1, "corpora")
	corpora, err := a.corpora(nil)
	if err != nil {
		return err
	}
	total := 0
	for _, c := range corpora {
		s := summarize(c)
		total += s.Procedures
		if a.json {
			err = a.emit(s)
		} else {
			a.printf("%s: %s, %s, %s, no problem\n", s.Corpus, count(s.Procedures, "procedure"), count(s.Conditions, "condition"), count(s.Terms, "term"))
		}
		if err != nil {
			return err
		}
	}

	a.step(2, "generate")
	made, err := a.generateFrom(ctx, corpora, dir, force)
	if err != nil {
		return err
	}
	if err := a.showGeneration(made, true); err != nil {
		return err
	}

	a.step(3, "verify")
	proof, err := a.verify(ctx, dir, nil)
	if err != nil {
		return err
	}
	if err := a.showVerification(proof); err != nil {
		return err
	}

	a.step(4, "stats")
	report, err := a.stats(dir)
	if err != nil {
		return err
	}
	if a.json {
		err = a.emit(report)
	} else {
		a.printf("%s", report.Table(bool(a.paint)))
	}
	if err != nil {
		return err
	}

	a.step(5, "show")
	err = a.show(dir, selection{n: 1, also: telling})
	if errors.Is(err, errNoGroup) {
		err = a.show(dir, selection{n: 1})
	}
	if err != nil {
		return err
	}
	if a.json {
		return nil
	}
	a.printf("\n%s\n", a.paint.heading("done"))
	a.printf("%d groups of %d procedures in %d domains, every answer proven, in %.1f s\n", made.Made, total, len(corpora), time.Since(begin).Seconds())
	a.printf("%s\n", columns([][]string{
		{"  " + dir + "/train_*.jsonl.zst", "to train on, validation and test beside them"},
		{"  " + dir + "/README.md", "the dataset card"},
		{"  fmsop show " + dir + " --n 3", "more groups"},
		{"  fmsop check --serve :8017", "the same oracle as a reward"},
	}))
	return nil
}

// telling picks a group that shows much: a whole workflow of some length, and
// a wrong answer of each operator.
func telling(r *dataset.Row) bool {
	operators := map[string]bool{}
	for _, n := range r.Negatives {
		operators[n.Operator] = true
	}
	w, _ := steps(r.Positive.Payload)
	return len(w) >= 4 && len(operators) >= min(4, len(r.Negatives))
}

const pipelineSteps = 5

// step says on a line of its own what comes, at once.
func (a *app) step(n int, name string) {
	if a.json {
		return
	}
	if n > 1 {
		a.printf("\n")
	}
	a.printf("%s\n", a.paint.heading(fmt.Sprintf("%d/%d %s", n, pipelineSteps, name)))
	a.out.Flush() // an error shows at the end
}
