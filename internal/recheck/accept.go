package recheck

import "slices"

// accepts says whether a workflow is free of faults; waste is allowed.
func (g *graph) accepts(calls []string, facts map[string]bool) bool {
	s := g.initial(facts)
	for i, call := range calls {
		at, known := g.callAt[call]
		switch {
		case call == "deny" || known && g.calls[at].end:
			return i == len(calls)-1 && g.due(call, s, false)
		case !known || g.eval(g.calls[at].tree, s, false) != isTrue:
			return false
		}
		s = g.step(s, at)
	}
	return false
}

// permits says whether some workflow without fault ends in the goal.
func (g *graph) permits(facts map[string]bool) bool {
	return g.search(g.initial(facts), map[state]bool{}, func(s state) bool { return g.due(g.goal, s, false) })
}

// tellApart returns a shortest workflow that exactly one of two graphs accepts in a world, nil where there is none.
func tellApart(a, b *graph, facts map[string]bool) []string {
	items := append(eitherKeys(a.callAt, b.callAt), "deny")
	// advance makes an item: accepted where it ends without fault, dead where it has a fault or ends.
	advance := func(g *graph, item string, s state, dead bool) (after state, accepted, now bool) {
		at, known := g.callAt[item]
		switch {
		case dead:
		case item == "deny" || known && g.calls[at].end:
			accepted = g.due(item, s, false)
		case known && g.eval(g.calls[at].tree, s, false) == isTrue:
			return g.step(s, at), false, false
		}
		return state{}, accepted, true
	}
	type pair struct {
		a, b         state
		deadA, deadB bool
	}
	type step struct {
		pair
		path []string
	}
	queue := []step{{pair: pair{a: a.initial(facts), b: b.initial(facts)}}}
	seen := map[pair]bool{queue[0].pair: true}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, item := range items {
			var next pair
			var inA, inB bool
			next.a, inA, next.deadA = advance(a, item, s.a, s.deadA)
			next.b, inB, next.deadB = advance(b, item, s.b, s.deadB)
			path := append(slices.Clone(s.path), item)
			if inA != inB {
				return path
			}
			if !(next.deadA && next.deadB) && !seen[next] {
				seen[next] = true
				queue = append(queue, step{next, path})
			}
		}
	}
	return nil
}
