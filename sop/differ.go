package sop

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Differ answers Diff for one right graph and many others. It says the same
// about whether there is a difference and of which kind; its witnesses are
// short, not always shortest. What it answers does not depend on what it was
// asked before. It is not safe for concurrent use.
type Differ struct {
	g     *Graph
	m     *Machine
	rules *relations // of g over its own conditions
	rng   *rand.Rand
	base  set
	next  int // the flip of the base that the next case comes from
	cases []*differCase
	seen  map[set]bool
}

// differCase is consistent facts with workflows that g accepts in them.
type differCase struct {
	facts set
	runs  []Workflow
}

// maxDifferCases bounds the cases that are tried before all are searched.
const maxDifferCases = 32

// NewDiffer compiles g. The error says that it is not well-formed.
func NewDiffer(g *Graph) (*Differ, error) {
	m, err := Compile(g)
	if err != nil {
		return nil, err
	}
	// Any workflows will do, but they are always the same.
	return &Differ{g: g, m: m, rules: relationsOf(g, m.number), rng: rand.New(rand.NewPCG(0, 0)), base: m.wanted(), seen: map[set]bool{}}, nil
}

// wanted is the facts that speak for the goal: conditions that only count
// when they are false are false, all others true.
func (m *Machine) wanted() set {
	pos, neg := m.phiPos, m.phiNeg
	for _, o := range m.outcomes {
		if o.end == m.g.Goal && o.tree != nil {
			pos, neg = pos|o.tree.pos, neg|o.tree.neg
		}
	}
	return firsts(len(m.conds)) &^ (neg &^ pos)
}

// firsts is the set of the first n numbers.
func firsts(n int) set {
	if n == 64 {
		return ^set(0)
	}
	return bit(n) - 1
}

// number is a condition's number, or -1.
func (m *Machine) number(name string) int {
	if i, ok := m.condIx[name]; ok {
		return i
	}
	return -1
}

// caseAt returns case number i, nil where there are not so many. Cases are
// near to permitting the goal, since graphs that differ mostly do so in one of
// them: the base, then what differs from it in a fact, then in two.
func (d *Differ) caseAt(i int) *differCase {
	for len(d.cases) <= i && len(d.cases) < maxDifferCases {
		x, ok := d.flipped(d.next)
		if !ok {
			return nil
		}
		d.next++
		d.add(d.repaired(x))
	}
	if i < len(d.cases) {
		return d.cases[i]
	}
	return nil
}

// near is how many cases may differ from the base in one fact.
func (d *Differ) near() int { return 1 + len(d.m.conds) }

func (d *Differ) flipped(k int) (x set, ok bool) {
	n := len(d.m.conds)
	if k == 0 {
		return d.base, true
	}
	if k--; k < n {
		return d.base ^ bit(k), true
	}
	k -= n
	for i := range n {
		if k < i {
			return d.base ^ bit(i) ^ bit(k), true
		}
		k -= i
	}
	return 0, false
}

func (d *Differ) add(x set) {
	if d.seen[x] {
		return
	}
	d.seen[x] = true
	if !d.rules.hold(x) {
		return
	}
	c := &differCase{facts: x}
	facts := d.m.factMap(x)
	if w, err := d.m.Positive(facts, d.rng); err == nil {
		c.runs = append(c.runs, w)
		if len(d.cases) == 0 { // one that settles things as much the other way round as it may
			if v, err := d.m.Along(facts, reversed(w), d.rng); err == nil && !slices.Equal(v, w) {
				c.runs = append(c.runs, v)
			}
		}
	}
	d.cases = append(d.cases, c)
}

func reversed(w Workflow) Workflow {
	w = slices.Clone(w)
	slices.Reverse(w)
	return w
}

// repaired makes facts false that depend on what is not so, or that another
// one excludes.
func (d *Differ) repaired(x set) set {
	for range d.m.conds {
		before := x
		for _, r := range d.rules.depends {
			if x.has(r.cond) && !r.on.holds(before) {
				x &^= bit(r.cond)
			}
		}
		for _, group := range d.rules.excludes {
			if both := x & group; both != 0 {
				x &^= both & (both - 1)
			}
		}
		if x == before {
			break
		}
	}
	return x
}

// Permitted returns facts in which g permits its goal, nil where the cases at
// hand have none.
func (d *Differ) Permitted() map[string]bool {
	for i := 0; ; i++ {
		c := d.caseAt(i)
		if c == nil {
			return nil
		}
		if len(c.runs) > 0 && c.runs[0][len(c.runs[0])-1] == d.g.Goal {
			return d.m.factMap(c.facts)
		}
	}
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
	p, err := newPair(d, b)
	if err != nil {
		return nil, err
	}
	witness, permits := p.refused(0, d.near())
	if witness == nil || !permits {
		w, ok := p.drawn(witness == nil)
		permits = permits || ok
		if witness == nil {
			witness = w
		}
	}
	if witness == nil {
		w, ok := p.refused(d.near(), maxDifferCases)
		witness, permits = w, permits || ok
	}
	if !permits {
		s, err := p.search(true)
		if err != nil {
			return nil, err
		}
		if s == nil {
			return &Difference{Unsatisfiable: true}, nil
		}
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

// Between returns a witness that tells the graphs of a and b apart in either's
// context: it is one, too, when either is restated by the other (Restate). It
// looks among the cases of both; nil says that none was found.
func Between(a, b *Differ) *Witness {
	if !a.g.restatedBy(b.g) || !b.g.restatedBy(a.g) {
		return nil
	}
	p, err := newPair(a, b.m)
	if err != nil {
		return nil
	}
	q, err := newPair(b, a.m)
	if err != nil {
		return nil
	}
	p.answerIn(b.g)
	q.answerIn(a.g)
	for i := range maxDifferCases {
		if w, _ := p.refused(i, i+1); w != nil {
			return w
		}
		if w, _ := q.refused(i, i+1); w != nil {
			return w
		}
	}
	return nil
}

// restatedBy tells that g, restated by h, has the outcomes and the effects of
// h.
func (g *Graph) restatedBy(h *Graph) bool {
	if len(g.Outcomes) != len(h.Outcomes) {
		return false
	}
	for i, o := range g.Outcomes {
		tree := o.Tree
		if g.follows(o) {
			tree = h.Requires[o.End]
		}
		if o.End != h.Outcomes[i].End || !tree.Equal(h.Outcomes[i].Tree) {
			return false
		}
	}
	if len(g.Effects) == 0 && len(h.Effects) == 0 {
		return true
	}
	return maps.EqualFunc(g.effectsOn(h.Requires, h.EstablishedBy), h.Effects, maps.Equal)
}
