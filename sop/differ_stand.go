package sop

// An order can be lost before it is broken: seq(x, y) where the call for x requires
// y, from the start; seq(seq(x, y), all(x, z)) once z is known, since x then
// settles the second part before the first. Blocked ignores orders (package doc,
// Ends), so that the goal is still open; who finds no continuation left that makes
// it true takes it for blocked, and denies. What one reading alone refuses proves
// nothing.

// Stands tells that x, which Diff said of h, holds in both readings of blocked:
// the one that ignores orders, and the one that ignores only those already
// broken. Where the second takes too long to tell, x does not stand.
func (d *Differ) Stands(h *Graph, x *Difference) bool {
	if x.Cycle != nil {
		return true
	}
	b, err := Compile(h)
	switch {
	case err != nil:
		return false
	case x.Unsatisfiable:
		return b.sameReadings()
	}
	other, w := b, x.Witness
	if !d.Accepts(w) {
		other = d.m
	}
	return other.refuses(other.factSet(w.Facts), w.Workflow)
}

// sameReadings tells that the goal is accepted alike in both readings: nothing
// comes before it, or there are no orders.
func (m *Machine) sameReadings() bool {
	return len(m.ordered) == 0 || m.outcomes[0].end == m.g.Goal
}

// refuses tells that w has a fault in both readings. What accepts accepts is
// accepted in the second reading as well.
func (m *Machine) refuses(truth set, w Workflow) bool {
	s, ok := m.beforeEnd(truth, w)
	return !ok || m.refusesEnd(w[len(w)-1], &s)
}

func (m *Machine) refusesEnd(item string, s *state) bool {
	o := m.from(s)
	for _, out := range m.outcomes {
		switch v := out.tree.plain(s.known, s.val); {
		case v == yes:
			return out.tree.orderedValue(s) != yes || out.end != item || out.call >= 0 && m.phi[out.call].orderedValue(s) != yes
		case v == unknown && o.possible(out.tree, yes) && m.possibleInOrder(out.tree, s):
			return true
		}
	}
	return true
}

// maxInOrder bounds what possibleInOrder looks at.
const maxInOrder = 10_000

// possibleInOrder tells whether n can still come true when orders count that are
// not broken yet. It says no, too, where that takes too long to find out.
func (m *Machine) possibleInOrder(n *node, s *state) bool {
	if len(m.ordered) == 0 {
		return true
	}
	bears := m.bearsOn(n.conds)
	if m.effects != 0 {
		bears = bearing{all(len(m.conds)), all(len(m.calls))}
	}
	from, open, likely := m.forgiven(*s), bears.conds&^s.known, m.wanted()
	look := inOrder{Machine: m, n: n, calls: bears.calls, left: maxInOrder}
	for flipped := set(0); look.left > 0; flipped = (flipped - open) & open { // the next subset of open
		look.truth, look.seen = s.val|(likely^flipped)&open, map[state]bool{}
		if look.lastly(from) && look.comesTrue(from) {
			return true
		}
		look.left--
		if flipped == open {
			break
		}
	}
	return false
}

// forgiven is the state in which orders already broken do not count any more,
// nor the orders around them.
func (m *Machine) forgiven(s state) state {
	for _, n := range m.ordered {
		if n.breaks(s.broken) {
			s.closed |= bit(n.order)
			s.settled[n.word] &^= all(len(n.parts)) << n.shift
		}
	}
	s.broken = 0
	return s
}

// breaks tells whether the order of n or of a node below is broken.
func (n *node) breaks(broken set) bool {
	if n.order >= 0 && broken.has(n.order) {
		return true
	}
	for _, p := range n.parts {
		if p.breaks(broken) {
			return true
		}
	}
	return false
}

// inOrder looks for calls after which a tree is true, in one case.
type inOrder struct {
	*Machine
	n     *node
	calls set // that bear on it
	truth set
	seen  map[state]bool
	left  int // see maxInOrder
}

// lastly tells whether the tree is true once all calls have been made, orders
// ignored. With effects there is no such end.
func (l *inOrder) lastly(s state) bool {
	if l.effects != 0 {
		return true
	}
	for {
		s.made |= l.callable(stateKey{s.made, s.known, s.val}, l.calls&^s.made)
		fresh := l.establishable(s.made, all(len(l.conds))&^s.known)
		if fresh == 0 {
			return l.n.plain(s.known, s.val) == yes
		}
		s.known |= fresh
		s.val |= fresh & l.truth
	}
}

func (l *inOrder) comesTrue(s state) bool {
	if l.n.orderedValue(&s) == yes {
		return true
	}
	if l.seen[s] || l.left <= 0 {
		return false
	}
	l.seen[s] = true
	l.left--
	var breaking []state // mostly in vain: tried last
	for calls := l.faultless(&s, l.calls); calls != 0; calls &= calls - 1 {
		next := l.step(&s, calls.first(), l.truth)
		if next.broken != s.broken {
			breaking = append(breaking, next)
		} else if l.comesTrue(next) {
			return true
		}
	}
	for _, next := range breaking {
		if l.comesTrue(next) {
			return true
		}
	}
	return false
}
