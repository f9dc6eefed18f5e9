package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fmsop/fmsop/bench"
)

// clerks serves scripted agents for the tasks of bench_run.txtar, in the way of
// OpenAI, as $CLERKS with the name of one after it:
//
//	careful   follows the rules
//	hasty     does at once what it is asked
//	garbled   says something of no use before each step
//	talker    never calls a tool
//	looper    looks up the balance for ever
//	mute      is on a server that refuses tools
//	failing   careful, on a server that fails for bob
//	customer  plays the customer
func clerks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: clerks")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var asked clerkRequest
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch {
		case asked.Model == "mute" && len(asked.Tools) > 0:
			http.Error(w, `{"error":{"message":"mute does not support tools"}}`, http.StatusBadRequest)
			return
		case asked.Model == "failing" && asked.customer() == "bob":
			http.Error(w, `{"error":{"message":"out of memory"}}`, http.StatusInternalServerError)
			return
		}
		reply, err := json.Marshal(asked.reply())
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, `{"choices":[{"message":%s,"finish_reason":"stop"}],"usage":{"prompt_tokens":9999,"completion_tokens":9}}`, reply)
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("CLERKS", "openai:"+server.URL+"/v1#")
}

type clerkRequest struct {
	Model    string
	Messages []clerkMessage
	Tools    []json.RawMessage
}

type clerkMessage struct {
	Role      string      `json:"role"`
	Content   string      `json:"content"`
	ToolCalls []clerkCall `json:"tool_calls,omitempty"`
}

type clerkCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// customer is whose task it is.
func (r *clerkRequest) customer() string {
	if slices.ContainsFunc(r.Messages, func(m clerkMessage) bool { return m.Role == "user" && strings.Contains(m.Content, "bob") }) {
		return "bob"
	}
	return "ann"
}

// done are the calls that were made.
func (r *clerkRequest) done() (n int) {
	for _, m := range r.Messages {
		if m.Role == "assistant" && (len(m.ToolCalls) > 0 || strings.Contains(m.Content, "\nAction Input: {")) {
			n++
		}
	}
	return n
}

func (r *clerkRequest) reply() clerkMessage {
	user := r.customer()
	name := fmt.Sprintf(`"username":%q`, user)
	pay := [2]string{"pay_bill", "{" + name + `,"amount":20,"unit":"dollars"}`}
	leave := [2]string{bench.Exit, "{}"}
	steps := [][2]string{{"login_user", "{" + name + `,"identification":"pw"}`}, {"get_account_balance", "{" + name + "}"}, pay, leave}
	if user == "bob" { // who cannot pay
		steps = slices.Delete(steps, 2, 3)
	}
	last := r.Messages[len(r.Messages)-1]
	switch r.Model {
	case "customer":
		return r.customerSays(last.Content)
	case "hasty":
		steps = [][2]string{pay, leave}
	case "talker":
		return clerkMessage{Role: "assistant", Content: "How may I help you?"}
	case "looper":
		return r.call([2]string{"get_account_balance", "{" + name + "}"})
	case "garbled":
		if !strings.Contains(last.Content, "cannot be used") {
			if len(r.Tools) > 0 {
				return r.call([2]string{"login_user", `{"username": `})
			}
			return clerkMessage{Role: "assistant", Content: "Action: I look at the account\nAction Input: the account"}
		}
	}
	if r.customerPlays() && r.done() == len(steps)-1 {
		return clerkMessage{Role: "assistant", Content: "That is all I can do."}
	}
	return r.call(steps[min(r.done(), len(steps)-1)])
}

// customerPlays tells whether a model plays the customer, who ends conversations.
func (r *clerkRequest) customerPlays() bool {
	return strings.Contains(r.Messages[0].Content, "The customer ends the conversation.")
}

func (r *clerkRequest) call(step [2]string) clerkMessage {
	if len(r.Tools) == 0 {
		return clerkMessage{Role: "assistant", Content: fmt.Sprintf("Thought: go on\nAction: %s\nAction Input: %s", step[0], step[1])}
	}
	m := clerkMessage{Role: "assistant", ToolCalls: []clerkCall{{ID: "x", Type: "function"}}}
	m.ToolCalls[0].Function.Name, m.ToolCalls[0].Function.Arguments = step[0], step[1]
	return m
}

// customerSays plays whom the prompt describes.
func (r *clerkRequest) customerSays(last string) clerkMessage {
	text := "This is ann, pay my bill of 20 dollars. My identification is pw."
	if strings.Contains(r.Messages[0].Content, `"bob"`) {
		text = strings.Replace(text, "ann", "bob", 1)
	}
	if strings.Contains(last, "all I can do") {
		text = "###END###"
	}
	return clerkMessage{Role: "assistant", Content: text}
}
