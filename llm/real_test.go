package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/llm/llamacpptest"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
)

var script = tinymodel.Script{
	"":        tinymodel.Says("I do not know."),
	"hello":   tinymodel.Says("Hello there."),
	"weather": tinymodel.Says(tinymodel.Call("forecast", map[string]any{"city": "Bern", "days": 2})),
	"sunny":   tinymodel.Says("Take no umbrella."),
	"grade":   tinymodel.Says("So:\n```json\n{\"score\": 3, \"reason\": \"as it should be\",}\n```"),
	"forever": tinymodel.Endless("and so on "),
	"stuck":   tinymodel.Endless("tick "),
}

// place is a model on a true server.
type place struct {
	name, model string
	options     llm.Options
}

// places are Ollama by both protocols, and llama.cpp.
func places(t *testing.T) []place {
	gguf, err := script.Model()
	require.NoError(t, err)
	ollama := ollamatest.Start(t)
	ollama.Create("x", gguf, tinymodel.Plain)
	llamacpp := llamacpptest.Start(t, gguf, tinymodel.Plain)
	t.Setenv("FMSOP_TEST_KEY", llamacpp.Key)
	return []place{
		{"ollama", "ollama:" + ollama.URL + "#x", llm.Options{}},
		{"openai of ollama", "openai:" + ollama.URL + "/v1#x", llm.Options{}},
		{"llama.cpp", "openai:" + llamacpp.URL + "/v1#x", llm.Options{KeyVariable: "FMSOP_TEST_KEY"}},
	}
}

func open(t *testing.T, model string, o llm.Options) *llm.Client {
	t.Helper()
	c, err := llm.Open(model, o)
	require.NoError(t, err)
	return c
}

func user(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}, Sampling: llm.Sampling{Temperature: new(0.0), Seed: new(1)}}
}

func TestRealServers(t *testing.T) {
	for _, p := range places(t) {
		t.Run(p.name, func(t *testing.T) {
			client := open(t, p.model, p.options)
			t.Run("text", func(t *testing.T) {
				q := user("hello")
				q.Logprobs, q.TopLogprobs = true, 2
				reply, err := client.Chat(t.Context(), q)
				require.NoError(t, err)
				assert.Equal(t, "Hello there.", reply.Text)
				assert.Equal(t, llm.FinishStop, reply.Finish)
				assert.Positive(t, reply.Usage.Prompt)
				assert.Positive(t, reply.Usage.Completion)
				var said strings.Builder
				for _, token := range reply.Logprobs {
					said.WriteString(token.Text)
					assert.LessOrEqual(t, token.Logprob, 0.0)
					assert.Len(t, token.Top, 2)
				}
				assert.Contains(t, said.String(), "Hello there.")
			})
			t.Run("tools", func(t *testing.T) {
				q := user("weather")
				q.Tools = []llm.Tool{{Name: "forecast", Description: "foretells", Parameters: json.RawMessage(
					`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city","days"]}`)}}
				reply, err := client.Chat(t.Context(), q)
				require.NoError(t, err)
				assert.Equal(t, llm.FinishTools, reply.Finish)
				require.Len(t, reply.ToolCalls, 1)
				assert.Equal(t, "forecast", reply.ToolCalls[0].Name)
				assert.JSONEq(t, `{"city": "Bern", "days": 2}`, reply.ToolCalls[0].Arguments)
				q.Messages = append(q.Messages, reply.Message(), llm.Message{Role: llm.ToolRole, Text: "sunny", ToolCallID: reply.ToolCalls[0].ID, ToolName: "forecast"})
				reply, err = client.Chat(t.Context(), q)
				require.NoError(t, err)
				assert.Equal(t, "Take no umbrella.", reply.Text)
			})
			t.Run("schema", func(t *testing.T) {
				type verdict struct {
					Score  int    `json:"score"`
					Reason string `json:"reason"`
				}
				s, err := llm.SchemaFor[verdict]("verdict", nil)
				require.NoError(t, err)
				answer, err := llm.Ask[verdict](t.Context(), &llm.Asker{Model: client, Structured: "prompt"}, user("grade"), s)
				require.NoError(t, err)
				assert.Equal(t, verdict{3, "as it should be"}, answer.Value)
				assert.Equal(t, []string{"trailing comma"}, answer.Repairs)
			})
			t.Run("cut by its length", func(t *testing.T) {
				q := user("forever")
				q.MaxTokens = 20
				reply, err := client.Chat(t.Context(), q)
				require.NoError(t, err)
				assert.Equal(t, llm.FinishLength, reply.Finish)
				assert.Equal(t, 20, reply.Usage.Completion)
			})
			t.Run("never ends", func(t *testing.T) {
				q := user("stuck")
				q.MaxTokens = 200
				reply, err := client.Chat(t.Context(), q)
				if p.name == "llama.cpp" {
					require.NoError(t, err)
					assert.Equal(t, llm.FinishLength, reply.Finish)
				} else {
					assert.ErrorIs(t, err, llm.BrokenOff)
				}
			})
			t.Run("no time", func(t *testing.T) {
				o := p.options
				o.Timeout = 300 * time.Millisecond
				q := user("forever")
				q.MaxTokens = 1 << 20
				_, err := open(t, p.model, o).Chat(t.Context(), q)
				assert.ErrorIs(t, err, llm.Timeout)
			})
			t.Run("prompt longer than the context", func(t *testing.T) {
				_, err := client.Chat(t.Context(), user(strings.Repeat("many words in a row ", 5000)))
				assert.ErrorIs(t, err, llm.PromptTooLong)
			})
			t.Run("check", func(t *testing.T) {
				c := client.Check(t.Context())[0]
				assert.Empty(t, c.Problem)
				assert.True(t, c.Reachable && c.Present)
				assert.Equal(t, [2]llm.Ability{llm.Yes, llm.Yes}, [2]llm.Ability{c.Schema, c.Logprobs})
				assert.Positive(t, c.WritePerSecond)
				if p.name != "llama.cpp" { // which answers to any name
					c = open(t, p.model+"yz", p.options).Check(t.Context())[0]
					assert.Equal(t, "it does not have xyz; it has x:latest", c.Problem)
				}
			})
			t.Run("run", func(t *testing.T) {
				files := llm.Files{Ledger: filepath.Join(t.TempDir(), "ledger.jsonl")}
				for _, calls := range []int{100, 0} {
					s := greet(t, client, p.options, files, 100)
					assert.Equal(t, calls, s.Calls)
				}
			})
		})
	}
}

