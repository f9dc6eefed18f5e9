package llm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fmsop/fmsop/internal/run"
)

// Options are the settings for asking models. The zero value works.
type Options struct {
	Sampling Sampling `yaml:"sampling"`

	// KeyVariable names the environment variable with the key. None: no key,
	// but for OpenAI's own host that of OPENAI_API_KEY.
	KeyVariable string        `yaml:"key_variable"`
	Timeout     time.Duration `yaml:"timeout"`    // of one call; 0: 10 minutes
	Patience    time.Duration `yaml:"patience"`   // with servers that are all lost, before the run ends; with those that never answered it is at most 5 s; 0: 2 minutes
	KeepAlive   time.Duration `yaml:"keep_alive"` // how long Ollama keeps the model loaded; 0: as it likes, below 0: always

	Structured string `yaml:"structured"` // one of StructuredModes; "": auto
	Reasks     int    `yaml:"reasks"`     // how often a reply that cannot be used is sent back

	Concurrency       int `yaml:"concurrency"`         // calls at a time, at most; 0: 32
	Attempts          int `yaml:"attempts"`            // for a call that fails; 0: 5
	RequestsPerMinute int `yaml:"requests_per_minute"` // 0: without limit
	TokensPerMinute   int `yaml:"tokens_per_minute"`   // read and written; 0: without limit

	Budget run.Budget       `yaml:"budget"`
	Prices map[string]Price `yaml:"prices"` // by model, as in ollama:qwen2.5:7b
}

// Price is for a million tokens, in any currency.
type Price struct {
	Prompt     float64 `yaml:"prompt"`
	Completion float64 `yaml:"completion"`
}

func (p Price) of(u Usage) float64 {
	return (p.Prompt*float64(u.Prompt) + p.Completion*float64(u.Completion)) / 1e6
}

const (
	defaultTimeout     = 10 * time.Minute
	defaultPatience    = 2 * time.Minute
	defaultConcurrency = 32
	defaultAttempts    = 5
	mostLogprobs       = 20
)

// Validate reports every setting that is out of range in one line.
func (o Options) Validate() error {
	var bad []string
	wrong := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	s := o.Sampling
	if s.Temperature != nil && *s.Temperature < 0 {
		wrong("temperature is %g, want 0 or more", *s.Temperature)
	}
	if s.TopP != nil && (*s.TopP <= 0 || *s.TopP > 1) {
		wrong("top_p is %g, want over 0 and up to 1", *s.TopP)
	}
	if s.TopLogprobs < 0 || s.TopLogprobs > mostLogprobs {
		wrong("top_logprobs is %d, want 0 to %d", s.TopLogprobs, mostLogprobs)
	}
	if s.TopLogprobs > 0 && !s.Logprobs {
		wrong("top_logprobs is %d without logprobs, want logprobs: true", s.TopLogprobs)
	}
	if !slices.Contains(ThinkLevels, s.Think) {
		wrong("think is %q, want one of %s", s.Think, strings.Join(ThinkLevels[1:], ", "))
	}
	if o.Structured != "" && !slices.Contains(StructuredModes, o.Structured) {
		wrong("structured is %q, want one of %s", o.Structured, strings.Join(StructuredModes, ", "))
	}
	for _, n := range []struct {
		name  string
		value float64
	}{
		{"top_k", float64(s.TopK)}, {"max_tokens", float64(s.MaxTokens)}, {"context", float64(s.Context)},
		{"timeout", o.Timeout.Seconds()}, {"patience", o.Patience.Seconds()},
		{"reasks", float64(o.Reasks)}, {"concurrency", float64(o.Concurrency)}, {"attempts", float64(o.Attempts)},
		{"requests_per_minute", float64(o.RequestsPerMinute)}, {"tokens_per_minute", float64(o.TokensPerMinute)},
		{"budget.calls", float64(o.Budget.Calls)}, {"budget.tokens", float64(o.Budget.Tokens)},
		{"budget.cost", o.Budget.Cost}, {"budget.time", o.Budget.Time.Seconds()},
	} {
		if n.value < 0 {
			wrong("%s is %g, want 0 or more", n.name, n.value)
		}
	}
	if len(bad) > 0 {
		return errors.New(strings.Join(bad, "; "))
	}
	return nil
}
