package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Level 3: all rules of a procedure, mostly in a case.
var caseMakers = []maker{
	{"all_conditions", rubric.SeveralRules, rubric.Factual, (*draw).allConditions},
	{"workflow", rubric.SeveralRules, rubric.Sequential, (*draw).workflow},
	{"outcome", rubric.SeveralRules, rubric.Conditional, (*draw).outcome},
	{"next", rubric.SeveralRules, rubric.MultiHop, (*draw).next},
}

// maxNames bounds a list that is asked for.
const maxNames = 10

func (d *draw) allConditions() bool {
	s := d.sampler()
	if s == nil || s.V.Requires[s.V.Goal] == nil {
		return false
	}
	names := s.V.Requires[s.V.Goal].Names()
	if len(names) < 2 || len(names) > maxNames || slices.ContainsFunc(names, func(n string) bool { return s.V.Conditions[n] == nil }) {
		return false
	}
	d.question.Context = d.book(s.V)
	d.ask("goal", tick(s.V.Goal))
	d.answer(rubric.KeySet, names...)
	d.about(s.V, names...)
	d.subject = strings.Join(names, ",")
	return true
}

// inCase draws a case with a right workflow, refused every other time.
func (d *draw) inCase() (*sop.Sampler, *sop.Scenario, sop.Workflow) {
	s := d.sampler()
	if s == nil {
		return nil, nil, nil
	}
	outcome := 0
	if d.flip {
		outcome = len(s.V.Outcomes) - 1
	}
	sc := d.scenario(s, outcome)
	if sc == nil {
		return nil, nil, nil
	}
	right, err := s.M.Positive(sc.Facts, d.rng)
	if err != nil || len(right) < 2 {
		return nil, nil, nil // nothing to decide
	}
	return s, sc, right
}

// decided records what a case hangs on: what a permitted request needs, or
// what is false where one is refused.
func (d *draw) decided(s *sop.Sampler, sc *sop.Scenario) {
	tree := s.V.Requires[s.V.Goal]
	if tree == nil {
		return
	}
	for _, n := range tree.Names() {
		if !d.flip || !sc.Facts[n] {
			d.about(s.V, n)
		}
	}
	if d.flip {
		d.shapes = append(d.shapes, rubric.ShapeRefusal)
	}
	if under(tree, sop.Any, sop.FirstOf) != nil {
		d.shapes = append(d.shapes, rubric.ShapeAlternatives)
	}
}

// formats in which sequences are asked for, and how the query says so.
var workflowFormats = map[string]string{
	"numbered": "Answer as a numbered list, one call a line, the end last.",
	"arrow":    "Answer in one line, the names joined by ->, the end last.",
	"json":     "Answer with JSON only: {\"workflow\": [\"…\", …]}, the end last.",
}

func (d *draw) workflow() bool {
	s, sc, right := d.inCase()
	if s == nil {
		return false
	}
	d.question.Format = pick(d.rng, sortedKeys(workflowFormats))
	d.question.Context = d.book(s.V)
	d.question.Case = text.RenderScenario(pick(d.rng, text.ScenarioStyles), s.V, sc, d.rng)
	d.ask("format", workflowFormats[d.question.Format])
	d.answer(rubric.KeySequence, right...)
	d.check(s.V, sc, nil)
	d.decided(s, sc)
	d.shapes = append(d.shapes, rubric.ShapeOrder)
	if len(right) > longWorkflow {
		d.shapes = append(d.shapes, rubric.ShapeTools)
	}
	d.subject = caseKey(s.V, sc)
	return true
}

func (d *draw) outcome() bool {
	s, sc, right := d.inCase()
	if s == nil || !grantsOrDenies(s.V) {
		return false
	}
	d.question.Context = d.book(s.V)
	d.question.Case = text.RenderScenario(pick(d.rng, text.ScenarioStyles), s.V, sc, d.rng)
	d.ask("goal", tick(s.V.Goal))
	d.answer(rubric.KeyOutcome, right[len(right)-1])
	d.decided(s, sc)
	d.subject = caseKey(s.V, sc)
	return true
}

const nextFormat = "Answer with the name of the call in backticks and its arguments as parameter = value, or with `deny`."

func (d *draw) next() bool {
	s, sc, right := d.inCase()
	if s == nil {
		return false
	}
	at := 1 + d.rng.IntN(len(right)-1)
	history := right[:at]
	if len(s.M.Next(sc.Facts, history)) == 0 {
		return false
	}
	d.question.Format = "sentence"
	d.question.Context = d.book(s.V)
	d.question.Case = text.RenderRequest(pick(d.rng, text.ScenarioStyles), s.V, sc, d.rng) + "\n\n" + text.RenderHistory(s.V, sc, history, d.rng)
	d.ask("format", nextFormat)
	d.answer(rubric.KeyValue, right[at])
	d.check(s.V, sc, history)
	d.decided(s, sc)
	d.shapes = append(d.shapes, rubric.ShapeOrder, rubric.ShapeTools)
	d.subject = fmt.Sprint(at, caseKey(s.V, sc))
	return true
}

// grantsOrDenies tells a request, which is granted or denied, from a procedure
// that ends in some other way: a question that offers these two fits only the
// first.
func grantsOrDenies(v *sop.Variant) bool {
	return len(v.Outcomes) == 2 && v.Outcomes[0].End == v.Goal && v.Outcomes[1].End == sop.Deny
}

// caseKey tells cases of a procedure apart.
func caseKey(v *sop.Variant, sc *sop.Scenario) string {
	return fmt.Sprint(v.Requires[v.Goal], sc.Facts, sc.Values)
}
