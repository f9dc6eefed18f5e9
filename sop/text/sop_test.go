package text_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/sop/soptest"
	"github.com/fmsop/fmsop/sop/text"
	"pgregory.net/rapid"
)

// sopSameReading fails unless doc reads back as v: graph, comparisons, units and
// style.
func sopSameReading(t interface{ Fatalf(string, ...any) }, style text.Style, v *sop.Variant, doc string) {
	r, err := text.ReadSOP(doc)
	if err != nil {
		t.Fatalf("ReadSOP of %s: %v\n%s", style, err, doc)
	}
	if r.Style != style {
		t.Fatalf("style of %s read as %s\n%s", style, r.Style, doc)
	}
	if err := text.SameMeaning(&r.Graph, &v.Graph); err != nil {
		t.Fatalf("%s means something else: %v\n%s", style, err, doc)
	}
	compared := 0
	for name, use := range v.Conditions {
		if use.Compare == nil {
			continue
		}
		compared++
		got := r.Comparisons[name]
		if got == nil || got.String() != use.Compare.String() {
			t.Fatalf("%s: comparison of %s is %v, want %v\n%s", style, name, got, use.Compare, doc)
		}
		for _, value := range use.Compare.Names() {
			if unit, ok := r.Units[value]; !ok || unit != v.Values[value].Unit {
				t.Fatalf("%s: unit of %s is %q, want %q\n%s", style, value, unit, v.Values[value].Unit, doc)
			}
		}
	}
	if len(r.Comparisons) != compared {
		t.Fatalf("%s: %d comparisons, want %d\n%s", style, len(r.Comparisons), compared, doc)
	}
}

func TestSOPReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := soptest.Variant(t)
		style := rapid.SampledFrom(text.Styles).Draw(t, "style")
		seed := rapid.Uint64().Draw(t, "seed")
		doc := text.RenderSOP(style, v, rand.New(rand.NewPCG(seed, 1)))
		sopSameReading(t, style, v, doc)
		if again := text.RenderSOP(style, v, rand.New(rand.NewPCG(seed, 1))); again != doc {
			t.Fatalf("the same seed gives two texts:\n%s\n%s", doc, again)
		}
	})
}

// sopDrawTree draws a tree of any shape over names, empty lists included.
func sopDrawTree(t *rapid.T, names []string, depth int) *sop.Tree {
	ops := []sop.Op{sop.Leaf, sop.Not, sop.All, sop.Any, sop.Seq, sop.FirstOf}
	if depth == 0 {
		ops = ops[:1]
	}
	op := rapid.SampledFrom(ops).Draw(t, "op")
	switch op {
	case sop.Leaf:
		return sop.L(rapid.SampledFrom(names).Draw(t, "name"))
	case sop.Not:
		return sop.T(sop.Not, sopDrawTree(t, names, depth-1))
	}
	node := &sop.Tree{Op: op}
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		node.Parts = append(node.Parts, sopDrawTree(t, names, depth-1))
	}
	return node
}

// sopAwkward are wordings that look like the structure of a document.
var sopAwkward = []string{"both keys turn", "not `x", "either (of) them | holds", "", "all of the following hold: (a) yes",
	"it is not the case that rain falls", "it is settled. End with all", "## Steps", "any of these calls", "x  # y // z", "“quoted” words;",
	"line\n## Scope\nGoal", "- [ ] box", "```", "no outcome listed before it can be reached any more. End with"}

