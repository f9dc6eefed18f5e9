package text

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
	"pgregory.net/rapid"
)

// drawCase draws a variant and one of its scenarios; the scenario is nil
// where the variant has none.
func drawCase(t *rapid.T) (*sop.Variant, *sop.Scenario, *sop.Sampler) {
	v := soptest.Variant(t)
	sampler, err := sop.NewSampler(v)
	if err != nil {
		t.Fatalf("NewSampler: %v", err)
	}
	worlds := slices.Concat(sampler.Worlds()...)
	if len(worlds) == 0 {
		return v, nil, sampler
	}
	s, err := sampler.Scenario(rapid.SampledFrom(worlds).Draw(t, "world"), drawRng(t))
	if err != nil {
		return v, nil, sampler
	}
	return v, s, sampler
}

func drawRng(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)) }

func normalBindings(s *sop.Scenario) map[string]any {
	out := map[string]any{}
	for p, value := range s.Bindings {
		out[p] = scnNormal(value)
	}
	return out
}

// hostile bindings that look like the markup around them.
var hostile = []any{
	"a\nFrom our records:\n- Register entry of a: found", "`payee`", "{username} {value}", "$5.00", "42", "true", " blank ", "",
	"Ünïcødé – „quoted“", "- bullet", "> quote", "ada_k", "null", "[`sign_in`: yes]", 0.5, -3, 1e21, true,
	map[string]any{"license": "D1234567", "state": "CA"}, []any{"x", 2.5},
}

func TestScenarioReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, s, _ := drawCase(t)
		if s == nil {
			return
		}
		for _, p := range scnKeys(s.Bindings) {
			if _, isValue := s.Bindings[p].(float64); !isValue && rapid.IntRange(0, 3).Draw(t, "hostile "+p) == 0 {
				s.Bindings[p] = rapid.SampledFrom(hostile).Draw(t, p)
			}
		}
		style := rapid.SampledFrom(ScenarioStyles).Draw(t, "style")
		text := RenderScenario(style, v, s, drawRng(t))
		got, err := ReadScenario(text, v)
		if err != nil {
			t.Fatalf("ReadScenario: %v\n%s", err, text)
		}
		want := &sop.Scenario{Facts: s.Facts, Values: s.Values, Bindings: normalBindings(s)}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("ReadScenario = %+v\nwant %+v\n%s", got, want, text)
		}
	})
}

func TestRequestTellsNothingHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, s, _ := drawCase(t)
		if s == nil {
			return
		}
		text := RenderRequest(rapid.SampledFrom(ScenarioStyles).Draw(t, "style"), v, s, drawRng(t))
		c, err := scnReadCase(text, v)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for key := range c.facts {
			if !scnFromStart(v.EstablishedBy[key]) {
				t.Fatalf("the request tells %q, which a call establishes\n%s", key, text)
			}
		}
		if len(c.details) != len(s.Bindings) {
			t.Fatalf("%d details of %d bindings\n%s", len(c.details), len(s.Bindings), text)
		}
	})
}

func TestHistoryReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, s, sampler := drawCase(t)
		if s == nil {
			return
		}
		rng := drawRng(t)
		w, err := sampler.M.Positive(s.Facts, rng)
		if err != nil {
			return // orders and effects can leave no way
		}
		history := []string(w[:rng.IntN(len(w))])
		text := RenderRequest("ticket", v, s, rng) + "\n" + RenderHistory(v, s, history, rng)
		if rng.IntN(2) == 0 {
			text = RenderSOP(scnPick(rng, Styles), v, rng) + "\n" + text + "\nWhat now?"
		}
		got, err := ReadHistory(text, v)
		if err != nil {
			t.Fatalf("ReadHistory: %v\n%s", err, text)
		}
		if strings.Join(got, ",") != strings.Join(history, ",") {
			t.Fatalf("ReadHistory = %q, want %q\n%s", got, history, text)
		}
		known, err := ReadKnown(text, v)
		if err != nil {
			t.Fatalf("ReadKnown: %v\n%s", err, text)
		}
		// What the text tells is what the calls made known, and it is true.
		want := newHistTracker(v)
		want.start(s.Facts)
		for _, c := range history {
			want.call(c, s.Facts)
		}
		if !reflect.DeepEqual(known, want.known) {
			t.Fatalf("ReadKnown = %v, want %v\n%s", known, want.known, text)
		}
		residual, rest, err := sop.Residual(&v.Graph, s, history)
		if err == nil && residual != nil && rest != nil {
			for key, holds := range known {
				if other, ok := rest.Facts[key]; ok && other != holds && residual.EstablishedBy[key] != nil {
					t.Fatalf("the text says %s=%v, the residual %v\n%s", key, holds, other, text)
				}
			}
		}
	})
}

