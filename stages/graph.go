package stages

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// DropUndetermined is an edit that the oracle could not tell from the positive
// within its bounds.
const DropUndetermined = "undetermined"

// graphJob makes the stage-3 rows of one job.
//
// Rows come in families: graphs of neighbouring contexts, of which each is
// right in its own and provably wrong in every other. Every member is asked
// for once, with the other members as negatives, so that each graph is right
// once for every time that it is wrong, divided by the number of negatives.
// To them come edits of a member drawn evenly, a circle first.
type graphJob struct {
	*worker
	pool     *pool
	variants []int
	borrowed []*sop.Tree // see pool.borrowed
	foreign  []*sop.Tree // all rules of the other procedures
}

// runGraph fills the batch with the job's stage-3 rows and drops.
func (j *Job) runGraph(o Options, batch *dataset.Batch) error {
	rng := newRand(o.Seed, "job", j.Stage, j.Domain.Name, j.Procedure.Goal, j.Index)
	w := &graphJob{
		worker: &worker{Job: j, opts: o, rng: rng, batch: batch, judge: newJudge(), seen: map[string]bool{}, drops: map[string]int{}},
		pool:   newPool(j.Domain, j.Procedure, o.Seed),
	}
	for i := range max(variantsPerJob, j.Groups/12) {
		w.variants = append(w.variants, j.Index+i*j.Of)
	}
	w.borrowed, w.foreign = w.pool.borrowed()
	size := o.Ratio[2] - o.Ratio[2]/graphsAnEdit + 1
	for range max(4, j.Groups*attemptsPerGroup/size) {
		if w.made >= j.Groups {
			break
		}
		c, err := w.pool.variant(w.variants[rng.IntN(len(w.variants))])
		switch {
		case err != nil:
			w.drops[DropVariant]++
			continue
		case len(c.V.Conditions) == 0:
			w.drops[DropNoCondition]++
			continue
		}
		view, family := dataset.ViewGraph, w.variantFamily
		if rng.IntN(2) == 0 {
			view, family = dataset.ViewResidual, w.residualFamily
		}
		if err := w.rows(view, family(c, size)); err != nil {
			return fmt.Errorf("%s: %w", j.Name(), err)
		}
	}
	return w.report()
}

// DropNoCondition is a variant whose goal is permitted without any condition:
// its graph is a single call.
const DropNoCondition = "no_condition"

// graphsAnEdit is how many negatives there are for each that is an edit; the
// others are right elsewhere, where there are enough.
const graphsAnEdit = 4

// member is one context of a family with its graph.
type member struct {
	*side   // positive is the workflow that the history begins
	graph   *sop.Graph
	key     string
	differ  *sop.Differ
	history sop.Workflow
	wrong   map[*member]*sop.Difference // why another member's graph is wrong here
}

// family grows by members of which each is provably wrong to all others.
type family struct {
	members []*member
	drops   map[string]int
}

// admit takes a member in, or says that it did not.
func (f *family) admit(m *member) bool {
	if slices.ContainsFunc(f.members, func(o *member) bool { return o.key == m.key }) {
		return false
	}
	var err error
	if m.differ, err = sop.NewDiffer(m.graph); err != nil || m.differ.Permitted() == nil {
		return false // not well-formed, or nobody could ever be served
	}
	m.wrong = map[*member]*sop.Difference{}
	back := make([]*sop.Difference, len(f.members))
	for i, o := range f.members {
		if m.wrong[o] = f.difference(m, o.graph); m.wrong[o] == nil {
			return false
		}
		if back[i] = f.difference(o, m.graph); back[i] == nil {
			return false
		}
	}
	for i, o := range f.members {
		o.wrong[m] = back[i]
	}
	f.members = append(f.members, m)
	return true
}

// difference is nil also where it cannot be told.
func (f *family) difference(m *member, h *sop.Graph) *sop.Difference {
	d, err := m.differ.Prove(m.graph.Restate(h.Requires, h.EstablishedBy))
	if err != nil {
		f.drops[DropUndetermined]++
	}
	return d
}

func newMember(s *side, g *sop.Graph, history sop.Workflow) *member {
	g = g.Canonical()
	return &member{side: s, graph: g, key: g.Key(), history: history}
}

// familyTries bounds the contexts that are tried for one family. From half of
// them on rules of other procedures are borrowed: those that speak of nothing
// else than a request of this one tells, at last, where no request is shown,
// any.
const familyTries = 64

// variantFamily is variants under the same names and thresholds, each a step
// from another one.
func (w *graphJob) variantFamily(c *cell, size int) *family {
	f := &family{drops: w.drops}
	admit := func(d *cell) {
		m := newMember(&side{cell: d}, &d.V.Graph, nil)
		if m.graph.Cycle() == nil && f.admit(m) {
			m.scenario = &sop.Scenario{Facts: m.differ.Permitted(), Values: map[string]float64{}, Bindings: map[string]any{}}
		}
	}
	admit(c)
	for i := 0; i < familyTries && len(f.members) > 0 && len(f.members) < size; i++ {
		from := f.members[w.rng.IntN(len(f.members))]
		var borrow []*sop.Tree
		switch {
		case i >= familyTries*3/4:
			borrow = w.foreign
		case i >= familyTries/2:
			borrow = w.borrowed
		}
		if d := w.step(from.cell, borrow); d != nil {
			admit(d)
		}
	}
	return f
}

