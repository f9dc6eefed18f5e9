package sop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
)

// Next returns the right next actions after a history, sorted: those without
// fault or waste that leave a way to an end without fault under these facts.
func (m *Machine) Next(facts map[string]bool, history Workflow) []string {
	truth := m.factSet(facts)
	s := m.start(truth)
	for _, item := range history {
		if m.isEnd(item) {
			return nil
		}
		if c, ok := m.callIx[item]; ok {
			s = m.step(&s, c, truth)
		}
	}
	var right []string
	for _, o := range m.outcomes {
		if _, ok := m.checkEnd(o.end, &s); ok && !slices.Contains(right, o.end) {
			right = append(right, o.end)
		}
	}
	o, f := m.from(&s), finisher{Machine: m, truth: truth, alive: map[state]bool{}, seen: map[state]bool{}}
	o.candidates().each(func(c int) {
		if f.canFinish(m.step(&s, c, truth)) {
			right = append(right, m.calls[c])
		}
	})
	sort.Strings(right)
	return right
}

// candidates is the calls that are neither fault nor waste now.
func (o *outlook) candidates() (calls set) {
	for among := o.useful() &^ o.made &^ o.ends; among != 0; among &= among - 1 {
		if c := among.first(); o.phi[c].orderedValue(&o.state) == yes {
			calls |= bit(c)
		}
	}
	return calls
}

// end returns the item that ends the workflow rightly now, or "".
func (o *outlook) end() string {
	if k := o.dueInOrder(); k >= 0 {
		if out := &o.outcomes[k]; out.call < 0 || o.phi[out.call].orderedValue(&o.state) == yes {
			return out.end
		}
	}
	return ""
}

// finisher looks for ends in one case. The states from which it found one are
// kept: what begins with different calls mostly goes on alike.
type finisher struct {
	*Machine
	truth set
	alive map[state]bool
	seen  map[state]bool // since the search began
}

// canFinish tells whether calls without fault (waste allowed) can lead to an
// end without fault. Without orders, effects, and ends that have rules of
// their own they always can: whatever is callable may be called, and then
// nothing stays open.
func (f *finisher) canFinish(s state) bool {
	if len(f.ordered) == 0 && f.effects == 0 && !f.ruledEnds {
		return true
	}
	clear(f.seen)
	return f.finish(s)
}

func (f *finisher) finish(s state) bool {
	if f.alive[s] || f.seen[s] {
		return f.alive[s]
	}
	f.seen[s] = true
	found := f.finishes(s)
	if found {
		f.alive[s] = true
	}
	return found
}

func (f *finisher) finishes(s state) bool {
	o := f.from(&s)
	if o.end() != "" {
		return true
	}
	useful := o.useful()
	for _, calls := range []set{useful, ^useful} {
		for calls = f.faultless(&s, calls); calls != 0; calls &= calls - 1 {
			if f.finish(f.step(&s, calls.first(), f.truth)) {
				return true
			}
		}
	}
	return false
}

// faultless is those of the calls that can be made without fault and that
// change the state.
func (m *Machine) faultless(s *state, among set) (calls set) {
	for c := range m.calls {
		if among.has(c) && !m.ends.has(c) && (!s.made.has(c) || m.effects.has(c)) && m.phi[c].orderedValue(s) == yes {
			calls |= bit(c)
		}
	}
	return calls
}

// Positive draws a workflow without fault and without waste. The same facts
// and the same state of rng give the same workflow. The error says that there
// is none, which only orders and effects can bring about.
func (m *Machine) Positive(facts map[string]bool, rng *rand.Rand) (Workflow, error) {
	return m.Along(facts, nil, rng)
}

// Along draws a positive that keeps to the guide as long as that is right: the
// one that differs least from what was done in a similar case.
func (m *Machine) Along(facts map[string]bool, guide Workflow, rng *rand.Rand) (Workflow, error) {
	w, ok := m.along(m.factSet(facts), guide, rng)
	if !ok {
		return nil, fmt.Errorf("procedure %s: no workflow without fault and waste for these facts", m.g.Goal)
	}
	return w, nil
}

func (m *Machine) along(truth set, guide Workflow, rng *rand.Rand) (Workflow, bool) {
	c := completion{Machine: m, truth: truth, rng: rng}
	for _, item := range guide {
		if i, ok := m.callIx[item]; ok {
			c.guide = append(c.guide, i)
		}
	}
	return c.after(m.start(truth), make(Workflow, 0, len(m.calls)+1))
}

// completion draws a workflow without fault and waste.
type completion struct {
	*Machine
	truth set
	guide []int // calls to be preferred, first ones most
	rng   *rand.Rand
	dead  map[state]bool
}

func (m *completion) after(s state, w Workflow) (Workflow, bool) {
	o := m.from(&s)
	if end := o.end(); end != "" {
		return append(w, end), true
	}
	if m.dead[s] {
		return nil, false
	}
	candidates := o.candidates()
	calls := candidates.list()
	m.rng.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	if i := slices.IndexFunc(m.guide, candidates.has); i >= 0 {
		guided := slices.Index(calls, m.guide[i])
		calls[0], calls[guided] = calls[guided], calls[0]
	}
	for _, c := range calls {
		if done, ok := m.after(m.step(&s, c, m.truth), append(w, m.calls[c])); ok {
			return done, true
		}
	}
	if m.dead == nil {
		m.dead = map[state]bool{}
	}
	m.dead[s] = true
	return nil, false
}

// Keepable tells whether the orders of the procedure can be kept: whatever the
// facts are, consistent or not, a case that its first outcome's tree allows has
// a workflow without fault and waste. Where that is not so, a reader may take
// the outcome for blocked from the start, and another one may not (package
// doc, Ends). It is false, too, for more than 13 conditions.
func (m *Machine) Keepable() bool {
	if len(m.ordered) == 0 {
		return true
	}
	if len(m.conds) > MaxEnumerated {
		return false
	}
	for x := range 1 << len(m.conds) {
		if m.outcomes[0].tree.plain(all(len(m.conds)), set(x)) != yes || m.finalOutcome(set(x)) != 0 {
			continue
		}
		if _, ok := m.along(set(x), nil, rand.New(rand.NewPCG(0, 0))); !ok {
			return false
		}
	}
	return true
}

// FinalOutcome returns the index of the outcome in which the facts end when
// everything that can be known without fault is known, orders ignored; ok is
// false where none is due even then.
func (m *Machine) FinalOutcome(facts map[string]bool) (k int, ok bool) {
	k = m.finalOutcome(m.factSet(facts))
	return k, k >= 0
}

func (m *Machine) finalOutcome(truth set) int {
	s := state{known: m.known0, val: truth & m.known0}
	for {
		if k := m.dueOutcome(&s, true); k >= 0 {
			return k
		}
		before := s
		m.callable(stateKey{s.made, s.known, s.val}, all(len(m.calls))&^s.made).each(func(c int) {
			s.made |= bit(c)
			m.establish(&s, c, truth)
			if m.effects.has(c) && m.answers(c, &s, truth) {
				m.apply(c, &s)
			}
		})
		if s.made == before.made && s.known == before.known && s.val == before.val {
			return -1
		}
	}
}