func bankVariant(t testing.TB) *sop.Variant {
	t.Helper()
	who := []string{"username"}
	d := &sop.Domain{
		Name: "bank", Title: "Bank counter",
		Parameters: map[string]*sop.Parameter{
			"username": {Noun: "the customer", Label: "Username", Examples: []any{"ann", "bob"}},
			"payee":    {Noun: "the payee", Label: "Payee", Examples: []any{"cid"}},
			"code":     {Noun: "the code", Label: "Code", Examples: []any{"K-1"}},
			"amount":   {Noun: "the amount", Label: "Amount"},
		},
		Thresholds: map[string]*sop.Threshold{},
		Values: map[string]*sop.Value{
			"balance": {Parameters: who, Unit: "USD", Max: 9999, Step: 0.01, Text: "the balance of {username}", Record: "Balance of {username}: {value}", DependsOn: sop.L("exists")},
			"amount":  {Stated: true, Unit: "USD", Min: 1, Max: 5000, Step: 0.01, Text: "the amount"},
		},
		Conditions: map[string]*sop.Condition{
			"exists":     {Parameters: who, Text: "{username} has an account", Negated: "{username} has no account", RecordTrue: "Account of {username}: on file", RecordFalse: "Account of {username}: none"},
			"signed_in":  {Parameters: who, DependsOn: sop.L("exists"), EstablishedBy: sop.L("sign_in"), Text: "{username} has signed in", Negated: "{username} has not signed in"},
			"sufficient": {Parameters: []string{"username", "amount"}, Compare: "balance >= amount", DependsOn: sop.L("exists"), EstablishedBy: sop.L("get_balance"), Text: "the balance covers {amount}", Negated: "the balance falls short of {amount}"},
		},
		Actions: map[string]*sop.Action{
			"exists":      {Parameters: who, Text: "check {username}"},
			"sign_in":     {Parameters: []string{"username", "code"}, Text: "sign in"},
			"get_balance": {Parameters: who, Requires: sop.L("signed_in"), Text: "look up the balance"},
			"transfer":    {Parameters: []string{"username", "payee", "amount"}, Text: "transfer"},
		},
	}
	p := &sop.Procedure{Goal: "transfer", Title: "Transfer",
		Requests: []string{"Send {amount} dollars to {payee}. I am {username} ({code})."},
		Required: []*sop.Tree{sop.L("exists"), sop.L("exists(username=payee)"), sop.L("signed_in"), sop.L("sufficient")}}
	d.Procedures = []*sop.Procedure{p}
	v, err := d.Variant(p, sop.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func bankScenario() *sop.Scenario {
	return &sop.Scenario{
		Facts:    map[string]bool{"exists": true, "exists(username=payee)": false, "signed_in": true, "sufficient": true},
		Values:   map[string]float64{"balance": 1200.5, "amount": 1200.5},
		Bindings: map[string]any{"username": "ann", "payee": "cid", "code": "K-1", "amount": 1200.5},
	}
}

const bankCase = `Form fields:
- Username (` + "`username`" + `): ann
- Payee (` + "`payee`" + `): cid
- Code (` + "`code`" + `): K-1
- Amount (` + "`amount`" + `): $1,200.50

Findings:
- Account of ann: on file
- Account of cid: none
- The customer has signed in
- Balance of ann: $1,200.50
`

func TestReadScenarioByHand(t *testing.T) {
	v := bankVariant(t)
	got, err := ReadScenario(bankCase, v)
	if err != nil {
		t.Fatal(err)
	}
	if want := bankScenario(); !reflect.DeepEqual(got, want) {
		t.Fatalf("ReadScenario = %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		name, old, new string
		fact           string
		want           bool
	}{
		{"value one cent short", "ann: $1,200.50", "ann: $1,200.49", "sufficient", false},
		{"no value", "ann: $1,200.50", "ann: no such record", "sufficient", false},
		{"depends_on fails", "Account of ann: on file", "Account of ann: none", "sufficient", false},
		{"full stop", "cid: none", "cid: on file.", "exists(username=payee)", true},
	} {
		s, err := ReadScenario(strings.Replace(bankCase, c.old, c.new, 1), v)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if s.Facts[c.fact] != c.want {
			t.Errorf("%s: %s = %v, want %v", c.name, c.fact, s.Facts[c.fact], c.want)
		}
	}
	for _, c := range []struct{ name, old, new, err string }{
		{"missing fact", "- Account of cid: none\n", "", `states nothing on "exists(username=payee)"`},
		{"missing value", "- Balance of ann: $1,200.50\n", "", `no record of the value "balance"`},
		{"unknown record", "cid: none", "cid: perhaps", "states no fact or value"},
		{"twofold", "Findings:", "Findings:\n- Account of ann: none", "states both"},
		{"value twice", "Findings:", "Findings:\n- Balance of ann: $3", "twice"},
		{"detail twice", "- Payee (`payee`): cid", "- Payee (`payee`): cid\n- X (`payee`): dan", `the detail "payee" twice`},
		{"detail without a name", "- Payee (`payee`): cid", "- Payee: cid", "names no parameter"},
		{"contradiction", "Findings:", "Findings:\n- The balance falls short of the amount", "but its values make it true"},
	} {
		_, err := ReadScenario(strings.Replace(bankCase, c.old, c.new, 1), v)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.name, err, c.err)
		}
	}
}

// Two people of the same name make records alike; a mark then tells them apart.
func TestRecordsThatLookAlike(t *testing.T) {
	v, s := bankVariant(t), bankScenario()
	s.Bindings["payee"] = "ann"
	for _, style := range ScenarioStyles {
		text := RenderScenario(style, v, s, rand.New(rand.NewPCG(1, 2)))
		got, err := ReadScenario(text, v)
		if err != nil || !reflect.DeepEqual(got.Facts, s.Facts) {
			t.Errorf("%s: %v, %v\n%s", style, got, err, text)
		}
		if !strings.Contains(text, "[`exists(username=payee)`: no]") {
			t.Errorf("%s: no mark in\n%s", style, text)
		}
	}
}

func TestNumbersReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64Range(-1e9, 1e9), rapid.Float64Range(-1, 1),
			rapid.Map(rapid.IntRange(-1e7, 1e7), func(i int) float64 { return float64(i) / 100 })).Draw(t, "x")
		unit := rapid.SampledFrom([]string{"USD", "days", "points", "percent", ""}).Draw(t, "unit")
		s := scnNumber(x, unit, newScnForm(drawRng(t)))
		if got, ok := scnReadNumber(s, unit); !ok || got != x {
			t.Fatalf("scnReadNumber(%q, %q) = %v, %v, want %v", s, unit, got, ok, x)
		}
	})
	for s, want := range map[string]string{"1234567.5": "$1,234,567.50", "999.99": "$999.99", "-12.345": "-$12.345"} {
		x, _ := scnReadNumber(s, "USD")
		if got := scnNumber(x, "USD", scnForm{cents: true}); got != want {
			t.Errorf("scnNumber(%s) = %q, want %q", s, got, want)
		}
	}
	for _, bad := range []string{"", "-", "1,23", "1e5", "$", "12 daysies", "٣"} {
		if x, ok := scnReadNumber(bad, "USD"); ok {
			t.Errorf("scnReadNumber(%q) = %v, want none", bad, x)
		}
	}
}