// greet says hello n times and wants the same answer to each.
func greet(t *testing.T, client *llm.Client, o llm.Options, files llm.Files, n int) llm.Stats {
	t.Helper()
	r, err := llm.NewRunner(client, o, files, nil)
	require.NoError(t, err)
	handed := 0
	err = llm.Each(t.Context(), r, llm.EachOptions{}, n,
		func(ctx context.Context, i int) (llm.Reply, error) { return r.Chat(ctx, user(fmt.Sprint("hello ", i))) },
		func(i int, reply llm.Reply, failed *llm.Error) error {
			assert.Nil(t, failed)
			assert.Equal(t, "Hello there.", reply.Text)
			assert.Equal(t, handed, i)
			handed++
			return nil
		})
	require.NoError(t, err)
	assert.Equal(t, n, handed)
	require.NoError(t, r.Close())
	return r.Stats()
}

func TestRealServerGoesAwayAndComesBack(t *testing.T) {
	s := ollamatest.Start(t)
	s.Scripted("x", script)
	client := open(t, "ollama:"+s.URL+"#x", llm.Options{})
	time.AfterFunc(500*time.Millisecond, s.Kill)
	restarted := make(chan struct{})
	time.AfterFunc(1500*time.Millisecond, func() { defer close(restarted); s.Restart() })
	stats := greet(t, client, llm.Options{}, llm.Files{}, 1500)
	<-restarted
	t.Log(stats)
	assert.Positive(t, stats.Errors[llm.Unreachable]+stats.Errors[llm.BrokenOff])
}

func TestRealServerIsOverloaded(t *testing.T) {
	s := ollamatest.Start(t, "OLLAMA_MAX_QUEUE=1")
	s.Scripted("x", script)
	stats := greet(t, open(t, "ollama:"+s.URL+"#x", llm.Options{}), llm.Options{}, llm.Files{}, 100)
	t.Log(stats)
	assert.Positive(t, stats.Errors[llm.Overloaded])
	assert.Empty(t, stats.Failures)
}

func TestRealServerIsLeftOnASignal(t *testing.T) {
	s := ollamatest.Start(t)
	s.Scripted("x", script)
	client := open(t, "ollama:"+s.URL+"#x", llm.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	drain := run.NewDrain(cancel)
	r, err := llm.NewRunner(client, llm.Options{}, llm.Files{}, drain)
	require.NoError(t, err)
	time.AfterFunc(500*time.Millisecond, drain.Signal)
	time.AfterFunc(time.Second, drain.Signal)
	err = llm.Each(ctx, r, llm.EachOptions{}, 1000,
		func(ctx context.Context, i int) (llm.Reply, error) {
			q := user(fmt.Sprint("forever ", i))
			q.MaxTokens = 1 << 20
			return r.Chat(ctx, q)
		},
		func(int, llm.Reply, *llm.Error) error { return nil })
	assert.ErrorIs(t, err, context.Canceled)
	require.NoError(t, r.Close())

	reply, err := client.Chat(t.Context(), user("hello")) // its slots are free again
	require.NoError(t, err)
	assert.Equal(t, "Hello there.", reply.Text)
}
