package sop

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// pair is two graphs held against each other. The conditions of both are
// numbered: first those of a, under the same numbers, then those that b alone
// has.
type pair struct {
	d     *Differ
	a, b  *Machine
	names []string
	toB   []int // of each name: b's number of it, or -1
	same  bool  // b has the same conditions under the same numbers
	given set   // those that only b has and that are always true
	likes set   // those that only b has and that speak for its goal
	must  set   // those of a that have to be true; see answerIn
	rules []*relations
}

func newPair(d *Differ, b *Machine) (*pair, error) {
	p := &pair{d: d, a: d.m, b: b, names: d.m.conds}
	wanted, common := b.wanted(), 0
	for i, c := range b.conds {
		if p.a.number(c) >= 0 {
			common++
			continue
		}
		k := len(p.names)
		if k == maxNames {
			return nil, fmt.Errorf("procedure %s: over %d conditions are too many to compare", p.a.g.Goal, maxNames)
		}
		p.names = append(p.names[:k:k], c)
		if alwaysAnswers(d.g, c) {
			p.given |= bit(k)
		}
		if wanted.has(i) {
			p.likes |= bit(k)
		}
	}
	p.same = common == len(p.a.conds) && common == len(b.conds)
	p.toB = make([]int, len(p.names))
	for i, c := range p.names {
		p.toB[i] = b.number(c)
	}
	if !d.rules.closed {
		p.rules = append(p.rules, relationsOf(d.g, p.number))
	}
	if !sameRelations(d.g, b.g) {
		p.rules = append(p.rules, relationsOf(b.g, p.number))
	}
	return p, nil
}

func (p *pair) number(name string) int {
	if i := p.a.number(name); i >= 0 {
		return i
	}
	for i := len(p.a.conds); i < len(p.names); i++ {
		if p.names[i] == name {
			return i
		}
	}
	return -1
}

// answerIn makes the pair one that also holds when a's graph is the answer and
// h, b's graph, is right: see alwaysAnswers.
func (p *pair) answerIn(h *Graph) {
	for i, c := range p.a.conds {
		if p.toB[i] < 0 && alwaysAnswers(h, c) {
			p.must |= bit(i)
		}
	}
}

// inA and inB translate from the numbers of the pair.
func (p *pair) inA(x set) set { return x & firsts(len(p.a.conds)) }

func (p *pair) inB(x set) (out set) {
	if p.same {
		return x
	}
	for i, k := range p.toB {
		if k >= 0 && x.has(i) {
			out |= bit(k)
		}
	}
	return out
}

func (p *pair) fromB(x set) (out set) {
	for i, k := range p.toB {
		if k >= 0 && x.has(k) {
			out |= bit(i)
		}
	}
	return out
}

// consistent tells whether facts that are so for a are so for both.
func (p *pair) consistent(x set) bool {
	for _, r := range p.rules {
		if !r.hold(x) {
			return false
		}
	}
	return p.must.within(x)
}

// ways gives the conditions that only b has facts in two ways: those that
// speak for b's goal, and the opposite. What is not consistent is left out.
func (p *pair) ways(x set) []set {
	extra := firsts(len(p.names)) &^ firsts(len(p.a.conds))
	ways := make([]set, 0, 2)
	for _, y := range [2]set{x | p.given | p.likes, x | p.given | extra&^p.likes} {
		if (len(ways) == 0 || ways[0] != y) && p.consistent(y) {
			ways = append(ways, y)
		}
	}
	return ways
}

func (p *pair) facts(x set) map[string]bool {
	facts := make(map[string]bool, len(p.names))
	for i, c := range p.names {
		facts[c] = x.has(i)
	}
	return facts
}

// refused looks for a workflow of a that b does not accept, and tells whether b
// was seen to permit its goal.
func (p *pair) refused() (found *Witness, permits bool) {
	for i := 0; found == nil && p.d.caseAt(i) != nil; i++ {
		w, ok := p.refusedIn(i)
		found, permits = w, permits || ok
	}
	return found, permits
}

// refusedIn is refused in one case.
func (p *pair) refusedIn(i int) (found *Witness, permits bool) {
	c := p.d.caseAt(i)
	if c == nil || c.run == nil {
		return nil, false
	}
	for _, x := range p.ways(c.facts) {
		if p.b.accepts(p.inB(x), c.run) {
			permits = permits || c.run[len(c.run)-1] == p.b.g.Goal
		} else if found == nil && p.b.refuses(p.inB(x), c.run) {
			found = &Witness{Facts: p.facts(x), Workflow: c.run}
		}
	}
	return found, permits
}

// reached tells whether b permits its goal after all calls that it allows, made
// as soon as it allows them.
func (p *pair) reached() bool {
	for i := 0; p.d.caseAt(i) != nil; i++ {
		if slices.ContainsFunc(p.ways(p.d.caseAt(i).facts), func(x set) bool { return p.b.reaches(p.inB(x)) }) {
			return true
		}
	}
	return false
}

