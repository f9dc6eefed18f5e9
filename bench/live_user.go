package bench

import (
	"context"
	"strings"

	"github.com/fmsop/fmsop/llm"
)

// FixedUser opens with the prompt of the task. After that it says, each time
// the same, all that the user knows.
type FixedUser struct{}

// FixedUserName is its name.
const FixedUserName = "fixed"

func (FixedUser) Name() string { return FixedUserName }

func (FixedUser) Leaves() bool { return false }

func (FixedUser) Say(_ context.Context, c *Conversation) (string, bool, error) {
	if len(c.Turns) == 0 {
		return c.Task.said("user_prompt"), false, nil
	}
	return prompt("known", map[string]any{"Known": c.Task.knownText(), "Exit": Exit}), false, nil
}

// modelUser is a model that plays the customer.
type modelUser struct {
	name     string
	model    llm.Model
	sampling llm.Sampling
}

// NewModelUser has a model play the customer: it wants what the task's
// instruction says, and tells what the user knows when it is asked.
func NewModelUser(name string, m llm.Model, s llm.Sampling) User { return &modelUser{name, m, s} }

func (u *modelUser) Name() string { return u.name }

func (u *modelUser) Leaves() bool { return true }

// farewell is what the user replies to end a conversation.
const farewell = "###END###"

func (u *modelUser) Say(ctx context.Context, c *Conversation) (string, bool, error) {
	wish := c.Task.said("user_instruction")
	if wish == "" {
		wish = c.Task.said("user_prompt")
	}
	q := llm.Request{Sampling: u.sampling, Messages: []llm.Message{{Role: llm.System, Text: prompt("user", map[string]any{
		"Wish": wish, "Known": c.Task.knownText(), "Over": farewell,
	})}}}
	// To the user the agent is the other side; calls and faults it does not see.
	q.Messages = append(q.Messages, llm.Message{Role: llm.User, Text: "Good day, how can I help you?"})
	for _, t := range c.Turns {
		switch {
		case t.From == FromUser:
			q.Messages = append(q.Messages, llm.Message{Role: llm.Assistant, Text: t.Text})
		case t.Text != "" && t.Call == nil && t.Fault == "":
			q.Messages = append(q.Messages, llm.Message{Role: llm.User, Text: t.Text})
		}
	}
	reply, err := u.model.Chat(ctx, q)
	if err != nil {
		return "", false, err
	}
	text, _, ended := strings.Cut(llm.WithoutThinking(reply.Text), farewell)
	if text = strings.TrimSpace(text); len(c.Turns) > 0 {
		return text, ended || text == "", nil
	}
	if text == "" {
		text = c.Task.said("user_prompt")
	}
	return text, false, nil
}
