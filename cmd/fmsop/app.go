package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/fmsop/fmsop/configs"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
)

// app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	out    *bufio.Writer // over stdout, flushed at the end
	paint  paint
	json   bool
	quiet  bool
	config configs.Config

	counter dataset.Counter // of the rows that are made; nil: their tokens are not counted
}

// run executes the command line and returns the exit status: 0, 1 for a
// failure, 2 for a command line or a configuration that cannot be run.
func (a *app) run(ctx context.Context, args []string) int {
	a.out = bufio.NewWriter(a.stdout)
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.out)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if flushing := a.out.Flush(); err == nil && flushing != nil {
		err = fmt.Errorf("standard output: %w", withoutPath(flushing))
	}
	return a.report(err)
}

func (a *app) root() *cobra.Command {
	var workers int
	var seed uint64
	var config string
	root := &cobra.Command{
		Use:   "fmsop",
		Short: "Proven contrastive data from Standard Operating Procedures",
		Long: `fmsop makes training data for language models that have to follow Standard
Operating Procedures: questions about a procedure with a right answer and
several wrong ones. Every right answer is proven right, every wrong one proven
wrong, by computing what the procedure says.

A CORPUS is the name of a built-in domain, a folder with a domain pack, or a
SOPBench task file; none means every built-in domain.`,
		Example: `  fmsop pipeline                            # everything, into ./fmsop-data
  fmsop generate bank -o bank-data --groups 5000
  fmsop verify bank-data`,
		Args:          noSuchCommand,
		RunE:          showHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			c, err := configs.Load(config)
			if err != nil {
				return usage(err)
			}
			if cmd.Flags().Changed("workers") {
				c.Workers = workers
			}
			if cmd.Flags().Changed("seed") {
				c.Generate.Seed = seed
			}
			a.config = c
			a.paint = paint(!a.json && colourful(a.stdout))
			return usage(c.Validate())
		},
	}
	flags := root.PersistentFlags()
	flags.BoolVar(&a.json, "json", false, "print one JSON object a line")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "no progress bar and no remarks")
	flags.IntVarP(&workers, "workers", "j", 0, "`N` workers; 0 means one for each processor")
	flags.Uint64Var(&seed, "seed", configs.Default().Generate.Seed, "`S`, from which every random choice follows")
	flags.StringVar(&config, "config", "", "settings: a YAML `FILE` such as configs/default.yaml")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.pipelineCommand(),
		a.generateCommand(),
		a.mergeCommand(),
		a.verifyCommand(),
		a.statsCommand(),
		a.showCommand(),
		a.diffCommand(),
		a.exportCommand(),
		a.checkCommand(),
		a.corpusCommand(),
		a.modelsCommand(),
		a.evaluateCommand(),
		a.rubricCommand(),
		a.testsetCommand(),
		a.answerCommand(),
		a.scoreCommand(),
		a.judgeCheckCommand(),
		a.reportCommand(),
		a.benchCommand(),
		a.trainCommand(),
		a.versionCommand(),
	)
	return root
}

func showHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// printf writes for a person to standard output.
func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// emit writes one line of JSON to standard output.
func (a *app) emit(v any) error {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// remark writes what is good to know to standard error.
func (a *app) remark(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

func (a *app) progress(label string) *run.Progress {
	f, ok := a.stderr.(*os.File)
	if !ok {
		return nil
	}
	return run.NewProgress(f, run.ProgressOptions{Label: label, Quiet: a.quiet})
}

// corpora loads those that are named, else those of the configuration, else
// every built-in domain.
func (a *app) corpora(names []string) ([]*corpus.Corpus, error) {
	if len(names) == 0 {
		names = a.config.Corpora
	}
	if len(names) == 0 {
		names = corpus.Builtin()
	}
	var loaded []*corpus.Corpus
	var failed []error
	given := map[string]bool{}
	for _, name := range names {
		if given[name] {
			return nil, usagef("corpus %q is named twice", name)
		}
		given[name] = true
		c, err := corpus.Load(name)
		if err != nil {
			failed = append(failed, corpusError(err))
			continue
		}
		loaded = append(loaded, c)
	}
	return loaded, errors.Join(failed...)
}

// corpusError tells a name that means nothing, which is a wrong command line,
// from a corpus that is at fault or cannot be read.
func corpusError(err error) error {
	var problems corpus.Problems
	if errors.As(err, &problems) || errors.Unwrap(err) != nil {
		return err
	}
	return usage(err)
}

// colourful tells whether out is a terminal that wants colours.
func colourful(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// withoutPath drops the operation and the path that a file error repeats.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
