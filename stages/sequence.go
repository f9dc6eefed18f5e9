package stages

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// wrong is an answer that the oracle found wrong.
type wrong struct {
	workflow  sop.Workflow // for next actions: the one item
	operator  augment.Operator
	edits     []string // what was done to the positive, in order; elsewhere: right in another context
	violation sop.Violation
	waste     bool // the violation is waste
	flips     bool // it ends otherwise than the positive; of a next action: it is an end
}

func (s *side) answer() sop.Workflow { return s.positive }

func (s *side) asked() task { return s.task(dataset.ViewWorkflow, s.about(s.positive...)) }

func (s *side) refute(answer sop.Workflow) (wrong, bool) {
	if !s.writes(answer) {
		return wrong{}, false
	}
	w, ok := s.check(between(s.positive, answer), answer)
	w.edits = []string{"elsewhere"}
	return w, ok
}

// writes tells whether all items bear names of the variant, with whatever
// arguments: others would give themselves away.
func (s *side) writes(items sop.Workflow) bool {
	names := s.vocabulary()
	return !slices.ContainsFunc(items, func(item string) bool {
		base, _, _ := strings.Cut(item, "(")
		return !names[item] && !names[base]
	})
}

// check asks the oracle whether w, which the operator leads to, is a negative
// on the side: it has a fault, or is an insertion that rests on waste.
func (s *side) check(op augment.Operator, w sop.Workflow) (wrong, bool) {
	found := s.M.Check(s.scenario.Facts, w)
	fault := slices.ContainsFunc(found, func(v sop.Violation) bool { return v.Kind.Fault() })
	if len(found) == 0 || !fault && op != augment.Insert {
		return wrong{}, false
	}
	return wrong{workflow: w, operator: op, violation: found[0], waste: !found[0].Kind.Fault(), flips: w[len(w)-1] != s.end()}, true
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

// exchangeTries bounds the contexts that are tried for one exchange.
const exchangeTries = 30

// exchangeSize is how many contexts exchange their answers: as many as a group
// has answers, or one fewer, so that in half of the groups a negative is an
// operator's edit.
func (w *worker) exchangeSize() int {
	return max(2, w.opts.Ratio[1]+w.rng.IntN(2))
}

// workflowRows makes a group of the unit's sides and of others that exchange
// their answers with them.
func (w *worker) workflowRows(u *unit) error {
	x := w.workflowExchange(u, w.exchangeSize())
	style := w.styleOf(u)
	for i, s := range x.members {
		w.look(s)
		p := newPicker(s.positive, w.opts.Ratio[1], x.negatives(i))
		around := w.edit(s, p)
		negatives := p.negatives(w.rng)
		if negatives == nil {
			w.drops[DropNegatives]++
			continue
		}
		refuses := w.refusal(s.positive)
		if w.refusals*refuses >= oftener {
			w.drops[DropOften]++
			continue
		}
		before := w.made
		if err := w.add(w.workflowRow(s, negatives, style), s.asked(), s.how, around, w.shorterWorkflow(s, negatives, style)); err != nil {
			return err
		}
		if w.made > before {
			w.refusals += refuses
		}
	}
	return nil
}

// workflowExchange begins with the unit, and takes right answers that refuse
// and such that do not so that both come equally often.
func (w *worker) workflowExchange(u *unit, size int) *exchange[*side] {
	x := &exchange[*side]{}
	w.records = nil
	refusals := w.refusals
	admit := func(s *side) {
		switch {
		case refusals*w.refusal(s.positive) >= oftener || !x.admit(s):
		case w.settle(s) && !w.repeats(s.asked()):
			refusals += w.refusal(s.positive)
		default:
			x.dismiss()
		}
	}
	for _, s := range u.sides() {
		admit(s)
	}
	if len(x.members) == 0 {
		w.drops[DropDuplicate]++
		return x
	}
	permitted := map[*cell]bool{} // what they permit was tried
	for i := 0; i < exchangeTries && len(x.members) < size; i++ {
		refuse := refusals < 0
		if refusals == 0 || i >= exchangeTries/2 {
			refuse = w.rng.IntN(2) == 0
		}
		c := w.units.near(u.a.cell, refuse)
		if c == nil || !refuse && permitted[c] {
			continue
		}
		permitted[c] = permitted[c] || !refuse
		guide := x.members[w.rng.IntN(len(x.members))].positive
		if s := w.units.elsewhere(c, guide, refuse); s != nil && w.units.accept(s) {
			admit(s)
		}
	}
	return x
}

// refusal is 1 for a right workflow that ends in deny, else -1; 0 where the
// procedure has outcomes of its own, between which there are no two sides.
func (w *worker) refusal(right sop.Workflow) int {
	switch {
	case len(w.Procedure.Outcomes) > 0:
		return 0
	case right[len(right)-1] == sop.Deny:
		return 1
	}
	return -1
}

// picker collects distinct negatives.
type picker struct {
	want   int
	picked []wrong
	seen   map[string]bool
}

func newPicker(positive sop.Workflow, want int, first []wrong) *picker {
	p := &picker{want: want, seen: map[string]bool{augment.Key(positive): true}}
	for _, n := range first {
		p.take(n)
	}
	return p
}

func (p *picker) take(w wrong) bool {
	key := augment.Key(w.workflow)
	if p.seen[key] || p.full() {
		return false
	}
	// The last place is kept for one that flips the outcome.
	if len(p.picked) == p.want-1 && !w.flips && !p.flipping() {
		return false
	}
	p.seen[key] = true
	p.picked = append(p.picked, w)
	return true
}

func (p *picker) full() bool { return len(p.picked) == p.want }

func (p *picker) flipping() bool {
	return slices.ContainsFunc(p.picked, func(w wrong) bool { return w.flips })
}

// negatives returns what was picked in random order, nil where it is too few.
func (p *picker) negatives(rng interface{ Shuffle(int, func(i, j int)) }) []wrong {
	if !p.full() || !p.flipping() {
		return nil
	}
	rng.Shuffle(p.want, func(i, j int) { p.picked[i], p.picked[j] = p.picked[j], p.picked[i] })
	return p.picked
}

// editTries bounds the edits of one group. Edits of edits are among them: small
// procedures have too few single ones.
const editTries = 40

// edit fills the places that are left with edits. They are those of any answer
// of the group alike, so that the positive is in the middle no more often than
// by chance; around tells that one is an edit of a negative.
func (w *worker) edit(s *side, p *picker) (around bool) {
	for i := 0; i < editTries && !p.full(); i++ {
		centre, done := s.positive, []string(nil)
		if k := w.rng.IntN(len(p.picked) + 1); k < len(p.picked) {
			centre, done = p.picked[k].workflow, p.picked[k].edits
		}
		op := augment.Operators[w.rng.IntN(len(augment.Operators))]
		edits := editsOf(op, centre, s)
		if len(edits) == 0 {
			continue
		}
		e := edits[w.rng.IntN(len(edits))]
		if op == augment.Order && e.Workflow[len(centre)-1] != centre[len(centre)-1] && w.rng.IntN(8) > 0 {
			continue // easily told: the end is not at the end
		}
		if n, ok := s.check(op, e.Workflow); ok {
			n.edits = append(slices.Clone(done), e.How)
			if p.take(n) {
				around = around || done != nil
			}
		}
	}
	return around
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
