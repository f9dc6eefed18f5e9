package soptest

import (
	"slices"
	"sort"

	"github.com/fmsop/fmsop/sop"
	"pgregory.net/rapid"
)

// Facts draws a fact for every condition of g, half the time consistent with
// depends_on and excludes, else any.
func Facts(t *rapid.T, g *sop.Graph) map[string]bool {
	facts := map[string]bool{}
	for _, c := range keys(g.EstablishedBy) {
		facts[c] = rapid.Bool().Draw(t, c)
	}
	if rapid.Bool().Draw(t, "consistent") {
		makeConsistent(g, facts)
	}
	return facts
}

// makeConsistent sets facts to false until none is true against depends_on or
// excludes; it ends because no fact ever becomes true.
func makeConsistent(g *sop.Graph, facts map[string]bool) {
	for !consistent(g, facts) {
		for _, c := range keys(g.EstablishedBy) {
			if facts[c] && !holds(g.DependsOn[c], facts) {
				facts[c] = false
			}
		}
		for _, set := range g.Excludes {
			one := false
			for _, c := range set {
				facts[c], one = facts[c] && !one, one || facts[c]
			}
		}
	}
}

// Workflow draws a workflow that looks like one of g: calls of g in some
// order that mostly respects its edges, closed by the end of an outcome. Now
// and then it holds a call twice, an item that g does not know, an end in the
// middle, or no end.
func Workflow(t *rapid.T, g *sop.Graph) sop.Workflow {
	ends := endsOf(g)
	var calls []string
	for _, c := range keys(g.Requires) {
		if !slices.Contains(ends, c) {
			calls = append(calls, c)
		}
	}
	// Calls that build on others come later in sorted order of how much their
	// requirement needs; a few swaps and drops make the rest.
	sort.SliceStable(calls, func(i, j int) bool { return needs(g, calls[i]) < needs(g, calls[j]) })
	w := sop.Workflow{}
	for _, c := range calls {
		if rapid.IntRange(0, 3).Draw(t, "leave out "+c) > 0 {
			w = append(w, c)
		}
	}
	if len(w) > 1 {
		for range rapid.IntRange(0, 2).Draw(t, "swaps") {
			i := rapid.IntRange(0, len(w)-2).Draw(t, "at")
			w[i], w[i+1] = w[i+1], w[i]
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "closed") > 0 {
		w = append(w, rapid.SampledFrom(ends).Draw(t, "end"))
	}
	switch rapid.IntRange(0, 9).Draw(t, "odd item") {
	case 0:
		w = insert(t, w, "water_the_plants")
	case 1:
		w = insert(t, w, rapid.SampledFrom(ends).Draw(t, "early end"))
	case 2, 3:
		if len(calls) > 0 {
			w = insert(t, w, rapid.SampledFrom(calls).Draw(t, "again"))
		}
	}
	return w
}

func insert(t *rapid.T, w sop.Workflow, item string) sop.Workflow {
	return slices.Insert(w, rapid.IntRange(0, len(w)).Draw(t, "at"), item)
}

// needs counts the calls that have to do with what x requires, directly or not.
func needs(g *sop.Graph, x string) int {
	seen := map[string]bool{}
	todo := []string{x}
	for len(todo) > 0 {
		tree := g.Requires[todo[0]]
		todo = todo[1:]
		for _, c := range tree.Names() {
			for _, call := range g.EstablishedBy[c].Names() {
				if !seen[call] {
					seen[call] = true
					todo = append(todo, call)
				}
			}
		}
	}
	return len(seen)
}

// Graph draws a graph that need not come from any domain: cycles, calls that
// nobody needs, sources that are no calls, trees with no or one part, effects
// on anything, and any outcomes with the last one open. It has at most 4
// calls, 4 conditions and 3 outcomes.
func Graph(t *rapid.T) *sop.Graph {
	calls := []string{"a", "b", "c", "d"}[:rapid.IntRange(1, 4).Draw(t, "calls")]
	conds := []string{"a", "b", "p", "q", "r"}[rapid.IntRange(0, 2).Draw(t, "answers"):]
	conds = conds[:rapid.IntRange(1, min(4, len(conds))).Draw(t, "conditions")]
	g := &sop.Graph{
		Goal: calls[len(calls)-1], Requires: map[string]*sop.Tree{}, EstablishedBy: map[string]*sop.Tree{},
		DependsOn: map[string]*sop.Tree{}, Effects: map[string]map[string]bool{},
	}
	for _, a := range calls {
		g.Requires[a] = nil
		if rapid.Bool().Draw(t, "has a rule") {
			g.Requires[a] = anyTree(t, conds, 2)
		}
	}
	for _, c := range conds {
		sources := calls
		if rapid.IntRange(0, 9).Draw(t, "strange source") == 0 {
			sources = append(slices.Clone(calls), "stranger")
		}
		g.EstablishedBy[c] = sourceTree(t, sources, 1)
		if slices.Contains(calls, c) && rapid.IntRange(0, 3).Draw(t, "answer") > 0 {
			g.EstablishedBy[c] = sop.L(c)
		} else if rapid.IntRange(0, 5).Draw(t, "conversation") == 0 {
			g.EstablishedBy[c] = sop.L(sop.Conversation)
		}
		if rapid.IntRange(0, 5).Draw(t, "depends") == 0 {
			g.DependsOn[c] = anyTree(t, conds, 1)
		}
	}
	for _, a := range calls {
		if rapid.IntRange(0, 3).Draw(t, "effects") > 0 {
			continue
		}
		g.Effects[a] = map[string]bool{rapid.SampledFrom(conds).Draw(t, "on"): rapid.Bool().Draw(t, "to")}
		if g.EstablishedBy[a] != nil {
			g.EstablishedBy[a] = sop.L(a) // an acting call's answer is known by it alone
		}
	}
	if len(conds) > 1 && rapid.IntRange(0, 4).Draw(t, "excludes") == 0 {
		g.Excludes = [][]string{conds[:2]}
	}
	goalTree := g.Requires[g.Goal]
	if rapid.IntRange(0, 3).Draw(t, "outcome of its own") == 0 {
		goalTree = anyTree(t, conds, 2)
	}
	g.Outcomes = []sop.Outcome{{End: g.Goal, Tree: goalTree}, {End: sop.Deny}}
	if rapid.IntRange(0, 3).Draw(t, "third outcome") == 0 {
		end := rapid.SampledFrom([]string{"escalate", sop.Deny, calls[0]}).Draw(t, "second end")
		g.Outcomes = slices.Insert(g.Outcomes, rapid.IntRange(0, 1).Draw(t, "place"), sop.Outcome{End: end, Tree: anyTree(t, conds, 2)})
	}
	return g
}

func anyTree(t *rapid.T, conds []string, depth int) *sop.Tree {
	op := rapid.SampledFrom(operators).Draw(t, "operator")
	switch {
	case depth < 0 || op == sop.Leaf:
		return sop.L(rapid.SampledFrom(conds).Draw(t, "leaf"))
	case op == sop.Not:
		return sop.T(sop.Not, anyTree(t, conds, depth-1))
	}
	n := rapid.SampledFrom([]int{2, 2, 3, 3, 1, 0}).Draw(t, "parts")
	node := &sop.Tree{Op: op, Parts: []*sop.Tree{}}
	for range n {
		node.Parts = append(node.Parts, anyTree(t, conds, depth-1))
	}
	return node
}

func sourceTree(t *rapid.T, calls []string, depth int) *sop.Tree {
	op := rapid.SampledFrom([]sop.Op{sop.Leaf, sop.Leaf, sop.All, sop.Any, sop.Seq, sop.FirstOf}).Draw(t, "source")
	if depth < 0 || op == sop.Leaf {
		return sop.L(rapid.SampledFrom(calls).Draw(t, "by"))
	}
	return sop.T(op, sourceTree(t, calls, depth-1), sourceTree(t, calls, depth-1))
}

// keys returns the keys of m, sorted.
func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
