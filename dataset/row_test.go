package dataset

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRowJSON(t *testing.T) {
	r := concept(1)
	got, err := r.AppendJSON([]byte("> "))
	want := `> {"id":"s1-bank-000001","stage":1,"task":"concept","view":"definition","domain":"bank","procedure":"transfer_funds","split":"train",` +
		`"context":"Sign the customer in & check that < 1 USD are owed.","query":"Which calls, in which order?",` +
		`"positive":{"text":"payee","payload":"{\"term\":\"payee\"}"},` +
		`"negatives":[{"text":"payer","payload":"{\"term\":\"payer\"}","operator":"term","violation":"confusable","proof":"{\"not_because\":\"pays\"}","similarity":0.0},` +
		`{"text":"account","payload":"{\"term\":\"account\"}","operator":"term","violation":"type","proof":"{}","similarity":0.3333}],` +
		`"reference":"{\"relation\":\"definition\"}","meta":"{\"seed\":7}"}`
	if err != nil || string(got) != want {
		t.Errorf("AppendJSON error %v\n got %s\nwant %s", err, got, want)
	}
}

// The rows are written through types of their own.

func TestRowRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRow(t)
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		line, err := r.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseRow(line)
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("ParseRow(%s) = %+v, %v, want %+v", line, got, err, r)
		}
		// Another program may order and space the keys otherwise.
		var loose map[string]any
		if err := json.Unmarshal(line, &loose); err != nil {
			t.Fatal(err)
		}
		indented, err := json.MarshalIndent(loose, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseRow(indented); err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("ParseRow(%s) = %+v, %v, want %+v", indented, got, err, r)
		}
	})
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		edit func(*Row)
		want []string
	}{
		{"no id", func(r *Row) { r.ID = "" }, []string{"id is empty"}},
		{"unknown stage", func(r *Row) { r.Stage = 4 }, []string{"unknown stage 4", "1, 2 or 3"}},
		{"task of another stage", func(r *Row) { r.Task = "graph" }, []string{`task is "graph"`, `"sequence"`}},
		{"view of another stage", func(r *Row) { r.View = ViewGraph }, []string{`"graph"`, "workflow or next_action"}},
		{"unknown split", func(r *Row) { r.Split = "dev" }, []string{`"dev"`, "train, validation, test, unreviewed or unproven"}},
		{"no domain", func(r *Row) { r.Domain = "" }, []string{"domain is empty"}},
		{"no procedure", func(r *Row) { r.Procedure = "" }, []string{"procedure is empty"}},
		{"no query", func(r *Row) { r.Query = " \n" }, []string{"query is empty"}},
		{"no positive", func(r *Row) { r.Positive.Text = "" }, []string{"positive text is empty"}},
		{"payload no JSON", func(r *Row) { r.Positive.Payload = "{" }, []string{`positive payload "{" is not JSON`}},
		{"reference empty", func(r *Row) { r.Reference = "" }, []string{`reference "" is not JSON`}},
		{"meta no JSON", func(r *Row) { r.Meta = "{}}" }, []string{"meta"}},
		{"no negatives", func(r *Row) { r.Negatives = nil }, []string{"negatives is empty"}},
		{"negative without text", func(r *Row) { r.Negatives[0].Text = "" }, []string{"negative 0: text is empty"}},
		{"negative without operator", func(r *Row) { r.Negatives[0].Operator = "" }, []string{"negative 0: operator is empty"}},
		{"proof no JSON", func(r *Row) { r.Negatives[0].Proof = "because" }, []string{`negative 0: proof "because" is not JSON`}},
		{"similarity above one", func(r *Row) { r.Negatives[0].Similarity = 1.1 }, []string{"similarity is 1.1", "0 to 1"}},
		{"similarity NaN", func(r *Row) { r.Negatives[0].Similarity = math.NaN() }, []string{"similarity is NaN"}},
		{"not UTF-8", func(r *Row) { r.Context = "caf\xe9" }, []string{`context "caf\xe9" is not UTF-8`}},
		{"negative is the positive", func(r *Row) { r.Negatives[0].Payload = ` { "workflow" : ["login_user", "deny"] }` },
			[]string{"negative 0", "the same as that of the positive"}},
		{"negative twice", func(r *Row) { r.Negatives = append(r.Negatives, r.Negatives[0]) }, []string{"negative 1", "the same as that of negative 0"}},
		{"long values are cut", func(r *Row) { r.View = strings.Repeat("ä", 1000) }, []string{`ä"…`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := workflow(1)
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			test.edit(&r)
			err := r.Validate()
			wantError(t, err, append(test.want, "row ")...)
			if err != nil && len(err.Error()) > 300 {
				t.Errorf("error is %d bytes long", len(err.Error()))
			}
		})
	}
	r := concept(1)
	r.Procedure = "" // a term may belong to no single procedure
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}

