package sop

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Differ answers Diff for one right graph and many others. It says the same
// about whether there is a difference and of which kind; its witnesses are
// short, not always shortest. It is not safe for concurrent use.
type Differ struct {
	g     *Graph
	m     *Machine
	cases []differCase
}

// differCase is consistent facts with workflows that g accepts in them.
type differCase struct {
	facts map[string]bool
	runs  []Workflow
}

// maxDifferCases bounds the cases that are tried before all are searched.
const maxDifferCases = 32

// NewDiffer compiles g and prepares cases near to permitting the goal: graphs
// that differ mostly do so in one of them.
func NewDiffer(g *Graph) (*Differ, error) {
	m, err := Compile(g)
	if err != nil {
		return nil, err
	}
	d := &Differ{g: g, m: m}
	base := m.wanted()
	seen := map[set]bool{}
	rng := rand.New(rand.NewPCG(0, 0)) // any positive will do, but always the same
	add := func(x set) {
		x = d.repaired(x)
		if seen[x] || len(d.cases) >= maxDifferCases {
			return
		}
		seen[x] = true
		facts := m.factMap(x)
		if !g.Consistent(facts) {
			return
		}
		c := differCase{facts: facts}
		if w, err := m.Positive(facts, rng); err == nil {
			c.runs = append(c.runs, w)
		}
		d.cases = append(d.cases, c)
	}
	add(base)
	for i := range m.conds {
		add(base ^ bit(i))
	}
	for i := range m.conds {
		for j := range i {
			add(base ^ bit(i) ^ bit(j))
		}
	}
	d.against()
	return d, nil
}

// wanted is the facts that speak for the goal: conditions that only count
// when they are false are false, all others true.
func (m *Machine) wanted() set {
	x := set(1)<<len(m.conds) - 1
	if len(m.conds) == 64 {
		x = ^set(0)
	}
	pos, neg := m.phiPos, m.phiNeg
	for _, o := range m.outcomes {
		if o.end == m.g.Goal && o.tree != nil {
			pos, neg = pos|o.tree.pos, neg|o.tree.neg
		}
	}
	return x &^ (neg &^ pos)
}

// repaired makes facts false that depend on what is not so, or that another
// one excludes.
func (d *Differ) repaired(x set) set {
	for range d.m.conds {
		facts, before := d.m.factMap(x), x
		for i, c := range d.m.conds {
			if x.has(i) && !d.g.DependsOn[c].Holds(facts) {
				x &^= bit(i)
			}
		}
		for _, group := range d.g.Excludes {
			one := false
			for _, c := range group {
				if i, ok := d.m.condIx[c]; ok && x.has(i) {
					if one {
						x &^= bit(i)
					}
					one = true
				}
			}
		}
		if x == before {
			break
		}
	}
	return x
}

// against adds to the first case a workflow that settles things as much the
// other way round as it may.
func (d *Differ) against() {
	if len(d.cases) == 0 || len(d.cases[0].runs) == 0 {
		return
	}
	c := &d.cases[0]
	if w, err := d.m.Along(c.facts, reversed(c.runs[0]), rand.New(rand.NewPCG(0, 1))); err == nil && !slices.Equal(w, c.runs[0]) {
		c.runs = append(c.runs, w)
	}
}

func reversed(w Workflow) Workflow {
	w = slices.Clone(w)
	slices.Reverse(w)
	return w
}

// Permitted returns facts in which g permits its goal, nil where the cases at
// hand have none.
func (d *Differ) Permitted() map[string]bool {
	for _, c := range d.cases {
		for _, w := range c.runs {
			if w[len(w)-1] == d.g.Goal {
				return maps.Clone(c.facts)
			}
		}
	}
	return nil
}

// Accepts tells whether g accepts the workflow of a witness.
func (d *Differ) Accepts(w *Witness) bool { return d.m.Accepts(w.Facts, w.Workflow) }

// Diff returns why h is wrong, as the function Diff does. The error says that
// h is not well-formed, or that the two are too large to tell.
func (d *Differ) Diff(h *Graph) (*Difference, error) { return d.diff(h, true) }

// Prove is Diff without the search through all worlds for a witness: nil says
// that no difference was found, not that there is none.
func (d *Differ) Prove(h *Graph) (*Difference, error) { return d.diff(h, false) }

func (d *Differ) diff(h *Graph, all bool) (*Difference, error) {
	if c := h.Cycle(); c != nil {
		return &Difference{Cycle: c}, nil
	}
	b, err := Compile(h)
	if err != nil {
		return nil, err
	}
	p := newPair(d, b)
	witness, permits := p.tryRuns()
	if !permits && !p.permitsSome() {
		s, err := p.search(true)
		if err != nil {
			return nil, err
		}
		if s == nil {
			return &Difference{Unsatisfiable: true}, nil
		}
	}
	if witness == nil {
		witness = p.tryOthers()
	}
	if witness == nil && all {
		if witness, err = p.search(false); err != nil {
			return nil, err
		}
	}
	if witness == nil {
		return nil, nil
	}
	return &Difference{Witness: witness}, nil
}

// pair is two graphs held against each other.
type pair struct {
	d     *Differ
	a, b  *Machine
	extra []string // conditions of b that a lacks
	given []bool   // per extra condition: it is always true
	likes []bool   // per extra condition: what speaks for b's goal
}

func newPair(d *Differ, b *Machine) *pair {
	p := &pair{d: d, a: d.m, b: b}
	wanted := b.wanted()
	for i, c := range b.conds {
		if _, ok := p.a.condIx[c]; !ok {
			p.extra = append(p.extra, c)
			p.given = append(p.given, alwaysAnswers(d.g, c))
			p.likes = append(p.likes, wanted.has(i))
		}
	}
	return p
}

