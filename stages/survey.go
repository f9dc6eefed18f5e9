package stages

import (
	"slices"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
)

// judge surveys how often a naive edit, taken as wrong unseen, would be right.
type judge struct {
	survey map[surveyKey]*surveyed
}

type surveyKey struct {
	operator augment.Operator
	how      string
}

func (k surveyKey) detail() string { return string(k.operator) + "/" + k.how }

// surveyed counts one kind of naive edits: those that are right, and those
// that are only needlessly long.
type surveyed struct{ tried, correct, wasteful int }

func newJudge() *judge { return &judge{map[surveyKey]*surveyed{}} }

// surveyEvery is how many sides there are for each that is surveyed.
const surveyEvery = 16

// look surveys one naive edit of each kind, drawn evenly, on some of the sides.
func (w *worker) look(s *side) {
	if w.rng.IntN(surveyEvery) > 0 {
		return
	}
	kinds := map[surveyKey][]augment.Edit{}
	var order []surveyKey
	for _, op := range augment.Operators {
		for _, e := range editsOf(op, s.positive, s) {
			k := surveyKey{op, e.How}
			if kinds[k] == nil {
				order = append(order, k)
			}
			kinds[k] = append(kinds[k], e)
		}
	}
	survey := w.judge.survey
	for _, k := range order {
		found := s.M.Check(s.scenario.Facts, kinds[k][w.rng.IntN(len(kinds[k]))].Workflow)
		if survey[k] == nil {
			survey[k] = &surveyed{}
		}
		survey[k].tried++
		switch {
		case len(found) == 0:
			survey[k].correct++
		case !slices.ContainsFunc(found, func(v sop.Violation) bool { return v.Kind.Fault() }):
			survey[k].wasteful++
		}
	}
}
