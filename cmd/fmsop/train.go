package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/train"
)

func (a *app) trainCommand() *cobra.Command {
	var o trainOptions
	c := &cobra.Command{
		Use:   "train DATA --model FOLDER -o OUT",
		Short: "Train a model on a dataset folder, stage after stage",
		Long: `Trains a model on the groups of a dataset folder: contrastively, its right
answer against the wrong ones, over the cumulative sets of the stages. A FOLDER
is one as Hugging Face writes it. The recipes are recommended, the default, and
paper; a file may hold another, --set changes one setting, and train.weights of
a --config file are the weights of the stages' losses.

OUT then holds the resolved recipe, what was trained on what (run.json),
metrics.jsonl, checkpoints, and model, a folder with merged weights, tokenizer
and Modelfile, which ollama create takes. --resume goes on where a run was
stopped. The first Ctrl-C lets the step in hand end and saves, the second stops
at once.

The trainer is a Python package that the program carries. It is run by the
Python that --python names, else FMSOP_PYTHON, else python3, which has to have
PyTorch, Transformers, PEFT and Accelerate. With --accelerate it is run on
several devices, as the configuration file says that accelerate config writes.

--then evaluate gives the model to Ollama, under the name of OUT, and evaluates
it on the corpora of --config, else on the built-in domains of the data.`,
		Example: `  fmsop train data --model Qwen2.5-7B-Instruct -o tuned
  fmsop train data --model Qwen2.5-0.5B-Instruct -o tuned --set method=full --set epochs=1
  fmsop train data --model Qwen2.5-7B-Instruct -o tuned --resume --then evaluate`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.data = args[0]
			return a.train(cmd.Context(), o)
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.model, "model", "", "`FOLDER` of the model to begin with")
	flags.StringVarP(&o.dir, "output", "o", "", "`OUT`, the folder of the run")
	flags.StringVar(&o.recipe, "recipe", "recommended", "recommended, paper, or a YAML `FILE`")
	flags.StringArrayVar(&o.settings, "set", nil, "`KEY=VALUE`, a setting of the recipe; may be given several times")
	flags.BoolVar(&o.resume, "resume", false, "go on where the run in OUT was stopped")
	flags.StringVar(&o.then, "then", "", "`evaluate`: give the model to Ollama and evaluate it")
	flags.StringVar(&o.python, "python", "", "`PROGRAM` that runs the trainer (default $FMSOP_PYTHON, else python3)")
	flags.StringVar(&o.accelerate, "accelerate", "", "`FILE` of accelerate config, to run on several devices")
	return c
}

type trainOptions struct {
	data, model, dir, recipe string
	settings                 []string
	resume                   bool
	then                     string
	python, accelerate       string
}

func (o trainOptions) validate() error {
	const example = "fmsop train data --model Qwen2.5-7B-Instruct -o tuned"
	switch {
	case o.model == "":
		return hint(usagef("train needs the folder of a model: --model FOLDER"), example)
	case o.dir == "":
		return hint(usagef("train needs the folder of the run: -o OUT"), example)
	case o.then != "" && o.then != "evaluate":
		return usagef("--then is %q, want evaluate", o.then)
	}
	return nil
}

func (a *app) train(ctx context.Context, o trainOptions) error {
	if err := o.validate(); err != nil {
		return err
	}
	if w := a.config.Train.Weights; w != nil {
		text, err := json.Marshal(w)
		if err != nil {
			return err
		}
		o.settings = slices.Concat([]string{"weights=" + string(text)}, o.settings)
	}
	var served *servedModel
	if o.then != "" {
		// Hours before it is needed.
		var err error
		if served, err = a.toServe(o); err != nil {
			return err
		}
	}
	if err := a.runTrainer(o); err != nil {
		return err
	}
	if served != nil {
		return a.evaluateServed(ctx, *served)
	}
	if a.json {
		return a.emit(map[string]string{"run": o.dir, "model": filepath.Join(o.dir, trainedModel)})
	}
	name := filepath.Base(filepath.Clean(o.dir))
	a.next("ollama create %s -f %s && fmsop evaluate --model ollama:%s -o %s", name, filepath.Join(o.dir, trainedModel, "Modelfile"), name, filepath.Join(o.dir, evaluationFolder))
	return nil
}

// Folders of a run.
const (
	trainedModel     = "model"
	evaluationFolder = "evaluation"
)

// trainerEnded is a trainer that has said why it failed.
type trainerEnded struct{ status int }

func (e trainerEnded) Error() string {
	return fmt.Sprintf("the trainer ended with status %d", e.status)
}

