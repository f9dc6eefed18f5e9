package export

import (
	"encoding/json"
	"fmt"

	"github.com/fmsop/fmsop/tokens"
)

// Tokens says how the rows of an export are counted, and how long one may be.
type Tokens struct {
	Tokenizer *tokens.Tokenizer // nil: they are not counted
	// Most is how many tokens a row may have. A longer one is left out: text is
	// never cut. 0: any number.
	Most int
}

// length is what of a group a trainer reads as one text.
type length int

const (
	lengthRight  length = iota // the prompt with the right answer
	lengthAll                  // the prompt with the longest of the answers
	lengthPrompt               // the prompt, to which a policy finds answers
	lengthTools                // the episode of a next action; of other groups as lengthRight
)

func (f Format) length() length {
	switch {
	case f.tools:
		return lengthTools
	case f.reward:
		return lengthPrompt
	case f.wrong:
		return lengthAll
	}
	return lengthRight
}

// lengths are the tokens of each group under the chat template, as the formats
// need them; nil where nobody counts.
func (t Tokens) lengths(groups []*Group, formats []Format) (all []map[length]int, err error) {
	if t.Tokenizer == nil {
		return nil, nil
	}
	for _, g := range groups {
		of := map[length]int{}
		for _, f := range formats {
			l := f.length()
			if _, known := of[l]; known {
				continue
			}
			if of[l], err = t.count(g, l); err != nil {
				return nil, fmt.Errorf("row %q: %w", g.ID, err)
			}
		}
		all = append(all, of)
	}
	return all, nil
}

func (t Tokens) count(g *Group, l length) (int, error) {
	if l == lengthTools {
		if e, _ := g.episode(); e != nil {
			c, err := e.conversation()
			if err != nil {
				return 0, err
			}
			return t.Tokenizer.Conversation(c)
		}
	}
	if l == lengthPrompt {
		return t.Tokenizer.Asked(g.Prompt())
	}
	answers := []string{g.Positive.Text}
	if l == lengthAll {
		for _, n := range g.Wrong {
			answers = append(answers, n.Text)
		}
	}
	return t.Tokenizer.Answered(g.Prompt(), answers...)
}

// tooLong is why a row is left out.
func (t Tokens) tooLong() string { return fmt.Sprintf("longer than %d tokens", t.Most) }

// conversation is the episode as a chat template lays it out.
func (e *episode) conversation() (c tokens.Conversation, err error) {
	raw := func(v any) json.RawMessage {
		text, failed := json.Marshal(v)
		if failed != nil {
			err = failed
		}
		return text
	}
	c.Messages = []tokens.Message{{Role: "system", Content: e.procedure}, {Role: "user", Content: e.request}}
	for i, made := range append(e.history, e.next) {
		id := fmt.Sprintf("call%05d", i) // nine letters and digits, which some templates demand
		c.Messages = append(c.Messages, tokens.Message{Role: "assistant", ToolCalls: []json.RawMessage{raw(struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function call   `json:"function"`
		}{id, "function", made})}})
		if i < len(e.results) {
			c.Messages = append(c.Messages, tokens.Message{Role: "tool", Content: e.results[i], Name: made.Name, ToolCallID: id})
		}
	}
	for _, f := range functions(e.tools) {
		c.Tools = append(c.Tools, raw(f))
	}
	return c, err
}