// extended gives the extra conditions facts in two ways: those that speak for
// b's goal, and the opposite. What is not consistent is left out.
func (p *pair) extended(facts map[string]bool) []map[string]bool {
	ways := []map[string]bool{facts}
	if len(p.extra) > 0 {
		ways = []map[string]bool{maps.Clone(facts), maps.Clone(facts)}
		for i, c := range p.extra {
			ways[0][c], ways[1][c] = p.likes[i] || p.given[i], !p.likes[i] || p.given[i]
		}
	}
	return slices.DeleteFunc(ways, func(all map[string]bool) bool { return !p.a.g.Consistent(all) || !p.b.g.Consistent(all) })
}

// tryRuns looks for a workflow of g that h does not accept, a shortest one
// among those at hand, and tells whether h was seen to permit its goal.
func (p *pair) tryRuns() (best *Witness, permits bool) {
	for _, c := range p.d.cases {
		if len(c.runs) == 0 {
			continue
		}
		for _, facts := range p.extended(c.facts) {
			truth := p.b.factSet(facts)
			for _, w := range c.runs {
				if p.b.accepts(truth, w) {
					permits = permits || w[len(w)-1] == p.b.g.Goal
				} else if (best == nil || len(w) < len(best.Workflow)) && p.a.accepts(p.a.factSet(facts), w) {
					best = &Witness{Facts: facts, Workflow: w}
				}
			}
		}
	}
	return best, permits
}

// tries bounds the cases for which workflows of h are drawn.
const tries = 6

// permitsSome tells whether h permits its goal in one of the first cases.
func (p *pair) permitsSome() bool {
	for _, c := range p.d.cases[:min(tries, len(p.d.cases))] {
		for _, facts := range p.extended(c.facts) {
			w, err := p.b.Positive(facts, rand.New(rand.NewPCG(0, 2)))
			if err == nil && w[len(w)-1] == p.b.g.Goal {
				return true
			}
		}
	}
	return false
}

// tryOthers looks for a workflow of h that g does not accept.
func (p *pair) tryOthers() (best *Witness) {
	for i, c := range p.d.cases[:min(tries, len(p.d.cases))] {
		var guides []Workflow
		for _, w := range c.runs {
			guides = append(guides, reversed(w))
		}
		for _, facts := range p.extended(c.facts) {
			for k, guide := range append(guides, nil) {
				w, err := p.b.Along(facts, guide, rand.New(rand.NewPCG(uint64(i), uint64(k))))
				if err == nil && !p.a.accepts(p.a.factSet(facts), w) && (best == nil || len(w) < len(best.Workflow)) {
					best = &Witness{Facts: facts, Workflow: w}
				}
			}
		}
	}
	return best
}

// Accepts tells whether w is free of faults; waste is allowed.
func (m *Machine) Accepts(facts map[string]bool, w Workflow) bool {
	return m.accepts(m.factSet(facts), w)
}

func (m *Machine) accepts(truth set, w Workflow) bool {
	s, dead := m.start(truth), false
	for i, item := range w {
		if i == len(w)-1 {
			return m.acceptsEnd(item, &s)
		}
		if s, dead = m.advance(item, &s, false, truth); dead {
			return false
		}
	}
	return false
}

// union numbers the conditions of both graphs and lists the facts that are
// consistent with both.
type union struct {
	names  []string
	toA    []int // a's number of a condition, or -1
	toB    []int
	worlds []set
}

func (p *pair) union() (*union, error) {
	u := &union{names: append(slices.Clone(p.a.conds), p.extra...)}
	if n := len(u.names); n > maxDiffConditions {
		return nil, fmt.Errorf("procedure %s: %d conditions are too many to compare, want at most %d", p.a.g.Goal, n, maxDiffConditions)
	}
	ix := map[string]int{}
	for i, c := range u.names {
		ix[c] = i
		u.toA, u.toB = append(u.toA, indexOr(p.a.condIx, c)), append(u.toB, indexOr(p.b.condIx, c))
	}
	given := set(0)
	for i, always := range p.given {
		if always {
			given |= bit(len(p.a.conds) + i)
		}
	}
	for x := range set(1) << len(u.names) {
		if given.within(x) && consistentSet(p.a.g, ix, x) && consistentSet(p.b.g, ix, x) {
			u.worlds = append(u.worlds, x)
		}
	}
	return u, nil
}

func indexOr(ix map[string]int, name string) int {
	if i, ok := ix[name]; ok {
		return i
	}
	return -1
}

// consistentSet is Graph.Consistent on numbered conditions.
func consistentSet(g *Graph, ix map[string]int, x set) bool {
	for c, tree := range g.DependsOn {
		if i, ok := ix[c]; ok && x.has(i) && !tree.holdsIn(ix, x) {
			return false
		}
	}
	for _, group := range g.Excludes {
		var among set
		for _, c := range group {
			if i, ok := ix[c]; ok {
				among |= bit(i)
			}
		}
		if bits.OnesCount64(uint64(among&x)) > 1 {
			return false
		}
	}
	return true
}

// holdsIn is Holds on numbered conditions.
func (t *Tree) holdsIn(ix map[string]int, x set) bool {
	if t == nil {
		return true
	}
	switch t.Op {
	case Leaf:
		i, ok := ix[t.Name]
		return ok && x.has(i)
	case Not:
		return !t.Parts[0].holdsIn(ix, x)
	}
	conj := t.Op.Conjunctive()
	for _, p := range t.Parts {
		if p.holdsIn(ix, x) != conj {
			return !conj
		}
	}
	return conj
}
