package llm

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// openai speaks the chat-completions protocol, which most servers have.
//
// The official client is not used: it makes the program four times as large
// and retries by itself, for two requests.
type openai struct{ endpoint }

type openaiMessage struct {
	Role       string           `json:"role"`
	Content    *string          `json:"content"`
	ToolCalls  []openaiToolCall `json:"tool_calls,omitempty"`
	ToolCallID string           `json:"tool_call_id,omitempty"`
	Name       string           `json:"name,omitempty"`
	// Of replies only.
	Refusal          string `json:"refusal,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`
	ReasoningContent string `json:"reasoning_content,omitempty"` // the name that some servers give it
}

type openaiToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type openaiToken struct {
	Token   string        `json:"token"`
	Logprob float64       `json:"logprob"`
	Top     []openaiToken `json:"top_logprobs"`
}

type openaiReply struct {
	Choices []struct {
		Message  openaiMessage `json:"message"`
		Finish   string        `json:"finish_reason"`
		Logprobs struct {
			Content []openaiToken `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
	Usage openaiUsage `json:"usage"`
}

type openaiUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

func (o *openai) chat(ctx context.Context, q Request) (Reply, error) {
	began := time.Now()
	var answer openaiReply
	if err := o.post(ctx, "chat/completions", o.request(q), &answer); err != nil {
		return Reply{}, err
	}
	if len(answer.Choices) == 0 {
		return Reply{}, o.fail(Unreadable, nil, "the reply has no choices")
	}
	reply := answer.reply()
	if reply.Finish == "" {
		reply.Timing.Total = time.Since(began)
		return reply, o.fail(BrokenOff, &reply, "the reply ended without a finish reason")
	}
	return o.checked(q, reply, began)
}

func (o *openai) request(q Request) map[string]any {
	body := map[string]any{"model": o.model, "messages": openaiMessages(q.Messages)}
	set(body, "temperature", q.Temperature)
	set(body, "top_p", q.TopP)
	set(body, "seed", q.seed())
	setPositive(body, "top_k", q.TopK)
	setPositive(body, o.maxTokens(), q.MaxTokens)
	if len(q.Stop) > 0 {
		body["stop"] = q.Stop
	}
	switch q.Think {
	case "", "on":
	case "off":
		body["reasoning_effort"] = "none"
	default:
		body["reasoning_effort"] = q.Think
	}
	if q.Logprobs {
		body["logprobs"] = true
		setPositive(body, "top_logprobs", q.TopLogprobs)
	}
	if q.Schema != nil {
		body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{
			"name": q.Schema.name, "schema": q.Schema, "strict": true}}
	}
	if len(q.Tools) > 0 {
		var tools []any
		for _, t := range q.Tools {
			tools = append(tools, map[string]any{"type": "function", "function": map[string]any{
				"name": t.Name, "description": t.Description, "parameters": parameters(t)}})
		}
		body["tools"] = tools
	}
	maps.Copy(body, q.Extra)
	return body
}

// maxTokens is what the limit is called: OpenAI itself refuses the old name
// for new models, others do not know the new one.
func (o *openai) maxTokens() string {
	if strings.HasSuffix(o.base.Hostname(), "openai.com") {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

func openaiMessages(messages []Message) (out []openaiMessage) {
	for _, m := range messages {
		message := openaiMessage{Role: m.Role, Content: &m.Text, ToolCallID: m.ToolCallID, Name: m.ToolName}
		for _, c := range m.ToolCalls {
			call := openaiToolCall{ID: c.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = c.Name, c.Arguments
			message.ToolCalls = append(message.ToolCalls, call)
		}
		if m.Text == "" && len(m.ToolCalls) > 0 {
			message.Content = nil
		}
		out = append(out, message)
	}
	return out
}

// finishes are other servers' names for OpenAI's reasons.
var finishes = map[string]Finish{
	"eos_token": FinishStop, "stop_sequence": FinishStop, "end_turn": FinishStop,
	"max_tokens": FinishLength, "function_call": FinishTools, "content_filter": FinishRefused,
}

func (a openaiReply) reply() Reply {
	choice := a.Choices[0]
	r := Reply{
		Thinking: choice.Message.Reasoning + choice.Message.ReasoningContent,
		Logprobs: tokens(choice.Logprobs.Content),
		Finish:   Finish(choice.Finish),
		Usage:    Usage(a.Usage),
	}
	if choice.Message.Content != nil {
		r.Text = *choice.Message.Content
	}
	if finish, ok := finishes[choice.Finish]; ok {
		r.Finish = finish
	}
	if choice.Message.Refusal != "" {
		r.Text, r.Finish = choice.Message.Refusal, FinishRefused
	}
	for _, c := range choice.Message.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
	return r
}

func tokens(in []openaiToken) (out []Token) {
	for _, t := range in {
		out = append(out, Token{t.Token, t.Logprob, tokens(t.Top)})
	}
	return out
}

func (o *openai) embed(ctx context.Context, texts []string) ([][]float32, Usage, error) {
	var answer struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage openaiUsage `json:"usage"`
	}
	request := map[string]any{"model": o.model, "input": texts, "encoding_format": "float"}
	if err := o.post(ctx, "embeddings", request, &answer); err != nil {
		return nil, Usage{}, err
	}
	vectors := make([][]float32, len(texts))
	for _, d := range answer.Data {
		if d.Index >= 0 && d.Index < len(vectors) {
			vectors[d.Index] = d.Embedding
		}
	}
	if i := slices.IndexFunc(vectors, func(v []float32) bool { return v == nil }); i >= 0 {
		return nil, Usage{}, o.fail(Unreadable, nil, "there is no embedding of text %d of %d", i, len(texts))
	}
	return vectors, Usage(answer.Usage), nil
}
