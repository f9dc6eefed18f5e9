package stages

import (
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/sop"
)

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

// thresholdsOf returns the thresholds that the variant reads, sorted.
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
			if v.Domain.Thresholds[n] != nil {
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
	rng := newRand(p.seed, "neighbours", c.fullKey())
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

// step leads from a variant to one under the same names.
type step struct {
	recipe
	how  string // rule, order, threshold or case: what is different
	to   *cell  // nil where it leads to none
	gone bool   // to was asked for
}

// neighbour returns one of a few variants that are a step away from c, and what
// is different; nil where this draw gives none.
func (p *pool) neighbour(c *cell, rng *rand.Rand) (d *cell, how string) {
	if c.steps == nil {
		c.steps = p.steps(c)
	}
	if len(c.steps) == 0 {
		return nil, ""
	}
	s := &c.steps[rng.IntN(len(c.steps))]
	if !s.gone {
		s.gone = true
		if s.to = p.stepped(s.recipe); s.to == c {
			s.to = nil
		}
	}
	return s.to, s.how
}

// ordersNear is how many of the neighbours differ by an order.
const ordersNear = 3

func (p *pool) steps(c *cell) []step {
	rng := newRand(p.seed, "steps", c.fullKey())
	steps := []step{}
	if cases := p.procedure.Cases; len(cases) > 0 {
		for range maxNeighbours {
			k := cases[rng.IntN(len(cases))]
			steps = append(steps, step{recipe: recipe{rules: k.Rules, thresholds: k.Thresholds, names: c.recipe.names}, how: "case"})
		}
		return steps
	}
	for range ordersNear {
		if r := c.recipe.reordered(rng); r.rules != nil {
			steps = append(steps, step{recipe: r, how: "order"})
		}
	}
	names := slices.DeleteFunc(thresholdsOf(c.V), func(name string) bool { return len(c.V.Domain.Thresholds[name].Choices) < 2 })
	if len(names) > 0 {
		steps = append(steps, step{recipe: c.recipe.moved(names[rng.IntN(len(names))], c.V, rng), how: "threshold"})
	}
	free := p.free()
	rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for _, rule := range free[:min(len(free), maxNeighbours-len(steps))] {
		steps = append(steps, step{recipe: c.recipe.toggled(rule), how: "rule"})
	}
	return steps
}

// moved gives a threshold another of its choices.
func (r recipe) moved(threshold string, v *sop.Variant, rng *rand.Rand) recipe {
	others := slices.DeleteFunc(slices.Clone(v.Domain.Thresholds[threshold].Choices), func(x float64) bool {
		return x == v.Thresholds[threshold]
	})
	thresholds := map[string]float64{threshold: others[rng.IntN(len(others))]}
	for name, x := range r.thresholds {
		if name != threshold {
			thresholds[name] = x
		}
	}
	r.thresholds = thresholds
	return r
}
