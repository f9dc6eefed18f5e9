package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/bench"
	"github.com/fmsop/fmsop/configs"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

func (a *app) generateCommand() *cobra.Command {
	var dir, shard string
	var force bool
	var author string
	var p paraphrasing
	c := &cobra.Command{
		Use:   "generate [CORPUS…|DOC… --author MODEL] -o DIR",
		Short: "Make a dataset folder of contrastive groups",
		Long: `Writes a folder with the groups of the corpora: train_K.jsonl.zst (the stages up
to K), validation, test, what was dropped and why, a manifest and a dataset
card. The same seed gives the same bytes with any number of workers. The folder
appears when it is whole; what is interrupted leaves nothing.

With --config RECIPE it makes what the recipe says (configs/recipes has those of
the paper); where the recipe has several runs, a folder each in DIR.

With --tokenizer the manifest says how many tokens the rows of each file and
stage have. With --max-tokens N none has more: a longer one gives way to the same
case under fewer rules, of those that the procedure may leave out and that do not
matter to any of its answers, else it is dropped and counted. Text is never cut.

With --shard 2/4 it makes the second quarter of the jobs, for one of four
machines; fmsop merge joins the four folders.

With --paraphrase a model rewords questions, SOPs and what customers say.
Answers stay as they are. A rewording is taken where it keeps every name,
number, term, action and negation and the reader of the style reads the same;
else the text stays. The replies are kept in DIR.ledger, from which the same
command goes on after it was stopped.

With --author a model reads documents that have no pack, .md or .txt, and writes
the rows itself. What the oracles decide by its reading is proven or dropped and
kept apart as unreviewed; the rest is kept apart as unproven. Nothing of it is
in the files to train on.`,
		Example: `  fmsop generate -o data
  fmsop generate bank healthcare -o data --groups 20000 --ratio 4,6,8 --split-by scenario
  fmsop generate bank_tasks.json -o bank-tasks --seed 7 -j 4
  fmsop generate -o data --tokenizer Qwen2.5-7B-Instruct --max-tokens 2048
  fmsop generate -o shard-2 --shard 2/4
  fmsop generate bank dmv -o data --scenarios executed
  fmsop generate bank -o data --paraphrase ollama:qwen2.5:7b
  fmsop generate handbook.md runbook.txt -o drafts --author ollama:qwen2.5:7b`,
		ValidArgsFunction: completeCorpora,
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return hint(usagef("generate needs the output folder: -o DIR"), "fmsop generate -o data")
			}
			if author != "" {
				return a.author(cmd, args, dir, force, author)
			}
			var i, n int // 0 for the whole
			var err error
			if cmd.Flags().Changed("shard") {
				if i, n, err = dataset.ParseShard(shard); err != nil {
					return usage(err)
				}
			}
			if cmd.Flags().Changed("parts") && p.model == "" {
				return usagef("--parts is of use with --paraphrase MODEL alone")
			}
			if err := p.options.Validate(); err != nil {
				return usage(err)
			}
			for _, r := range a.datasets(dir) {
				a.config.Generate = r.options
				made, err := a.generate(cmd.Context(), args, i, n, r.dir, force, p)
				if err != nil {
					return err
				}
				if err := a.showGeneration(made, false); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.StringVarP(&dir, "output", "o", "", "`DIR`, the folder to make")
	flags.StringVar(&shard, "shard", "", "`I/N`, the part of the jobs to do: shard I of N, counted from 1")
	flags.BoolVar(&force, "force", false, "replace a dataset folder that is there")
	flags.StringVar(&author, "author", "", "`MODEL` that writes rows about documents without a pack")
	flags.StringVar(&p.model, "paraphrase", "", "`MODEL` that rewords texts")
	flags.StringSliceVar(&p.options.Parts, "parts", nil, "`PART,…` that it rewords: "+strings.Join(stages.Parts, ", ")+" (default all)")
	a.generateFlags(c)
	return c
}

// generated is a dataset that is to be made.
type generated struct {
	dir     string
	options stages.Options
}

// datasets are those of the configuration: dir itself, or one in it for each of
// the runs that a recipe has.
func (a *app) datasets(dir string) (list []generated) {
	for _, r := range a.config.Runs {
		list = append(list, generated{filepath.Join(dir, r.Name), r.Generate})
	}
	if list == nil {
		return []generated{{dir, a.config.Generate}}
	}
	return list
}

// generateFlags adds the flags that override the configuration. They are taken
// over when the command runs, after the configuration was read.
func (a *app) generateFlags(c *cobra.Command) {
	var o stages.Options
	var compression, tokenizer string
	d := configs.Default()
	flags := c.Flags()
	flags.IntVar(&o.Groups, "groups", d.Generate.Groups, "`N` groups a stage")
	flags.IntSliceVar(&o.Ratio, "ratio", d.Generate.Ratio, "`A,B,C` negatives a group of stage 1, 2 and 3")
	flags.IntSliceVar(&o.Stages, "stages", d.Generate.Stages, "`K,…`, the stages to generate")
	flags.StringVar(&o.SplitBy, "split-by", d.Generate.SplitBy, "`UNIT` that no two splits share: "+strings.Join(dataset.Units, ", ")+" (default as the corpora say)")
	flags.StringVar(&o.Scenarios, "scenarios", stages.Scenarios[0], "how scenarios come about: "+strings.Join(stages.Scenarios, ", ")+" in a pack that runs, whose tools' answers the contexts then hold")
	flags.StringVar(&tokenizer, "tokenizer", "", "`PATH` of a tokenizer.json or a model's folder: the manifest says how long rows are under its chat template")
	flags.IntVar(&o.MaxTokens, "max-tokens", d.Generate.MaxTokens, "`N` tokens that a row may have with the longest of its answers; rules that do not matter are left out, else the row")
	flags.StringVar(&compression, "compression", d.Dataset.Compression, "`LEVEL`: "+strings.Join(configs.Compressions, ", "))
	c.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for name, override := range map[string]func(*stages.Options){
			"groups":     func(g *stages.Options) { g.Groups = o.Groups },
			"ratio":      func(g *stages.Options) { g.Ratio = o.Ratio },
			"stages":     func(g *stages.Options) { g.Stages = o.Stages },
			"max-tokens": func(g *stages.Options) { g.MaxTokens = o.MaxTokens },
			"scenarios":  func(g *stages.Options) { g.Scenarios = o.Scenarios },
			"split-by":   func(g *stages.Options) { g.SplitBy = o.SplitBy },
			"seed":       func(g *stages.Options) { g.Seed = a.config.Generate.Seed },
		} {
			if cmd.Flags().Changed(name) {
				override(&a.config.Generate)
				for i := range a.config.Runs {
					override(&a.config.Runs[i].Generate)
				}
			}
		}
		if cmd.Flags().Changed("compression") {
			a.config.Dataset.Compression = compression
		}
		if err := a.config.Validate(); err != nil {
			return usage(err)
		}
		for _, g := range a.datasets("") {
			if g.options.MaxTokens > 0 && tokenizer == "" {
				return hint(usagef("max-tokens needs a tokenizer: --tokenizer PATH"), "the tokenizer.json of the model, or its folder")
			}
		}
		var err error
		a.counter, err = openCounter(tokenizer)
		return err
	}
}

