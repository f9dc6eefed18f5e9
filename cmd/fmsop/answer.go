package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/report"
	"github.com/fmsop/fmsop/rubric"
)

func (a *app) answerCommand() *cobra.Command {
	var o answerOptions
	c := &cobra.Command{
		Use:   "answer RUN --model MODEL",
		Short: "Put the test set of a run to models",
		Long: `Keeps the answers of each model in the run folder, and every reply as it comes:
a run that was stopped or killed asks only what is missing.

A MODEL is as fmsop models check takes it, or a baseline: ` + strings.Join(agents.Baselines, ", ") + `.`,
		Example: `  fmsop answer run --model ollama:qwen2.5:7b
  fmsop answer run --model ollama:qwen2.5:7b --model baseline:bm25 --book closed --repeats 5`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.validAnswer(o); err != nil {
				return err
			}
			e, err := agents.OpenEvaluation(args[0])
			if err != nil {
				return err
			}
			models, err := a.answer(cmd.Context(), e, o)
			if err != nil {
				return err
			}
			if err := a.showAnswers(e, models); err != nil {
				return err
			}
			a.next("fmsop score %s", e.Dir)
			return nil
		},
	}
	o.flags(c.Flags())
	return c
}

type answerOptions struct {
	models []string
	agents.AskOptions
}

func (o *answerOptions) flags(flags *pflag.FlagSet) {
	d := agents.AskOptions{}.WithDefaults()
	flags.StringArrayVar(&o.models, "model", nil, "`MODEL` to ask; may be given several times")
	flags.StringVar(&o.Book, "book", d.Book, "open: the SOP is in the prompt; closed: the model must know it")
	flags.IntVar(&o.Shots, "shots", d.Shots, "`N` solved questions before each")
	flags.IntVar(&o.Repeats, "repeats", d.Repeats, "`K` times each question is asked")
	flags.BoolVar(&o.Tools, "tools", d.Tools, "offer calls as tools where calls are asked for")
}

// validAnswer refuses what cannot be asked, before anything is made.
func (a *app) validAnswer(o answerOptions) error {
	if len(o.models) == 0 {
		return hint(usagef("there is no model to ask, want --model MODEL"), "--model ollama:qwen2.5:7b")
	}
	for _, name := range o.models {
		if isBaseline(name) {
			if _, err := agents.NewBaseline(name, nil, 0); err != nil {
				return usage(err)
			}
			continue
		}
		if _, err := llm.Open(name, a.config.LLM); err != nil {
			return hint(usage(err), "a baseline needs no server: %s", strings.Join(agents.Baselines, ", "))
		}
	}
	return usage(o.Validate())
}

func isBaseline(model string) bool { return strings.HasPrefix(model, report.BaselinePrefix) }

// answer puts the test set to every model and returns their names.
func (a *app) answer(ctx context.Context, e *agents.Evaluation, o answerOptions) ([]string, error) {
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	var models []string
	for _, name := range o.models {
		ask := a.askModel
		if isBaseline(name) {
			ask = a.askBaseline
		}
		answers, err := ask(ctx, e, name, o.AskOptions, drain)
		if err != nil {
			return nil, goesOn(err)
		}
		models = append(models, answers[0].Model)
	}
	return models, nil
}

// goesOn adds to the error of a run that was stopped that it can go on, and how
// to find out what is wrong with a server.
func goesOn(err error) error {
	switch {
	case errors.As(err, new(run.ErrDrained)):
		return fmt.Errorf("%w; the same command goes on from there", err)
	case errors.Is(err, llm.Unreachable):
		return hint(err, "fmsop models check MODEL says what there is; the same command goes on from there")
	}
	return err
}

func (a *app) askBaseline(ctx context.Context, e *agents.Evaluation, name string, o agents.AskOptions, drain *run.Drain) ([]rubric.Answer, error) {
	others, err := e.OtherQuestions()
	if err != nil {
		return nil, err
	}
	b, err := agents.NewBaseline(name, others, e.Manifest.Seed)
	if err != nil {
		return nil, usage(err)
	}
	how := agents.Asked{AskOptions: agents.AskOptions{Repeats: o.Repeats}}
	return e.Ask(ctx, b, how, run.Options{Workers: a.config.Workers, Progress: a.progress(name), Drain: drain})
}

func (a *app) askModel(ctx context.Context, e *agents.Evaluation, name string, o agents.AskOptions, drain *run.Drain) ([]rubric.Answer, error) {
	client, err := llm.Open(name, a.config.LLM)
	if err != nil {
		return nil, usage(err)
	}
	model, err := a.runner(e, client, drain)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	var shots []rubric.Question
	if o.Shots > 0 {
		if shots, err = e.OtherQuestions(); err != nil {
			return nil, err
		}
	}
	answerer, err := agents.NewModelAnswerer(model.Name(), model, o, a.config.LLM.Sampling, shots)
	if err != nil {
		return nil, usage(err)
	}
	how := agents.Asked{AskOptions: o, Sampling: &a.config.LLM.Sampling}
	return e.Ask(ctx, answerer, how, run.Options{Workers: a.config.LLM.Concurrency, Progress: a.progress(model.Name()), Drain: drain})
}

// runner asks a model whose replies are kept in the run folder.
func (a *app) runner(e *agents.Evaluation, client *llm.Client, drain *run.Drain) (*llm.Runner, error) {
	files := llm.Files{Ledger: e.LedgerFile(client.Name()), Failures: e.FailuresFile(client.Name())}
	if err := os.MkdirAll(filepath.Dir(files.Ledger), 0o777); err != nil {
		return nil, err
	}
	return llm.NewRunner(client, a.config.LLM, files, drain)
}

// answered is what became of the questions that one model was asked.
type answered struct {
	Model   string `json:"model"`
	Answers int    `json:"answers"`
	Empty   int    `json:"empty"`  // nothing said
	Cut     int    `json:"cut"`    // by the model's own length limit
	Failed  int    `json:"failed"` // the server gave none
	Tokens  int    `json:"tokens"` // of prompts and answers
}

func (a *app) showAnswers(e *agents.Evaluation, models []string) error {
	rows := [][]string{{"model", "answers", "empty", "cut", "failed", "tokens"}}
	for _, m := range models {
		list, err := e.Answers(m)
		if err != nil {
			return err
		}
		n := answered{Model: m, Answers: len(list)}
		for _, answer := range list {
			n.Tokens += answer.Tokens.Prompt + answer.Tokens.Answer
			switch {
			case answer.Error != "":
				n.Failed++
			case answer.Finish == string(llm.FinishLength):
				n.Cut++
			case strings.TrimSpace(answer.Said()) == "":
				n.Empty++
			}
		}
		if a.json {
			if err := a.emit(n); err != nil {
				return err
			}
		}
		rows = append(rows, []string{m, fmt.Sprint(n.Answers), fmt.Sprint(n.Empty), fmt.Sprint(n.Cut), fmt.Sprint(n.Failed), fmt.Sprint(n.Tokens)})
	}
	if !a.json {
		a.printf("%s", columns(rows))
	}
	return nil
}
