package rubric_test

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/rubric/scipytest"
)

//go:embed testdata/oracle.py
var oracle string

// oracleCase is what a function of the oracle is given and what we make of it.
type oracleCase struct {
	Name string `json:"name"`
	Of   any    `json:"of"`

	ours []float64 // NaN: undefined
	hold func(t *testing.T, ours, theirs []float64)
}

// object is one of JSON.
type object map[string]any

// exactly is equality but for the order in which numbers were added.
func exactly(t *testing.T, ours, theirs []float64) {
	require.Len(t, theirs, len(ours))
	for i := range ours {
		if math.IsNaN(ours[i]) || math.IsNaN(theirs[i]) {
			assert.Equal(t, math.IsNaN(ours[i]), math.IsNaN(theirs[i]), "value %d: %v, theirs %v", i, ours[i], theirs[i])
			continue
		}
		assert.InDelta(t, theirs[i], ours[i], 1e-9, "value %d", i)
	}
}

// All statistics on random tables against SciPy, scikit-learn and krippendorff.
func TestStatisticsAgainstASecondImplementation(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 7))
	var cases []oracleCase
	add := func(name string, of object, ours ...float64) {
		cases = append(cases, oracleCase{name, of, ours, exactly})
	}
	for range 60 {
		addAgreement(rng, add)
		addShares(rng, add)
	}
	for i := range 12 {
		addAggregate(t, rng, uint64(i), add)
		cases = append(cases, comparison(rng, uint64(i)))
	}
	cases = append(cases, ownResamples(t, rng))

	var theirs [][]*float64
	scipytest.Compute(t, oracle, cases, &theirs)
	require.Len(t, theirs, len(cases))
	for i, c := range cases {
		t.Run(fmt.Sprint(c.Name, i), func(t *testing.T) {
			values := make([]float64, len(theirs[i]))
			for k, v := range theirs[i] {
				if values[k] = math.NaN(); v != nil {
					values[k] = *v
				}
			}
			c.hold(t, c.ours, values)
		})
	}
}

// grades of n answers; half of the tables know two grades alone.
func grades(rng *rand.Rand, n int) []int {
	list, most := make([]int, n), 1+rng.IntN(rubric.MaxGrade)
	for i := range list {
		list[i] = rng.IntN(most + 1)
	}
	return list
}

func addAgreement(rng *rand.Rand, add func(string, object, ...float64)) {
	n := 2 + rng.IntN(40)
	a, b := grades(rng, n), grades(rng, n)
	add("kappa", object{"a": a, "b": b},
		rubric.Kappa(a, b, rubric.Unweighted), rubric.Kappa(a, b, rubric.Linear), rubric.Kappa(a, b, rubric.Quadratic))

	units := [][]int{{0, 1}} // at least one pair that differs
	for range rng.IntN(20) {
		units = append(units, grades(rng, rng.IntN(6)))
	}
	add("alpha", object{"units": units},
		rubric.Alpha(units, rubric.Nominal), rubric.Alpha(units, rubric.Ordinal), rubric.Alpha(units, rubric.IntervalMetric))

	right, passed := []int{1, 0}, []int{rng.IntN(2), rng.IntN(2)}
	for range n {
		right, passed = append(right, rng.IntN(2)), append(passed, rng.IntN(2))
	}
	var c rubric.Confusion
	for i := range right {
		c.Add(right[i] == 1, passed[i] == 1)
	}
	add("confusion", object{"right": right, "passed": passed}, c.Accuracy(), c.FalsePassRate(), c.FalseFailRate(), c.Kappa())
}

func addShares(rng *rand.Rand, add func(string, object, ...float64)) {
	n := 1 + rng.IntN(300)
	c, k := rng.IntN(n+1), 1+rng.IntN(n)
	i := rubric.Wilson(c, n)
	add("wilson", object{"passed": c, "n": n}, i.Low, i.High)
	add("passed", object{"n": n, "c": c, "k": k}, rubric.PassAt(k, n, c), rubric.PassAll(k, n, c))

	models, domains := 2+rng.IntN(8), 1+rng.IntN(7)
	table, rates := make([][]int, models), map[string]map[string]float64{}
	for m := range table {
		of := map[string]float64{}
		for d := range domains {
			table[m] = append(table[m], rng.IntN(6)) // with ties
			of[fmt.Sprint(d)] = float64(table[m][d])
		}
		rates[fmt.Sprint(m)] = of
	}
	counts, err := rubric.Borda(rates)
	if err != nil {
		panic(err) // a rate of every model in every domain
	}
	var ours []float64
	for m := range table {
		ours = append(ours, counts[fmt.Sprint(m)])
	}
	add("borda", object{"rates": table}, ours...)

	calls := func() []string {
		list := make([]string, rng.IntN(6))
		for i := range list {
			list[i] = []string{"a", "b"}[min(1, rng.IntN(4))]
		}
		return list
	}
	target, predicted := calls(), append(calls(), "a")
	match := rubric.MatchSequences(target, predicted)
	add("matched", object{"target": target, "predicted": predicted}, float64(match.PML), match.PA)
}

// draws are the resamples of so many clusters that our bootstrap takes.
func draws(seed uint64, clusters int) [][]int {
	rng := rand.New(rand.NewPCG(seed, uint64(clusters)))
	list := make([][]int, rubric.Resamples)
	for i := range list {
		list[i] = make([]int, clusters)
		for range clusters {
			list[i][rng.IntN(clusters)]++
		}
	}
	return list
}

