package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/stages"
)

// paraphrasing is what the command line says of it.
type paraphrasing struct {
	model   string
	options agents.ParaphraseOptions
}

// proposed is what became of a model's proposals.
type proposed struct {
	dataset.Author
	Proposals map[string]*dataset.Proposals `json:"proposals"`
	Calls     llm.Stats                     `json:"calls"`
}

// paraphrase makes the dataset in a folder beside, from which the model rewords
// it into its own.
func (a *app) paraphrase(ctx context.Context, plan *stages.Plan, dir string, force bool, p paraphrasing) (*generation, error) {
	dir = filepath.Clean(dir)
	o := dataset.Options{Force: force, Compression: a.config.Dataset.Compression, Stages: plan.Options.Stages,
		Counter: a.counter, MaxTokens: plan.Options.MaxTokens}
	client, err := a.openFor(p.model, dir, o)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	ctx, drain, stop := a.drained(ctx)
	defer stop()
	runner, err := a.runnerFor(client, dir, drain)
	if err != nil {
		return nil, err
	}
	defer closeRunner(runner, dir)

	temporary, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	symbolic := filepath.Join(temporary, "data")
	result, err := plan.Generate(ctx, symbolic, dataset.Options{Compression: "fastest", Counter: a.counter},
		run.Options{Workers: a.config.Workers, Progress: a.progress("generate"), Drain: drain})
	if err != nil {
		return nil, stopped(err, dir)
	}
	verifier, err := stages.NewVerifier(result.Manifest.Lexicon)
	if err != nil {
		return nil, err
	}
	p.options.Sampling = a.config.LLM.Sampling
	paraphraser, err := agents.NewParaphraser(client.Name(), a.asker(runner), verifier, p.options)
	if err != nil {
		return nil, err
	}
	m, err := paraphraser.Folder(ctx, runner, symbolic, dir, result.Manifest, o, a.asking("paraphrase", runner))
	stats := runner.Stats()
	if err != nil {
		return nil, unfinished(err, dir, p.model)
	}
	if !a.json {
		a.remark("%s", stats)
	}
	made, err := summaryOf(dir, m, result.Asked, begin)
	if made != nil {
		made.Paraphrase = &proposed{*m.Paraphrase, m.Paraphrased, stats}
	}
	return made, err
}

// openFor opens a model that is to write for a folder, if that can be written.
func (a *app) openFor(model, dir string, o dataset.Options) (*llm.Client, error) {
	w, err := dataset.Create(dir, o)
	if err != nil {
		return nil, err
	}
	w.Abort()
	client, err := llm.Open(model, a.config.LLM)
	return client, usage(err)
}

// runnerFor keeps its files beside the folder.
func (a *app) runnerFor(client *llm.Client, dir string, drain *run.Drain) (*llm.Runner, error) {
	ledger := dir + ".ledger"
	if err := os.MkdirAll(ledger, 0o777); err != nil {
		return nil, err
	}
	return llm.NewRunner(client, a.config.LLM, llm.Files{
		Ledger: filepath.Join(ledger, "replies.jsonl"), Failures: filepath.Join(ledger, "failures.jsonl"),
	}, drain)
}

// closeRunner leaves no files in which nothing was kept.
func closeRunner(r *llm.Runner, dir string) {
	r.Close()
	ledger := dir + ".ledger"
	for _, name := range []string{"replies.jsonl", "failures.jsonl"} {
		if info, err := os.Stat(filepath.Join(ledger, name)); err == nil && info.Size() == 0 {
			os.Remove(filepath.Join(ledger, name))
		}
	}
	os.Remove(ledger) // if it is empty
}

func (a *app) asker(m llm.Model) *llm.Asker {
	return &llm.Asker{Model: m, Structured: a.config.LLM.Structured, Reasks: a.config.LLM.Reasks}
}

// asking is the progress of a run that asks a model.
func (a *app) asking(label string, r *llm.Runner) *run.Progress {
	f, ok := a.stderr.(*os.File)
	if !ok {
		return nil
	}
	return run.NewProgress(f, run.ProgressOptions{Label: label, Quiet: a.quiet, Tail: r.Tail})
}

// unfinished says how a run that asks a model goes on.
func unfinished(err error, dir, model string) error {
	var drained run.ErrDrained
	var spent *run.SpentError
	var problem *llm.Error
	switch {
	case errors.As(err, &drained), errors.As(err, &spent):
		return fmt.Errorf("%w; %s was not written, the same command goes on from there", err, dir)
	case errors.As(err, &problem):
		return hint(fmt.Errorf("%w; %s was not written, the same command goes on from there", err, dir), "fmsop models check %s", model)
	}
	return stopped(err, dir)
}

// lines say how much was accepted of what, and why the rest was not.
func (p *proposed) lines() (lines []string) {
	if p == nil {
		return nil
	}
	lines = append(lines, fmt.Sprintf("by %s (%s)", p.Model, p.Prompt))
	for _, what := range slices.Sorted(maps.Keys(p.Proposals)) {
		n := p.Proposals[what]
		line := fmt.Sprintf("%s: %d of %d accepted (%s)", what, n.Accepted, n.Asked, percent(float64(n.Accepted)/float64(n.Asked)))
		if len(n.Refused) > 0 {
			line += "; refused: " + strings.ReplaceAll(countsText(n.Refused), "_", " ")
		}
		lines = append(lines, line)
	}
	return lines
}
