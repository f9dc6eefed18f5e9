package sop

import (
	"maps"
	"strings"
)

// Restate returns the graph that an answer means which states these
// requirements and sources and is silent on the rest: goal, dependences and
// exclusions are those of g, effects too as far as their calls and conditions
// are stated. An outcome whose tree is the requirement of its end in g has the
// stated requirement; the others keep their trees. Trees are put into
// canonical form.
func (g *Graph) Restate(requires, establishedBy map[string]*Tree) *Graph {
	h := &Graph{
		Goal: g.Goal, Requires: canonicalTrees(requires), EstablishedBy: canonicalTrees(establishedBy),
		DependsOn: g.DependsOn, Excludes: g.Excludes, Effects: map[string]map[string]bool{},
	}
	for call, effects := range g.Effects {
		if _, stated := requires[call]; !stated {
			continue
		}
		for c, to := range effects {
			if establishedBy[c] == nil {
				continue
			}
			if h.Effects[call] == nil {
				h.Effects[call] = map[string]bool{}
			}
			h.Effects[call][c] = to
		}
	}
	for _, o := range g.Outcomes {
		tree := o.Tree.Canonical()
		if rule, isCall := g.Requires[o.End]; isCall && tree.Equal(rule.Canonical()) {
			tree = h.Requires[o.End]
		}
		h.Outcomes = append(h.Outcomes, Outcome{End: o.End, Tree: tree})
	}
	return h
}

// Canonical returns g with the trees of requirements, sources and outcomes in
// canonical form.
func (g *Graph) Canonical() *Graph {
	h := *g
	h.Requires, h.EstablishedBy, h.Outcomes = canonicalTrees(g.Requires), canonicalTrees(g.EstablishedBy), nil
	for _, o := range g.Outcomes {
		h.Outcomes = append(h.Outcomes, Outcome{End: o.End, Tree: o.Tree.Canonical()})
	}
	return &h
}

// Key identifies what an answer states of a graph in canonical form: equal
// requirements and sources have equal keys.
func (g *Graph) Key() string {
	var b strings.Builder
	for _, trees := range []map[string]*Tree{g.Requires, g.EstablishedBy} {
		for _, name := range sortedKeys(trees) {
			b.WriteString(name + "=")
			trees[name].append(&b)
			b.WriteByte(';')
		}
		b.WriteByte('|')
	}
	return b.String()
}

func canonicalTrees(trees map[string]*Tree) map[string]*Tree {
	out := maps.Clone(trees)
	for name, t := range out {
		out[name] = t.Canonical()
	}
	return out
}
