package sop

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An end that hardly a draw comes to is found from one that a few come to: a draw
// makes facts true three times in four, and eight are to be false.
func TestRareOutcomesHaveWorlds(t *testing.T) {
	const n = 16
	d := &Domain{Name: "desk", Conditions: map[string]*Condition{}, Actions: map[string]*Action{"look": {Text: "look"}, "act": {Text: "act"}}}
	var denied []*Tree
	for i := range n {
		name := fmt.Sprintf("c%02d", i)
		d.Conditions[name] = &Condition{Kind: "state", EstablishedBy: L("look"), Text: name, Negated: "not " + name}
		denied = append(denied, T(Not, L(name)))
	}
	goal, nearly := T(All, denied[:8]...), T(All, denied[:5]...)
	p := &Procedure{Goal: "act", Required: []*Tree{goal}, Outcomes: []Outcome{
		{End: "act", Tree: goal}, {End: "nearly", Tree: T(All, nearly, T(Any, L("c05"), L("c06"), L("c07")))},
		{End: "other", Tree: T(Any, denied[8:]...)}, {End: Deny}}}
	d.Procedures = []*Procedure{p}
	v, err := d.Variant(p, Choice{})
	require.NoError(t, err)
	s, err := NewSampler(v)
	require.NoError(t, err)
	again, err := NewSampler(v)
	require.NoError(t, err)
	for k, o := range v.Outcomes {
		assert.NotZero(t, s.Count(k), o.End)
	}
	assert.Equal(t, s.Worlds(), again.Worlds())
}
