package sop_test

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
	"pgregory.net/rapid"
)

// Most mistakes of an interpreter show in few of the random graphs.
func TestMain(m *testing.M) {
	flag.Set("rapid.checks", "400")
	flag.Set("rapid.nofailfile", "true") // the seed that is printed will do
	os.Exit(m.Run())
}

func TestTreeJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		for a, tree := range g.Requires {
			if tree == nil {
				continue
			}
			b, err := json.Marshal(tree)
			if err != nil || string(b) != tree.String() {
				t.Fatalf("Marshal(%s) = %s, %v", tree, b, err)
			}
			var back sop.Tree
			if err := json.Unmarshal(b, &back); err != nil || !back.Equal(tree) {
				t.Fatalf("%s: %s comes back as %s, %v", a, b, &back, err)
			}
		}
	})
}

func TestGraphJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		first := text(g)
		var back sop.Graph
		if err := json.Unmarshal([]byte(first), &back); err != nil {
			t.Fatalf("%v: %s", err, first)
		}
		if second := text(&back); second != first {
			t.Fatalf("%s\ncomes back as\n%s", first, second)
		}
		for a, tree := range g.Requires {
			if !back.Requires[a].Equal(tree) {
				t.Fatalf("%s: %s comes back as %s", a, tree, back.Requires[a])
			}
		}
		facts, w := soptest.Facts(t, g), soptest.Workflow(t, g)
		if got, want := verdict(compile(t, &back).Check(facts, w)), verdict(compile(t, g).Check(facts, w)); got != want {
			t.Fatalf("Check says %s after the round trip, %s before: %s", got, want, first)
		}
	})
}

func TestCanonicalKeepsMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := *anyGraph(t)
		c := g
		c.Requires = map[string]*sop.Tree{}
		for a, tree := range g.Requires {
			c.Requires[a] = tree.Canonical()
			if again := c.Requires[a].Canonical(); !again.Equal(c.Requires[a]) {
				t.Fatalf("Canonical of %s is %s, and of that %s", tree, c.Requires[a], again)
			}
		}
		c.Outcomes = slices.Clone(g.Outcomes)
		for i, o := range g.Outcomes {
			c.Outcomes[i].Tree = o.Tree.Canonical()
		}
		facts := soptest.Facts(t, &g)
		w := soptest.WorkflowFor(t, &g, facts)
		if got, want := verdict(compile(t, &c).Check(facts, w)), verdict(compile(t, &g).Check(facts, w)); got != want {
			t.Fatalf("%v: canonical %s, as written %s\n%s\n%s", w, got, want, text(&g), text(&c))
		}
	})
}

// anyTree draws a tree whose names need not be identifiers.
func anyTree(t *rapid.T, depth int) *sop.Tree {
	op := rapid.SampledFrom([]sop.Op{sop.Leaf, sop.Leaf, sop.Not, sop.All, sop.Any, sop.Seq}).Draw(t, "op")
	if op == sop.Leaf || depth == 0 {
		return sop.L(rapid.OneOf(rapid.StringMatching(`[ab]{1,3}(\([ab]=b(, b=a)?\))?`), rapid.StringOfN(rapid.SampledFrom([]rune(`a"! <\é`)), 0, 3, -1)).Draw(t, "name"))
	}
	if op == sop.Not {
		return sop.T(sop.Not, anyTree(t, depth-1))
	}
	tree := sop.T(op)
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		tree.Parts = append(tree.Parts, anyTree(t, depth-1))
	}
	return tree
}

func TestCanonicalSortsByJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		anyTree(t, 4).Canonical().Walk(func(n *sop.Tree) {
			switch n.Op {
			case sop.Leaf:
				if got, want := n.String(), text(n.Name); got != want {
					t.Fatalf("%q is written %s, want %s", n.Name, got, want)
				}
			case sop.All, sop.Any:
				if !slices.IsSortedFunc(n.Parts, func(a, b *sop.Tree) int { return strings.Compare(a.String(), b.String()) }) {
					t.Fatalf("parts are out of order: %s", n)
				}
			}
		})
	})
}

var identifier = rapid.StringMatching(`[a-z_][a-zA-Z0-9_]{0,6}`)

func TestNameRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sop.Name{Base: identifier.Draw(t, "base"), Args: rapid.MapOf(identifier, identifier).Draw(t, "args")}
		blank := rapid.SampledFrom([]string{"", " "}).Draw(t, "blank")
		s := n.String()
		loose := blank + strings.NewReplacer("(", blank+"("+blank, "=", blank+"="+blank, ",", blank+",", ")", blank+")").Replace(s) + blank
		back, err := sop.ParseName(loose)
		if err != nil || back.String() != s {
			t.Fatalf("ParseName(%q) = %v, %v, want %s", loose, back, err, s)
		}
		for k := range n.Args {
			if back.Source(k) != n.Source(k) {
				t.Fatalf("%s: source of %s is %s, want %s", s, k, back.Source(k), n.Source(k))
			}
		}
	})
}

func TestParseNameRefuses(t *testing.T) {
	for _, s := range []string{"", " ", "1a", "a b", "a(", "a)", "a(b)", "a(b=)", "a(=c)", "a(b=c", "a(b=c))", "a(b=c,)", "a(b=c, b=d)", "a(b=c) d", "ä", "a-b"} {
		if n, err := sop.ParseName(s); err == nil {
			t.Errorf("ParseName(%q) = %v, want an error", s, n)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("ParseName(%q): the error has more than one line: %v", s, err)
		}
	}
}

func expr(t *rapid.T, depth int) *sop.Expr {
	switch op := rapid.SampledFrom([]byte("nv+-*/")).Draw(t, "op"); {
	case op == 'v' || op != 'n' && depth == 0:
		n := sop.Name{Base: identifier.Draw(t, "name"), Args: rapid.MapOfN(identifier, identifier, 0, 2).Draw(t, "args")}
		return &sop.Expr{Op: 'v', Name: n.String()}
	case op == 'n':
		return &sop.Expr{Op: 'n', Num: rapid.SampledFrom([]float64{0, 1, 2.5, 0.01, 1e9, 750.25, -3}).Draw(t, "number")}
	default:
		return &sop.Expr{Op: op, L: expr(t, depth-1), R: expr(t, depth-1)}
	}
}

func TestComparisonRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &sop.Comparison{Left: expr(t, 3), Op: rapid.SampledFrom([]string{"<", "<=", ">", ">=", "==", "!="}).Draw(t, "operator"), Right: expr(t, 3)}
		back, err := sop.ParseComparison(c.String())
		if err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("ParseComparison(%q) = %v, %v", c.String(), back, err)
		}
		tight, err := sop.ParseComparison(strings.ReplaceAll(c.String(), " ", ""))
		if err != nil || !reflect.DeepEqual(tight, c) {
			t.Fatalf("without blanks %q is %v, %v", c.String(), tight, err)
		}
		numbers := map[string]float64{}
		for i, n := range c.Names() {
			numbers[n] = float64(i) - 1.5
		}
		holds, ok := c.Holds(numbers)
		opposite := &sop.Comparison{Left: c.Left, Op: map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}[c.Op], Right: c.Right}
		if not, ok2 := opposite.Holds(numbers); ok != ok2 || ok && holds == not {
			t.Fatalf("%s is %v, %v and %s is %v, %v", c, holds, ok, opposite, not, ok2)
		}
	})
}

