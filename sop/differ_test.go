package sop_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
)

// sameDifference fails unless the Differ says of h what Diff says, with a
// witness that is one.
func sameDifference(t *rapid.T, d *sop.Differ, g, h *sop.Graph) {
	want, err := sop.Diff(g, h)
	if err != nil {
		t.Fatalf("Diff: %v", err)
	}
	got, err := d.Diff(h)
	if err != nil {
		t.Fatalf("Differ.Diff: %v\ng %s\nh %s", err, text(g), text(h))
	}
	show := func() string {
		return fmt.Sprintf("Differ.Diff = %s, Diff = %s\ng %s\nh %s", text(got), text(want), text(g), text(h))
	}
	if kindOf(got) != kindOf(want) {
		t.Fatalf("another kind: %s", show())
	}
	quick, err := d.Prove(h)
	if err == nil && quick != nil && kindOf(quick) != kindOf(want) && !(quick.Witness != nil && want != nil && want.Unsatisfiable) {
		t.Fatalf("Prove = %s, %v: %s", text(quick), err, show())
	}
	for _, d := range []*sop.Difference{got, quick} {
		if d != nil && d.Witness != nil {
			tellsApart(t, g, h, d.Witness, show)
		}
	}
}

func tellsApart(t *rapid.T, g, h *sop.Graph, w *sop.Witness, show func() string) {
	for _, x := range []*sop.Graph{g, h} {
		for c := range x.EstablishedBy {
			if _, told := w.Facts[c]; !told {
				t.Fatalf("the facts lack %s: %s", c, show())
			}
		}
		if !x.Consistent(w.Facts) {
			t.Fatalf("the facts are not consistent: %s", show())
		}
	}
	if accepts(t, g, w) == accepts(t, h, w) {
		t.Fatalf("both or neither accept the witness: %s", show())
	}
}

func kindOf(d *sop.Difference) string {
	switch {
	case d == nil:
		return "none"
	case d.Cycle != nil:
		return "cycle"
	case d.Unsatisfiable:
		return "unsatisfiable"
	}
	return "witness"
}

func accepts(t *rapid.T, g *sop.Graph, w *sop.Witness) bool {
	m, err := sop.Compile(g)
	if err != nil {
		t.Fatalf("Compile: %v", err)
	}
	faultless := !slices.ContainsFunc(m.Check(w.Facts, w.Workflow), func(v sop.Violation) bool { return v.Kind.Fault() })
	if faultless != m.Accepts(w.Facts, w.Workflow) {
		t.Fatalf("Accepts and Check do not agree on %v\n%s", w.Workflow, text(g))
	}
	return faultless
}

func TestDifferAgreesWithDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Graph(t)
		if rapid.Bool().Draw(t, "from a domain") {
			g = &soptest.Variant(t).Graph
		}
		d, err := sop.NewDiffer(g)
		if err != nil {
			t.Fatalf("NewDiffer: %v", err)
		}
		for range 3 {
			sameDifference(t, d, g, edited(t, g))
		}
		sameDifference(t, d, g, g)
	})
}

// A call without a condition of its name, used as one, answers yes: to demand
// it is to demand the call.
func TestDifferOfAnAddedCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &soptest.Variant(t).Graph
		d, err := sop.NewDiffer(g)
		if err != nil {
			t.Fatalf("NewDiffer: %v", err)
		}
		sameDifference(t, d, g, demanding(t, g))
	})
}

func TestAddedCallIsTrueInEveryWorld(t *testing.T) {
	g := graphOf(t, `{"goal":"pay","requires":{"login":null,"pay":"signed_in"},"established_by":{"signed_in":"login"},
		"outcomes":[{"end":"pay","tree":"signed_in"},{"end":"deny","tree":null}]}`)
	h := g.Restate(map[string]*sop.Tree{"login": nil, "pay": sop.T(sop.All, sop.L("signed_in"), sop.L("login"))},
		map[string]*sop.Tree{"signed_in": sop.L("login"), "login": sop.L("login")})
	if d, err := sop.Diff(g, h); err != nil || d != nil {
		t.Errorf("Diff = %s, %v: login is called anyway, want none", text(d), err)
	}
	d, err := sop.NewDiffer(g)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Diff(h); err != nil || got != nil {
		t.Errorf("Differ.Diff = %s, %v, want none", text(got), err)
	}
}

func TestRestateOfItselfIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &soptest.Variant(t).Graph
		h := g.Restate(g.Requires, g.EstablishedBy)
		if text(h) != text(g.Canonical()) || h.Key() != g.Canonical().Key() {
			t.Fatalf("Restate = %s\nwant %s", text(h), text(g.Canonical()))
		}
	})
}

