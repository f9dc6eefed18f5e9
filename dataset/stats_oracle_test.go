package dataset

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fmsop/fmsop/rubric/scipytest"
)

// The share of wrong answers that the right one exceeds is the area under the
// ROC curve, as scikit-learn has it.
func TestLargerIsTheAreaUnderTheCurve(t *testing.T) {
	const areas = `
import json, sys
from sklearn.metrics import roc_auc_score
json.dump([roc_auc_score([1] + [0] * (len(v) - 1), v) for v in json.load(sys.stdin)], sys.stdout)`
	rng := rand.New(rand.NewPCG(3, 1))
	var groups [][]int
	for range 200 {
		values := make([]int, 2+rng.IntN(8))
		for i := range values {
			values[i] = rng.IntN(6) // with ties
		}
		groups = append(groups, values)
	}
	var theirs []float64
	scipytest.Compute(t, areas, groups, &theirs)
	if len(theirs) != len(groups) {
		t.Fatalf("%d areas of %d groups", len(theirs), len(groups))
	}
	var all meter
	sum := 0.0
	for i, values := range groups {
		var one meter
		one.larger(values)
		all.larger(values)
		sum += theirs[i]
		if math.Abs(one.sum-theirs[i]) > 1e-9 {
			t.Errorf("larger(%v) = %v, theirs %v", values, one.sum, theirs[i])
		}
	}
	if math.Abs(all.sum-sum) > 1e-9 {
		t.Errorf("%v in all, theirs %v", all.sum, sum)
	}
}
