package rubric

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Value of one question for one model: its cluster, and its value, which is
// NaN where it is unscored.
type Value struct {
	Cluster string
	Value   float64
}

// Comparison of two models on the same questions.
type Comparison struct {
	Questions  int       `json:"questions"` // scored for both
	LeftOut    int       `json:"left_out"`  // unscored for either
	Difference float64   `json:"difference"`
	Interval   *Interval `json:"interval"`
	NoInterval string    `json:"no_interval"`
	// P is the two-sided p-value of a test that flips the sign of whole clusters'
	// differences: exact up to 12 clusters, else from 10,000 flips.
	P      float64 `json:"p"`
	Wins   int     `json:"wins"`
	Ties   int     `json:"ties"`
	Losses int     `json:"losses"`
}

const (
	exactClusters = 12
	flips         = 10_000
)

// Compare returns the mean of a − b over the questions that both have a value
// for, paired by index. The lists must be of one length and agree in clusters.
func Compare(a, b []Value, seed uint64) Comparison {
	c := Comparison{P: 1}
	index := map[string]int{}
	var t tally
	for i := range a {
		d := a[i].Value - b[i].Value
		if math.IsNaN(d) {
			c.LeftOut++
			continue
		}
		k, ok := index[a[i].Cluster]
		if !ok {
			k = len(index)
			index[a[i].Cluster] = k
			t.sum, t.n = append(t.sum, 0), append(t.n, 0)
		}
		t.sum[k] += d
		t.n[k]++
		c.Questions++
		switch {
		case d > 0:
			c.Wins++
		case d < 0:
			c.Losses++
		default:
			c.Ties++
		}
	}
	mean, ok := t.mean(nil)
	if !ok {
		c.NoInterval = "no interval: no question has a score of both"
		return c
	}
	c.Difference = mean
	c.Interval, c.NoInterval = bootstrap(len(t.n), seed, t.mean)
	c.P = signFlip(t.sum, seed)
	return c
}

// signFlip returns how often sums with random signs are as far from 0 in total
// as the sums themselves.
func signFlip(sums []float64, seed uint64) float64 {
	const slack = 1e-12 // sums of the same numbers in another order
	observed := 0.0
	for _, s := range sums {
		observed += s
	}
	observed = math.Abs(observed) - slack
	far := func(signs uint64, more func() uint64) bool {
		total := 0.0
		for i, s := range sums {
			if i > 0 && i%64 == 0 {
				signs = more()
			}
			if signs>>(i%64)&1 == 1 {
				s = -s
			}
			total += s
		}
		return math.Abs(total) >= observed
	}
	count := 0
	if n := len(sums); n <= exactClusters {
		for signs := range uint64(1) << n {
			if far(signs, nil) {
				count++
			}
		}
		return float64(count) / float64(uint64(1)<<n)
	}
	rng := rand.New(rand.NewPCG(seed, uint64(bits.Len(uint(len(sums))))))
	for range flips {
		if far(rng.Uint64(), rng.Uint64) {
			count++
		}
	}
	return float64(count+1) / (flips + 1)
}
