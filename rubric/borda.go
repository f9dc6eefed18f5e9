package rubric

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Borda returns each model's count: the number of other models that it
// strictly beats, as a mean over the domains; a tie is worth nothing to either.
// This is the definition under which the counts of FM SO.P (§3.2.2) come out.
// Every model must have a rate in every domain.
func Borda(rates map[string]map[string]float64) (map[string]float64, error) {
	all := map[string]bool{}
	for _, of := range rates {
		for d := range of {
			all[d] = true
		}
	}
	domains := slices.Sorted(maps.Keys(all))
	if len(domains) == 0 {
		return nil, errors.New("no rates to count")
	}
	for _, model := range slices.Sorted(maps.Keys(rates)) {
		for _, d := range domains {
			if _, ok := rates[model][d]; !ok {
				return nil, fmt.Errorf("model %s has no rate in %s: a count needs one of every model in every domain", model, d)
			}
		}
	}
	counts := map[string]float64{}
	for model, of := range rates {
		wins := 0
		for other, than := range rates {
			for _, d := range domains {
				if other != model && of[d] > than[d] {
					wins++
				}
			}
		}
		counts[model] = float64(wins) / float64(len(domains))
	}
	return counts, nil
}