func TestComparisonHolds(t *testing.T) {
	numbers := map[string]float64{"balance": 500, "fee": 20, "balance(username=payee)": 10, "none": 0}
	for s, want := range map[string]bool{
		"balance >= 500": true, "balance > 500": false, "balance <= 500": true, "balance < 500": false,
		"balance == 500": true, "balance != 500": false,
		"balance - fee - fee == 460": true, "balance - (fee - fee) == 500": true,
		"2 + 3 * 4 == 14": true, "(2 + 3) * 4 == 20": true, "100 / 10 / 5 == 2": true, "100 / (10 / 5) == 50": true,
		"balance(username=payee) < fee": true, "-1 < none": true,
		// Decimals, which binary fractions would get wrong.
		"1999.99 <= 5000 - 3000.01": true, "3499.57 <= 5000 - 1500.43": true, "0.1 + 0.2 == 0.3": true,
		"0 <= fee <= 20": true, "0 < none <= 20": false, "20 > fee > 0": false, "fee <= balance == 500": true,
		"1999.99 < 5000 - 3000.01": false, "8213.95 <= 13436 - 5222.06": false, "12800 <= 64000 * 20 / 100": true,
	} {
		c, err := sop.ParseComparison(s)
		if err != nil {
			t.Errorf("ParseComparison(%q): %v", s, err)
			continue
		}
		if got, ok := c.Holds(numbers); !ok || got != want {
			t.Errorf("%s: Holds = %v, %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"missing > 1", "1 / none > 0", "balance > 1 / none"} {
		c, err := sop.ParseComparison(s)
		if err != nil {
			t.Errorf("ParseComparison(%q): %v", s, err)
		} else if _, ok := c.Holds(numbers); ok {
			t.Errorf("%s: Holds is ok, want not", s)
		}
	}
	for _, s := range []string{"", "a", "a >", "> a", "a > b > c > d", "a = b", "(a > b", "a + > b", "a b > c", "1.2.3 > 1", "a(b > c", "a(b=) > 1", strings.Repeat("(", 1000) + "a > 1"} {
		if c, err := sop.ParseComparison(s); err == nil {
			t.Errorf("ParseComparison(%q) = %s, want an error", s, c)
		}
	}
}

func TestTreeOfRefuses(t *testing.T) {
	for _, s := range []string{`1`, `true`, `[]`, `{}`, `{"all":["a"],"any":["b"]}`, `{"and":["a"]}`, `{"all":"a"}`, `{"all":[null]}`,
		`{"not":null}`, `{"not":["a"]}`, `"a b"`, `""`, strings.Repeat(`{"not":`, 100) + `"a"` + strings.Repeat(`}`, 100)} {
		var v any
		if err := json.Unmarshal([]byte(s), &v); err != nil {
			t.Fatal(err)
		}
		if tree, err := sop.TreeOf(v); err == nil {
			t.Errorf("TreeOf(%s) = %s, want an error", s, tree)
		}
	}
}

func FuzzTreeOf(f *testing.F) {
	for _, s := range []string{`null`, `"a(b=c)"`, `{"not":{"seq":["a",{"first_of":[]}]}}`, `{"all":[1]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v any
		if json.Unmarshal(b, &v) != nil {
			return
		}
		tree, err := sop.TreeOf(v)
		if err != nil || tree == nil {
			return
		}
		var back sop.Tree
		if err := json.Unmarshal([]byte(tree.String()), &back); err != nil || !back.Equal(tree) {
			t.Errorf("%s comes back as %s, %v", tree, &back, err)
		}
		if c := tree.Canonical(); !c.Canonical().Equal(c) {
			t.Errorf("Canonical of %s is not its own", c)
		}
	})
}

func FuzzParseName(f *testing.F) {
	for _, s := range []string{"a", "a(b=c, d=e)", "a(b=b)", "a()", "a((b=c)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := sop.ParseName(s)
		if err != nil {
			return
		}
		if back, err := sop.ParseName(n.String()); err != nil || back.String() != n.String() {
			t.Errorf("%q is %s, which comes back as %s, %v", s, n, back, err)
		}
	})
}

func FuzzParseComparison(f *testing.F) {
	for _, s := range []string{"a >= 1", "(a + b(c=d)) * -2 / 3 != x - (y - 1)", "a < b <", "((((a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := sop.ParseComparison(s)
		if err != nil {
			return
		}
		if back, err := sop.ParseComparison(c.String()); err != nil || back.String() != c.String() {
			t.Errorf("%q is %s, which comes back as %s, %v", s, c, back, err)
		}
	})
}

func FuzzGraphJSON(f *testing.F) {
	for _, tt := range checkTests {
		f.Add([]byte(tt.graph))
	}
	f.Add([]byte(`{"requires":{"a":null},"established_by":{"a":null},"outcomes":[{"end":"a","tree":"a"}]}`))
	f.Add([]byte(`{"outcomes":[{"end":"","tree":{"any":[]}}],"effects":{"x":{"y":true}},"excludes":[[],["z","z"]]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var g sop.Graph
		if json.Unmarshal(b, &g) != nil {
			return
		}
		first := text(&g)
		var back sop.Graph
		if err := json.Unmarshal([]byte(first), &back); err != nil || text(&back) != first {
			t.Errorf("%s comes back as %s, %v", first, text(&back), err)
		}
		g.Edges()
		if m, err := sop.Compile(&g); err == nil && len(g.Requires) < 6 && len(g.EstablishedBy) < 6 {
			m.Check(nil, sop.Workflow{"a", g.Goal})
			m.Next(nil, nil)
		}
	})
}
