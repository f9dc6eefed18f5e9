package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/llm"
)

func (a *app) modelsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "models",
		Short: "Look at the language models that can be asked",
		Long: `A MODEL is one string:

  ollama:qwen2.5:7b                       Ollama at OLLAMA_HOST, or on this machine
  ollama:http://host:11434#qwen2.5:7b     Ollama elsewhere
  openai:gpt-4.1-mini                     OpenAI, with the key in OPENAI_API_KEY
  openai:http://host:8000/v1#my-model     any server compatible with it

Several servers of one model are joined by commas; they share the load.`,
		Example: "  fmsop models check ollama:qwen2.5:7b",
		Args:    noSuchCommand,
		RunE:    showHelp,
	}
	c.AddCommand(&cobra.Command{
		Use:   "check MODEL",
		Short: "Whether a model is there, what it can do, and how fast",
		Long: `Sends a few short requests. Says what to type where the model cannot be used;
the exit status is then 1.`,
		Example: `  fmsop models check ollama:qwen2.5:7b
  fmsop models check openai:http://gpu1:8000/v1#my-model,openai:http://gpu2:8000/v1#my-model`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			model, err := llm.Open(args[0], a.config.LLM)
			if err != nil {
				return usage(err)
			}
			return a.showChecks(model.Check(cmd.Context()))
		},
	})
	return c
}

func (a *app) showChecks(checks []llm.Check) error {
	var failed []error
	for _, c := range checks {
		if a.json {
			if err := a.emit(c); err != nil {
				return err
			}
		} else {
			a.showCheck(c)
		}
		failed = append(failed, unfit(c))
	}
	return errors.Join(failed...)
}

// unfit is why a model cannot be used, with what to do about it.
func unfit(c llm.Check) error {
	if c.Problem == "" {
		return nil
	}
	err := fmt.Errorf("%s at %s: %s", c.Model, c.Server, c.Problem)
	if c.Advice == "" {
		return err
	}
	return hint(err, "%s", c.Advice)
}

func (a *app) showCheck(c llm.Check) {
	a.printf("%s at %s\n", a.paint.bold(c.Model), c.Server)
	line := func(name, format string, args ...any) { a.printf("  %-11s %s\n", name, fmt.Sprintf(format, args...)) }
	switch {
	case !c.Reachable:
		line("server", "%s", a.paint.bad("does not answer"))
		return
	case c.Version != "":
		line("server", "%s", c.Version)
	}
	if !c.Present {
		line("model", "%s", a.paint.bad("cannot be used"))
		return
	}
	if c.Size != "" {
		line("model", "%s %s", c.Size, c.Quantization)
	}
	switch {
	case c.ContextNow > 0 && c.Context > c.ContextNow:
		line("context", "%d tokens, can be set up to %d", c.ContextNow, c.Context)
	case c.Context > 0:
		line("context", "%d tokens", c.Context)
	default:
		line("context", "unknown")
	}
	for _, can := range []struct {
		name string
		able llm.Ability
	}{{"tools", c.Tools}, {"schema", c.Schema}, {"logprobs", c.Logprobs}, {"thinking", c.Thinking}, {"embeddings", c.Embeddings}} {
		if can.able == "" {
			can.able = "unknown"
		}
		line(can.name, "%s", can.able)
	}
	if c.WritePerSecond > 0 {
		line("writes", "%.3g tokens a second", c.WritePerSecond)
	}
	if c.ReadPerSecond > 0 {
		line("reads", "%.3g tokens a second", c.ReadPerSecond)
	}
	if c.LoadSeconds > 0 {
		line("loaded in", "%.3g s", c.LoadSeconds)
	}
	if c.Problem == "" && c.Advice != "" {
		line("note", "%s", c.Advice)
	}
}
