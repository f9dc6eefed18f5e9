package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/dataset"
)

// Pairs says which negatives of a group are exported. The zero value is all.
type Pairs struct {
	perOperator bool
	hardest     int // 0: no bound
}

// ParsePairs reads all, per-operator or hardest=K.
func ParsePairs(s string) (Pairs, error) {
	switch k, bounded := strings.CutPrefix(s, "hardest="); {
	case s == "all":
		return Pairs{}, nil
	case s == "per-operator":
		return Pairs{perOperator: true}, nil
	case bounded:
		if n, err := strconv.Atoi(k); err == nil && n > 0 {
			return Pairs{hardest: n}, nil
		}
	}
	return Pairs{}, fmt.Errorf("pairs %q, want all, per-operator or hardest=K with K from 1", s)
}

// String is what ParsePairs reads.
func (p Pairs) String() string {
	switch {
	case p.perOperator:
		return "per-operator"
	case p.hardest > 0:
		return fmt.Sprintf("hardest=%d", p.hardest)
	}
	return "all"
}

// pick returns the negatives in the order of the group: every one, or the most
// similar to the positive of each operator, or the K most similar. Of equals the
// first.
func (p Pairs) pick(negatives []dataset.Negative) []dataset.Negative {
	order := make([]int, len(negatives))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(negatives[b].Similarity, negatives[a].Similarity) })
	switch {
	case p.perOperator:
		met := map[string]bool{}
		order = slices.DeleteFunc(order, func(i int) bool {
			again := met[negatives[i].Operator]
			met[negatives[i].Operator] = true
			return again
		})
	case p.hardest > 0:
		order = order[:min(p.hardest, len(order))]
	}
	slices.Sort(order)
	picked := make([]dataset.Negative, len(order))
	for i, at := range order {
		picked[i] = negatives[at]
	}
	return picked
}
