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
}

// judge asks the oracle about edits, and surveys how often a naive edit, taken
// as wrong unseen, would be right.
type judge struct {
	survey map[surveyKey]*surveyed
}

type surveyKey struct {
	operator augment.Operator
	how      string
}

// surveyed counts one kind of naive edits: those that are right, and those
// that are only needlessly long.
type surveyed struct{ tried, correct, wasteful int }

func newJudge() *judge { return &judge{map[surveyKey]*surveyed{}} }

// wrongWorkflow asks the oracle whether w is a negative on the side: it has a
// fault first, or is an insertion that rests on waste.
func (j *judge) wrongWorkflow(s *side, op augment.Operator, w sop.Workflow) (wrong, bool) {
	found := s.M.Check(s.scenario.Facts, w)
	if len(found) == 0 {
		return wrong{}, false
	}
	waste := !found[0].Kind.Fault()
	if waste && op != augment.Insert {
		return wrong{}, false
	}
	return wrong{workflow: w, operator: op, violation: found[0], waste: waste, flips: w[len(w)-1] != s.end()}, true
}

// look surveys one naive edit of each kind, drawn evenly.
func (j *judge) look(s *side, rng *rand.Rand) {
	kinds := map[surveyKey][]augment.Edit{}
	var order []surveyKey
	for _, op := range augment.Operators {
		for _, e := range editsOf(op, s.positive, s) {
			k := surveyKey{op, e.How}
			if kinds[k] == nil {
				order = append(order, k)
			}
			kinds[k] = append(kinds[k], e)
		}
	}
	for _, k := range order {
		found := s.M.Check(s.scenario.Facts, kinds[k][rng.IntN(len(kinds[k]))].Workflow)
		if j.survey[k] == nil {
			j.survey[k] = &surveyed{}
		}
		j.survey[k].tried++
		switch {
		case len(found) == 0:
			j.survey[k].correct++
		case !slices.ContainsFunc(found, func(v sop.Violation) bool { return v.Kind.Fault() }):
			j.survey[k].wasteful++
		}
	}
}

// elsewhereDraws bounds the contexts that are tried for one group.
const elsewhereDraws = 10

// negatives picks m wrong workflows for a side. mirror, where there is one,
// is the other side's positive and comes first. All but one of the rest are
// right in other contexts where such are found, so that an answer by itself
// does not tell; one is an operator's edit. With around, edits are those of a
// negative, so that the positive is not the one in the middle.
func (w *worker) negatives(s *side, mirror sop.Workflow, m int, around bool) []wrong {
	rng := w.rng
	p := picker{seen: map[string]bool{augment.Key(s.positive): true}, m: m}
	if mirror != nil {
		if n, ok := w.judge.wrongWorkflow(s, between(s.positive, mirror), mirror); ok {
			n.edits = []string{"mirror"}
			p.take(n)
		}
	}
	w.contrast(s, &p, m-1)
	centre, prefix := s.positive, []string(nil)
	if around {
		if len(p.picked) == 0 {
			w.fill(s, s.positive, nil, &p, 1)
		}
		if n := len(p.picked); n > 0 {
			c := p.picked[rng.IntN(n)]
			centre, prefix = c.workflow, c.edits
		}
	}
	w.fill(s, centre, prefix, &p, m)
	if len(p.picked) < m && around {
		w.fill(s, s.positive, nil, &p, m)
	}
	if len(p.picked) < m {
		w.compose(s, &p)
	}
	if len(p.picked) < m || !p.flipping() {
		return nil
	}
	rng.Shuffle(m, func(a, b int) { p.picked[a], p.picked[b] = p.picked[b], p.picked[a] })
	return p.picked
}

