package soptest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// key tells two moments apart wherever they can go different ways.
func (m *moment) key() string {
	key := fmt.Sprint(m.state)
	for _, a := range keys(m.requires) {
		key += m.requires[a].key()
	}
	for _, n := range m.outcomes {
		key += n.key()
	}
	return key
}

func (n *node) key() string {
	key := fmt.Sprint(n.value, n.settled, n.closed, n.broken)
	for _, p := range n.parts {
		key += p.key()
	}
	return key
}

// Finishable tells whether some continuation makes the whole workflow free of
// faults; the history has to be.
func (o *Oracle) Finishable(facts map[string]bool, history sop.Workflow) bool {
	seen := map[string]bool{}
	for todo := []sop.Workflow{history}; len(todo) > 0; {
		w := todo[0]
		todo = todo[1:]
		m := o.at(facts, w)
		if key := m.key(); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		for _, end := range o.ends {
			if o.fault(end, m) == "" {
				return true
			}
		}
		for a := range o.g.Requires {
			if !o.isEnd(a) && o.fault(a, m) == "" {
				todo = append(todo, append(slices.Clone(w), a))
			}
		}
	}
	return false
}

// NextRight returns the right next actions after a history without faults.
func (o *Oracle) NextRight(facts map[string]bool, history sop.Workflow) []string {
	items := map[string]bool{}
	for a := range o.g.Requires {
		items[a] = true
	}
	for _, end := range o.ends {
		items[end] = true
	}
	right := []string{}
	for _, n := range keys(items) {
		w := append(slices.Clone(history), n)
		here := slices.ContainsFunc(o.Check(facts, w), func(v sop.Violation) bool {
			return v.Position == len(history) && v.Kind != sop.NoEnd
		})
		if !here && (o.isEnd(n) || o.Finishable(facts, w)) {
			right = append(right, n)
		}
	}
	return right
}

// Edges returns the pairs (u, v) of calls where v's requirement names u, or a
// condition that u is in a minimal set for; effects make no edges.
func (o *Oracle) Edges() [][2]string {
	var edges [][2]string
	for _, u := range keys(o.g.Requires) {
		for _, v := range keys(o.g.Requires) {
			if slices.ContainsFunc(o.g.Requires[v].Names(), func(c string) bool { return c == u || o.informs(u, c) }) {
				edges = append(edges, [2]string{u, v})
			}
		}
	}
	return edges
}

func (o *Oracle) informs(call, cond string) bool {
	return slices.ContainsFunc(o.sources[cond], func(set uint32) bool { return set&o.bit(call) != 0 })
}

// Cyclic tells whether some call leads back to itself along the edges.
func (o *Oracle) Cyclic() bool {
	reach := map[[2]string]bool{}
	for _, e := range o.Edges() {
		reach[e] = true
	}
	for {
		before := len(reach)
		for a := range reach {
			for b := range reach {
				if a[1] == b[0] {
					reach[[2]string{a[0], b[1]}] = true
				}
			}
		}
		if len(reach) == before {
			break
		}
	}
	for e := range reach {
		if e[0] == e[1] {
			return true
		}
	}
	return false
}

// Satisfiable tells whether h permits its goal in some of the worlds that it
// shares with g, the right graph: whether a faultless workflow ends in it.
func Satisfiable(g, h *sop.Graph) bool { return New(h).Satisfiable(g) }

// Satisfiable is the function Satisfiable of g and the graph of o.
func (o *Oracle) Satisfiable(g *sop.Graph) bool {
	for facts := range worlds(g, o.g) {
		if o.reachesGoal(facts) {
			return true
		}
	}
	return false
}

// worlds goes through the facts over the conditions of both graphs that are
// consistent with both. A call of g, the right one, that is no condition there
// checks nothing: where h uses it as a condition, its answer is true.
func worlds(g, h *sop.Graph) func(func(map[string]bool) bool) {
	names := maps.Clone(g.EstablishedBy)
	maps.Copy(names, h.EstablishedBy)
	var answers []string
	for c := range h.EstablishedBy {
		if _, isCall := g.Requires[c]; isCall && g.EstablishedBy[c] == nil {
			answers = append(answers, c)
		}
	}
	return func(yield func(map[string]bool) bool) {
		for facts := range assignments(keys(names)) {
			no := func(c string) bool { return !facts[c] }
			if !slices.ContainsFunc(answers, no) && Consistent(g, facts) && Consistent(h, facts) && !yield(facts) {
				return
			}
		}
	}
}

