package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/llm"
	"go.starlark.net/starlark"
)

// the layout of a live run's items: that of SOPBench's newer records, and beside
// it what the agent was told of replies that cannot be used
type (
	liveItem struct {
		Domain       string            `json:"domain"`
		Setup        liveSetup         `json:"setup"`
		Task         json.RawMessage   `json:"task"`
		Interactions []liveInteraction `json:"interactions"`
		Evaluations  []Verdict         `json:"evaluations"`
		// Error is why there is no interaction.
		Error string `json:"error,omitempty"`
	}
	liveSetup struct {
		EnvMode   string    `json:"env_mode"`
		Shuffle   bool      `json:"shuffle_func"`
		Default   string    `json:"default_constraint_option"`
		Tools     string    `json:"tool_list"`
		User      *livePart `json:"user_agent"`
		Assistant livePart  `json:"assistant_agent"`
		Mends     []string  `json:"mends"`
	}
	livePart struct {
		Model       string   `json:"model"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"top_p"`
		MaxTokens   int      `json:"max_tokens"`
		Mode        string   `json:"tool_call_mode,omitempty"`
	}
	liveInteraction struct {
		Prompt   string          `json:"prompt"`
		Messages []liveMessage   `json:"interaction"`
		Database json.RawMessage `json:"database"`
		End      End             `json:"end"`
	}
	liveMessage struct {
		Content   string     `json:"content"`
		Sender    string     `json:"sender,omitempty"`
		ToolCalls []liveCall `json:"tool_calls,omitempty"`
		ID        string     `json:"tool_call_id,omitempty"`
		Tool      string     `json:"tool_name,omitempty"`
		Fault     string     `json:"fault,omitempty"` // of an assistant's reply
	}
	liveCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function liveFunction `json:"function"`
	}
	liveFunction struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
)

// environmentSender is who tells an agent that a reply cannot be used.
const environmentSender = "environment"

// messages are the turns of a conversation as SOPBench records them.
func (c *Conversation) messages() []liveMessage {
	assistant := strings.ReplaceAll(c.Domain.Name, "_", " ") + " assistant"
	var list []liveMessage
	for i, t := range c.Turns {
		switch {
		case t.From == FromUser:
			list = append(list, liveMessage{Content: t.Text, Sender: string(FromUser)})
		case t.Fault != "":
			list = append(list, liveMessage{Content: t.Text, Sender: assistant, Fault: t.Fault},
				liveMessage{Content: "That reply cannot be used: " + t.Fault + ".", Sender: environmentSender})
		case t.Call != nil:
			id := callID(i)
			list = append(list, liveMessage{Content: t.Text, Sender: assistant, ToolCalls: []liveCall{{id, "function", liveFunction{t.Call.Name, t.Call.Arguments}}}})
			if !t.leaves(c) {
				list = append(list, liveMessage{Content: t.Call.Content, ID: id, Tool: t.Call.Name})
			}
		default:
			list = append(list, liveMessage{Content: t.Text, Sender: assistant})
		}
	}
	return list
}

// record is the item of a task and its conversation; database is nil where that
// came to no end, for the reason given. One that JSON has no numbers for, such
// as a balance that is infinite, cannot be recorded, and that is the reason.
func (l *Live) record(t *Task, c *Conversation, database *starlark.Dict, end End, reason string) (*liveItem, error) {
	item := &liveItem{Domain: t.Domain, Setup: l.setup(), Interactions: []liveInteraction{}, Evaluations: []Verdict{}, Error: reason}
	copied, err := world.Encode(t.copied())
	if err != nil {
		return nil, fmt.Errorf("task %d: %w", t.Index, err)
	}
	item.Task = copied
	if database == nil {
		return item, nil
	}
	left, err := world.Encode(database)
	if err != nil {
		item.Error = fmt.Sprintf("the database at the end cannot be recorded: %v", err)
		return item, nil
	}
	item.Interactions = append(item.Interactions, liveInteraction{Prompt: c.Prompt, Messages: c.messages(), Database: left, End: end})
	return item, nil
}

func (l *Live) setup() liveSetup {
	s := liveSetup{EnvMode: "prompt", Default: "full", Tools: l.Tools, Mends: l.mends(), Assistant: part(l.Agent.Name(), l.Sampling)}
	s.Assistant.Mode = l.Mode
	if l.User.Leaves() {
		user := part(l.User.Name(), l.Sampling)
		s.User = &user
	}
	return s
}

func part(model string, s llm.Sampling) livePart {
	return livePart{Model: model, Temperature: s.Temperature, TopP: s.TopP, MaxTokens: s.MaxTokens}
}

// copied is the task with the name of its goal, which a record needs.
func (t *Task) copied() *starlark.Dict {
	fields := starlark.NewDict(t.fields.Len() + 1)
	for _, item := range t.fields.Items() {
		_ = fields.SetKey(item[0], item[1]) // a new dict takes what was a key
	}
	_ = fields.SetKey(starlark.String("user_goal"), starlark.String(t.Goal))
	return fields
}

// verdict judges an item as a replay of its record will.
func (l *Live) verdict(item *liveItem) (*Verdict, error) {
	text, err := json.Marshal(item)
	if err != nil {
		return nil, err
	}
	runs, err := decodeRuns(bytes.NewReader(append(append([]byte{'['}, text...), ']')))
	if err != nil {
		return nil, err
	}
	read := runs.Items[0]
	d, err := world.Load(read.Domain)
	if err != nil {
		return nil, err
	}
	v, err := l.Judge.Judge(d, read.Task, read.Runs[0])
	return &v, err
}
