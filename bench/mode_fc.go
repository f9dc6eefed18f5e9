package bench

import (
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/llm"
)

// functionCalling uses the calls of tools that servers and models have of their
// own. Of several calls in one reply the first counts.
var functionCalling = &Mode{Name: "fc", request: nativeRequest, read: readNative}

func nativeRequest(c *Conversation) llm.Request {
	q := llm.Request{Tools: c.Tools, Messages: []llm.Message{{Role: llm.System, Text: c.Prompt}}}
	say := func(role, text string) {
		// Some servers refuse an empty message, and two of one side in a row.
		if last := &q.Messages[len(q.Messages)-1]; last.Role == role && len(last.ToolCalls) == 0 {
			last.Text += "\n\n" + text
		} else if text != "" {
			q.Messages = append(q.Messages, llm.Message{Role: role, Text: text})
		}
	}
	for i, t := range c.Turns {
		switch {
		case t.From == FromUser:
			say(llm.User, t.Text)
		case t.Fault != "":
			say(llm.Assistant, echo(t.Text))
			say(llm.User, correction(t.Fault, ""))
		case t.Call != nil:
			id := callID(i)
			q.Messages = append(q.Messages,
				llm.Message{Role: llm.Assistant, Text: t.Text, ToolCalls: []llm.ToolCall{{ID: id, Name: t.Call.Name, Arguments: t.Call.Arguments}}},
				llm.Message{Role: llm.ToolRole, Text: t.Call.Content, ToolCallID: id, ToolName: t.Call.Name})
		default:
			say(llm.Assistant, t.Text)
		}
	}
	return q
}

// callID is that of the call in a turn. Servers' own ids differ with every run.
func callID(turn int) string { return fmt.Sprintf("call_%d", turn) }

// readNative takes a call that is written as a text for a fault: the customer is
// not to read it, and a model that can call tools can do better.
func readNative(c *Conversation, text string, r llm.Reply) Turn {
	if len(r.ToolCalls) == 0 {
		for _, shape := range []func() (Turn, bool){(&actionReader{c, text}).object, (&actionReader{c, text}).tagged} {
			if turn, found := shape(); found && turn.Call != nil && c.offers(turn.Call.Name) {
				return Turn{Text: text, Fault: fmt.Sprintf("it writes the call of %s as a text, where a tool call is wanted", turn.Call.Name)}
			}
		}
		return Turn{Text: text}
	}
	call := r.ToolCalls[0]
	arguments, err := callArguments(call.Arguments)
	if err != nil {
		said := strings.TrimSpace(text + "\n" + call.Name + " " + call.Arguments)
		return Turn{Text: said, Fault: fmt.Sprintf("the arguments of %s cannot be read: %v", call.Name, err)}
	}
	return Turn{Text: text, Call: &Call{Name: call.Name, Arguments: arguments}}
}
