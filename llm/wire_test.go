package llm

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/require"
)

// wire is a protocol as its servers speak it, so that one test can hold for
// all back ends.
type wire struct {
	name string
	// open returns the model x on the server.
	open func(t *testing.T, s *httptest.Server, o Options) *Client
	// read decodes a request, write a reply; fail is an error.
	read  func(t *testing.T, r *http.Request) asked
	write func(w http.ResponseWriter, a canned)
	fail  func(w http.ResponseWriter, status int, message string)
	embed func(w http.ResponseWriter, vectors [][]float32)
}

// asked is a request as it came.
type asked struct {
	path, model, authorization string
	messages                   []Message
	tools                      []Tool
	schema                     string
	settings                   map[string]any // by our names
}

// canned is a reply to send.
type canned struct {
	text, thinking, refusal string
	calls                   []ToolCall
	tokens                  []Token
	finish                  string // "" is one that never ends
	prompt, completion      int
}

var wires = []wire{
	{
		name: "ollama",
		open: func(t *testing.T, s *httptest.Server, o Options) *Client { return opened(t, "ollama:"+s.URL+"#x", o) },
		read: func(t *testing.T, r *http.Request) asked {
			var q api.ChatRequest
			require.NoError(t, json.NewDecoder(r.Body).Decode(&q))
			a := asked{path: r.URL.Path, model: q.Model, authorization: r.Header.Get("Authorization"), schema: string(q.Format), settings: map[string]any{}}
			require.False(t, *q.Stream || *q.Truncate || *q.Shift, "want one reply, and an error for what does not fit")
			for theirs, ours := range map[string]string{"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "seed": "seed",
				"num_predict": "max_tokens", "stop": "stop", "num_ctx": "context", "num_thread": "extra"} {
				if v, ok := q.Options[theirs]; ok {
					a.settings[ours] = v
				}
			}
			if q.Logprobs {
				a.settings["logprobs"], a.settings["top_logprobs"] = true, float64(q.TopLogprobs)
			}
			if q.Think != nil {
				a.settings["think"] = q.Think.Value
			}
			for _, m := range q.Messages {
				message := Message{Role: m.Role, Text: m.Content, ToolCallID: m.ToolCallID, ToolName: m.ToolName}
				for _, c := range m.ToolCalls {
					message.ToolCalls = append(message.ToolCalls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments.String()})
				}
				a.messages = append(a.messages, message)
			}
			for _, tool := range q.Tools {
				parameters, err := json.Marshal(tool.Function.Parameters)
				require.NoError(t, err)
				a.tools = append(a.tools, Tool{tool.Function.Name, tool.Function.Description, parameters})
			}
			return a
		},
		write: func(w http.ResponseWriter, c canned) {
			a := api.ChatResponse{Model: "x", Message: api.Message{Role: "assistant", Content: c.text + c.refusal, Thinking: c.thinking}, Done: c.finish != ""}
			a.DoneReason, a.PromptEvalCount, a.EvalCount = c.finish, c.prompt, c.completion
			if c.finish == "tool_calls" {
				a.DoneReason = "stop"
			}
			for _, call := range c.calls {
				var made api.ToolCall
				made.ID, made.Function.Name = call.ID, call.Name
				if err := json.Unmarshal([]byte(call.Arguments), &made.Function.Arguments); err != nil {
					panic(err)
				}
				a.Message.ToolCalls = append(a.Message.ToolCalls, made)
			}
			for _, t := range c.tokens {
				l := api.Logprob{TokenLogprob: api.TokenLogprob{Token: t.Text, Logprob: t.Logprob}}
				for _, top := range t.Top {
					l.TopLogprobs = append(l.TopLogprobs, api.TokenLogprob{Token: top.Text, Logprob: top.Logprob})
				}
				a.Logprobs = append(a.Logprobs, l)
			}
			send(w, a)
		},
		fail: func(w http.ResponseWriter, status int, message string) {
			w.WriteHeader(status)
			send(w, map[string]any{"error": message})
		},
		embed: func(w http.ResponseWriter, vectors [][]float32) {
			send(w, map[string]any{"model": "x", "embeddings": vectors, "prompt_eval_count": 7})
		},
	},
	{
		name: "openai",
		open: func(t *testing.T, s *httptest.Server, o Options) *Client {
			return opened(t, "openai:"+s.URL+"/v1#x", o)
		},
		read: func(t *testing.T, r *http.Request) asked {
			var q struct {
				openaiRequest
				Messages []openaiMessage `json:"messages"`
			}
			var all map[string]any
			var text json.RawMessage
			require.NoError(t, json.NewDecoder(r.Body).Decode(&text))
			require.NoError(t, json.Unmarshal(text, &q))
			require.NoError(t, json.Unmarshal(text, &all))
			a := asked{path: r.URL.Path, model: q.Model, authorization: r.Header.Get("Authorization"), schema: string(q.Format.JSONSchema.Schema), settings: map[string]any{}}
			for theirs, ours := range map[string]string{"temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "seed": "seed", "max_tokens": "max_tokens",
				"stop": "stop", "logprobs": "logprobs", "top_logprobs": "top_logprobs", "reasoning_effort": "think", "num_thread": "extra"} {
				if v, ok := all[theirs]; ok {
					a.settings[ours] = v
				}
			}
			for _, m := range q.Messages {
				message := Message{Role: m.Role, ToolCallID: m.ToolCallID, ToolName: m.Name}
				if m.Content != nil {
					message.Text = *m.Content
				}
				for _, c := range m.ToolCalls {
					require.Equal(t, "function", c.Type)
					message.ToolCalls = append(message.ToolCalls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments})
				}
				a.messages = append(a.messages, message)
			}
			for _, tool := range q.Tools {
				a.tools = append(a.tools, tool.Function)
			}
			return a
		},
		write: func(w http.ResponseWriter, c canned) {
			message := map[string]any{"role": "assistant", "content": c.text}
			if c.text == "" {
				message["content"] = nil
			}
			if c.thinking != "" {
				message["reasoning_content"] = c.thinking
			}
			if c.refusal != "" {
				message["refusal"] = c.refusal
			}
			var calls []any
			for _, call := range c.calls {
				calls = append(calls, map[string]any{"id": call.ID, "type": "function", "function": map[string]any{"name": call.Name, "arguments": call.Arguments}})
			}
			if calls != nil {
				message["tool_calls"] = calls
			}
			choice := map[string]any{"index": 0, "message": message, "finish_reason": c.finish, "logprobs": nil}
			if c.finish == "" {
				choice["finish_reason"] = nil
			}
			if c.tokens != nil {
				var content []any
				for _, t := range c.tokens {
					top := []any{}
					for _, other := range t.Top {
						top = append(top, map[string]any{"token": other.Text, "logprob": other.Logprob, "bytes": nil})
					}
					content = append(content, map[string]any{"token": t.Text, "logprob": t.Logprob, "top_logprobs": top})
				}
				choice["logprobs"] = map[string]any{"content": content, "refusal": nil}
			}
			send(w, map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "x", "choices": []any{choice},
				"usage": map[string]any{"prompt_tokens": c.prompt, "completion_tokens": c.completion, "total_tokens": c.prompt + c.completion}})
		},
		fail: func(w http.ResponseWriter, status int, message string) {
			w.WriteHeader(status)
			send(w, map[string]any{"error": map[string]any{"message": message, "type": "some_error", "param": nil, "code": nil}})
		},
		embed: func(w http.ResponseWriter, vectors [][]float32) {
			data := []any{}
			for i := len(vectors) - 1; i >= 0; i-- { // in no order
				data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vectors[i]})
			}
			send(w, map[string]any{"object": "list", "data": data, "usage": map[string]any{"prompt_tokens": 7, "total_tokens": 7}})
		},
	},
}

type openaiRequest struct {
	Model string `json:"model"`
	Tools []struct {
		Function Tool `json:"function"`
	} `json:"tools"`
	Format struct {
		JSONSchema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func send(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}

func opened(t *testing.T, model string, o Options) *Client {
	t.Helper()
	c, err := Open(model, o)
	require.NoError(t, err)
	return c
}

// serve starts a server until the test ends.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// eachWire runs a test with a server of every protocol.
func eachWire(t *testing.T, test func(t *testing.T, w wire)) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) { test(t, w) })
	}
}

func says(text string) Request { return Request{Messages: []Message{{Role: User, Text: text}}} }
