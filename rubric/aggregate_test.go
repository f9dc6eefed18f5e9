package rubric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/rubric"
)

func twoDimensions() *rubric.Rubric {
	return &rubric.Rubric{Domain: "bank", Dimensions: []rubric.Dimension{
		{Name: "order", Weight: 0.75, Criteria: criteria()}, {Name: "money", Weight: 0.25, Criteria: criteria()},
	}}
}

func question(id, unit string, level int, dimensions ...string) rubric.Question {
	return rubric.Question{ID: id, Domain: "bank", Unit: unit, Level: level, Type: rubric.Factual, Dimensions: dimensions, Query: "?"}
}

func scored(id string, repeat int, e map[string]float64) rubric.Score {
	return rubric.Score{Question: id, Repeat: repeat, Scorer: "symbolic", Outcome: rubric.Scored, E: e}
}

func unscored(id string, repeat int, reason string) rubric.Score {
	return rubric.Score{Question: id, Repeat: repeat, Scorer: "symbolic", Outcome: rubric.Unscored, Reason: reason}
}

// Equation 14 by hand: q1 tests order with 1 and 0.5 in its two repeats, q2
// order and money with 0 and 1 once and an unscored repeat. E_order = (0.75 +
// 0)/2, E_money = 1, e_final = 0.75·0.375 + 0.25·1.
func TestFinalScoreByHand(t *testing.T) {
	questions := []rubric.Question{question("q1", "a", 1, "order"), question("q2", "b", 2, "order", "money")}
	res, err := rubric.Aggregate(twoDimensions(), questions, 2, []rubric.Score{
		scored("q1", 0, map[string]float64{"order": 1}), scored("q1", 1, map[string]float64{"order": 0.5}),
		scored("q2", 0, map[string]float64{"order": 0, "money": 1}), unscored("q2", 1, "judge off format"),
	}, 0)
	require.NoError(t, err)
	order, money := res.Dimensions[0], res.Dimensions[1]
	assert.InDelta(t, 0.375, *order.Value, 1e-12)
	assert.InDelta(t, 1, *money.Value, 1e-12)
	assert.InDelta(t, 0.53125, *res.Final.Value, 1e-12)
	assert.Equal(t, []int{2, 3, 1}, []int{order.Questions, order.Scored, order.Unscored})
	assert.InDelta(t, 0.375, order.Low, 1e-12)
	assert.InDelta(t, 0.625, order.High, 1e-12)
	assert.InDelta(t, 0.5, money.Low, 1e-12)
	assert.InDelta(t, 1, money.High, 1e-12)
	assert.InDelta(t, 0.75*0.375+0.25*0.5, res.Final.Low, 1e-12)
	assert.InDelta(t, 0.75*0.625+0.25, res.Final.High, 1e-12)
	assert.Equal(t, "no interval: 2 SOPs", res.Final.NoInterval)
	assert.Equal(t, []rubric.Reason{{Reason: "judge off format", Count: 1}}, res.Unscored)
	require.Len(t, res.Levels, 2)
	assert.InDelta(t, 0.75, *res.Levels[0].Value, 1e-12)
	assert.InDelta(t, 0.25, *res.Levels[1].Value, 1e-12, "0.75·0 + 0.25·1")
}

func TestADimensionWithoutAScoreLeavesTheWholeUnscored(t *testing.T) {
	questions := []rubric.Question{question("q1", "a", 1, "order"), question("q2", "b", 1, "money")}
	res, err := rubric.Aggregate(twoDimensions(), questions, 1, []rubric.Score{
		scored("q1", 0, map[string]float64{"order": 1}), unscored("q2", 0, "server gone"),
	}, 0)
	require.NoError(t, err)
	assert.Nil(t, res.Final.Value)
	assert.Equal(t, []string{"money"}, res.Missing)
	assert.InDelta(t, 0.75, res.Final.Low, 1e-12)
	assert.InDelta(t, 1, res.Final.High, 1e-12)

	res, err = rubric.Aggregate(twoDimensions(), questions[:1], 1, nil, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"order", "money"}, res.Missing)
	assert.Equal(t, []rubric.Reason{{Reason: "no score", Count: 1}}, res.Unscored)
	assert.InDelta(t, 1, res.Final.High, 1e-12)
}

