package ollamatest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Log-probabilities are those of the script's weights.
func TestLogprobs(t *testing.T) {
	s := scripted(t)
	reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("flip"), Logprobs: true, TopLogprobs: 2, Options: map[string]any{"temperature": 0}})
	require.NoError(t, err)
	assert.Equal(t, "heads", reply.Message.Content)
	require.Len(t, reply.Logprobs, 1) // not of the end
	top := reply.Logprobs[0].TopLogprobs
	require.Len(t, top, 2)
	assert.Equal(t, "heads", top[0].Token)
	assert.InDelta(t, math.Log(.7), top[0].Logprob, 1e-4)
	assert.Equal(t, "tails", top[1].Token)
	assert.InDelta(t, math.Log(.3), top[1].Logprob, 1e-4)
}

// At temperature 1, with no other sampling, texts are drawn by their weights.
func TestShares(t *testing.T) {
	s := scripted(t)
	heads := 0
	const draws = 200
	for seed := range draws {
		reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("flip"), Options: map[string]any{
			"temperature": 1, "top_p": 1, "top_k": 0, "min_p": 0, "seed": seed,
		}})
		require.NoError(t, err)
		switch reply.Message.Content {
		case "heads":
			heads++
		default:
			assert.Equal(t, "tails", reply.Message.Content)
		}
	}
	assert.InDelta(t, .7, float64(heads)/draws, .1) // 3 standard deviations
}

func TestEmbeddings(t *testing.T) {
	s := ollamatest.Start(t)
	s.Random("random", 1)
	reply, err := s.Client().Embed(t.Context(), &api.EmbedRequest{Model: "random", Input: []string{"one", "two", "one"}})
	require.NoError(t, err)
	require.Len(t, reply.Embeddings, 3)
	one, two := reply.Embeddings[0], reply.Embeddings[1]
	assert.Len(t, one, 64)
	assert.Equal(t, one, reply.Embeddings[2])
	assert.NotEqual(t, one, two)
}

// A prompt that is too long loses its front, without a word, unless the request
// says otherwise.
func TestLongPrompt(t *testing.T) {
	s := scripted(t)
	request := func() *api.ChatRequest {
		long := []api.Message{{Role: "user", Content: "choice " + strings.Repeat("much more ", 200)}}
		return &api.ChatRequest{Model: "scripted", Messages: long, Options: map[string]any{"num_ctx": 256}}
	}
	reply, err := chat(t, s, request())
	require.NoError(t, err)
	assert.Equal(t, "I do not know.", reply.Message.Content)
	assert.Equal(t, "stop", reply.DoneReason)
	assert.LessOrEqual(t, reply.PromptEvalCount, 256)

	whole := request()
	whole.Truncate = new(bool)
	_, err = chat(t, s, whole)
	var status api.StatusError
	require.ErrorAs(t, err, &status)
	assert.Equal(t, http.StatusBadRequest, status.StatusCode)
	assert.Equal(t, "the input length exceeds the context length", status.ErrorMessage)
}

func TestLongReply(t *testing.T) {
	s := scripted(t)
	reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("forever"), Options: map[string]any{"num_predict": 7}})
	require.NoError(t, err)
	assert.Equal(t, "and so on and so on and ", reply.Message.Content)
	assert.Equal(t, "length", reply.DoneReason)
	assert.Equal(t, 7, reply.EvalCount)

	// Past the context, unless the request says otherwise.
	past := &api.ChatRequest{Model: "scripted", Messages: user("forever"), Options: map[string]any{"num_predict": 1000, "num_ctx": 256}}
	reply, err = chat(t, s, past)
	require.NoError(t, err)
	assert.Equal(t, "length", reply.DoneReason)
	assert.Equal(t, 1000, reply.EvalCount)
	past.Shift = new(bool)
	reply, err = chat(t, s, past)
	require.NoError(t, err)
	assert.Equal(t, "length", reply.DoneReason)
	assert.LessOrEqual(t, reply.EvalCount, 256)
}

