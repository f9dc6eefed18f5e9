package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConformanceText(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		s := serve(t, func(out http.ResponseWriter, r *http.Request) {
			q := w.read(t, r)
			assert.Equal(t, "x", q.model)
			assert.Equal(t, []Message{{Role: System, Text: "Be brief."}, {Role: User, Text: "Who <is> it?"}, {Role: Assistant, Text: "A."}, {Role: User, Text: "Sure?"}}, q.messages)
			assert.Empty(t, q.settings, "what is not set is left to the server")
			assert.Empty(t, q.schema)
			assert.Empty(t, q.tools)
			assert.Empty(t, q.authorization)
			w.write(out, canned{text: "Yes.", thinking: "Hm.", finish: "stop", prompt: 21, completion: 3})
		})
		reply, err := w.open(t, s, Options{}).Chat(t.Context(), Request{Messages: []Message{
			{Role: System, Text: "Be brief."}, {Role: User, Text: "Who <is> it?"}, {Role: Assistant, Text: "A."}, {Role: User, Text: "Sure?"}}})
		require.NoError(t, err)
		assert.Positive(t, reply.Timing.Total)
		reply.Timing = Timing{}
		assert.Equal(t, Reply{Text: "Yes.", Thinking: "Hm.", Finish: FinishStop, Usage: Usage{21, 3}}, reply)
	})
}

func TestConformanceSampling(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		var got asked
		s := serve(t, func(out http.ResponseWriter, r *http.Request) {
			got = w.read(t, r)
			w.write(out, canned{text: "a", finish: "length", tokens: []Token{{"a", -0.25, []Token{{"a", -0.25, nil}, {"b", -1.5, nil}}}}})
		})
		q := says("hello")
		q.Sampling = Sampling{Temperature: new(0.0), TopP: new(0.5), TopK: 3, Seed: new(40), MaxTokens: 1, Stop: []string{"\n"}, Think: "low",
			Logprobs: true, TopLogprobs: 2, Extra: map[string]any{"num_thread": 1}}
		q.Repeat = 2
		reply, err := w.open(t, s, Options{}).Chat(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, map[string]any{"temperature": 0.0, "top_p": 0.5, "top_k": 3.0, "seed": 42.0, "max_tokens": 1.0, "stop": []any{"\n"},
			"think": "low", "logprobs": true, "top_logprobs": 2.0, "extra": 1.0}, got.settings)
		assert.Equal(t, FinishLength, reply.Finish)
		assert.Equal(t, []Token{{"a", -0.25, []Token{{"a", -0.25, nil}, {"b", -1.5, nil}}}}, reply.Logprobs)
	})
}

func TestConformanceTools(t *testing.T) {
	parameters := `{"type":"object","required":["username"],"properties":{"username":{"type":"string","description":"who"}}}`
	eachWire(t, func(t *testing.T, w wire) {
		var got []asked
		s := serve(t, func(out http.ResponseWriter, r *http.Request) {
			got = append(got, w.read(t, r))
			if len(got) == 1 {
				w.write(out, canned{calls: []ToolCall{{"call_1", "login_user", `{"username":"ann"}`}}, finish: "tool_calls", completion: 9})
				return
			}
			w.write(out, canned{text: "Done.", finish: "stop"})
		})
		client := w.open(t, s, Options{})
		q := says("log me in")
		q.Tools = []Tool{{"login_user", "signs in", json.RawMessage(parameters)}, {Name: "log_out"}}
		reply, err := client.Chat(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, FinishTools, reply.Finish)
		assert.Equal(t, []ToolCall{{"call_1", "login_user", `{"username":"ann"}`}}, reply.ToolCalls)

		q.Messages = append(q.Messages, reply.Message(), Message{Role: ToolRole, Text: "true", ToolCallID: "call_1", ToolName: "login_user"})
		reply, err = client.Chat(t.Context(), q)
		require.NoError(t, err)
		assert.Equal(t, "Done.", reply.Text)
		assert.Equal(t, q.Messages, got[1].messages)
		require.Len(t, got[0].tools, 2)
		assert.Equal(t, "signs in", got[0].tools[0].Description)
		assert.JSONEq(t, parameters, string(got[0].tools[0].Parameters))
		assert.JSONEq(t, `{"type":"object","properties":{}}`, string(got[0].tools[1].Parameters))
	})
}

