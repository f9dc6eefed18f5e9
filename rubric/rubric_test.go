package rubric_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/rubric"
)

func criteria() []string { return []string{"none", "little", "half", "most", "all"} }

func TestWeightsSumToOneExactly(t *testing.T) {
	tests := []struct {
		name    string
		weights []float64
		fault   string
	}{
		{"tenths", []float64{0.1, 0.2, 0.3, 0.4}, ""}, // 0.1 + 0.2 + 0.3 + 0.4 ≠ 1 in floats, in some orders
		{"one", []float64{1}, ""},
		{"millionths", []float64{0.333333, 0.333333, 0.333334}, ""},
		{"less", []float64{0.333333, 0.333333, 0.333333}, "sum to 0.999999, want 1"},
		{"more", []float64{0.6, 0.6}, "sum to 1.2, want 1"},
		{"too fine", []float64{0.3333333, 0.6666667}, "at most 6 decimals"},
		{"none", []float64{0, 1}, "weight 0"},
		{"negative", []float64{-0.5, 1}, "weight -0.5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rubric.Rubric{Domain: "bank"}
			for i, w := range tt.weights {
				r.Dimensions = append(r.Dimensions, rubric.Dimension{Name: string(rune('a' + i)), Weight: w, Criteria: criteria()})
			}
			err := r.Validate()
			if tt.fault == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.fault)
			}
		})
	}
}

func TestEveryFaultOfARubricIsNamed(t *testing.T) {
	r := rubric.Rubric{Dimensions: []rubric.Dimension{
		{Name: "Privacy", Weight: 0.5, Criteria: criteria()},
		{Name: "access", Weight: 0.25, Criteria: []string{"a", "b"}},
		{Name: "access", Weight: 0.25, Criteria: []string{"a", "", "c", "d", "e"}},
	}}
	err := r.Validate()
	for _, want := range []string{"without a domain", `"Privacy"`, "2 criteria, want 5", "twice", "nothing of grade 1"} {
		assert.ErrorContains(t, err, want)
	}
	assert.ErrorContains(t, (&rubric.Rubric{Domain: "bank"}).Validate(), "no dimensions")
}

func TestNormalisedWeights(t *testing.T) {
	weights, err := rubric.Normalise([]float64{1, 1, 1}, 3)
	require.NoError(t, err)
	assert.Equal(t, []float64{0.334, 0.333, 0.333}, weights)

	weights, err = rubric.Normalise([]float64{1, 1e-9}, 2)
	require.NoError(t, err)
	assert.Equal(t, []float64{0.99, 0.01}, weights, "no weight is 0")

	for _, bad := range [][]float64{nil, {1, 0}, {-1}, make([]float64, 11)} {
		_, err := rubric.Normalise(bad, 1)
		assert.Error(t, err, "%v", bad)
	}

	rapid.Check(t, func(t *rapid.T) {
		shares := rapid.SliceOfN(rapid.Float64Range(1e-6, 1e6), 1, 12).Draw(t, "shares")
		decimals := rapid.IntRange(2, 6).Draw(t, "decimals")
		weights, err := rubric.Normalise(shares, decimals)
		require.NoError(t, err)
		r := rubric.Rubric{Domain: "bank"}
		for i, w := range weights {
			r.Dimensions = append(r.Dimensions, rubric.Dimension{Name: string(rune('a' + i)), Weight: w, Criteria: criteria()})
			for j := range shares {
				if shares[i] > shares[j] {
					assert.GreaterOrEqual(t, w, weights[j], "a larger share has no smaller weight")
				}
			}
		}
		require.NoError(t, r.Validate())
	})
}

func TestFaultsOfAQuestion(t *testing.T) {
	good := rubric.Question{
		ID: "q1", Domain: "bank", Unit: "bank/pay_bill", Level: 2, Type: rubric.Factual, Dimensions: []string{"privacy"}, Query: "Which?",
		Key: rubric.Key{Kind: rubric.KeyValue, Value: []string{"30"}, Unit: "days"},
	}
	require.NoError(t, good.Validate())
	tests := []struct {
		spoil func(*rubric.Question)
		fault string
	}{
		{func(q *rubric.Question) { q.ID = "" }, "id is empty"},
		{func(q *rubric.Question) { q.Unit = "" }, "unit is empty"},
		{func(q *rubric.Question) { q.Level = 5 }, "level is 5, want 1 to 4"},
		{func(q *rubric.Question) { q.Type = "hard" }, `type is "hard"`},
		{func(q *rubric.Question) { q.Dimensions = nil }, "tests no dimension"},
		{func(q *rubric.Question) { q.Key.Kind = "text" }, `key is of kind "text"`},
		{func(q *rubric.Question) { q.Key.Value = nil }, "0 values, want 1"},
		{func(q *rubric.Question) { q.Key = rubric.Key{} }, "neither a key nor a reference"},
		{func(q *rubric.Question) { q.Key = rubric.Key{Kind: rubric.KeySequence} }, "empty sequence"},
	}
	for _, tt := range tests {
		q := good
		tt.spoil(&q)
		assert.ErrorContains(t, q.Validate(), tt.fault)
	}
}
