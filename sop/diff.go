package sop

import (
	"fmt"
	"maps"
	"slices"
)

// Difference says why a graph is wrong when held against another.
type Difference struct {
	Cycle         []string `json:"cycle,omitempty"`         // calls, each needed before the next, the first again at the end
	Unsatisfiable bool     `json:"unsatisfiable,omitempty"` // no consistent scenario permits the goal
	Witness       *Witness `json:"witness,omitempty"`
}

// Witness is a consistent scenario, total for both graphs, and a workflow
// that exactly one of them accepts (finds without fault).
type Witness struct {
	Facts    map[string]bool `json:"facts"`
	Workflow Workflow        `json:"workflow"`
}

// Edges derives E: (u,v) where v's requirement names u or a condition that u
// helps to establish; effects make no edges. Sorted; calls come before what
// needs them.
func (g *Graph) Edges() [][2]string {
	helps := make(map[string][]string, len(g.EstablishedBy)) // condition -> calls
	for c, tree := range g.EstablishedBy {
		switch {
		case tree == nil:
		case tree.Op != Leaf:
			sets, err := MinimalSets(tree)
			if err == nil {
				helps[c] = slices.Concat(sets...)
			}
		case tree.Name != Conversation:
			helps[c] = []string{tree.Name}
		}
	}
	var edges [][2]string
	for v, tree := range g.Requires {
		add := func(u string) {
			if _, isCall := g.Requires[u]; isCall {
				edges = append(edges, [2]string{u, v})
			}
		}
		tree.Walk(func(n *Tree) {
			if n.Op == Leaf {
				add(n.Name)
				for _, u := range helps[n.Name] {
					add(u)
				}
			}
		})
	}
	slices.SortFunc(edges, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(edges)
}

// Cycle returns calls that need each other in a circle, the first one again
// at the end; nil where there is none.
func (g *Graph) Cycle() []string {
	next := map[string][]string{}
	for _, e := range g.Edges() {
		next[e[0]] = append(next[e[0]], e[1])
	}
	const inPath, finished = 1, 2
	mark := map[string]int{}
	var path []string
	var visit func(u string) []string
	visit = func(u string) []string {
		mark[u] = inPath
		path = append(path, u)
		for _, v := range next[u] {
			if mark[v] == inPath {
				i := slices.Index(path, v)
				return append(slices.Clone(path[i:]), v)
			}
			if mark[v] == 0 {
				if c := visit(v); c != nil {
					return c
				}
			}
		}
		path = path[:len(path)-1]
		mark[u] = finished
		return nil
	}
	for _, u := range sortedKeys(g.Requires) {
		if mark[u] == 0 {
			if c := visit(u); c != nil {
				return c
			}
		}
	}
	return nil
}

// maxDiffConditions bounds the scenarios that Diff enumerates.
const maxDiffConditions = 16

// Diff returns why h is wrong when g is right, or nil when the two accept the
// same workflows in every scenario: a cycle in h, a goal that no consistent
// scenario permits, or a shortest witness. A condition of h that g lacks and
// that has the name of a call of g is that call's answer, which is always yes.
// The error says that a graph is not well-formed or too large to enumerate
// (over 16 conditions).
func Diff(g, h *Graph) (*Difference, error) {
	if c := h.Cycle(); c != nil {
		return &Difference{Cycle: c}, nil
	}
	a, err := Compile(g)
	if err != nil {
		return nil, err
	}
	b, err := Compile(h)
	if err != nil {
		return nil, err
	}
	worlds, err := commonWorlds(g, h)
	if err != nil {
		return nil, err
	}
	permits := slices.ContainsFunc(worlds, func(facts map[string]bool) bool { return b.permits(b.factSet(facts)) })
	if !permits {
		return &Difference{Unsatisfiable: true}, nil
	}
	if w := findWitness(a, b, worlds); w != nil {
		return &Difference{Witness: w}, nil
	}
	return nil, nil
}

// permits tells whether some workflow without fault ends in the goal.
func (m *Machine) permits(truth set) bool {
	seen := map[state]bool{}
	var visit func(s state) bool
	visit = func(s state) bool {
		if m.acceptsEnd(m.g.Goal, &s) {
			return true
		}
		if seen[s] {
			return false
		}
		seen[s] = true
		found := false
		m.faultless(&s, ^set(0)).each(func(c int) {
			found = found || visit(m.step(&s, c, truth))
		})
		return found
	}
	return visit(m.start(truth))
}

// acceptsEnd is checkEnd without saying what is missing.
func (m *Machine) acceptsEnd(item string, s *state) bool {
	if !m.isEnd(item) {
		return false
	}
	k := m.dueOutcome(s, false)
	if k < 0 || m.outcomes[k].end != item {
		return false
	}
	c, ok := m.callIx[item]
	return !ok || m.phi[c].orderedValue(s) == yes
}

// commonWorlds enumerates the facts over the conditions of both graphs that
// are consistent with both.
func commonWorlds(g, h *Graph) ([]map[string]bool, error) {
	union := maps.Clone(g.EstablishedBy)
	maps.Copy(union, h.EstablishedBy)
	conds := sortedKeys(union)
	if len(conds) > maxDiffConditions {
		return nil, fmt.Errorf("procedure %s: %d conditions are too many to compare, want at most %d", g.Goal, len(conds), maxDiffConditions)
	}
	var worlds []map[string]bool
	for x := range 1 << len(conds) {
		facts := make(map[string]bool, len(conds))
		answered := true
		for i, c := range conds {
			facts[c] = x>>i&1 == 1
			answered = answered && (facts[c] || !alwaysAnswers(g, c))
		}
		if answered && g.Consistent(facts) && h.Consistent(facts) {
			worlds = append(worlds, facts)
		}
	}
	return worlds, nil
}

// alwaysAnswers tells that c, used as a condition, is the answer of a call
// that checks nothing in g.
func alwaysAnswers(g *Graph, c string) bool {
	_, isCondition := g.EstablishedBy[c]
	_, isCall := g.Requires[c]
	return isCall && !isCondition
}

// Consistent tells whether facts respect depends_on and excludes. Conditions
// missing from facts count as false.
func (g *Graph) Consistent(facts map[string]bool) bool {
	for c, tree := range g.DependsOn {
		if facts[c] && !tree.Holds(facts) {
			return false
		}
	}
	for _, group := range g.Excludes {
		n := 0
		for _, c := range group {
			if facts[c] {
				n++
			}
		}
		if n > 1 {
			return false
		}
	}
	return true
}

// Holds is the two-valued truth of t; a nil tree is true and names missing
// from facts are false.
func (t *Tree) Holds(facts map[string]bool) bool {
	if t == nil {
		return true
	}
	switch t.Op {
	case Leaf:
		return facts[t.Name]
	case Not:
		return !t.Parts[0].Holds(facts)
	}
	conj := t.Op.Conjunctive()
	for _, p := range t.Parts {
		if p.Holds(facts) != conj {
			return !conj
		}
	}
	return conj
}

// pairState is where two graphs stand after the same workflow; a graph that
// found a fault is dead.
type pairState struct {
	world        int
	a, b         state
	deadA, deadB bool
	path         Workflow
}

// findWitness searches all worlds breadth first, so that the first workflow
// that exactly one graph accepts is a shortest one.
func findWitness(a, b *Machine, worlds []map[string]bool) *Witness {
	items := slices.Concat(a.calls, b.calls)
	for _, o := range slices.Concat(a.outcomes, b.outcomes) {
		items = append(items, o.end)
	}
	slices.Sort(items)
	items = slices.Compact(items)
	truthA, truthB := make([]set, len(worlds)), make([]set, len(worlds))
	seen := make([]map[pairKey]bool, len(worlds))
	var queue []pairState
	for i, facts := range worlds {
		truthA[i], truthB[i], seen[i] = a.factSet(facts), b.factSet(facts), map[pairKey]bool{}
		queue = append(queue, pairState{world: i, a: a.start(truthA[i]), b: b.start(truthB[i])})
	}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		for _, item := range items {
			acceptA := !p.deadA && a.acceptsEnd(item, &p.a)
			acceptB := !p.deadB && b.acceptsEnd(item, &p.b)
			if acceptA != acceptB {
				return &Witness{Facts: worlds[p.world], Workflow: append(slices.Clone(p.path), item)}
			}
			if acceptA {
				continue
			}
			q := pairState{world: p.world, deadA: p.deadA, deadB: p.deadB}
			q.a, q.deadA = a.advance(item, &p.a, p.deadA, truthA[p.world])
			q.b, q.deadB = b.advance(item, &p.b, p.deadB, truthB[p.world])
			if q.deadA && q.deadB {
				continue
			}
			key := q.key()
			if !seen[p.world][key] {
				seen[p.world][key] = true
				q.path = append(slices.Clone(p.path), item)
				queue = append(queue, q)
			}
		}
	}
	return nil
}

// advance makes a call that is no end, unless it is a fault.
func (m *Machine) advance(item string, s *state, dead bool, truth set) (state, bool) {
	c, ok := m.callIx[item]
	if dead || !ok || m.ends.has(c) || m.phi[c].orderedValue(s) != yes {
		return state{}, true
	}
	return m.step(s, c, truth), false
}

type pairKey struct {
	a, b         state
	deadA, deadB bool
}

func (p *pairState) key() pairKey { return pairKey{p.a, p.b, p.deadA, p.deadB} }
