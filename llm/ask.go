package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
)

// Asker gets values of Go types out of a model, by Ask.
type Asker struct {
	Model Model
	// Structured is how: "schema" lets the server constrain what the model
	// writes, "prompt" only tells the model; "auto" or "" is schema until the
	// server refuses it.
	Structured string
	Reasks     int // how often a reply that cannot be used is sent back

	unconstrained atomic.Bool // the server refused a schema
}

// StructuredModes are the values of Asker.Structured.
var StructuredModes = []string{"auto", "schema", "prompt"}

// Answer is a value and where it comes from.
type Answer[T any] struct {
	Value   T
	Reply   Reply    // the one that it was read from
	Repairs []string // what had to be repaired in it
	Asked   int      // how many replies it took
}

// Ask adds the schema to the request, reads the reply, and where that cannot
// be used sends it back with what is wrong with it. The value satisfies the
// schema, whatever the server claims. A reply that stays unusable is an *Error
// of that kind, with the reply.
func Ask[T any](ctx context.Context, a *Asker, q Request, s *Schema) (Answer[T], error) {
	q.Messages = withInstruction(q.Messages, s)
	var last *Error
	for asked := 1; asked <= 1+a.Reasks; asked++ {
		reply, err := a.chat(ctx, q, s)
		if err != nil {
			return Answer[T]{}, err
		}
		value, repairs, fault := s.Extract(reply)
		answer := Answer[T]{Reply: reply, Repairs: repairs, Asked: asked}
		if fault == nil {
			fault = json.Unmarshal(value, &answer.Value)
		}
		if fault == nil {
			a.count(func(s *Stats) { s.Repaired += min(1, len(repairs)) })
			return answer, nil
		}
		if asked <= a.Reasks {
			a.count(func(s *Stats) { s.Reasks++ })
		}
		last = &Error{Kind: Unusable, Message: oneLine(fault.Error()), Attempts: asked, Reply: &reply}
		q.Messages = withFault(q.Messages, reply, last.Message)
	}
	return Answer[T]{}, last
}

// count adds to the counts of a run, where the model is one.
func (a *Asker) count(add func(*Stats)) {
	if r, ok := a.Model.(*Runner); ok {
		r.count(add)
	}
}

// chat constrains the reply where that is wanted and not known to be refused.
func (a *Asker) chat(ctx context.Context, q Request, s *Schema) (Reply, error) {
	if a.Structured == "prompt" || a.unconstrained.Load() {
		return a.Model.Chat(ctx, q)
	}
	constrained := q
	constrained.Schema = s
	reply, err := a.Model.Chat(ctx, constrained)
	if a.Structured == "schema" || !errors.Is(err, BadRequest) && !errors.Is(err, ServerFault) {
		return reply, err
	}
	free, freeErr := a.Model.Chat(ctx, q)
	if freeErr != nil {
		return reply, err // it was not the schema
	}
	a.unconstrained.Store(true)
	return free, nil
}

// withInstruction tells the model what is wanted: a constraint alone makes it
// write what fits, not what is meant.
func withInstruction(messages []Message, s *Schema) []Message {
	return withText(messages, fmt.Sprintf("Reply with one JSON value of this JSON Schema, and nothing else:\n%s", s.text))
}

// withText adds a paragraph to the last message, which is the user's.
func withText(messages []Message, text string) []Message {
	if n := len(messages); n > 0 && messages[n-1].Role == User {
		messages = slices.Clone(messages)
		messages[n-1].Text += "\n\n" + text
		return messages
	}
	return append(slices.Clip(messages), Message{Role: User, Text: text})
}

const longestQuote = 2000

// withFault sends a reply back. An empty one is left out: servers refuse it.
func withFault(messages []Message, r Reply, fault string) []Message {
	text := "That reply cannot be used: " + fault + ". Reply again, with the corrected JSON value and nothing else."
	quote := WithoutThinking(r.Text)
	if quote == "" {
		return withText(messages, text)
	}
	if len(quote) > longestQuote {
		quote = strings.ToValidUTF8(quote[:longestQuote], "") + " […]"
	}
	return append(slices.Clip(messages), Message{Role: Assistant, Text: quote}, Message{Role: User, Text: text})
}
