package ollamatest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var script = tinymodel.Script{
	"":           tinymodel.Says("I do not know."),
	"yes-no":     tinymodel.Says("Yes"),
	"choice":     tinymodel.Says("B"),
	"score":      tinymodel.Says(`{"score": 3, "reason": "as it should be"}`),
	"scoreboard": tinymodel.Says("Home 2, guests 1"),
	"flip":       tinymodel.OneOf(map[string]float64{"heads": 7, "tails": 3}),
	"weather":    tinymodel.Says(tinymodel.Call("forecast", map[string]any{"city": "Bern", "days": 2})),
	"sunny":      tinymodel.Says("Take no umbrella."),
	"ponder":     tinymodel.Says("<think>let me see the score</think>42 it is"),
	"forever":    tinymodel.Endless("and so on "),
	"stuck":      tinymodel.Endless("tick "),
	"silence":    tinymodel.Says(""),
	"schön":      tinymodel.Says("Ünïcödé, 你好,\nand a second line"),
}

func user(text string) []api.Message { return []api.Message{{Role: "user", Content: text}} }

// chat is one request that is answered at once.
func chat(t testing.TB, s *ollamatest.Server, r *api.ChatRequest) (reply api.ChatResponse, err error) {
	t.Helper()
	r.Stream = new(bool)
	err = s.Client().Chat(t.Context(), r, func(got api.ChatResponse) error {
		reply = got
		return nil
	})
	return reply, err
}

func ask(t testing.TB, s *ollamatest.Server, text string) api.ChatResponse {
	t.Helper()
	reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user(text)})
	require.NoError(t, err)
	return reply
}

func scripted(t testing.TB, env ...string) *ollamatest.Server {
	t.Helper()
	s := ollamatest.Start(t, env...)
	s.Scripted("scripted", script)
	return s
}

func TestTheLastKeywordDecides(t *testing.T) {
	s := scripted(t)
	for _, test := range []struct{ prompt, want string }{
		{"Hello.", "I do not know."},
		{"yes-no?", "Yes"},
		{"Make a choice.", "B"},
		{"choice, then yes-no", "Yes"},
		{"yes-no, then choice", "B"},
		{"yes-nochoice", "B"},
		{"the scoreboard", "Home 2, guests 1"},
		{"score " + strings.Repeat("and much that says nothing ", 80), `{"score": 3, "reason": "as it should be"}`},
		{"silence", ""},
		{"Das ist schön.", "Ünïcödé, 你好,\nand a second line"},
		{"\x00\t\r\n 🙂 <|im_end|> choice", "B"},
	} {
		reply := ask(t, s, test.prompt)
		assert.Equal(t, test.want, reply.Message.Content, "%.40q", test.prompt)
		assert.True(t, reply.Done)
		assert.Equal(t, "stop", reply.DoneReason)
	}
}

// Sampling changes nothing where the script leaves no choice.
func TestRepliesAreCertain(t *testing.T) {
	s := scripted(t)
	for seed := range 10 {
		reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("Hello."), Options: map[string]any{
			"temperature": 1, "top_p": 1, "top_k": 0, "min_p": 0, "seed": seed,
		}})
		require.NoError(t, err)
		assert.Equal(t, "I do not know.", reply.Message.Content)
		assert.Equal(t, 5, reply.EvalCount) // four words and the end
	}
}

// Text is read and counted byte by byte, but for keywords and control tokens.
func TestTokensAreBytes(t *testing.T) {
	s := scripted(t)
	frame := ask(t, s, "").PromptEvalCount
	for _, text := range []string{"x", "two words", "你好, ä\n\n\t 🙂", strings.Repeat("long ", 300)} {
		assert.Equal(t, frame+len(text), ask(t, s, text).PromptEvalCount, "%.40q", text)
	}
	assert.Equal(t, frame+1, ask(t, s, "weather").PromptEvalCount)
}

func TestTools(t *testing.T) {
	s := scripted(t)
	var tools api.Tools
	require.NoError(t, json.Unmarshal([]byte(`[{"type": "function", "function": {"name": "forecast", "description": "What it will be like.",
		"parameters": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]`), &tools))
	talk := user("What will the weather be?")
	reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: talk, Tools: tools})
	require.NoError(t, err)
	require.Len(t, reply.Message.ToolCalls, 1)
	call := reply.Message.ToolCalls[0].Function
	assert.Equal(t, "forecast", call.Name)
	assert.Equal(t, map[string]any{"city": "Bern", "days": 2.}, call.Arguments.ToMap())
	assert.Empty(t, reply.Message.Content)
	assert.Equal(t, "stop", reply.DoneReason)

	talk = append(talk, reply.Message, api.Message{Role: "tool", Content: "sunny, 21 degrees", ToolName: "forecast"})
	reply, err = chat(t, s, &api.ChatRequest{Model: "scripted", Messages: talk, Tools: tools})
	require.NoError(t, err)
	assert.Equal(t, "Take no umbrella.", reply.Message.Content)
	assert.Empty(t, reply.Message.ToolCalls)
}

func TestThinking(t *testing.T) {
	s := ollamatest.Start(t)
	model, err := script.Model()
	require.NoError(t, err)
	s.Create("thinking", model, tinymodel.Thinking)
	reply, err := chat(t, s, &api.ChatRequest{Model: "thinking", Messages: user("ponder")})
	require.NoError(t, err)
	assert.Equal(t, "let me see the score", reply.Message.Thinking)
	assert.Equal(t, "42 it is", reply.Message.Content)

	// With a schema what was thought is the end of a second prompt, for the
	// reply proper.
	reply, err = chat(t, s, &api.ChatRequest{Model: "thinking", Messages: user("ponder"), Format: json.RawMessage(verdict)})
	require.NoError(t, err)
	assert.Equal(t, "let me see the score", reply.Message.Thinking)
	assert.Equal(t, `{"score": 3, "reason": "as it should be"}`, reply.Message.Content)

	// So that a model which could think, and does not, is held to no schema.
	reply, err = chat(t, s, &api.ChatRequest{Model: "thinking", Messages: user("choice"), Format: json.RawMessage(verdict)})
	require.NoError(t, err)
	assert.Empty(t, reply.Message.Thinking)
	assert.Equal(t, "B", reply.Message.Content)
}

const verdict = `{"type": "object", "required": ["score", "reason"], "additionalProperties": false, "properties": {
	"score": {"type": "integer", "minimum": 1, "maximum": 5}, "reason": {"type": "string", "maxLength": 20}}}`

// A random model keeps to a schema, and a scripted one says what it should if
// that fits.
func TestFormat(t *testing.T) {
	s := scripted(t)
	s.Random("random", 1)
	for seed := range 10 {
		reply, err := chat(t, s, &api.ChatRequest{Model: "random", Messages: user("score"), Format: json.RawMessage(verdict), Options: map[string]any{"seed": seed}})
		require.NoError(t, err)
		var got struct {
			Score  int
			Reason string
		}
		require.NoError(t, json.Unmarshal([]byte(reply.Message.Content), &got), reply.Message.Content)
		assert.GreaterOrEqual(t, got.Score, 1)
		assert.LessOrEqual(t, got.Score, 5)
		assert.LessOrEqual(t, len([]rune(got.Reason)), 20)
	}
	reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("score"), Format: json.RawMessage(verdict)})
	require.NoError(t, err)
	assert.Equal(t, `{"score": 3, "reason": "as it should be"}`, reply.Message.Content)
}
