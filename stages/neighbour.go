package stages

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// withRule returns the variant that has one rule more or fewer of those that
// may be missing, under the same names and thresholds; nil where there is none.
func (p *pool) withRule(c *cell, rng *rand.Rand) *cell {
	free := p.free()
	if len(p.procedure.Cases) > 0 || len(free) == 0 {
		return nil
	}
	return p.stepped(c.recipe.toggled(free[rng.IntN(len(free))]))
}

// free is the rules that a variant may leave out.
func (p *pool) free() []*sop.Tree { return slices.Concat(p.procedure.Customizable, p.lent) }

// stepped returns the variant if its orders, where any are demanded, can be
// kept.
func (p *pool) stepped(r recipe) *cell {
	if r.order != nil {
		return p.carriedOut(r)
	}
	return p.usable(r)
}

// withOrder returns the variant in which a demanded order is the other way
// round, or in which one is demanded.
func (p *pool) withOrder(c *cell, rng *rand.Rand) *cell {
	r := c.recipe
	if len(p.procedure.Cases) > 0 {
		return nil
	}
	if r.order == nil {
		return p.ordered(r, rng)
	}
	r.order = &[2]int{r.order[1], r.order[0]}
	return p.carriedOut(r)
}

// withThreshold returns the variant with another number for one threshold
// that it reads; nil where there is none.
func (p *pool) withThreshold(c *cell, rng *rand.Rand) *cell {
	names := thresholdsOf(c.V)
	if len(names) == 0 {
		return nil
	}
	name := names[rng.IntN(len(names))]
	choices := p.domain.Thresholds[name].Choices
	x := choices[rng.IntN(len(choices))]
	if x == c.V.Thresholds[name] {
		return nil
	}
	r := c.recipe
	r.thresholds = maps.Clone(r.thresholds)
	if r.thresholds == nil {
		r.thresholds = map[string]float64{}
	}
	r.thresholds[name] = x
	return p.usable(r)
}

// thresholdsOf returns the thresholds that the variant reads and that have
// other choices, sorted.
func thresholdsOf(v *sop.Variant) []string {
	names := map[string]bool{}
	for _, use := range v.Conditions {
		if use.Compare == nil {
			continue
		}
		read, err := sop.ParseComparison(use.Condition.Compare)
		if err != nil {
			continue
		}
		for _, n := range read.Names() {
			if t := v.Domain.Thresholds[n]; t != nil && len(t.Choices) > 1 {
				names[n] = true
			}
		}
	}
	return sortedKeys(names)
}

func (p *pool) usable(r recipe) *cell {
	c, err := p.make(r)
	if err != nil {
		return nil
	}
	return c
}

// maxNeighbours bounds the variants that one variant is contrasted with.
const maxNeighbours = 8

// neighbours returns variants under the same names whose right answers differ
// from c's: with a rule more or fewer, with an order demanded, or of other
// cases; c itself comes first.
func (p *pool) neighbours(c *cell) []*cell {
	if c.near != nil {
		return c.near
	}
	rng := newRand(p.seed, "neighbours", choiceKey(c.choice))
	near := []*cell{c}
	add := func(d *cell) {
		if d != nil && len(near) < maxNeighbours && !slices.Contains(near, d) {
			near = append(near, d)
		}
	}
	for range 2 {
		add(p.withOrder(c, rng))
	}
	if cases := p.procedure.Cases; len(cases) > 0 {
		for range maxNeighbours {
			k := cases[rng.IntN(len(cases))]
			add(p.usable(recipe{rules: k.Rules, thresholds: k.Thresholds, names: c.recipe.names}))
		}
	} else if c.recipe.order == nil {
		for _, rule := range p.procedure.Customizable {
			add(p.usable(c.recipe.toggled(rule)))
		}
	}
	c.near = near
	return near
}

// neighbour returns one of a few variants under the same names that are a step
// away from c: a rule more or fewer, an order demanded or no longer, or other
// cases; nil where this draw gives none.
func (p *pool) neighbour(c *cell, rng *rand.Rand) *cell {
	if c.steps == nil {
		c.steps = p.steps(c)
	}
	if len(c.steps) == 0 {
		return nil
	}
	d := p.stepped(c.steps[rng.IntN(len(c.steps))])
	if d == c {
		return nil
	}
	return d
}

// ordersNear is how many of the neighbours differ by an order.
const ordersNear = 3

func (p *pool) steps(c *cell) []recipe {
	rng := newRand(p.seed, "steps", choiceKey(c.choice))
	steps := []recipe{}
	if cases := p.procedure.Cases; len(cases) > 0 {
		for range maxNeighbours {
			k := cases[rng.IntN(len(cases))]
			steps = append(steps, recipe{rules: k.Rules, thresholds: k.Thresholds, names: c.recipe.names})
		}
		return steps
	}
	for range ordersNear {
		if r := c.recipe.reordered(rng); r.rules != nil {
			steps = append(steps, r)
		}
	}
	free := p.free()
	rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for _, rule := range free[:min(len(free), maxNeighbours-len(steps))] {
		steps = append(steps, c.recipe.toggled(rule))
	}
	return steps
}

// lend lets a procedure that has few calls borrow rules of the domain's other
// procedures: it would have too few right answers to exchange. Those come first
// that speak of nothing but what a request of this one tells, and, where these
// are few, the others.
func (p *pool) lend() {
	full, err := p.domain.Variant(p.procedure, sop.Choice{Rules: p.rules()})
	if err != nil || len(p.procedure.Cases) > 0 || len(full.Requires) > callsForAWhole {
		return
	}
	near, foreign := p.borrowed()
	p.lent = p.fitting(near, len(full.Requires))
	if len(p.lent) < fewLent {
		p.lent = p.fitting(foreign, len(full.Requires))
	}
}

// fewLent is how many lent rules are too few.
const fewLent = 3

// fitting leaves rules that ask for a further call, not for the goal itself,
// and do not contradict the procedure's own.
func (p *pool) fitting(rules []*sop.Tree, calls int) (fit []*sop.Tree) {
	for _, rule := range rules {
		v, err := p.domain.Variant(p.procedure, sop.Choice{Rules: append(p.rules(), rule)})
		if err != nil || len(v.Requires) <= calls || len(v.Conditions) > sop.MaxEnumerated || v.Cycle() != nil {
			continue
		}
		if s, err := sop.NewSampler(v); err == nil && s.Count(0) > 0 {
			fit = append(fit, rule)
		}
	}
	return fit
}

// maxLent bounds the lent rules of a variant.
const maxLent = 3

// borrow draws some of the lent rules.
func (p *pool) borrow(rng *rand.Rand) []*sop.Tree {
	if len(p.lent) == 0 {
		return nil
	}
	lent := slices.Clone(p.lent)
	rng.Shuffle(len(lent), func(i, j int) { lent[i], lent[j] = lent[j], lent[i] })
	return lent[:min(len(lent), rng.IntN(maxLent+1))]
}
