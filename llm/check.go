package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
	"github.com/google/jsonschema-go/jsonschema"
)

// Check is what a model on a server can do. What was not found out is left
// empty.
type Check struct {
	Model        string  `json:"model"`
	Server       string  `json:"server"`
	Reachable    bool    `json:"reachable"`
	Version      string  `json:"version"`
	Present      bool    `json:"present"` // it answered
	Size         string  `json:"size"`    // of the parameters, such as 7.6B
	Quantization string  `json:"quantization"`
	Context      int     `json:"context"`     // in tokens, at most
	ContextNow   int     `json:"context_now"` // what a request has that asks for none
	Tools        Ability `json:"tools"`
	Schema       Ability `json:"schema"`
	Logprobs     Ability `json:"logprobs"`
	Thinking     Ability `json:"thinking"`
	Embeddings   Ability `json:"embeddings"`
	// How fast one request alone is.
	LoadSeconds    float64 `json:"load_seconds"`
	ReadPerSecond  float64 `json:"read_per_second"` // in tokens
	WritePerSecond float64 `json:"write_per_second"`
	Problem        string  `json:"problem"` // why it cannot be used; "" if it can
	Advice         string  `json:"advice"`  // what to type, or to set
}

// Ability is whether a model can do something: yes, no, or "" for unknown.
type Ability string

const (
	Yes Ability = "yes"
	No  Ability = "no"
)

func able(ok bool) Ability {
	if ok {
		return Yes
	}
	return No
}

// Check looks at the model on every server. It sends a few short requests.
func (c *Client) Check(ctx context.Context) []Check {
	checks := make([]Check, len(c.servers))
	var running sync.WaitGroup
	for i, s := range c.servers {
		running.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, c.timeout)
			defer cancel()
			checks[i] = Check{Model: s.name(), Server: s.base.String()}
			s.check(ctx, &checks[i])
		})
	}
	running.Wait()
	return checks
}

// failed notes the error, if any, that keeps the model from being used.
func (c *Check) failed(err error) bool {
	if err == nil {
		return false
	}
	c.Problem = err.Error()
	if problem, ok := errors.AsType[*Error](err); ok {
		problem := *problem
		problem.Server = "" // stands above it
		c.Problem = problem.Error()
	}
	return true
}

// probe sends requests that show what a model can do, and how fast.
func (c *Check) probe(ctx context.Context, b backend, think string) error {
	q := Request{
		Messages: []Message{{Role: User, Text: "Count from 1 to 20, in digits, with a space between them."}},
		Sampling: Sampling{Temperature: new(0.0), Seed: new(1), MaxTokens: 48, Think: think, Logprobs: true, TopLogprobs: 2},
	}
	reply, err := b.chat(ctx, q)
	if errors.Is(err, BadRequest) { // some servers refuse what they do not know
		q.Sampling = Sampling{MaxTokens: 48}
		reply, err = b.chat(ctx, q)
	}
	if problem, ok := errors.AsType[*Error](err); ok && problem.Kind == BrokenOff && problem.Reply != nil {
		reply, err = *problem.Reply, nil // it repeats itself, but it is there
	}
	if err != nil {
		return err
	}
	c.Present = true
	c.Logprobs = able(len(reply.Logprobs) > 0)
	c.LoadSeconds = reply.Timing.Load.Seconds()
	c.ReadPerSecond = perSecond(reply.Usage.Prompt, reply.Timing.Prompt.Seconds())
	c.WritePerSecond = perSecond(reply.Usage.Completion, reply.Timing.Generate.Seconds())
	if reply.Timing.Generate == 0 {
		c.WritePerSecond = perSecond(reply.Usage.Completion, reply.Timing.Total.Seconds())
	}

	q.Sampling = Sampling{MaxTokens: 64, Think: think}
	q.Schema = probeSchema
	q.Messages = []Message{{Role: User, Text: "Reply with a JSON object that says how you are."}}
	if reply, err = b.chat(ctx, q); err == nil || errors.Is(err, BadRequest) || errors.Is(err, ServerFault) {
		c.Schema = able(err == nil && probeSchema.Check([]byte(reply.Text)) == nil)
	}
	return nil
}

func perSecond(n int, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// probeSchema has one value, which no model writes by itself.
var probeSchema = func() *Schema {
	s, err := NewSchema("probe", &jsonschema.Schema{
		Type: "object", Required: []string{"k7"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		Properties: map[string]*jsonschema.Schema{"k7": {Type: "string", Enum: []any{"z3"}}},
	})
	if err != nil {
		panic(err)
	}
	return s
}()

// probeTool is for servers that do not tell what they can do.
var probeTool = Tool{Name: "weather", Description: "tells the weather", Parameters: json.RawMessage(`{"type":"object","properties":{"place":{"type":"string"}}}`)}

// others names what a server has instead of a model, the closest first.
func others(name string, have []string) string {
	if len(have) == 0 {
		return "it has no models"
	}
	slices.SortStableFunc(have, func(a, b string) int {
		return levenshtein.ComputeDistance(name, a) - levenshtein.ComputeDistance(name, b)
	})
	const most = 5
	if more := len(have) - most; more > 0 {
		return fmt.Sprintf("it has %s and %d more", strings.Join(have[:most], ", "), more)
	}
	return "it has " + strings.Join(have, ", ")
}
