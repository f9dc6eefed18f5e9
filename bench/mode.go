package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/llm"
	"go.starlark.net/starlark"
)

// Mode is a way of getting calls out of a model. A new one is a file and a line
// in Modes.
type Mode struct {
	Name string
	// request puts a conversation to a model.
	request func(c *Conversation) llm.Request
	// read finds the call, or the words for the user, in a reply that is not
	// empty. A Fault in the turn is why neither can be told.
	read func(c *Conversation, text string, r llm.Reply) Turn
}

// Modes are all of them.
var Modes = []*Mode{
	functionCalling,
	react,
	actOnly,
}

// ModeNamed finds a mode.
func ModeNamed(name string) (*Mode, error) {
	var names []string
	for _, m := range Modes {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("want one of %s", strings.Join(names, ", "))
}

// dialogue is a conversation as a model is shown it.
type dialogue []llm.Message

// say adds words. Some servers refuse an empty message, and two of one side in a
// row, of which the second continues the first.
func (d *dialogue) say(role, text string) {
	if last := &(*d)[len(*d)-1]; last.Role == role && len(last.ToolCalls) == 0 {
		last.Text += "\n\n" + text
	} else if text != "" {
		*d = append(*d, llm.Message{Role: role, Text: text})
	}
}

// turn adds a turn without a call, with the correction that it got in this form.
func (d *dialogue) turn(t Turn, form string) {
	switch {
	case t.From == FromUser:
		d.say(llm.User, t.Text)
	case t.Fault != "":
		d.say(llm.Assistant, echo(t.Text))
		d.say(llm.User, correction(t.Fault, form))
	default:
		d.say(llm.Assistant, t.Text)
	}
}

// modelAgent is a model at work.
type modelAgent struct {
	name     string
	model    llm.Model
	mode     *Mode
	sampling llm.Sampling
}

// NewModelAgent puts a model to work in a mode.
func NewModelAgent(name string, m llm.Model, mode *Mode, s llm.Sampling) Agent {
	return &modelAgent{name, m, mode, s}
}

func (a *modelAgent) Name() string { return a.name }

// NoToolsError is a model that cannot be asked in a mode which offers tools.
type NoToolsError struct{ Model, Reason string }

func (e *NoToolsError) Error() string {
	return fmt.Sprintf("%s cannot call tools: %s", e.Model, e.Reason)
}

// Next asks once. What the model itself cut short, or lost itself in, is a fault
// of its reply.
func (a *modelAgent) Next(ctx context.Context, c *Conversation) (Turn, error) {
	q := a.mode.request(c)
	sampling := a.sampling
	if sampling.Stop == nil {
		sampling.Stop = q.Stop
	}
	q.Sampling = sampling
	reply, err := a.model.Chat(ctx, q)
	problem, failed := errors.AsType[*llm.Error](err)
	switch {
	case failed && problem.Kind == llm.BrokenOff && problem.Reply != nil && problem.Reply.Text != "":
		reply = *problem.Reply
		reply.Finish = llm.FinishLength
	case failed && len(q.Tools) > 0 && (problem.Kind == llm.BadRequest || problem.Kind == llm.ServerFault) && strings.Contains(strings.ToLower(problem.Message), "tool"):
		said := *problem
		said.Server = ""
		return Turn{}, &NoToolsError{cmp.Or(problem.Server, a.name), said.Error()}
	case err != nil:
		return Turn{}, err
	}
	text := llm.WithoutThinking(reply.Text)
	if text == "" && len(reply.ToolCalls) == 0 {
		return Turn{Fault: cmp.Or(cutShort(reply), "it is empty")}, nil
	}
	turn := a.mode.read(c, text, reply)
	if turn.Call == nil {
		turn.Fault = cmp.Or(turn.Fault, cutShort(reply))
	}
	return turn, nil
}

func cutShort(r llm.Reply) string {
	if r.Finish == llm.FinishLength {
		return "it was cut short because it is too long"
	}
	return ""
}

// callArguments makes the text of a call's arguments an object in one spelling:
// what is repaired is repaired for good, and no number changes.
func callArguments(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "{}", nil
	}
	v, err := decode([]byte(text))
	if err != nil {
		object, _, _, broken := llm.FirstObject(text)
		if broken != nil {
			return "", broken
		}
		if v, err = decode(object); err != nil {
			return "", err
		}
	}
	switch v := v.(type) {
	case *starlark.Dict:
		out, err := world.Encode(v)
		return string(out), err
	case starlark.NoneType:
		return "{}", nil
	case starlark.String: // an object, encoded twice
		if strings.HasPrefix(strings.TrimSpace(string(v)), "{") {
			return callArguments(string(v))
		}
	}
	return "", fmt.Errorf("found %s, want a JSON object", kind(v))
}

// correction is what an agent is told about a reply that cannot be used.
func correction(fault, form string) string {
	return prompt("correction", map[string]any{"Fault": fault, "Form": form})
}

// longestEcho is how much of an unusable reply the model is shown again.
const longestEcho = 1000

func echo(text string) string {
	if len(text) > longestEcho {
		text = strings.ToValidUTF8(text[:longestEcho], "") + " […]"
	}
	return text
}
