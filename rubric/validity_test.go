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

// Agree says what the coefficients say of the same grades one by one.
func TestAgreeIsItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pass := rapid.SampledFrom([]float64{0.5, 0.75, 1}).Draw(t, "pass")
		n := rapid.IntRange(1, 60).Draw(t, "n")
		var list []rubric.Judged
		var key, judge []int
		var units [][]int
		var c rubric.Confusion
		difference := 0.0
		for range n {
			k, j := rapid.IntRange(0, rubric.MaxGrade).Draw(t, "key"), rapid.IntRange(0, rubric.MaxGrade).Draw(t, "judge")
			key, judge, units = append(key, k), append(judge, j), append(units, []int{k, j})
			a := rubric.Judged{Cluster: fmt.Sprint(rapid.IntRange(0, 11).Draw(t, "cluster")), Key: float64(k) / rubric.MaxGrade, Judge: float64(j) / rubric.MaxGrade}
			list = append(list, a)
			c.Add(a.Key >= pass, a.Judge >= pass)
			difference += a.Judge - a.Key
		}
		got := rubric.Agree(list, pass, 1)
		assert.Equal(t, c, got.Confusion)
		same := func(want float64, e rubric.Estimate) {
			if math.IsNaN(want) {
				assert.Nil(t, e.Value)
				assert.NotEmpty(t, e.NoInterval)
				return
			}
			if assert.NotNil(t, e.Value) {
				assert.InDelta(t, want, *e.Value, 1e-12)
			}
			assert.Equal(t, e.Interval == nil, e.NoInterval != "")
			if i := e.Interval; i != nil {
				assert.LessOrEqual(t, i.Low, i.High)
			}
		}
		same(c.Accuracy(), got.Accuracy.Estimate)
		same(c.FalsePassRate(), got.FalsePass.Estimate)
		same(c.FalseFailRate(), got.FalseFail.Estimate)
		same(c.Kappa(), got.Kappa)
		same(rubric.Kappa(key, judge, rubric.Quadratic), got.WeightedKappa)
		same(rubric.Alpha(units, rubric.Ordinal), got.Alpha)
		same(difference/float64(n), got.Bias)
		assert.Equal(t, got, rubric.Agree(list, pass, 1))
	})
}

func TestShareOf(t *testing.T) {
	share := func(clusters, each, hits int, alike bool) rubric.Share {
		var names []string
		var list []bool
		for c := range clusters {
			for k := range each {
				names = append(names, fmt.Sprint(c))
				hit := c*each+k < hits
				if !alike {
					hit = (c*each+k)*hits/(clusters*each) != (c*each+k+1)*hits/(clusters*each)
				}
				list = append(list, hit)
			}
		}
		s := rubric.ShareOf(names, list)
		require.Equal(t, hits, s.Hits)
		return s
	}
	// One answer a cluster, half of them hits: Wilson's interval, at most a
	// little wider for the clusters' sake (n/(n−1) in the variance).
	own, wilson := share(40, 1, 20, true), rubric.Wilson(20, 40)
	assert.InDelta(t, wilson.Low, own.Interval.Low, 0.003)
	assert.LessOrEqual(t, own.Interval.Low, wilson.Low)
	// Ten answers a cluster that are all alike are worth one.
	assert.InDelta(t, own.Interval.Low, share(40, 10, 200, true).Interval.Low, 0.001)
	// Ten that differ as if there were no clusters are worth ten.
	assert.InDelta(t, rubric.Wilson(200, 400).Low, share(40, 10, 200, false).Interval.Low, 0.001)
	// Nothing seen is not nothing there: the rule of three, of clusters.
	none := share(30, 5, 0, true)
	assert.Equal(t, 0.0, *none.Value)
	assert.Equal(t, rubric.Wilson(0, 30), *none.Interval)
	// Too few clusters.
	assert.Equal(t, "no interval: 7 SOPs", share(7, 50, 20, true).NoInterval)
	assert.Nil(t, share(7, 50, 20, true).Interval)
	assert.Equal(t, rubric.Share{Estimate: rubric.Estimate{NoInterval: "no interval: no answers"}}, rubric.ShareOf(nil, nil))
}

// By simulation: of clusters whose answers hang together, the interval holds the
// true share about as often as it says.
func TestShareOfHoldsTheTrueShare(t *testing.T) {
	const runs, clusters, each, truth = 400, 25, 8, 0.2
	rng := rand.New(rand.NewPCG(7, 7))
	held := 0
	for range runs {
		var names []string
		var hits []bool
		for c := range clusters {
			p := truth * 3
			if rng.Float64() >= 1.0/3 {
				p = 0 // a third of the clusters has all the hits
			}
			for range each {
				names, hits = append(names, fmt.Sprint(c)), append(hits, rng.Float64() < p)
			}
		}
		if i := rubric.ShareOf(names, hits).Interval; i.Low <= truth && truth <= i.High {
			held++
		}
	}
	assert.GreaterOrEqual(t, held, runs*92/100)
	assert.LessOrEqual(t, held, runs*99/100)
}

func TestConclude(t *testing.T) {
	one, low := 1.0, 0.3
	clear := &rubric.Interval{Low: 0.2, High: 0.4}
	c := rubric.JudgeCheck{Probes: []rubric.Probe{
		{Name: rubric.ProbePadding, Comparison: rubric.Comparison{Difference: low, Interval: clear}, Turned: rubric.Share{Hits: 3, N: 10}},
		{Name: rubric.ProbeTrimming, Comparison: rubric.Comparison{Difference: 0.01, Interval: &rubric.Interval{Low: 0.001, High: 0.02}}},
		{Name: rubric.ProbeOrder, Comparison: rubric.Comparison{Difference: 0.2}},
		{Name: rubric.ProbeInjection, Comparison: rubric.Comparison{Difference: -0.3, Interval: &rubric.Interval{Low: -0.7, High: 0.1}}},
	}}
	c.Constructed.Answers = 100
	c.Constructed.Kappa = rubric.Estimate{Value: &one, Interval: &rubric.Interval{Low: 1, High: 1}}
	c.Constructed.FalsePass = rubric.Share{Hits: 30, N: 100, Estimate: rubric.Estimate{Value: &low, Interval: clear}}
	c.Constructed.FalseFail = rubric.Share{Hits: 30, N: 100, Estimate: rubric.Estimate{Value: &low, Interval: &rubric.Interval{Low: 0.05, High: 0.5}}}
	c.Grades = [5]int{0, 0, 3, 0, 4}
	c.Conclude()
	assert.Equal(t, []string{
		"It passed 30 of 100 wrong constructed answers.",
		"Judge validity not measured: no real answer to a question with a key was judged.",
		"Talk around wrong answers moves its values by +0.30 and turns 3 of 10 verdicts.",
	}, c.Findings)
	c.Grades = [5]int{0, 0, 7, 0, 0}
	c.Conclude()
	assert.Equal(t, "The judge gave grade 2 to everything, 7 times: its scores say nothing.", c.Findings[0])
}
