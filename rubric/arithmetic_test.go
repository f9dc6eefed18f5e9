package rubric_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/rubric"
)

func TestPassAtAndPassAll(t *testing.T) {
	// By hand: of 4 answers 2 passed. C(2,2)/C(4,2) = 1/6.
	assert.InDelta(t, 0.5, rubric.PassAt(1, 4, 2), 1e-12)
	assert.InDelta(t, 5.0/6, rubric.PassAt(2, 4, 2), 1e-12)
	assert.InDelta(t, 1.0, rubric.PassAt(3, 4, 2), 1e-12)
	assert.InDelta(t, 0.5, rubric.PassAll(1, 4, 2), 1e-12)
	assert.InDelta(t, 1.0/6, rubric.PassAll(2, 4, 2), 1e-12)
	assert.InDelta(t, 0.0, rubric.PassAll(3, 4, 2), 1e-12)
}

// Every way to draw k of n answers, counted.
func TestPassAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		c, k := rapid.IntRange(0, n).Draw(t, "c"), rapid.IntRange(1, n).Draw(t, "k")
		drawn, anyPassed, allPassed := 0, 0, 0
		for set := range 1 << n {
			size, passed := 0, 0
			for i := range n {
				if set>>i&1 == 1 {
					size++
					if i < c {
						passed++
					}
				}
			}
			if size != k {
				continue
			}
			drawn++
			if passed > 0 {
				anyPassed++
			}
			if passed == k {
				allPassed++
			}
		}
		assert.InDelta(t, float64(anyPassed)/float64(drawn), rubric.PassAt(k, n, c), 1e-12)
		assert.InDelta(t, float64(allPassed)/float64(drawn), rubric.PassAll(k, n, c), 1e-12)
	})
}

func TestWilson(t *testing.T) {
	// Newcombe 1998, Table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
	for _, tt := range []struct {
		passed, n int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		got := rubric.Wilson(tt.passed, tt.n)
		assert.InDelta(t, tt.low, got.Low, 5e-5)
		assert.InDelta(t, tt.high, got.High, 5e-5)
	}
}

func TestSequencesAreMatchedAsPADMEDoes(t *testing.T) {
	seq := func(s string) (list []string) {
		for _, c := range s {
			list = append(list, string(c))
		}
		return list
	}
	for _, tt := range []struct {
		target, predicted string
		want              rubric.Match
	}{
		{"abcd", "abcd", rubric.Match{PML: 4, PA: 1, SM: true, FM: true}},
		{"abcd", "abxd", rubric.Match{PML: 2, PA: 0.5, FM: true}},
		{"abcd", "ab", rubric.Match{PML: 2, PA: 0.5}},
		{"ab", "abcd", rubric.Match{PML: 2, PA: 0.5}},
		{"abcd", "xbcd", rubric.Match{FM: true}},
		{"abcd", "", rubric.Match{}},
		{"", "", rubric.Match{PA: 1, SM: true, FM: true}},
	} {
		assert.Equal(t, tt.want, rubric.MatchSequences(seq(tt.target), seq(tt.predicted)), "%s, %s", tt.target, tt.predicted)
	}
}

