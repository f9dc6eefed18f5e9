package stages

import (
	"slices"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// rightGraph is a graph that is right somewhere, and what proves others wrong
// there.
type rightGraph struct {
	graph  *sop.Graph // canonical
	key    string
	differ *sop.Differ     // nil where the graph is of no use
	editor *augment.Editor // see edits
}

// graphKey tells apart the graphs of a job: the variant, and of what is left
// of it in a case what an answer states and the outcomes.
type graphKey struct {
	cell *cell
	left string
}

// rightGraph prepares a graph once. Of no use is one with a circle, one that
// nobody is ever permitted by, and one with entangled orders.
func (w *graphJob) rightGraph(c *cell, left string, g *sop.Graph) *rightGraph {
	at := graphKey{c, left}
	s := w.rightGraphs[at]
	if s == nil {
		s = &rightGraph{graph: g, key: g.Key()}
		w.rightGraphs[at] = s
		if d, err := sop.NewDiffer(g); err == nil && g.Cycle() == nil && !entangled(g) && d.Permitted() != nil {
			s.differ = d
		}
	}
	return s
}

func (s *rightGraph) edits() *augment.Editor {
	if s.editor == nil {
		s.editor = augment.NewEditor(s.graph)
	}
	return s.editor
}

// member is one context of a family with its graph.
type member struct {
	*side // positive is the workflow that the history begins
	*rightGraph
	history sop.Workflow    // nil where the whole graph is asked for
	shown   map[string]bool // what the history has told of the case
}

func (m *member) asked() task {
	if m.history == nil {
		return m.task(dataset.ViewGraph, "")
	}
	return m.task(dataset.ViewResidual, m.about(m.history...))
}

// family grows by members of which each is provably wrong to all others.
type family struct {
	*graphJob
	members []*member
}

// admits tells whether a candidate's graph is provably wrong to all members, and
// theirs to it.
func (f *family) admits(m *member) bool {
	if m.differ == nil || slices.ContainsFunc(f.members, func(o *member) bool { return o.key == m.key }) {
		return false
	}
	return !slices.ContainsFunc(f.members, func(o *member) bool {
		return !f.proves(m, o.rightGraph) || !f.proves(o, m.rightGraph)
	})
}

// proves tells whether a graph is provably wrong in a member's context.
func (w *graphJob) proves(m *member, wrong *rightGraph) bool {
	d := w.difference(m.rightGraph, wrong)
	return d != nil && w.canBe(m, d)
}

// canBe tells whether a proof's case, if it has one, is possible where the
// member's graph is right: by the domain's dependences and numbers, and by what
// the history has shown.
func (w *graphJob) canBe(m *member, d *sop.Difference) bool {
	if d.Witness == nil {
		return true
	}
	return w.pool.possible(m.cell, m.shown, d.Witness.Facts)
}

// difference says why b's graph is wrong where a's is right; nil also where
// that cannot be told.
func (w *graphJob) difference(a, b *rightGraph) *sop.Difference {
	pair, back := [2]*rightGraph{a, b}, [2]*rightGraph{b, a}
	d, known := w.proofs[pair]
	if known {
		return d
	}
	if witness := sop.Between(a.differ, b.differ); witness != nil {
		d = &sop.Difference{Witness: witness}
		w.proofs[pair], w.proofs[back] = d, d
		return d
	}
	d, err := a.differ.Prove(a.graph.RestateCanonical(b.graph.Requires, b.graph.EstablishedBy))
	if err != nil {
		w.drops[DropUndetermined]++
	}
	w.proofs[pair] = d
	return d
}

// familyTries bounds the contexts that are tried for one family. In half of
// them, and then in all, rules of other procedures are borrowed: those that speak
// of nothing else than a request of this one tells, at last, where no request is
// shown, any.
const familyTries = 64

// variantFamily is variants under the same names and thresholds, each a step
// from another one.
func (w *graphJob) variantFamily(c *cell, size int) *family {
	f := &family{graphJob: w}
	admit := func(d *cell) {
		m := &member{side: &side{cell: d}, rightGraph: w.whole(d)}
		if !w.repeats(m.asked()) && f.admits(m) {
			m.scenario = &sop.Scenario{Facts: m.differ.Permitted(), Values: map[string]float64{}, Bindings: map[string]any{}}
			f.members = append(f.members, m)
		}
	}
	admit(c)
	for i := 0; i < familyTries && len(f.members) < size; i++ {
		from := c
		if n := len(f.members); n > 0 {
			from = f.members[w.rng.IntN(n)].cell
		}
		var borrow []*sop.Tree
		switch {
		case i >= familyTries*3/4:
			borrow = w.foreign
		case i >= familyTries/2 || w.rng.IntN(2) == 0:
			borrow = w.borrowed
		}
		if d := w.step(from, borrow); d != nil {
			admit(d)
		}
	}
	return f
}

// whole is the graph of a variant.
func (w *graphJob) whole(c *cell) *rightGraph {
	if s := w.rightGraphs[graphKey{cell: c}]; s != nil {
		return s
	}
	return w.rightGraph(c, "", c.V.Graph.Canonical())
}

// residualFamily is cases of a variant and of its neighbours, each at some
// point of a right workflow.
func (w *graphJob) residualFamily(c *cell, size int) *family {
	f := &family{graphJob: w}
	w.records = nil
	cells := w.pool.neighbours(c)
	for i := 0; i < familyTries && len(f.members) < size; i++ {
		d := cells[0]
		if i >= familyTries/2 {
			d = w.step(d, w.borrowed)
		} else if w.rng.IntN(2) == 0 {
			d = cells[w.rng.IntN(len(cells))]
		}
		if d == nil {
			continue
		}
		if m := w.residual(f, d); m != nil {
			f.members = append(f.members, m)
		}
	}
	return f
}

// residual draws a case of which something is left to do, for a family that
// admits it; nil where this attempt gave none.
func (w *graphJob) residual(f *family, c *cell) *member {
	ends := c.reachable()
	if len(ends) == 0 {
		return nil
	}
	k := ends[w.rng.IntN(len(ends))]
	world := c.Worlds()[k][w.rng.IntN(c.Count(k))]
	facts := c.Facts(world)
	positive, err := c.M.Along(facts, nil, w.rng)
	if err != nil || len(positive) < 2 {
		return nil
	}
	history := positive[:w.rng.IntN(len(positive)-1)]
	rest, _, err := c.M.Residual(&sop.Scenario{Facts: facts}, history)
	if err != nil || trivial(rest) {
		return nil
	}
	rest = rest.Canonical()
	left := rest.Key()
	for _, o := range rest.Outcomes {
		left += o.End + "=" + o.Tree.String() + ";"
	}
	m := &member{&side{cell: c, positive: positive, outcome: k}, w.rightGraph(c, left, rest), history, c.M.Shown(facts, history)}
	if !f.admits(m) {
		return nil
	}
	if m.scenario, err = c.Scenario(world, w.rng); err != nil || !w.execute(m.side) || w.repeats(m.asked()) {
		return nil
	}
	return m
}

// trivial tells that a tree of g is decided, which no answer format words, or
// that something in it is known already, which the graph does not tell.
func trivial(g *sop.Graph) bool {
	found := false
	look := func(t *sop.Tree) {
		t.Walk(func(n *sop.Tree) {
			found = found || n.Op != sop.Leaf && len(n.Parts) == 0 || n.Op == sop.Leaf && n.Name == sop.Conversation
		})
	}
	for _, t := range g.Requires {
		look(t)
	}
	for _, t := range g.EstablishedBy {
		look(t)
	}
	return found
}