// contrast fills up to want places with workflows that are right elsewhere:
// those first that were more often right than wrong in this job so far.
func (w *worker) contrast(s *side, p *picker, want int) {
	var found []wrong
	for range elsewhereDraws {
		e := w.units.elsewhere(s)
		if e == nil || p.seen[augment.Key(e)] || slices.ContainsFunc(found, func(n wrong) bool { return slices.Equal(n.workflow, e) }) {
			continue
		}
		if n, ok := w.judge.wrongWorkflow(s, between(s.positive, e), e); ok {
			n.edits = []string{"elsewhere"}
			found = append(found, n)
		}
	}
	score := func(n wrong) int {
		// Lengths and ends are evened out too: wrong answers are to be longer
		// as often as shorter, and to refuse as often as right ones.
		longer := len(n.workflow) - len(s.positive)
		return 2*max(-4, min(4, w.balance.debt(s.cell, n.workflow, p.m))) -
			5*sign(longer)*sign(w.lengthDrift) - 5*refusal(n.workflow)*sign(w.refusalDrift)
	}
	slices.SortStableFunc(found, func(a, b wrong) int { return score(b) - score(a) })
	for _, n := range found {
		if len(p.picked) < want {
			p.take(n)
		}
	}
}

// refusal is 1 for a workflow that ends in deny, else -1.
func refusal(w sop.Workflow) int {
	if w[len(w)-1] == sop.Deny {
		return 1
	}
	return -1
}

func sign(x int) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
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
func (w *worker) fill(s *side, centre sop.Workflow, prefix []string, p *picker, want int) {
	rng := w.rng
	edits := map[augment.Operator][]augment.Edit{}
	ops := slices.Clone(augment.Operators)
	rng.Shuffle(len(ops), func(a, b int) { ops[a], ops[b] = ops[b], ops[a] })
	longer := map[augment.Operator]int{augment.Insert: 1, augment.Omit: -1, augment.Outcome: -1}
	slices.SortStableFunc(ops, func(a, b augment.Operator) int { return sign(w.lengthDrift) * (longer[a] - longer[b]) })
	for _, op := range ops {
		edits[op] = w.shuffled(op, editsOf(op, centre, s), centre, s.cell)
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
				if n, ok := w.judge.wrongWorkflow(s, op, e.Workflow); ok {
					n.edits = append(slices.Clone(prefix), e.How)
					took = p.take(n)
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
func (w *worker) compose(s *side, p *picker) {
	rng := w.rng
	for range 40 {
		if len(p.picked) >= p.m {
			return
		}
		op := augment.Operators[rng.IntN(len(augment.Operators))]
		first := editsOf(op, s.positive, s)
		if len(first) == 0 {
			continue
		}
		e := first[rng.IntN(len(first))]
		w.fill(s, e.Workflow, []string{e.How}, p, min(p.m, len(p.picked)+1))
	}
}

// editsOf lists an operator's edits of w.
func editsOf(op augment.Operator, w sop.Workflow, s *side) []augment.Edit {
	switch op {
	case augment.Order:
		return augment.Orders(w)
	case augment.Omit:
		return augment.Omits(w)
	case augment.Insert:
		var own []string
		for _, c := range sortedKeys(s.V.Requires) {
			if c != s.V.Goal {
				own = append(own, c)
			}
		}
		return augment.Inserts(w, own, s.outside())
	}
	var ends []string
	for _, o := range s.V.Outcomes {
		ends = append(ends, o.End)
	}
	return augment.Outcomes(w, ends)
}

// shuffled puts edits in random order, those first whose results were right
// elsewhere in this job. Easy ones are mostly left out (orders in which the end
// is not at the end) or come last (in half of the cases, insertions from
// outside).
func (w *worker) shuffled(op augment.Operator, edits []augment.Edit, of sop.Workflow, c *cell) []augment.Edit {
	rng := w.rng
	rng.Shuffle(len(edits), func(a, b int) { edits[a], edits[b] = edits[b], edits[a] })
	if op == augment.Order && rng.IntN(8) > 0 {
		edits = slices.DeleteFunc(edits, func(e augment.Edit) bool { return e.Workflow[len(of)-1] != of[len(of)-1] })
	}
	outsideLast := op == augment.Insert && rng.IntN(2) == 0
	rank := make(map[string]int, len(edits))
	for _, e := range edits {
		r := 2 * boolOrder(w.balance.debt(c, e.Workflow, 1) <= 0)
		rank[augment.Key(e.Workflow)] = r + boolOrder(outsideLast && e.How == "outside")
	}
	slices.SortStableFunc(edits, func(a, b augment.Edit) int {
		return rank[augment.Key(a.Workflow)] - rank[augment.Key(b.Workflow)]
	})
	return edits
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}