// Over thirty equal tokens end a reply that never says that it is done.
func TestStuck(t *testing.T) {
	s := scripted(t)
	reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("stuck")})
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("tick ", 31), reply.Message.Content)
	assert.False(t, reply.Done)
	assert.Empty(t, reply.DoneReason)
}

// endless begins a reply that has no end, calls then once it has begun, and
// returns the last that came of it. The client says nothing of replies that are
// broken off: that they are not done is all there is to see.
func endless(t testing.TB, ctx context.Context, s *ollamatest.Server, then func()) (last api.ChatResponse) {
	t.Helper()
	r := &api.ChatRequest{Model: "scripted", Messages: user("forever"), Options: map[string]any{"num_predict": -1}}
	var begun sync.Once
	err := s.Client().Chat(ctx, r, func(reply api.ChatResponse) error {
		last = reply
		begun.Do(then)
		return nil
	})
	assert.NoError(t, err)
	return last
}

// Who goes away leaves the place to the next, at once.
func TestCancel(t *testing.T) {
	s := scripted(t, "OLLAMA_NUM_PARALLEL=1")
	ctx, cancel := context.WithCancel(t.Context())
	assert.False(t, endless(t, ctx, s, cancel).Done)
	assert.Equal(t, "Yes", ask(t, s, "yes-no").Message.Content)
}

// Sixteen at once get what they get alone.
func TestSixteenAtOnce(t *testing.T) {
	s := scripted(t)
	s.Random("random", 1)
	request := func(i int) *api.ChatRequest {
		if i%2 == 0 {
			return &api.ChatRequest{Model: "random", Messages: user(fmt.Sprint("number ", i)), Options: map[string]any{"seed": i, "num_predict": 20}}
		}
		return &api.ChatRequest{Model: "scripted", Messages: user(fmt.Sprint("flip ", i)), Options: map[string]any{"seed": i, "temperature": 1}}
	}
	var alone [16]string
	for i := range alone {
		reply, err := chat(t, s, request(i))
		require.NoError(t, err)
		alone[i] = reply.Message.Content
	}
	var all sync.WaitGroup
	for i, want := range alone {
		all.Go(func() {
			reply, err := chat(t, s, request(i))
			assert.NoError(t, err)
			assert.Equal(t, want, reply.Message.Content)
		})
	}
	all.Wait()
}

// While a model is loaded the queue is short, and the rest is turned away.
func TestOverload(t *testing.T) {
	s := scripted(t, "OLLAMA_MAX_QUEUE=1")
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 64 {
		all.Go(func() {
			reply, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("yes-no")})
			mu.Lock()
			defer mu.Unlock()
			var status api.StatusError
			switch {
			case errors.As(err, &status):
				statuses[status.StatusCode]++
				assert.Contains(t, status.ErrorMessage, "maximum pending requests exceeded")
			case assert.NoError(t, err):
				statuses[http.StatusOK]++
				assert.Equal(t, "Yes", reply.Message.Content)
			}
		})
	}
	all.Wait()
	assert.Equal(t, 64, statuses[http.StatusOK]+statuses[http.StatusServiceUnavailable])
	assert.NotZero(t, statuses[http.StatusOK])
	assert.NotZero(t, statuses[http.StatusServiceUnavailable])
}

// A server that was killed comes back where it was, with its models.
func TestKillAndRestart(t *testing.T) {
	s := scripted(t)
	url := s.URL
	assert.False(t, endless(t, t.Context(), s, s.Kill).Done)
	_, err := chat(t, s, &api.ChatRequest{Model: "scripted", Messages: user("yes-no")})
	assert.ErrorContains(t, err, "connection refused")
	s.Restart()
	assert.Equal(t, url, s.URL)
	assert.Equal(t, "Yes", ask(t, s, "yes-no").Message.Content)
}
