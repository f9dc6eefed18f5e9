package recheck

import (
	"math/bits"
	"slices"
)

type value uint8

const (
	unknown value = iota
	isTrue
	isFalse
)

func (v value) not() value {
	switch v {
	case isTrue:
		return isFalse
	case isFalse:
		return isTrue
	}
	return unknown
}

func of(b bool) value {
	if b {
		return isTrue
	}
	return isFalse
}

// state is all that a run of calls leaves behind: which leaves are known, how the world is (what the known leaves show), which
// calls were made, and which orders are broken. Orders that are forgiven can no longer break.
type state struct{ known, world, made, broken, forgiven uint64 }

func (g *graph) initial(facts map[string]bool) state {
	s := state{known: g.start, world: g.fixed}
	for i, name := range g.leaves {
		if facts[name] {
			s.world |= 1 << i
		}
	}
	return s
}

// eval is Kleene's value of a node. With ignore, orders are not looked at.
func (g *graph) eval(id int, s state, ignore bool) value {
	if id < 0 {
		return isTrue
	}
	n := &g.nodes[id]
	switch n.kind {
	case kindLeaf:
		if s.known&(1<<n.leaf) == 0 {
			return unknown
		}
		return of(s.world&(1<<n.leaf) != 0)
	case kindNot:
		return g.eval(n.kids[0], s, ignore).not()
	}
	if n.bit != 0 && !ignore && s.broken&n.bit != 0 {
		return unknown
	}
	decides := isFalse
	if n.kind == kindAny || n.kind == kindFirstOf {
		decides = isTrue
	}
	result := decides.not()
	for _, kid := range n.kids {
		switch g.eval(kid, s, ignore) {
		case decides:
			return decides
		case unknown:
			result = unknown
		}
	}
	return result
}

// step makes a call, whether it was permitted or not.
func (g *graph) step(s state, call int) state {
	after := s
	after.made |= 1 << call
	for leaf, sets := range g.sets {
		for _, set := range sets {
			if set&after.made == set {
				after.known |= 1 << leaf
			}
		}
	}
	info := &g.calls[call]
	if info.answer < 0 || after.world&(1<<info.answer) != 0 {
		for _, e := range info.effects {
			after.known |= 1 << e.leaf
			after.world &^= 1 << e.leaf
			if e.value {
				after.world |= 1 << e.leaf
			}
		}
	}
	for _, id := range g.orders {
		n := &g.nodes[id]
		if (after.broken|after.forgiven)&n.bit != 0 || g.eval(id, s, false) != unknown {
			continue // broken stays broken; what was settled in order stays settled
		}
		open := false
		for _, kid := range n.kids {
			now := g.eval(kid, after, false) != unknown
			if now && open && g.eval(kid, s, false) == unknown {
				after.broken |= n.bit
			}
			open = open || !now
		}
	}
	return after
}

// forgive makes a state in which orders already broken are ignored. With a broken order go the orders around it: when a part
// that is itself out of order was settled cannot be said, and an error must not block what the wider order demands.
func (g *graph) forgive(s state) state {
	for _, id := range g.orders {
		if n := &g.nodes[id]; s.broken&(n.bit|n.inner) != 0 {
			s.forgiven |= n.bit
		}
	}
	s.broken = 0
	return s
}

// permitted says whether a call may be made without fault. To make it again changes nothing, unless effects do.
func (g *graph) permitted(call int, s state) bool {
	return !g.calls[call].end && (g.changing || s.made&(1<<call) == 0) && g.eval(g.calls[call].tree, s, false) == isTrue
}

type ableKey struct {
	node int
	want value
	state
}

// can says whether some continuation gives the node the wanted value, whatever the facts still unknown are: every assignment
// of them is tried, and in each every order of permitted calls.
func (g *graph) can(id int, want value, s state) bool {
	if id < 0 {
		return want == isTrue
	}
	s = g.forgive(s)
	s.world &= s.known | g.fixed
	key := ableKey{id, want, s}
	if able, done := g.able[key]; done {
		return able
	}
	open := g.relevant[id] &^ s.known
	able := false
	// The subsets of open, from the largest down.
	for chosen := open; ; chosen = (chosen - 1) & open {
		try := s
		try.world |= chosen
		if g.reaches(id, want, try) {
			able = true
			break
		}
		if chosen == 0 {
			break
		}
	}
	g.able[key] = able
	return able
}

func (g *graph) reaches(id int, want value, s state) bool {
	if !g.changing { // without effects knowledge only grows, so what all permitted calls together do not give, none gives
		all := s
		for grown := true; grown; {
			grown = false
			for call := range g.calls {
				if !g.calls[call].end && all.made&(1<<call) == 0 && g.eval(g.calls[call].tree, all, true) == isTrue {
					all, grown = g.step(all, call), true
				}
			}
		}
		if g.eval(id, all, true) != want {
			return false
		}
	}
	return g.search(s, map[state]bool{}, func(s state) bool { return g.eval(id, s, false) == want })
}

func (g *graph) search(s state, seen map[state]bool, found func(state) bool) bool {
	if found(s) {
		return true
	}
	if seen[s] {
		return false
	}
	seen[s] = true
	for call := range g.calls {
		if g.permitted(call, s) && g.search(g.step(s, call), seen, found) {
			return true
		}
	}
	return false
}

