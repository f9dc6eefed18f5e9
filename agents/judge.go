package agents

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

//go:embed prompts/judge.txt
var judgePrompt string

// JudgeOptions of a model that scores. The zero value of a field stands for its
// default.
type JudgeOptions struct {
	Repeats  int          `yaml:"repeats" json:"repeats"` // verdicts an answer, of which the median counts; 3
	Sampling llm.Sampling `yaml:"sampling" json:"sampling"`
	// Reversed names the grades from the best to the worst and the dimensions
	// from the last to the first: a judge that reads should not mind.
	Reversed bool `yaml:"-" json:"-"`
}

// Judge is a model that scores answers by the rubric of their domain (FM SO.P
// §2.3.3).
type Judge struct {
	name    string
	asker   *llm.Asker
	rubrics map[string]*rubric.Rubric
	options JudgeOptions
}

// NewJudge scores with a model.
func NewJudge(name string, asker *llm.Asker, rubrics []*rubric.Rubric, o JudgeOptions) *Judge {
	o.Repeats = cmp.Or(o.Repeats, 3)
	j := &Judge{name: name, asker: asker, rubrics: map[string]*rubric.Rubric{}, options: o}
	for _, r := range rubrics {
		j.rubrics[r.Domain] = r
	}
	return j
}

// Name is that of the model.
func (j *Judge) Name() string { return j.name }

// verdict is what the model writes, by dimension.
type verdict map[string]graded

// graded has the reason before the grade, so that the grade follows from it.
type graded struct {
	Reason string `json:"reason"`
	Grade  int    `json:"grade"`
}

// judged is the raw part of a score.
type judged struct {
	Verdicts []verdict      `json:"verdicts"`
	Spread   map[string]int `json:"spread"` // largest less smallest grade
}

// Score asks for the verdicts and takes the median grade of each dimension, the
// lower one of two. What is no answer scores 0 without a question to the judge.
// A judge whose reply cannot be used is an error.
func (j *Judge) Score(ctx context.Context, q *rubric.Question, a *rubric.Answer) (rubric.Score, error) {
	s := rubric.Score{Question: q.ID, Repeat: a.Repeat, Scorer: j.name, Outcome: rubric.Scored, E: map[string]float64{}}
	if reason := noAnswer(a); reason != "" {
		for _, d := range q.Dimensions {
			s.E[d] = 0
		}
		s.Reason = reason
		return s, nil
	}
	r := j.rubrics[q.Domain]
	if r == nil {
		return s, fmt.Errorf("no rubric of domain %q", q.Domain)
	}
	var dimensions []*rubric.Dimension
	for _, name := range q.Dimensions {
		d := r.Dimension(name)
		if d == nil {
			return s, fmt.Errorf("the rubric of %s has no dimension %q", q.Domain, name)
		}
		dimensions = append(dimensions, d)
	}
	if j.options.Reversed {
		slices.Reverse(dimensions)
	}
	schema, err := verdictSchema(dimensions)
	if err != nil {
		return s, err
	}
	raw := judged{Spread: map[string]int{}}
	for k := range j.options.Repeats {
		said, err := llm.Ask[verdict](ctx, j.asker, j.request(q, a, dimensions, k), schema)
		if err != nil {
			return s, err
		}
		raw.Verdicts = append(raw.Verdicts, said.Value)
	}
	var reasons []string
	for _, d := range q.Dimensions {
		list := make([]int, 0, len(raw.Verdicts))
		for _, v := range raw.Verdicts {
			list = append(list, v[d].Grade)
		}
		slices.Sort(list)
		median := list[(len(list)-1)/2]
		s.E[d] = float64(median) / rubric.MaxGrade
		raw.Spread[d] = list[len(list)-1] - list[0]
		for _, v := range raw.Verdicts {
			if v[d].Grade == median {
				reasons = append(reasons, d+": "+v[d].Reason)
				break
			}
		}
	}
	s.Reason = strings.Join(reasons, " ")
	text, err := json.Marshal(raw)
	s.Raw = string(text)
	return s, err
}

// noAnswer is why a reply is no answer: the candidate's own fault.
func noAnswer(a *rubric.Answer) string {
	switch {
	case strings.TrimSpace(a.Text) == "" && len(toolCalls(a.ToolCalls)) == 0:
		return "the answer is empty"
	case a.Finish == string(llm.FinishLength):
		return "the answer was cut by its own length limit"
	}
	return ""
}

// verdictSchema demands a reason and a grade of every dimension.
func verdictSchema(dimensions []*rubric.Dimension) (*llm.Schema, error) {
	grades := make([]any, rubric.MaxGrade+1)
	for g := range grades {
		grades[g] = g
	}
	root := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, d := range dimensions {
		root.Properties[d.Name] = &jsonschema.Schema{
			Type: "object", Required: []string{"reason", "grade"}, PropertyOrder: []string{"reason", "grade"},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{
				"reason": {Type: "string"},
				"grade":  {Type: "integer", Enum: grades},
			},
		}
		root.Required = append(root.Required, d.Name)
		root.PropertyOrder = append(root.PropertyOrder, d.Name)
	}
	return llm.NewSchema("verdict", root)
}

func (j *Judge) request(q *rubric.Question, a *rubric.Answer, dimensions []*rubric.Dimension, repeat int) llm.Request {
	var b strings.Builder
	if q.Case != "" {
		fmt.Fprintf(&b, "The case:\n%s\n\n", q.Case)
	}
	fmt.Fprintf(&b, "The question:\n%s\n\nThe reference answer:\n%s\n\n", q.Query, q.Reference)
	for _, d := range dimensions {
		fmt.Fprintf(&b, "Dimension %s. %s\n", d.Name, d.Why)
		for k := range d.Criteria {
			g := k
			if j.options.Reversed {
				g = len(d.Criteria) - 1 - k
			}
			fmt.Fprintf(&b, "  %d: %s\n", g, d.Criteria[g])
		}
		b.WriteString("\n")
	}
	text := a.Text
	if len(toolCalls(a.ToolCalls)) > 0 {
		text += "\nTool calls: " + string(a.ToolCalls)
	}
	mark := markFor(text)
	fmt.Fprintf(&b, "The answer under examination:\n%s\n%s\n%s\n\nNow grade it.", mark, text, mark)
	return llm.Request{Sampling: j.options.Sampling, Repeat: repeat, Messages: []llm.Message{
		{Role: llm.System, Text: judgePrompt}, {Role: llm.User, Text: b.String()},
	}}
}

// markFor is a line that an answer cannot contain: it holds the answer's hash.
func markFor(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "=====" + hex.EncodeToString(sum[:8]) + "====="
}
