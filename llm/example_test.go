package llm_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/fmsop/fmsop/llm"
)

// A judge's verdict, read from a reply that is not quite JSON.
func ExampleAsk() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"message": {"role": "assistant", "content": "Well: {\"score\": 3, \"reason\": \"one step is missing\",}"}, "done": true, "done_reason": "stop"}`)
	}))
	defer server.Close()

	model, err := llm.Open("ollama:"+server.URL+"#qwen2.5:7b", llm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	type verdict struct {
		Score  int    `json:"score" jsonschema:"from 0 to 4"`
		Reason string `json:"reason"`
	}
	schema, err := llm.SchemaFor[verdict]("verdict", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	question := llm.Request{
		Messages: []llm.Message{{Role: llm.User, Text: "How good is this answer? …"}},
		Sampling: llm.Sampling{Temperature: new(0.0), Seed: new(1)},
	}
	answer, err := llm.Ask[verdict](context.Background(), &llm.Asker{Model: model, Reasks: 1}, question, schema)
	fmt.Println(answer.Value, answer.Repairs, err)
	// Output: {3 one step is missing} [trailing comma] <nil>
}

// How an error prints, and what it can be compared with.
func ExampleError() {
	err := error(&llm.Error{Kind: llm.Overloaded, Server: "ollama:qwen2.5:7b at localhost:11434", Status: 503, Message: "server busy, please try again", Attempts: 5})
	fmt.Println(err)
	// Output: ollama:qwen2.5:7b at localhost:11434: overloaded (HTTP 503): server busy, please try again (after 5 attempts)
}
