package rubric

import "math"

// PassAt is pass@k: the chance that at least one of k answers, drawn without
// replacement from n of which c passed, passed: 1 − C(n−c, k)/C(n, k) (Chen et
// al. 2021, Eq. 1). It wants 0 ≤ c ≤ n and 1 ≤ k ≤ n.
func PassAt(k, n, c int) float64 { return 1 - allOf(k, n, n-c) }

// PassAll is pass^k: the chance that all k answers passed, C(c, k)/C(n, k) (Yao
// et al. 2024, τ-bench). It wants 0 ≤ c ≤ n and 1 ≤ k ≤ n.
func PassAll(k, n, c int) float64 { return allOf(k, n, c) }

// allOf is C(c, k)/C(n, k), as a product that cannot overflow.
func allOf(k, n, c int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(0, c-i)) / float64(n-i)
	}
	return p
}

// Wilson is the score interval of a share of independent trials at Confidence
// (Wilson 1927). It wants 0 ≤ passed ≤ n and n ≥ 1.
func Wilson(passed, n int) Interval { return wilson(float64(passed)/float64(n), float64(n)) }

// wilson is the interval of share p of size trials, which may be a fraction.
func wilson(p, size float64) Interval {
	const z = 1.959963984540054 // of the normal distribution at (1+Confidence)/2
	middle := (p + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return Interval{max(0, middle-half), min(1, middle+half)}
}
