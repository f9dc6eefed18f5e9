package stages

import (
	"slices"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// moment is a side at one point of its workflow: the calls so far and a right
// next action.
type moment struct {
	*side
	history sop.Workflow
	next    string
	right   []string // every right next action, sorted
}

func at(s *side, k int) *moment {
	h := s.positive[:k:k]
	return &moment{side: s, history: h, next: s.positive[k], right: s.M.Next(s.scenario.Facts, h)}
}

func (m *moment) answer() sop.Workflow { return sop.Workflow{m.next} }

func (m *moment) asked() task {
	return m.task(dataset.ViewNextAction, m.about(append(m.history, m.next)...))
}

// refute says by which operator one comes to an item that is wrong here: an end
// that is not due (outcome), a call that the workflow makes later (order), one
// whose requirement is skipped (omit), one from outside, repeated or needless
// (insert).
func (m *moment) refute(answer sop.Workflow) (wrong, bool) {
	item := answer[0]
	if slices.Contains(m.right, item) || !m.vocabulary()[item] {
		return wrong{}, false
	}
	w := wrong{workflow: answer}
	found := nextViolations(m.M, m.scenario.Facts, m.history, item)
	w.violation, w.waste = found[0], !found[0].Kind.Fault()
	how := ""
	switch w.flips = m.isEnd(item); {
	case w.flips:
		w.operator, how = augment.Outcome, "end"
	case !m.calls(item):
		w.operator, how = augment.Insert, "outside"
	case slices.Contains(m.history, item):
		w.operator, how = augment.Insert, "repeated"
	case slices.Contains(m.positive, item):
		w.operator, how = augment.Order, "early"
	case !w.waste:
		w.operator, how = augment.Omit, "skipped"
	default:
		w.operator, how = augment.Insert, "own"
	}
	if w.waste {
		w.operator = augment.Insert
	}
	w.edits = []string{how}
	return w, true
}

func (m *moment) isEnd(item string) bool {
	return slices.ContainsFunc(m.V.Outcomes, func(o sop.Outcome) bool { return o.End == item })
}

func (m *moment) calls(item string) bool {
	_, own := m.V.Requires[item]
	return own
}

// nextRows makes a group of each moment of an exchange.
func (w *worker) nextRows(u *unit) error {
	x := w.nextExchange(u, w.exchangeSize())
	style := w.styleOf(u)
	for i, m := range x.members {
		p := newPicker(m.answer(), w.opts.Ratio[1], x.negatives(i))
		w.editNext(m, p)
		negatives := p.negatives(w.rng)
		if negatives == nil {
			w.drops[DropNegatives]++
			continue
		}
		if w.rightTooOften(m.baseName(m.next)) {
			w.drops[DropOften]++
			continue
		}
		before := w.made
		if err := w.add(w.nextRow(m, negatives, style), m.asked(), m.how, false, w.shorterNext(m, negatives, style)); err != nil {
			return err
		}
		if w.made > before {
			w.countNext(m, negatives)
		}
	}
	return nil
}

// offered is in how many groups of next actions an item is an answer, and in how
// many it is the right one.
type offered struct{ in, right int }

// oftener is how many groups more than by chance an item may be right in, so that
// a job can begin.
const oftener = 2

// rightTooOften tells that an item was right in more of the groups that have it
// than it would be by chance: small procedures run out of contexts for other ones.
func (w *worker) rightTooOften(item string) bool {
	o := w.offered[item]
	return o.right*(w.opts.Ratio[1]+1) >= o.in+oftener*(w.opts.Ratio[1]+1)
}

func (w *worker) countNext(m *moment, negatives []wrong) {
	count := func(item string, right int) {
		o := w.offered[item]
		w.offered[item] = offered{o.in + 1, o.right + right}
	}
	count(m.baseName(m.next), 1)
	for _, n := range negatives {
		count(m.baseName(n.workflow[0]), 0)
	}
}

// nextExchange begins, in a third of the cases, with the point at which the
// unit's sides part, and then with their ends; the others are moments of
// contexts near by.
func (w *worker) nextExchange(u *unit, size int) *exchange[*moment] {
	x := &exchange[*moment]{}
	w.records = nil
	admit := func(m *moment) bool {
		if len(x.members) == size || !x.admit(m) {
			return false
		}
		switch {
		case !w.settle(m.side):
		case m.ambiguous():
			w.drops[DropAmbiguous]++
		case !w.repeats(m.asked()):
			return true
		}
		x.dismiss()
		return false
	}
	if u.b != nil && w.rng.IntN(3) == 0 {
		if a, b := parting(u.a, u.b); a != nil {
			admit(a)
			admit(b)
		}
	}
	for _, s := range u.sides() {
		admit(at(s, len(s.positive)-1))
	}
	wrongElsewhere := func(item string) bool {
		return !slices.ContainsFunc(x.members, func(m *moment) bool { return slices.Contains(m.right, item) })
	}
	for i := 0; i < exchangeTries && len(x.members) < size; i++ {
		refuse := w.rng.IntN(3) > 0
		c := w.units.near(u.a.cell, refuse)
		if c == nil {
			continue
		}
		s := w.units.elsewhere(c, nil, refuse)
		if s == nil {
			continue
		}
		for _, k := range w.rng.Perm(len(s.positive)) {
			if !wrongElsewhere(s.positive[k]) {
				continue
			}
			// What is right here can be asked for nowhere else: few, at first.
			if m := at(s, k); len(m.right) <= 1+i/4 && admit(m) {
				break
			}
		}
	}
	return x
}

// parting follows a's workflow on both sides up to the first point where what
// is right for a is wrong for b, and the other way round.
func parting(a, b *side) (*moment, *moment) {
	if a.V.Goal != b.V.Goal {
		return nil, nil
	}
	for k := range a.positive {
		m := at(a, k)
		right := b.M.Next(b.scenario.Facts, m.history)
		if len(right) == 0 {
			return nil, nil
		}
		if slices.Contains(right, m.next) {
			continue
		}
		for _, r := range right {
			if !slices.Contains(m.right, r) {
				return m, &moment{side: b, history: m.history, next: r, right: right}
			}
		}
		return nil, nil
	}
	return nil, nil
}

// editNext fills the places that are left with items that are wrong here: the
// procedure's own before those from outside.
func (w *worker) editNext(m *moment, p *picker) {
	outside := slices.Clone(m.outside())
	own := sortedKeys(m.V.Requires)
	for _, o := range m.V.Outcomes {
		own = append(own, o.End)
	}
	for _, items := range [][]string{own, outside} {
		w.rng.Shuffle(len(items), func(a, b int) { items[a], items[b] = items[b], items[a] })
		for _, item := range items {
			if p.full() {
				return
			}
			if n, ok := m.refute(sop.Workflow{item}); ok {
				p.take(n)
			}
		}
	}
}

// ambiguous tells that two calls of one action have the same arguments here,
// as those of a transfer to oneself.
func (m *moment) ambiguous() bool {
	seen := map[string]bool{}
	for _, calls := range m.alike() {
		clear(seen)
		for _, use := range calls {
			args := map[string]any{}
			for p, source := range use.Args {
				args[p] = m.scenario.Bindings[source]
			}
			key := encode(args)
			if seen[key] {
				return true
			}
			seen[key] = true
		}
	}
	return false
}
