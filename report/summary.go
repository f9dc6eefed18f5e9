// Package report turns the scores of a run into what a person reads: a summary,
// one HTML page without anything from outside, CSV and JSON.
package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
)

// Run is all that a report is made from: the scores of one scorer.
type Run struct {
	Scorer    string
	Rubrics   []*rubric.Rubric
	Questions []rubric.Question
	Repeats   int
	Models    []Candidate
	Seed      uint64 // of the intervals
	// JudgeChecks are those of the run's judges.
	JudgeChecks []*rubric.JudgeCheck
}

// Candidate is a model with its answers and scores.
type Candidate struct {
	Name    string
	Asked   string // how, in words
	Answers []rubric.Answer
	Scores  []rubric.Score
}

// BaselinePrefix begins the names of baselines.
const BaselinePrefix = "baseline:"

// Summary is what a report says.
type Summary struct {
	Scorer    string         `json:"scorer"`
	Questions int            `json:"questions"`
	Repeats   int            `json:"repeats"`
	Domains   []string       `json:"domains"`
	Models    []ModelSummary `json:"models"` // best first; baselines after models
	// Borda counts by model (rubric.Borda over e_final); NoBorda says why there
	// are none.
	Borda       map[string]float64 `json:"borda"`
	NoBorda     string             `json:"no_borda"`
	Comparisons []Pair             `json:"comparisons"`
	Failures    []Failure          `json:"failures"`
	// JudgeChecks are those of the judges that were held against what is known.
	JudgeChecks []*rubric.JudgeCheck `json:"judge_checks"`

	rubrics []*rubric.Rubric
}

// ModelSummary is one model's results.
type ModelSummary struct {
	Name     string `json:"name"`
	Baseline bool   `json:"baseline"`
	Asked    string `json:"asked"` // how, in words
	// Overall is the mean of e_final over the domains, Passes that of the pass
	// rates.
	Overall rubric.Mean       `json:"overall"`
	Passes  []rubric.PassRate `json:"passes"`
	Results []*rubric.Result  `json:"results"` // by domain, as in Summary.Domains
}

// Pair compares two models on all questions, by the question's own value (the
// weighted mean of its dimensions).
type Pair struct {
	A string `json:"a"`
	B string `json:"b"`
	rubric.Comparison
}

// Failure is an answer worth reading: a low score where others do well. Of
// several repeats it is the worst.
type Failure struct {
	Model     string          `json:"model"`
	Question  rubric.Question `json:"question"`
	Answer    string          `json:"answer"`
	Reason    string          `json:"reason"`
	Value     float64         `json:"value"`
	Elsewhere *float64        `json:"elsewhere"` // mean value of the other models; null where there are none
}

// gap is how far the others are ahead.
func (f *Failure) gap() float64 { return valueOr(f.Elsewhere, 0) - f.Value }

// maxFailures are shown of one model.
const maxFailures = 5

// Summarise aggregates the scores of every model in every domain. It is a
// function of the run alone.
func Summarise(r *Run) (*Summary, error) {
	s := &Summary{Scorer: r.Scorer, Questions: len(r.Questions), Repeats: r.Repeats, JudgeChecks: r.JudgeChecks, rubrics: r.Rubrics, Borda: map[string]float64{}}
	byDomain := map[string][]rubric.Question{}
	domainOf := map[string]string{}
	for _, q := range r.Questions {
		byDomain[q.Domain] = append(byDomain[q.Domain], q)
		domainOf[q.ID] = q.Domain
	}
	for _, rub := range r.Rubrics {
		s.Domains = append(s.Domains, rub.Domain)
	}
	for d := range byDomain {
		if !slices.Contains(s.Domains, d) {
			return nil, fmt.Errorf("questions of domain %q, of which there is no rubric", d)
		}
	}
	for _, m := range r.Models {
		own := map[string][]rubric.Score{}
		for _, score := range m.Scores {
			d, ok := domainOf[score.Question]
			if !ok {
				return nil, fmt.Errorf("model %s: score of question %s, which is not in the test set", m.Name, score.Question)
			}
			own[d] = append(own[d], score)
		}
		sum, err := summarise(&m, r, byDomain, own)
		if err != nil {
			return nil, err
		}
		s.Models = append(s.Models, *sum)
	}
	slices.SortStableFunc(s.Models, func(a, b ModelSummary) int {
		return cmp.Or(compareBool(a.Baseline, b.Baseline), cmp.Compare(valueOr(b.Overall.Value, -1), valueOr(a.Overall.Value, -1)), cmp.Compare(a.Name, b.Name))
	})
	s.count()
	values := questionValues(r)
	s.compare(r, values)
	s.fail(r, values)
	return s, nil
}

func summarise(c *Candidate, r *Run, questions map[string][]rubric.Question, scores map[string][]rubric.Score) (*ModelSummary, error) {
	m := &ModelSummary{Name: c.Name, Baseline: strings.HasPrefix(c.Name, BaselinePrefix), Asked: c.Asked}
	for _, rub := range r.Rubrics {
		res, err := rubric.Aggregate(rub, questions[rub.Domain], r.Repeats, scores[rub.Domain], r.Seed)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", c.Name, err)
		}
		m.Results = append(m.Results, res)
	}
	m.Overall = m.over(func(res *rubric.Result) rubric.Mean { return res.Final })
	for i, p := range m.Results[0].Passes {
		m.Passes = append(m.Passes, rubric.PassRate{
			K:   p.K,
			At:  m.over(func(res *rubric.Result) rubric.Mean { return res.Passes[i].At }),
			All: m.over(func(res *rubric.Result) rubric.Mean { return res.Passes[i].All }),
		})
	}
	return m, nil
}

