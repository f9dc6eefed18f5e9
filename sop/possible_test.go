package sop

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is possible by some facts is what some consistent assignment with
// numbers has; tried on a condition that depends on another, on two that
// exclude each other, and on two comparisons that cannot both hold.
func TestPossible(t *testing.T) {
	leaf := func(name string) *Condition {
		return &Condition{Kind: "state", EstablishedBy: L("look"), Text: name, Negated: "not " + name}
	}
	compared := func(name, compare string) *Condition {
		c := leaf(name)
		c.Compare = compare
		return c
	}
	depending := leaf("open")
	depending.DependsOn = L("known")
	d := &Domain{
		Name:   "desk",
		Values: map[string]*Value{"due": {Unit: "days", Max: 30, Step: 1, Text: "the days left"}},
		Conditions: map[string]*Condition{
			"known": leaf("known"), "open": depending, "red": leaf("red"), "green": leaf("green"),
			"soon": compared("soon", "due < 5"), "late": compared("late", "due > 20"),
		},
		Actions:  map[string]*Action{"look": {Text: "look"}, "act": {Text: "act"}},
		Excludes: [][]string{{"red", "green"}},
	}
	p := &Procedure{Goal: "act", Required: []*Tree{L("known"), L("open"), L("red"), L("green"), L("soon"), L("late")}}
	d.Procedures = []*Procedure{p}
	v, err := d.Variant(p, Choice{})
	require.NoError(t, err)
	s, err := NewSampler(v)
	require.NoError(t, err)
	for _, tt := range []struct {
		facts map[string]bool
		want  bool
	}{
		{nil, true},
		{map[string]bool{"open": true}, true},
		{map[string]bool{"open": true, "known": false}, false},
		{map[string]bool{"open": false, "known": false}, true},
		{map[string]bool{"red": true, "green": true}, false},
		{map[string]bool{"red": true, "green": false, "soon": true}, true},
		{map[string]bool{"soon": true, "late": true}, false},
		{map[string]bool{"soon": false, "late": false}, true},
		{map[string]bool{"blue": false}, false},
	} {
		assert.Equal(t, tt.want, s.Possible(tt.facts), "%v", tt.facts)
	}
}