func TestConformanceSchema(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		s := serve(t, func(out http.ResponseWriter, r *http.Request) {
			assert.JSONEq(t, `{"type":"object","properties":{"score":{"type":"integer","minimum":0,"maximum":4},"reason":{"type":"string"}},"required":["score","reason"],"additionalProperties":false}`, w.read(t, r).schema)
			w.write(out, canned{text: `{"score":3,"reason":"fits"}`, finish: "stop"})
		})
		a := Asker{Model: w.open(t, s, Options{}), Structured: "schema"}
		answer, err := Ask[verdict](t.Context(), &a, says("judge"), verdictSchema(t))
		require.NoError(t, err)
		assert.Equal(t, verdict{3, "fits"}, answer.Value)
		assert.Equal(t, 1, answer.Asked)
		assert.Empty(t, answer.Repairs)
	})
}

func TestConformanceEmbeddings(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		vectors := [][]float32{{1, 0}, {0.5, -2}}
		s := serve(t, func(out http.ResponseWriter, r *http.Request) {
			var q struct{ Input []string }
			assert.NoError(t, json.NewDecoder(r.Body).Decode(&q))
			w.embed(out, vectors[:len(q.Input)])
		})
		client := w.open(t, s, Options{})
		got, usage, err := client.Embed(t.Context(), []string{"a", "b"})
		require.NoError(t, err)
		assert.Equal(t, vectors, got)
		assert.Equal(t, 7, usage.Prompt)

		vectors = vectors[:1]
		short := serve(t, func(out http.ResponseWriter, r *http.Request) { w.embed(out, vectors) })
		_, _, err = w.open(t, short, Options{}).Embed(t.Context(), []string{"a", "b"})
		assert.ErrorIs(t, err, Unreadable)
	})
}

// TestOpenAIVariants are what servers do that call themselves compatible.
func TestOpenAIVariants(t *testing.T) {
	for _, test := range []struct {
		name, body string
		want       Reply
	}{
		{"refusal", `{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}`, Reply{Text: "I cannot.", Finish: FinishRefused}},
		{"filtered", `{"choices":[{"message":{"content":"Bo"},"finish_reason":"content_filter"}]}`, Reply{Text: "Bo", Finish: FinishRefused}},
		{"reasoning", `{"choices":[{"message":{"content":"4","reasoning":"2+2"},"finish_reason":"eos_token"}]}`, Reply{Text: "4", Thinking: "2+2", Finish: FinishStop}},
		{"no usage, no logprobs, an error that is none", `{"error":null,"choices":[{"message":{"content":"4"},"logprobs":null,"finish_reason":"max_tokens"}],"usage":null}`, Reply{Text: "4", Finish: FinishLength}},
		{"arguments that are no JSON", `{"choices":[{"message":{"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{oops"}}]},"finish_reason":"tool_calls"}]}`,
			Reply{ToolCalls: []ToolCall{{"1", "f", "{oops"}}, Finish: FinishTools}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(out http.ResponseWriter, r *http.Request) { out.Write([]byte(test.body)) })
			reply, err := wires[1].open(t, s, Options{}).Chat(t.Context(), says("hello"))
			require.NoError(t, err)
			reply.Timing = Timing{}
			assert.Equal(t, test.want, reply)
		})
	}
	s := serve(t, func(out http.ResponseWriter, r *http.Request) { out.Write([]byte(`{"choices":[]}`)) })
	_, err := wires[1].open(t, s, Options{}).Chat(t.Context(), says("hello"))
	assert.ErrorIs(t, err, Unreadable)
}

