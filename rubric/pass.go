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

// PassRate is what k answers to a question are worth: At is the mean of pass@k,
// All that of pass^k, over the questions with at least k scored answers. An
// answer passes where it has 1 in every dimension. For k = 1 both are the pass
// rate.
type PassRate struct {
	K   int  `json:"k"`
	At  Mean `json:"at"`
	All Mean `json:"all"`
}

// passes are the rates for k = 1, 2, 4, … and the number of repeats.
func (t *table) passes(seed uint64) []PassRate {
	var rates []PassRate
	rate := func(k int) { rates = append(rates, PassRate{k, t.pass(PassAt, k, seed), t.pass(PassAll, k, seed)}) }
	for k := 1; k < t.repeats; k *= 2 {
		rate(k)
	}
	rate(t.repeats)
	return rates
}

func (t *table) pass(of func(k, n, c int) float64, k int, seed uint64) Mean {
	m := Mean{Questions: len(t.questions)}
	sums := tally{make([]float64, t.clusters), make([]int, t.clusters)}
	for i, list := range t.scores {
		n, c := 0, 0
		for _, s := range list {
			if s != nil && s.Outcome == Scored {
				n++
				if s.passes() {
					c++
				}
			}
		}
		asked, missing := len(list), len(list)-n
		m.Scored += n
		m.Unscored += missing
		m.Low += of(k, asked, c) / float64(len(t.questions))
		m.High += of(k, asked, c+missing) / float64(len(t.questions))
		if n >= k {
			sums.sum[t.cluster[i]] += of(k, n, c)
			sums.n[t.cluster[i]]++
		}
	}
	m.take(sums, seed)
	return m
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
