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
	d := dialogue{{Role: llm.System, Text: c.Prompt}}
	for i, t := range c.Turns {
		if t.Call == nil || t.Fault != "" {
			d.turn(t, "")
			continue
		}
		id := callID(i)
		d = append(d,
			llm.Message{Role: llm.Assistant, Text: t.Text, ToolCalls: []llm.ToolCall{{ID: id, Name: t.Call.Name, Arguments: t.Call.Arguments}}},
			llm.Message{Role: llm.ToolRole, Text: t.Call.Content, ToolCallID: id, ToolName: t.Call.Name})
	}
	return llm.Request{Tools: c.Tools, Messages: d}
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
