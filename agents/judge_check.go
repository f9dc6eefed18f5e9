package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

// JudgeCheckOptions say what a judge is tried on.
type JudgeCheckOptions struct {
	Constructed int     // answers of each operator and form; 0: none, and no probes
	Pass        float64 // value from which an answer passes
	Seed        uint64
}

// Validate reports every field that is out of range, joined.
func (o JudgeCheckOptions) Validate() error {
	var faults []error
	if o.Constructed < 0 {
		faults = append(faults, fmt.Errorf("constructed is %d, want 0 or more answers an operator", o.Constructed))
	}
	if !(o.Pass > 0 && o.Pass <= 1) {
		faults = append(faults, fmt.Errorf("pass is %g, want over 0, up to 1", o.Pass))
	}
	return errors.Join(faults...)
}

// Conflict is an answer that a judge passes and the key does not, or the other
// way round. It is for a person to look at.
type Conflict struct {
	Model       string  `json:"model"`
	ID          string  `json:"id"` // of the question
	Repeat      int     `json:"repeat"`
	Source      string  `json:"source"`
	Case        string  `json:"case"`
	Question    string  `json:"question"`
	Reference   string  `json:"reference"`
	Answer      string  `json:"answer"`
	Key         float64 `json:"key"`
	KeyReason   string  `json:"key_reason"`
	Judge       float64 `json:"judge"`
	JudgeReason string  `json:"judge_reason"`
}

// JudgeCheckMaterial is what a judge is tried on: the questions of a run and its
// candidates' answers to them, by name, and rows of a dataset, which may be none.
type JudgeCheckMaterial struct {
	Questions  []rubric.Question
	Candidates map[string][]rubric.Answer
	Rows       []dataset.Row
}

// CheckJudge tries a judge on constructed answers and on the candidates' real
// ones, wherever it is known what is right. Only what ends a run is an error. The
// same judge gives the same check.
func CheckJudge(ctx context.Context, j *Judge, m JudgeCheckMaterial, o JudgeCheckOptions, r run.Options) (*rubric.JudgeCheck, []Conflict, error) {
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	c := &checking{judge: j, options: o, check: &rubric.JudgeCheck{Judge: j.name, Repeats: j.options.Repeats, Pass: o.Pass}}
	built := append(construct(m.Questions, o.Constructed, o.Seed), constructRows(m.Rows, j.rubrics, o.Constructed, o.Seed)...)
	inOrder(built)
	plain := make([]int, len(built)) // the jobs of the constructed answers
	for i, b := range built {
		plain[i] = c.add(j, b.question, &rubric.Answer{Question: b.question.ID, Text: b.text})
	}
	probes := c.probes(built, plain)
	given := c.candidates(m.Questions, m.Candidates)

	if err := c.run(ctx, r); err != nil {
		return nil, nil, err
	}
	c.count(append(slices.Clone(plain), given.jobs...))
	c.constructed(built, plain)
	for _, p := range probes {
		c.probe(p, built, plain)
	}
	conflicts := c.real(given)
	c.check.Conclude()
	return c.check, conflicts, nil
}

// checking is a check of a judge at work.
type checking struct {
	judge   *Judge
	options JudgeCheckOptions
	check   *rubric.JudgeCheck
	jobs    []verdictJob
	scores  []rubric.Score
}

type verdictJob struct {
	judge    *Judge
	question *rubric.Question
	answer   *rubric.Answer
}

// add plans a verdict and returns the number of its job.
func (c *checking) add(j *Judge, q *rubric.Question, a *rubric.Answer) int {
	c.jobs = append(c.jobs, verdictJob{j, q, a})
	return len(c.jobs) - 1
}

func (c *checking) run(ctx context.Context, o run.Options) error {
	o.Name = func(i int) string { return fmt.Sprintf("verdict on an answer to question %s", c.jobs[i].question.ID) }
	work := func(ctx context.Context, i int) (rubric.Score, error) {
		return scoreAnswer(ctx, c.jobs[i].judge, c.jobs[i].question, c.jobs[i].answer)
	}
	err := run.Ordered(ctx, o, len(c.jobs), work, func(_ int, s rubric.Score) error {
		c.scores = append(c.scores, s)
		return nil
	})
	return llm.Ended(err, len(c.scores), len(c.jobs))
}

// value of a job's answer: the mean over the dimensions by their weights; false
// where it is unscored.
func (c *checking) value(job int) (float64, bool) {
	s, q := &c.scores[job], c.jobs[job].question
	if s.Outcome != rubric.Scored {
		return math.NaN(), false
	}
	r := c.judge.rubrics[q.Domain]
	sum, weights := 0.0, 0.0
	for _, d := range q.Dimensions {
		w := r.Dimension(d).Weight
		sum += w * s.E[d]
		weights += w
	}
	return sum / weights, true
}

// count tells which grades were given, and in how many answers the repeats
// agree.
func (c *checking) count(jobs []int) {
	var clusters []string
	var steady []bool
	for _, job := range jobs {
		var raw judged
		if s := c.scores[job]; s.Outcome != rubric.Scored || s.Raw == "" || json.Unmarshal([]byte(s.Raw), &raw) != nil {
			continue
		}
		for _, v := range raw.Verdicts {
			for _, g := range v {
				c.check.Grades[g.Grade]++
			}
		}
		clusters = append(clusters, c.jobs[job].question.Unit)
		steady = append(steady, !slices.ContainsFunc(slices.Collect(maps.Values(raw.Spread)), func(spread int) bool { return spread > 0 }))
	}
	c.check.Steady = rubric.ShareOf(clusters, steady)
}