func TestKappa(t *testing.T) {
	// By hand: 20 both pass, 15 both fail, 5 + 10 not: p_o = 0.7,
	// p_e = 0.6·0.5 + 0.4·0.5 = 0.5, κ = 0.4.
	c := rubric.Confusion{TruePass: 20, FalseFail: 5, FalsePass: 10, TrueFail: 15}
	assert.InDelta(t, 0.4, c.Kappa(), 1e-12)
	assert.InDelta(t, 0.7, c.Accuracy(), 1e-12)
	assert.InDelta(t, 0.4, c.FalsePassRate(), 1e-12)
	assert.InDelta(t, 0.2, c.FalseFailRate(), 1e-12)

	// By hand: grades (0,0) (1,2) (2,2) (2,1) (4,4). Σ w = 2 linear, 2
	// quadratic, 2 unweighted; expected, over 25: rows 1,1,2,0,1, columns
	// 1,1,2,0,1: unweighted 25−7 = 18, linear 40, quadratic 84; over 5.
	a, b := []int{0, 1, 2, 2, 4}, []int{0, 2, 2, 1, 4}
	assert.InDelta(t, 1-2/(18.0/5), rubric.Kappa(a, b, rubric.Unweighted), 1e-12)
	assert.InDelta(t, 1-2/(36.0/5), rubric.Kappa(a, b, rubric.Linear), 1e-12)
	assert.InDelta(t, 1-2/(88.0/5), rubric.Kappa(a, b, rubric.Quadratic), 1e-12)

	assert.True(t, math.IsNaN(rubric.Kappa([]int{4, 4}, []int{4, 4}, rubric.Linear)), "a judge that always says 4")
}

// Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section E:
// four observers, twelve units, values 1 to 5 (here 0 to 4), some missing.
func TestAlphaOfKrippendorffsExample(t *testing.T) {
	units := [][]int{{0, 0, 0}, {1, 1, 2, 1}, {2, 2, 2, 2}, {2, 2, 2, 2}, {1, 1, 1, 1}, {0, 1, 2, 3}, {3, 3, 3, 3}, {0, 0, 1, 0}, {1, 1, 1, 1}, {4, 4, 4}, {0, 0}, {2}}
	assert.InDelta(t, 0.743, rubric.Alpha(units, rubric.Nominal), 5e-4)
	assert.InDelta(t, 0.815, rubric.Alpha(units, rubric.Ordinal), 5e-4)
	assert.InDelta(t, 0.849, rubric.Alpha(units, rubric.IntervalMetric), 5e-4)
	assert.True(t, math.IsNaN(rubric.Alpha([][]int{{4, 4}, {4, 4}}, rubric.Ordinal)))
	assert.True(t, math.IsNaN(rubric.Alpha(nil, rubric.Nominal)))
}

func TestCompare(t *testing.T) {
	value := func(cluster int, v float64) rubric.Value {
		return rubric.Value{Cluster: fmt.Sprint(cluster), Value: v}
	}
	// Three clusters whose differences sum to 1, 1, −0.5: of the 8 sign
	// patterns |total| ≥ 1.5 in ±(1,1,−.5) and ±(1,1,.5): p = 4/8.
	a := []rubric.Value{value(0, 1), value(1, 1), value(2, 0), value(2, math.NaN())}
	b := []rubric.Value{value(0, 0), value(1, 0), value(2, 0.5), value(2, 1)}
	c := rubric.Compare(a, b, 1)
	assert.InDelta(t, 0.5, c.Difference, 1e-12)
	assert.InDelta(t, 0.5, c.P, 1e-12)
	assert.Equal(t, []int{3, 1, 2, 0, 1}, []int{c.Questions, c.LeftOut, c.Wins, c.Ties, c.Losses})
	assert.Nil(t, c.Interval)
	assert.Equal(t, "no interval: 3 SOPs", c.NoInterval)

	none := rubric.Compare(nil, nil, 1)
	assert.Equal(t, 1.0, none.P)
	assert.Contains(t, none.NoInterval, "no question")

	var better, worse []rubric.Value
	for i := range 100 {
		better, worse = append(better, value(i, 1)), append(worse, value(i, float64(i%2)))
	}
	c = rubric.Compare(better, worse, 7)
	assert.Less(t, c.P, 0.001)
	require.NotNil(t, c.Interval)
	assert.Greater(t, c.Interval.Low, 0.0)
	assert.Equal(t, c, rubric.Compare(better, worse, 7), "the same seed, the same interval")
	back := rubric.Compare(worse, better, 7)
	assert.InDelta(t, -c.Difference, back.Difference, 1e-12)
	assert.InDelta(t, -c.Interval.Low, back.Interval.High, 1e-9)
}
