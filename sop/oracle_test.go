package sop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
	"pgregory.net/rapid"
)

// anyGraph draws the graph of a variant, or one that no domain would have.
func anyGraph(t *rapid.T) *sop.Graph {
	if rapid.IntRange(0, 2).Draw(t, "from a domain") == 0 {
		return &soptest.Variant(t).Graph
	}
	return soptest.Graph(t)
}

func compile(t *rapid.T, g *sop.Graph) *sop.Machine {
	m, err := sop.Compile(g)
	if err != nil {
		t.Fatalf("Compile: %v\n%s", err, text(g))
	}
	return m
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// verdict is the part of violations that DESIGN fixes.
func verdict(vs []sop.Violation) string {
	s := ""
	for _, v := range vs {
		s += fmt.Sprintf("%s@%d ", v.Kind, v.Position)
	}
	return s
}

func hasFault(vs []sop.Violation) bool {
	return slices.ContainsFunc(vs, func(v sop.Violation) bool { return v.Kind.Fault() })
}

// items is everything that a workflow of g can hold, and one thing more.
func items(g *sop.Graph) []string {
	all := []string{"outsider"}
	for a := range g.Requires {
		all = append(all, a)
	}
	for _, o := range g.Outcomes {
		all = append(all, o.End)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// history draws calls of g that have no fault.
func history(t *rapid.T, g *sop.Graph, m *soptest.Oracle, facts map[string]bool) sop.Workflow {
	h := sop.Workflow{}
	for range rapid.IntRange(0, 4).Draw(t, "history") {
		var open []string
		for _, a := range items(g) {
			vs := m.Check(facts, append(slices.Clone(h), a))
			if len(vs) > 0 && vs[len(vs)-1].Kind == sop.NoEnd && !hasFault(vs[:len(vs)-1]) {
				open = append(open, a)
			}
		}
		if len(open) == 0 {
			break
		}
		h = append(h, rapid.SampledFrom(open).Draw(t, "call"))
	}
	return h
}

func TestCheckAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		m, oracle := compile(t, g), soptest.New(g)
		for range 4 {
			facts := soptest.Facts(t, g)
			w := soptest.WorkflowFor(t, g, facts)
			if rapid.IntRange(0, 2).Draw(t, "any items") == 0 {
				w = rapid.SliceOfN(rapid.SampledFrom(items(g)), 0, 6).Draw(t, "workflow")
			}
			if got, want := verdict(m.Check(facts, w)), verdict(oracle.Check(facts, w)); got != want {
				t.Fatalf("Check(%v) = %s, want %s\ngraph %s\nfacts %v", w, got, want, text(g), facts)
			}
		}
	})
}

func TestNextAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		facts := soptest.Facts(t, g)
		oracle := soptest.New(g)
		h := history(t, g, oracle, facts)
		got, want := compile(t, g).Next(facts, h), oracle.NextRight(facts, h)
		if !slices.Equal(got, want) {
			t.Fatalf("Next(%v) = %v, want %v\ngraph %s\nfacts %v", h, got, want, text(g), facts)
		}
	})
}

func TestPositiveIsPositive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		facts := soptest.Facts(t, g)
		oracle := soptest.New(g)
		w, err := compile(t, g).Positive(facts, rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed"))))
		if err == nil {
			if vs := oracle.Check(facts, w); len(vs) > 0 {
				t.Fatalf("Positive = %v with %s\ngraph %s\nfacts %v", w, verdict(vs), text(g), facts)
			}
			return
		}
		if w := aPositive(g, oracle, facts); w != nil {
			t.Fatalf("Positive: %v, but %v is one\ngraph %s\nfacts %v", err, w, text(g), facts)
		}
	})
}

// aPositive tries every workflow whose calls are no waste, or gives nil.
func aPositive(g *sop.Graph, oracle *soptest.Oracle, facts map[string]bool) sop.Workflow {
	for todo := []sop.Workflow{{}}; len(todo) > 0; todo = todo[1:] {
		for _, x := range items(g) {
			w := append(slices.Clone(todo[0]), x)
			switch vs := oracle.Check(facts, w); {
			case len(vs) == 0:
				return w
			case vs[0].Kind == sop.NoEnd:
				todo = append(todo, w)
			}
		}
	}
	return nil
}

