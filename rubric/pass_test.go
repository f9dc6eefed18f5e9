package rubric_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/rubric"
)

// By hand: q1 passed in 2 of 3 repeats, q2 in 1 of 2, its third is unscored.
func TestPassRatesByHand(t *testing.T) {
	e := func(v float64) map[string]float64 { return map[string]float64{"order": v, "money": 1} }
	questions := []rubric.Question{question("q1", "a", 1, "order", "money"), question("q2", "b", 1, "order", "money")}
	res, err := rubric.Aggregate(twoDimensions(), questions, 3, []rubric.Score{
		scored("q1", 0, e(1)), scored("q1", 1, e(0.99)), scored("q1", 2, e(1)),
		scored("q2", 0, e(0)), unscored("q2", 1, "server gone"), scored("q2", 2, e(1)),
	}, 0)
	require.NoError(t, err)
	require.Len(t, res.Passes, 3)
	for i, want := range []struct {
		k              int
		at, all        float64
		low, high      float64 // of pass^k
		scoredAnswers  int
		unscoredAnswer int
	}{
		{1, 7. / 12, 7. / 12, 1. / 2, 2. / 3, 5, 1},
		{2, 1, 1. / 6, 1. / 6, 1. / 3, 5, 1},
		{3, 1, 0, 0, 0, 5, 1}, // q1 alone has three scored answers
	} {
		got := res.Passes[i]
		assert.Equal(t, want.k, got.K)
		assert.InDelta(t, want.at, *got.At.Value, 1e-12, "pass@%d", want.k)
		assert.InDelta(t, want.all, *got.All.Value, 1e-12, "pass^%d", want.k)
		assert.InDelta(t, want.low, got.All.Low, 1e-12)
		assert.InDelta(t, want.high, got.All.High, 1e-12)
		assert.Equal(t, []int{want.scoredAnswers, want.unscoredAnswer}, []int{got.All.Scored, got.All.Unscored})
	}
}

func TestPassRatesAreForPowersOfTwoAndTheRepeats(t *testing.T) {
	for repeats, want := range map[int][]int{1: {1}, 2: {1, 2}, 4: {1, 2, 4}, 5: {1, 2, 4, 5}} {
		res, err := rubric.Aggregate(twoDimensions(), []rubric.Question{question("q", "a", 1, "order")}, repeats, nil, 0)
		require.NoError(t, err)
		var ks []int
		for _, p := range res.Passes {
			ks = append(ks, p.K)
			assert.Nil(t, p.At.Value)
			assert.Equal(t, []float64{0, 1}, []float64{p.At.Low, p.At.High})
		}
		assert.Equal(t, want, ks)
	}
}

// domainMean is the final mean of a domain with questions of as many SOPs,
// answered better and better.
func domainMean(t *testing.T, domain string, units int) rubric.Mean {
	r := twoDimensions()
	r.Domain = domain
	var questions []rubric.Question
	var scores []rubric.Score
	for i := range units {
		q := question(fmt.Sprint("q", i), fmt.Sprint(i), 1, "order", "money")
		q.Domain = domain
		v := float64(i) / float64(units-1)
		questions, scores = append(questions, q), append(scores, scored(q.ID, 0, map[string]float64{"order": v, "money": v}))
	}
	res, err := rubric.Aggregate(r, questions, 1, scores, 1)
	require.NoError(t, err)
	return res.Final
}

func TestOverall(t *testing.T) {
	bank, hotel := domainMean(t, "bank", 40), domainMean(t, "hotel", 40)
	assert.NotEqual(t, bank.Interval, hotel.Interval, "domains draw for themselves")
	both := rubric.Overall([]rubric.Mean{bank, hotel})
	assert.InDelta(t, 0.5, *both.Value, 1e-12)
	assert.Equal(t, 80, both.Scored)
	// The standard error of the mean of two such domains is that of one by √2.
	width := func(m rubric.Mean) float64 { return m.Interval.High - m.Interval.Low }
	assert.InDelta(t, 1/1.4142, width(both)/width(bank), 0.08)

	few := rubric.Overall([]rubric.Mean{bank, domainMean(t, "dmv", 4)})
	assert.InDelta(t, 0.5, *few.Value, 1e-12)
	assert.Equal(t, "no interval: a part has none", few.NoInterval)
	none := rubric.Overall([]rubric.Mean{bank, {Questions: 2, Unscored: 2, High: 1}})
	assert.Nil(t, none.Value)
	assert.InDelta(t, 0.25, none.Low, 1e-12)
	assert.InDelta(t, 0.75, none.High, 1e-12)
	assert.Equal(t, 2, none.Unscored)
}
