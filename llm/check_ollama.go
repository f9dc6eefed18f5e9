package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
)

func (o *ollama) check(ctx context.Context, c *Check) {
	var version struct{ Version string }
	if err := o.get(ctx, "api/version", &version); c.failed(err) {
		c.Advice = o.startIt()
		return
	}
	c.Reachable, c.Version = true, "Ollama "+version.Version
	var shown api.ShowResponse
	if err := o.post(ctx, "api/show", api.ShowRequest{Model: o.model}, &shown); c.failed(err) {
		if errors.Is(err, NoModel) {
			c.Problem = fmt.Sprintf("it does not have %s; %s", o.model, others(o.model, o.models(ctx)))
			c.Advice = o.command("pull " + o.model)
		}
		return
	}
	can := func(what model.Capability) bool { return slices.Contains(shown.Capabilities, what) }
	c.Size, c.Quantization = shown.Details.ParameterSize, shown.Details.QuantizationLevel
	c.Context = contextLength(shown)
	c.Tools, c.Thinking, c.Embeddings = able(can(model.CapabilityTools)), able(can(model.CapabilityThinking)), able(can(model.CapabilityEmbedding))
	if !can(model.CapabilityCompletion) {
		c.Present = can(model.CapabilityEmbedding)
		c.Problem = "it cannot chat, only embed"
		return
	}
	think := ""
	if c.Thinking == Yes {
		think = "off"
	}
	if c.failed(c.probe(ctx, o, think)) {
		return
	}
	if c.ContextNow = o.contextNow(ctx); c.ContextNow > 0 && c.ContextNow < c.Context {
		c.Advice = fmt.Sprintf("longer prompts are refused: set context under sampling, or OLLAMA_CONTEXT_LENGTH of the server, up to %d", c.Context)
	}
}

// startIt is what to type where nothing listens.
func (o *ollama) startIt() string {
	switch o.base.Hostname() {
	case "localhost", "127.0.0.1", "::1", "0.0.0.0":
		return "ollama serve"
	}
	return fmt.Sprintf("is the address right? on that machine: OLLAMA_HOST=0.0.0.0:%s ollama serve", o.base.Port())
}

// command is for the server that is asked, not the one that is here.
func (o *ollama) command(what string) string {
	if base := o.base.String(); base != defaultHost("ollama").String() {
		return "OLLAMA_HOST=" + base + " ollama " + what
	}
	return "ollama " + what
}

// models are the names of those that are there; none where that cannot be told.
func (o *ollama) models(ctx context.Context) (names []string) {
	var list api.ListResponse
	if o.get(ctx, "api/tags", &list) != nil {
		return nil
	}
	for _, m := range list.Models {
		names = append(names, m.Name)
	}
	return names
}

// contextLength is the longest that the model was made for.
func contextLength(shown api.ShowResponse) int {
	for key, value := range shown.ModelInfo {
		if length, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			return int(length)
		}
	}
	return 0
}

// contextNow is what the model is loaded with.
func (o *ollama) contextNow(ctx context.Context) int {
	var loaded api.ProcessResponse
	if o.get(ctx, "api/ps", &loaded) != nil {
		return 0
	}
	for _, m := range loaded.Models {
		if m.Name == o.model || m.Name == o.model+":latest" {
			return m.ContextLength
		}
	}
	return 0
}
