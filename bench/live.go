package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/llm"
	"go.starlark.net/starlark"
)

// Agent takes the assistant's part in conversations. It is safe for concurrent
// use.
type Agent interface {
	// Name is what its runs are kept under, such as ollama:qwen2.5:7b.
	Name() string
	// Next is its next turn: a text, a call, or both. An *llm.Error is a failure
	// of the server; it is never counted against the agent.
	Next(ctx context.Context, c *Conversation) (Turn, error)
}

// User takes the customer's part. It is safe for concurrent use.
type User interface {
	// Name is fixed, or that of a model.
	Name() string
	// Leaves tells whether the user ends conversations; else the agent does, with
	// [Exit].
	Leaves() bool
	// Say is what the user says first, and after each turn of the agent without
	// a call; over ends the conversation.
	Say(ctx context.Context, c *Conversation) (text string, over bool, err error)
}

// Conversation is all that an agent gets to see. A model is shown Prompt, Tools
// and Turns; Domain and Task are for agents that are scripted.
type Conversation struct {
	Domain *world.Domain
	Task   *Task
	Prompt string     // the system prompt, but for what a mode adds
	Tools  []llm.Tool // those that are offered, Exit among them unless the user leaves
	Turns  []Turn     // the user's opening first
}

// Turn is what one side did.
type Turn struct {
	From Side
	Text string
	// Call is of an agent: the call that it makes, an object in JSON as its
	// arguments, and once it is made what the tool answered.
	Call *Call
	// Fault is why a reply of an agent cannot be used; it is told so.
	Fault string
}

// Side is who speaks.
type Side string

const (
	FromUser  Side = "user"
	FromAgent Side = "assistant"
)

// Exit is the tool by which an agent ends a conversation.
const Exit = "exit_conversation"

// Limits end a conversation.
type Limits struct {
	Messages int `json:"messages"` // after the opening; a call and its answer are two, and so is a reply that cannot be used
	Calls    int `json:"calls"`
}

// Live puts an agent to work on tasks.
type Live struct {
	Desk     *Desk
	Agent    Agent
	User     User
	Mode     string // of the agent; "" for one that is scripted
	Tools    string // one of ToolLists
	Judge    *Judge
	Sampling llm.Sampling // of the models, for the record
	// Trained is what the agent has seen in training; nil where that is not known.
	Trained *Exposure
}

// ToolLists say which tools are offered: full, all of the domain's, oracle, those
// of the task's graph alone.
var ToolLists = []string{"full", "oracle"}

// mends are the faults that the agent's environment does not have: that of a
// judge who mends them finds cards which no agent could find else.
func (l *Live) mends() []string {
	if l.Judge.mended("cards") {
		return []string{"cards"}
	}
	return nil
}

// OfficialLimits are those of SOPBench.
var OfficialLimits = Limits{Messages: 20, Calls: 10}

// End is why a conversation was over.
type End string

const (
	EndExit     End = "exit"     // by the agent
	EndUser     End = "user"     // by the user
	EndMessages End = "messages" // the limit
	EndCalls    End = "calls"    // the limit
)

// converse lets agent and user speak in turns until one of them, or a limit,
// ends it. It returns the database as the agent left it. Calls are carried out
// in the plain layer: nothing but the agent itself follows the rules. The error
// is the agent's, the user's, a *world.Fault, or why going has ended, which is
// asked between turns: what a model is just saying is waited for.
func (l *Live) converse(ctx, going context.Context, c *Conversation) (*starlark.Dict, End, error) {
	w := c.Domain.Start(world.Setup{Database: c.Task.Database, Limits: c.Task.Limits, Mends: l.mends()})
	opening, _, err := l.User.Say(ctx, c)
	if err != nil {
		return nil, "", err
	}
	c.Turns = append(c.Turns, Turn{From: FromUser, Text: opening})
	for messages, calls := 0, 0; ; {
		if err := context.Cause(going); err != nil {
			return nil, "", err
		}
		turn, err := l.Agent.Next(ctx, c)
		if err != nil {
			return nil, "", err
		}
		turn.From = FromAgent
		leaves := turn.leaves(c)
		if turn.Call != nil && !leaves {
			if turn.Call.Content, err = c.carryOut(w, turn.Call); err != nil {
				return nil, "", err
			}
			calls++
		}
		messages += turn.messages(c)
		c.Turns = append(c.Turns, turn)
		switch {
		case leaves:
			return w.Database(), EndExit, nil
		case calls >= OfficialLimits.Calls:
			return w.Database(), EndCalls, nil
		case messages >= OfficialLimits.Messages:
			return w.Database(), EndMessages, nil
		case turn.Call != nil || turn.Fault != "":
			continue
		}
		text, over, err := l.User.Say(ctx, c)
		if err != nil {
			return nil, "", err
		}
		if over {
			return w.Database(), EndUser, nil
		}
		c.Turns = append(c.Turns, Turn{From: FromUser, Text: text})
		if messages++; messages >= OfficialLimits.Messages {
			return w.Database(), EndMessages, nil
		}
	}
}

// leaves tells whether an agent's turn ends the conversation.
func (t Turn) leaves(c *Conversation) bool {
	return t.Call != nil && t.Call.Name == Exit && c.offers(Exit)
}

// messages is what a turn counts as: with the answer of a tool, or the word that
// it cannot be used, two.
func (t Turn) messages(c *Conversation) int {
	if t.Call != nil && !t.leaves(c) || t.Fault != "" {
		return 2
	}
	return 1
}

func (c *Conversation) offers(name string) bool {
	return slices.ContainsFunc(c.Tools, func(t llm.Tool) bool { return t.Name == name })
}

// carryOut makes a call and returns what the agent gets to see of the result.
func (c *Conversation) carryOut(w *world.World, call *Call) (string, error) {
	if !c.offers(call.Name) {
		return fmt.Sprintf("Error: Tool %s not found.", call.Name), nil
	}
	v, err := decode([]byte(call.Arguments))
	if err != nil {
		return "", fmt.Errorf("arguments of %s: %w", call.Name, err)
	}
	args, ok := v.(*starlark.Dict)
	if !ok {
		return "", fmt.Errorf("arguments of %s: found %s, want an object", call.Name, kind(v))
	}
	result, err := w.CallPlain(call.Name, args)
	var thrown *python.Exception
	if err != nil && !errors.As(err, &thrown) {
		return "", err
	}
	return world.Observation(result, err), nil
}