// Equal seeds give texts that differ in the changed record alone.
func TestMinimalPairsReadAlike(t *testing.T) {
	v := bankVariant(t)
	for _, style := range ScenarioStyles {
		a, b := bankScenario(), bankScenario()
		b.Facts["signed_in"] = false
		b.Values["balance"] = 7
		linesA := strings.Split(RenderScenario(style, v, a, rand.New(rand.NewPCG(1, 2))), "\n")
		linesB := strings.Split(RenderScenario(style, v, b, rand.New(rand.NewPCG(1, 2))), "\n")
		differ := 0
		for i := range min(len(linesA), len(linesB)) {
			if linesA[i] != linesB[i] {
				differ++
			}
		}
		if len(linesA) != len(linesB) || differ != 2 {
			t.Errorf("%s: %d lines differ, want 2\n%s\n%s", style, differ, strings.Join(linesA, "\n"), strings.Join(linesB, "\n"))
		}
	}
}

func FuzzReadScenario(f *testing.F) {
	v := bankVariant(f)
	f.Add(bankCase)
	for _, style := range ScenarioStyles {
		f.Add(RenderScenario(style, v, bankScenario(), rand.New(rand.NewPCG(1, 2))) + RenderHistory(v, bankScenario(), []string{"sign_in", "get_balance"}, rand.New(rand.NewPCG(1, 2))))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ReadScenario(text, v); err == nil {
			again, err := ReadScenario(RenderScenario("email", v, s, rand.New(rand.NewPCG(1, 2))), v)
			if err != nil || !reflect.DeepEqual(again.Facts, s.Facts) {
				t.Fatalf("read %+v, then %+v, %v", s, again, err)
			}
		}
		_, _ = ReadHistory(text, v)
		_, _ = ReadKnown(text, v)
	})
}

// A case is read from the whole context too, below the SOP and a history.
func TestScenarioReadsBackBelowAnSOP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, s, _ := drawCase(t)
		if s == nil {
			return
		}
		rng := drawRng(t)
		document := RenderSOP(rapid.SampledFrom(Styles).Draw(t, "SOP style"), v, rng)
		text := document + "\n\n" + RenderScenario(rapid.SampledFrom(ScenarioStyles).Draw(t, "style"), v, s, rng)
		got, err := ReadScenario(text, v)
		if err != nil || !reflect.DeepEqual(got.Facts, s.Facts) || !reflect.DeepEqual(got.Values, s.Values) {
			t.Fatalf("ReadScenario = %+v, %v\n%s", got, err, text)
		}
	})
}
