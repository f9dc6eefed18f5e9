package augment_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
)

const transfer = `{"goal":"transfer",
	"requires":{"login":null,"look":"signed_in","transfer":{"all":["signed_in","funds"]}},
	"established_by":{"signed_in":"login","funds":"look"},
	"outcomes":[{"end":"transfer","tree":{"all":["signed_in","funds"]}},{"end":"deny","tree":null}]}`

func graphOf(text string) *sop.Graph {
	var g sop.Graph
	if err := json.Unmarshal([]byte(text), &g); err != nil {
		panic(err)
	}
	return &g
}

func ExampleEditor_Connectives() {
	for _, e := range augment.NewEditor(graphOf(transfer)).Connectives() {
		fmt.Println(e.How, e.At, e.Graph().Requires["transfer"])
	}
	// Output:
	// all_any transfer {"any":["funds","signed_in"]}
	// all_seq transfer {"seq":["funds","signed_in"]}
	// all_seq_back transfer {"seq":["signed_in","funds"]}
}

func ExampleEditor_Edges() {
	for _, e := range augment.NewEditor(graphOf(transfer)).Edges() {
		g := e.Graph()
		fmt.Println(e.How, e.At, g.EstablishedBy, g.Edges())
	}
	// Output:
	// told funds map[funds:"conversation" signed_in:"login"] [[login transfer]]
	// told signed_in map[funds:"look" signed_in:"conversation"] [[look transfer]]
}

func all(g *sop.Graph, others []augment.Other) []augment.GraphEdit {
	e := augment.NewEditor(g)
	return slices.Concat(e.Cycles(), e.Preconditions(others), e.Edges(), e.Connectives())
}

// A circle comes of the operator cycle and of no other; no edit is the graph
// itself; two operators never make the same graph; the goal's outcome changes
// with its requirement; and nothing is named that is not there.
func TestGraphOperatorsAreDisjoint(t *testing.T) {
	vip := augment.Other{Name: "vip", Graph: func() *sop.Graph {
		return graphOf(`{"goal":"x","requires":{"x":"vip","ask":null},"established_by":{"vip":"ask"}}`)
	}}
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Variant(t).Graph.Canonical()
		before := g.Key()
		made := map[string]augment.GraphEdit{}
		for _, e := range all(g, []augment.Other{vip}) {
			h := e.Graph()
			if h == nil {
				continue
			}
			show := func() string {
				return fmt.Sprintf("%s/%s at %s\n%s\n%s", e.Operator, e.How, e.At, g.Key(), h.Key())
			}
			if h.Key() == before || h.Key() != h.Canonical().Key() {
				t.Fatalf("the graph itself, or not canonical: %s", show())
			}
			if cyclic := h.Cycle() != nil; cyclic != (e.Operator == augment.Cycle) {
				t.Fatalf("a circle is %v: %s", cyclic, show())
			}
			if first, twice := made[h.Key()]; twice && first.Operator != e.Operator {
				t.Fatalf("%s/%s makes the same: %s", first.Operator, first.How, show())
			}
			made[h.Key()] = e
			if _, err := sop.Compile(h); err != nil {
				t.Fatalf("%v: %s", err, show())
			}
			for i, o := range g.Outcomes {
				if rule, isCall := g.Requires[o.End]; isCall && rule.Equal(o.Tree) && !h.Outcomes[i].Tree.Equal(h.Requires[o.End]) {
					t.Fatalf("the outcome %s keeps its tree: %s", o.End, show())
				}
			}
		}
		if g.Key() != before {
			t.Fatalf("the graph was changed: %s, was %s", g.Key(), before)
		}
	})
}

// The edits of the graph above, by hand.
func TestGraphEdits(t *testing.T) {
	g := graphOf(transfer)
	got := map[string]int{}
	for _, e := range all(g, nil) {
		if e.Graph() != nil {
			got[string(e.Operator)+"/"+e.How]++
		}
	}
	want := map[string]int{
		// login may not demand what login, look or transfer make known: funds,
		// signed_in; look not funds, beside signed_in or in its place.
		"cycle/need": 3, "cycle/swap": 1,
		// Calls that are no conditions: login, look, transfer demanded by login;
		// look, transfer by look; transfer by transfer.
		"cycle/answer": 6,
		// signed_in, which look and transfer need, shown by look or transfer;
		// funds, which transfer needs, shown by transfer.
		"cycle/source": 3,
		// signed_in dropped from look, each leaf from transfer.
		"precondition/drop":  3,
		"edge/told":          2,
		"connective/all_any": 1, "connective/all_seq": 1, "connective/all_seq_back": 1,
	}
	if !maps.Equal(got, want) {
		t.Errorf("edits %v, want %v", got, want)
	}
}

// An edge goes with a call that is removed from a source, or comes with a call
// that a requirement demands besides.
func TestEdgeEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Variant(t).Graph.Canonical()
		for _, e := range augment.NewEditor(g).Edges() {
			h := e.Graph()
			if h == nil {
				continue
			}
			if e.How == "add" {
				demands := func(u string) bool {
					want := sop.L(u)
					if rule := g.Requires[e.At]; rule != nil {
						want = sop.T(sop.All, rule, want)
					}
					_, isCall := g.Requires[u]
					return isCall && want.Canonical().Equal(h.Requires[e.At]) && slices.Contains(h.Edges(), [2]string{u, e.At})
				}
				if !slices.ContainsFunc(slices.Collect(maps.Keys(g.Requires)), demands) {
					t.Fatalf("%s demands %s, demanded %s", e.At, h.Requires[e.At], g.Requires[e.At])
				}
				continue
			}
			calls := func(g *sop.Graph) []string { return g.EstablishedBy[e.At].Names() }
			if e.How == "told" && (len(calls(g)) != 1 || !slices.Equal(calls(h), []string{sop.Conversation})) {
				t.Fatalf("%s is made known by %v, was by %v", e.At, calls(h), calls(g))
			}
			if e.How == "cut" && len(g.EstablishedBy[e.At].Parts) == 0 {
				t.Fatalf("%s had %v alone", e.At, calls(g))
			}
			for c, source := range h.EstablishedBy {
				if c != e.At && !source.Equal(g.EstablishedBy[c]) {
					t.Fatalf("%s at %s changes the source of %s", e.How, e.At, c)
				}
			}
			for call, rule := range h.Requires {
				if !rule.Equal(g.Requires[call]) {
					t.Fatalf("%s at %s changes the requirement of %s", e.How, e.At, call)
				}
			}
		}
	})
}

func TestSwapTakesTheOthersSourceOver(t *testing.T) {
	vip := augment.Other{Name: "vip", Graph: func() *sop.Graph {
		return graphOf(`{"goal":"x","requires":{"x":"vip","ask":"polite"},"established_by":{"vip":"ask","polite":"conversation"}}`)
	}}
	for _, e := range augment.NewEditor(graphOf(transfer)).Preconditions([]augment.Other{vip}) {
		if e.How != "swap_other" || e.At != "transfer" {
			continue
		}
		key := e.Graph().Key()
		for _, part := range []string{`ask="polite"`, `vip="ask"`, `polite="conversation"`} {
			if !strings.Contains(key, part) {
				t.Errorf("%s lacks %s", key, part)
			}
		}
		if strings.Contains(key, "x=") {
			t.Errorf("%s has the goal of the other graph", key)
		}
	}
}
