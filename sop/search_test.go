package sop_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
)

func graphOf(t *testing.T, s string) *sop.Graph {
	t.Helper()
	var g sop.Graph
	if err := json.Unmarshal([]byte(s), &g); err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	return &g
}

func TestNext(t *testing.T) {
	for _, tt := range []struct {
		about, graph string
		cases        []string // facts | history | right next actions
	}{
		{"either check first", `{"goal":"pay",
			"requires":{"login":null,"look":null,"pay":{"all":["login","funds"]}},
			"established_by":{"login":"login","funds":"look"},
			"outcomes":[{"end":"pay","tree":{"all":["login","funds"]}},{"end":"deny","tree":null}]}`, []string{
			"login funds | | login look",
			"login funds | login | look",
			"login funds | look login | pay",
			"funds | login | deny",
		}},
		{"a broken order leaves no way", `{"goal":"pay",
			"requires":{"login":null,"look":null,"pay":{"seq":["login","funds"]}},
			"established_by":{"login":"login","funds":"look"},
			"outcomes":[{"end":"pay","tree":{"seq":["login","funds"]}},{"end":"deny","tree":null}]}`, []string{
			"login funds | | login",
			"login | | login look", // funds is false: the refusal is right in any order
			"login funds | look | ",
		}},
		{"an effect has to be brought about again on the way", `{"goal":"pay",
			"requires":{"a":null,"b":"x","c":{"any":[]},"d":{"all":["x","y"]},"pay":"z"},
			"established_by":{"x":"c","y":"c","z":"d"},
			"effects":{"a":{"x":true},"b":{"x":false,"y":true}},
			"outcomes":[{"end":"pay","tree":"z"},{"end":"deny","tree":null}]}`, []string{
			"z | | a",
			"z | a b a | d",
		}},
		{"an end whose own rule fails leaves no way", `{"goal":"pay",
			"requires":{"a":null,"pay":"q"},
			"established_by":{"p":"a","q":"conversation"},
			"outcomes":[{"end":"pay","tree":"p"},{"end":"deny","tree":null}]}`, []string{
			"p | | ",
			"p q | | a",
			"q | | a",
		}},
	} {
		m, err := sop.Compile(graphOf(t, tt.graph))
		if err != nil {
			t.Fatalf("%s: %v", tt.about, err)
		}
		for _, c := range tt.cases {
			f := strings.Split(c, "|")
			facts := map[string]bool{}
			for _, name := range strings.Fields(f[0]) {
				facts[name] = true
			}
			if got, want := m.Next(facts, strings.Fields(f[1])), strings.Fields(f[2]); !slices.Equal(got, want) {
				t.Errorf("%s: %s: got %v", tt.about, c, got)
			}
		}
	}
}

func TestDiff(t *testing.T) {
	const pay = `{"goal":"pay","requires":{"login":null,"look":null,"pay":TREE},
		"established_by":{"login":"login","funds":"look"},
		"outcomes":[{"end":"pay","tree":TREE},{"end":"deny","tree":null}]}`
	const again = `{"goal":"end","requires":{"a":TREE,"end":null},"established_by":{"p":"conversation"},"depends_on":{"p":{"any":[]}},
		"effects":{"a":{"p":true}},"outcomes":[{"end":"end","tree":null}]}`
	for _, tt := range []struct{ about, graph, right, other, want string }{
		{"the same", pay, `{"all":["login","funds"]}`, `{"all":["funds","login"]}`, "null"},
		{"doubled negation", pay, `"login"`, `{"not":{"not":"login"}}`, "null"},
		{"an order more", pay, `{"all":["login","funds"]}`, `{"seq":["login","funds"]}`, "3 calls"},
		{"a condition less", pay, `{"all":["login","funds"]}`, `"login"`, "2 calls"},
		{"a condition exchanged", pay, `"login"`, `"funds"`, "2 calls"},
		{"any for all", pay, `{"all":["login","funds"]}`, `{"any":["login","funds"]}`, "2 calls"},
		{"a contradiction", pay, `"login"`, `{"all":["login",{"not":"login"}]}`, "unsatisfiable"},
		{"the call that needs itself", pay, `"login"`, `{"all":["login","pay"]}`, "cycle"},
		{"no rule against an impossible one", pay, `null`, `{"any":[]}`, "unsatisfiable"},
		{"a call that may not be made twice", again, `{"not":"p"}`, `null`, "3 calls"},
	} {
		fill := func(tree string) *sop.Graph { return graphOf(t, strings.ReplaceAll(tt.graph, "TREE", tree)) }
		d, err := sop.Diff(fill(tt.right), fill(tt.other))
		if err != nil {
			t.Errorf("%s: %v", tt.about, err)
			continue
		}
		got := "null"
		switch {
		case d != nil && d.Cycle != nil:
			got = "cycle"
		case d != nil && d.Unsatisfiable:
			got = "unsatisfiable"
		case d != nil:
			got = string(rune('0'+len(d.Witness.Workflow))) + " calls"
		}
		if got != tt.want {
			t.Errorf("%s: Diff = %s (%s), want %s", tt.about, got, text(d), tt.want)
		}
	}
}

