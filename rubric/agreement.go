package rubric

import "math"

// Confusion counts what a judge said of answers that are known to be right or
// wrong.
type Confusion struct {
	TruePass  int `json:"true_pass"`
	FalsePass int `json:"false_pass"`
	TrueFail  int `json:"true_fail"`
	FalseFail int `json:"false_fail"`
}

// Add counts one answer.
func (c *Confusion) Add(right, passed bool) {
	switch {
	case right && passed:
		c.TruePass++
	case right:
		c.FalseFail++
	case passed:
		c.FalsePass++
	default:
		c.TrueFail++
	}
}

// N is the number of answers.
func (c Confusion) N() int { return c.TruePass + c.FalsePass + c.TrueFail + c.FalseFail }

// Accuracy is the share of right verdicts; NaN of none.
func (c Confusion) Accuracy() float64 {
	return float64(c.TruePass+c.TrueFail) / float64(c.N())
}

// FalsePassRate is the share of the wrong answers that were passed; NaN where
// none was wrong.
func (c Confusion) FalsePassRate() float64 {
	return float64(c.FalsePass) / float64(c.FalsePass+c.TrueFail)
}

// FalseFailRate is the share of the right answers that were failed; NaN where
// none was right.
func (c Confusion) FalseFailRate() float64 {
	return float64(c.FalseFail) / float64(c.FalseFail+c.TruePass)
}

// Kappa is Cohen's κ of the two verdicts.
func (c Confusion) Kappa() float64 {
	return kappa([][]float64{
		{float64(c.TruePass), float64(c.FalseFail)},
		{float64(c.FalsePass), float64(c.TrueFail)},
	}, unequal)
}

// Weights of disagreement between grades.
type Weights int

// How far grades i and j disagree: not at all or wholly, by |i−j|, by (i−j)².
const (
	Unweighted Weights = iota
	Linear
	Quadratic
)

// Kappa is Cohen's κ (1960; weighted: 1968) of two lists of grades 0 to
// MaxGrade, of one length. It is NaN where chance alone would agree wholly.
func Kappa(a, b []int, w Weights) float64 {
	counts := make([][]float64, MaxGrade+1)
	for i := range counts {
		counts[i] = make([]float64, MaxGrade+1)
	}
	for i := range a {
		counts[a[i]][b[i]]++
	}
	return kappa(counts, func(i, j int) float64 {
		d := float64(abs(i - j))
		switch w {
		case Linear:
			return d
		case Quadratic:
			return d * d
		}
		return unequal(i, j)
	})
}

// kappa is 1 − Σ w·observed / Σ w·expected.
func kappa(counts [][]float64, weight func(i, j int) float64) float64 {
	k := len(counts)
	rows, columns, n := make([]float64, k), make([]float64, k), 0.0
	for i := range counts {
		for j, c := range counts[i] {
			rows[i] += c
			columns[j] += c
			n += c
		}
	}
	observed, expected := 0.0, 0.0
	for i := range counts {
		for j, c := range counts[i] {
			observed += weight(i, j) * c
			expected += weight(i, j) * rows[i] * columns[j] / n
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - observed/expected
}

// Metric of Krippendorff's α.
type Metric int

// How far two values differ: nominal (equal or not), ordinal (by ranks) or
// interval (by the square of their difference).
const (
	Nominal Metric = iota
	Ordinal
	IntervalMetric
)

// Alpha is Krippendorff's α (Content Analysis, 2004, §11.3) of grades 0 to
// MaxGrade. units[u] holds what the raters said of unit u; who did not say is
// left out. Units with fewer than two values count for nothing. It is NaN where
// all values are equal.
func Alpha(units [][]int, m Metric) float64 {
	const k = MaxGrade + 1
	var coincidences [k][k]float64
	for _, values := range units {
		if len(values) < 2 {
			continue
		}
		for i, a := range values {
			for j, b := range values {
				if i != j {
					coincidences[a][b] += 1 / float64(len(values)-1)
				}
			}
		}
	}
	return alpha(coincidences, m)
}

// alpha of a matrix of coincidences.
func alpha(coincidences [MaxGrade + 1][MaxGrade + 1]float64, m Metric) float64 {
	const k = MaxGrade + 1
	var totals [k]float64
	n := 0.0
	for a := range k {
		for b := range k {
			totals[a] += coincidences[a][b]
		}
		n += totals[a]
	}
	delta := func(a, b int) float64 {
		if a == b {
			return 0
		}
		switch m {
		case Ordinal:
			between := -(totals[a] + totals[b]) / 2
			for g := min(a, b); g <= max(a, b); g++ {
				between += totals[g]
			}
			return between * between
		case IntervalMetric:
			return float64((a - b) * (a - b))
		}
		return 1
	}
	observed, expected := 0.0, 0.0
	for a := range k {
		for b := range k {
			observed += coincidences[a][b] * delta(a, b)
			expected += totals[a] * totals[b] * delta(a, b) / (n - 1)
		}
	}
	if !(expected > 0) {
		return math.NaN()
	}
	return 1 - observed/expected
}

func unequal(i, j int) float64 { return float64(min(1, abs(i-j))) }

func abs(x int) int { return max(x, -x) }
