package llamacpptest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fmsop/fmsop/llm/llamacpptest"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type object = map[string]any

type completion struct {
	Choices []struct {
		Message struct {
			Content   string
			Reasoning string `json:"reasoning_content"`
			Calls     []struct {
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
		Logprobs     struct {
			Content []struct {
				Token   string
				Logprob float64
				Top     []struct {
					Token   string
					Logprob float64
				} `json:"top_logprobs"`
			}
		}
	}
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	}
	Error struct{ Message, Type string }
}

func chat(t testing.TB, s *llamacpptest.Server, key, text string, more object) (reply completion, status int) {
	t.Helper()
	request := object{"messages": []object{{"role": "user", "content": text}}}
	for k, v := range more {
		request[k] = v
	}
	body, err := json.Marshal(request)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/v1/chat/completions", bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	got, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &reply), string(content))
	return reply, got.StatusCode
}

func TestServer(t *testing.T) {
	model, err := tinymodel.Script{
		"":        tinymodel.Says("I do not know."),
		"yes-no":  tinymodel.Says("Yes"),
		"score":   tinymodel.Says(`{"score": 3, "reason": "as it should be"}`),
		"flip":    tinymodel.OneOf(map[string]float64{"heads": 7, "tails": 3}),
		"weather": tinymodel.Says(tinymodel.Call("forecast", object{"city": "Bern"})),
		"ponder":  tinymodel.Says("<think>let me see</think>42 it is"),
		"forever": tinymodel.Endless("and so on "),
	}.Model()
	require.NoError(t, err)
	s := llamacpptest.Start(t, model, tinymodel.Thinking)

	t.Run("words", func(t *testing.T) {
		for _, test := range []struct {
			prompt, want, finish string
			tokens               int
		}{
			{"Hello.", "I do not know.", "stop", 5},
			{"yes-no?", "Yes", "stop", 2},
			{"score, or yes-no " + strings.Repeat("ä ", 800), "Yes", "stop", 2},
			{"forever", strings.Repeat("and so on ", 3), "length", 9},
		} {
			reply, status := chat(t, s, s.Key, test.prompt, object{"max_tokens": 9})
			require.Equal(t, http.StatusOK, status, reply.Error)
			assert.Equal(t, test.want, reply.Choices[0].Message.Content)
			assert.Equal(t, test.finish, reply.Choices[0].FinishReason)
			assert.Equal(t, test.tokens, reply.Usage.CompletionTokens)
		}
	})
	t.Run("thoughts", func(t *testing.T) {
		reply, _ := chat(t, s, s.Key, "ponder", nil)
		assert.Equal(t, "let me see", reply.Choices[0].Message.Reasoning)
		assert.Equal(t, "42 it is", reply.Choices[0].Message.Content)
	})
	t.Run("tools", func(t *testing.T) {
		reply, status := chat(t, s, s.Key, "weather", object{"tools": []object{{"type": "function", "function": object{
			"name": "forecast", "parameters": object{"type": "object", "properties": object{"city": object{"type": "string"}}},
		}}}})
		require.Equal(t, http.StatusOK, status, reply.Error)
		require.Len(t, reply.Choices[0].Message.Calls, 1)
		assert.Equal(t, "forecast", reply.Choices[0].Message.Calls[0].Function.Name)
		assert.JSONEq(t, `{"city": "Bern"}`, reply.Choices[0].Message.Calls[0].Function.Arguments)
		assert.Equal(t, "tool_calls", reply.Choices[0].FinishReason)
	})
	t.Run("schema", func(t *testing.T) {
		// The order of its properties is that of the reply.
		schema := json.RawMessage(`{"type": "object", "required": ["score", "reason"], "properties": {"score": {"type": "integer"}, "reason": {"type": "string"}}}`)
		reply, status := chat(t, s, s.Key, "score", object{"max_tokens": 50, "response_format": object{"type": "json_schema", "json_schema": object{"name": "verdict", "schema": schema}}})
		require.Equal(t, http.StatusOK, status, reply.Error)
		assert.Equal(t, `{"score": 3, "reason": "as it should be"}`, reply.Choices[0].Message.Content)
	})
	t.Run("log-probabilities", func(t *testing.T) {
		reply, status := chat(t, s, s.Key, "flip", object{"temperature": 0, "logprobs": true, "top_logprobs": 2})
		require.Equal(t, http.StatusOK, status, reply.Error)
		first := reply.Choices[0].Logprobs.Content[0]
		require.Len(t, first.Top, 2)
		assert.Equal(t, "heads", first.Top[0].Token)
		assert.InDelta(t, math.Log(.7), first.Top[0].Logprob, 1e-4)
		assert.Equal(t, "tails", first.Top[1].Token)
		assert.InDelta(t, math.Log(.3), first.Top[1].Logprob, 1e-4)
	})
	t.Run("refusals", func(t *testing.T) {
		_, status := chat(t, s, "another key", "yes-no", nil)
		assert.Equal(t, http.StatusUnauthorized, status)
		reply, status := chat(t, s, s.Key, strings.Repeat("too long ", 1000), nil)
		assert.Equal(t, http.StatusBadRequest, status)
		assert.Equal(t, "exceed_context_size_error", reply.Error.Type)
	})
	t.Run("sixteen at once", func(t *testing.T) {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				reply, _ := chat(t, s, s.Key, "score", nil)
				assert.Equal(t, `{"score": 3, "reason": "as it should be"}`, reply.Choices[0].Message.Content)
			})
		}
		all.Wait()
	})
	t.Run("killed", func(t *testing.T) {
		s.Kill()
		_, err := http.Get(s.URL)
		assert.ErrorContains(t, err, "connection refused")
	})
}

// A random model keeps to a schema.
func TestRandom(t *testing.T) {
	s := llamacpptest.Start(t, tinymodel.Random(1), tinymodel.Plain)
	schema := object{"type": "object", "required": []string{"score"}, "additionalProperties": false, "properties": object{"score": object{"type": "integer", "minimum": 1, "maximum": 5}}}
	for seed := range 5 {
		reply, status := chat(t, s, s.Key, "Hello.", object{"seed": seed, "max_tokens": 100, "response_format": object{"type": "json_schema", "json_schema": object{"name": "verdict", "schema": schema}}})
		require.Equal(t, http.StatusOK, status, reply.Error)
		var got struct{ Score int }
		require.NoError(t, json.Unmarshal([]byte(reply.Choices[0].Message.Content), &got))
		assert.GreaterOrEqual(t, got.Score, 1)
		assert.LessOrEqual(t, got.Score, 5)
	}
}
