package sop

// state is what the calls so far made known, and in which order parts were
// settled. It is a value, equal to any other that goes on in the same way.
//
// A part of a seq or first_of is settled when its value becomes known; the node
// is broken when a part is settled while an earlier one is not, unless both are
// settled by the same call or the part was known from the start. Once the
// node's own value is known in order it is closed, and breaks no more.
type state struct {
	made, known, val set
	broken, closed   set            // ordered nodes, by their order
	settled          [partWords]set // parts of those that are neither
}

// orderedValue is the value of n with broken orders unknown; nil is true.
func (n *node) orderedValue(s *state) truth { return n.value(s.known&s.val, s.known&^s.val, s.broken) }

func (m *Machine) start(facts set) state {
	s := state{known: m.known0, val: facts & m.known0}
	for _, n := range m.ordered {
		m.settle(n, &s, true)
	}
	return s
}

// settle looks at an ordered node again, inner ones first.
func (m *Machine) settle(n *node, s *state, atStart bool) {
	if s.broken.has(n.order) || s.closed.has(n.order) {
		return
	}
	before := s.settled[n.word] >> n.shift
	var now, unsettled set
	for j, p := range n.parts {
		switch {
		case before.has(j):
		case p.orderedValue(s) != unknown:
			now |= bit(j)
		default:
			unsettled |= bit(j)
		}
	}
	switch {
	case now != 0 && !atStart && unsettled != 0 && now > unsettled&-unsettled:
		// A part was settled that has an unsettled one before it.
		s.broken |= bit(n.order)
	case n.orderedValue(s) != unknown:
		s.closed |= bit(n.order)
	default:
		s.settled[n.word] |= now << n.shift
		return
	}
	s.settled[n.word] &^= all(len(n.parts)) << n.shift
}

// step makes call c in a world where the facts hold.
func (m *Machine) step(s *state, c int, facts set) state {
	out := *s
	out.made |= bit(c)
	m.establish(&out, c, facts)
	if m.effects.has(c) && m.answers(c, &out, facts) {
		m.apply(c, &out)
	}
	news := (s.known ^ out.known) | (s.val ^ out.val)
	for _, n := range m.ordered {
		if n.conds&news != 0 {
			m.settle(n, &out, false)
		}
	}
	return out
}

// establish makes known what call c, just made, establishes.
func (m *Machine) establish(s *state, c int, facts set) {
	fresh := m.establishable(s.made, m.helps[c]&^s.known)
	s.known |= fresh
	s.val |= facts & fresh
}

// establishable is those of the conditions that the calls establish.
func (m *Machine) establishable(made, among set) (conds set) {
	for ; among != 0; among &= among - 1 {
		i := among.first()
		for _, need := range m.sources[i] {
			if need.within(made) {
				conds |= bit(i)
				break
			}
		}
	}
	return conds
}

// answers tells whether call c answers yes.
func (m *Machine) answers(c int, s *state, facts set) bool {
	ix := m.answer[c]
	switch {
	case ix < 0:
		return true
	case s.known.has(ix):
		return s.val.has(ix)
	}
	return facts.has(ix)
}

func (m *Machine) apply(c int, s *state) {
	f, t := m.makes[c][0], m.makes[c][1]
	s.known |= f | t
	s.val = s.val&^f | t
}
