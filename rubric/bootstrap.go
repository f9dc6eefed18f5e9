package rubric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// Resamples of a bootstrap.
	Resamples = 2000
	// Confidence of every interval.
	Confidence = 0.95
	// MinClusters is the least number of clusters for which an interval is
	// given: with fewer, a percentile interval is too narrow to be believed.
	MinClusters = 8
	// maxUndefined is the share of resamples in which a statistic may be
	// undefined before its interval is withheld.
	maxUndefined = 0.05
)

// Interval is a two-sided percentile interval at Confidence.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// bootstrap resamples whole clusters with replacement. statistic gets how often
// each cluster was drawn and says false where it is undefined. The result is a
// function of its arguments alone. Where no interval can be given the reason is
// returned in its place.
func bootstrap(clusters int, seed uint64, statistic func(drawn []int) (float64, bool)) (*Interval, string) {
	values, none := resample(clusters, seed, statistic)
	if none != "" {
		return nil, none
	}
	return percentiles(values), ""
}

// resample returns the statistic of the resamples in which it is defined, or why
// no interval can be taken from them.
func resample(clusters int, seed uint64, statistic func(drawn []int) (float64, bool)) ([]float64, string) {
	if clusters < MinClusters {
		return nil, tooFew(clusters)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(clusters)))
	values := make([]float64, 0, Resamples)
	drawn := make([]int, clusters)
	for range Resamples {
		clear(drawn)
		for range clusters {
			drawn[rng.IntN(clusters)]++
		}
		if v, ok := statistic(drawn); ok {
			values = append(values, v)
		}
	}
	if undefined := Resamples - len(values); float64(undefined) > maxUndefined*Resamples {
		return nil, fmt.Sprintf("no interval: undefined in %d of %d resamples", undefined, Resamples)
	}
	return values, ""
}

// percentiles is the interval that resampled values span.
func percentiles(resampled []float64) *Interval {
	values := slices.Sorted(slices.Values(resampled))
	return &Interval{quantile(values, (1-Confidence)/2), quantile(values, (1+Confidence)/2)}
}

func tooFew(clusters int) string { return fmt.Sprintf("no interval: %d SOPs", clusters) }

// quantile of sorted values, interpolated linearly between the two nearest.
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	below := int(math.Floor(at))
	if below+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}
