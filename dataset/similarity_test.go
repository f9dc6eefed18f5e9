package dataset

import (
	"slices"
	"testing"
)

// What is listed at sight is what decoding lists.
func FuzzItems(f *testing.F) {
	for _, s := range []string{`{"requires":{"a":null,"b":{"all":["c","d"]}}}`, `["a","b",true]`, `{"b":"x","a":[]}`, `[ ]`, `"\u0041"`, `{"a":{},"a b":[[]]}`, `{"next":"pay","arguments":{"to":"b","amount":12.5,"at":-3,"more":{}}}`, `[1.0,01,1e3,--1]`, `{"a":1,"a":2}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := scan{rest: s}
		if !c.value(0) || c.rest != "" {
			return
		}
		v, err := decodeJSON(s)
		if err != nil {
			t.Fatal(err)
		}
		if want := appendItems(nil, v); !slices.Equal(c.items, want) {
			t.Errorf("%s has the items %q, want %q", s, c.items, want)
		}
	})
}
