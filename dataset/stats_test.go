package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// choice is a row of stage 2 whose answers are workflows, written with blanks
// between the calls; the positive comes first. The text of an answer is its
// workflow.
func choice(number int, answers ...string) Row {
	r := workflow(number)
	r.Positive = Answer{answers[0], workflowPayload(answers[0])}
	r.Negatives = nil
	for _, a := range answers[1:] {
		r.Negatives = append(r.Negatives, Negative{Text: a, Payload: workflowPayload(a), Operator: "order", Violation: "unmet", Proof: "{}"})
	}
	return r
}

func workflowPayload(calls string) string {
	list, err := json.Marshal(strings.Fields(calls))
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"workflow":%s}`, list)
}

func of(procedure string, r Row) Row { r.Procedure = procedure; return r }

func renamed(r Row, names string) Row { r.Meta = `{"names":` + names + `}`; return r }

func statsOf(rows ...Row) StatsReport {
	s := NewStats(1)
	for i := range rows {
		s.Add(&rows[i])
	}
	return s.Report()
}

func find(t testing.TB, s StatsScope, which measure) Measure {
	t.Helper()
	for _, m := range s.Measures {
		if m.Name == measures[which].name {
			return m
		}
	}
	t.Fatalf("%s is not measured", measures[which].name)
	return Measure{}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestStatsByHand(t *testing.T) {
	texts := func(texts ...string) Row {
		r := choice(1, "a b", "a c", "a d", "a e", "a f")
		r.Positive.Text = texts[0]
		for i := range r.Negatives {
			r.Negatives[i].Text = texts[i+1]
		}
		return r
	}
	tests := []struct {
		name          string
		which         measure
		rows          []Row
		value, chance float64 // chance -1: none
	}{
		{"longer than two of four, as long as one", longerText, []Row{texts("äaaa", "aa", "aaaa", "aaaaaa", "aaa")}, 2.5 / 4, 0.5},
		{"mean over groups", longerText, []Row{choice(1, "abc d", "a"), choice(2, "a", "b c", "d e")}, 0.5, 0.5},
		{"more items, shorter text", moreItems, []Row{choice(1, "a b c", "abcdefghi", "a b c d", "c b a")}, 1.5 / 3, 0.5},
		{"lengths 4 2 4 6 3: two at the median", medianText, []Row{texts("aaaa", "aa", "bbbb", "aaaaaa", "aaa")}, 0.5, 0.2},
		{"lengths 9 1 1 1 1", medianText, []Row{texts("aaaaaaaaa", "a", "b", "c", "d")}, 0, 0.2},
		{"an even number: 2 1 4 9, median 3", medianItems, []Row{choice(1, "a b", "a", "a b c d", "a b c d e f g h i")}, 0.5, 0.25},
		{"distances 3, 3, 4", medoid, []Row{choice(1, "a b", "a c", "x y")}, 0.5, 1.0 / 3},
		{"distances 5, 4, 5, 8", medoid, []Row{choice(1, "a b c", "a b", "a b d", "x")}, 0, 0.25},
		{"alone in the middle", medoid, []Row{choice(1, "a b c", "a b x", "y b c")}, 1, 1.0 / 3},
		// "a" is in 2 of 3 answers, right, and in 1 of 3, wrong; where all
		// answers have it, it does not count.
		{"frequent item", frequent, []Row{choice(1, "a b", "a c", "d"), choice(2, "b", "a", "c"), choice(3, "a b", "a c")}, 1.0 / 3, 1.0 / 3},
		{"right elsewhere", rightElsewhere, []Row{choice(1, "a", "b"), choice(2, "b", "c")}, 0.5, -1},
		{"right for another procedure", rightElsewhere, []Row{choice(1, "a", "b"), of("pay_bill", choice(2, "b", "c"))}, 0, -1},
		{"right elsewhere under another name", rightElsewhere,
			[]Row{choice(1, "a", "b(x=y)"), renamed(choice(2, "beta(x=y)", "c"), `{"b":"beta"}`)}, 0.5, -1},
		{"two of four refuse", refused, []Row{choice(1, "deny", "a"), choice(2, "a deny", "a"), choice(3, "pay", "a"), choice(4, "deny pay", "a")}, 0.5, 0.5},
		{"one of four refuses at once", refusedAtOnce,
			[]Row{choice(1, "deny", "a"), choice(2, "a deny", "a"), choice(3, "pay", "a"), choice(4, "pay b", "a")}, 0.25, 0.05},
		{"both calls decide", decidingCall, []Row{choice(1, "a deny", "b"), choice(2, "a b deny", "b")}, 1, -1},
		{"always the same", decidingCall, []Row{choice(1, "b a deny", "b"), choice(2, "a deny", "b")}, 0, -1},
		{"3 of 4 by one of two calls", decidingCall,
			[]Row{choice(1, "b a deny", "b"), choice(2, "a deny", "b"), choice(3, "b a deny", "b"), choice(4, "b deny", "a")}, 0.8112781, -1},
		{"largest procedure", largestProcedure, []Row{choice(1, "a", "b"), choice(2, "a", "b"), of("pay_bill", choice(3, "a", "b"))}, 2.0 / 3, 0.5},
	}
	for _, test := range tests {
		t.Run(measures[test.which].name+": "+test.name, func(t *testing.T) {
			got := find(t, statsOf(test.rows...).Stages[0].All, test.which)
			chance := -1.0
			if got.Chance != nil {
				chance = *got.Chance
			}
			if !near(got.Value, test.value) || !near(chance, test.chance) {
				t.Errorf("value %v, chance %v, want %v and %v", got.Value, chance, test.value, test.chance)
			}
		})
	}
}

// halves puts the rows into the halves of a sample whatever their ids are.
func halves(learn, test []Row) (l, u []*sampledGroup) {
	s := newGroupSample(1 << 20)
	for i, r := range slices.Concat(learn, test) {
		g := newStatsGroup(&r, 1)
		g.order = uint64(2 * i)
		if i >= len(learn) {
			g.order++
		}
		s.offer(g)
	}
	_, l, u = s.sorted()
	return l, u
}

func TestLearningMeasuresByHand(t *testing.T) {
	written := func(l, u []*sampledGroup) meter {
		return lookUp(l, u, func(a *sampledAnswer) uint64 { return a.payload })
	}
	base := func(l, u []*sampledGroup) meter { return lookUp(l, u, func(a *sampledAnswer) uint64 { return a.base }) }
	next := func(names, answer, other string) Row {
		r := renamed(choice(1, "x", "y"), names)
		r.View = ViewNextAction
		r.Positive.Payload, r.Negatives[0].Payload = answer, other
		return r
	}
	said := func(r Row, right, wrong string) Row {
		r.Positive.Text, r.Negatives[0].Text = right, wrong
		return r
	}
	ab := []Row{choice(1, "a", "b"), choice(2, "a", "b")}
	tests := []struct {
		name        string
		measure     func(learn, test []*sampledGroup) meter
		learn, test []Row
		hits        float64
	}{
		{"seen right and wrong", written, ab, []Row{choice(3, "a", "b")}, 1},
		{"the other way round", written, ab, []Row{choice(3, "b", "a")}, 0},
		{"never seen", written, ab, []Row{choice(3, "c", "d")}, 0.5},
		{"never seen against seen right", written, ab, []Row{choice(3, "c", "a")}, 0},
		{"never seen against seen wrong", written, ab, []Row{choice(3, "c", "b", "d")}, 0.5},
		{"seen for another procedure", written, ab, []Row{of("pay_bill", choice(3, "a", "b"))}, 0.5},
		{"nothing to learn from", written, nil, ab, 1},
		{"another name as written", written, ab, []Row{renamed(choice(3, "alpha", "beta"), `{"a":"alpha","b":"beta"}`)}, 0.5},
		{"another name", base, ab, []Row{renamed(choice(3, "alpha", "beta"), `{"a":"alpha","b":"beta"}`)}, 1},
		{"names exchanged", base, ab, []Row{renamed(choice(3, "a", "b"), `{"a":"b","b":"a"}`)}, 0},
		{"other arguments", base, []Row{next("{}", `{"next":"a","arguments":{"n":1}}`, `{"next":"b","arguments":{}}`)},
			[]Row{next(`{"a":"alpha"}`, `{"next":"alpha","arguments":{"n":2}}`, `{"next":"b","arguments":{"n":2}}`)}, 1},
		{"3-gram", threeGrams, []Row{choice(1, "a b", "b a")}, []Row{choice(2, "a b", "b a"), choice(3, "b a c", "a b c")}, 1},
		{"3-gram of another procedure", threeGrams, []Row{choice(1, "a b", "b a")}, []Row{of("pay_bill", choice(2, "a b", "b a"))}, 0.5},
		// Every pair of neighbours is as often right as wrong.
		{"3-gram, not 2-gram", threeGrams, []Row{choice(1, "a b c", "x b c"), choice(2, "x b d", "a b d")},
			[]Row{choice(3, "a b c", "a b d"), choice(4, "x b d", "x b c")}, 2},
		{"the last item", threeGrams, []Row{choice(1, "a b", "x y")}, []Row{choice(2, "a b", "a b z")}, 1},
		{"words", unigrams, []Row{said(choice(1, "a", "b"), "please sign in", "just sign in")},
			[]Row{of("pay_bill", said(choice(2, "c", "d"), "Please, pay!", "just pay")), said(choice(3, "c", "d"), "just pay", "please pay"),
				said(choice(4, "c", "d"), "pay", "wait")}, 1.5},
		{"more negatives weigh no more", unigrams, []Row{choice(1, "a b", "a c", "a d", "a e")}, []Row{choice(2, "a", "x")}, 0.5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.measure(halves(test.learn, test.test))
			if !near(got.sum, test.hits) || got.groups != len(test.test) {
				t.Errorf("%v hits in %d groups, want %v in %d", got.sum, got.groups, test.hits, len(test.test))
			}
		})
	}
}

func TestStatsCounts(t *testing.T) {
	other := renamed(choice(3, "alpha b", "c"), `{"a":"alpha"}`)
	other.Context = "another"
	cycle := choice(4, "c", "a b")
	cycle.Negatives[0].Operator, cycle.Negatives[0].Violation = "cycle", ""
	next := choice(6, "x", "y")
	next.View, next.Positive.Payload, next.Negatives[0].Payload = ViewNextAction, `{"next":"a b"}`, `{"next":"b"}`
	rows := []Row{choice(1, "a b", "c", "d"), other, cycle, of("pay_bill", choice(5, "a b", "c")), next, concept(7)}
	rows[0].Negatives[1].Operator = "omit"
	rows[1].Context, rows[0].Context = "one", "one"
	report := statsOf(rows...)
	if report.Rows != 6 || len(report.Stages) != 2 || len(report.Stages[1].Views) != 2 {
		t.Fatalf("report is %+v, want 6 rows in two stages, the second with two views", report)
	}
	got := report.Stages[1].Views[0]
	got.Measures = nil
	want := StatsScope{
		// a b and alpha b are one positive, but two answers in their contexts.
		View: ViewWorkflow, Groups: 4, Sampled: 4, DistinctPositives: 3, DistinctTasks: 4,
		PositivesPerProcedure: Length{1, 1, 2}, LargestProcedure: "bank/transfer_funds", FrequentItem: "a",
		Elsewhere: []Elsewhere{{"omit", 1, 0}, {"order", 3, 2.0 / 3}},
		Operators: map[string]int{"order": 3, "omit": 1, "cycle": 1}, Violations: map[string]int{"unmet": 4},
	}
	want.Elsewhere[1].Share = round(want.Elsewhere[1].Share)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the workflows are\n     %+v\nwant %+v", got, want)
	}
	all := report.Stages[1].All
	if all.Groups != 5 || all.View != "" || all.DistinctPositives != 4 || all.PositivesPerProcedure != (Length{1, 1, 3}) || all.Operators["order"] != 4 {
		t.Errorf("the stage is %+v, want 5 groups with 4 positives, 3 of one procedure", all)
	}
	if m := find(t, all, moreItems); m.Groups != 5 {
		t.Errorf("the stage measures items in %d groups, want 5", m.Groups)
	}
	if term := find(t, report.Stages[0].All, longerText); !near(term.Value, 0.25) {
		t.Errorf("payee is longer than payer and account for %v, want 0.25", term.Value)
	}
}

func TestStatsWithoutNegatives(t *testing.T) {
	r := choice(1, "a")
	report := statsOf(r)
	if report.Rows != 0 || report.Table(false) != "no rows\n" {
		t.Errorf("a row without negatives gives %+v, %q", report, report.Table(false))
	}
}

func TestEditStats(t *testing.T) {
	s := NewStats(1)
	for _, d := range []Drop{
		{Reason: ReasonEditCorrect, Detail: "order/swap", Count: 5}, {Reason: ReasonEditCorrect, Detail: "order", Count: 1},
		{Reason: ReasonEditWasteful, Detail: "order/move", Count: 3}, {Reason: ReasonEditWrong, Detail: "order", Count: 3},
		{Reason: ReasonEditWrong, Detail: "omit"}, {Reason: "shortfall", Detail: "order", Count: 100},
	} {
		s.AddDrop(d)
	}
	got := s.Report().Edits
	if len(got) != 2 || got[0] != (EditStats{Operator: "omit", Edits: 1}) ||
		got[1].Operator != "order" || got[1].Edits != 12 || got[1].StillCorrect != 0.5 || got[1].OnlyWasteful != 0.25 {
		t.Errorf("edits are %+v, want omit 1, and order 12 with 0.5 still correct and 0.25 only wasteful", got)
	}
}

func TestReadPayload(t *testing.T) {
	bases := map[string]string{"alpha": "a", "known": "k"}
	tests := []struct{ payload, written, base, items string }{
		{`{"workflow": ["alpha(x=alpha)", "alphabet", "deny"]}`, `{"workflow":["alpha(x=alpha)","alphabet","deny"]}`,
			`{"workflow":["a(x=alpha)","alphabet","deny"]}`, "a(x=alpha) alphabet deny"},
		{`{"next":"alpha","arguments":{"b":1.0}}`, `{"arguments":{"b":1},"next":"alpha"}`, "a", "a"},
		{`{"requires":{"alpha":{"any":["known","b"]},"z":{"seq":["z","alpha"]}},"edges":[["z","b"],["alpha","z"]]}`,
			`{"edges":[["z","b"],["alpha","z"]],"requires":{"alpha":{"any":["known","b"]},"z":{"seq":["z","alpha"]}}}`,
			`{"edges":[["a","z"],["z","b"]],"requires":{"a":{"any":["b","k"]},"z":{"seq":["z","a"]}}}`,
			"edges a z z b requires a any b k z seq z a"},
		{"not JSON", "not JSON", "not JSON", "not json"},
	}
	for _, test := range tests {
		written, base, items := readPayload(test.payload, bases)
		if written != test.written || base != test.base || strings.Join(items, " ") != test.items {
			t.Errorf("readPayload(%s) = %s, %s, %q, want %s, %s, %q", test.payload, written, base, items, test.written, test.base, test.items)
		}
	}
	for _, meta := range []string{"", "[]", `{"names":7}`, "{}"} {
		if got := baseNames(meta); len(got) != 0 {
			t.Errorf("baseNames(%q) = %v, want none", meta, got)
		}
	}
}

func TestEditDistanceIsDistance(t *testing.T) {
	list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		a, b := list.Draw(t, "a"), list.Draw(t, "b")
		if got, want := editDistance(a, b), distance(a, b); got != want {
			t.Fatalf("editDistance(%v, %v) = %d, want %d", a, b, got, want)
		}
	})
}

func TestMarks(t *testing.T) {
	// n groups with 4 negatives each, of which the positive is picked in the
	// share.
	picked := func(n int, share float64) meter {
		w := float64(n)
		return meter{groups: n, weight: w, sum: share * w, chance: 0.2 * w, variance: 0.16 * w, wrong: 4 * w}
	}
	half := func(n int, share float64) meter {
		w := float64(n)
		return meter{groups: n, weight: w, sum: share * w, chance: 0.5 * w, variance: 0.25 * w}
	}
	tests := []struct {
		meter meter
		kind  kind
		want  string
	}{
		{picked(10000, 0.2), picks, MarkOK}, {picked(10000, 0.24), picks, MarkOK}, {picked(10000, 0.26), picks, MarkWeak},
		{picked(10000, 0.31), picks, MarkLeak}, {picked(10000, 0.02), picks, MarkOK},
		{picked(50, 0.3), picks, MarkFew}, {picked(50, 0.6), picks, MarkLeak},
		{picked(10000, 0), learns, MarkOK}, {picked(10000, 0.31), learns, MarkLeak},
		{half(10000, 0.39), balances, MarkLeak}, {half(10000, 0.56), balances, MarkWeak}, {half(10000, 0.51), balances, MarkOK},
		{half(20, 0.7), balances, MarkFew}, {half(10000, 0.4), caps, MarkOK}, {half(10000, 0.52), caps, MarkWeak}, {half(10000, 0.56), caps, MarkLeak},
		{half(99, 0.05), floors, MarkFew}, {half(100, 0.05), floors, MarkLeak}, {half(100, 0.4), floors, MarkWeak}, {half(100, 0.6), floors, MarkOK},
		{half(10000, 0.9), facts, MarkNone},
	}
	for i, test := range tests {
		if got := test.meter.mark(test.kind); got != test.want {
			t.Errorf("case %d: mark of %+v is %q, want %q", i, test.meter, got, test.want)
		}
	}
	// Two answers: never to pick the one is always to pick the other.
	if got := (&meter{groups: 1000, weight: 1000, chance: 500, variance: 250, wrong: 1000}).mark(picks); got != MarkLeak {
		t.Errorf("a pick that is never right among two is marked %q, want %s", got, MarkLeak)
	}
}
