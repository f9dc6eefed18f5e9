package recheck

import "fmt"

// residual is the graph still to be done in a state: what is known is put in, and what then leads nowhere is gone. The error
// says that nothing is left to ask.
func (g *graph) residual(s state) (*rules, error) {
	if g.changing {
		return nil, fmt.Errorf("calls before the end have effects, which this check does not reduce")
	}
	out := &rules{
		goal: g.goal, requires: map[string]*tree{}, established: map[string]*tree{},
		depends: g.depends, excludes: g.excludes, effects: g.rules.effects,
	}
	for i, o := range g.outcomes {
		t, now, err := g.reduce(o.tree, s)
		if err == nil && now != unknown && !(o.tree < 0 && i == len(g.outcomes)-1) {
			err = fmt.Errorf("outcome %q is decided", o.end)
		}
		if err != nil {
			return nil, err
		}
		out.outcomes = append(out.outcomes, ending{o.end, t})
		if call, isCall := g.callAt[o.end]; isCall {
			if err := g.remain(out, call, s); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// reduce puts in what is known. The value is unknown where a tree is left.
func (g *graph) reduce(id int, s state) (*tree, value, error) {
	if now := g.eval(id, s, false); id < 0 || now != unknown {
		return nil, now, nil
	}
	n := &g.nodes[id]
	if n.kind == kindLeaf {
		return leafOf(g.leaves[n.leaf]), unknown, nil
	}
	if n.bit != 0 && s.broken&n.bit != 0 {
		return nil, unknown, fmt.Errorf("an order is broken")
	}
	t := treeOf(n.kind)
	for _, kid := range n.kids {
		part, now, err := g.reduce(kid, s)
		if err != nil {
			return nil, unknown, err
		}
		if now == unknown {
			t.kids = append(t.kids, part)
		}
	}
	if len(t.kids) == 1 && n.kind != kindNot {
		return t.kids[0], unknown, nil
	}
	return t, unknown, nil
}

// remain adds a call, what it still requires, and the calls that can make that known.
func (g *graph) remain(out *rules, call int, s state) error {
	info := &g.calls[call]
	if _, done := out.requires[info.name]; done {
		return nil
	}
	t, now, err := g.reduce(info.tree, s)
	if err == nil && now == isFalse {
		err = fmt.Errorf("the call %q can never be made", info.name)
	}
	if err != nil {
		return err
	}
	out.requires[info.name] = t
	t.eachLeaf(func(name string) {
		if out.established[name] != nil || err != nil {
			return
		}
		var ways []*tree
		var members []int
		for _, set := range g.shortest(g.sets[g.leafAt[name]], s.made, func(set uint64) bool { return g.callable(set, s) }) {
			way := treeOf(kindAll)
			for at := range g.calls {
				if set&(1<<at) != 0 {
					way.kids = append(way.kids, leafOf(g.calls[at].name))
					members = append(members, at)
				}
			}
			ways = append(ways, way)
		}
		if len(ways) == 0 {
			err = fmt.Errorf("nothing can make %q known any more", name)
			return
		}
		out.established[name] = treeOf(kindAny, ways...).canonical()
		for _, at := range members {
			if err == nil {
				err = g.remain(out, at, s)
			}
		}
	})
	return err
}

// sameFrom says the first continuation on which a graph in a state, and another one from its start, do not agree: free of
// violations for one of them only. Every world is tried that has the known facts and is possible.
func (g *graph) sameFrom(s state, rest *graph, possible func(map[string]bool) bool) error {
	var open []int
	for i := range g.leaves {
		if s.known&(1<<i) == 0 && g.hasFact&(1<<i) != 0 {
			open = append(open, i)
		}
	}
	items := []string{"deny"}
	for _, call := range g.calls {
		items = append(items, call.name)
	}
	known := g.known(s)
	for world := range 1 << len(open) {
		facts := make(map[string]bool, len(known)+len(open))
		for name, holds := range known {
			facts[name] = holds
		}
		from := s
		for i, leaf := range open {
			facts[g.leaves[leaf]] = world&(1<<i) != 0
			from.world &^= 1 << leaf
			if facts[g.leaves[leaf]] {
				from.world |= 1 << leaf
			}
		}
		if !possible(facts) {
			continue
		}
		seen := map[[2]state]bool{}
		if err := g.agree(from, rest, rest.initial(facts), items, nil, seen); err != nil {
			return fmt.Errorf("with %v: %w", facts, err)
		}
	}
	return nil
}

func (g *graph) agree(s state, rest *graph, r state, items, path []string, seen map[[2]state]bool) error {
	if seen[[2]state{s, r}] {
		return nil
	}
	seen[[2]state{s, r}] = true
	for _, item := range items {
		fault, waste := g.judge(item, s, false)
		left, idle := rest.judge(item, r, false)
		if free := fault+waste == ""; free != (left+idle == "") {
			return fmt.Errorf("%q after %q has %q here, %q in the rest", item, path, fault+waste, left+idle)
		} else if at, isCall := g.callAt[item]; free && isCall && !g.calls[at].end {
			if err := g.agree(g.step(s, at), rest, rest.step(r, rest.callAt[item]), items, append(path, item), seen); err != nil {
				return err
			}
		}
	}
	return nil
}
