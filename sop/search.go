package sop

// This file answers "can it still come true?" (DESIGN: blocked) and "which
// calls does the undecided part still need?" (DESIGN: idle).

type stateKey struct{ made, known, val set }

type possibleKey struct {
	stateKey
	node int
	want truth
}

// possible tells whether n can still get the wanted value: some assignment of
// the conditions not yet known and some sequence of calls whose requirements
// hold (orders ignored) lead there.
func (m *Machine) possible(n *node, want truth, s *state) bool {
	v := n.plain(s.known, s.val)
	if v == want {
		return true
	}
	if v != unknown && (n == nil || n.conds&m.touched == 0) {
		return false
	}
	k := stateKey{s.made, s.known, s.val}
	if m.effects == 0 {
		return m.reach(n, want, k, m.bearsOn(n.conds))
	}
	key := possibleKey{k, n.id, want}
	m.mu.Lock()
	found, ok := m.memo[key]
	m.mu.Unlock()
	if !ok {
		found = m.explore(n, want, k, map[stateKey]bool{})
		m.mu.Lock()
		if m.memo == nil {
			m.memo = map[possibleKey]bool{}
		}
		m.memo[key] = found
		m.mu.Unlock()
	}
	return found
}

// reach decides possible for graphs without effects, where knowledge only
// grows: all calls whose requirements hold are made at once, and only the
// values of the conditions that they establish are branched on. What bears on
// n is all that is looked at.
func (m *Machine) reach(n *node, want truth, k stateKey, bears bearing) bool {
	pos, neg := n.pos, n.neg
	if want == no {
		pos, neg = neg, pos
	}
	pos |= m.phiPos
	neg |= m.phiNeg
	for n.plain(k.known, k.val) == unknown {
		k.made |= m.callable(k, bears.calls&^k.made)
		fresh := m.establishable(k.made, bears.conds&^k.known)
		// A condition that only ever helps when true need not be tried false,
		// and the other way round.
		pure := fresh &^ (pos & neg)
		switch {
		case fresh == 0:
			return false
		case pure != 0:
			k.known |= pure
			k.val |= pure & pos
		default:
			c := fresh & -fresh
			k.known |= c
			if m.reach(n, want, k, bears) {
				return true
			}
			k.val |= c
		}
	}
	return n.plain(k.known, k.val) == want
}

// callable is those of the calls, ends left out, whose requirements hold.
func (m *Machine) callable(k stateKey, among set) (calls set) {
	for among &^= m.ends; among != 0; among &= among - 1 {
		if i := among.first(); m.phi[i].plain(k.known, k.val) == yes {
			calls |= bit(i)
		}
	}
	return calls
}

// explore decides possible where effects can change what was known: it
// visits every state that calls can lead to.
func (m *Machine) explore(n *node, want truth, k stateKey, seen map[stateKey]bool) bool {
	if n.plain(k.known, k.val) == want {
		return true
	}
	if seen[k] {
		return false
	}
	seen[k] = true
	found := false
	m.callable(k, all(len(m.calls))).each(func(c int) {
		if found || k.made.has(c) && !m.effects.has(c) {
			return
		}
		s := state{made: k.made | bit(c), known: k.known, val: k.val}
		fresh := m.establishable(s.made, m.helps[c]&^s.known)
		s.known |= fresh
		// Every assignment of the fresh conditions, counted through as a subset.
		for sub := fresh; ; sub = (sub - 1) & fresh {
			t := s
			t.val |= sub
			if m.effects.has(c) {
				m.exploreAnswers(c, t, func(u state) {
					found = found || m.explore(n, want, stateKey{u.made, u.known, u.val}, seen)
				})
			} else {
				found = found || m.explore(n, want, stateKey{t.made, t.known, t.val}, seen)
			}
			if found || sub == 0 {
				return
			}
		}
	})
	return found
}

// exploreAnswers visits the states after call c answered; both answers are
// open where the condition of its name is still unknown.
func (m *Machine) exploreAnswers(c int, s state, visit func(state)) {
	ix := m.answer[c]
	if ix >= 0 && !s.known.has(ix) {
		visit(s) // answered no
	}
	if ix < 0 || !s.known.has(ix) || s.val.has(ix) {
		m.apply(c, &s)
		visit(s)
	} else {
		visit(s)
	}
}

// useful is the calls that can make known what an undecided outcome still
// needs; none once an outcome is due.
func (m *Machine) useful(s *state) set {
	if m.dueOutcome(s, false) >= 0 {
		return 0
	}
	return m.needed(s)
}

func (m *Machine) needed(s *state) (calls set) {
	var conds, asked set
	for _, o := range m.outcomes {
		v := o.tree.plain(s.known, s.val)
		if v == yes {
			break
		}
		if v == unknown && m.possible(o.tree, yes, s) {
			conds |= m.needs(o.tree, yes, s)
		}
	}
	for conds != asked {
		todo := conds &^ asked
		asked = conds
		todo.each(func(c int) {
			m.helpers(c, s).each(func(j int) {
				if !calls.has(j) {
					calls |= bit(j)
					if m.phi[j] != nil {
						conds |= m.needs(m.phi[j], yes, s)
					}
				}
			})
		})
	}
	return calls
}

// helpers is the calls that lead to condition c becoming known: those still
// missing from a minimal set. A set with an impossible member helps nobody.
func (m *Machine) helpers(c int, s *state) (calls set) {
	for _, members := range m.sources[c] {
		missing, ok := members&^s.made, true
		// A set that lacks more than another one lacks adds nothing to it.
		for _, other := range m.sources[c] {
			less := other &^ s.made
			ok = ok && (less == missing || !less.within(missing))
		}
		missing.each(func(j int) { ok = ok && m.callableEver(j, s) })
		if ok {
			calls |= missing
		}
	}
	if m.touched.has(c) {
		m.effects.each(func(j int) {
			if (m.makes[j][0] | m.makes[j][1]).has(c) && m.callableEver(j, s) {
				calls |= bit(j)
			}
		})
	}
	return calls
}

func (m *Machine) callableEver(j int, s *state) bool {
	return !m.ends.has(j) && m.possible(m.phi[j], yes, s)
}

// needs is the unknown conditions that n still needs to get the wanted value:
// a branch that can no longer get there needs nothing.
func (m *Machine) needs(n *node, want truth, s *state) set {
	if n.plain(s.known, s.val) != unknown || !m.possible(n, want, s) {
		return 0
	}
	switch n.op {
	case Leaf:
		return bit(n.cond)
	case Not:
		return m.needs(n.parts[0], -want, s)
	}
	var conds set
	for _, p := range n.parts {
		conds |= m.needs(p, want, s)
	}
	return conds
}