// constructed sums up part one.
func (c *checking) constructed(built []constructed, plain []int) {
	var list []rubric.Judged
	var reasons []string
	for i := 0; i < len(built); {
		first := built[i]
		o := rubric.OperatorCheck{Operator: first.operator, Form: first.form, Right: first.right}
		var clusters []string
		var passed []bool
		for ; i < len(built) && built[i].operator == first.operator && built[i].form == first.form; i++ {
			v, ok := c.value(plain[i])
			if !ok {
				o.Unscored++
				reasons = append(reasons, c.scores[plain[i]].Reason)
				continue
			}
			unit := built[i].question.Unit
			clusters, passed = append(clusters, unit), append(passed, rubric.Reaches(v, c.options.Pass))
			list = append(list, rubric.Judged{Cluster: unit, Key: known(first.right), Judge: v})
		}
		o.Passed = rubric.ShareOf(clusters, passed)
		c.check.Operators = append(c.check.Operators, o)
	}
	c.check.Constructed = c.answersCheck("constructed", list, reasons)
}

func known(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

var digits = regexp.MustCompile(`[0-9]+`)

// tallyReasons counts them, the most frequent first. Reasons that differ in
// numbers alone are one, in the words of the first.
func tallyReasons(reasons []string) []rubric.Reason {
	list := []rubric.Reason{}
	index := map[string]int{}
	for _, r := range reasons {
		kind := digits.ReplaceAllString(r, "0")
		i, ok := index[kind]
		if !ok {
			i = len(list)
			index[kind], list = i, append(list, rubric.Reason{Reason: r})
		}
		list[i].Count++
	}
	slices.SortStableFunc(list, func(a, b rubric.Reason) int { return cmp.Compare(b.Count, a.Count) })
	return list
}

// realAnswers are the candidates' answers to questions with a key: a job each,
// and what the key says.
type realAnswers struct {
	names []string // of the candidates, models first
	of    []int    // the candidate of each job
	jobs  []int
	keys  []rubric.Score
}

// candidates plans part two. What is no answer, by a server's fault or the
// candidate's own, needs no judge and says nothing of one.
func (c *checking) candidates(questions []rubric.Question, given map[string][]rubric.Answer) *realAnswers {
	index := map[string]*rubric.Question{}
	for i := range questions {
		index[questions[i].ID] = &questions[i]
		if questions[i].Key.Kind == rubric.KeyNone {
			c.check.NoKey++
		}
	}
	r := &realAnswers{names: sortedKeys(given)}
	slices.SortStableFunc(r.names, func(a, b string) int { return compareBool(IsBaseline(a), IsBaseline(b)) })
	for k, name := range r.names {
		for i := range given[name] {
			a := &given[name][i]
			q := index[a.Question]
			if q == nil || a.Error != "" || noAnswer(a) != "" {
				continue
			}
			key, err := SymbolicScorer{}.Score(context.Background(), q, a)
			if err != nil {
				continue // no key
			}
			r.of, r.jobs, r.keys = append(r.of, k), append(r.jobs, c.add(c.judge, q, a)), append(r.keys, key)
		}
	}
	return r
}

// IsBaseline tells a baseline from a model by its name.
func IsBaseline(name string) bool { return strings.HasPrefix(name, "baseline:") }

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// real sums up part two.
func (c *checking) real(r *realAnswers) []Conflict {
	var conflicts []Conflict
	lists := make([][]rubric.Judged, len(r.names))
	reasons := make([][]string, len(r.names))
	for i, job := range r.jobs {
		q, a, s := c.jobs[job].question, c.jobs[job].answer, &c.scores[job]
		v, ok := c.value(job)
		if !ok {
			reasons[r.of[i]] = append(reasons[r.of[i]], s.Reason)
			continue
		}
		key := r.keys[i].E[q.Dimensions[0]]
		lists[r.of[i]] = append(lists[r.of[i]], rubric.Judged{Cluster: q.Unit, Key: key, Judge: v})
		if rubric.Reaches(key, c.options.Pass) != rubric.Reaches(v, c.options.Pass) {
			conflicts = append(conflicts, Conflict{Model: r.names[r.of[i]], ID: q.ID, Repeat: a.Repeat, Source: strings.Join(q.Source, "; "), Case: q.Case, Question: q.Query,
				Reference: q.Reference, Answer: said(a), Key: key, KeyReason: r.keys[i].Reason, Judge: v, JudgeReason: s.Reason})
		}
	}
	all, models := "all models", len(r.names) > 0 && !IsBaseline(r.names[0])
	if !models {
		all = "all baselines"
	}
	var together []rubric.Judged
	var unscored []string
	for k, name := range r.names {
		c.check.Candidates = append(c.check.Candidates, c.answersCheck(name, lists[k], reasons[k]))
		if IsBaseline(name) != models {
			together, unscored = append(together, lists[k]...), append(unscored, reasons[k]...)
		}
	}
	c.check.Together = c.answersCheck(all, together, unscored)
	c.check.Conflicts = len(conflicts)
	slices.SortStableFunc(conflicts, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Key-b.Judge), math.Abs(a.Key-a.Judge)), cmp.Compare(a.Model, b.Model), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Repeat, b.Repeat))
	})
	return conflicts
}

func (c *checking) answersCheck(name string, list []rubric.Judged, unscored []string) rubric.AnswersCheck {
	return rubric.AnswersCheck{Name: name, Agreement: rubric.Agree(list, c.options.Pass, c.options.Seed), Unscored: len(unscored), Reasons: tallyReasons(unscored)}
}
