package sop

// This file answers "can it still come true?" (DESIGN: blocked) and "which
// calls does the undecided part still need?" (DESIGN: idle).

// outlook is a state and what can still come of it.
type outlook struct {
	*Machine
	state
	// What the calls that can still be made can make known, where knowledge
	// only grows and no condition helps some requirements when it is true and
	// others when it is false; found out when first asked for.
	seen, simple bool
	attainable   set

	asked   bool
	outcome int // due(false), once it was asked for
}

func (m *Machine) from(s *state) outlook { return outlook{Machine: m, state: *s} }

type stateKey struct{ made, known, val set }

type possibleKey struct {
	stateKey
	node int
	want truth
}

// possible tells whether n can still get the wanted value: some assignment of
// the conditions not yet known and some sequence of calls whose requirements
// hold (orders ignored) lead there.
func (o *outlook) possible(n *node, want truth) bool {
	v := n.plain(o.known, o.val)
	if v == want {
		return true
	}
	if v != unknown && (n == nil || n.conds&o.touched == 0) {
		return false
	}
	k := stateKey{o.made, o.known, o.val}
	if o.effects != 0 {
		return o.explored(n, want, k)
	}
	pos, neg := n.pos, n.neg
	if want == no {
		pos, neg = neg, pos
	}
	if o.look(); o.simple {
		fresh := n.conds & o.attainable
		if fresh&(pos|o.phiPos)&(neg|o.phiNeg) == 0 {
			return n.plain(o.known|fresh, o.val|fresh&pos) == want
		}
	}
	return o.reach(n, want, k, pos|o.phiPos, neg|o.phiNeg, o.bearsOn(n.conds))
}

// look makes every call that can still be made, and gives each condition that
// becomes known the value that helps the requirements.
func (o *outlook) look() {
	if o.seen {
		return
	}
	o.seen = true
	k := stateKey{o.made, o.known, o.val}
	for {
		k.made |= o.callable(k, all(len(o.calls))&^k.made)
		fresh := o.establishable(k.made, all(len(o.conds))&^k.known)
		if fresh == 0 {
			o.simple, o.attainable = true, k.known&^o.known
			return
		}
		if fresh&o.phiPos&o.phiNeg != 0 {
			return
		}
		k.known |= fresh
		k.val |= fresh & o.phiPos
	}
}

// reach decides possible for graphs without effects, where knowledge only
// grows: all calls whose requirements hold are made at once, and only the
// values of the conditions that they establish are branched on. What bears on
// n is all that is looked at; pos and neg are the conditions that help when
// they are true or false.
func (m *Machine) reach(n *node, want truth, k stateKey, pos, neg set, bears bearing) bool {
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
			if m.reach(n, want, k, pos, neg, bears) {
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

// explored decides possible where effects can change what was known; it is
// remembered, since it can take long.
func (m *Machine) explored(n *node, want truth, k stateKey) bool {
	key := possibleKey{k, n.id, want}
	m.mu.Lock()
	found, ok := m.memo[key]
	m.mu.Unlock()
	if ok {
		return found
	}
	found = m.explore(n, want, k, map[stateKey]bool{})
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.memo == nil {
		m.memo = map[possibleKey]bool{}
	}
	m.memo[key] = found
	return found
}

// explore visits every state that calls can lead to.
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

// due returns the outcome that is due, or -1. With asPlain, orders that were
// broken do not count against it.
func (o *outlook) due(asPlain bool) int {
	for k, out := range o.outcomes {
		v := out.tree.plain(o.known, o.val)
		if v == yes {
			if asPlain || out.tree.orderedValue(&o.state) == yes {
				return k
			}
			return -1 // true but for a broken order: nothing after it is due
		}
		if v == unknown && o.possible(out.tree, yes) {
			return -1
		}
	}
	return -1
}

func (m *Machine) dueOutcome(s *state, asPlain bool) int {
	o := m.from(s)
	return o.due(asPlain)
}

// dueInOrder is due(false), found out once.
func (o *outlook) dueInOrder() int {
	if !o.asked {
		o.asked, o.outcome = true, o.due(false)
	}
	return o.outcome
}

// useful is the calls that can make known what an undecided outcome still
// needs; none once an outcome is due.
func (o *outlook) useful() set {
	if o.dueInOrder() >= 0 {
		return 0
	}
	return o.needed()
}

func (o *outlook) needed() (calls set) {
	conds, asked := o.open(), set(0)
	for conds != asked {
		todo := conds &^ asked
		asked = conds
		for ; todo != 0; todo &= todo - 1 {
			fresh := o.helpers(todo.first()) &^ calls
			calls |= fresh
			for ; fresh != 0; fresh &= fresh - 1 {
				if phi := o.phi[fresh.first()]; phi != nil {
					conds |= o.needs(phi, yes)
				}
			}
		}
	}
	return calls
}

// open is the conditions that the undecided outcomes still need.
func (o *outlook) open() (conds set) {
	for _, out := range o.outcomes {
		v := out.tree.plain(o.known, o.val)
		if v == yes {
			break
		}
		if v == unknown {
			conds |= o.needs(out.tree, yes)
		}
	}
	return conds
}

// needs is the unknown conditions that n still needs to get the wanted value:
// a branch that can no longer get there needs nothing.
func (o *outlook) needs(n *node, want truth) (conds set) {
	switch {
	case n.plain(o.known, o.val) != unknown || !o.possible(n, want):
		return 0
	case n.op == Leaf:
		return bit(n.cond)
	case n.op == Not:
		return o.needs(n.parts[0], -want)
	}
	parts := n.parts
	if o.simple { // what becomes known can then have either value
		conds, parts = (n.is|n.not)&o.attainable, n.rest
	}
	for _, p := range parts {
		conds |= o.needs(p, want)
	}
	return conds
}

// helpers is the calls that lead to condition c becoming known: those still
// missing from a minimal set. A set with an impossible member helps nobody.
func (o *outlook) helpers(c int) (calls set) {
	for _, members := range o.sources[c] {
		missing := members &^ o.made
		if o.least(missing, c) && o.callableEver(missing) {
			calls |= missing
		}
	}
	if o.touched.has(c) {
		o.effects.each(func(j int) {
			if (o.makes[j][0] | o.makes[j][1]).has(c) && o.callableEver(bit(j)) {
				calls |= bit(j)
			}
		})
	}
	return calls
}

// least tells that no source of condition c lacks less: a set that lacks more
// than another one lacks adds nothing to it.
func (o *outlook) least(missing set, c int) bool {
	for _, other := range o.sources[c] {
		if less := other &^ o.made; less != missing && less.within(missing) {
			return false
		}
	}
	return true
}

// callableEver tells whether each of the calls can still be made.
func (o *outlook) callableEver(calls set) bool {
	for ; calls != 0; calls &= calls - 1 {
		if j := calls.first(); o.ends.has(j) || !o.possible(o.phi[j], yes) {
			return false
		}
	}
	return true
}