// A variant of a domain without orders and effects always has a positive.
func TestVariantsHavePositives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Variant(t).Graph
		g.Effects = nil
		for a := range g.Requires {
			g.Requires[a] = unordered(g.Requires[a])
		}
		for i := range g.Outcomes {
			g.Outcomes[i].Tree = unordered(g.Outcomes[i].Tree)
		}
		facts := soptest.Facts(t, &g)
		if _, err := compile(t, &g).Positive(facts, rand.New(rand.NewPCG(1, 2))); err != nil {
			t.Fatalf("Positive: %v\ngraph %s\nfacts %v", err, text(g), facts)
		}
	})
}

func unordered(t *sop.Tree) *sop.Tree {
	if t == nil || t.Op == sop.Leaf {
		return t
	}
	out := sop.T(map[sop.Op]sop.Op{sop.Seq: sop.All, sop.FirstOf: sop.Any}[t.Op])
	if !t.Op.Ordered() {
		out.Op = t.Op
	}
	for _, p := range t.Parts {
		out.Parts = append(out.Parts, unordered(p))
	}
	return out
}

func TestEdgesAgreeWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		if got, want := g.Edges(), soptest.New(g).Edges(); !slices.Equal(got, want) {
			t.Fatalf("Edges = %v, want %v\ngraph %s", got, want, text(g))
		}
	})
}

// demanding is g where one call requires another one too.
func demanding(t *rapid.T, g *sop.Graph) *sop.Graph {
	calls := slices.Sorted(maps.Keys(g.Requires))
	u, v := rapid.SampledFrom(calls).Draw(t, "added"), rapid.SampledFrom(calls).Draw(t, "to")
	requires, sources := maps.Clone(g.Requires), maps.Clone(g.EstablishedBy)
	if sources[u] == nil {
		sources[u] = sop.L(u)
	}
	if requires[v] = sop.L(u); g.Requires[v] != nil {
		requires[v] = sop.T(sop.All, g.Requires[v], sop.L(u))
	}
	return g.Restate(requires, sources)
}

// edited is g with one tree put in the place of another, as corruptions are.
func edited(t *rapid.T, g *sop.Graph) *sop.Graph {
	h := *g
	h.Requires, h.EstablishedBy = map[string]*sop.Tree{}, map[string]*sop.Tree{}
	for a, tree := range g.Requires {
		h.Requires[a] = tree
	}
	for c, tree := range g.EstablishedBy {
		h.EstablishedBy[c] = tree
	}
	h.Outcomes = slices.Clone(g.Outcomes)
	other := soptest.Graph(t)
	conds := slices.Sorted(func(yield func(string) bool) {
		for c := range g.EstablishedBy {
			if !yield(c) {
				return
			}
		}
	})
	rename := func(string) string { return rapid.SampledFrom(conds).Draw(t, "in its place") }
	calls := slices.DeleteFunc(items(g), func(x string) bool { _, ok := g.Requires[x]; return !ok })
	switch a := rapid.SampledFrom(calls).Draw(t, "edited call"); rapid.IntRange(0, 3).Draw(t, "edit") {
	case 0:
		h.EstablishedBy[rapid.SampledFrom(conds).Draw(t, "edited condition")] = sop.L(a)
	case 1:
		h.Requires[a] = nil
	default:
		h.Requires[a] = other.Requires[other.Goal].Map(rename)
		for i, o := range h.Outcomes {
			if o.End == a && o.Tree.Equal(g.Requires[a]) {
				h.Outcomes[i].Tree = h.Requires[a]
			}
		}
	}
	return &h
}

func TestDiffAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Graph(t)
		h := edited(t, g)
		if rapid.IntRange(0, 3).Draw(t, "a call demanded") == 0 {
			h = demanding(t, g)
		}
		d, err := sop.Diff(g, h)
		if err != nil {
			t.Fatalf("Diff: %v\n%s\n%s", err, text(g), text(h))
		}
		oracle := soptest.New(h)
		show := func() string { return fmt.Sprintf("Diff = %s\ng %s\nh %s", text(d), text(g), text(h)) }
		cyclic := oracle.Cyclic()
		switch {
		case d != nil && d.Cycle != nil:
			if !cyclic || !isCycle(oracle.Edges(), d.Cycle) {
				t.Fatalf("no such cycle: %s", show())
			}
			return
		case cyclic:
			t.Fatalf("a cycle is not seen: %s", show())
		}
		satisfiable := soptest.Satisfiable(g, h)
		switch {
		case d != nil && d.Unsatisfiable:
			if satisfiable {
				t.Fatalf("the goal can be reached: %s", show())
			}
			return
		case !satisfiable:
			t.Fatalf("the goal cannot be reached: %s", show())
		}
		bound := 4
		if d != nil && d.Witness != nil {
			facts, w := d.Witness.Facts, d.Witness.Workflow
			if soptest.New(g).Accepted(facts, w) == oracle.Accepted(facts, w) {
				t.Fatalf("both or neither accept the witness: %s", show())
			}
			for _, x := range []*sop.Graph{g, h} {
				if !soptest.Consistent(x, facts) {
					t.Fatalf("the witness is not consistent: %s", show())
				}
			}
			bound = min(bound, len(w)-1)
		}
		if w := soptest.Difference(g, h, bound); w != nil {
			t.Fatalf("shorter witness %s: %s", text(w), show())
		}
	})
}

