package sop

import (
	"encoding/binary"
	"slices"
)

// state is what the calls so far made known, and in which order parts were
// settled. It is a value: step returns a new one.
type state struct {
	made, known, val set
	track            []tracker // per ordered node; nil where the graph has none
}

// tracker follows one seq or first_of. A part is settled when its value
// becomes known; the node breaks when a part is settled while an earlier one
// is not, unless both are settled by the same call or the part was known from
// the start. Once the node's own value is known in order it is closed.
type tracker struct {
	settled set
	mode    trackMode
}

type trackMode uint8

const (
	open trackMode = iota
	closed
	broken
)

// orderedValue is the value of n with broken orders unknown; nil is true.
func (m *Machine) orderedValue(n *node, s *state) truth {
	if n == nil {
		return yes
	}
	if !n.hasOrder {
		return n.plain(s.known, s.val)
	}
	return n.value(
		func(c int) truth { return leafValue(c, s.known, s.val) },
		func(order int) bool { return s.track[order].mode == broken })
}

func (m *Machine) start(facts set) state {
	s := state{known: m.known0, val: facts & m.known0}
	if len(m.ordered) > 0 {
		s.track = make([]tracker, len(m.ordered))
		m.settle(&s, true)
	}
	return s
}

// settle updates the trackers, inner nodes first.
func (m *Machine) settle(s *state, atStart bool) {
	for i, n := range m.ordered {
		t := &s.track[i]
		if t.mode != open {
			continue
		}
		var now set
		for j, p := range n.parts {
			if !t.settled.has(j) && m.orderedValue(p, s) != unknown {
				now |= bit(j)
			}
		}
		t.settled |= now
		if now != 0 && !atStart {
			// The last newly settled part must have no unsettled one before it.
			all := set(1)<<len(n.parts) - 1
			if len(n.parts) == 64 {
				all = ^set(0)
			}
			missing := all &^ t.settled
			if missing != 0 && now > missing&-missing {
				t.mode = broken
				continue
			}
		}
		if m.orderedValue(n, s) != unknown {
			t.mode = closed
		}
	}
}

// step makes call c in a world where the facts hold.
func (m *Machine) step(s *state, c int, facts set) state {
	out := state{made: s.made | bit(c), known: s.known, val: s.val}
	m.establish(&out, facts)
	if m.effects.has(c) && m.answers(c, &out, facts) {
		m.apply(c, &out)
	}
	if s.track != nil {
		out.track = slices.Clone(s.track)
		m.settle(&out, false)
	}
	return out
}

// establish makes known what the made calls establish.
func (m *Machine) establish(s *state, facts set) {
	fresh := m.establishable(s.made) &^ s.known
	s.known |= fresh
	s.val |= facts & fresh
}

// establishable is the conditions that the calls establish.
func (m *Machine) establishable(made set) (conds set) {
	for i, sets := range m.sources {
		for _, need := range sets {
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

// key identifies a state among those of one set of facts.
func (s *state) key() string {
	b := make([]byte, 0, 24+len(s.track)*9)
	for _, x := range []set{s.made, s.known, s.val} {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	for _, t := range s.track {
		if t.mode == open {
			b = binary.LittleEndian.AppendUint64(b, uint64(t.settled))
		}
		b = append(b, byte(t.mode))
	}
	return string(b)
}

// dueOutcome returns the outcome that is due, or -1. With asPlain, orders
// that were broken do not count against it.
func (m *Machine) dueOutcome(s *state, asPlain bool) int {
	for k, o := range m.outcomes {
		v := o.tree.plain(s.known, s.val)
		if v == yes {
			if asPlain || m.orderedValue(o.tree, s) == yes {
				return k
			}
			return -1 // true but for a broken order: nothing after it is due
		}
		if v == unknown && m.possible(o.tree, yes, s) {
			return -1
		}
	}
	return -1
}