func (o *Oracle) reachesGoal(facts map[string]bool) bool {
	seen := map[string]bool{}
	for todo := []sop.Workflow{{}}; len(todo) > 0; {
		w := todo[0]
		todo = todo[1:]
		m := o.at(facts, w)
		if o.isEnd(o.g.Goal) && o.fault(o.g.Goal, m) == "" {
			return true
		}
		if seen[m.key()] {
			continue
		}
		seen[m.key()] = true
		for a := range o.g.Requires {
			if !o.isEnd(a) && o.fault(a, m) == "" {
				todo = append(todo, append(slices.Clone(w), a))
			}
		}
	}
	return false
}

// Difference is a workflow of at most that length which, in a world that g, the
// right graph, and h share, exactly one of the two accepts: a shortest one, or
// nil.
func Difference(g, h *sop.Graph, length int) *sop.Witness {
	a, b := New(g), New(h)
	var shortest *sop.Witness
	for facts := range worlds(g, h) {
		if w, ok := difference(a, b, facts, length); ok && (shortest == nil || len(w) < len(shortest.Workflow)) {
			shortest = &sop.Witness{Facts: facts, Workflow: w}
		}
	}
	return shortest
}

// difference goes through all workflows by length; one that is faulty in both
// graphs before its end stays so.
func difference(a, b *Oracle, facts map[string]bool, length int) (sop.Workflow, bool) {
	items := map[string]bool{}
	for _, o := range []*Oracle{a, b} {
		for x := range o.g.Requires {
			items[x] = true
		}
		for _, x := range o.ends {
			items[x] = true
		}
	}
	for todo := []sop.Workflow{{}}; len(todo) > 0; {
		w := todo[0]
		todo = todo[1:]
		if a.Accepted(facts, w) != b.Accepted(facts, w) {
			return w, true
		}
		if len(w) == length || !a.open(facts, w) && !b.open(facts, w) {
			continue
		}
		for _, x := range keys(items) {
			todo = append(todo, append(slices.Clone(w), x))
		}
	}
	return nil, false
}

// open tells whether the workflow can still become an accepted one: it lacks
// nothing but its end.
func (o *Oracle) open(facts map[string]bool, w sop.Workflow) bool {
	return !slices.ContainsFunc(o.Check(facts, w), func(v sop.Violation) bool { return v.Kind.Fault() && v.Kind != sop.NoEnd }) &&
		!slices.ContainsFunc(w, o.isEnd)
}

// Continuations calls f with every sequence of at most that many of the items.
func Continuations(items []string, length int, f func(sop.Workflow)) {
	for todo := []sop.Workflow{{}}; len(todo) > 0; {
		w := todo[0]
		todo = todo[1:]
		f(w)
		for _, x := range items {
			if len(w) < length {
				todo = append(todo, append(slices.Clone(w), x))
			}
		}
	}
}

// assignments goes through all assignments of truth values to the names.
func assignments(names []string) func(func(map[string]bool) bool) {
	return func(yield func(map[string]bool) bool) {
		for bits := range 1 << len(names) {
			facts := map[string]bool{}
			for i, n := range names {
				facts[n] = bits&(1<<i) != 0
			}
			if !yield(facts) {
				return
			}
		}
	}
}

// Broken tells whether, after the history, some tree has a part that was
// settled out of order.
func (o *Oracle) Broken(facts map[string]bool, history sop.Workflow) bool {
	m := o.at(facts, history)
	for _, n := range m.requires {
		if n.anyBroken() {
			return true
		}
	}
	return slices.ContainsFunc(m.outcomes, (*node).anyBroken)
}

func (n *node) anyBroken() bool { return n.broken || slices.ContainsFunc(n.parts, (*node).anyBroken) }
