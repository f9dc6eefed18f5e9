package soptest

import (
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// Oracle says what DESIGN §1 says about one graph, by enumeration: every
// assignment of the unknown facts, every state that calls can lead to. It
// shares the data types with package sop and nothing else. Not safe for
// concurrent use; graphs of more than about 8 calls or conditions take long.
type Oracle struct {
	g       *sop.Graph
	ends    []string
	conds   map[string]int // condition -> bit
	items   map[string]int // call, or any leaf of a source -> bit
	sources map[string][]uint32
	futures map[state][]state
	literal map[string]bool // see Literal
}

// state is what matters for values without order: which calls were made, which
// conditions are known, and the values of those.
type state struct{ made, known, value uint32 }

// moment is a point in a workflow: the state, and the trees whose order counts.
type moment struct {
	state
	requires map[string]*node
	outcomes []*node
}

// New prepares g.
func New(g *sop.Graph) *Oracle {
	o := &Oracle{g: g, ends: endsOf(g), conds: map[string]int{}, items: map[string]int{}, sources: map[string][]uint32{}, futures: map[state][]state{}}
	number := func(ix map[string]int, name string) {
		if _, ok := ix[name]; !ok {
			ix[name] = len(ix)
		}
	}
	for _, a := range keys(g.Requires) {
		number(o.items, a)
	}
	for _, c := range keys(g.EstablishedBy) {
		number(o.conds, c)
		for _, a := range g.EstablishedBy[c].Names() {
			number(o.items, a)
		}
	}
	for c, source := range g.EstablishedBy {
		o.sources[c] = o.minimalSets(source)
	}
	return o
}

func endsOf(g *sop.Graph) []string {
	var ends []string
	for _, out := range g.Outcomes {
		ends = append(ends, out.End)
	}
	return ends
}

func (o *Oracle) isEnd(item string) bool { return slices.Contains(o.ends, item) }

func (o *Oracle) bit(item string) uint32 { return 1 << o.items[item] }

// minimalSets tries every set of the tree's leaves and keeps those that
// suffice while nothing smaller in them does.
func (o *Oracle) minimalSets(source *sop.Tree) []uint32 {
	if source.Op == sop.Leaf && source.Name == sop.Conversation {
		return []uint32{0}
	}
	var leaves uint32
	for _, a := range source.Names() {
		leaves |= o.bit(a)
	}
	var sets []uint32
	for s := uint32(0); s < 1<<len(o.items); s++ {
		if s&^leaves != 0 || !o.suffices(source, s) {
			continue
		}
		minimal := true
		for a := range len(o.items) {
			if s&(1<<a) != 0 && o.suffices(source, s&^(1<<a)) {
				minimal = false
			}
		}
		if minimal {
			sets = append(sets, s)
		}
	}
	return sets
}

func (o *Oracle) suffices(source *sop.Tree, made uint32) bool {
	suffices := func(p *sop.Tree) bool { return o.suffices(p, made) }
	switch {
	case source.Op == sop.Leaf:
		return made&o.bit(source.Name) != 0
	case source.Op.Conjunctive():
		return !slices.ContainsFunc(source.Parts, func(p *sop.Tree) bool { return !suffices(p) })
	}
	return slices.ContainsFunc(source.Parts, suffices)
}

// start is the moment before the first call.
func (o *Oracle) start(facts map[string]bool) *moment {
	m := &moment{state: o.establish(state{}, o.factBits(facts)), requires: map[string]*node{}}
	for a, tree := range o.g.Requires {
		m.requires[a] = newNode(tree)
	}
	for _, out := range o.g.Outcomes {
		m.outcomes = append(m.outcomes, newNode(out.Tree))
	}
	o.settle(m, true)
	return m
}

// at is the moment after all calls of the history; items that are no calls of
// the graph leave no trace.
func (o *Oracle) at(facts map[string]bool, history sop.Workflow) *moment {
	m := o.start(facts)
	for _, item := range history {
		if _, ok := o.g.Requires[item]; ok {
			m.state = o.call(m.state, item, o.factBits(facts))
			o.settle(m, false)
		}
	}
	return m
}

func (o *Oracle) settle(m *moment, first bool) {
	leaf := func(c string) truth { return o.valueOf(m.state, c) }
	for _, n := range m.requires {
		n.advance(leaf, first)
	}
	for _, n := range m.outcomes {
		n.advance(leaf, first)
	}
}

func (o *Oracle) factBits(facts map[string]bool) uint32 {
	var bits uint32
	for c, i := range o.conds {
		if facts[c] {
			bits |= 1 << i
		}
	}
	return bits
}

// call is the state after item, a call of the graph, was made.
func (o *Oracle) call(s state, item string, facts uint32) state {
	s.made |= o.bit(item)
	s = o.establish(s, facts)
	answer := true
	if i, ok := o.conds[item]; ok {
		answer = facts&(1<<i) != 0
		if s.known&(1<<i) != 0 {
			answer = s.value&(1<<i) != 0
		}
	}
	if answer {
		for c, to := range o.g.Effects[item] {
			if i, ok := o.conds[c]; ok {
				s.known |= 1 << i
				s.value &^= 1 << i
				if to {
					s.value |= 1 << i
				}
			}
		}
	}
	return s
}

// establish makes known what the calls made suffice for.
func (o *Oracle) establish(s state, facts uint32) state {
	for c, i := range o.conds {
		if s.known&(1<<i) != 0 {
			continue
		}
		for _, set := range o.sources[c] {
			if set&^s.made == 0 {
				s.known |= 1 << i
				s.value |= facts & (1 << i)
			}
		}
	}
	return s
}

func (o *Oracle) valueOf(s state, cond string) truth {
	i, ok := o.conds[cond]
	switch {
	case !ok || s.known&(1<<i) == 0:
		return unknown
	case s.value&(1<<i) != 0:
		return yes
	}
	return no
}

func (o *Oracle) plain(t *sop.Tree, s state) truth {
	return kleene(t, func(c string) truth { return o.valueOf(s, c) })
}

// possible tells whether some facts for what is unknown and some further calls
// give the tree that value.
func (o *Oracle) possible(t *sop.Tree, want truth, s state) bool {
	return slices.ContainsFunc(o.future(s), func(f state) bool { return o.plain(t, f) == want })
}

// future lists the states that some facts for what is unknown and some calls,
// each with a requirement that is true when it is made, lead to.
func (o *Oracle) future(from state) []state {
	if f, ok := o.futures[from]; ok {
		return f
	}
	all := map[state]bool{}
	for facts := uint32(0); facts < 1<<len(o.conds); facts++ {
		if facts&from.known != 0 { // the facts of known conditions are settled already
			continue
		}
		seen := map[state]bool{from: true}
		for todo := []state{from}; len(todo) > 0; {
			s := todo[0]
			todo = todo[1:]
			all[s] = true
			for a, phi := range o.g.Requires {
				if o.isEnd(a) || o.plain(phi, s) != yes {
					continue
				}
				if next := o.call(s, a, facts); !seen[next] {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
	}
	f := make([]state, 0, len(all))
	for s := range all {
		f = append(f, s)
	}
	o.futures[from] = f
	return f
}

// due tells whether the outcome is due; with ordered unset, orders are ignored.
func (o *Oracle) due(k int, m *moment, ordered bool) bool {
	tree := o.g.Outcomes[k].Tree
	if ordered && m.outcomes[k].value != yes || !ordered && o.plain(tree, m.state) != yes {
		return false
	}
	for j, earlier := range o.g.Outcomes[:k] {
		if o.plain(earlier.Tree, m.state) != no && o.isOpen(j, m) {
			return false
		}
	}
	return true
}

// isOpen tells that the outcome's tree is not blocked.
func (o *Oracle) isOpen(k int, m *moment) bool {
	if o.literal != nil {
		return o.attainable(k, m)
	}
	return o.possible(o.g.Outcomes[k].Tree, yes, m.state)
}

func (o *Oracle) anyDue(end string, m *moment, ordered bool) bool {
	for k, out := range o.g.Outcomes {
		if (end == "" || out.End == end) && o.due(k, m, ordered) {
			return true
		}
	}
	return false
}

// fault is what is wrong with the item at this moment, or "".
func (o *Oracle) fault(item string, m *moment) sop.Kind {
	phi, known := o.g.Requires[item]
	if o.isEnd(item) && !o.anyDue(item, m, true) {
		if o.anyDue(item, m, false) {
			return sop.Order
		}
		return sop.WrongEnd
	}
	if !known {
		if o.isEnd(item) {
			return ""
		}
		return sop.Outside
	}
	switch {
	case m.requires[item].value == yes:
		return ""
	case o.plain(phi, m.state) == yes:
		return sop.Order
	}
	return sop.Unmet
}

// waste is what is needless about the call at this moment, or "".
func (o *Oracle) waste(item string, m *moment) sop.Kind {
	switch {
	case m.made&o.bit(item) != 0:
		return sop.Repeated
	case !slices.Contains(o.useful(m), item):
		return sop.Idle
	}
	return ""
}

// Check is sop.Check.
func (o *Oracle) Check(facts map[string]bool, w sop.Workflow) []sop.Violation {
	var found []sop.Violation
	ended := false
	for i, item := range w {
		add := func(k sop.Kind) {
			if k != "" {
				found = append(found, sop.Violation{Kind: k, Position: i, Call: item})
			}
		}
		if ended {
			add(sop.AfterEnd)
			continue
		}
		m := o.at(facts, w[:i])
		fault := o.fault(item, m)
		add(fault)
		if o.isEnd(item) {
			ended = true
		} else if fault != sop.Outside {
			add(o.waste(item, m))
		}
	}
	if !ended {
		found = append(found, sop.Violation{Kind: sop.NoEnd, Position: len(w)})
	}
	return found
}

// Accepted tells whether the workflow has no fault.
func (o *Oracle) Accepted(facts map[string]bool, w sop.Workflow) bool {
	return !slices.ContainsFunc(o.Check(facts, w), func(v sop.Violation) bool { return v.Kind.Fault() })
}
