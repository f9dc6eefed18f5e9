package sop

import (
	"fmt"
	"slices"
)

// Residual returns the graph still to be done after the history, and the
// scenario over its conditions: a continuation is free of violations for it
// exactly when it is for g after the history. What is known and can no longer
// change is put in; calls that no longer help are gone. The error says that
// the history ends, has a fault or a broken order, or that repeating one of
// its calls could still change facts.
func Residual(g *Graph, s *Scenario, history Workflow) (*Graph, *Scenario, error) {
	m, err := Compile(g)
	if err != nil {
		return nil, nil, err
	}
	return m.Residual(s, history)
}

// Residual is the function Residual of the graph that m was compiled from.
func (m *Machine) Residual(s *Scenario, history Workflow) (*Graph, *Scenario, error) {
	g := m.g
	truth := m.factSet(s.Facts)
	st := m.start(truth)
	for i, item := range history {
		c, ok := m.callIx[item]
		switch {
		case m.isEnd(item):
			return nil, nil, fmt.Errorf("procedure %s: the history ends with %s at position %d", g.Goal, item, i)
		case !ok:
			return nil, nil, fmt.Errorf("procedure %s: the history has %q at position %d, which is no call of it", g.Goal, item, i)
		case m.phi[c].orderedValue(&st) != yes:
			return nil, nil, fmt.Errorf("procedure %s: the history calls %s at position %d while its requirement is not met", g.Goal, item, i)
		}
		st = m.step(&st, c, truth)
	}
	r := residual{m: m, s: &st, out: &Graph{
		Goal: g.Goal, Requires: map[string]*Tree{}, EstablishedBy: map[string]*Tree{},
		DependsOn: map[string]*Tree{}, Effects: map[string]map[string]bool{},
	}}
	if err := r.build(); err != nil {
		return nil, nil, fmt.Errorf("procedure %s: %w", g.Goal, err)
	}
	facts := map[string]bool{}
	for c := range r.out.EstablishedBy {
		i := m.condIx[c]
		facts[c] = truth.has(i)
		if st.known.has(i) {
			facts[c] = st.val.has(i)
		}
	}
	return r.out, &Scenario{Facts: facts, Values: s.Values, Bindings: s.Bindings}, nil
}

// Shown returns what the history has told of the case: the conditions known
// after it, with their values, but for those that effects can change.
func (m *Machine) Shown(facts map[string]bool, history Workflow) map[string]bool {
	shown := m.Known(facts, history)
	m.touched.each(func(i int) { delete(shown, m.conds[i]) })
	return shown
}

// Known returns the conditions known after the history, with the values that
// they have then: those of the case, but where an effect changed them.
func (m *Machine) Known(facts map[string]bool, history Workflow) map[string]bool {
	truth := m.factSet(facts)
	st := m.start(truth)
	for _, item := range history {
		if c, ok := m.callIx[item]; ok {
			st = m.step(&st, c, truth)
		}
	}
	known := map[string]bool{}
	for i, name := range m.conds {
		if st.known.has(i) {
			known[name] = st.val.has(i)
		}
	}
	return known
}

type residual struct {
	m   *Machine
	s   *state
	out *Graph
}

var (
	always = T(All)
	never  = T(Any)
)

func (r *residual) build() error {
	m := r.m
	for k, o := range m.g.Outcomes {
		tree, err := r.reduce(m.outcomes[k].tree)
		if err != nil {
			return err
		}
		r.out.Outcomes = append(r.out.Outcomes, Outcome{End: o.End, Tree: rule(tree)})
		if c, ok := m.callIx[o.End]; ok {
			if err := r.addCall(c); err != nil {
				return err
			}
		}
		if err := r.addConditions(tree); err != nil {
			return err
		}
	}
	for call := range r.out.Requires {
		for c, to := range m.g.Effects[call] {
			if r.out.EstablishedBy[c] != nil {
				if r.out.Effects[call] == nil {
					r.out.Effects[call] = map[string]bool{}
				}
				r.out.Effects[call][c] = to
			}
		}
	}
	v := Variant{Graph: *r.out}
	for c := range r.out.EstablishedBy {
		if t := v.project(m.g.DependsOn[c]); t != nil {
			r.out.DependsOn[c] = t
		}
	}
	for _, group := range m.g.Excludes {
		var kept []string
		for _, c := range group {
			if r.out.EstablishedBy[c] != nil {
				kept = append(kept, c)
			}
		}
		if len(kept) > 1 {
			r.out.Excludes = append(r.out.Excludes, kept)
		}
	}
	return nil
}

// rule turns the constant true into "no rule".
func rule(t *Tree) *Tree {
	if t.Equal(always) {
		return nil
	}
	return t
}