// step returns a variant that differs from c by a rule or by an order; nil
// where this attempt gave none. Without rules to borrow, variants of a corpus
// that has cases are those of the cases.
func (w *graphJob) step(c *cell, borrow []*sop.Tree) *cell {
	rng, p := w.rng, w.pool
	if cases := p.procedure.Cases; len(cases) > 0 && borrow == nil {
		k := cases[rng.IntN(len(cases))]
		return p.usable(recipe{rules: k.Rules, thresholds: c.recipe.thresholds, names: c.recipe.names})
	}
	r := c.recipe
	switch custom := p.procedure.Customizable; {
	case len(borrow) > 0 && rng.IntN(3) > 0:
		r = r.toggled(borrow[rng.IntN(len(borrow))])
	case len(custom) > 0 && rng.IntN(2) == 0:
		r = r.toggled(custom[rng.IntN(len(custom))])
	default:
		r = r.reordered(rng)
	}
	if r.rules == nil {
		return nil
	}
	return p.usable(r)
}

// toggled adds a rule at the end, or leaves it out; an order that it was part
// of is no longer demanded.
func (r recipe) toggled(rule *sop.Tree) recipe {
	i := slices.IndexFunc(r.rules, rule.Equal)
	if i < 0 {
		r.rules = append(slices.Clone(r.rules), rule)
		return r
	}
	r.rules = slices.Delete(slices.Clone(r.rules), i, i+1)
	if r.order != nil {
		o := *r.order
		r.order = nil
		if o[0] != i && o[1] != i {
			r.order = &[2]int{o[0] - boolOrder(o[0] > i), o[1] - boolOrder(o[1] > i)}
		}
	}
	return r
}

// reordered demands an order of two rules, turns one round, or demands it no
// longer.
func (r recipe) reordered(rng *rand.Rand) recipe {
	if len(r.rules) < 2 {
		return recipe{}
	}
	if r.order != nil && rng.IntN(2) == 0 {
		r.order = &[2]int{r.order[1], r.order[0]}
		return r
	}
	if r.order != nil && rng.IntN(2) == 0 {
		r.order = nil
		return r
	}
	i := rng.IntN(len(r.rules))
	r.order = &[2]int{i, (i + 1 + rng.IntN(len(r.rules)-1)) % len(r.rules)}
	return r
}

// borrowed is the rules of the domain's other procedures (foreign), and those
// of them that speak of nothing but what a request of this one tells (near). A
// procedure with few rules of its own has too few variants to be contrasted
// with.
func (p *pool) borrowed() (near, foreign []*sop.Tree) {
	own := p.rules()
	full, err := p.domain.Variant(p.procedure, sop.Choice{Rules: own})
	if err != nil {
		return nil, nil
	}
	told := map[string]bool{}
	for _, c := range full.Calls {
		for _, source := range c.Args {
			told[source] = true
		}
	}
	for _, c := range full.Conditions {
		for _, source := range c.Args {
			told[source] = true
		}
	}
	for _, other := range p.domain.Procedures {
		for _, rule := range other.AllRules() {
			if slices.ContainsFunc(foreign, rule.Equal) || slices.ContainsFunc(own, rule.Equal) {
				continue
			}
			foreign = append(foreign, rule)
			if p.speaksOf(rule, told) {
				near = append(near, rule)
			}
		}
	}
	return near, foreign
}

// rules are all rules of the procedure, or of its cases.
func (p *pool) rules() []*sop.Tree {
	rules := p.procedure.AllRules()
	for _, c := range p.procedure.Cases {
		for _, r := range c.Rules {
			if !slices.ContainsFunc(rules, r.Equal) {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// hasConditions tells whether some variant of the procedure has a condition.
func hasConditions(d *sop.Domain, p *sop.Procedure) bool {
	v, err := d.Variant(p, sop.Choice{Rules: newPool(d, p, 0).rules()})
	return err == nil && len(v.Conditions) > 0
}

// speaksOf tells whether the conditions of a rule have no other parameters.
func (p *pool) speaksOf(rule *sop.Tree, told map[string]bool) bool {
	for _, leaf := range rule.Names() {
		n, err := sop.ParseName(leaf)
		c := p.domain.Conditions[n.Base]
		if err != nil || c == nil {
			return false
		}
		for _, parameter := range c.Parameters {
			if !told[n.Source(parameter)] {
				return false
			}
		}
	}
	return true
}

// residualFamily is cases of a variant and of its neighbours, each at some
// point of a right workflow.
func (w *graphJob) residualFamily(c *cell, size int) *family {
	f := &family{drops: w.drops}
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
		if m := w.residual(d); m != nil {
			f.admit(m)
		}
	}
	return f
}

// residual draws a case of which something is left to do; nil where this
// attempt gave none.
func (w *graphJob) residual(c *cell) *member {
	u := units{pool: w.pool, rng: w.rng}
	s := u.anyScenario(c)
	if s == nil {
		return nil
	}
	at := u.side(c, s, nil)
	if at == nil || len(at.positive) < 2 {
		return nil
	}
	history := at.positive[:w.rng.IntN(len(at.positive)-1)]
	rest, _, err := sop.Residual(&c.V.Graph, s, history)
	if err != nil || trivial(rest) {
		return nil
	}
	return newMember(at, rest, history)
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

// others are the conditions of the domain that a member's variant lacks, under
// its names.
func (w *graphJob) others(m *member) []augment.Other {
	var list []augment.Other
	for _, base := range sortedKeys(w.Domain.Conditions) {
		name := base
		if alias, ok := m.choice.Names[base]; ok {
			name = alias
		}
		if m.V.EstablishedBy[name] != nil {
			continue
		}
		list = append(list, augment.Other{Name: name, Graph: func() *sop.Graph {
			v, err := w.Domain.Variant(w.Procedure, sop.Choice{Rules: []*sop.Tree{sop.L(base)}, Names: m.choice.Names})
			if err != nil {
				return nil
			}
			return &v.Graph
		}})
	}
	return list
}
