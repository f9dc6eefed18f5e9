package stages

import (
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// side is one context with a right workflow: a variant, a scenario of it, and
// a positive.
type side struct {
	*cell
	scenario *sop.Scenario
	positive sop.Workflow
	outcome  int
	source   string     // of the corpus's own case, if it is one
	world    *sop.World // what the scenario is still to be drawn from, see settle
	how      string     // it was drawn: fact, world, rule, order, threshold, case, single, exchange
}

func (s *side) end() string { return s.positive[len(s.positive)-1] }

// unit is two sides whose positives exchange: what is right on one side is
// wrong on the other. The second side may be missing.
type unit struct {
	a, b    *side
	variant int // the number of the variant from which it was drawn
}

func (u *unit) sides() []*side {
	if u.b == nil {
		return []*side{u.a}
	}
	return []*side{u.a, u.b}
}

// units draws units of one procedure.
type units struct {
	pool     *pool
	rng      *rand.Rand
	variants []int // the variant numbers that this job may use
	atOnce   int   // sides drawn whose positive is ["deny"] at once, of drawn
	drawn    int
}

// maxAtOnce is the share of sides that may be refused without any call.
const maxAtOnce = 0.04

// draw returns a unit, or nil and the reason why this attempt gave none.
func (u *units) draw() (*unit, string) {
	number := u.variants[u.rng.IntN(len(u.variants))]
	c, err := u.pool.variant(number)
	if err != nil {
		return nil, DropVariant
	}
	v, reason := u.from(c)
	if v != nil {
		v.variant = number
	}
	return v, reason
}

func (u *units) from(c *cell) (*unit, string) {
	if c.named != nil && c.named.Scenario != nil && u.rng.IntN(3) == 0 {
		return u.fromCase(c)
	}
	switch x := u.rng.Float64(); {
	case x < 0.45:
		if v := u.stepUnit(c); v != nil {
			return v, ""
		}
	case x < 0.6:
		if v := u.worldUnit(c); v != nil {
			return v, ""
		}
	}
	if v := u.factUnit(c); v != nil {
		return v, ""
	}
	if v := u.worldUnit(c); v != nil {
		return v, ""
	}
	return u.singleUnit(c)
}

// accept counts a side, and refuses one that is denied at once when there
// have been enough of them.
func (u *units) accept(sides ...*side) bool {
	at := 0
	for _, s := range sides {
		if len(s.positive) == 1 && s.end() == sop.Deny {
			at++
		}
	}
	if at > 0 && float64(u.atOnce+at) > maxAtOnce*float64(u.drawn+len(sides)+20) {
		return false
	}
	u.atOnce += at
	u.drawn += len(sides)
	return true
}

// side draws a right workflow, which follows the guide as long as that is
// right.
func (u *units) side(c *cell, s *sop.Scenario, guide sop.Workflow) *side {
	w, err := c.M.Along(s.Facts, guide, u.rng)
	if err != nil {
		return nil
	}
	k, _ := c.M.FinalOutcome(s.Facts)
	return &side{cell: c, scenario: s, positive: w, outcome: k}
}

// factUnit is a minimal pair: two scenarios of one variant that differ in one
// fact or one value and end differently. The deciding condition is drawn
// first, so that refusals spread over the conditions.
func (u *units) factUnit(c *cell) *unit {
	pairs := c.Pairs()
	if len(pairs) == 0 {
		return nil
	}
	byCondition := map[string][][2]sop.World{}
	for _, p := range pairs {
		for _, name := range c.Differs(p[0], p[1]) {
			byCondition[name] = append(byCondition[name], p)
		}
	}
	names := sortedKeys(byCondition)
	among := byCondition[names[u.rng.IntN(len(names))]]
	a, b, err := c.Pair(among[u.rng.IntN(len(among))], u.rng)
	if err != nil {
		return nil
	}
	return u.both("fact", c, a, c, b)
}

// reachable is the outcomes that some world of the variant ends in.
func (c *cell) reachable() (outcomes []int) {
	for k, worlds := range c.Worlds() {
		if len(worlds) > 0 {
			outcomes = append(outcomes, k)
		}
	}
	return outcomes
}

// worldUnit is two scenarios of one variant that end differently, whatever
// else they differ in.
func (u *units) worldUnit(c *cell) *unit {
	ends := c.reachable()
	if len(ends) < 2 {
		return nil
	}
	u.rng.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	slices.Sort(ends[:2])
	a, errA := c.Scenario(c.Worlds()[ends[0]][u.rng.IntN(c.Count(ends[0]))], u.rng)
	b, errB := c.Scenario(c.Worlds()[ends[1]][u.rng.IntN(c.Count(ends[1]))], u.rng)
	if errA != nil || errB != nil {
		return nil
	}
	return u.both("world", c, a, c, b)
}

// stepTries bounds the scenarios that are tried under two neighbouring
// variants.
const stepTries = 6

// stepUnit is one scenario under two variants that are a step apart and that
// end it differently, or by other calls.
func (u *units) stepUnit(c *cell) *unit {
	d, how := u.pool.neighbour(c, u.rng)
	if d == nil {
		return nil
	}
	if len(d.V.Conditions) > len(c.V.Conditions) {
		c, d = d, c // the scenario has to tell all that either asks for
	}
	for range stepTries {
		s := u.anyScenario(c)
		if s == nil {
			return nil
		}
		t, err := d.V.Adopt(s, c.V)
		if err != nil {
			continue
		}
		v := (*unit)(nil)
		if u.rng.IntN(2) == 0 {
			v = u.both(how, c, s, d, t)
		} else {
			v = u.both(how, d, t, c, s)
		}
		if v != nil {
			return v
		}
	}
	return nil
}

// near draws the variant of a context that exchanges its answer with those of
// c: c or a neighbour; nil where this draw gives none. All that a variant
// permits it permits by much the same calls, so that c is for refusals.
func (u *units) near(c *cell, refuse bool) *cell {
	if refuse && u.rng.IntN(2) == 0 {
		return c
	}
	d, _ := u.pool.neighbour(c, u.rng)
	return d
}

// elsewhere draws a context of the variant that ends as asked; nil where there
// is none. Its answer keeps to the guide as long as that is right. Its scenario
// has no more than facts until it is settled.
func (u *units) elsewhere(c *cell, guide sop.Workflow, refuse bool) *side {
	var ends []int
	for _, k := range c.reachable() {
		if (c.V.Outcomes[k].End == sop.Deny) == refuse {
			ends = append(ends, k)
		}
	}
	if len(ends) == 0 {
		return nil
	}
	k := ends[u.rng.IntN(len(ends))]
	world := c.Worlds()[k][u.rng.IntN(c.Count(k))]
	s := &side{cell: c, scenario: &sop.Scenario{Facts: c.Facts(world)}, outcome: k, how: "exchange", world: &world}
	var err error
	if s.positive, err = c.M.Along(s.scenario.Facts, guide, u.rng); err != nil {
		return nil
	}
	return s
}

// settle draws the rest of the scenario, where it has no more than facts, or
// says that there is none.
func (u *units) settle(s *side) bool {
	if s.world == nil {
		return true
	}
	full, err := s.Scenario(*s.world, u.rng)
	if err == nil {
		s.scenario, s.world = full, nil
	}
	return err == nil
}

func (u *units) anyScenario(c *cell) *sop.Scenario {
	ends := c.reachable()
	if len(ends) == 0 {
		return nil
	}
	k := ends[u.rng.IntN(len(ends))]
	s, err := c.Scenario(c.Worlds()[k][u.rng.IntN(c.Count(k))], u.rng)
	if err != nil {
		return nil
	}
	return s
}

// fromCase takes the scenario that the corpus itself holds, and where it can
// a neighbour of the same variant that ends differently.
func (u *units) fromCase(c *cell) (*unit, string) {
	a := u.side(c, c.Complete(c.named.Scenario, u.rng), nil)
	if a == nil {
		return nil, DropPositive
	}
	a.source, a.how = c.named.Source, "case"
	if !u.accept(a) {
		return nil, DropAtOnce
	}
	out := &unit{a: a}
	for k := range c.Worlds() {
		if k == a.outcome || c.Count(k) == 0 {
			continue
		}
		if s, err := c.Scenario(c.Worlds()[k][u.rng.IntN(c.Count(k))], u.rng); err == nil {
			if b := u.side(c, s, a.positive); b != nil && u.accept(b) {
				b.how = "case"
				out.b = b
			}
		}
	}
	return out, ""
}

func (u *units) singleUnit(c *cell) (*unit, string) {
	s := u.anyScenario(c)
	if s == nil {
		return nil, DropScenario
	}
	a := u.side(c, s, nil)
	if a == nil {
		return nil, DropPositive
	}
	if !u.accept(a) {
		return nil, DropAtOnce
	}
	a.how = "single"
	return &unit{a: a}, ""
}

func (u *units) both(how string, c *cell, s *sop.Scenario, d *cell, t *sop.Scenario) *unit {
	a := u.side(c, s, nil)
	if a == nil {
		return nil
	}
	b := u.side(d, t, a.positive)
	if b == nil || slices.Equal(a.positive, b.positive) || !u.accept(a, b) {
		return nil
	}
	a.how, b.how = how, how
	return &unit{a: a, b: b}
}
