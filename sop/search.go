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
	key := possibleKey{stateKey{s.made, s.known, s.val}, n.id, want}
	m.mu.Lock()
	found, ok := m.memo[key]
	m.mu.Unlock()
	if ok {
		return found
	}
	if m.effects == 0 {
		found = m.reach(n, want, key.stateKey, m.relevant(n))
	} else {
		found = m.explore(n, want, key.stateKey, map[stateKey]bool{})
	}
	m.mu.Lock()
	m.memo[key] = found
	m.mu.Unlock()
	return found
}

// relevant is the conditions that can bear on n: those in it, and those in
// the requirements of calls that establish such ones.
func (m *Machine) relevant(n *node) set {
	rel, done := n.conds, set(0)
	for rel != done {
		c := rel &^ done
		done = rel
		c.each(func(i int) {
			for _, calls := range m.sources[i] {
				calls.each(func(j int) {
					if m.phi[j] != nil {
						rel |= m.phi[j].conds
					}
				})
			}
		})
	}
	return rel
}

// reach decides possible for graphs without effects, where knowledge only
// grows: all calls whose requirements hold are made at once, and only the
// values of the conditions that they establish are branched on.
func (m *Machine) reach(n *node, want truth, k stateKey, relevant set) bool {
	if v := n.plain(k.known, k.val); v != unknown {
		return v == want
	}
	k.made |= m.callable(k)
	fresh := m.establishable(k.made) &^ k.known & relevant
	if fresh == 0 {
		return false
	}
	pos, neg := n.pos, n.neg
	if want == no {
		pos, neg = neg, pos
	}
	pos |= m.phiPos
	neg |= m.phiNeg
	// A condition that only ever helps when true need not be tried false, and
	// the other way round.
	pure := fresh &^ (pos & neg)
	if pure != 0 {
		k.known |= pure
		k.val |= pure & pos
		return m.reach(n, want, k, relevant)
	}
	c := fresh & -fresh
	k.known |= c
	if m.reach(n, want, k, relevant) {
		return true
	}
	k.val |= c
	return m.reach(n, want, k, relevant)
}

// callable is the calls, ends left out, whose requirements hold.
func (m *Machine) callable(k stateKey) (calls set) {
	for i, phi := range m.phi {
		if !m.ends.has(i) && phi.plain(k.known, k.val) == yes {
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
	m.callable(k).each(func(c int) {
		if found || k.made.has(c) && !m.effects.has(c) {
			return
		}
		s := state{made: k.made | bit(c), known: k.known, val: k.val}
		fresh := m.establishable(s.made) &^ s.known
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
	key := stateKey{s.made, s.known, s.val}
	m.mu.Lock()
	calls, ok := m.need[key]
	m.mu.Unlock()
	if ok {
		return calls
	}
	calls = m.needed(s)
	m.mu.Lock()
	m.need[key] = calls
	m.mu.Unlock()
	return calls
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
