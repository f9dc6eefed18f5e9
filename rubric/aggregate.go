package rubric

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
)

// Result is what one scorer made of one model in one domain.
type Result struct {
	Domain string `json:"domain"`
	// Final is e_final = Σ w_i E_i (FM SO.P Eq. 14), of which E_i is the mean of
	// e_i over the questions that test r_i. It has no value where a dimension
	// has no scored question: Missing names these.
	Final      Mean     `json:"final"`
	Missing    []string `json:"missing"`
	Dimensions []Cell   `json:"dimensions"`
	// By level and by type: the mean over questions of Σ w_i e_i / Σ w_i over the
	// dimensions that the question tests.
	Levels   []Cell     `json:"levels"`
	Types    []Cell     `json:"types"`
	Passes   []PassRate `json:"passes"`   // of k = 1, 2, 4, … and the number of repeats
	Unscored []Reason   `json:"unscored"` // most frequent first
}

// Cell is one row of a breakdown. Weight is that of a dimension, 0 elsewhere.
type Cell struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
	Mean
}

// Reason counts the answers that were left unscored for it.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// notScored is the reason of an answer for which there is no score at all.
const notScored = "no score"

// Aggregate brings together the scores of one model by one scorer over one
// domain's questions, each asked repeats times. An answer without a score is
// unscored. A score that is not of these questions, that stands there twice or
// that is out of range is an error. Intervals are clustered by Question.Unit
// and drawn from the seed and the domain.
func Aggregate(r *Rubric, questions []Question, repeats int, scores []Score, seed uint64) (*Result, error) {
	if repeats < 1 {
		return nil, fmt.Errorf("%d repeats, want at least 1", repeats)
	}
	t, err := newTable(r, questions, repeats)
	if err != nil {
		return nil, err
	}
	for i := range scores {
		if err := t.add(&scores[i]); err != nil {
			return nil, err
		}
	}
	h := fnv.New64a()
	h.Write([]byte(r.Domain))
	return t.result(seed ^ h.Sum64()), nil
}

// table holds the scores by question and repeat.
type table struct {
	rubric    *Rubric
	questions []Question
	repeats   int
	index     map[string]int
	scores    [][]*Score
	cluster   []int // of each question
	clusters  int
}

func newTable(r *Rubric, questions []Question, repeats int) (*table, error) {
	t := &table{rubric: r, questions: questions, repeats: repeats, index: map[string]int{}}
	units := map[string]int{}
	for i, q := range questions {
		if q.Domain != r.Domain {
			return nil, fmt.Errorf("question %s is of domain %q, the rubric of %q", q.ID, q.Domain, r.Domain)
		}
		if _, twice := t.index[q.ID]; twice {
			return nil, fmt.Errorf("question %s stands there twice", q.ID)
		}
		for _, d := range q.Dimensions {
			if r.Dimension(d) == nil {
				return nil, fmt.Errorf("question %s tests dimension %q, which the rubric of %s lacks", q.ID, d, r.Domain)
			}
		}
		t.index[q.ID] = i
		unit, ok := units[q.Unit]
		if !ok {
			unit = len(units)
			units[q.Unit] = unit
		}
		t.cluster = append(t.cluster, unit)
		t.scores = append(t.scores, make([]*Score, repeats))
	}
	t.clusters = len(units)
	return t, nil
}

func (t *table) add(s *Score) error {
	i, ok := t.index[s.Question]
	if !ok {
		return fmt.Errorf("score of question %s, which is not in the test set", s.Question)
	}
	if err := s.validate(&t.questions[i]); err != nil {
		return err
	}
	if s.Repeat >= len(t.scores[i]) {
		return fmt.Errorf("score of question %s, repeat %d: it was asked %d times", s.Question, s.Repeat, len(t.scores[i]))
	}
	if t.scores[i][s.Repeat] != nil {
		return fmt.Errorf("two scores of question %s, repeat %d", s.Question, s.Repeat)
	}
	t.scores[i][s.Repeat] = s
	return nil
}