func TestCanonical(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"b":1,"a":[2,1]}`, `{"a":[2,1],"b":1}`},
		{` [ "<", "é" ] `, `["<","é"]`},
		{`[1.0, 1, 1e0, 10E-1, -0, -0.0, 0.50, 1e3]`, `[1,1,1,1,0,0,0.5,1000]`},
		{`[12345678901234567890, 12345678901234567891]`, `[12345678901234567890,12345678901234567891]`},
		{`1e400`, `1e400`},
		{`null`, `null`},
	}
	for _, test := range tests {
		if got, err := Canonical(test.in); err != nil || got != test.want {
			t.Errorf("Canonical(%s) = %s, %v, want %s", test.in, got, err, test.want)
		}
	}
	for _, bad := range []string{"", "{", "{} {}", "deny"} {
		if got, err := Canonical(bad); err == nil {
			t.Errorf("Canonical(%q) = %s, want an error", bad, got)
		}
	}
}

// Texts that say the same have one shape, whatever the order of their keys and
// the blanks between.
func TestShape(t *testing.T) {
	tests := []struct {
		a, b string
		same bool
	}{
		{`{"b":1,"a":[2,"x"]}`, ` { "a" : [ 2 , "x" ] ,"b": 1 } `, true},
		{`{"a":{"c":null,"d":true}}`, `{"a":{"d":true,"c":null}}`, true},
		{`{"a":["x","y"]}`, `{"a":["y","x"]}`, false},
		{`{"a":["x"],"b":[]}`, `{"a":[],"b":["x"]}`, false},
		{`{"a":"b"}`, `{"b":"a"}`, false},
		{`{"a":{"b":"c"}}`, `{"a":"b","c":{}}`, false},
		{`[[1],2]`, `[1,[2]]`, false},
		{`["1"]`, `[1]`, false},
		{`[]`, `{}`, false},
		{`[12.5]`, `[12.6]`, false},
		{`""`, `" "`, false},
	}
	for _, test := range tests {
		a, sureA := shape(test.a)
		b, sureB := shape(test.b)
		if !sureA || !sureB || (a == b) != test.same {
			t.Errorf("shape(%s) = %x, %v, shape(%s) = %x, %v, same %v", test.a, a, sureA, test.b, b, sureB, test.same)
		}
	}
	for _, text := range []string{`["\u0061"]`, `{"a\"":1}`, `1.0`, `[1e3]`, `-0`, `{"a":1,"a":2}`, `0.1234567890123456`} {
		if _, sure := shape(text); sure {
			t.Errorf("shape(%s) is sure, though the same can be written otherwise", text)
		}
	}
}

func TestShapeFollowsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyJSON(3).Draw(t, "value")
		indented, err := json.MarshalIndent(v, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		canonical, err := Canonical(string(indented))
		if err != nil {
			t.Fatal(err)
		}
		a, sureA := shape(string(indented))
		b, sureB := shape(canonical)
		if sureA && sureB && a != b {
			t.Fatalf("%s and %s have different shapes", indented, canonical)
		}
		other, err := json.Marshal(anyJSON(3).Draw(t, "other"))
		if err != nil {
			t.Fatal(err)
		}
		second, err := Canonical(string(other))
		if err != nil {
			t.Fatal(err)
		}
		if c, sure := shape(string(other)); sure && sureA && (a == c) != (canonical == second) {
			t.Fatalf("%s and %s: shapes equal %v, canonical forms %v", indented, other, a == c, canonical == second)
		}
	})
}

// anyJSON draws values that are small, so that many are alike.
func anyJSON(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.SampledFrom([]any{nil, true, false, 0, 1, -7, 2.5, 1e30, 0.1, 1e-12}),
		rapid.Map(rapid.SampledFrom([]string{"", "a", "b", "a b", `"`, "é", "<", "\n"}), func(s string) any { return s }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := anyJSON(depth - 1)
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(inner, 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", `c"`}), inner, 0, 3), func(m map[string]any) any { return m }))...)
}

func TestSimilarity(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       float64
	}{
		{"equal", `{"workflow":["a","b"]}`, `{"workflow": ["a","b"]}`, 1},
		{"one of four replaced", `{"workflow":["a","b","c","d"]}`, `{"workflow":["a","b","x","d"]}`, 0.75},
		{"omitted", `{"workflow":["a","b","c"]}`, `{"workflow":["a","c"]}`, 2.0 / 3},
		{"neighbours swapped", `{"workflow":["a","b","c","d"]}`, `{"workflow":["b","a","c","d"]}`, 0.5},
		{"terms word by word", `{"term":"card holder name"}`, `{"term":"Card number"}`, 1.0 / 3},
		{"next action word by word", `{"next":"check_user_exists"}`, `{"next":"check_payee_exists"}`, 2.0 / 3},
		{"connective", `{"r":{"a":{"all":["x","y"]}},"e":[]}`, `{"r":{"a":{"any":["x","y"]}},"e":[]}`, 5.0 / 6},
		{"nothing shared", `{"workflow":["a"]}`, `{"workflow":["b"]}`, 0},
		{"both empty", `{"workflow":[]}`, `{"workflow":[]}`, 1},
		{"one empty", `{"workflow":[]}`, `{"workflow":["a"]}`, 0},
		{"no JSON", "sign in", "sign out", 0.5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Similarity(test.a, test.b); math.Abs(got-test.want) > 1e-12 {
				t.Errorf("Similarity(%s, %s) = %v, want %v", test.a, test.b, got, test.want)
			}
		})
	}
}

func TestItemSimilarityProperties(t *testing.T) {
	items := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		a, b := items.Draw(t, "a"), items.Draw(t, "b")
		s := ItemSimilarity(a, b)
		if s < 0 || s > 1 || s != ItemSimilarity(b, a) || (s == 1) != reflect.DeepEqual(append([]string{}, a...), append([]string{}, b...)) {
			t.Fatalf("ItemSimilarity(%q, %q) = %v, reversed %v", a, b, s, ItemSimilarity(b, a))
		}
		if got, want := distance(a, b), slowDistance(a, b); got != want {
			t.Fatalf("distance(%q, %q) = %d, want %d", a, b, got, want)
		}
	})
}

// slowDistance is the definition.
func slowDistance(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	cost := 1
	if a[0] == b[0] {
		cost = 0
	}
	return min(cost+slowDistance(a[1:], b[1:]), 1+slowDistance(a[1:], b), 1+slowDistance(a, b[1:]))
}

func TestHistogram(t *testing.T) {
	last := -1
	for v := range 100000 {
		b := bin(v)
		if b < last || binStart(b) > v || float64(v-binStart(b)) > 0.01*float64(v) {
			t.Fatalf("bin(%d) = %d, which starts at %d; the bin before is %d", v, b, binStart(b), last)
		}
		last = b
	}
	tests := []struct {
		values []int
		want   Length
	}{
		{nil, Length{}},
		{[]int{7}, Length{7, 7, 7}},
		{[]int{0, 3, 200}, Length{0, 3, 200}},
		{[]int{5, 1, 9, 4}, Length{1, 4, 9}},
		{[]int{5001, 5001}, Length{5001, 5001, 5001}},
	}
	for _, test := range tests {
		whole, left, right := newHistogram(), newHistogram(), newHistogram()
		for i, v := range test.values {
			whole.add(v)
			if i%2 == 0 {
				left.add(v)
			} else {
				right.add(v)
			}
		}
		left.merge(&right)
		if whole.length() != test.want || left.length() != test.want {
			t.Errorf("length of %v = %v, merged %v, want %v", test.values, whole.length(), left.length(), test.want)
		}
	}
}
