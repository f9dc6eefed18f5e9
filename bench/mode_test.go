package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/fmsop/fmsop/llm"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// replies is a model that answers once.
type replies struct {
	reply llm.Reply
	err   error
	asked *llm.Request
}

func (m replies) Chat(_ context.Context, q llm.Request) (llm.Reply, error) {
	*m.asked = q
	return m.reply, m.err
}

func TestNext(t *testing.T) {
	native := func(arguments ...string) llm.Reply {
		r := llm.Reply{Finish: llm.FinishTools}
		for _, a := range arguments {
			r.ToolCalls = append(r.ToolCalls, llm.ToolCall{ID: "x1", Name: "login_user", Arguments: a})
		}
		return r
	}
	said := func(text string, finish llm.Finish) llm.Reply { return llm.Reply{Text: text, Finish: finish} }
	login := Turn{Call: &Call{Name: "login_user", Arguments: `{"username":"ann"}`}}
	for _, test := range []struct {
		name  string
		mode  *Mode
		reply llm.Reply
		err   error
		want  Turn
	}{
		{"a call", functionCalling, native(`{"username": "ann"}`), nil, login},
		{"two calls", functionCalling, native(`{"username": "ann"}`, `{"username": "bob"}`), nil, login},
		{"no arguments", functionCalling, native(""), nil, Turn{Call: &Call{Name: "login_user", Arguments: "{}"}}},
		{"arguments repaired", functionCalling, native(`{'username': 'ann',}`), nil, login},
		{"arguments twice", functionCalling, native(`"{\"username\": \"ann\"}"`), nil, login},
		{"arguments broken", functionCalling, native(`{"username": `), nil,
			Turn{Text: `login_user {"username":`, Fault: "the arguments of login_user cannot be read: the JSON ends in the middle"}},
		{"a list", functionCalling, native(`["ann"]`), nil,
			Turn{Text: `login_user ["ann"]`, Fault: "the arguments of login_user cannot be read: found a list, want a JSON object"}},
		{"words", functionCalling, said("Which account?", llm.FinishStop), nil, Turn{Text: "Which account?"}},
		{"a call in words", functionCalling, said(`{"name": "login_user", "arguments": {}}`, llm.FinishStop), nil,
			Turn{Text: `{"name": "login_user", "arguments": {}}`, Fault: "it writes the call of login_user as a text, where a tool call is wanted"}},
		{"thinking", react, said("<think>Action: exit_conversation</think>Action: login_user\nAction Input: {'username': 'ann'}", llm.FinishStop), nil, login},
		{"thinking alone", react, said("<think>hm", llm.FinishStop), nil, Turn{Fault: "it is empty"}},
		{"nothing", functionCalling, said("", llm.FinishStop), nil, Turn{Fault: "it is empty"}},
		{"cut", functionCalling, said("I would like", llm.FinishLength), nil, Turn{Text: "I would like", Fault: "it was cut short because it is too long"}},
		{"cut in thinking", react, said("", llm.FinishLength), nil, Turn{Fault: "it was cut short because it is too long"}},
		{"cut behind a call", actOnly, said("Action: login_user\nAction Input: {\"username\": \"ann\"}\nObservation: Tr", llm.FinishLength), nil, login},
		{"broken off by itself", react, llm.Reply{}, &llm.Error{Kind: llm.BrokenOff, Reply: &llm.Reply{Text: "tick tick"}}, Turn{Text: "tick tick", Fault: "it was cut short because it is too long"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked llm.Request
			agent := NewModelAgent("openai:x", replies{test.reply, test.err, &asked}, test.mode, llm.Sampling{Temperature: new(0.5)})
			got, err := agent.Next(t.Context(), bankTools(t))
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
			assert.Equal(t, 0.5, *asked.Temperature)
		})
	}
}

func TestNextFails(t *testing.T) {
	var asked llm.Request
	fail := func(mode *Mode, err error) error {
		_, err = NewModelAgent("openai:x", replies{llm.Reply{}, err, &asked}, mode, llm.Sampling{}).Next(t.Context(), bankTools(t))
		return err
	}
	refused := &llm.Error{Kind: llm.BadRequest, Server: "openai:x at host", Status: 400, Message: "x does not support tools"}
	err := fail(functionCalling, refused)
	assert.EqualError(t, err, "openai:x at host cannot call tools: bad request (HTTP 400): x does not support tools")
	_, isServer := errors.AsType[*llm.Error](err)
	assert.False(t, isServer, "every other task would meet it too")
	assert.Equal(t, refused, fail(react, refused), "no tools were asked for")
	timeout := &llm.Error{Kind: llm.Timeout}
	assert.Equal(t, timeout, fail(functionCalling, timeout))
}

// Stop is the mode's own, unless the user has set one.
func TestStop(t *testing.T) {
	for _, test := range []struct {
		mode      *Mode
		set, want []string
	}{
		{functionCalling, nil, nil},
		{react, nil, []string{"\nObservation:"}},
		{react, []string{"END"}, []string{"END"}},
		{react, []string{}, []string{}},
	} {
		var asked llm.Request
		_, err := NewModelAgent("openai:x", replies{llm.Reply{Text: "yes"}, nil, &asked}, test.mode, llm.Sampling{Stop: test.set}).Next(t.Context(), bankTools(t))
		require.NoError(t, err)
		assert.Equal(t, test.want, asked.Stop)
	}
}

func TestModeNamed(t *testing.T) {
	for _, m := range Modes {
		found, err := ModeNamed(m.Name)
		require.NoError(t, err)
		assert.Same(t, m, found)
	}
	_, err := ModeNamed("plan")
	assert.EqualError(t, err, "want one of fc, react, act-only")
}
