package tinymodel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// competing draws replies of few words, short and in one another, so that they
// compete for tokens. A new line alone is none.
func competing(t *rapid.T) []string {
	word := rapid.SampledFrom([]string{"a", "b", " ", "a ", "ab ", "ä", "key", "\n", "a\nb"})
	reply := rapid.Map(rapid.SliceOfN(word, 0, 6), func(words []string) string { return strings.Join(words, "") })
	reply = reply.Filter(func(s string) bool { return s != "\n" })
	return rapid.SliceOfNDistinct(reply, 1, 8, rapid.ID[string]).Draw(t, "replies")
}

// Whatever replies share, each one's first token leads to the end through its
// own text.
func TestChainsSpellTheReplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := newVocabulary()
		v.id("key", added)
		c := newChains(v)
		texts := competing(t)
		var replies []Reply
		for _, text := range texts {
			replies = append(replies, Says(text))
		}
		firsts, err := c.lay(replies)
		require.NoError(t, err)
		for i, text := range texts {
			require.Len(t, firsts[i], 1)
			for id, share := range firsts[i] {
				assert.Equal(t, 1., share)
				var said strings.Builder
				for ; id != v.ids[end]; id = c.next[id] {
					said.WriteString(v.tokens[id])
				}
				assert.Equal(t, spelt(text), said.String())
			}
		}
	})
}

// Longer replies are told in words.
func TestWordsAreTokens(t *testing.T) {
	for _, test := range []struct {
		replies []string
		tokens  [][]string // of each, by length
	}{
		{[]string{"one two three"}, [][]string{{"one ", "two ", "three"}}},
		{[]string{"yes", "yes sir"}, [][]string{{"yes"}, {"yes ", "sir"}}},
		{[]string{"it is A", "it is B"}, [][]string{{"it ", "is ", "A"}, {"it is ", "B"}}},
		{[]string{"a a a"}, [][]string{{"a a ", "a"}}},
		{[]string{`{"ok": true}`, `{"ok": false}`}, [][]string{{`{"ok": `, "true}"}, {`{"ok": false}`}}},
		{[]string{""}, [][]string{nil}},
	} {
		v := newVocabulary()
		c := newChains(v)
		var replies []Reply
		for _, text := range test.replies {
			replies = append(replies, Says(text))
		}
		firsts, err := c.lay(replies)
		require.NoError(t, err)
		for i, want := range test.tokens {
			for id := range firsts[i] {
				var got []string
				for ; id != v.ids[end]; id = c.next[id] {
					got = append(got, strings.ReplaceAll(v.tokens[id], "Ġ", " "))
				}
				assert.Equal(t, want, got)
			}
		}
	}
}

// Long replies make no wide model.
func TestManyWordsAreFewTokens(t *testing.T) {
	var replies []Reply
	for i := range 20 {
		var text strings.Builder
		for j := range 100 {
			fmt.Fprint(&text, i, "-", j, " ")
		}
		replies = append(replies, Says(text.String()))
	}
	c := newChains(newVocabulary())
	firsts, err := c.lay(replies)
	require.NoError(t, err)
	said := len(c.said(firsts))
	assert.GreaterOrEqual(t, said, fewTokens-20)
	assert.LessOrEqual(t, said, fewTokens+20+1)
}

func TestScriptsThatCannotBe(t *testing.T) {
	for _, test := range []struct {
		name   string
		script Script
		want   string
	}{
		{"empty", Script{}, `script: no reply for "", the prompts without a keyword`},
		{"no default", Script{"key": Says("yes")}, `script: no reply for "", the prompts without a keyword`},
		{"no text", Script{"": OneOf(nil)}, `script: keyword "": no text`},
		{"half a letter", Script{"": Says("a"), "é": Says("b")}, `script: keyword "é": want no control token, and no single letter beyond ASCII`},
		{"control token", Script{"": Says("a"), "<|im_end|>": Says("b")}, `script: keyword "<|im_end|>": want no control token, and no single letter beyond ASCII`},
		{"zero", Script{"": OneOf(map[string]float64{"a": 0})}, `script: keyword "": weight 0 of "a", want a number above 0`},
		{"no number", Script{"": Says("a"), "key": OneOf(map[string]float64{"a": math.NaN()})}, `script: keyword "key": weight NaN of "a", want a number above 0`},
		{"new line", Script{"": Says("\n")}, `script: reply "\n": "\n" cannot be a reply beside the others`},
		{"endless nothing", Script{"": Endless("")}, `script: reply "": an endless one wants a word`},
		{"endless repetition", Script{"": Endless("a b a ")}, `script: reply "a b a ": "a " occurs twice, or in another endless one`},
		{"inside an endless one", Script{"": Endless("a b "), "key": Says("a ")}, `script: reply "a ": "a " cannot be a reply beside the others`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.script.Model()
			assert.EqualError(t, err, test.want)
		})
	}
}

func TestSameBytes(t *testing.T) {
	script := Script{"": Says("one two"), "b": OneOf(map[string]float64{"u": .1, "v": .2, "w": .3, "x": .4, "y": .5, "z": .6}), "a": Endless("on and ")}
	first, err := script.Model()
	require.NoError(t, err)
	for range 20 {
		again, err := script.Model()
		require.NoError(t, err)
		require.True(t, slices.Equal(first, again))
	}
	assert.True(t, slices.Equal(Random(3), Random(3)))
	assert.False(t, slices.Equal(Random(3), Random(4)))
}
