// Package llm asks language models: one request, one reply.
//
// A model is one string, see Open. Client speaks to its servers, natively to
// Ollama or as any server that is compatible with OpenAI; Ask turns a reply
// into a value of a Go type; Runner asks thousands of requests, with a ledger
// from which a killed run goes on, limits, budgets and retries. Client and
// Runner are both a Model, which is what the other packages take.
//
// The package knows nothing of what it asks about.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Model answers a request. An *Error says why there is no answer to this one;
// other errors end the run.
type Model interface {
	Chat(ctx context.Context, r Request) (Reply, error)
}

// Request is all that a reply depends on, but for the model.
type Request struct {
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// Schema constrains how the server writes its reply; nil: free text. The
	// model does not see it. Servers ignore some keywords: check the reply.
	Schema *Schema `json:"schema,omitempty"`
	Sampling
	// Repeat tells requests apart that are otherwise the same. It is added to
	// the seed.
	Repeat int `json:"repeat,omitempty"`
}

// The roles of messages.
const (
	System    = "system"
	User      = "user"
	Assistant = "assistant"
	ToolRole  = "tool"
)

// Message is one turn of a conversation.
type Message struct {
	Role      string     `json:"role"`
	Text      string     `json:"text"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"` // of an assistant
	// A tool's result names the call that it answers, by what the reply gave.
	ToolCallID string `json:"tool_call_id,omitempty"`
	ToolName   string `json:"tool_name,omitempty"`
}

// Tool is a function that the model may ask to have called.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // the JSON Schema of an object; nil: no parameters
}

// ToolCall is what the model asks to have called.
type ToolCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the model wrote them: most often a JSON object
}

// Sampling is how the model draws its reply. What is not set is left to the
// server.
type Sampling struct {
	Temperature *float64 `yaml:"temperature" json:"temperature,omitempty"` // 0 and more
	TopP        *float64 `yaml:"top_p" json:"top_p,omitempty"`             // over 0, up to 1
	TopK        int      `yaml:"top_k" json:"top_k,omitempty"`             // not of OpenAI itself
	Seed        *int     `yaml:"seed" json:"seed,omitempty"`
	MaxTokens   int      `yaml:"max_tokens" json:"max_tokens,omitempty"`
	Stop        []string `yaml:"stop" json:"stop,omitempty"`
	Think       string   `yaml:"think" json:"think,omitempty"` // one of ThinkLevels
	// Context is the length in tokens of prompt and reply. Only Ollama's own
	// protocol takes it; it loads the model again where it changes.
	Context     int  `yaml:"context" json:"context,omitempty"`
	Logprobs    bool `yaml:"logprobs" json:"logprobs,omitempty"`
	TopLogprobs int  `yaml:"top_logprobs" json:"top_logprobs,omitempty"` // alternatives of each token, 0 to 20
	// Extra is for settings that only one server has: options of Ollama, or
	// fields of the request to others.
	Extra map[string]any `yaml:"extra" json:"extra,omitempty"`
}

// ThinkLevels are the values of Sampling.Think; "" is the server's default, and
// so is "on" for servers other than Ollama.
var ThinkLevels = []string{"", "off", "on", "low", "medium", "high"}

// seed is what to send, nil for none.
func (r Request) seed() *int {
	if r.Seed == nil {
		return nil
	}
	return new(*r.Seed + r.Repeat)
}

// Reply is what a model answered.
type Reply struct {
	Text      string     `json:"text"`
	Thinking  string     `json:"thinking,omitempty"` // where the server tells it apart
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Logprobs  []Token    `json:"logprobs,omitempty"`
	Finish    Finish     `json:"finish"`
	Usage     Usage      `json:"usage"`
	Timing    Timing     `json:"timing"`
}

// Message is the reply as the next turn of the conversation.
func (r Reply) Message() Message {
	return Message{Role: Assistant, Text: r.Text, ToolCalls: r.ToolCalls}
}

// Finish is why a reply ended. A server may have further reasons.
type Finish string

const (
	FinishStop    Finish = "stop"
	FinishLength  Finish = "length" // cut by MaxTokens or the context
	FinishTools   Finish = "tool_calls"
	FinishRefused Finish = "refused"
)

// Usage is in tokens, as the server counts them; 0 where it does not say.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
}

// Timing is how long a reply took. All but Total are 0 where the server does
// not say.
type Timing struct {
	Total    time.Duration `json:"total_ns"`
	Load     time.Duration `json:"load_ns,omitempty"`
	Prompt   time.Duration `json:"prompt_ns,omitempty"`
	Generate time.Duration `json:"generate_ns,omitempty"`
}

// Token is a token of the reply with its log-probability, and the most likely
// alternatives.
type Token struct {
	Text    string  `json:"text"`
	Logprob float64 `json:"logprob"`
	Top     []Token `json:"top,omitempty"`
}