// sopDrawAwkward draws a variant with trees of any shape and awkward wordings.
func sopDrawAwkward(t *rapid.T) *sop.Variant {
	words := func(what string) string { return rapid.SampledFrom(sopAwkward).Draw(t, what) }
	conds := []string{"a", "b(user=payee)", "c", "d", "all", "request"}
	calls := []string{"look", "peek(user=payee)", "goal"}
	v := &sop.Variant{
		Domain:     &sop.Domain{Name: words("domain"), Title: words("office")},
		Procedure:  &sop.Procedure{Title: words("title"), Purpose: words("purpose")},
		Conditions: map[string]*sop.ConditionUse{}, Calls: map[string]*sop.CallUse{}, Values: map[string]*sop.ValueUse{},
		Graph: sop.Graph{Goal: "goal", Requires: map[string]*sop.Tree{}, EstablishedBy: map[string]*sop.Tree{},
			DependsOn: map[string]*sop.Tree{}, Effects: map[string]map[string]bool{}},
	}
	for _, c := range conds {
		v.Conditions[c] = &sop.ConditionUse{Condition: &sop.Condition{Kind: "state"}, Text: words("text"), Negated: words("negated")}
		v.EstablishedBy[c] = sop.L(sop.Conversation)
		if rapid.Bool().Draw(t, "called") {
			v.EstablishedBy[c] = sopDrawTree(t, calls[:2], 2)
		}
		if rapid.Bool().Draw(t, "depends") {
			v.DependsOn[c] = sopDrawTree(t, conds, 2)
		}
	}
	for _, c := range calls {
		v.Calls[c] = &sop.CallUse{Action: &sop.Action{Parameters: []string{"user"}}, Text: words("call")}
		v.Requires[c] = nil
		if rapid.Bool().Draw(t, "requires") {
			v.Requires[c] = sopDrawTree(t, conds, 4)
		}
	}
	v.Effects["look"] = map[string]bool{"a": true, "c": false}
	v.Excludes = [][]string{{"a", "c"}, {"c", "d", "all"}}
	if rapid.Bool().Draw(t, "plain") {
		for range rapid.IntRange(0, 3).Draw(t, "rules") {
			v.Rules = append(v.Rules, sopDrawTree(t, conds, 4))
		}
		v.Requires["goal"] = sop.Conjunction(v.Rules)
		v.Outcomes = []sop.Outcome{{End: "goal", Tree: v.Requires["goal"]}, {End: sop.Deny}}
	} else {
		v.Outcomes = []sop.Outcome{{End: "escalate", Tree: sopDrawTree(t, conds, 3)}, {End: "goal", Tree: sopDrawTree(t, conds, 3)}, {End: "file"}}
	}
	return v
}

func TestSOPKeepsTreesOfAnyShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := sopDrawAwkward(t)
		for _, style := range text.Styles {
			sopSameReading(t, style, v, text.RenderSOP(style, v, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))))
		}
	})
}

func TestSOPOfBuiltinProcedures(t *testing.T) {
	names := corpus.Builtin()
	if len(names) == 0 {
		t.Fatal("no built-in domain")
	}
	for _, name := range names {
		c, err := corpus.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range c.Domain.Procedures {
			for j, choice := range sopChoices(c.Domain, p, rand.New(rand.NewPCG(uint64(i), 3))) {
				v, err := c.Domain.Variant(p, choice)
				if err != nil {
					t.Fatalf("%s %s: %v", name, p.Goal, err)
				}
				for k, style := range text.Styles {
					sopSameReading(t, style, v, text.RenderSOP(style, v, rand.New(rand.NewPCG(uint64(j), uint64(k)))))
				}
			}
		}
	}
}

// sopChoices is all rules, the required ones alone, and rules, thresholds and
// names changed at random.
func sopChoices(d *sop.Domain, p *sop.Procedure, rng *rand.Rand) []sop.Choice {
	mixed := sop.Choice{Rules: p.AllRules(), Thresholds: map[string]float64{}, Names: map[string]string{p.Goal: "c_17"}}
	rng.Shuffle(len(mixed.Rules), func(i, j int) { mixed.Rules[i], mixed.Rules[j] = mixed.Rules[j], mixed.Rules[i] })
	for n, t := range d.Thresholds {
		mixed.Thresholds[n] = t.Default + 0.25
	}
	return []sop.Choice{{}, {Rules: append([]*sop.Tree{}, p.Required...)}, mixed}
}

