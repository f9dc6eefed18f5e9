package agents

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Level 1: what stands in one place of the text.
var recallMakers = []maker{
	{"term", rubric.Recall, rubric.Factual, (*draw).term},
	{"threshold", rubric.Recall, rubric.Factual, (*draw).threshold},
	{"establish", rubric.Recall, rubric.Factual, (*draw).establish},
	{"needs", rubric.Recall, rubric.Sequential, (*draw).needs},
	{"free", rubric.Recall, rubric.Sequential, (*draw).free},
	{"mentioned", rubric.Recall, rubric.Conditional, (*draw).mentioned},
}

// glossarySize is the number of terms that a term is asked among.
const glossarySize = 12

// term asks for the term of a definition, among its confusables and others.
func (d *draw) term() bool {
	var own []*sop.Term
	for _, t := range d.domain.Glossary {
		if slices.Contains(t.UsedIn, d.procedure.Goal) {
			own = append(own, t)
		}
	}
	t := pick(d.rng, own)
	if t == nil || strings.Contains(strings.ToLower(t.Definition), strings.ToLower(t.Term)) {
		return false
	}
	among := []*sop.Term{t}
	add := func(u *sop.Term) {
		if len(among) < glossarySize && !slices.Contains(among, u) && u.Definition != t.Definition {
			among = append(among, u)
		}
	}
	for _, c := range t.Confusables {
		if i := slices.IndexFunc(d.domain.Glossary, func(u *sop.Term) bool { return u.Term == c.Term }); i >= 0 {
			add(d.domain.Glossary[i])
		}
	}
	for _, i := range d.rng.Perm(len(d.domain.Glossary)) {
		add(d.domain.Glossary[i])
	}
	d.rng.Shuffle(len(among), func(i, j int) { among[i], among[j] = among[j], among[i] })
	var entries []text.Entry
	for _, u := range among {
		entries = append(entries, text.Entry{Term: u.Term, Definition: u.Definition})
	}
	d.question.Context = text.RenderGlossary(pick(d.rng, text.GlossaryStyles), d.domain.Title, entries, d.rng)
	d.ask("definition", t.Definition)
	d.answer(rubric.KeyValue, t.Term)
	d.question.Key.Also = append([]string{}, t.Synonyms...)
	d.question.Source = []string{d.domain.Name + ", glossary, " + t.Term}
	d.subject, d.shapes = t.Term, []string{rubric.ShapeTerms}
	return true
}

// threshold asks for a number that the variant's rules read.
func (d *draw) threshold() bool {
	s := d.sampler()
	if s == nil {
		return false
	}
	type read struct{ condition, name string }
	var all []read
	for _, c := range sortedKeys(s.V.Conditions) {
		use := s.V.Conditions[c]
		if use.Compare == nil {
			continue
		}
		declared, err := sop.ParseComparison(use.Condition.Compare)
		if err != nil {
			continue
		}
		for _, n := range declared.Names() {
			if d.domain.Thresholds[n] != nil {
				all = append(all, read{c, n})
			}
		}
	}
	r := pick(d.rng, all)
	if r.name == "" {
		return false
	}
	t := d.domain.Thresholds[r.name]
	number, ok := s.V.Thresholds[r.name]
	if !ok {
		number = t.Default
	}
	d.question.Context = d.book(s.V)
	d.ask("subject", t.Text)
	d.answer(rubric.KeyValue, sop.Number(number))
	d.question.Key.Unit = t.Unit
	if t.Unit != "" {
		d.question.Reference += " " + t.Unit
	}
	d.about(s.V, r.condition)
	d.subject = r.name + sop.Number(number)
	return true
}

// establish asks for the one call that finds a condition out.
func (d *draw) establish() bool {
	s := d.sampler()
	if s == nil {
		return false
	}
	var names []string
	for _, c := range sortedKeys(s.V.Conditions) {
		if t := s.V.EstablishedBy[c]; t != nil && t.Op == sop.Leaf && t.Name != sop.Conversation && t.Name != c {
			names = append(names, c)
		}
	}
	c := pick(d.rng, names)
	if c == "" {
		return false
	}
	d.question.Context = d.book(s.V)
	d.ask("condition", s.V.Conditions[c].Text)
	d.answer(rubric.KeyValue, s.V.EstablishedBy[c].Name)
	d.about(s.V, c)
	d.subject, d.shapes = c, []string{rubric.ShapeTools}
	return true
}

// conjuncts returns the leaves of a tree that demands them all, or nil.
func conjuncts(t *sop.Tree) []string {
	if t == nil {
		return nil
	}
	t = t.Canonical()
	if t.Op == sop.Leaf {
		return []string{t.Name}
	}
	if t.Op != sop.All && t.Op != sop.Seq {
		return nil
	}
	var names []string
	for _, part := range t.Parts {
		if part.Op != sop.Leaf {
			return nil
		}
		names = append(names, part.Name)
	}
	return names
}

// needs asks for the requirement of a call, where it demands plain conditions.
func (d *draw) needs() bool {
	s := d.sampler()
	if s == nil {
		return false
	}
	var calls []string
	for _, c := range sortedKeys(s.V.Requires) {
		if n := len(conjuncts(s.V.Requires[c])); n > 0 && n <= 4 {
			calls = append(calls, c)
		}
	}
	call := pick(d.rng, calls)
	if call == "" {
		return false
	}
	names := conjuncts(s.V.Requires[call])
	d.question.Context = d.book(s.V)
	d.ask("call", tick(call))
	d.answer(rubric.KeySet, names...)
	d.about(s.V, names...)
	d.subject, d.shapes = call+strings.Join(names, ","), []string{rubric.ShapeOrder}
	return true
}

// free asks for the calls that nothing has to come before.
func (d *draw) free() bool {
	s := d.sampler()
	if s == nil || s.V.Requires[s.V.Goal] == nil {
		return false
	}
	var calls []string
	for _, c := range sortedKeys(s.V.Requires) {
		if s.V.Requires[c] == nil {
			calls = append(calls, c)
		}
	}
	if len(calls) == 0 || len(calls) > maxNames {
		return false
	}
	d.question.Context = d.book(s.V)
	d.ask()
	d.answer(rubric.KeySet, calls...)
	d.about(s.V, calls...)
	d.subject, d.shapes = strings.Join(calls, ","), []string{rubric.ShapeOrder, rubric.ShapeTools}
	return true
}

// mentioned asks whether a condition is in the rules at all; every other time
// it is one of another procedure, or of a rule that was left out.
func (d *draw) mentioned() bool {
	s := d.sampler()
	if s == nil {
		return false
	}
	from := s.V
	if d.flip {
		other := pick(d.rng, d.samplers(pick(d.rng, d.domain.Procedures)))
		if other == nil {
			return false
		}
		from = other.V
	}
	names := from.Requires[from.Goal]
	if names == nil {
		return false
	}
	c := pick(d.rng, names.Names())
	use := from.Conditions[c]
	if use == nil {
		return false
	}
	same := s.V.Conditions[c]
	if d.flip && (same != nil || slices.ContainsFunc(sortedKeys(s.V.Conditions), func(n string) bool { return s.V.Conditions[n].Text == use.Text })) {
		return false
	}
	d.question.Context = d.book(s.V)
	d.ask("goal", tick(s.V.Goal), "condition", use.Text)
	d.answer(rubric.KeyOutcome, yesNo(!d.flip))
	d.conditions = []*sop.ConditionUse{use}
	d.subject = c + yesNo(!d.flip)
	return true
}