// TestConformanceErrors holds what each fault of a server becomes.
func TestConformanceErrors(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	status := func(status int, message string, header ...string) func(w wire, out http.ResponseWriter) {
		return func(w wire, out http.ResponseWriter) {
			for i := 0; i < len(header); i += 2 {
				out.Header().Set(header[i], header[i+1])
			}
			w.fail(out, status, message)
		}
	}
	reply := func(c canned) func(w wire, out http.ResponseWriter) {
		return func(w wire, out http.ResponseWriter) { w.write(out, c) }
	}
	raw := func(status int, text string) func(w wire, out http.ResponseWriter) {
		return func(_ wire, out http.ResponseWriter) { out.WriteHeader(status); out.Write([]byte(text)) }
	}
	for _, test := range []struct {
		name   string
		answer func(w wire, out http.ResponseWriter)
		kind   Kind
		says   string
		retry  time.Duration
		text   string // of the part of a reply
	}{
		{"rate", status(429, "slow down", "Retry-After", "20"), RateLimited, "rate limited (HTTP 429): slow down", 20 * time.Second, ""},
		{"busy", status(503, "server busy, please try again.  maximum pending requests exceeded"), Overloaded, "overloaded (HTTP 503): server busy, please try again. maximum pending", 0, ""},
		{"fault", status(500, "model runner has unexpectedly stopped"), ServerFault, "server fault (HTTP 500)", 0, ""},
		{"gateway", raw(504, "<html>\n<body>Gateway Time-out</body>"), Timeout, "timeout (HTTP 504): <html> <body>Gateway Time-out</body>", 0, ""},
		{"no model", status(404, `model "x" not found, try pulling it first`), NoModel, `no model (HTTP 404): model "x" not found`, 0, ""},
		{"key", status(401, "bad key"), Denied, "denied (HTTP 401): bad key", 0, ""},
		{"no money", status(402, "pay"), Denied, "denied (HTTP 402)", 0, ""},
		{"context", status(400, "the input length exceeds the context length"), PromptTooLong, "prompt too long (HTTP 400)", 0, ""},
		{"policy", status(400, "The response was filtered due to Azure OpenAI's content management policy."), Refused, "refused (HTTP 400)", 0, ""},
		{"tools", status(400, `"x" does not support tools`), BadRequest, `bad request (HTTP 400): "x" does not support tools`, 0, ""},
		{"error under 200", raw(200, `{"error":{"message":"upstream says no","code":429}}`), RateLimited, "rate limited (HTTP 429): upstream says no", 0, ""},
		{"garbled", raw(200, `{"id": "chatcm`), Unreadable, `unreadable: unexpected end of JSON input in "{\"id\": \"chatcm"`, 0, ""},
		{"html", raw(200, "<html>hello"), Unreadable, "unreadable: invalid character '<'", 0, ""},
		{"not done", reply(canned{text: "the the the"}), BrokenOff, "broken off: the reply ended without", 0, "the the the"},
		{"cut prompt", reply(canned{text: "hm", finish: "stop", prompt: 512}), PromptTooLong, "prompt too long: the server read 512 tokens of a prompt of at least 900: it cut the rest", 0, "hm"},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				s := serve(t, func(out http.ResponseWriter, r *http.Request) { test.answer(w, out) })
				_, err := w.open(t, s, Options{}).Chat(t.Context(), says(long))
				require.ErrorIs(t, err, test.kind)
				var problem *Error
				require.ErrorAs(t, err, &problem)
				assert.Contains(t, err.Error(), w.name+":x at "+strings.TrimPrefix(s.URL, "http://")+": "+test.says)
				assert.NotContains(t, err.Error(), "\n")
				assert.Less(t, len(err.Error()), 500)
				assert.Equal(t, test.retry, problem.RetryAfter)
				if test.text != "" {
					require.NotNil(t, problem.Reply)
					assert.Equal(t, test.text, problem.Reply.Text)
				}
			})
		})
	}
}