// generate makes shard i of n, or the whole where n is 0.
func (a *app) generate(ctx context.Context, names []string, i, n int, dir string, force bool, p paraphrasing) (*generation, error) {
	corpora, err := a.corpora(names)
	if err != nil {
		return nil, err
	}
	plan, err := a.plan(corpora)
	if err != nil {
		return nil, err
	}
	if n > 0 {
		if err := plan.Shard(i, n); err != nil {
			return nil, usage(err)
		}
	}
	if p.model != "" {
		return a.paraphrase(ctx, plan, dir, force, p)
	}
	return a.execute(ctx, plan, dir, force)
}

// plan allots the work, and has scenarios executed where the configuration says so.
func (a *app) plan(corpora []*corpus.Corpus) (*stages.Plan, error) {
	executors := map[*sop.Domain]stages.Executor{}
	if a.config.Generate.Scenarios == stages.ScenariosExecuted {
		for _, c := range corpora {
			r, err := bench.NewRealiser(strings.TrimPrefix(c.Source, "builtin:"))
			if err != nil {
				return nil, fmt.Errorf("--scenarios executed: %w", err)
			}
			executors[c.Domain] = r
		}
	}
	plan, err := stages.NewPlan(a.config.Generate, corpora)
	if err != nil {
		return nil, usage(err)
	}
	if len(executors) > 0 {
		plan.Execute(executors)
	}
	return plan, nil
}

func (a *app) generateFrom(ctx context.Context, corpora []*corpus.Corpus, dir string, force bool) (*generation, error) {
	plan, err := a.plan(corpora)
	if err != nil {
		return nil, err
	}
	return a.execute(ctx, plan, dir, force)
}

func (a *app) execute(ctx context.Context, plan *stages.Plan, dir string, force bool) (*generation, error) {
	ctx, drain, stop := a.drained(ctx)
	begin := time.Now()
	result, err := plan.Generate(ctx, dir,
		dataset.Options{Force: force, Compression: a.config.Dataset.Compression, Counter: a.counter},
		run.Options{Workers: a.config.Workers, Progress: a.progress("generate"), Drain: drain})
	stop()
	if err != nil {
		return nil, stopped(err, dir)
	}
	return summaryOf(dir, result.Manifest, result.Asked, begin)
}

// drained lets signals end the work, and says so.
func (a *app) drained(ctx context.Context) (context.Context, *run.Drain, func()) {
	ctx, drain, stop := run.NotifyDrain(ctx, os.Interrupt, syscall.SIGTERM)
	said := make(chan struct{})
	go func() {
		defer close(said)
		select {
		case <-drain.Asked():
			a.remark("stopping once the jobs in flight are done; again to stop at once")
		case <-ctx.Done():
		}
	}()
	return ctx, drain, func() {
		stop()
		<-said
	}
}

// stopped says what became of the folder.
func stopped(err error, dir string) error {
	var drained run.ErrDrained
	switch {
	case errors.As(err, &drained):
		return fmt.Errorf("%w; %s was not written", err, dir)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("stopped at once; %s was not written", dir)
	}
	return err
}
