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
		d := dialogue{{Role: llm.System, Text: c.Prompt + "\n\n" + how}}
		for _, t := range c.Turns {
			if t.Call == nil || t.Fault != "" {
				d.turn(t, form)
				continue
			}
			d.say(llm.Assistant, writeCall(t, thinks))
			d.say(llm.User, "Observation: "+t.Call.Content)
		}
		return llm.Request{
			Messages: d,
			Sampling: llm.Sampling{Stop: []string{"\nObservation:"}}, // small models go on with one of their own
		}
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