// over brings a mean of each domain together.
func (m *ModelSummary) over(of func(*rubric.Result) rubric.Mean) rubric.Mean {
	var means []rubric.Mean
	for _, res := range m.Results {
		means = append(means, of(res))
	}
	return rubric.Overall(means)
}

// count fills in the Borda counts.
func (s *Summary) count() {
	if len(s.Models) < 2 {
		s.NoBorda = "no Borda count: it compares at least 2 models"
		return
	}
	rates := map[string]map[string]float64{}
	for _, m := range s.Models {
		rates[m.Name] = map[string]float64{}
		for _, res := range m.Results {
			if res.Final.Value == nil {
				s.NoBorda = fmt.Sprintf("no Borda count: %s is unscored in %s", m.Name, res.Domain)
				return
			}
			rates[m.Name][res.Domain] = *res.Final.Value
		}
	}
	counts, err := rubric.Borda(rates)
	if err != nil {
		s.NoBorda = "no Borda count: " + err.Error()
		return
	}
	s.Borda = counts
}

// questionValues are, by model, the values of the questions in their order: the
// mean over repeats of the weighted mean over dimensions; NaN where unscored.
func questionValues(r *Run) map[string][]rubric.Value {
	weights := map[string]map[string]float64{}
	for _, rub := range r.Rubrics {
		weights[rub.Domain] = map[string]float64{}
		for _, d := range rub.Dimensions {
			weights[rub.Domain][d.Name] = d.Weight
		}
	}
	index := map[string]int{}
	for i, q := range r.Questions {
		index[q.ID] = i
	}
	all := map[string][]rubric.Value{}
	for _, m := range r.Models {
		sums, counts := make([]float64, len(r.Questions)), make([]float64, len(r.Questions))
		for _, s := range m.Scores {
			if s.Outcome != rubric.Scored {
				continue
			}
			i := index[s.Question]
			q := &r.Questions[i]
			value, weight := 0.0, 0.0
			for _, d := range q.Dimensions {
				w := weights[q.Domain][d]
				value += w * s.E[d]
				weight += w
			}
			sums[i] += value / weight
			counts[i]++
		}
		for i, q := range r.Questions {
			v := math.NaN()
			if counts[i] > 0 {
				v = sums[i] / counts[i]
			}
			all[m.Name] = append(all[m.Name], rubric.Value{Cluster: q.Unit, Value: v})
		}
	}
	return all
}

// compare fills in the comparisons of models, and of the best model with each
// baseline.
func (s *Summary) compare(r *Run, values map[string][]rubric.Value) {
	for i, a := range s.Models {
		for _, b := range s.Models[i+1:] {
			if b.Baseline && i > 0 {
				continue
			}
			s.Comparisons = append(s.Comparisons, Pair{a.Name, b.Name, rubric.Compare(values[a.Name], values[b.Name], r.Seed)})
		}
	}
}

// fail picks the most instructive failures of every model that is no baseline
// (of baselines where there is nothing else): the lowest scores where the
// others score highest, no dimension twice before each had its turn.
func (s *Summary) fail(r *Run, values map[string][]rubric.Value) {
	for _, m := range s.Models {
		if m.Baseline && !s.Models[0].Baseline {
			continue
		}
		s.Failures = append(s.Failures, failures(r, m.Name, values)...)
	}
}

func failures(r *Run, model string, values map[string][]rubric.Value) []Failure {
	const low = 0.5
	candidate := r.Models[slices.IndexFunc(r.Models, func(c Candidate) bool { return c.Name == model })]
	said, worst := map[[2]any]rubric.Answer{}, map[string]rubric.Score{}
	for _, a := range candidate.Answers {
		said[[2]any{a.Question, a.Repeat}] = a
	}
	for _, sc := range candidate.Scores {
		if least, ok := worst[sc.Question]; sc.Outcome == rubric.Scored && (!ok || total(sc) < total(least)) {
			worst[sc.Question] = sc
		}
	}
	var list []Failure
	for i, q := range r.Questions {
		own := values[model][i].Value
		if math.IsNaN(own) || own >= low {
			continue
		}
		sum, n := 0.0, 0.0
		for _, m := range r.Models {
			if v := values[m.Name][i].Value; m.Name != model && !math.IsNaN(v) {
				sum, n = sum+v, n+1
			}
		}
		score := worst[q.ID]
		a := said[[2]any{q.ID, score.Repeat}]
		f := Failure{Model: model, Question: q, Answer: a.Said(), Reason: score.Reason, Value: own}
		if n > 0 {
			f.Elsewhere = new(sum / n)
		}
		list = append(list, f)
	}
	slices.SortStableFunc(list, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.gap(), a.gap()), cmp.Compare(a.Question.ID, b.Question.ID))
	})
	var picked []Failure
	seen := map[string]bool{}
	for _, f := range list {
		if d := f.Question.Dimensions[0]; !seen[d] && len(picked) < maxFailures {
			seen[d] = true
			picked = append(picked, f)
		}
	}
	return picked
}

// total orders the scores of one question.
func total(s rubric.Score) float64 {
	sum := 0.0
	for _, e := range s.E {
		sum += e
	}
	return sum
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func valueOr(v *float64, otherwise float64) float64 {
	if v == nil {
		return otherwise
	}
	return *v
}