func (r *residual) addCall(c int) error {
	name := r.m.calls[c]
	if _, done := r.out.Requires[name]; done {
		return nil
	}
	tree, err := r.reduce(r.m.phi[c])
	if err != nil {
		return err
	}
	r.out.Requires[name] = rule(tree)
	// The answer of a call with effects has to stay a condition.
	if ix := r.m.answer[c]; ix >= 0 && r.m.effects.has(c) {
		if err := r.addCondition(ix); err != nil {
			return err
		}
	}
	return r.addConditions(tree)
}

func (r *residual) addConditions(t *Tree) error {
	for _, name := range t.Names() {
		if err := r.addCondition(r.m.condIx[name]); err != nil {
			return err
		}
	}
	return nil
}

func (r *residual) addCondition(i int) error {
	m, name := r.m, r.m.conds[i]
	if r.out.EstablishedBy[name] != nil {
		return nil
	}
	if r.s.known.has(i) {
		r.out.EstablishedBy[name] = L(Conversation)
	} else {
		r.out.EstablishedBy[name] = r.source(i)
	}
	calls := set(0)
	if m.touched.has(i) {
		m.effects.each(func(j int) {
			if (m.makes[j][0] | m.makes[j][1]).has(i) {
				calls |= bit(j)
			}
		})
		if again := calls & r.s.made; again != 0 {
			return fmt.Errorf("repeating a call of the history could change %s", name)
		}
	}
	if !r.s.known.has(i) {
		for _, way := range r.ways(i) {
			calls |= way
		}
	}
	var err error
	calls.each(func(j int) {
		if e := r.addCall(j); e != nil && err == nil {
			err = e
		}
	})
	return err
}

// possibleSet tells whether all members not yet made can still be called.
func (r *residual) possibleSet(members set) bool {
	o := r.m.from(r.s)
	return o.callableEver(members &^ r.s.made)
}

// ways are the minimal sets of calls that still have to be made for condition i.
func (r *residual) ways(i int) []set {
	var left []set
	for _, members := range r.m.sources[i] {
		if r.possibleSet(members) {
			left = append(left, members&^r.s.made)
		}
	}
	var ways []set
	for k, way := range left {
		within := func(o set) bool { return o&^way == 0 }
		if !slices.ContainsFunc(left[:k], within) && !slices.ContainsFunc(left[k+1:], func(o set) bool { return within(o) && o != way }) {
			ways = append(ways, way)
		}
	}
	return ways
}

// source is what still has to be called for condition i.
func (r *residual) source(i int) *Tree {
	var ways []*Tree
	for _, way := range r.ways(i) {
		var calls []*Tree
		way.each(func(j int) { calls = append(calls, L(r.m.calls[j])) })
		if len(calls) == 1 {
			ways = append(ways, calls[0])
		} else {
			ways = append(ways, T(All, calls...))
		}
	}
	if len(ways) == 1 {
		return ways[0]
	}
	return T(Any, ways...)
}

// fixed tells whether a condition is known and no effect can change it.
func (r *residual) fixed(c int) bool { return r.s.known.has(c) && !r.m.touched.has(c) }

// reduce puts in what is known for good; it returns always or never for
// constants.
func (r *residual) reduce(n *node) (*Tree, error) {
	if n == nil {
		return always, nil
	}
	switch n.op {
	case Leaf:
		switch {
		case !r.fixed(n.cond):
			return L(r.m.conds[n.cond]), nil
		case r.s.val.has(n.cond):
			return always, nil
		}
		return never, nil
	case Not:
		part, err := r.reduce(n.parts[0])
		switch {
		case err != nil:
			return nil, err
		case part.Equal(always):
			return never, nil
		case part.Equal(never):
			return always, nil
		}
		return T(Not, part), nil
	}
	return r.reduceInner(n)
}

func (r *residual) reduceInner(n *node) (*Tree, error) {
	op := n.op
	if n.order >= 0 {
		switch {
		case r.s.broken.has(n.order):
			return nil, fmt.Errorf("the history broke an order, so no rightful end is left")
		case r.s.closed.has(n.order): // its order is settled for good
			op = Any
			if n.op.Conjunctive() {
				op = All
			}
		}
	}
	conj := op.Conjunctive()
	neutral, decisive := never, always
	if conj {
		neutral, decisive = always, never
	}
	var parts []*Tree
	for _, p := range n.parts {
		part, err := r.reduce(p)
		if err != nil {
			return nil, err
		}
		if part.Equal(decisive) && !op.Ordered() {
			return decisive, nil
		}
		if !part.Equal(neutral) {
			parts = append(parts, part)
		}
	}
	switch {
	case len(parts) == 0:
		return neutral, nil
	case len(parts) == 1:
		return parts[0], nil
	}
	return &Tree{Op: op, Parts: slices.Clip(parts)}, nil
}
