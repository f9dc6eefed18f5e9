package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

// Level 4: several procedures at once.
var sessionMakers = []maker{
	{"which_procedures", rubric.SeveralSteps, rubric.Factual, (*draw).whichProcedures},
	{"carry_on", rubric.SeveralSteps, rubric.Sequential, (*draw).carryOn},
	{"permitted", rubric.SeveralSteps, rubric.Conditional, (*draw).permitted},
	{"known_already", rubric.SeveralSteps, rubric.MultiHop, (*draw).knownAlready},
}

// sessionSize is the number of procedures that are asked about at once.
const sessionSize = 3

// with returns one variant of this procedure and of other ones, shuffled.
func (d *draw) with(others int) []*sop.Sampler {
	own := d.sampler()
	if own == nil {
		return nil
	}
	list := []*sop.Sampler{own}
	for _, i := range d.rng.Perm(len(d.domain.Procedures)) {
		p := d.domain.Procedures[i]
		if s := pick(d.rng, d.samplers(p)); s != nil && p != d.procedure && len(list) <= others {
			list = append(list, s)
		}
	}
	if len(list) <= others {
		return nil
	}
	d.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// books are the SOPs of several variants, one after another.
func (d *draw) books(list []*sop.Sampler) {
	var parts []string
	d.question.Source = nil
	for _, s := range list {
		parts = append(parts, d.book(s.V))
		d.question.Source = append(d.question.Source, d.domain.Name+"/"+s.V.Procedure.Goal)
	}
	d.question.Context = strings.Join(parts, stages.ContextBreak)
}

// whichProcedures asks in whose rules a condition stands, which is some, not
// all.
func (d *draw) whichProcedures() bool {
	list := d.with(sessionSize)
	if list == nil {
		return false
	}
	var own *sop.Sampler
	for _, s := range list {
		if s.V.Procedure == d.procedure {
			own = s
		}
	}
	rules := own.V.Requires[own.V.Goal]
	if rules == nil {
		return false
	}
	c := pick(d.rng, rules.Names())
	if own.V.Conditions[c] == nil {
		return false
	}
	var goals []string
	for _, s := range list {
		if t := s.V.Requires[s.V.Goal]; t != nil && slices.Contains(t.Names(), c) {
			goals = append(goals, s.V.Goal)
		} else if s.V.Conditions[c] != nil {
			return false // it plays a part, though not in the rules
		}
	}
	if len(goals) == len(list) {
		return false
	}
	d.books(list)
	d.ask("condition", own.V.Conditions[c].Text, "name", tick(c))
	d.answer(rubric.KeySet, goals...)
	d.about(own.V, c)
	d.subject = c + strings.Join(goals, ",")
	return true
}

// joint draws one case that all variants are asked in, or nil where several
// draws in turn differ in a number that two of them read.
func (d *draw) joint(list []*sop.Sampler) []*sop.Scenario {
	const attempts = 20
	for range attempts {
		if cases := d.jointly(list); cases != nil {
			return cases
		}
	}
	return nil
}

func (d *draw) jointly(list []*sop.Sampler) []*sop.Scenario {
	var cases []*sop.Scenario
	facts, values, bindings := map[string]bool{}, map[string]float64{}, map[string]any{}
	for _, s := range list {
		var fitting []sop.World
		for _, worlds := range s.Worlds() {
			for _, w := range worlds {
				own := s.Facts(w)
				if !slices.ContainsFunc(sortedKeys(own), func(c string) bool { f, said := facts[c]; return said && f != own[c] }) {
					fitting = append(fitting, w)
				}
			}
		}
		if len(fitting) == 0 {
			return nil
		}
		sc, err := s.Scenario(pick(d.rng, fitting), d.rng)
		if err != nil {
			return nil
		}
		sc = s.Complete(sc, d.rng)
		for n, x := range sc.Values {
			if y, said := values[n]; said && x != y {
				return nil
			}
			values[n] = x
		}
		for p, x := range sc.Bindings {
			if y, said := bindings[p]; said {
				x = y
			}
			sc.Bindings[p], bindings[p] = x, x
		}
		for c, f := range sc.Facts {
			facts[c] = f
		}
		cases = append(cases, sc)
	}
	return cases
}

// session returns this procedure and others, and one case that all are asked in.
func (d *draw) session(others int) ([]*sop.Sampler, []*sop.Scenario) {
	list := d.with(others)
	if list == nil {
		return nil, nil
	}
	return list, d.joint(list)
}

// permitted asks which of several requests may be carried out in one case.
func (d *draw) permitted() bool {
	list, cases := d.session(1 + d.rng.IntN(sessionSize-1))
	if cases == nil || slices.ContainsFunc(list, func(s *sop.Sampler) bool { return len(s.V.Conditions) == 0 }) {
		return false
	}
	var goals, parts []string
	for i, s := range list {
		k, ok := s.M.FinalOutcome(cases[i].Facts)
		if !ok {
			return false
		}
		if k == 0 {
			goals = append(goals, s.V.Goal)
		}
		d.about(s.V, sortedKeys(s.V.Conditions)...)
		parts = append(parts, text.RenderScenario(text.ScenarioStyles[0], s.V, cases[i], d.rng))
	}
	if d.flip && len(goals) > 1 {
		return false // in half of them, little is permitted
	}
	d.books(list)
	d.question.Case = strings.Join(parts, "\n\n")
	d.ask()
	d.answer(rubric.KeySet, goals...)
	if len(goals) < len(list) {
		d.shapes = append(d.shapes, rubric.ShapeRefusal)
	}
	d.subject = fmt.Sprint(d.question.Source, cases[0].Facts, goals)
	return true
}

// carryOn asks for what a second request still needs after the calls of a
// first one.
func (d *draw) carryOn() bool {
	list, cases := d.session(1)
	if cases == nil {
		return false
	}
	first, second := list[0], list[1]
	done, err := first.M.Positive(cases[0].Facts, d.rng)
	if err != nil {
		return false
	}
	for _, call := range done { // what the first request changes must not touch the second
		if len(first.V.Effects[call]) > 0 {
			return false
		}
	}
	var history sop.Workflow
	for _, call := range done {
		if _, shared := second.V.Requires[call]; shared && call != second.V.Goal {
			history = append(history, call)
		}
	}
	if len(history) == 0 || len(second.M.Check(cases[1].Facts, history)) != 1 { // no_end alone
		return false
	}
	rest, err := second.M.Along(cases[1].Facts, history, d.rng)
	if err != nil || len(rest) < len(history)+2 || !slices.Equal(rest[:len(history)], history) {
		return false
	}
	d.books(list)
	d.question.Case = d.sofar(second, cases[1], history) + "\n\nWhat any further call would return:\n\n" + text.RenderScenario(text.ScenarioStyles[0], second.V, cases[1], d.rng)
	d.question.Format = pick(d.rng, sortedKeys(workflowFormats))
	d.ask("first", tick(first.V.Goal), "second", tick(second.V.Goal), "format", workflowFormats[d.question.Format])
	d.answer(rubric.KeySequence, rest[len(history):]...)
	d.check(second.V, cases[1], history)
	d.about(second.V, sortedKeys(second.V.Conditions)...)
	d.shapes = append(d.shapes, rubric.ShapeOrder)
	d.subject = fmt.Sprint(first.V.Goal, caseKey(second.V, cases[1]))
	return true
}

// knownAlready asks what the calls of one request have settled of another.
func (d *draw) knownAlready() bool {
	list := d.with(1)
	if list == nil {
		return false
	}
	first, second := list[0].V, list[1].V
	rules := second.Requires[second.Goal]
	if rules == nil {
		return false
	}
	var known []string
	for _, c := range rules.Names() {
		t := second.EstablishedBy[c]
		if t == nil {
			return false
		}
		sets, err := sop.MinimalSets(t)
		if err != nil {
			return false
		}
		if t.Op == sop.Leaf && t.Name == sop.Conversation || slices.ContainsFunc(sets, func(set []string) bool {
			return !slices.ContainsFunc(set, func(call string) bool { _, made := first.Requires[call]; return !made })
		}) {
			known = append(known, c)
		}
	}
	if d.flip && len(known) == 0 || len(known) > maxNames {
		return false
	}
	d.books(list)
	d.ask("first", tick(first.Goal), "second", tick(second.Goal))
	d.answer(rubric.KeySet, known...)
	d.about(second, rules.Names()...)
	d.shapes = append(d.shapes, rubric.ShapeTools)
	d.subject = fmt.Sprint(first.Goal, second.Goal, known)
	return true
}