// observations of the questions that are wanted, by value.
func (t *table) observations(wanted func(*Question) bool, value func(*Question, *Score) float64) []observation {
	var list []observation
	for i := range t.questions {
		q := &t.questions[i]
		if !wanted(q) {
			continue
		}
		o := observation{cluster: t.cluster[i]}
		for _, s := range t.scores[i] {
			if s == nil || s.Outcome == Unscored {
				o.unscored++
				continue
			}
			o.scored++
			o.sum += value(q, s)
		}
		list = append(list, o)
	}
	return list
}

func (t *table) result(seed uint64) *Result {
	res := &Result{Domain: t.rubric.Domain, Unscored: t.reasons()}
	var tallies []tally
	for _, d := range t.rubric.Dimensions {
		list := t.observations(
			func(q *Question) bool { return slices.Contains(q.Dimensions, d.Name) },
			func(_ *Question, s *Score) float64 { return s.E[d.Name] })
		c := Cell{Name: d.Name, Weight: d.Weight, Mean: meanOf(list, t.clusters, seed)}
		if c.Value == nil {
			res.Missing = append(res.Missing, d.Name)
		}
		res.Dimensions = append(res.Dimensions, c)
		tallies = append(tallies, tallied(list, t.clusters))
	}
	for _, level := range Levels {
		res.Levels = t.cut(res.Levels, strconv.Itoa(level), seed, func(q *Question) bool { return q.Level == level })
	}
	for _, kind := range Types {
		res.Types = t.cut(res.Types, kind, seed, func(q *Question) bool { return q.Type == kind })
	}
	res.Final = t.final(res, tallies, seed)
	res.Passes = t.passes(seed)
	return res
}

// cut appends the cell of the wanted questions, if there are any.
func (t *table) cut(cells []Cell, name string, seed uint64, wanted func(*Question) bool) []Cell {
	list := t.observations(wanted, t.weighted)
	if len(list) == 0 {
		return cells
	}
	return append(cells, Cell{Name: name, Mean: meanOf(list, t.clusters, seed)})
}

// weighted is Σ w_i e_i / Σ w_i over the dimensions that the question tests.
func (t *table) weighted(q *Question, s *Score) float64 {
	sum, weight := 0.0, 0.0
	for _, d := range q.Dimensions {
		w := t.rubric.Dimension(d).Weight
		sum += w * s.E[d]
		weight += w
	}
	return sum / weight
}

// final is Eq. 14. Its counts are those of all questions, its bounds the
// weighted bounds of the dimensions (0 and 1 for one without a question). In a
// resample that draws none of a dimension's SOPs, the others share its weight.
func (t *table) final(res *Result, tallies []tally, seed uint64) Mean {
	f := Mean{Questions: len(t.questions)}
	for _, list := range t.scores {
		for _, s := range list {
			if s == nil || s.Outcome == Unscored {
				f.Unscored++
			} else {
				f.Scored++
			}
		}
	}
	value := 0.0
	for _, c := range res.Dimensions {
		f.Low += c.Weight * c.Low
		if c.Questions == 0 {
			f.High += c.Weight
		}
		f.High += c.Weight * c.High
		if c.Value != nil {
			value += c.Weight * *c.Value
		}
	}
	if len(res.Missing) > 0 {
		f.NoInterval = "no interval: e_final is unscored"
		return f
	}
	f.Value = &value
	f.resample(t.clusters, seed, func(drawn []int) (float64, bool) {
		sum, weight := 0.0, 0.0
		for i, d := range t.rubric.Dimensions {
			if v, ok := tallies[i].mean(drawn); ok {
				sum += d.Weight * v
				weight += d.Weight
			}
		}
		return sum / weight, weight > 0
	})
	return f
}

// reasons counts why answers are unscored.
func (t *table) reasons() []Reason {
	count := map[string]int{}
	for _, list := range t.scores {
		for _, s := range list {
			switch {
			case s == nil:
				count[notScored]++
			case s.Outcome == Unscored:
				count[s.Reason]++
			}
		}
	}
	reasons := make([]Reason, 0, len(count))
	for _, r := range slices.Sorted(maps.Keys(count)) {
		reasons = append(reasons, Reason{r, count[r]})
	}
	slices.SortStableFunc(reasons, func(a, b Reason) int { return cmp.Compare(b.Count, a.Count) })
	return reasons
}