func TestScoresThatDoNotBelongAreNamed(t *testing.T) {
	questions := []rubric.Question{question("q1", "a", 1, "order")}
	good := scored("q1", 0, map[string]float64{"order": 1})
	for want, scores := range map[string][]rubric.Score{
		"q9, which is not in the test set": {scored("q9", 0, nil)},
		"two scores of question q1":        {good, good},
		`nothing for dimension "order"`:    {scored("q1", 0, nil)},
		"1.5 for dimension":                {scored("q1", 0, map[string]float64{"order": 1.5})},
		"NaN for dimension":                {scored("q1", 0, map[string]float64{"order": math.NaN()})},
		"2 dimensions, the question tests": {scored("q1", 0, map[string]float64{"order": 1, "money": 1})},
		"asked 1 times":                    {scored("q1", 1, map[string]float64{"order": 1})},
		"unscored without a reason":        {unscored("q1", 0, "")},
		`outcome is "maybe"`:               {{Question: "q1", Outcome: "maybe"}},
	} {
		_, err := rubric.Aggregate(twoDimensions(), questions, 1, scores, 0)
		assert.ErrorContains(t, err, want)
	}
	_, err := rubric.Aggregate(twoDimensions(), []rubric.Question{question("q1", "a", 1, "speed")}, 1, nil, 0)
	assert.ErrorContains(t, err, `"speed"`)
	_, err = rubric.Aggregate(&rubric.Rubric{Domain: "dmv"}, questions, 1, nil, 0)
	assert.ErrorContains(t, err, `of domain "bank", the rubric of "dmv"`)
}

// Whatever the scores: a mean lies in its bounds, its interval in [0, 1], and
// all of it does not depend on the order of the scores.
func TestMeansLieWithinTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		repeats := rapid.IntRange(1, 3).Draw(t, "repeats")
		var questions []rubric.Question
		var scores []rubric.Score
		for i := range rapid.IntRange(1, 24).Draw(t, "questions") {
			dims := rapid.SampledFrom([][]string{{"order"}, {"money"}, {"order", "money"}}).Draw(t, "dims")
			q := question(fmt.Sprint("q", i), fmt.Sprint("u", rapid.IntRange(0, 11).Draw(t, "unit")), rapid.IntRange(1, 4).Draw(t, "level"), dims...)
			questions = append(questions, q)
			for k := range repeats {
				switch rapid.IntRange(0, 3).Draw(t, "outcome") {
				case 0:
				case 1:
					scores = append(scores, unscored(q.ID, k, "judge"))
				default:
					e := map[string]float64{}
					for _, d := range dims {
						e[d] = rapid.Float64Range(0, 1).Draw(t, "e")
					}
					scores = append(scores, scored(q.ID, k, e))
				}
			}
		}
		res, err := rubric.Aggregate(twoDimensions(), questions, repeats, scores, 3)
		require.NoError(t, err)
		means := []rubric.Mean{res.Final}
		for _, cells := range [][]rubric.Cell{res.Dimensions, res.Levels, res.Types} {
			for _, c := range cells {
				means = append(means, c.Mean)
			}
		}
		const slack = 1e-9
		for _, m := range means {
			assert.LessOrEqual(t, m.Low, m.High+slack)
			if m.Value == nil {
				assert.Nil(t, m.Interval)
				continue
			}
			assert.LessOrEqual(t, m.Low, *m.Value+slack)
			assert.LessOrEqual(t, *m.Value, m.High+slack)
			assert.NotEqual(t, m.Interval == nil, m.NoInterval == "", "an interval or why there is none")
			if m.Interval != nil {
				assert.LessOrEqual(t, 0-slack, m.Interval.Low)
				assert.LessOrEqual(t, m.Interval.Low, m.Interval.High)
				assert.LessOrEqual(t, m.Interval.High, 1+slack)
			}
		}
		shuffled := rapid.Permutation(scores).Draw(t, "shuffled")
		again, err := rubric.Aggregate(twoDimensions(), questions, repeats, shuffled, 3)
		require.NoError(t, err)
		assert.Equal(t, res, again)
	})
}

// Where the questions of one SOP are answered alike, the clustered interval
// covers the true mean about as often as it says; one that takes each question
// for a cluster of its own is far too narrow.
func TestIntervalsCoverTheTrueMean(t *testing.T) {
	const trials, clusters, perCluster, mean = 300, 20, 10, 0.5
	rng := rand.New(rand.NewPCG(1, 2))
	covered := map[bool]int{}
	for trial := range trials {
		for _, clustered := range []bool{true, false} {
			var questions []rubric.Question
			var scores []rubric.Score
			for c := range clusters {
				v := rng.Float64()
				for k := range perCluster {
					id := fmt.Sprintf("q%d-%d", c, k)
					unit := id
					if clustered {
						unit = fmt.Sprint(c)
					}
					questions = append(questions, question(id, unit, 1, "order", "money"))
					scores = append(scores, scored(id, 0, map[string]float64{"order": v, "money": v}))
				}
			}
			res, err := rubric.Aggregate(twoDimensions(), questions, 1, scores, uint64(trial))
			require.NoError(t, err)
			if i := res.Final.Interval; i.Low <= mean && mean <= i.High {
				covered[clustered]++
			}
		}
	}
	assert.GreaterOrEqual(t, covered[true], trials*88/100)
	assert.Less(t, covered[false], trials*60/100)
}
