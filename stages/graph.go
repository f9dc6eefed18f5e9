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
//
// Where a procedure has too few rules for a family, rules of the domain's
// other procedures are borrowed: the SOP of the context states them as its own,
// so that the right graph follows from it. No rule of a procedure that is held
// out comes into another split; see Job.lent.
type graphJob struct {
	*worker
	pool     *pool
	variants []int
	borrowed []*sop.Tree // see pool.borrowed
	foreign  []*sop.Tree // all of other procedures
	subjects map[subjectKey]*subject
	proofs   map[[2]*subject]*sop.Difference // why the second is wrong in the context of the first
}

// runGraph fills the batch with the job's stage-3 rows and drops.
func (j *Job) runGraph(o Options, batch *dataset.Batch) error {
	rng := newRand(o.Seed, "job", j.Stage, j.Domain.Name, j.Procedure.Goal, j.Index)
	w := &graphJob{
		worker:   &worker{Job: j, opts: o, rng: rng, batch: batch, judge: newJudge(), seen: map[string]bool{}, drops: map[string]int{}},
		pool:     newPool(j.Domain, j.Procedure, o.Seed),
		subjects: map[subjectKey]*subject{}, proofs: map[[2]*subject]*sop.Difference{},
	}
	for i := range max(variantsPerJob, j.Groups/12) {
		w.variants = append(w.variants, j.Index+i*j.Of)
	}
	near, foreign := w.pool.borrowed()
	w.borrowed, w.foreign = j.lent(near), j.lent(foreign)
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

// lent leaves those of the rules of other procedures that the job may borrow:
// some procedure of the training split, or of its own, has them.
func (j *Job) lent(rules []*sop.Tree) []*sop.Tree {
	var open []*sop.Tree
	for _, p := range j.Domain.Procedures {
		if split := j.Splits[j.Domain.Name+"/"+p.Goal]; split == "" || split == dataset.Train || split == j.Split {
			open = append(open, p.AllRules()...)
		}
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r *sop.Tree) bool { return !slices.ContainsFunc(open, r.Equal) })
}

// DropNoCondition is a variant whose goal is permitted without any condition:
// its graph is a single call.
const DropNoCondition = "no_condition"

// graphsAnEdit is how many negatives there are for each that is an edit; the
// others are right elsewhere, where there are enough.
const graphsAnEdit = 4

// subject is a graph that is right somewhere, and what proves others wrong
// there.
type subject struct {
	graph  *sop.Graph // canonical
	key    string
	differ *sop.Differ     // nil where the graph is of no use
	editor *augment.Editor // see edits
}

// subjectKey tells apart the graphs of a job: the variant, and of what is left
// of it in a case what an answer states and the outcomes.
type subjectKey struct {
	cell *cell
	left string
}

// subject prepares a graph once. Of no use is one with a circle, and one that
// nobody is ever permitted by.
func (w *graphJob) subject(c *cell, left string, g *sop.Graph) *subject {
	at := subjectKey{c, left}
	s := w.subjects[at]
	if s == nil {
		s = &subject{graph: g, key: g.Key()}
		w.subjects[at] = s
		if d, err := sop.NewDiffer(g); err == nil && g.Cycle() == nil && d.Permitted() != nil {
			s.differ = d
		}
	}
	return s
}

func (s *subject) edits() *augment.Editor {
	if s.editor == nil {
		s.editor = augment.NewEditor(s.graph)
	}
	return s.editor
}

// member is one context of a family with its graph.
type member struct {
	*side // positive is the workflow that the history begins
	*subject
	history sop.Workflow // nil where the whole graph is asked for
}

// family grows by members of which each is provably wrong to all others.
type family struct {
	*graphJob
	members []*member
}

// admits tells whether a subject is provably wrong to all members, and they to
// it.
func (f *family) admits(s *subject) bool {
	if s.differ == nil || slices.ContainsFunc(f.members, func(o *member) bool { return o.key == s.key }) {
		return false
	}
	return !slices.ContainsFunc(f.members, func(o *member) bool {
		return f.difference(s, o.subject) == nil || f.difference(o.subject, s) == nil
	})
}

// difference says why b's graph is wrong where a's is right; nil also where
// that cannot be told.
func (w *graphJob) difference(a, b *subject) *sop.Difference {
	pair, back := [2]*subject{a, b}, [2]*subject{b, a}
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

// familyTries bounds the contexts that are tried for one family. From half of
// them on rules of other procedures are borrowed: those that speak of nothing
// else than a request of this one tells, at last, where no request is shown,
// any.
const familyTries = 64

// variantFamily is variants under the same names and thresholds, each a step
// from another one.
func (w *graphJob) variantFamily(c *cell, size int) *family {
	f := &family{graphJob: w}
	admit := func(d *cell) {
		s := w.whole(d)
		if f.admits(s) {
			at := &side{cell: d, scenario: &sop.Scenario{Facts: s.differ.Permitted(), Values: map[string]float64{}, Bindings: map[string]any{}}}
			f.members = append(f.members, &member{side: at, subject: s})
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

// whole is the graph of a variant.
func (w *graphJob) whole(c *cell) *subject {
	if s := w.subjects[subjectKey{cell: c}]; s != nil {
		return s
	}
	return w.subject(c, "", c.V.Graph.Canonical())
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
	f := &family{graphJob: w}
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
	s := w.subject(c, left, rest)
	if !f.admits(s) {
		return nil
	}
	scenario, err := c.Scenario(world, w.rng)
	if err != nil {
		return nil
	}
	return &member{&side{cell: c, scenario: scenario, positive: positive, outcome: k}, s, history}
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