// sopLoan is a small variant with all that a document can say.
func sopLoan(t testing.TB) *sop.Variant {
	t.Helper()
	d := &sop.Domain{
		Name: "desk", Title: "Loan desk",
		Parameters: map[string]*sop.Parameter{"user": {Noun: "the borrower"}, "payee": {Noun: "the payee"}},
		Thresholds: map[string]*sop.Threshold{"ceiling": {Default: 500, Unit: "USD", Text: "the ceiling on debt"}},
		Values:     map[string]*sop.Value{"debt": {Parameters: []string{"user"}, Unit: "USD", Text: "the debt of {user}"}},
		Conditions: map[string]*sop.Condition{
			"known":    {Kind: "existence", Parameters: []string{"user"}, EstablishedBy: sop.L("find"), Text: "{user} is on file", Negated: "{user} is not on file"},
			"low_debt": {Kind: "financial", Parameters: []string{"user"}, Compare: "debt < ceiling", DependsOn: sop.L("known"), EstablishedBy: sop.T(sop.Any, sop.L("find"), sop.L("audit")), Text: "{user} owes little", Negated: "{user} owes much"},
			"polite":   {Kind: "format", EstablishedBy: sop.L(sop.Conversation), Text: "the request is polite", Negated: "the request is rude"},
			"frozen":   {Kind: "state", EstablishedBy: sop.L("audit"), Text: "the account is frozen", Negated: "the account is open"},
		},
		Excludes: [][]string{{"frozen", "low_debt"}},
		Actions: map[string]*sop.Action{
			"find":  {Parameters: []string{"user"}, Text: "look {user} up"},
			"audit": {Parameters: []string{"user"}, Text: "audit {user}", Requires: sop.L("known"), Effects: map[string]bool{"frozen": false}},
			"lend":  {Parameters: []string{"user", "payee"}, Text: "lend to {user} for {payee}"},
		},
	}
	p := &sop.Procedure{Goal: "lend", Title: "Lending", Purpose: "Lends money.", Required: []*sop.Tree{
		sop.T(sop.Seq, sop.L("known"), sop.L("low_debt")),
		sop.T(sop.Any, sop.L("polite"), sop.T(sop.Not, sop.L("frozen"))),
		sop.L("known(user=payee)"),
	}}
	d.Procedures = []*sop.Procedure{p}
	v, err := d.Variant(p, sop.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A document from which any one statement is missing is refused or means
// something else. Decision points repeat the end that is stated elsewhere.
func TestSOPNeedsEveryStatement(t *testing.T) {
	v := sopLoan(t)
	for _, style := range text.Styles {
		lines := strings.Split(text.RenderSOP(style, v, rand.New(rand.NewPCG(5, 5))), "\n")
		fence, mattered := style != text.Pseudocode, 0
		for i, l := range lines {
			if strings.HasPrefix(l, "```") {
				fence = !fence
				continue
			}
			statement := fence && l != "" && !strings.HasPrefix(l, "#") && !strings.HasPrefix(l, "//")
			if style != text.Pseudocode {
				statement = strings.Contains(l, "`") && !strings.Contains(l, "end with `deny`") || strings.HasPrefix(l, "| ")
			}
			if !statement {
				continue
			}
			mattered++
			without := append(append([]string{}, lines[:i]...), lines[i+1:]...)
			r, err := text.ReadSOP(strings.Join(without, "\n"))
			if err == nil && text.SameMeaning(&r.Graph, &v.Graph) == nil && len(r.Comparisons) == 1 {
				t.Errorf("%s means the same without %q", style, l)
			}
		}
		if mattered < 8 {
			t.Errorf("%s: only %d statements", style, mattered)
		}
	}
}

func TestSOPErrors(t *testing.T) {
	v := sopLoan(t)
	for _, tc := range []struct {
		name     string
		style    text.Style
		old, new string
		want     []string // parts of the error
	}{
		{"a sentence of no kind", text.Policy, "\n## 1", "\n## Manners\n\nBe kind.\n\n## 1", []string{`: "Be kind." `, "is no statement"}},
		{"an identifier that is none", text.RuleList, "`polite`", "`po lite`", []string{"po lite", "is not a name"}},
		{"a call without requirement", text.Numbered, "`find`", "`seek`", []string{"seek", "want"}},
		{"a broken formula", text.Checklist, "`debt < 500`", "`debt << 500`", []string{"line ", "comparison"}},
		{"an unknown column", text.Table, "---|---|\n| `lend`", "---|---|\n| lend", []string{"want an identifier in backticks"}},
		{"a mixed expression", text.Pseudocode, "require ", "require polite and known or frozen\nrequire ", []string{"mixes and with or"}},
		{"an unclosed list", text.Pseudocode, "require ", "require all(polite, known\nrequire ", []string{"want a comma or a closing parenthesis"}},
		{"another end", text.Numbered, "end with `deny`.", "end with `refuse`.", []string{"`refuse`"}},
		{"nothing", text.Policy, "", "", []string{"names no goal"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := text.RenderSOP(tc.style, v, rand.New(rand.NewPCG(1, 1)))
			changed := strings.Replace(doc, tc.old, tc.new, 1)
			if tc.old == "" {
				changed = ""
			} else if changed == doc {
				t.Fatalf("%q does not occur in\n%s", tc.old, doc)
			}
			_, err := text.ReadSOP(changed)
			if err == nil {
				t.Fatalf("no error for\n%s", changed)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q, want one line with %q", err, want)
				}
			}
		})
	}
}

func FuzzReadSOP(f *testing.F) {
	v := sopLoan(f)
	for i, style := range text.Styles {
		f.Add(text.RenderSOP(style, v, rand.New(rand.NewPCG(uint64(i), 0))))
	}
	f.Fuzz(func(t *testing.T, doc string) {
		r, err := text.ReadSOP(doc)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has more than one line: %q", err)
			}
			return
		}
		if err := text.SameMeaning(&r.Graph, &r.Graph); err != nil {
			t.Errorf("a reading differs from itself: %v", err)
		}
	})
}
