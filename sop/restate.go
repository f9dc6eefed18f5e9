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
	return g.Canonical().RestateCanonical(canonicalTrees(requires), canonicalTrees(establishedBy))
}

// RestateCanonical is Restate where g and all trees are in canonical form. The
// graph that it returns shares the maps.
func (g *Graph) RestateCanonical(requires, establishedBy map[string]*Tree) *Graph {
	h := &Graph{
		Goal: g.Goal, Requires: requires, EstablishedBy: establishedBy,
		DependsOn: g.DependsOn, Excludes: g.Excludes, Effects: g.effectsOn(requires, establishedBy),
	}
	for _, o := range g.Outcomes {
		if g.follows(o) {
			o.Tree = requires[o.End]
		}
		h.Outcomes = append(h.Outcomes, o)
	}
	return h
}

// follows tells that the tree of an outcome is what its end requires.
func (g *Graph) follows(o Outcome) bool {
	rule, isCall := g.Requires[o.End]
	return isCall && o.Tree.Equal(rule)
}

// effectsOn is the effects of the stated calls on the stated conditions.
func (g *Graph) effectsOn(requires, establishedBy map[string]*Tree) map[string]map[string]bool {
	on := map[string]map[string]bool{}
	for call, effects := range g.Effects {
		if _, stated := requires[call]; !stated {
			continue
		}
		for c, to := range effects {
			if establishedBy[c] == nil {
				continue
			}
			if on[call] == nil {
				on[call] = map[string]bool{}
			}
			on[call][c] = to
		}
	}
	return on
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