func isCycle(edges [][2]string, cycle []string) bool {
	for i := range cycle[1:] {
		if !slices.Contains(edges, [2]string{cycle[i], cycle[i+1]}) {
			return false
		}
	}
	return len(cycle) > 1 && cycle[0] == cycle[len(cycle)-1]
}

func TestDiffOfEqualMeaningsIsNil(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := *anyGraph(t)
		h := g
		h.Requires, h.Outcomes = map[string]*sop.Tree{}, nil
		for a, tree := range g.Requires {
			h.Requires[a] = tree.Canonical()
		}
		for _, o := range g.Outcomes {
			h.Outcomes = append(h.Outcomes, sop.Outcome{End: o.End, Tree: o.Tree.Canonical()})
		}
		d, err := sop.Diff(&g, &h)
		if err != nil {
			t.Fatalf("Diff: %v", err)
		}
		if d != nil && d.Witness != nil {
			t.Fatalf("Diff = %s of the canonical forms\n%s", text(d), text(g))
		}
	})
}

func TestResidualAgreesWithCheck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Graph(t)
		length := 3
		if rapid.IntRange(0, 2).Draw(t, "from a domain") == 0 {
			g = &soptest.Variant(t).Graph
			length = 2
		}
		facts := soptest.Facts(t, g)
		oracle := soptest.New(g)
		h := history(t, g, oracle, facts)
		r, s, err := sop.Residual(g, &sop.Scenario{Facts: facts}, h)
		if err != nil {
			if !oracle.Broken(facts, h) && len(g.Effects) == 0 {
				t.Fatalf("Residual(%v): %v\ngraph %s\nfacts %v", h, err, text(g), facts)
			}
			return
		}
		rest := soptest.New(r)
		inner := items(r)
		soptest.Continuations(items(g), length, func(w sop.Workflow) {
			whole := oracle.Check(facts, append(slices.Clone(h), w...))
			later := slices.DeleteFunc(whole, func(v sop.Violation) bool { return v.Position < len(h) })
			got := rest.Check(s.Facts, w)
			same := (len(later) == 0) == (len(got) == 0)
			within := !slices.ContainsFunc(w, func(x string) bool { return x == "outsider" || !slices.Contains(inner, x) })
			if same && within && len(got) > 0 {
				same = got[0].Kind == later[0].Kind && got[0].Position == later[0].Position-len(h)
			}
			if !same {
				t.Fatalf("after %v, %v: %s, in the residual: %s\ngraph %s\nfacts %v\nresidual %s\nfacts %v",
					h, w, verdict(later), verdict(got), text(g), facts, text(r), s.Facts)
			}
		})
	})
}

func TestResidualRefuses(t *testing.T) {
	g := &sop.Graph{
		Goal:          "g",
		Requires:      map[string]*sop.Tree{"g": sop.T(sop.Seq, sop.L("p"), sop.L("q")), "p": nil, "q": nil},
		EstablishedBy: map[string]*sop.Tree{"p": sop.L("p"), "q": sop.L("q")},
		Outcomes:      []sop.Outcome{{End: "g", Tree: sop.T(sop.Seq, sop.L("p"), sop.L("q"))}, {End: sop.Deny}},
	}
	s := &sop.Scenario{Facts: map[string]bool{"p": true, "q": true}}
	for name, h := range map[string]sop.Workflow{
		"an end":         {"p", sop.Deny},
		"outside":        {"r"},
		"a broken order": {"q"},
	} {
		if r, _, err := sop.Residual(g, s, h); err == nil {
			t.Errorf("%s: Residual(%v) = %s, want an error", name, h, text(r))
		}
	}
}