func (m *Machine) reaches(truth set) bool {
	s := m.start(truth)
	for {
		calls := m.faultless(&s, ^s.made)
		if calls == 0 {
			return m.acceptsEnd(m.g.Goal, &s)
		}
		s = m.step(&s, bits.TrailingZeros64(uint64(calls)), truth)
	}
}

// drawn looks for a workflow of b that a does not accept, in the first case, and
// tells whether b was seen to permit its goal.
func (p *pair) drawn() (found *Witness, permits bool) {
	c := p.d.caseAt(0)
	if c == nil {
		return nil, false
	}
	for _, x := range p.ways(c.facts) {
		facts := p.facts(x)
		for i, guide := range []Workflow{nil, reversed(c.run)} {
			w, err := p.b.Along(facts, guide, rand.New(rand.NewPCG(0, uint64(i))))
			if err != nil {
				continue
			}
			permits = permits || w[len(w)-1] == p.b.g.Goal
			if found == nil && p.a.refuses(p.inA(x), w) {
				found = &Witness{Facts: facts, Workflow: w}
			}
		}
	}
	return found, permits
}

// Accepts tells whether w is free of faults; waste is allowed.
func (m *Machine) Accepts(facts map[string]bool, w Workflow) bool {
	return m.accepts(m.factSet(facts), w)
}

func (m *Machine) accepts(truth set, w Workflow) bool {
	s, ok := m.beforeEnd(truth, w)
	return ok && m.acceptsEnd(w[len(w)-1], &s)
}

// beforeEnd is where the calls before the last item lead, if they have no fault.
func (m *Machine) beforeEnd(truth set, w Workflow) (s state, ok bool) {
	s, dead := m.start(truth), len(w) == 0
	for i := 0; i < len(w)-1 && !dead; i++ {
		s, dead = m.advance(w[i], &s, false, truth)
	}
	return s, !dead
}

// relations is what depends_on and excludes say about numbered conditions.
type relations struct {
	depends  []dependence // sorted by condition
	excludes []set
	closed   bool // every name has a number
}

type dependence struct {
	cond int
	on   *node
}

// relationsOf numbers the relations of g; conditions that have no number are
// false.
func relationsOf(g *Graph, number func(string) int) *relations {
	r := &relations{closed: true}
	for _, c := range sortedKeys(g.DependsOn) {
		i := number(c)
		if i < 0 {
			r.closed = false
			continue
		}
		r.depends = append(r.depends, dependence{i, r.bound(g.DependsOn[c], number)})
	}
	for _, group := range g.Excludes {
		var among set
		for _, c := range group {
			if i := number(c); i >= 0 {
				among |= bit(i)
			} else {
				r.closed = false
			}
		}
		r.excludes = append(r.excludes, among)
	}
	return r
}

func (r *relations) bound(t *Tree, number func(string) int) *node {
	if t == nil {
		return &node{op: All}
	}
	n := &node{op: t.Op}
	if t.Op == Leaf {
		if n.cond = number(t.Name); n.cond < 0 {
			r.closed = false
			return &node{op: Any}
		}
	}
	for _, p := range t.Parts {
		n.parts = append(n.parts, r.bound(p, number))
	}
	return n
}

func (r *relations) hold(x set) bool {
	for _, d := range r.depends {
		if x.has(d.cond) && !d.on.holds(x) {
			return false
		}
	}
	for _, group := range r.excludes {
		if bits.OnesCount64(uint64(x&group)) > 1 {
			return false
		}
	}
	return true
}

// holds is Tree.Holds on numbered conditions.
func (n *node) holds(x set) bool {
	switch n.op {
	case Leaf:
		return x.has(n.cond)
	case Not:
		return !n.parts[0].holds(x)
	}
	conj := n.op.Conjunctive()
	for _, p := range n.parts {
		if p.holds(x) != conj {
			return !conj
		}
	}
	return conj
}

// sameRelations tells that h has the relations of g itself, as after Restate.
func sameRelations(g, h *Graph) bool {
	if len(g.DependsOn) != len(h.DependsOn) || len(g.Excludes) != len(h.Excludes) {
		return false
	}
	for c, t := range g.DependsOn {
		if u, ok := h.DependsOn[c]; !ok || t != u {
			return false
		}
	}
	return len(g.Excludes) == 0 || &g.Excludes[0] == &h.Excludes[0]
}

// worlds is the facts of a pair's conditions that are consistent with both.
func (p *pair) worlds() ([]set, error) {
	n := len(p.names)
	if n > maxDiffConditions {
		return nil, fmt.Errorf("procedure %s: %d conditions are too many to compare, want at most %d", p.a.g.Goal, n, maxDiffConditions)
	}
	var worlds []set
	for x := range bit(n) {
		if p.given.within(x) && (!p.d.rules.closed || p.d.rules.hold(x)) && p.consistent(x) {
			worlds = append(worlds, x)
		}
	}
	return worlds, nil
}