// drawsTo are those of every number of clusters that has an interval.
func drawsTo(seed uint64, clusters int) map[string][][]int {
	all := map[string][][]int{}
	for n := rubric.MinClusters; n <= clusters; n++ {
		all[fmt.Sprint(n)] = draws(seed, n)
	}
	return all
}

func bounds(i *rubric.Interval) (low, high float64) {
	if i == nil {
		return math.NaN(), math.NaN()
	}
	return i.Low, i.High
}

// addAggregate scores questions of two dimensions in some clusters, a quarter of
// their repeats unscored.
func addAggregate(t *testing.T, rng *rand.Rand, seed uint64, add func(string, object, ...float64)) {
	const repeats = 3
	clusters := rubric.MinClusters + rng.IntN(5)
	r := twoDimensions()
	var questions []rubric.Question
	var scores []rubric.Score
	var of []int
	var tests [][]bool
	var e [][][]*float64 // by question, repeat and dimension
	for i := range clusters * (2 + rng.IntN(3)) {
		dims := [][]string{{"order"}, {"money"}, {"order", "money"}}[rng.IntN(3)]
		q := question(fmt.Sprint("q", i), fmt.Sprint(i%clusters), 1, dims...)
		questions, of = append(questions, q), append(of, i%clusters)
		tests = append(tests, []bool{slices.Contains(dims, "order"), slices.Contains(dims, "money")})
		values := make([][]*float64, repeats)
		for k := range values {
			values[k] = make([]*float64, len(r.Dimensions))
			if rng.IntN(4) == 0 {
				scores = append(scores, unscored(q.ID, k, "judge"))
				continue
			}
			by := map[string]float64{}
			for d, dim := range r.Dimensions {
				if tests[i][d] {
					v := float64(rng.IntN(5)) / rubric.MaxGrade
					by[dim.Name], values[k][d] = v, &v
				}
			}
			scores = append(scores, scored(q.ID, k, by))
		}
		e = append(e, values)
	}
	res, err := rubric.Aggregate(r, questions, repeats, scores, seed)
	require.NoError(t, err)
	var ours []float64
	for _, d := range res.Dimensions {
		low, high := bounds(d.Interval)
		ours = append(ours, *d.Value, d.Low, d.High, low, high)
	}
	low, high := bounds(res.Final.Interval)
	ours = append(ours, *res.Final.Value, res.Final.Low, res.Final.High, low, high)
	add("aggregate", object{"weights": []float64{r.Dimensions[0].Weight, r.Dimensions[1].Weight},
		"clusters": of, "tests": tests, "e": e, "draws": drawsTo(seed^domainSeed(r.Domain), clusters)}, ours...)
}

// domainSeed keeps the draws of domains apart.
func domainSeed(domain string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(domain))
	return h.Sum64()
}

// comparison of two models on the same questions, some unscored. Up to twelve
// clusters our p-value is exact, as theirs is; above, it has a Monte-Carlo error.
func comparison(rng *rand.Rand, seed uint64) oracleCase {
	clusters := 3 + rng.IntN(14)
	var lists [2][]rubric.Value
	var values [2][]*float64
	var of []int
	for i := range clusters * 3 {
		of = append(of, i%clusters)
		for model := range lists {
			v := float64(rng.IntN(5)) / 4
			known := &v
			if i >= clusters && rng.IntN(6) == 0 {
				v, known = math.NaN(), nil
			}
			lists[model] = append(lists[model], rubric.Value{Cluster: fmt.Sprint(i % clusters), Value: v})
			values[model] = append(values[model], known)
		}
	}
	c := rubric.Compare(lists[0], lists[1], seed)
	low, high := bounds(c.Interval)
	given := object{"a": values[0], "b": values[1], "clusters": of, "draws": drawsTo(seed, clusters)}
	return oracleCase{"paired", given, []float64{c.Difference, low, high, c.P}, func(t *testing.T, ours, theirs []float64) {
		if clusters > 12 {
			require.Len(t, theirs, 4)
			p := theirs[3]
			assert.InDelta(t, p, ours[3], 5*math.Sqrt(p*(1-p)/10_000)+1e-4)
			ours, theirs = ours[:3], theirs[:3]
		}
		exactly(t, ours, theirs)
	}}
}

// ownResamples holds our interval against one from 20,000 other resamples: the
// bounds of ours have a Monte-Carlo error of 0.06 standard errors.
func ownResamples(t *testing.T, rng *rand.Rand) oracleCase {
	var questions []rubric.Question
	var scores []rubric.Score
	var values []float64
	for i := range 40 {
		v := rng.Float64()
		id := fmt.Sprint("q", i)
		questions, values = append(questions, question(id, id, 1, "order", "money")), append(values, v)
		scores = append(scores, scored(id, 0, map[string]float64{"order": v, "money": v}))
	}
	res, err := rubric.Aggregate(twoDimensions(), questions, 1, scores, 5)
	require.NoError(t, err)
	low, high := bounds(res.Final.Interval)
	return oracleCase{"resampled", object{"values": values}, []float64{low, high}, func(t *testing.T, ours, theirs []float64) {
		require.Len(t, theirs, 3)
		standardError := theirs[2]
		require.Greater(t, standardError, 0.0)
		assert.InDelta(t, theirs[0], ours[0], 0.3*standardError)
		assert.InDelta(t, theirs[1], ours[1], 0.3*standardError)
	}}
}
