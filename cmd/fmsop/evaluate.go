package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fmsop/fmsop/agents"
)

func (a *app) evaluateCommand() *cobra.Command {
	var o evaluateOptions
	c := &cobra.Command{
		Use:   "evaluate [CORPUS…] --model MODEL -o RUN",
		Short: "Score a model on SOPs: rubric, test set, answers, scores, report",
		Long: `Does what the commands rubric, testset, answer, score and report do, one after
the other. What is in the folder already is taken up: a run that was stopped
goes on, another model is compared with those that are there.

A MODEL is as fmsop models check takes it, or a baseline: ` + strings.Join(agents.Baselines, ", ") + `.`,
		Example: `  fmsop evaluate bank --model ollama:qwen2.5:7b -o run
  fmsop evaluate my-pack --model openai:http://gpu1:8000/v1#tuned --model ollama:qwen2.5:7b -o run --repeats 3
  fmsop evaluate bank --model baseline:random -o run`,
		ValidArgsFunction: completeCorpora,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dir == "" {
				return hint(usagef("evaluate needs the run folder: -o RUN"), "fmsop evaluate bank --model ollama:qwen2.5:7b -o run")
			}
			if err := a.validAnswer(o.answer); err != nil {
				return err
			}
			return a.evaluate(cmd.Context(), args, o)
		},
	}
	flags := c.Flags()
	runFlag(flags, &o.dir)
	o.testset.flags(flags)
	o.answer.flags(flags)
	o.score.flags(flags)
	return c
}

// runFlag is the folder of the commands that can begin a run.
func runFlag(flags *pflag.FlagSet, dir *string) {
	flags.StringVarP(dir, "output", "o", "", "`RUN`, the folder to make or to go on with")
}

type evaluateOptions struct {
	dir     string
	testset testsetOptions
	answer  answerOptions
	score   scoreOptions
}

func (a *app) evaluate(ctx context.Context, names []string, o evaluateOptions) error {
	e, err := a.begin(o.dir, names)
	if err != nil {
		return err
	}
	if err := e.MakeRubrics(ctx, agents.SymbolicGenerator{}, false); err != nil {
		return err
	}
	if err := a.makeTestset(ctx, e, o.testset); err != nil {
		return err
	}
	models, err := a.answer(ctx, e, o.answer)
	if err != nil {
		return err
	}
	scorer, err := a.score(ctx, e, models, o.score)
	if err != nil {
		return err
	}
	page := e.Path(agents.ReportFile)
	s, err := a.writeReport(e, scorer, page)
	if err != nil {
		return err
	}
	return a.showReport(s, page)
}

// begin opens a run folder, or makes it for these corpora. Those of a folder
// that is there need not be named again.
func (a *app) begin(dir string, names []string) (*agents.Evaluation, error) {
	if len(names) == 0 && agents.IsRun(dir) {
		return agents.OpenEvaluation(dir)
	}
	corpora, err := a.corpora(names)
	if err != nil {
		return nil, err
	}
	return agents.StartEvaluation(dir, corpora, a.config.Generate.Seed)
}
