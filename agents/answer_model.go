package agents

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/stages"
)

//go:embed prompts/answer.txt
var answerPrompt string

// How a model is asked.
const (
	BookOpen   = "open"   // the SOP is in the prompt
	BookClosed = "closed" // the model must know it
)

// AskOptions say how questions are put to a model. The zero value of a field
// stands for its default.
type AskOptions struct {
	Book    string `yaml:"book" json:"book"`       // open or closed; open
	Shots   int    `yaml:"shots" json:"shots"`     // solved questions before each, of the same kind; 0
	Repeats int    `yaml:"repeats" json:"repeats"` // 1
	// Tools offers the calls of a procedure as tools, where calls are asked for.
	Tools bool `yaml:"tools" json:"tools"`
}

// WithDefaults fills in what is not set.
func (o AskOptions) WithDefaults() AskOptions {
	if o.Book == "" {
		o.Book = BookOpen
	}
	if o.Repeats == 0 {
		o.Repeats = 1
	}
	return o
}

// Validate reports every field that is out of range, joined.
func (o AskOptions) Validate() error {
	var faults []error
	if o.Book != BookOpen && o.Book != BookClosed {
		faults = append(faults, fmt.Errorf("book is %q, want %s or %s", o.Book, BookOpen, BookClosed))
	}
	if o.Shots < 0 || o.Shots > 8 {
		faults = append(faults, fmt.Errorf("shots is %d, want 0 to 8", o.Shots))
	}
	if o.Repeats < 1 || o.Repeats > 100 {
		faults = append(faults, fmt.Errorf("repeats is %d, want 1 to 100", o.Repeats))
	}
	return errors.Join(faults...)
}

// modelAnswerer is a served model.
type modelAnswerer struct {
	name     string
	model    llm.Model
	options  AskOptions
	sampling llm.Sampling
	shots    map[string][]rubric.Question // by what is asked
}

// NewModelAnswerer asks a model. Shots are drawn from the given questions, which
// must not be those that are asked.
func NewModelAnswerer(name string, m llm.Model, o AskOptions, sampling llm.Sampling, shots []rubric.Question) (Answerer, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	a := &modelAnswerer{name: name, model: m, options: o, sampling: sampling, shots: map[string][]rubric.Question{}}
	for _, q := range shots {
		a.shots[asked(&q)] = append(a.shots[asked(&q)], q)
	}
	return a, nil
}

// asked is the maker of a question, which its wording begins with.
func asked(q *rubric.Question) string {
	maker, _, _ := strings.Cut(q.Wording, "/")
	return maker
}

func (a *modelAnswerer) Name() string { return a.name }

// Answer asks once. A reply that its own length has cut, or an empty one, is an
// answer.
func (a *modelAnswerer) Answer(ctx context.Context, q *rubric.Question, repeat int) (rubric.Answer, error) {
	reply, err := a.model.Chat(ctx, a.request(q, repeat))
	if err != nil {
		return rubric.Answer{}, err
	}
	answer := rubric.Answer{Question: q.ID, Repeat: repeat, Model: a.name, Text: reply.Text, Finish: string(reply.Finish),
		Tokens: rubric.Tokens{Prompt: reply.Usage.Prompt, Answer: reply.Usage.Completion}}
	if len(reply.ToolCalls) > 0 {
		if answer.ToolCalls, err = json.Marshal(reply.ToolCalls); err != nil {
			return rubric.Answer{}, err
		}
	}
	return answer, nil
}

// request is the prompt of a question: solved ones of the same kind, then
// itself.
func (a *modelAnswerer) request(q *rubric.Question, repeat int) llm.Request {
	r := llm.Request{Sampling: a.sampling, Repeat: repeat, Messages: []llm.Message{{Role: llm.System, Text: answerPrompt}}}
	for _, shot := range a.shots[asked(q)] {
		if shot.Procedure == q.Procedure || shot.ID == q.ID || len(r.Messages) > 2*a.options.Shots {
			continue
		}
		r.Messages = append(r.Messages, llm.Message{Role: llm.User, Text: a.prompt(&shot)}, llm.Message{Role: llm.Assistant, Text: shot.Reference})
	}
	r.Messages = append(r.Messages, llm.Message{Role: llm.User, Text: a.prompt(q)})
	if a.options.Tools {
		r.Tools = tools(q)
	}
	return r
}

const fence = "====="

func (a *modelAnswerer) prompt(q *rubric.Question) string {
	var b strings.Builder
	part := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n%s\n%s\n\n", title, fence, strings.ReplaceAll(text, fence, "=== =="), fence)
		}
	}
	if a.options.Book == BookOpen {
		part("Documents", q.Context)
	} else {
		fmt.Fprintf(&b, "The question is about the SOPs of %s, procedure %s, which you know.\n\n", q.Domain, q.Procedure)
	}
	part("Case", q.Case)
	b.WriteString(q.Query)
	return b.String()
}

// tools offers the calls that the key's reference lists, and deny.
func tools(q *rubric.Question) []llm.Tool {
	if q.Key.Check == "" {
		return nil
	}
	ref, err := stages.ParseReference([]byte(q.Key.Check))
	if err != nil {
		return nil // not the reference of a question about calls
	}
	parameters := map[string][]string{}
	for _, call := range sortedKeys(ref.Parameters) {
		n, err := sop.ParseName(call)
		if err != nil {
			continue
		}
		list := parameters[n.Base]
		for _, p := range sortedKeys(ref.Parameters[call]) {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
		parameters[n.Base] = list
	}
	parameters[sop.Deny] = nil
	var offered []llm.Tool
	for _, name := range sortedKeys(parameters) {
		properties := map[string]any{}
		for _, p := range parameters[name] {
			properties[p] = map[string]any{}
		}
		schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
		if err != nil {
			panic(err) // strings alone
		}
		offered = append(offered, llm.Tool{Name: name, Parameters: schema})
	}
	return offered
}
