package export

import (
	"github.com/fmsop/fmsop/dataset"
)

// Group is a row of a dataset as formats see it.
type Group struct {
	*dataset.Row
	Wrong   []dataset.Negative // those that Pairs picked
	lexicon *lexicon           // nil where the dataset has none
}

// Message is one turn of a conversation.
type Message struct {
	Role    string `json:"role" parquet:"role"`
	Content string `json:"content" parquet:"content"`
}

// Chat is a conversation that is no group of ours.
type Chat struct {
	Messages []Message `json:"messages" parquet:"messages,list"`
}

func (g *Group) user() []Message { return []Message{{"user", g.Prompt()}} }

func assistant(text string) []Message { return []Message{{"assistant", text}} }

// last splits a chat before its last message, which has to be the assistant's.
func (c Chat) last() (before []Message, answer string, ok bool) {
	n := len(c.Messages) - 1
	if n < 1 || c.Messages[n].Role != "assistant" {
		return nil, "", false
	}
	return c.Messages[:n], c.Messages[n].Content, true
}