// runTrainer runs the Python package to its end. It gets the signals that this
// process gets, each once, and decides what they mean.
func (a *app) runTrainer(o trainOptions) error {
	python, err := findPython(o.python)
	if err != nil {
		return err
	}
	if err := a.missingModules(python); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "fmsop-train-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := train.Install(folder); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}

	child := exec.Command(python, o.arguments(a.quiet)...)
	child.Stdout, child.Stderr = a.stdout, a.stderr
	path := folder
	if given := os.Getenv("PYTHONPATH"); given != "" {
		path += string(os.PathListSeparator) + given
	}
	child.Env = append(os.Environ(), "PYTHONPATH="+path, "PYTHONDONTWRITEBYTECODE=1", "FMSOP="+self)
	inOwnGroup(child)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := a.out.Flush(); err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return fmt.Errorf("%s: %w", python, withoutPath(err))
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		select {
		case s := <-signals:
			signalGroup(child.Process, s)
		case err := <-ended:
			return trainerError(err)
		}
	}
}

// arguments is the trainer's command line.
func (o trainOptions) arguments(quiet bool) []string {
	args := []string{"-m", train.Module}
	if o.accelerate != "" {
		args = []string{"-m", "accelerate.commands.launch", "--config_file", o.accelerate, "-m", train.Module}
	}
	args = append(args, o.data, "--model", o.model, "--output", o.dir, "--recipe", o.recipe)
	for _, s := range o.settings {
		args = append(args, "--set", s)
	}
	if o.resume {
		args = append(args, "--resume")
	}
	if quiet {
		args = append(args, "--quiet")
	}
	return args
}

// trainerError keeps the status of a trainer that said why, and says how one
// ended that could not.
func trainerError(err error) error {
	var exit *exec.ExitError
	switch {
	case !errors.As(err, &exit):
		return err
	case exit.ExitCode() == 1 || exit.ExitCode() == 2:
		return trainerEnded{exit.ExitCode()}
	}
	return hint(fmt.Errorf("the trainer ended: %s", exit.ProcessState), "go on from the last checkpoint with --resume; where memory ran out, lower micro_tokens or max_tokens with --set")
}

func findPython(given string) (string, error) {
	for _, name := range []string{given, os.Getenv("FMSOP_PYTHON"), "python3"} {
		if name == "" {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			return "", hint(fmt.Errorf("no program %s, which would run the trainer", name), "install Python 3.11 or later, or name it with --python")
		}
		return path, nil
	}
	panic("unreachable: the last name is none that is given")
}

// missingModules is an error where Python lacks what the trainer imports. It
// looks for the modules without loading them, which takes seconds.
func (a *app) missingModules(python string) error {
	required := train.Requirements()
	const look = "import sys, importlib.util as u; print(*(m for m in sys.argv[1:] if not u.find_spec(m)))"
	out, err := exec.Command(python, slices.Concat([]string{"-c", look}, slices.Sorted(maps.Keys(required)))...).Output()
	if err != nil {
		return hint(fmt.Errorf("%s cannot be run: %w", python, err), "install Python 3.11 or later, or name it with --python")
	}
	missing := strings.Fields(string(out))
	if len(missing) == 0 {
		return nil
	}
	var packages []string
	for _, m := range missing {
		packages = append(packages, required[m])
	}
	return hint(fmt.Errorf("%s has no %s, which the trainer needs", python, strings.Join(missing, ", ")), "%s -m pip install %s", python, strings.Join(packages, " "))
}

// servedModel is a trained model on its way to be evaluated.
type servedModel struct {
	ollama, name, dir string
	corpora           []string
}

// toServe looks whether what --then evaluate needs is there.
func (a *app) toServe(o trainOptions) (*servedModel, error) {
	ollama, err := exec.LookPath("ollama")
	if err != nil {
		return nil, hint(errors.New("no program ollama, which --then evaluate needs"), "install Ollama, or leave --then out and serve %s otherwise", filepath.Join(o.dir, trainedModel))
	}
	s := &servedModel{ollama: ollama, name: filepath.Base(filepath.Clean(o.dir)), dir: o.dir, corpora: a.config.Corpora}
	if len(s.corpora) == 0 {
		m, err := dataset.ReadManifest(o.data)
		if err != nil {
			return nil, err
		}
		s.corpora = slices.Sorted(maps.Keys(m.Counts.Domain))
	}
	_, err = a.corpora(s.corpora)
	return s, hint(err, "name the packs of the data in a file, as corpora: [my-pack], and give it with --config")
}

func (a *app) evaluateServed(ctx context.Context, s servedModel) error {
	create := exec.CommandContext(ctx, s.ollama, "create", s.name, "-f", filepath.Join(s.dir, trainedModel, "Modelfile"))
	create.Stderr = a.stderr
	if a.quiet {
		create.Stderr = io.Discard
	}
	if err := create.Run(); err != nil {
		return hint(fmt.Errorf("%s: %w", create, err), "is the server there? fmsop models check ollama:%s", s.name)
	}
	return a.evaluate(ctx, s.corpora, evaluateOptions{
		dir:     filepath.Join(s.dir, evaluationFolder),
		testset: testsetOptions{TestOptions: agents.TestOptions{}.WithDefaults(), allowShortfall: true},
		answer:  answerOptions{models: []string{"ollama:" + s.name}, AskOptions: agents.AskOptions{}.WithDefaults()},
	})
}
