package agents

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
)

// Level 2: one rule applied.
var ruleMakers = []maker{
	{"compare", rubric.OneRule, rubric.Factual, (*draw).compare},
	{"depends", rubric.OneRule, rubric.Sequential, (*draw).depends},
	{"one_rule", rubric.OneRule, rubric.Conditional, (*draw).oneRule},
	{"behind", rubric.OneRule, rubric.MultiHop, (*draw).behind},
	{"follows", rubric.OneRule, rubric.MultiHop, (*draw).follows},
}

// compare asks whether a comparison holds for given figures, half of them so.
func (d *draw) compare() bool {
	s := d.sampler()
	if s == nil {
		return false
	}
	var names []string
	for _, c := range sortedKeys(s.V.Conditions) {
		if s.V.Conditions[c].Compare != nil {
			names = append(names, c)
		}
	}
	c := pick(d.rng, names)
	if c == "" {
		return false
	}
	sc := d.scenario(s, d.rng.IntN(len(s.Worlds())))
	if sc == nil || sc.Facts[c] == d.flip {
		return false
	}
	var figures []string
	for _, n := range s.V.Conditions[c].Compare.Names() {
		x, there := sc.Values[n]
		use := s.V.Values[n]
		if !there || use == nil {
			return false
		}
		figures = append(figures, strings.TrimSpace(fmt.Sprintf("%s is %s %s", use.Text, sop.Number(x), use.Unit)))
	}
	if holds, ok := s.V.Conditions[c].Compare.Holds(sc.Values); !ok || holds != sc.Facts[c] || len(figures) == 0 {
		return false
	}
	d.question.Context = d.book(s.V)
	d.ask("figures", strings.Join(figures, ", and "), "name", tick(c))
	d.answer(rubric.KeyOutcome, yesNo(sc.Facts[c]))
	d.about(s.V, c)
	d.subject = c + strings.Join(figures, ",")
	return true
}

// depends asks for the calls from which an edge of the action graph leads to
// this one.
func (d *draw) depends() bool {
	s := d.sampler()
	if s == nil {
		return false
	}
	before := map[string][]string{}
	for _, e := range s.V.Edges() {
		before[e[1]] = append(before[e[1]], e[0])
	}
	call := pick(d.rng, sortedKeys(before))
	if call == "" {
		return false
	}
	d.question.Context = d.book(s.V)
	d.ask("call", tick(call))
	d.answer(rubric.KeySet, before[call]...)
	d.about(s.V, s.V.Requires[call].Names()...)
	d.subject, d.shapes = call+strings.Join(before[call], ","), []string{rubric.ShapeOrder, rubric.ShapeTools}
	return true
}

// oneRule asks for the end where all rules but one are met, and gives the facts
// of that one. The end must be the same in every such case.
func (d *draw) oneRule() bool {
	s := d.enumerated()
	if s == nil || len(s.V.Rules) == 0 || !grantsOrDenies(s.V) {
		return false
	}
	i := d.rng.IntN(len(s.V.Rules))
	rule := s.V.Rules[i]
	others := slices.Delete(slices.Clone(s.V.Rules), i, i+1)
	names := rule.Names()
	if len(names) > 3 {
		return false
	}
	met := func(w sop.World) bool {
		facts := s.Facts(w)
		return !slices.ContainsFunc(others, func(t *sop.Tree) bool { return !t.Holds(facts) })
	}
	outcome := 0
	if d.flip {
		outcome = 1
	}
	var fitting []sop.World
	for _, w := range s.Worlds()[outcome] {
		if met(w) {
			fitting = append(fitting, w)
		}
	}
	if len(fitting) == 0 {
		return false
	}
	facts := s.Facts(pick(d.rng, fitting))
	for _, w := range s.Worlds()[1-outcome] {
		if other := s.Facts(w); met(w) && !slices.ContainsFunc(names, func(n string) bool { return other[n] != facts[n] }) {
			return false // the facts of the rule do not decide
		}
	}
	var said []string
	for _, n := range names {
		use := s.V.Conditions[n]
		if use == nil {
			return false
		}
		if facts[n] {
			said = append(said, use.Text)
		} else {
			said = append(said, use.Negated)
		}
	}
	d.question.Context = d.book(s.V)
	d.ask("goal", tick(s.V.Goal), "facts", strings.Join(said, ", and "))
	d.answer(rubric.KeyOutcome, s.V.Outcomes[outcome].End)
	d.about(s.V, names...)
	if d.flip {
		d.shapes = append(d.shapes, rubric.ShapeRefusal)
	}
	if under(rule, sop.Any, sop.FirstOf) != nil {
		d.shapes = append(d.shapes, rubric.ShapeAlternatives)
	}
	d.subject = rule.String() + strings.Join(said, ",")
	return true
}

// behind asks what must hold before the one call that finds a condition out.
func (d *draw) behind() bool {
	s := d.sampler()
	if s == nil {
		return false
	}
	var names []string
	for _, c := range sortedKeys(s.V.Conditions) {
		if t := s.V.EstablishedBy[c]; t != nil && t.Op == sop.Leaf && len(conjuncts(s.V.Requires[t.Name])) > 0 {
			names = append(names, c)
		}
	}
	c := pick(d.rng, names)
	if c == "" {
		return false
	}
	required := conjuncts(s.V.Requires[s.V.EstablishedBy[c].Name])
	d.question.Context = d.book(s.V)
	d.ask("condition", s.V.Conditions[c].Text)
	d.answer(rubric.KeySet, required...)
	d.about(s.V, append(required, c)...)
	d.subject, d.shapes = c+strings.Join(required, ","), []string{rubric.ShapeOrder}
	return true
}

// follows asks which conditions cannot be true once one is found false.
func (d *draw) follows() bool {
	s := d.enumerated()
	if s == nil {
		return false
	}
	var names []string
	for _, t := range s.V.DependsOn {
		names = append(names, conjuncts(t)...)
	}
	slices.Sort(names)
	c := pick(d.rng, slices.Compact(names))
	if use := s.V.Conditions[c]; use == nil || use.Compare != nil {
		return false
	}
	var impossible []string
	for _, n := range sortedKeys(s.V.Conditions) {
		if n != c && !slices.ContainsFunc(slices.Concat(s.Worlds()...), func(w sop.World) bool { f := s.Facts(w); return f[n] && !f[c] }) {
			impossible = append(impossible, n)
		}
	}
	if len(impossible) == 0 || len(impossible) > maxNames {
		return false
	}
	d.question.Context = d.book(s.V)
	d.ask("fact", s.V.Conditions[c].Negated, "name", tick(c))
	d.answer(rubric.KeySet, impossible...)
	d.about(s.V, append(impossible, c)...)
	d.subject = c + strings.Join(impossible, ",")
	return true
}

// enumerated is a variant whose consistent cases are all known.
func (d *draw) enumerated() *sop.Sampler {
	s := d.sampler()
	if s == nil || len(s.V.Conditions) > sop.MaxEnumerated || s.Worlds() == nil || s.Undecided > 0 {
		return nil
	}
	return s
}
