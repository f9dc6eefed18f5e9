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
	asked int // cases that were prepared, or found to be of no use
	cases []*differCase
}

// differCase is consistent facts with a workflow that g accepts in them, nil
// where there is none.
type differCase struct {
	facts set
	run   Workflow
}

// NewDiffer compiles g. The error says that it is not well-formed.
func NewDiffer(g *Graph) (*Differ, error) {
	m, err := Compile(g)
	if err != nil {
		return nil, err
	}
	// Any workflows will do, but they are always the same.
	return &Differ{g: g, m: m, rules: relationsOf(g, m.number), rng: rand.New(rand.NewPCG(0, 0))}, nil
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

// caseAt returns case number i, nil where there are not so many. In the first
// one all speaks for the goal; the second settles things as much the other way
// round as it may; the others differ from the first in a fact. Graphs that differ
// mostly do so in one of them.
func (d *Differ) caseAt(i int) *differCase {
	for ; len(d.cases) <= i && d.asked < len(d.m.conds)+2; d.asked++ {
		x := d.m.wanted()
		if d.asked > 1 {
			x ^= bit(d.asked - 2)
		}
		x = d.repaired(x)
		if !d.rules.hold(x) || d.asked > 1 && slices.ContainsFunc(d.cases, func(c *differCase) bool { return c.facts == x }) {
			continue
		}
		var guide Workflow
		if d.asked == 1 {
			if len(d.cases) == 0 || d.cases[0].run == nil {
				continue
			}
			guide = reversed(d.cases[0].run)
		}
		run, err := d.m.Along(d.m.factMap(x), guide, d.rng)
		if err != nil {
			run = nil
		}
		if d.asked == 1 && slices.Equal(run, d.cases[0].run) {
			continue
		}
		d.cases = append(d.cases, &differCase{x, run})
	}
	if i < len(d.cases) {
		return d.cases[i]
	}
	return nil
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
		if c.run != nil && c.run[len(c.run)-1] == d.g.Goal {
			return d.m.factMap(c.facts)
		}
	}
}

// Accepts tells whether g accepts the workflow of a witness.
func (d *Differ) Accepts(w *Witness) bool { return d.m.Accepts(w.Facts, w.Workflow) }

// Diff returns why h is wrong, as the function Diff does. The error says that
// h is not well-formed, or that the two are too large to tell.
func (d *Differ) Diff(h *Graph) (*Difference, error) {
	x, p, err := d.known(h, maxSearch)
	if err != nil || x != nil {
		return x, err
	}
	w, err := p.search(false, maxSearch)
	if err != nil || w == nil {
		return nil, err
	}
	return &Difference{Witness: w}, nil
}

// Prove is Diff without the long searches, and with nothing that does not stand
// in both readings of blocked (Stands): nil says that no difference was found,
// not that there is none, and where a goal that nobody is permitted takes long
// to see, a witness may be told instead.
func (d *Differ) Prove(h *Graph) (*Difference, error) {
	x, p, err := d.known(h, maxProve)
	if x != nil && x.Unsatisfiable && !p.b.sameReadings() {
		x = nil
	}
	return x, err
}

// known is what the cases tell, and a search for h's goal.
func (d *Differ) known(h *Graph, most int) (*Difference, *pair, error) {
	if c := h.Cycle(); c != nil {
		return &Difference{Cycle: c}, nil, nil
	}
	b, err := Compile(h)
	if err != nil {
		return nil, nil, err
	}
	p, err := newPair(d, b)
	if err != nil {
		return nil, nil, err
	}
	witness, permits := p.refused()
	if witness == nil {
		w, ok := p.drawn()
		witness, permits = w, permits || ok
	}
	if !permits && !p.reached() {
		s, err := p.search(true, most)
		switch {
		case err != nil && (witness == nil || most == maxSearch):
			return nil, nil, err
		case err == nil && s == nil:
			return &Difference{Unsatisfiable: true}, p, nil
		}
	}
	if witness == nil {
		return nil, p, nil
	}
	return &Difference{Witness: witness}, p, nil
}

// Between returns a witness that tells the graphs of a and b apart in either's
// context: it is one, too, when either is restated by the other (Restate), and
// it stands. It looks among the cases of both; nil says that none was found.
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
	for i := range 2 + max(len(a.m.conds), len(b.m.conds)) {
		for _, x := range []*pair{p, q} {
			if w, _ := x.refusedIn(i); w != nil {
				return w
			}
		}
	}
	return nil
}

// restatedBy tells that g, restated by h, has the outcomes of h and its effects,
// as far as anything comes after them.
func (g *Graph) restatedBy(h *Graph) bool {
	if len(g.Outcomes) != len(h.Outcomes) {
		return false
	}
	mine, theirs := g.effectsOn(h.Requires, h.EstablishedBy), maps.Clone(h.Effects)
	for i, o := range g.Outcomes {
		tree := o.Tree
		if g.follows(o) {
			tree = h.Requires[o.End]
		}
		if o.End != h.Outcomes[i].End || !tree.Equal(h.Outcomes[i].Tree) {
			return false
		}
		delete(mine, o.End)
		delete(theirs, o.End)
	}
	return maps.EqualFunc(mine, theirs, maps.Equal)
}
