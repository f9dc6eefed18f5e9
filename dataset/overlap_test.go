package dataset

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func TestMembers(t *testing.T) {
	got := map[string]string{}
	members(` { "a" : {"b":[1,"}"]} ,"c":null, "d\"" : "x\"y","e":-1.5}`, func(key, value string) { got[key] = value })
	want := map[string]string{"a": `{"b":[1,"}"]}`, "c": "null", `d\"`: `"x\"y"`, "e": "-1.5"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("members are %q, want %q", got, want)
	}
	members(`["a"]`, func(key, _ string) { t.Errorf("a list has the member %q", key) })
}

// What is no JSON is neither walked forever nor past its end.
func TestWalkerEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[\[\]{}":,\\ a1-]{0,20}`).Draw(t, "text")
		shape(text)
		members(text, func(string, string) {})
	})
}

// The values are counted by hand.
func TestOverlap(t *testing.T) {
	row := func(split, query, names, requires, facts string) Row {
		r := in(split, workflow(1))
		r.Meta = fmt.Sprintf(`{"query":%q,"names":{%s},"rules":[]}`, query, names)
		r.Reference = fmt.Sprintf(`{"requires":{"pay":%s,"login_user":null},"facts":{%s}}`, requires, facts)
		return r
	}
	rows := []Row{
		row(Train, "workflow/train/0/json/0", ``, `{"all":["a",{"any":["b","c"]}]}`, `"a":true,"b":false`),
		row(Train, "workflow/train/1/json/0", ``, `{"seq":["a","b"]}`, `"a":true,"b":true`),
		// The same under other names, in another order: the tree, its part and the facts.
		row(Test, "workflow/test/0/json/0", `"a":"x","pay":"settle"`, `{"all":[{"any":["c","b"]},"x"]}`, `"b":false,"x":true`),
		// An order that counts; a leaf alone and its negation are no subtrees.
		row(Test, "workflow/test/0/json/0", ``, `{"seq":["b","a"]}`, `"a":false,"b":true`),
		row(Test, "workflow/test/1/json/0", ``, `{"not":"a"}`, `"a":false`),
		row(Validation, "workflow/train/1/json/0", ``, `"a"`, `"a":true,"b":true`),
	}
	want := map[string]Overlap{
		Test:       {Wordings: Shared{Distinct: 2}, Subtrees: Shared{Distinct: 3, InTrain: 2}, Facts: Shared{Distinct: 3, InTrain: 1}},
		Validation: {Wordings: Shared{Distinct: 1, InTrain: 1}, Subtrees: Shared{}, Facts: Shared{Distinct: 1, InTrain: 1}},
	}
	whole, parts := newTally(), newTally()
	for i := range rows {
		whole.add(&rows[i])
		part := newTally()
		part.add(&rows[len(rows)-1-i])
		parts.merge(part)
	}
	if got := whole.overlap(); !reflect.DeepEqual(got, want) {
		t.Errorf("overlap is %+v, want %+v", got, want)
	}
	if got := parts.overlap(); !reflect.DeepEqual(got, want) {
		t.Errorf("overlap of parts is %+v, want %+v", got, want)
	}
	// Those of one assignment of facts are one task with names undone: meta.rules,
	// which would tell their variants apart, is empty in all. As written each has a
	// rule of its own.
	if got, want := whole.distinct(), map[string]Distinct{"2": {Tasks: 6, NamesUndone: 4}}; !reflect.DeepEqual(got, want) {
		t.Errorf("distinct is %v, want %v", got, want)
	}
}

func TestOverlapOfManyIsEstimated(t *testing.T) {
	const n, both = 4000, 1000
	small := func() *hashes { return newThinned[struct{}](256) }
	train, test := small(), small()
	for i := range n {
		train.at(hash64(1, fmt.Sprint(i)))
		test.at(hash64(1, fmt.Sprint(i+n-both)))
	}
	got := shared(test, train)
	if !got.Estimated || got.Distinct < n*3/4 || got.Distinct > n*5/4 || got.InTrain < both/2 || got.InTrain > both*3/2 {
		t.Errorf("shared is %+v of %d, want about %d", got, n, both)
	}
}