func (g *graph) blocked(id int, s state) bool { return !g.can(id, isTrue, s) }

// due says whether an end is due; with ignore, whether it would be if no order were broken.
func (g *graph) due(end string, s state, ignore bool) bool {
	for _, o := range g.outcomes {
		if o.end == end && g.eval(o.tree, s, ignore) == isTrue {
			return true
		}
		if g.eval(o.tree, s, true) != isFalse && !g.blocked(o.tree, s) {
			return false
		}
	}
	return false
}

// escape says whether some continuation without fault reaches an end in this world.
func (g *graph) escape(s state) bool {
	if free, done := g.escapes[s]; done {
		return free
	}
	free := g.search(s, map[state]bool{}, func(s state) bool {
		for _, o := range g.outcomes {
			if g.due(o.end, s, false) {
				return true
			}
		}
		return false
	})
	g.escapes[s] = free
	return free
}

// shortest returns what is still to be made of the possible sets, without those that hold another: a call that only they ask
// for makes nothing known that would not be known without it.
func (g *graph) shortest(sets []uint64, made uint64, possible func(uint64) bool) []uint64 {
	var rest []uint64
	for _, set := range sets {
		if possible(set) {
			rest = append(rest, set&^made)
		}
	}
	return slices.DeleteFunc(slices.Clone(rest), func(set uint64) bool {
		return slices.ContainsFunc(rest, func(other uint64) bool { return other != set && other&set == other })
	})
}

// callable says whether every call of the set that was not made can still be made.
func (g *graph) callable(set uint64, s state) bool {
	for rest := set &^ s.made; rest != 0; rest &= rest - 1 {
		call := bits.TrailingZeros64(rest)
		if g.calls[call].end || g.blocked(g.calls[call].tree, s) {
			return false
		}
	}
	return true
}

// needed returns the calls that can help to make known what is still undecided.
func (g *graph) needed(s state) uint64 {
	var calls uint64
	visited := map[[2]int]bool{}
	var need func(id int, want value)
	add := func(set uint64) {
		for rest := set &^ s.made; rest != 0; rest &= rest - 1 {
			call := bits.TrailingZeros64(rest)
			calls |= 1 << call
			need(g.calls[call].tree, isTrue)
		}
	}
	possible := func(set uint64) bool { return g.callable(set, s) }
	need = func(id int, want value) {
		if id < 0 || visited[[2]int{id, int(want)}] {
			return
		}
		visited[[2]int{id, int(want)}] = true
		if now := g.eval(id, s, true); now == want || (now != unknown && !g.changing) || !g.can(id, want, s) {
			return
		}
		n := &g.nodes[id]
		switch n.kind {
		case kindLeaf:
			if s.known&(1<<n.leaf) == 0 {
				for _, set := range g.shortest(g.sets[n.leaf], s.made, possible) {
					add(set)
				}
			}
			for call := range g.calls {
				for _, e := range g.calls[call].effects {
					if e.leaf == n.leaf && possible(1<<call) {
						add(1 << call)
					}
				}
			}
		case kindNot:
			need(n.kids[0], want.not())
		default:
			for _, kid := range n.kids {
				need(kid, want)
			}
		}
	}
	for _, o := range g.outcomes {
		now := g.eval(o.tree, s, true)
		if now == isTrue {
			break
		}
		if now == unknown && !g.blocked(o.tree, s) {
			need(o.tree, isTrue)
		}
	}
	return calls
}

type violation struct {
	name     string
	position int
	fault    bool
	call     string
	before   state
}

// judge returns the fault and the waste of one call, each empty where there is none.
func (g *graph) judge(call string, s state, ended bool) (fault, waste string) {
	at, known := g.callAt[call]
	isEnd := call == "deny" || known && g.calls[at].end
	switch {
	case ended:
		return "after_end", ""
	case !known && !isEnd:
		return "outside", ""
	case isEnd:
		switch {
		case g.due(call, s, false):
			return "", ""
		case g.due(call, s, true):
			return "order", ""
		}
		return "wrong_end", ""
	}
	if g.eval(g.calls[at].tree, s, false) != isTrue {
		fault = "unmet"
		if g.eval(g.calls[at].tree, s, true) == isTrue {
			fault = "order"
		}
	}
	if s.made&(1<<at) != 0 {
		waste = "repeated"
	} else if g.needed(s)&(1<<at) == 0 {
		waste = "idle"
	}
	return fault, waste
}

// run checks a whole workflow.
func (g *graph) run(calls []string, facts map[string]bool) []violation {
	var found []violation
	s, ended := g.initial(facts), false
	for i, call := range calls {
		fault, waste := g.judge(call, s, ended)
		if fault != "" {
			found = append(found, violation{fault, i, true, call, s})
		}
		if waste != "" {
			found = append(found, violation{waste, i, false, call, s})
		}
		at, known := g.callAt[call]
		ended = ended || call == "deny" || known && g.calls[at].end
		if known {
			s = g.step(s, at)
		}
	}
	if !ended {
		found = append(found, violation{"no_end", len(calls), true, "", s})
	}
	return found
}
