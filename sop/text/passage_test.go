package text_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// drawVariant draws a variant of a built-in procedure.
func drawVariant(t *rapid.T, d *sop.Domain) *sop.Variant {
	p := rapid.SampledFrom(d.Procedures).Draw(t, "procedure")
	v, err := d.Variant(p, sop.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestPassagesAreWholePartsOfLines(t *testing.T) {
	d := builtin(t, "bank")
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		doc := text.RenderSOP(rapid.SampledFrom(text.Styles).Draw(t, "style"), drawVariant(t, d), rng)
		end := 0
		for _, p := range text.DocumentPassages(doc) {
			require.GreaterOrEqual(t, p.At, end, "passages follow each other")
			end = p.At + p.Length
			words := p.In(doc)
			require.NotContains(t, words, "\n")
			require.Equal(t, strings.TrimSpace(words), words)
			line := doc[strings.LastIndex(doc[:p.At], "\n")+1 : end]
			require.NotContains(t, "#|", strings.TrimSpace(line)[:1])
		}
	})
}

// What the reader skips may say anything: that is for Prose to hold. What it
// reads may not change.
func TestSameDocument(t *testing.T) {
	d := builtin(t, "bank")
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		doc := text.RenderSOP(rapid.SampledFrom([]text.Style{text.Numbered, text.Policy, text.Checklist, text.RuleList}).Draw(t, "style"), drawVariant(t, d), rng)
		require.NoError(t, text.SameDocument(doc, doc))
		list := text.DocumentPassages(doc)
		p := rapid.SampledFrom(list).Draw(t, "passage")
		now := doc[:p.At] + "Whatever the house may think of this." + doc[p.At+p.Length:]
		err := text.SameDocument(doc, now)
		heading := doc[strings.LastIndex(doc[:p.At], "\n## "):p.At]
		switch {
		case strings.Contains(heading, "Purpose") || strings.Contains(heading, "Background") || strings.Contains(heading, "Why this procedure exists"):
			require.NoError(t, err)
		case strings.Contains(p.In(doc), "`"):
			require.Error(t, err, p.In(doc))
		}
	})
	assert.Error(t, text.SameDocument("", ""))
}

func TestQuestionPassage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		view := rapid.SampledFrom(text.Views).Draw(t, "view")
		format := rapid.SampledFrom(text.Formats(view)).Draw(t, "format")
		split := rapid.SampledFrom([]string{"train", "test"}).Draw(t, "split")
		query, id := text.Query(view, format, split, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		p, err := text.QuestionPassage(id, query)
		require.NoError(t, err)
		require.Zero(t, p.At)
		require.Less(t, p.Length, len(query))
		question := p.In(query)
		require.Nil(t, text.OwnWording(id, question, question))
		// Another wording's own words are not taken for this one's.
		other, otherID := text.Query(rapid.SampledFrom(text.Views).Draw(t, "other view"), format, "train", rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "other seed"), 0)))
		if otherID == "" {
			return
		}
		q, err := text.QuestionPassage(otherID, other)
		require.NoError(t, err)
		if words := q.In(other); words != question {
			require.NotNil(t, text.OwnWording(id, question, words), words)
		}
	})
	_, err := text.QuestionPassage("workflow/train/0", "x")
	assert.ErrorContains(t, err, "unknown query")
	_, err = text.QuestionPassage("workflow/train/0/arrow/0", "What now? In verse.")
	assert.ErrorContains(t, err, "no sentence")
}

// No rewording is that of two wordings, whatever it is.
func TestOwnWordingSeparates(t *testing.T) {
	c := text.Concept{View: text.ApplicationView, Kind: "action", Phrase: "sign the customer in", Title: "Close an account", Format: "term"}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (question string, id text.QueryID) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, label), 0))
			query, id := text.ConceptQuery(c, rapid.SampledFrom([]string{"train", "test"}).Draw(t, label+" split"), rng)
			p, err := text.QuestionPassage(id, query)
			require.NoError(t, err)
			return p.In(query), id
		}
		a, idA := draw("a")
		b, idB := draw("b")
		words := strings.Fields(a + " " + b)
		rewording := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 4, 30).Draw(t, "words"), " ")
		if a != b && text.OwnWording(idA, a, rewording) == nil {
			require.NotNil(t, text.OwnWording(idB, b, rewording))
		}
	})
}

func TestSameCase(t *testing.T) {
	d := builtin(t, "bank")
	rapid.Check(t, func(t *rapid.T) {
		v := drawVariant(t, d)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		sampler, err := sop.NewSampler(v)
		require.NoError(t, err)
		var worlds []sop.World
		for _, list := range sampler.Worlds() {
			worlds = append(worlds, list...)
		}
		s, err := sampler.Scenario(rapid.SampledFrom(worlds).Draw(t, "world"), rng)
		require.NoError(t, err)
		doc := text.RenderScenario(rapid.SampledFrom(text.ScenarioStyles).Draw(t, "style"), v, s, rng)
		for _, p := range text.CasePassages(doc) {
			require.Equal(t, "> ", doc[p.At-2:p.At])
			now := doc[:p.At] + "Something else altogether." + doc[p.At+p.Length:]
			require.NoError(t, text.SameCase(doc, now, v), "the reader skips what the customer says")
		}
		i := strings.LastIndex(doc, "\n- ")
		if i < 0 {
			return
		}
		require.Error(t, text.SameCase(doc, doc[:i]+"\n- Something else altogether.\n", v))
	})
}