// What Between finds is a witness in the context of either graph.
func TestBetweenHoldsBothWays(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Graph(t)
		if rapid.Bool().Draw(t, "from a domain") {
			g = soptest.Variant(t).Graph.Canonical()
		}
		g = g.Canonical()
		h := edited(t, g).Canonical()
		if rapid.Bool().Draw(t, "restated") {
			h = g.Restate(h.Requires, h.EstablishedBy)
		}
		a, err := sop.NewDiffer(g)
		if err != nil {
			t.Fatalf("NewDiffer: %v", err)
		}
		b, err := sop.NewDiffer(h)
		if err != nil {
			return
		}
		w := sop.Between(a, b)
		if w == nil {
			return
		}
		found++
		for _, pair := range [][2]*sop.Graph{{g, h}, {h, g}} {
			right, answer := pair[0], pair[0].RestateCanonical(pair[1].Requires, pair[1].EstablishedBy)
			show := func() string {
				return fmt.Sprintf("Between = %s\nright %s\nanswer %s", text(w), text(right), text(answer))
			}
			for _, x := range []*sop.Graph{right, answer} {
				for c := range x.EstablishedBy {
					if fact, told := w.Facts[c]; !told {
						t.Fatalf("the facts lack %s: %s", c, show())
					} else if _, isCall := right.Requires[c]; isCall && right.EstablishedBy[c] == nil && !fact {
						t.Fatalf("%s answers no, but checks nothing: %s", c, show())
					}
				}
				if !x.Consistent(w.Facts) {
					t.Fatalf("the facts are not consistent: %s", show())
				}
			}
			if accepts(t, right, w) == accepts(t, answer, w) {
				t.Fatalf("both or neither accept the witness: %s", show())
			}
		}
	})
	if found == 0 {
		t.Error("Between found nothing")
	}
}

// What proves a graph wrong does so in both readings of blocked, by the
// interpreter that enumerates.
func TestProofsStandInBothReadings(t *testing.T) {
	witnesses := 0
	rapid.Check(t, func(t *rapid.T) {
		g := soptest.Graph(t)
		if rapid.Bool().Draw(t, "from a domain") {
			g = soptest.Variant(t).Graph.Canonical()
		}
		h := edited(t, g)
		d, err := sop.NewDiffer(g)
		if err != nil {
			t.Fatalf("NewDiffer: %v", err)
		}
		x, err := d.Prove(h)
		if err != nil || x == nil || x.Cycle != nil {
			return
		}
		if !d.Stands(h, x) {
			t.Fatalf("%s does not stand\ng %s\nh %s", text(x), text(g), text(h))
		}
		if x.Unsatisfiable {
			if soptest.Literal(h).Satisfiable(g) {
				t.Fatalf("the goal can be reached\ng %s\nh %s", text(g), text(h))
			}
			return
		}
		witnesses++
		facts, w := x.Witness.Facts, x.Witness.Workflow
		inG, inH := soptest.New(g).Accepted(facts, w), soptest.New(h).Accepted(facts, w)
		if inG == inH || soptest.Literal(g).Accepted(facts, w) != inG || soptest.Literal(h).Accepted(facts, w) != inH {
			t.Fatalf("%s: accepted by g %v, by h %v, otherwise where orders count\ng %s\nh %s", text(x), inG, inH, text(g), text(h))
		}
	})
	if witnesses == 0 {
		t.Error("no proof was a witness")
	}
}

// An order that nobody has broken may be impossible to keep: that the goal is
// still open then is one reading of blocked.
func TestStands(t *testing.T) {
	g := graphOf(t, `{"goal":"pay","requires":{"a":null,"b":null,"c":null,"pay":{"all":[{"seq":["x","y"]},"z"]}},
		"established_by":{"x":"a","y":"b","z":"c"},
		"outcomes":[{"end":"pay","tree":{"all":[{"seq":["x","y"]},"z"]}},{"end":"deny","tree":null}]}`)
	all := `{"a":null,"b":null,"c":null,"pay":`
	sources := `{"x":"a","y":"b","z":"c"`
	for _, tt := range []struct {
		name, requires, sources string
		facts                   string
		workflow                sop.Workflow
		stands                  bool
	}{
		{"known in part too early", all + `{"seq":[{"seq":["x","y"]},{"all":["w","x"]}]}}`, sources + `,"w":"c"}`, "xyw", sop.Workflow{"c", "deny"}, false},
		{"the same, not too early", all + `{"seq":[{"all":["x","y"]},{"all":["w","x"]}]}}`, sources + `,"w":"c"}`, "xyw", sop.Workflow{"c", "deny"}, true},
		{"needed for what it comes after", `{"a":"z","b":null,"c":null,"pay":{"seq":["x","z"]}}`, sources + `}`, "xz", sop.Workflow{"b", "deny"}, false},
		{"broken by the workflow", all + `{"seq":["x","w"]}}`, sources + `,"w":"c"}`, "xyw", sop.Workflow{"c", "deny"}, true},
		{"no order", all + `{"all":["x","w"]}}`, sources + `,"w":"c"}`, "xyw", sop.Workflow{"c", "deny"}, true},
		{"a call too early", `{"a":null,"b":null,"c":"x","pay":{"seq":["x","y"]}}`, sources + `}`, "xy", sop.Workflow{"c", "deny"}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := g.Restate(trees(t, tt.requires), trees(t, tt.sources))
			facts := map[string]bool{}
			for c := range h.EstablishedBy {
				facts[c] = slices.Contains([]byte(tt.facts), c[0])
			}
			d, err := sop.NewDiffer(g)
			if err != nil {
				t.Fatal(err)
			}
			w := &sop.Witness{Facts: facts, Workflow: tt.workflow}
			if got := d.Stands(h, &sop.Difference{Witness: w}); got != tt.stands {
				t.Errorf("Stands = %v, want %v: %s", got, tt.stands, text(h))
			}
			if x, err := d.Prove(h); err != nil || x == nil || !d.Stands(h, x) {
				t.Errorf("Prove = %s, %v, want what stands", text(x), err)
			}
		})
	}
}

func trees(t *testing.T, in string) (out map[string]*sop.Tree) {
	t.Helper()
	if err := json.Unmarshal([]byte(in), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