func TestConformanceConnection(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		t.Run("cut", func(t *testing.T) {
			s := serve(t, func(out http.ResponseWriter, r *http.Request) {
				out.Header().Set("Content-Length", "1000")
				out.Write([]byte(`{"message": {"role": "assistant", "content": "half`))
			})
			_, err := w.open(t, s, Options{}).Chat(t.Context(), says("hello"))
			assert.ErrorIs(t, err, BrokenOff)
		})
		t.Run("hang", func(t *testing.T) {
			s := serve(t, func(out http.ResponseWriter, r *http.Request) { w.read(t, r); <-r.Context().Done() })
			_, err := w.open(t, s, Options{Timeout: 50 * time.Millisecond}).Chat(t.Context(), says("hello"))
			assert.ErrorIs(t, err, Timeout)
		})
		t.Run("cancel", func(t *testing.T) {
			s := serve(t, func(out http.ResponseWriter, r *http.Request) { w.read(t, r); <-r.Context().Done() })
			enough := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
			_, err := w.open(t, s, Options{}).Chat(ctx, says("hello"))
			assert.Equal(t, enough, err)
		})
		t.Run("dead", func(t *testing.T) {
			s := httptest.NewServer(nil)
			s.Close()
			_, err := w.open(t, s, Options{}).Chat(t.Context(), says("hello"))
			assert.ErrorIs(t, err, Unreachable)
			assert.ErrorContains(t, err, "connection refused")
		})
		t.Run("certificate", func(t *testing.T) {
			s := httptest.NewUnstartedServer(nil)
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.StartTLS()
			t.Cleanup(s.Close)
			_, err := w.open(t, s, Options{}).Chat(t.Context(), says("hello"))
			assert.ErrorIs(t, err, Unreachable)
			assert.ErrorContains(t, err, "unreachable: x509: ")
		})
		t.Run("no certificate", func(t *testing.T) {
			s := serve(t, nil)
			s.URL = strings.Replace(s.URL, "http:", "https:", 1)
			_, err := w.open(t, s, Options{}).Chat(t.Context(), says("hello"))
			assert.ErrorIs(t, err, Unreachable)
			assert.ErrorContains(t, err, "server gave HTTP response to HTTPS client")
		})
	})
}

// TestKeyStaysSecret wants the key in the header, and nowhere else: not even
// where the server repeats it.
func TestKeyStaysSecret(t *testing.T) {
	const key = "sk-test-0123456789abcdef"
	t.Setenv("FMSOP_TEST_KEY", key)
	eachWire(t, func(t *testing.T, w wire) {
		for _, status := range []int{200, 400, 401, 429, 500} {
			s := serve(t, func(out http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "Bearer "+key, r.Header.Get("Authorization"))
				out.WriteHeader(status)
				out.Write([]byte(strings.Repeat("x", longestMessage-10) + r.Header.Get("Authorization")))
			})
			_, err := w.open(t, s, Options{KeyVariable: "FMSOP_TEST_KEY"}).Chat(t.Context(), says("hello"))
			require.Error(t, err)
			assert.NotContains(t, err.Error(), key[:6])
		}
	})
	t.Setenv("FMSOP_TEST_KEY", "")
	_, err := Open("openai:http://localhost:1/v1#x", Options{KeyVariable: "FMSOP_TEST_KEY"})
	assert.EqualError(t, err, "the environment variable FMSOP_TEST_KEY is not set, want the key of openai:x at localhost:1 in it")
	t.Setenv(openaiKey, "")
	_, err = Open("openai:gpt-x", Options{})
	assert.EqualError(t, err, "the environment variable OPENAI_API_KEY is not set, want the key of openai:gpt-x at api.openai.com in it")
}

func TestKeyOfOpenAIGoesNowhereElse(t *testing.T) {
	t.Setenv(openaiKey, "sk-mine")
	s := serve(t, func(out http.ResponseWriter, r *http.Request) {
		assert.Empty(t, r.Header.Get("Authorization"))
		wires[1].write(out, canned{text: "hi", finish: "stop"})
	})
	_, err := wires[1].open(t, s, Options{}).Chat(t.Context(), says("hello"))
	require.NoError(t, err)
}
