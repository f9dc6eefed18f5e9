package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
)

func (a *app) scoreCommand() *cobra.Command {
	var o scoreOptions
	var models []string
	c := &cobra.Command{
		Use:   "score RUN",
		Short: "Score the answers of a run, from their keys or by a judge",
		Long: `Scores what the models of a run answered: from the keys, without a model, or by
a model that judges by the criteria of the rubric. Both can be done; each keeps
its scores apart. A judge does not judge its own answers unless that is forced.`,
		Example: `  fmsop score run
  fmsop score run --judge ollama:llama3.1:8b --model ollama:qwen2.5:7b`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := agents.OpenEvaluation(args[0])
			if err != nil {
				return err
			}
			if models, err = answeredModels(e, models); err != nil {
				return err
			}
			scorer, err := a.score(cmd.Context(), e, models, o)
			if err != nil {
				return err
			}
			s, err := a.summary(e, scorer)
			if err != nil {
				return err
			}
			if a.json {
				return a.emit(s)
			}
			a.printf("%s", headline(s))
			a.next("fmsop report %s", e.Dir)
			return nil
		},
	}
	c.Flags().StringArrayVar(&models, "model", nil, "`MODEL` whose answers to score; may be given several times; none: all")
	o.flags(c.Flags())
	return c
}

type scoreOptions struct {
	judge string
	force bool
}

func (o *scoreOptions) flags(flags *pflag.FlagSet) {
	judgeFlag(flags, &o.judge)
	flags.BoolVar(&o.force, "force", false, "let a judge judge its own answers")
}

// judgeFlag chooses among the scorers.
func judgeFlag(flags *pflag.FlagSet, judge *string) {
	flags.StringVar(judge, "judge", "", "`MODEL` that scores, instead of the keys")
}

// answeredModels are those that are named, or all that have answered.
func answeredModels(e *agents.Evaluation, named []string) ([]string, error) {
	var all []string
	for _, m := range e.Manifest.Models {
		all = append(all, m.Model)
	}
	if len(all) == 0 {
		return nil, hint(usagef("%s has no answers", e.Dir), "fmsop answer %s --model MODEL", e.Dir)
	}
	for _, name := range named {
		if !slices.Contains(all, name) {
			return nil, usagef("%s has no answers of %q, but of %s", e.Dir, name, strings.Join(all, ", "))
		}
	}
	if len(named) == 0 {
		return all, nil
	}
	return named, nil
}

// score scores the answers of the models and returns the scorer's name.
func (a *app) score(ctx context.Context, e *agents.Evaluation, models []string, o scoreOptions) (string, error) {
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var scorer agents.Scorer = agents.SymbolicScorer{}
	workers := a.config.Workers
	if o.judge != "" {
		judge, model, err := a.openJudge(ctx, e, o, agents.JudgeOptions{}.WithDefaults(), models, drain)
		if err != nil {
			return "", err
		}
		defer model.Close()
		scorer = judge
		workers = a.config.LLM.Concurrency
	}
	for _, m := range models {
		_, err := e.Score(ctx, scorer, m, run.Options{Workers: workers, Progress: a.progress("score " + m), Drain: drain})
		if err != nil {
			return "", goesOn(err)
		}
	}
	return scorer.Name(), nil
}
