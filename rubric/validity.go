package rubric

import "math"

// Judged is one answer with what the key and what a judge make of it, each a
// value in [0, 1]. Cluster is the unit of its question.
type Judged struct {
	Cluster    string
	Key, Judge float64
}

// Agreement says how far a judge's values follow the keys. An answer is right
// where the key gives it the pass mark or more, and passed where the judge does.
// Grades are values in steps of 1/MaxGrade, rounded.
type Agreement struct {
	Answers   int       `json:"answers"`
	Clusters  int       `json:"clusters"`
	Confusion Confusion `json:"confusion"`
	Accuracy  Share     `json:"accuracy"`
	FalsePass Share     `json:"false_pass"` // of the wrong answers
	FalseFail Share     `json:"false_fail"` // of the right ones
	Bias      Estimate  `json:"bias"`       // mean of the judge's value less the key's
	// Kappa is Cohen's, of right and passed; WeightedKappa the same of grades,
	// with quadratic weights; Alpha is Krippendorff's, of grades, ordinal.
	Kappa         Estimate `json:"kappa"`
	WeightedKappa Estimate `json:"weighted_kappa"`
	Alpha         Estimate `json:"alpha"`
}

// Estimate is a statistic with its interval. Value is null where it is
// undefined, and Interval where NoInterval says why.
type Estimate struct {
	Value      *float64  `json:"value"`
	Interval   *Interval `json:"interval"`
	NoInterval string    `json:"no_interval"`
}

// Share is how many of some answers have a property.
type Share struct {
	Hits int `json:"hits"`
	N    int `json:"n"`
	Estimate
}

// Agree compares a judge with the keys. Intervals are clustered: those of
// shares as in ShareOf, those of coefficients by bootstrap from the seed.
func Agree(list []Judged, pass float64, seed uint64) Agreement {
	a := Agreement{Answers: len(list)}
	index := map[string]int{}
	var tables [][MaxGrade + 1][MaxGrade + 1]float64 // by cluster, of grades: key, judge
	var verdicts [][2][2]float64                     // by cluster: right, passed
	var agreed, falsePass, falseFail trials
	var bias tally
	for _, j := range list {
		c, ok := index[j.Cluster]
		if !ok {
			c = len(tables)
			index[j.Cluster] = c
			tables, verdicts = append(tables, [MaxGrade + 1][MaxGrade + 1]float64{}), append(verdicts, [2][2]float64{})
			bias.sum, bias.n = append(bias.sum, 0), append(bias.n, 0)
		}
		right, passed := Reaches(j.Key, pass), Reaches(j.Judge, pass)
		bias.sum[c] += j.Judge - j.Key
		bias.n[c]++
		a.Confusion.Add(right, passed)
		tables[c][gradeOf(j.Key)][gradeOf(j.Judge)]++
		verdicts[c][bit(right)][bit(passed)]++
		agreed.add(j.Cluster, right == passed)
		if right {
			falseFail.add(j.Cluster, !passed)
		} else {
			falsePass.add(j.Cluster, passed)
		}
	}
	a.Clusters = len(tables)
	a.Accuracy, a.FalsePass, a.FalseFail = agreed.share(), falsePass.share(), falseFail.share()
	a.Bias = estimate(len(tables), seed, func(drawn []int) float64 {
		v, _ := bias.mean(drawn)
		return v
	})
	a.Kappa = estimate(len(tables), seed, func(drawn []int) float64 {
		return kappa(pooled(drawn, func(c, i, j int) float64 { return verdicts[c][i][j] }, 2), unequal)
	})
	grades := func(c, i, j int) float64 { return tables[c][i][j] }
	a.WeightedKappa = estimate(len(tables), seed, func(drawn []int) float64 {
		return kappa(pooled(drawn, grades, MaxGrade+1), func(i, j int) float64 { return float64((i - j) * (i - j)) })
	})
	a.Alpha = estimate(len(tables), seed, func(drawn []int) float64 {
		counts := pooled(drawn, grades, MaxGrade+1)
		var both [MaxGrade + 1][MaxGrade + 1]float64
		for i := range both {
			for j := range both {
				both[i][j] = counts[i][j] + counts[j][i]
			}
		}
		return alpha(both, Ordinal)
	})
	return a
}

// Reaches tells a value of at least the mark in spite of rounding.
func Reaches(value, mark float64) bool { return value >= mark-1e-9 }

func gradeOf(value float64) int { return int(math.Round(value * MaxGrade)) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// pooled adds up the k×k tables of clusters, each as often as it was drawn.
func pooled(drawn []int, table func(c, i, j int) float64, k int) [][]float64 {
	sum := make([][]float64, k)
	for i := range sum {
		sum[i] = make([]float64, k)
		for j := range sum[i] {
			for c, times := range drawn {
				if times > 0 {
					sum[i][j] += float64(times) * table(c, i, j)
				}
			}
		}
	}
	return sum
}

// estimate takes a statistic of clusters, each drawn once, and bootstraps it.
// NaN is undefined.
func estimate(clusters int, seed uint64, statistic func(drawn []int) float64) Estimate {
	if clusters == 0 {
		return Estimate{NoInterval: noAnswers}
	}
	once := make([]int, clusters)
	for c := range once {
		once[c] = 1
	}
	v := statistic(once)
	if math.IsNaN(v) {
		return Estimate{NoInterval: "undefined: no variation"}
	}
	e := Estimate{Value: &v}
	e.Interval, e.NoInterval = bootstrap(clusters, seed, func(drawn []int) (float64, bool) {
		v := statistic(drawn)
		return v, !math.IsNaN(v)
	})
	return e
}

const noAnswers = "no interval: no answers"

// trials count hits by cluster.
type trials struct {
	index   map[string]int
	hits, n []float64
}

func (t *trials) add(cluster string, hit bool) {
	c, ok := t.index[cluster]
	if !ok {
		if t.index == nil {
			t.index = map[string]int{}
		}
		c = len(t.n)
		t.index[cluster] = c
		t.hits, t.n = append(t.hits, 0), append(t.n, 0)
	}
	t.hits[c] += float64(bit(hit))
	t.n[c]++
}

// ShareOf is the share of hits, each in its cluster. The interval is Wilson's at
// the effective number of answers: n over the design effect, or the number of
// clusters where all answers are alike and there is nothing to take it from
// (Korn and Graubard 1998; Franco et al. 2019). Unlike a bootstrap's it does not
// shrink to a point at 0 and 1.
func ShareOf(clusters []string, hits []bool) Share {
	var t trials
	for i, hit := range hits {
		t.add(clusters[i], hit)
	}
	return t.share()
}

func (t *trials) share() Share {
	hits, n := 0.0, 0.0
	for c := range t.n {
		hits += t.hits[c]
		n += t.n[c]
	}
	s := Share{Hits: int(hits), N: int(n)}
	if n == 0 {
		s.NoInterval = noAnswers
		return s
	}
	p := hits / n
	s.Value = &p
	clusters := float64(len(t.n))
	if len(t.n) < MinClusters {
		s.NoInterval = tooFew(len(t.n))
		return s
	}
	effective := clusters
	if p > 0 && p < 1 {
		squares := 0.0
		for c := range t.n {
			d := t.hits[c] - p*t.n[c]
			squares += d * d
		}
		variance := clusters / (clusters - 1) * squares / (n * n)
		effective = min(n, p*(1-p)/variance)
	}
	i := wilson(p, effective)
	s.Interval = &i
	return s
}
