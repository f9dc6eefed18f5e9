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
	for !Consistent(g, facts) {
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

// Workflow draws a workflow that looks like one of g: see WorkflowFor.
func Workflow(t *rapid.T, g *sop.Graph) sop.Workflow { return WorkflowFor(t, g, Facts(t, g)) }

// WorkflowFor draws a workflow for these facts. Most of its steps are right
// where it stands, so that mistakes are few and come late: a call that may not
// be made yet or is needless, one made twice, an item that g does not know, an
// end too early, calls after the end, no end.
func WorkflowFor(t *rapid.T, g *sop.Graph, facts map[string]bool) sop.Workflow {
	o := New(g)
	var calls []string
	for _, a := range keys(g.Requires) {
		if !o.isEnd(a) {
			calls = append(calls, a)
		}
	}
	w := sop.Workflow{}
	for range rapid.IntRange(1, 7).Draw(t, "steps") {
		right := o.rightCalls(facts, w, calls)
		ends := o.endsNow(facts, w)
		kind := rapid.IntRange(0, 19).Draw(t, "kind of step")
		switch {
		case kind == 19:
			w = append(w, "water_the_plants")
		case kind == 18:
			w = append(w, rapid.SampledFrom(o.ends).Draw(t, "early end"))
		case kind >= 14 && len(calls) > 0:
			w = append(w, rapid.SampledFrom(calls).Draw(t, "any call"))
		case len(ends) > 0:
			return append(w, rapid.SampledFrom(ends).Draw(t, "end"))
		case len(right) > 0:
			w = append(w, rapid.SampledFrom(right).Draw(t, "call"))
		default:
			return append(w, rapid.SampledFrom(o.ends).Draw(t, "some end"))
		}
	}
	return w
}

// rightCalls are the calls without fault and waste after the history.
func (o *Oracle) rightCalls(facts map[string]bool, history sop.Workflow, calls []string) []string {
	m := o.at(facts, history)
	var right []string
	for _, a := range calls {
		if o.fault(a, m) == "" && o.waste(a, m) == "" {
			right = append(right, a)
		}
	}
	return right
}

func (o *Oracle) endsNow(facts map[string]bool, history sop.Workflow) []string {
	m := o.at(facts, history)
	var right []string
	for _, end := range o.ends {
		if o.fault(end, m) == "" {
			right = append(right, end)
		}
	}
	return right
}

// Graph draws a graph that need not come from any domain: cycles, calls that
// nobody needs, sources that are no calls, trees with no or one part, effects
// on anything, and any outcomes with the last one open. It has at most 4
// calls, 4 conditions and 3 outcomes.
func Graph(t *rapid.T) *sop.Graph {
	calls := []string{"a", "b", "c", "d"}[:rapid.SampledFrom([]int{4, 4, 3, 3, 2, 1}).Draw(t, "calls")]
	conds := []string{"a", "b", "p", "q", "r"}[rapid.IntRange(0, 2).Draw(t, "answers"):]
	conds = conds[:min(len(conds), rapid.SampledFrom([]int{3, 3, 2, 4, 1}).Draw(t, "conditions"))]
	g := &sop.Graph{
		Goal: calls[len(calls)-1], Requires: map[string]*sop.Tree{}, EstablishedBy: map[string]*sop.Tree{},
		DependsOn: map[string]*sop.Tree{}, Effects: map[string]map[string]bool{},
	}
	for _, a := range calls {
		g.Requires[a] = nil
		if a == g.Goal && rapid.IntRange(0, 9).Draw(t, "goal has a rule") > 0 || rapid.IntRange(0, 2).Draw(t, "has a rule") == 0 {
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
