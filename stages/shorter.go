package stages

import (
	"iter"
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// shorter is drafts of the same case under fewer and fewer rules: a rule may go
// where the procedure may leave it out and it does not matter, that is, where the
// right answer stays right and every wrong one stays wrong in the same way.
type shorter = iter.Seq2[*draft, task]

// without is the variants that have a rule fewer than the one before, of those
// that may be left out. Where keep denies it, the rule stays.
func (p *pool) without(c *cell, keep func(*cell) bool) iter.Seq[*cell] {
	return func(yield func(*cell) bool) {
		free := p.free()
		for _, rule := range c.recipe.rules {
			if !slices.ContainsFunc(free, rule.Equal) {
				continue
			}
			if d := p.stepped(c.recipe.toggled(rule)); d != nil && keep(d) {
				if c = d; !yield(c) {
					return
				}
			}
		}
	}
}

// under is the side where the variant is another one of fewer rules; nil where its
// workflow is not right there.
func (s *side) under(c *cell) *side {
	scenario, err := c.V.Adopt(s.scenario, s.V)
	if err != nil || len(c.M.Check(scenario.Facts, s.positive)) > 0 {
		return nil
	}
	t := &side{cell: c, scenario: scenario, positive: s.positive, how: s.how}
	t.outcome, _ = c.M.FinalOutcome(scenario.Facts)
	return t
}

// same leaves the negatives as they are in another context; nil where one is
// wrong in another way, or right.
func same(negatives []wrong, refute func(wrong) (wrong, bool)) (list []wrong) {
	for _, n := range negatives {
		here, ok := refute(n)
		if !ok || here.waste != n.waste || here.violation.Kind != n.violation.Kind || here.flips != n.flips || here.operator != n.operator {
			return nil
		}
		here.edits = n.edits
		list = append(list, here)
	}
	return list
}

func (w *worker) shorterWorkflow(s *side, negatives []wrong, st style) shorter {
	return func(yield func(*draft, task) bool) {
		var here *side
		var left []wrong
		keep := func(c *cell) bool {
			if here = s.under(c); here == nil {
				return false
			}
			left = same(negatives, func(n wrong) (wrong, bool) {
				if !here.writes(n.workflow) {
					return wrong{}, false
				}
				return here.check(n.operator, n.workflow)
			})
			return left != nil
		}
		for range w.units.pool.without(s.cell, keep) {
			if !yield(w.workflowRow(here, left, st), here.asked()) {
				return
			}
		}
	}
}

func (w *worker) shorterNext(m *moment, negatives []wrong, st style) shorter {
	return func(yield func(*draft, task) bool) {
		var here *moment
		var left []wrong
		keep := func(c *cell) bool {
			s := m.under(c)
			if s == nil {
				return false
			}
			here = &moment{side: s, history: m.history, next: m.next, right: s.M.Next(s.scenario.Facts, m.history)}
			if !slices.Contains(here.right, m.next) || here.ambiguous() || !s.begins(m.history) {
				return false
			}
			left = same(negatives, func(n wrong) (wrong, bool) { return here.refute(n.workflow) })
			return left != nil
		}
		for range w.units.pool.without(m.cell, keep) {
			if !yield(w.nextRow(here, left, st), here.asked()) {
				return
			}
		}
	}
}

// begins tells whether the calls so far have neither fault nor waste.
func (s *side) begins(history sop.Workflow) bool {
	return !slices.ContainsFunc(s.M.Check(s.scenario.Facts, history), func(v sop.Violation) bool { return v.Kind != sop.NoEnd })
}
