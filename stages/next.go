package stages

import (
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/augment"
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

// moments turns a unit into two moments whose next actions exchange where
// they can: the first point at which the sides part, or two points of one
// side.
func moments(u *unit, rng *rand.Rand) []*moment {
	if u.b != nil && rng.IntN(3) == 0 {
		if a, b := parting(u.a, u.b); a != nil {
			return []*moment{a, b}
		}
	}
	s := u.a
	if u.b != nil && rng.IntN(2) == 0 {
		s = u.b
	}
	k := rng.IntN(len(s.positive))
	first := at(s, k)
	if len(s.positive) == 1 {
		return []*moment{first}
	}
	other := k + 1
	if other == len(s.positive) {
		other = k - 1
	}
	return []*moment{first, at(s, other)}
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

// wrongNext returns every item that is wrong as the next action, with the
// operator that leads to it: an end that is not due (outcome), a call that
// the workflow makes later (order), one whose requirement is skipped (omit),
// one from outside, repeated or needless (insert).
func (m *moment) wrongNext(rng *rand.Rand) []wrong {
	var all []wrong
	add := func(item string, op augment.Operator, how string) {
		if slices.Contains(m.right, item) {
			return
		}
		v := m.M.Check(m.scenario.Facts, append(slices.Clone(m.history), item))
		found := slices.IndexFunc(v, func(v sop.Violation) bool { return v.Position == len(m.history) && v.Kind != sop.NoEnd })
		w := wrong{workflow: sop.Workflow{item}, operator: op, edits: []string{how}, flips: op == augment.Outcome}
		if found < 0 {
			// Nothing is wrong yet, but no way leads to an end without fault.
			w.violation = sop.Violation{Kind: sop.Order, Position: len(m.history), Call: item}
		} else {
			w.violation = v[found]
			w.waste = !w.violation.Kind.Fault()
		}
		if w.waste && op != augment.Insert {
			w.operator = augment.Insert
		}
		all = append(all, w)
	}
	for _, o := range m.V.Outcomes {
		add(o.End, augment.Outcome, "end")
	}
	for _, c := range sortedKeys(m.V.Requires) {
		later := slices.Index(m.positive, c)
		switch {
		case c == m.V.Goal:
		case slices.Contains(m.history, c):
			add(c, augment.Insert, "repeated")
		case later > len(m.history):
			add(c, augment.Order, "early")
		case m.scenario != nil && !m.requirementHolds(c):
			add(c, augment.Omit, "skipped")
		default:
			add(c, augment.Insert, "own")
		}
	}
	outside := m.outside()
	rng.Shuffle(len(outside), func(a, b int) { outside[a], outside[b] = outside[b], outside[a] })
	for _, c := range outside[:min(6, len(outside))] {
		add(c, augment.Insert, "outside")
	}
	return all
}

// requirementHolds tells whether calling c now is no fault.
func (m *moment) requirementHolds(c string) bool {
	for _, v := range m.M.Check(m.scenario.Facts, append(slices.Clone(m.history), c)) {
		if v.Position == len(m.history) && v.Kind.Fault() && v.Kind != sop.NoEnd {
			return false
		}
	}
	return true
}

// nextNegatives picks n wrong next actions: the mirror's first, then those
// that were more often right than wrong in this job so far, the procedure's own
// calls before those from outside; one at least is an end.
func (w *worker) nextNegatives(m *moment, mirror string, n int) []wrong {
	all := m.wrongNext(w.rng)
	w.rng.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	rank := func(x wrong) int {
		switch {
		case x.workflow[0] == mirror:
			return 1 << 20
		case x.violation.Kind == sop.Outside:
			return w.balanceNext.debt(m.cell, x.workflow, n) - 1<<20
		}
		return w.balanceNext.debt(m.cell, x.workflow, n)
	}
	slices.SortStableFunc(all, func(a, b wrong) int { return rank(b) - rank(a) })
	p := picker{seen: map[string]bool{m.next: true}, m: n}
	for _, x := range all {
		p.take(x)
	}
	if len(p.picked) < n || !p.flipping() {
		return nil
	}
	w.rng.Shuffle(n, func(a, b int) { p.picked[a], p.picked[b] = p.picked[b], p.picked[a] })
	return p.picked
}

// ambiguous tells that two calls of one action have the same arguments here,
// as those of a transfer to oneself.
func (m *moment) ambiguous() bool {
	seen := map[string]bool{}
	for _, use := range m.V.Calls {
		args := map[string]any{}
		for p, source := range use.Args {
			args[p] = m.scenario.Bindings[source]
		}
		key := use.Base + encode(args)
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}
