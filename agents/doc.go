// Package agents is the evaluation's three agents (FM SO.P §2.3): the rubric
// generator, the test generator and the scorer. Each works symbolically, from
// what the formal model proves, or with a model.
package agents

import (
	"maps"
	"slices"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
