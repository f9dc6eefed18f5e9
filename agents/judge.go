package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

// JudgeOptions of a model that scores. The zero value of a field stands for its
// default.
type JudgeOptions struct {
	Repeats  int          `yaml:"repeats" json:"repeats"` // verdicts an answer, of which the median counts; 3
	Sampling llm.Sampling `yaml:"sampling" json:"sampling"`
}

// WithDefaults fills in what is not set.
func (o JudgeOptions) WithDefaults() JudgeOptions {
	o.Repeats = cmp.Or(o.Repeats, 3)
	return o
}

// Validate reports what is out of range.
func (o JudgeOptions) Validate() error {
	if o.Repeats < 1 || o.Repeats > 100 {
		return fmt.Errorf("repeats is %d, want 1 to 100 verdicts an answer", o.Repeats)
	}
	return nil
}

// Judge is a model that scores answers by the rubric of their domain (FM SO.P
// §2.3.3).
type Judge struct {
	name    string
	asker   *llm.Asker
	rubrics map[string]*rubric.Rubric
	options JudgeOptions
	// reversed names the grades from the best to the worst and the dimensions
	// from the last to the first: a judge that reads does not mind.
	reversed bool
}

var _ Scorer = (*Judge)(nil)

// NewJudge scores with a model, by valid options.
func NewJudge(name string, asker *llm.Asker, rubrics []*rubric.Rubric, o JudgeOptions) *Judge {
	j := &Judge{name: name, asker: asker, rubrics: map[string]*rubric.Rubric{}, options: o.WithDefaults()}
	for _, r := range rubrics {
		j.rubrics[r.Domain] = r
	}
	return j
}

// SameModel tells whether two names are of one model, on whatever server and by
// whatever protocol. A model that judges itself is partial. Baselines are none.
func SameModel(a, b string) bool {
	return !IsBaseline(a) && !IsBaseline(b) && modelName(a) == modelName(b)
}

func modelName(name string) string {
	if _, model, ok := strings.Cut(name, ":"); ok {
		name = model
	}
	return strings.ToLower(strings.TrimSuffix(name, ":latest"))
}

// Name is that of the model.
func (j *Judge) Name() string { return j.name }

// judged is the raw part of a score.
type judged struct {
	Verdicts []map[string]graded `json:"verdicts"`
	Spread   map[string]int      `json:"spread"` // largest less smallest grade
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
	dimensions, err := j.dimensions(q)
	if err != nil {
		return s, err
	}
	raw := judged{Spread: map[string]int{}}
	for k := range j.options.Repeats {
		grades, err := j.ask(ctx, q, a, dimensions, k)
		if err != nil {
			return s, fmt.Errorf("verdict %d of %d: %w", k+1, j.options.Repeats, err)
		}
		raw.Verdicts = append(raw.Verdicts, grades)
	}
	var reasons []string
	for _, d := range q.Dimensions {
		median, spread := medianGrade(raw.Verdicts, d)
		s.E[d], raw.Spread[d] = float64(median)/rubric.MaxGrade, spread
		i := slices.IndexFunc(raw.Verdicts, func(v map[string]graded) bool { return v[d].Grade == median })
		reasons = append(reasons, d+": "+raw.Verdicts[i][d].Reason)
	}
	s.Reason = strings.Join(reasons, "\n")
	text, err := json.Marshal(raw)
	s.Raw = string(text)
	return s, err
}

// dimensions that the question tests, in the order in which they are named.
func (j *Judge) dimensions(q *rubric.Question) ([]*rubric.Dimension, error) {
	r := j.rubrics[q.Domain]
	if r == nil {
		return nil, fmt.Errorf("no rubric of domain %q", q.Domain)
	}
	var list []*rubric.Dimension
	for _, name := range q.Dimensions {
		d := r.Dimension(name)
		if d == nil {
			return nil, fmt.Errorf("the rubric of %s has no dimension %q", q.Domain, name)
		}
		list = append(list, d)
	}
	if j.reversed {
		slices.Reverse(list)
	}
	return list, nil
}

// medianGrade of one dimension, the lower one of two, and how far the grades lie
// apart.
func medianGrade(verdicts []map[string]graded, dimension string) (median, spread int) {
	var list []int
	for _, v := range verdicts {
		list = append(list, v[dimension].Grade)
	}
	slices.Sort(list)
	return list[(len(list)-1)/2], list[len(list)-1] - list[0]
}

// noAnswer is why a reply is no answer: the candidate's own fault.
func noAnswer(a *rubric.Answer) string {
	switch {
	case said(a) == "":
		return "the answer is empty"
	case a.Finish == string(llm.FinishLength):
		return "the answer was cut by its own length limit"
	}
	return ""
}
