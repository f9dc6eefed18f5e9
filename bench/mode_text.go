package bench

import (
	"strings"

	"github.com/fmsop/fmsop/llm"
)

// textMode has a model write its calls in a text of this form. How replies are
// read is the same for every form, since models mix them up.
func textMode(name, form string) *Mode {
	thinks := strings.HasPrefix(form, "Thought:")
	return &Mode{Name: name, read: readText, request: func(c *Conversation) llm.Request {
		how := prompt("calls", map[string]any{"Tools": c.Tools, "Form": form})
		q := llm.Request{
			Messages: []llm.Message{{Role: llm.System, Text: c.Prompt + "\n\n" + how}},
			Sampling: llm.Sampling{Stop: []string{"\nObservation:"}}, // small models go on with one of their own
		}
		say := func(role, text string) {
			if last := &q.Messages[len(q.Messages)-1]; last.Role == role {
				last.Text += "\n\n" + text
			} else if text != "" {
				q.Messages = append(q.Messages, llm.Message{Role: role, Text: text})
			}
		}
		for _, t := range c.Turns {
			switch {
			case t.From == FromUser:
				say(llm.User, t.Text)
			case t.Fault != "":
				say(llm.Assistant, echo(t.Text))
				say(llm.User, correction(t.Fault, form))
			case t.Call != nil:
				say(llm.Assistant, writeCall(t, thinks))
				say(llm.User, "Observation: "+t.Call.Content)
			default:
				say(llm.Assistant, t.Text)
			}
		}
		return q
	}}
}

// writeCall is a call as a model is to write it.
func writeCall(t Turn, thinks bool) string {
	text := "Action: " + t.Call.Name + "\nAction Input: " + t.Call.Arguments
	if thinks && t.Text != "" {
		text = "Thought: " + t.Text + "\n" + text
	}
	return text
}
