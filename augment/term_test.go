package augment_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
)

var glossary = []*sop.Term{
	{Term: "account balance", Type: "value", Of: "balance", UsedIn: []string{"pay", "move"}, Synonyms: []string{"cash balance"},
		Confusables: []*sop.Confusable{{Term: "owed balance", NotBecause: "It is due to the bank."}}},
	{Term: "owed balance", Type: "value", Of: "owed_balance", UsedIn: []string{"pay"}},
	{Term: "card balance", Type: "value", UsedIn: []string{"pay", "move"}},
	{Term: "balance inquiry", Type: "action", Of: "get_balance", UsedIn: []string{"move"}},
	{Term: "account reading", Type: "action", Of: "balance", UsedIn: []string{"move"}},
	{Term: "Cash Balance", Type: "record", UsedIn: []string{"move"}},
	{Term: "session", Type: "state", UsedIn: []string{"close"}},
}

func TestSubstitutions(t *testing.T) {
	substitutions := augment.NewSubstitutions(glossary)
	type line struct{ term, because, notBecause string }
	var got []line
	for _, s := range substitutions.All(glossary[0]) {
		got = append(got, line{s.Term.Term, s.Because, s.NotBecause})
		require.Equal(t, s, *substitutions.For(glossary[0], s.Term))
		require.Equal(t, augment.Alike("account balance", s.Term.Term, glossary[0].UsedIn, s.Term.UsedIn), s.Similarity)
		require.Equal(t, s.Because == augment.Confusable || s.Because == augment.OtherType, s.Wrong())
	}
	require.Equal(t, []line{
		{"account balance", augment.Synonym, ""},
		{"owed balance", augment.Confusable, "It is due to the bank."},
		{"card balance", augment.Undecided, ""}, // same type, nothing declared
		{"balance inquiry", augment.OtherType, ""},
		{"account reading", augment.Undecided, ""}, // words the same thing
		{"Cash Balance", augment.Synonym, ""},      // in other letters
		{"session", augment.OtherType, ""},
	}, got)
	// What is declared of one term says nothing about the other.
	require.Equal(t, augment.Undecided, substitutions.For(glossary[1], glossary[0]).Because)
	require.Nil(t, substitutions.All(&sop.Term{Term: "account balance"}), "of another glossary")
}

func TestAlike(t *testing.T) {
	for _, test := range []struct {
		a, b         string
		usedA, usedB []string
		want         augment.Similarity
	}{
		{"abcd", "abcd", []string{"x"}, []string{"x"}, augment.Similarity{ByName: 1, ByUse: 1}},
		{"abcd", "abce", []string{"x", "y"}, []string{"y", "z"}, augment.Similarity{ByName: 0.75, ByUse: 1.0 / 3}},
		{"ab", "cdef", nil, nil, augment.Similarity{}},
		{"", "", nil, nil, augment.Similarity{ByName: 1}},
	} {
		require.InDelta(t, test.want.ByName, augment.Alike(test.a, test.b, test.usedA, test.usedB).ByName, 1e-9, "%s, %s", test.a, test.b)
		require.InDelta(t, test.want.ByUse, augment.Alike(test.a, test.b, test.usedA, test.usedB).ByUse, 1e-9, "%s, %s", test.a, test.b)
	}
}

func TestAlikeIsASimilarity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{"", "card", "card register", "balance", "Balance", "größe"})
		uses := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string])
		a, b, x, y := words.Draw(t, "a"), words.Draw(t, "b"), uses.Draw(t, "x"), uses.Draw(t, "y")
		s := augment.Alike(a, b, x, y)
		require.Equal(t, s, augment.Alike(b, a, y, x), "symmetric")
		require.True(t, s.Mean() >= 0 && s.Mean() <= 1, "%v", s)
		require.Equal(t, 1.0, augment.Alike(a, a, x, y).ByName)
	})
}
