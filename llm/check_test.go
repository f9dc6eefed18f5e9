package llm

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// whole is a server with one model x, which can do what is said.
func whole(t *testing.T, w wire, chat func(q asked) canned, capabilities ...model.Capability) *httptest.Server {
	mux := http.NewServeMux()
	ask := func(out http.ResponseWriter, r *http.Request) {
		q := w.read(t, r)
		if q.model != "x" {
			w.fail(out, 404, `model "`+q.model+`" not found`)
			return
		}
		if len(q.tools) > 0 && len(capabilities) < 2 {
			w.fail(out, 400, "tools are not supported")
			return
		}
		w.write(out, chat(q))
	}
	mux.HandleFunc("POST /api/chat", ask)
	mux.HandleFunc("POST /v1/chat/completions", ask)
	mux.HandleFunc("POST /v1/embeddings", func(out http.ResponseWriter, r *http.Request) { w.fail(out, 501, "no") })
	mux.HandleFunc("GET /api/version", func(out http.ResponseWriter, r *http.Request) { send(out, map[string]string{"version": "0.17.4"}) })
	mux.HandleFunc("GET /api/tags", func(out http.ResponseWriter, r *http.Request) {
		send(out, api.ListResponse{Models: []api.ListModelResponse{{Name: "other:latest"}, {Name: "xy:1b"}}})
	})
	mux.HandleFunc("GET /api/ps", func(out http.ResponseWriter, r *http.Request) {
		send(out, api.ProcessResponse{Models: []api.ProcessModelResponse{{Name: "x:latest", ContextLength: 4096}}})
	})
	mux.HandleFunc("POST /api/show", func(out http.ResponseWriter, r *http.Request) {
		var q api.ShowRequest
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&q))
		if q.Model != "x" {
			w.fail(out, 404, `model "`+q.Model+`" not found`)
			return
		}
		send(out, api.ShowResponse{Capabilities: capabilities, Details: api.ModelDetails{ParameterSize: "7.6B", QuantizationLevel: "Q4_K_M"},
			ModelInfo: map[string]any{"general.architecture": "qwen2", "qwen2.context_length": 32768}})
	})
	mux.HandleFunc("GET /v1/models", func(out http.ResponseWriter, r *http.Request) {
		send(out, map[string]any{"object": "list", "data": []any{map[string]any{"id": "other"}, map[string]any{"id": "x", "owned_by": "vllm", "max_model_len": 8192}}})
	})
	return serve(t, mux.ServeHTTP)
}

func TestCheck(t *testing.T) {
	able := func(q asked) canned {
		c := canned{text: "1 2 3", finish: "stop", completion: 20, prompt: 30}
		if q.schema != "" {
			c.text = `{"k7": "z3"}`
		}
		if q.settings["logprobs"] == true {
			c.tokens = []Token{{Text: "1", Logprob: -0.1}}
		}
		return c
	}
	unable := func(asked) canned { return canned{text: "hello", finish: "stop", completion: 20} }
	for _, test := range []struct {
		name         string
		chat         func(asked) canned
		capabilities []model.Capability
		want         map[string]Check
	}{
		{"able", able, []model.Capability{model.CapabilityCompletion, model.CapabilityTools}, map[string]Check{
			"ollama": {Version: "Ollama 0.17.4", Size: "7.6B", Quantization: "Q4_K_M", Context: 32768, ContextNow: 4096, Tools: Yes, Schema: Yes, Logprobs: Yes, Thinking: No, Embeddings: No,
				Advice: "longer prompts are refused: set context under sampling, or OLLAMA_CONTEXT_LENGTH of the server, up to 32768"},
			"openai": {Version: "vllm", Context: 8192, ContextNow: 8192, Tools: Yes, Schema: Yes, Logprobs: Yes, Embeddings: No},
		}},
		{"unable", unable, []model.Capability{model.CapabilityCompletion}, map[string]Check{
			"ollama": {Version: "Ollama 0.17.4", Size: "7.6B", Quantization: "Q4_K_M", Context: 32768, ContextNow: 4096, Tools: No, Schema: No, Logprobs: No, Thinking: No, Embeddings: No,
				Advice: "longer prompts are refused: set context under sampling, or OLLAMA_CONTEXT_LENGTH of the server, up to 32768"},
			"openai": {Version: "vllm", Context: 8192, ContextNow: 8192, Tools: No, Schema: No, Logprobs: No, Embeddings: No},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				s := whole(t, w, test.chat, test.capabilities...)
				checks := w.open(t, s, Options{}).Check(t.Context())
				require.Len(t, checks, 1)
				got, want := checks[0], test.want[w.name]
				if w.name == "openai" {
					assert.Positive(t, got.WritePerSecond)
				}
				want.WritePerSecond = got.WritePerSecond
				want.Model, want.Reachable, want.Present = w.name+":x", true, true
				want.Server = s.URL + map[string]string{"openai": "/v1"}[w.name]
				assert.Equal(t, want, got)
			})
		})
	}
}

func TestCheckAdvice(t *testing.T) {
	s := whole(t, wires[1], func(asked) canned { return canned{text: "hi", finish: "stop"} }, model.CapabilityCompletion)
	ollama := whole(t, wires[0], func(asked) canned { return canned{text: "hi", finish: "stop"} }, model.CapabilityEmbedding)
	closed := serve(t, func(out http.ResponseWriter, r *http.Request) { wires[1].fail(out, 401, "no key") })
	dead := httptest.NewServer(nil)
	dead.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(dead.URL, "http://"), ":")
	t.Setenv("FMSOP_TEST_KEY", "sk-secret")
	for _, test := range []struct {
		model, key      string
		problem, advice string
	}{
		{"ollama:" + dead.URL + "#x", "", "unreachable: connect: connection refused", "ollama serve"},
		{"ollama:http://localhost.invalid:" + port + "#x", "", "unreachable: ", "is the address right? on that machine: OLLAMA_HOST=0.0.0.0:" + port + " ollama serve"},
		{"ollama:" + ollama.URL + "#xz:1b", "", "it does not have xz:1b; it has xy:1b, other:latest", "OLLAMA_HOST=" + ollama.URL + " ollama pull xz:1b"},
		{"ollama:" + ollama.URL + "#x", "", "it cannot chat, only embed", ""},
		{"openai:" + dead.URL + "#x", "", "unreachable: connect: connection refused", "is the server started, and the address right?"},
		{"openai:" + s.URL + "/v1#xx", "", "it does not have xx; it has x, other", "openai:" + s.URL + "/v1#x"},
		{"openai:" + s.URL + "#x", "", "no model (HTTP 404): 404 page not found", "is the address right? most end in /v1: openai:" + s.URL + "/v1#x"},
		{"openai:" + closed.URL + "#x", "", "denied (HTTP 401): no key", "put the key into an environment variable and name that under key_variable"},
		{"openai:" + closed.URL + "#x", "FMSOP_TEST_KEY", "denied (HTTP 401): no key", "is the key in the environment variable right, and the account in order?"},
	} {
		checks := opened(t, test.model, Options{KeyVariable: test.key}).Check(t.Context())
		assert.True(t, strings.HasPrefix(checks[0].Problem, test.problem), "%s: %s", test.model, checks[0].Problem)
		assert.Equal(t, test.advice, checks[0].Advice, test.model)
	}
}
