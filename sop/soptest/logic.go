package soptest

import "github.com/fmsop/fmsop/sop"

// truth is a value of three-valued logic.
type truth int

const (
	no truth = iota
	unknown
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// combine is Kleene's: the least of the values for a conjunction, the greatest
// for a disjunction, the opposite for a negation.
func combine(op sop.Op, values []truth) truth {
	if op == sop.Not {
		return yes - values[0]
	}
	v := no
	if op.Conjunctive() {
		v = yes
	}
	for _, x := range values {
		if op.Conjunctive() {
			v = min(v, x)
		} else {
			v = max(v, x)
		}
	}
	return v
}

// kleene is the value of a tree without regard to order; nil is true.
func kleene(t *sop.Tree, leaf func(string) truth) truth {
	switch {
	case t == nil:
		return yes
	case t.Op == sop.Leaf:
		return leaf(t.Name)
	}
	var values []truth
	for _, p := range t.Parts {
		values = append(values, kleene(p, leaf))
	}
	return combine(t.Op, values)
}

// holds is the two-valued case.
func holds(t *sop.Tree, facts map[string]bool) bool {
	return kleene(t, func(c string) truth { return truthOf(facts[c]) }) == yes
}

// Consistent tells whether the facts go with depends_on and excludes of g.
func Consistent(g *sop.Graph, facts map[string]bool) bool {
	for c := range g.EstablishedBy {
		if facts[c] && !holds(g.DependsOn[c], facts) {
			return false
		}
	}
	for _, set := range g.Excludes {
		n := 0
		for _, c := range set {
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

// node is a node of a tree whose order counts, as time goes on.
type node struct {
	tree    *sop.Tree
	parts   []*node
	value   truth
	settled bool // its value has been known at some time
	fresh   bool // it became settled at this very time
	closed  bool // it was settled in order: its order is of the past
	broken  bool // it was settled out of order: unknown for ever
}

func newNode(t *sop.Tree) *node {
	n := &node{tree: t}
	if t != nil {
		for _, p := range t.Parts {
			n.parts = append(n.parts, newNode(p))
		}
	}
	return n
}

// advance brings n to the next time, inner nodes first. What is settled at the
// first time of all is never out of order.
func (n *node) advance(leaf func(string) truth, first bool) {
	var values []truth
	for _, p := range n.parts {
		p.advance(leaf, first)
		values = append(values, p.value)
	}
	switch {
	case n.tree == nil:
		n.value = yes
	case n.tree.Op == sop.Leaf:
		n.value = leaf(n.tree.Name)
	default:
		if n.tree.Op.Ordered() && !n.closed && !first {
			n.broken = n.broken || n.outOfOrder()
		}
		n.value = combine(n.tree.Op, values)
		if n.broken {
			n.value = unknown
		}
		n.closed = n.closed || n.value != unknown
	}
	n.fresh = !n.settled && n.value != unknown
	n.settled = n.settled || n.fresh
}

// outOfOrder tells whether a part is settled now while one before it is not.
func (n *node) outOfOrder() bool {
	waiting := false
	for _, p := range n.parts {
		if p.fresh && waiting {
			return true
		}
		waiting = waiting || !p.settled
	}
	return false
}
