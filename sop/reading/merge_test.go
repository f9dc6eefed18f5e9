package reading

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop"
)

// A person's edits stay; what they left alone follows the document; where both
// changed, the person wins and is told.
func TestMerge(t *testing.T) {
	domain := func(edit func(*sop.Domain)) *sop.Domain {
		d := &sop.Domain{
			Name: "gate", Title: "Gate", Summary: "s",
			Conditions: map[string]*sop.Condition{"badge": {Kind: "state", Text: "the badge is valid", EstablishedBy: sop.L("check")}},
			Actions:    map[string]*sop.Action{"check": {Text: "check the badge"}, "open": {Text: "open the gate", Requires: sop.T(sop.All, sop.L("badge"), sop.L("x"))}},
			Glossary:   []*sop.Term{{Term: "badge", Definition: "a card", Type: "record"}},
			Procedures: []*sop.Procedure{{Goal: "open", Title: "Open", Purpose: "p", Requests: []string{"a", "b"}}},
		}
		edit(d)
		return d
	}
	base := domain(func(*sop.Domain) {})
	edited := domain(func(d *sop.Domain) {
		d.Conditions["badge"].Text = "the card is valid"
		d.Actions["open"].Requires = sop.L("badge")
		d.Glossary = append(d.Glossary, &sop.Term{Term: "gate", Definition: "a door", Type: "record"})
		d.Procedures[0].Requests = []string{"mine"}
	})
	fresh := domain(func(d *sop.Domain) {
		d.Conditions["badge"].Kind = "authentication"
		d.Conditions["badge"].Text = "the badge is still valid"
		d.Actions["log"] = &sop.Action{Text: "log"}
		d.Procedures[0].Title = "Open the gate"
	})
	got, kept, err := Merge(base, edited, fresh)
	require.NoError(t, err)
	assert.Equal(t, []string{"conditions/badge/text"}, kept)
	assert.Equal(t, "the card is valid", got.Conditions["badge"].Text)
	assert.Equal(t, "authentication", got.Conditions["badge"].Kind)
	assert.Equal(t, "log", got.Actions["log"].Text)
	assert.Equal(t, `"badge"`, got.Actions["open"].Requires.String())
	assert.Len(t, got.Glossary, 2)
	require.Len(t, got.Procedures, 1)
	assert.Equal(t, "Open the gate", got.Procedures[0].Title)
	assert.Equal(t, []string{"mine"}, got.Procedures[0].Requests)

	same, kept, err := Merge(base, base, base)
	require.NoError(t, err)
	assert.Empty(t, kept)
	assert.Equal(t, base.Actions, same.Actions)
}

// Verdicts go with their sentence, wherever it moves to.
func TestRecall(t *testing.T) {
	reading := func(source, quote string) *Reading {
		return &Reading{Kind: Step, Source: source, Quote: quote, Text: quote}
	}
	old := []*Result{{File: "a.md", Readings: []*Reading{reading("a.md:3", "Open it."), reading("a.md:4", "Close it."), reading("a.md:9", "Lock it.")}}}
	old[0].Readings[0].Verdict, old[0].Readings[1].Verdict = Accepted, Rejected
	fresh := []*Result{{File: "a.md", Readings: []*Reading{reading("a.md:3", "Open it."), reading("a.md:7", "Close  it."), reading("a.md:8", "Wash it.")}}}
	assert.Equal(t, []string{
		"moved    a.md:4 -> a.md:7  do: Close  it.", "new      a.md:8  do: Wash it.", "gone     a.md:9  do: Lock it.",
	}, Recall(old, fresh))
	assert.Equal(t, Accepted, fresh[0].Readings[0].Verdict)
	assert.Equal(t, Rejected, fresh[0].Readings[1].Verdict)
	assert.Empty(t, Recall(nil, fresh))
}
