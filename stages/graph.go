package stages

import (
	"fmt"
	"math/bits"
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
// out comes into another split; see Job.open.
type graphJob struct {
	*worker
	pool        *pool
	variants    []int
	graphs      int         // rows that ask for the whole graph
	borrowed    []*sop.Tree // near ones, see loan
	nearby      []*sop.Tree // these, or the fitting ones where they are more
	rightGraphs map[graphKey]*rightGraph
	proofs      map[[2]*rightGraph]*sop.Difference // why the second is wrong in the context of the first
}

// runGraph fills the batch with the job's stage-3 rows and drops.
func (j *Job) runGraph(o Options, batch *dataset.Batch) error {
	w := &graphJob{
		worker: j.worker(o, batch), pool: newPool(j.Domain, j.Procedure, o.Seed),
		rightGraphs: map[graphKey]*rightGraph{}, proofs: map[[2]*rightGraph]*sop.Difference{},
	}
	for i := range max(variantsPerJob, j.Groups/groupsPerGraphVariant) {
		w.variants = append(w.variants, j.Index+i*j.Of)
	}
	loan := j.borrows()
	w.pool.borrow(loan, loan.most)
	w.borrowed, w.nearby, w.foreign = loan.near, loan.near, loan.foreign
	if len(loan.fit) > len(loan.near) {
		w.nearby = loan.fit
	}
	size := o.Ratio[2] - o.Ratio[2]/graphsAnEdit + 1
	for range max(minFamilies, j.Groups*attemptsPerGroup/size) {
		if !w.wants() {
			break
		}
		number := w.variants[w.rng.IntN(len(w.variants))]
		view, family := dataset.ViewGraph, w.variantFamily
		// Families of variants are the smaller ones: the view that lags behind
		// comes more often.
		if behind := 2*w.graphs <= w.made; (w.rng.IntN(4) > 0) != behind {
			view, family = dataset.ViewResidual, w.residualFamily
		}
		c, err := w.start(number, view)
		switch {
		case err != nil:
			w.drops[DropVariant]++
			continue
		case len(c.V.Conditions) == 0:
			w.drops[DropNoCondition]++
			continue
		}
		before := w.made
		if err := w.rows(view, family(c, size)); err != nil {
			return fmt.Errorf("%s: %w", j.Name(), err)
		}
		if view == dataset.ViewGraph {
			w.graphs += w.made - before
		}
	}
	return w.report()
}

// start is a variant that families begin with. Jobs do not know of each other:
// the more there are before this one, the further it goes from the procedure's own
// variants, by rules that are borrowed. Variants of cases stay what they are.
func (w *graphJob) start(number int, view string) (*cell, error) {
	c, err := w.pool.variant(number)
	if err != nil || len(w.Procedure.Cases) > 0 {
		return c, err
	}
	away := w.foreign
	if view == dataset.ViewResidual {
		away = w.nearby
	}
	rng := newRand(w.opts.Seed, "start", view, w.Domain.Name, w.Procedure.Goal, number)
	for steps := bits.Len(uint(w.Index)); steps > 0 && len(away) > 0; steps-- {
		if rng.IntN(2) == 0 {
			continue
		}
		d := w.pool.usable(c.recipe.toggled(away[rng.IntN(len(away))]))
		if d != nil && d.Count(0) > 0 {
			c = d
		}
	}
	return c, nil
}

// minFamilies is how many families a small job tries.
const minFamilies = 48

// DropNoCondition is a variant whose goal is permitted without any condition:
// its graph is a single call.
const DropNoCondition = "no_condition"

// graphsAnEdit is how many negatives there are for each that is an edit; the
// others are right elsewhere, where there are enough.
const graphsAnEdit = 4

// step returns a variant that differs from c by a rule or by an order; nil
// where this attempt gave none. Without rules to borrow, variants of a corpus
// that has cases are those of the cases.
func (w *graphJob) step(c *cell, borrow []*sop.Tree) *cell {
	rng, p := w.rng, w.pool
	if cases := p.procedure.Cases; len(cases) > 0 && len(borrow) == 0 {
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

// hasConditions tells whether some variant of the procedure has a condition.
func hasConditions(d *sop.Domain, p *sop.Procedure) bool {
	v, err := d.Variant(p, sop.Choice{Rules: newPool(d, p, 0).rules()})
	return err == nil && len(v.Conditions) > 0
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
