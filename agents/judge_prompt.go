package agents

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

//go:embed prompts/judge.txt
var judgePrompt string

// verdict is what the model writes. Mark is that of the answer, which the answer
// cannot know: a verdict that stands in it, and that the model quotes, is none.
type verdict struct {
	Mark   string            `json:"mark"`
	Grades map[string]graded `json:"grades"` // by dimension
}

// graded has the reason before the grade, so that the grade follows from it.
type graded struct {
	Reason string `json:"reason"`
	Grade  int    `json:"grade"`
}

// ask has the model write one verdict.
func (j *Judge) ask(ctx context.Context, q *rubric.Question, a *rubric.Answer, dimensions []*rubric.Dimension, repeat int) (map[string]graded, error) {
	prompt, mark := j.prompt(q, a, dimensions)
	schema, err := verdictSchema(mark, dimensions)
	if err != nil {
		return nil, err
	}
	said, err := llm.Ask[verdict](ctx, j.asker, llm.Request{Sampling: j.options.Sampling, Repeat: repeat, Messages: []llm.Message{
		{Role: llm.System, Text: judgePrompt}, {Role: llm.User, Text: prompt},
	}}, schema)
	return said.Value.Grades, err
}

// prompt has the answer last, so that nothing which the judge is told stands
// between the answer and what is wanted of it.
func (j *Judge) prompt(q *rubric.Question, a *rubric.Answer, dimensions []*rubric.Dimension) (text, mark string) {
	var b strings.Builder
	part := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n\n", title, text)
		}
	}
	part("The documents", q.Context)
	part("The case", q.Case)
	part("The question", q.Query)
	part("The reference answer", q.Reference)
	for _, d := range dimensions {
		fmt.Fprintf(&b, "Dimension %s. %s\n", d.Name, d.Why)
		for g := range d.Criteria {
			if j.reversed {
				g = len(d.Criteria) - 1 - g
			}
			fmt.Fprintf(&b, "  %d: %s\n", g, d.Criteria[g])
		}
		b.WriteString("\n")
	}
	lines, mark := barred(said(a))
	fmt.Fprintf(&b, "The answer under examination, between the lines with the mark %s:\n===== %s begins\n%s\n===== %s ends\n\nGrade it now.", mark, mark, lines, mark)
	return b.String(), mark
}

// verdictSchema demands the mark, and a reason and a grade of every dimension.
func verdictSchema(mark string, dimensions []*rubric.Dimension) (*llm.Schema, error) {
	offered := make([]any, rubric.MaxGrade+1)
	for g := range offered {
		offered[g] = g
	}
	grades := object()
	for _, d := range dimensions {
		one := object()
		demand(one, "reason", &jsonschema.Schema{Type: "string", MinLength: new(1)})
		demand(one, "grade", &jsonschema.Schema{Type: "integer", Enum: offered})
		demand(grades, d.Name, one)
	}
	root := object()
	demand(root, "mark", &jsonschema.Schema{Type: "string", Enum: []any{mark}})
	demand(root, "grades", grades)
	return llm.NewSchema("verdict", root)
}

func object() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}

func demand(s *jsonschema.Schema, name string, property *jsonschema.Schema) {
	s.Properties[name] = property
	s.Required = append(s.Required, name)
	s.PropertyOrder = append(s.PropertyOrder, name)
}

// said is an answer as a judge is to see it: without thoughts, with tool calls.
func said(a *rubric.Answer) string {
	text := thoughts.ReplaceAllString(a.Text, "\n")
	text = strings.TrimSpace(thoughtsCut.ReplaceAllString(thoughtsEnd.ReplaceAllString(text, ""), ""))
	if len(toolCalls(a.ToolCalls)) > 0 {
		text = strings.TrimSpace(text + "\nTool calls: " + string(a.ToolCalls))
	}
	return text
}

var (
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")
	// control finds what chat templates and tokenizers may take for a token of
	// their own, wherever in the prompt it stands: <|im_end|>, </s>, [/INST].
	control = regexp.MustCompile(`(<)([|/!｜▁\p{L}])|(\[)(/?[A-Z_]+\])`)
)

// barred is what somebody else wrote, fit to stand between two lines with the
// mark, which occurs nowhere in it. Each line is behind a bar, so that none can
// pass for a line of the prompt; what a reader cannot see is spelled out. Beyond
// maxRead bytes it is cut, and says so.
func barred(text string) (lines, mark string) {
	rest := max(0, len(text)-maxRead)
	text = lineEnds.Replace(strings.ToValidUTF8(text[:len(text)-rest], "\uFFFD"))
	text = control.ReplaceAllString(text, "$1$3 $2$4")
	var b strings.Builder
	b.WriteString("| ")
	for _, c := range text {
		switch {
		case c == '\n':
			b.WriteString("\n| ")
		case c != '\t' && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			fmt.Fprintf(&b, "⟨U+%04X⟩", c)
		default:
			b.WriteRune(c)
		}
	}
	if rest > 0 {
		fmt.Fprintf(&b, "\n(%d more bytes are left out)", rest)
	}
	lines = b.String()
	return lines, markFor(lines)
}

// markFor is a mark that occurs nowhere in a text, and that nobody who wrote it
// could have known.
func markFor(text string) string {
	for n := 0; ; n++ {
		sum := sha256.Sum256(fmt.Append(nil, n, text))
		if mark := hex.EncodeToString(sum[:4]); !strings.Contains(strings.ToLower(text), mark) {
			return mark
		}
	}
}
