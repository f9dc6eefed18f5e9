package llm

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/ollama/ollama/envconfig"
)

// spec is one server with a model.
type spec struct {
	kind  string   // ollama or openai
	base  *url.URL // of the server
	model string
	own   bool // the address was given, not the default
}

// The hosts that are meant where a spec names none.
const (
	openaiHost = "https://api.openai.com/v1"
	openaiKey  = "OPENAI_API_KEY" // sent to that host alone, unless the options name a variable
)

// parseSpecs reads what Open takes.
func parseSpecs(text string) ([]spec, error) {
	var specs []spec
	for part := range strings.SplitSeq(text, ",") {
		s, err := parseSpec(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if len(specs) > 0 && s.name() != specs[0].name() {
			return nil, fmt.Errorf("%s and %s are two models, want servers of one", specs[0].name(), s.name())
		}
		specs = append(specs, s)
	}
	return specs, nil
}

func parseSpec(text string) (spec, error) {
	kind, rest, ok := strings.Cut(text, ":")
	if !ok || kind != "ollama" && kind != "openai" {
		return spec{}, fmt.Errorf("model %q begins with neither ollama: nor openai:, want for instance ollama:qwen2.5:7b", text)
	}
	s := spec{kind: kind, model: rest}
	if !strings.HasPrefix(rest, "http://") && !strings.HasPrefix(rest, "https://") {
		if rest == "" {
			return spec{}, fmt.Errorf("model %q names no model, want for instance %sqwen2.5:7b", text, text)
		}
		s.base = defaultHost(kind)
		return s, nil
	}
	address, model, _ := strings.Cut(rest, "#")
	if model == "" {
		return spec{}, fmt.Errorf("model %q names no model, want for instance %s:%s#qwen2.5:7b", text, kind, address)
	}
	base, err := url.Parse(address)
	switch {
	case err != nil || base.Host == "":
		return spec{}, fmt.Errorf("model %q has no valid address, want for instance %s:http://localhost:8000#%s", text, kind, model)
	case base.User != nil:
		return spec{}, fmt.Errorf("the address of model %q holds a password, want the key in an environment variable", model)
	case base.RawQuery != "":
		return spec{}, fmt.Errorf("the address of model %q holds a query, want none", model)
	}
	s.base, s.model, s.own = base, model, true
	return s, nil
}

func defaultHost(kind string) *url.URL {
	if kind == "ollama" {
		return envconfig.Host() // OLLAMA_HOST
	}
	base, err := url.Parse(openaiHost)
	if err != nil {
		panic(err)
	}
	return base
}

// name is the model without its server: what replies are kept under.
func (s spec) name() string { return s.kind + ":" + s.model }

// server is the model with its host, as errors name it.
func (s spec) server() string { return s.name() + " at " + s.base.Host }
