package llm

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/ollama/ollama/api"
)

// ollama speaks Ollama's own protocol.
type ollama struct {
	endpoint
	keepAlive time.Duration
}

func (o *ollama) chat(ctx context.Context, q Request) (Reply, error) {
	request, err := o.request(q)
	if err != nil {
		return Reply{}, err
	}
	began := time.Now()
	var answer api.ChatResponse
	if err := o.post(ctx, "api/chat", request, &answer); err != nil {
		return Reply{}, err
	}
	reply, err := o.reply(answer)
	if err != nil {
		return Reply{}, err
	}
	if !answer.Done {
		reply.Timing.Total = time.Since(began)
		return reply, o.fail(BrokenOff, &reply, "the reply ended without being done, as happens when a model repeats itself")
	}
	return o.checked(q, reply, began)
}

// request asks for an error, rather than the default, where the prompt is
// longer than the context: it would be cut, or the reply would push it out.
func (o *ollama) request(q Request) (*api.ChatRequest, error) {
	r := &api.ChatRequest{
		Model: o.model, Stream: new(false), Truncate: new(false), Shift: new(false),
		Options: o.options(q), Logprobs: q.Logprobs, TopLogprobs: q.TopLogprobs,
	}
	if o.keepAlive != 0 {
		r.KeepAlive = &api.Duration{Duration: o.keepAlive}
	}
	if q.Schema != nil {
		r.Format = q.Schema.text
	}
	switch q.Think {
	case "":
	case "on", "off":
		r.Think = &api.ThinkValue{Value: q.Think == "on"}
	default:
		r.Think = &api.ThinkValue{Value: q.Think}
	}
	for _, m := range q.Messages {
		message := api.Message{Role: m.Role, Content: m.Text, ToolName: m.ToolName, ToolCallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			call := api.ToolCall{ID: c.ID, Function: api.ToolCallFunction{Name: c.Name}}
			if err := json.Unmarshal([]byte(c.Arguments), &call.Function.Arguments); err != nil {
				return nil, o.fail(BadRequest, nil, "the arguments of the call %s are %q, want a JSON object", c.Name, oneLine(c.Arguments))
			}
			message.ToolCalls = append(message.ToolCalls, call)
		}
		r.Messages = append(r.Messages, message)
	}
	for _, t := range q.Tools {
		tool := api.Tool{Type: "function", Function: api.ToolFunction{Name: t.Name, Description: t.Description}}
		if err := json.Unmarshal(parameters(t), &tool.Function.Parameters); err != nil {
			return nil, o.fail(BadRequest, nil, "the parameters of the tool %s are no JSON Schema of an object: %v", t.Name, err)
		}
		r.Tools = append(r.Tools, tool)
	}
	return r, nil
}

// parameters of a tool; one without any still has a schema.
func parameters(t Tool) json.RawMessage {
	if t.Parameters == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}

func (o *ollama) options(q Request) map[string]any {
	options := map[string]any{}
	set(options, "temperature", q.Temperature)
	set(options, "top_p", q.TopP)
	set(options, "seed", q.seed())
	setPositive(options, "top_k", q.TopK)
	setPositive(options, "num_predict", q.MaxTokens)
	setPositive(options, "num_ctx", q.Context)
	if len(q.Stop) > 0 {
		options["stop"] = q.Stop
	}
	maps.Copy(options, q.Extra)
	return options
}

func set[T any](options map[string]any, name string, value *T) {
	if value != nil {
		options[name] = *value
	}
}

func setPositive(options map[string]any, name string, value int) {
	if value > 0 {
		options[name] = value
	}
}

func (o *ollama) reply(a api.ChatResponse) (Reply, error) {
	r := Reply{
		Text: a.Message.Content, Thinking: a.Message.Thinking, Finish: Finish(a.DoneReason),
		Usage:  Usage{Prompt: a.PromptEvalCount, Completion: a.EvalCount},
		Timing: Timing{Load: a.LoadDuration, Prompt: a.PromptEvalDuration, Generate: a.EvalDuration},
	}
	for _, c := range a.Message.ToolCalls {
		arguments, err := json.Marshal(c.Function.Arguments)
		if err != nil {
			return Reply{}, o.fail(Unreadable, &r, "the arguments of the call %s: %v", c.Function.Name, err)
		}
		r.ToolCalls = append(r.ToolCalls, ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: string(arguments)})
	}
	if len(r.ToolCalls) > 0 && r.Finish == FinishStop {
		r.Finish = FinishTools
	}
	for _, l := range a.Logprobs {
		token := Token{Text: l.Token, Logprob: l.Logprob}
		for _, t := range l.TopLogprobs {
			token.Top = append(token.Top, Token{Text: t.Token, Logprob: t.Logprob})
		}
		r.Logprobs = append(r.Logprobs, token)
	}
	return r, nil
}

func (o *ollama) embed(ctx context.Context, texts []string) ([][]float32, Usage, error) {
	request := api.EmbedRequest{Model: o.model, Input: texts, Truncate: new(false)}
	if o.keepAlive != 0 {
		request.KeepAlive = &api.Duration{Duration: o.keepAlive}
	}
	var answer api.EmbedResponse
	if err := o.post(ctx, "api/embed", request, &answer); err != nil {
		return nil, Usage{}, err
	}
	if len(answer.Embeddings) != len(texts) {
		return nil, Usage{}, o.fail(Unreadable, nil, "%d embeddings for %d texts", len(answer.Embeddings), len(texts))
	}
	return answer.Embeddings, Usage{Prompt: answer.PromptEvalCount}, nil
}
