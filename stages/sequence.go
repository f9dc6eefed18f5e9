package stages

import (
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
)

// wrong is a candidate negative that the oracle found wrong.
type wrong struct {
	workflow  sop.Workflow // for next actions: the one item
	operator  augment.Operator
	edits     []string // what was done to the positive, in order
	violation sop.Violation
	waste     bool // an insertion that rests on waste
	flips     bool // it ends otherwise than the positive
	similar   float64
}

// judge counts what the operators' edits turned out to be, so that the share
// of naive edits that would have been false negatives is known.
type judge struct {
	tried, correct, wasteful map[augment.Operator]int
}

func newJudge() *judge {
	return &judge{map[augment.Operator]int{}, map[augment.Operator]int{}, map[augment.Operator]int{}}
}

// wrongWorkflow asks the oracle whether w is a negative on the side: it has a
// fault first, or is an insertion that rests on waste.
func (j *judge) wrongWorkflow(s *side, op augment.Operator, w sop.Workflow) (wrong, bool) {
	found := s.M.Check(s.scenario.Facts, w)
	j.tried[op]++
	if len(found) == 0 {
		j.correct[op]++
		return wrong{}, false
	}
	waste := !found[0].Kind.Fault()
	if waste && op != augment.Insert {
		j.wasteful[op]++
		return wrong{}, false
	}
	return wrong{workflow: w, operator: op, violation: found[0], waste: waste, flips: w[len(w)-1] != s.end()}, true
}

// negatives picks m wrong workflows for a side. mirror, where there is one,
// is the other side's positive and comes first. With around, the group is
// built around a negative: the others are edits of it, so that the positive
// is not the one in the middle.
func (j *judge) negatives(s *side, mirror sop.Workflow, m int, around bool, rng *rand.Rand) []wrong {
	p := picker{seen: map[string]bool{augment.Key(s.positive): true}, m: m}
	if mirror != nil {
		if w, ok := j.wrongWorkflow(s, between(s.positive, mirror), mirror); ok {
			w.edits = []string{"mirror"}
			p.take(w)
		}
	}
	centre, prefix := s.positive, []string(nil)
	if around {
		if len(p.picked) == 0 {
			j.fill(s, s.positive, nil, &p, 1, rng)
		}
		if len(p.picked) > 0 {
			centre, prefix = p.picked[0].workflow, p.picked[0].edits
		}
	}
	j.fill(s, centre, prefix, &p, m, rng)
	if len(p.picked) < m && around {
		j.fill(s, s.positive, nil, &p, m, rng)
	}
	if len(p.picked) < m {
		j.compose(s, &p, rng)
	}
	if len(p.picked) < m || !p.flipping() {
		return nil
	}
	rng.Shuffle(m, func(a, b int) { p.picked[a], p.picked[b] = p.picked[b], p.picked[a] })
	return p.picked
}

// between names the operator that leads from one workflow to another.
func between(from, to sop.Workflow) augment.Operator {
	switch {
	case from[len(from)-1] != to[len(to)-1]:
		return augment.Outcome
	case len(to) < len(from):
		return augment.Omit
	case len(to) > len(from):
		return augment.Insert
	}
	return augment.Order
}

// picker collects distinct negatives, at first one of each operator.
type picker struct {
	m      int
	picked []wrong
	seen   map[string]bool
}

func (p *picker) take(w wrong) bool {
	key := augment.Key(w.workflow)
	if p.seen[key] || len(p.picked) >= p.m {
		return false
	}
	// The last place is kept for one that flips the outcome.
	if len(p.picked) == p.m-1 && !w.flips && !p.flipping() {
		return false
	}
	p.seen[key] = true
	p.picked = append(p.picked, w)
	return true
}

func (p *picker) flipping() bool {
	return slices.ContainsFunc(p.picked, func(w wrong) bool { return w.flips })
}

func (p *picker) count(op augment.Operator) (n int) {
	for _, w := range p.picked {
		if w.operator == op {
			n++
		}
	}
	return n
}

// fill adds edits of the centre until there are want negatives: the operators
// take turns, those that have fewer first.
func (j *judge) fill(s *side, centre sop.Workflow, prefix []string, p *picker, want int, rng *rand.Rand) {
	edits := map[augment.Operator][]augment.Edit{}
	ops := slices.Clone(augment.Operators)
	rng.Shuffle(len(ops), func(a, b int) { ops[a], ops[b] = ops[b], ops[a] })
	for _, op := range ops {
		edits[op] = editsOf(op, centre, s, rng)
	}
	for len(p.picked) < want {
		slices.SortStableFunc(ops, func(a, b augment.Operator) int { return p.count(a) - p.count(b) })
		took := false
		for _, op := range ops {
			for len(edits[op]) > 0 && !took {
				e := edits[op][0]
				edits[op] = edits[op][1:]
				if p.seen[augment.Key(e.Workflow)] {
					continue
				}
				if w, ok := j.wrongWorkflow(s, op, e.Workflow); ok {
					w.edits = append(slices.Clone(prefix), e.How)
					took = p.take(w)
				}
			}
			if took {
				break
			}
		}
		if !took {
			return
		}
	}
}

// compose tries two edits after each other, for procedures that are too small
// for enough single ones.
func (j *judge) compose(s *side, p *picker, rng *rand.Rand) {
	for range 40 {
		if len(p.picked) >= p.m {
			return
		}
		op := augment.Operators[rng.IntN(len(augment.Operators))]
		first := editsOf(op, s.positive, s, rng)
		if len(first) == 0 {
			continue
		}
		e := first[rng.IntN(len(first))]
		j.fill(s, e.Workflow, []string{e.How}, p, min(p.m, len(p.picked)+1), rng)
	}
}

// editsOf lists an operator's edits of w in random order. Of the insertions,
// calls of the procedure come before those from outside in half of the cases.
func editsOf(op augment.Operator, w sop.Workflow, s *side, rng *rand.Rand) []augment.Edit {
	var edits []augment.Edit
	switch op {
	case augment.Order:
		edits = augment.Orders(w)
	case augment.Omit:
		edits = augment.Omits(w)
	case augment.Insert:
		var own []string
		for _, c := range sortedKeys(s.V.Requires) {
			if c != s.V.Goal {
				own = append(own, c)
			}
		}
		outside := s.outside()
		if len(outside) > 3 {
			rng.Shuffle(len(outside), func(a, b int) { outside[a], outside[b] = outside[b], outside[a] })
			outside = outside[:3]
		}
		edits = augment.Inserts(w, own, outside)
	case augment.Outcome:
		var ends []string
		for _, o := range s.V.Outcomes {
			ends = append(ends, o.End)
		}
		edits = augment.Outcomes(w, ends)
	}
	rng.Shuffle(len(edits), func(a, b int) { edits[a], edits[b] = edits[b], edits[a] })
	if op == augment.Insert && rng.IntN(2) == 0 {
		slices.SortStableFunc(edits, func(a, b augment.Edit) int {
			return boolOrder(a.How == "outside") - boolOrder(b.How == "outside")
		})
	}
	return edits
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}