func TestResidual(t *testing.T) {
	g := graphOf(t, `{"goal":"pay",
		"requires":{"login":null,"look":"login","ask":null,"pay":{"any":[{"all":["login","funds"]},"vip"]}},
		"established_by":{"login":"login","funds":"look","vip":"ask"},
		"outcomes":[{"end":"pay","tree":{"any":[{"all":["login","funds"]},"vip"]}},{"end":"deny","tree":null}]}`)
	for _, tt := range []struct {
		facts    map[string]bool
		calls    []string // left in the residual, the goal aside
		goalTree string
	}{
		{map[string]bool{"login": true}, []string{"ask", "look"}, `{"any":["funds","vip"]}`},
		{map[string]bool{"login": false}, []string{"ask"}, `"vip"`},
	} {
		r, _, err := sop.Residual(g, &sop.Scenario{Facts: tt.facts}, sop.Workflow{"login"})
		if err != nil {
			t.Errorf("%v: %v", tt.facts, err)
			continue
		}
		var calls []string
		for a := range r.Requires {
			if a != "pay" {
				calls = append(calls, a)
			}
		}
		slices.Sort(calls)
		if tree := r.Outcomes[0].Tree.Canonical().String(); !slices.Equal(calls, tt.calls) || tree != tt.goalTree {
			t.Errorf("%v: calls %v and goal %s, want %v and %s", tt.facts, calls, tree, tt.calls, tt.goalTree)
		}
	}
}

// A state has room for a bounded number of orders and of their parts.
func TestCompileBoundsOrders(t *testing.T) {
	tree := func(orders, parts int) *sop.Tree {
		var leaves, all []*sop.Tree
		for range parts {
			leaves = append(leaves, sop.L("c"))
		}
		for range orders {
			all = append(all, sop.T(sop.FirstOf, leaves...))
		}
		half := orders / 2
		return sop.T(sop.Any, sop.T(sop.Any, all[:half]...), sop.T(sop.Any, all[half:]...))
	}
	for _, tt := range []struct {
		orders, parts int
		ok            bool
	}{{64, 2, true}, {65, 2, false}, {4, 64, true}, {5, 64, false}, {4, 33, true}, {5, 33, false}} {
		rule := tree(tt.orders, tt.parts)
		_, err := sop.Compile(&sop.Graph{
			Goal: "g", Requires: map[string]*sop.Tree{"g": rule, "c": nil}, EstablishedBy: map[string]*sop.Tree{"c": sop.L("c")},
			Outcomes: []sop.Outcome{{End: "g", Tree: rule}, {End: sop.Deny}},
		})
		if (err == nil) != tt.ok || err != nil && !strings.Contains(err.Error(), "whose parts have an order") {
			t.Errorf("%d orders of %d parts: %v, want an error: %v", tt.orders, tt.parts, err, !tt.ok)
		}
	}
}
