package sop

import (
	"fmt"
	"slices"
)

// The states of an exhaustive search are bounded, by Prove to those that take
// no longer than its other steps.
const (
	maxSearch = 60_000
	maxProve  = 64
)

// pairNode is where two graphs stand after the same calls, in all worlds that
// agree with what was asked of the facts so far.
type pairNode struct {
	a, b         state
	deadA, deadB bool
	asked, facts set // of the pair's conditions; facts within asked
	from         int // the node before, -1 for the first
	item         string
}

type pairSeen struct {
	a, b         state
	deadA, deadB bool
	asked, facts set
}

// pairSearch goes through the states of two graphs breadth first. Facts are
// decided only when a call makes them known, so that worlds are searched
// together as long as they look alike.
type pairSearch struct {
	*pair
	worlds []set
	goal   bool // look for b's goal alone
	tame   bool // what is due stays due; see settled
	items  []string
	nodes  []pairNode
	seen   map[pairSeen]bool
	some   map[[2]set]int // a world that agrees with (asked, facts), or -1
}

// search returns a workflow that exactly one graph accepts or, with goal, one
// that ends in b's goal; nil where there is none. The error says that there
// are more states than most.
func (p *pair) search(goal bool, most int) (*Witness, error) {
	worlds, err := p.worlds()
	if err != nil {
		return nil, err
	}
	s := &pairSearch{pair: p, worlds: worlds, goal: goal, seen: map[pairSeen]bool{}, some: map[[2]set]int{}}
	s.tame = s.sameCalls()
	if goal {
		s.tame = p.b.effects == 0 && !p.b.ruledEnds
	}
	s.items = slices.Concat(p.a.calls, p.b.calls)
	for _, o := range slices.Concat(p.a.outcomes, p.b.outcomes) {
		s.items = append(s.items, o.end)
	}
	slices.Sort(s.items)
	s.items = slices.Compact(s.items)
	s.begin()
	for i := 0; i < len(s.nodes); i++ {
		if len(s.nodes) > most {
			return nil, fmt.Errorf("procedure %s: undetermined after %d states", p.a.g.Goal, most)
		}
		if w := s.visit(i); w != nil {
			return w, nil
		}
	}
	return nil, nil
}

// begin adds the first nodes: what is known from the start differs by world.
func (s *pairSearch) begin() {
	asked := s.a.known0 | s.fromB(s.b.known0)
	s.each(asked, 0, 0, func(facts set) {
		n := pairNode{asked: asked, facts: facts, from: -1, deadA: s.goal}
		if !s.goal {
			n.a = s.a.start(s.inA(facts))
		}
		n.b = s.b.start(s.inB(facts))
		s.push(n)
	})
}

// each calls f with every way to decide the fresh conditions that some world
// agrees with.
func (s *pairSearch) each(fresh, asked, facts set, f func(facts set)) {
	for sub := fresh; ; sub = (sub - 1) & fresh {
		if s.world(asked|fresh, facts|sub) >= 0 {
			f(facts | sub)
		}
		if sub == 0 {
			return
		}
	}
}

func (s *pairSearch) world(asked, facts set) int {
	key := [2]set{asked, facts}
	i, ok := s.some[key]
	if !ok {
		i = slices.IndexFunc(s.worlds, func(x set) bool { return x&asked == facts })
		s.some[key] = i
	}
	return i
}

func (s *pairSearch) push(n pairNode) {
	key := pairSeen{n.a, n.b, n.deadA, n.deadB, n.asked, n.facts}
	if !s.seen[key] {
		s.seen[key] = true
		s.nodes = append(s.nodes, n)
	}
}

// visit tries every item at a node and adds the nodes behind it.
func (s *pairSearch) visit(i int) *Witness {
	n := s.nodes[i]
	if s.goal && s.b.acceptsEnd(s.b.g.Goal, &n.b) {
		return s.witness(i, s.b.g.Goal)
	}
	for _, item := range s.items {
		inA := !n.deadA && s.a.acceptsEnd(item, &n.a)
		inB := !n.deadB && s.b.acceptsEnd(item, &n.b)
		if inA != inB && !s.goal {
			return s.witness(i, item)
		}
	}
	if s.tame && s.settled(&n) {
		return nil
	}
	for _, item := range s.items {
		ca, aliveA := s.a.open(item, &n.a, n.deadA)
		cb, aliveB := s.b.open(item, &n.b, n.deadB)
		if !aliveA && !aliveB {
			continue
		}
		var fresh set
		if aliveA {
			fresh |= s.a.asks(ca, &n.a)
		}
		if aliveB {
			fresh |= s.fromB(s.b.asks(cb, &n.b))
		}
		fresh &^= n.asked
		s.each(fresh, n.asked, n.facts, func(facts set) {
			next := pairNode{deadA: !aliveA, deadB: !aliveB, asked: n.asked | fresh, facts: facts, from: i, item: item}
			if aliveA {
				next.a = s.a.step(&n.a, ca, s.inA(facts))
			}
			if aliveB {
				next.b = s.b.step(&n.b, cb, s.inB(facts))
			}
			s.push(next)
		})
	}
	return nil
}

// open tells whether the item is a call, no end, that can be made without
// fault.
func (m *Machine) open(item string, s *state, dead bool) (c int, ok bool) {
	c, ok = m.callIx[item]
	return c, ok && !dead && !m.ends.has(c) && m.phi[c].orderedValue(s) == yes
}

// asks is the facts that making call c depends on: those that it makes known,
// and its answer where that decides about effects.
func (m *Machine) asks(c int, s *state) set {
	fresh := m.establishable(s.made|bit(c), m.helps[c]&^s.known)
	if ix := m.answer[c]; ix >= 0 && m.effects.has(c) && !s.known.has(ix) {
		fresh |= bit(ix)
	}
	return fresh
}

// sameCalls tells that the graphs differ in their outcomes alone: every call
// that is no end has the same rule in both, over conditions that become known
// in the same way, and effects never undo what is known.
func (s *pairSearch) sameCalls() bool {
	a, b := s.a, s.b
	if a.effects != 0 || b.effects != 0 || a.ruledEnds || b.ruledEnds || !slices.Equal(a.calls, b.calls) || a.ends != b.ends {
		return false
	}
	for i, call := range a.calls {
		if a.ends.has(i) {
			continue
		}
		rule := a.g.Requires[call]
		if !rule.Equal(b.g.Requires[call]) {
			return false
		}
		for _, c := range rule.Names() {
			if !a.g.EstablishedBy[c].Equal(b.g.EstablishedBy[c]) {
				return false
			}
		}
	}
	return true
}

// settled tells that an outcome is due in both graphs, which no further call
// changes where calls do the same.
func (s *pairSearch) settled(n *pairNode) bool {
	if s.goal {
		return s.b.dueOutcome(&n.b, false) >= 0
	}
	return !n.deadA && !n.deadB && s.a.dueOutcome(&n.a, false) >= 0 && s.b.dueOutcome(&n.b, false) >= 0
}

// witness follows a node back to the start, and completes its facts.
func (s *pairSearch) witness(i int, item string) *Witness {
	w := Workflow{item}
	n := &s.nodes[i]
	facts := s.facts(s.worlds[s.world(n.asked, n.facts)])
	for ; n.from >= 0; n = &s.nodes[n.from] {
		w = append(w, n.item)
	}
	slices.Reverse(w)
	return &Witness{Facts: facts, Workflow: w}
}
