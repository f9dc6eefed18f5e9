package sop

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// solver draws numbers for the values of a variant such that every comparison
// has the truth that the facts give it.
type solver struct {
	v      *Variant
	want   []comparisonWant
	values []string // instances that exist under these facts, sorted
	absurd bool     // a comparison is to hold over a value that does not exist
}

type comparisonWant struct {
	*compared
	holds bool
}

// compared is a condition that is a comparison.
type compared struct {
	cond    int
	compare *Comparison
	names   []string // in the comparison
}

// valued is a value of the variant, and what it depends on.
type valued struct {
	name    string
	depends *node
}

func (s *Sampler) solver(x set) *solver {
	s.prepare()
	all, out := ^set(0), &solver{v: s.V}
	for _, v := range s.values {
		if v.depends.plain(all, x) == yes {
			out.values = append(out.values, v.name)
		}
	}
	for i := range s.compared {
		c := &s.compared[i]
		switch {
		case s.depends[c.cond].plain(all, x) != yes:
			// A condition whose depends_on fails is false whatever the numbers are.
		case out.exist(c.names):
			out.want = append(out.want, comparisonWant{c, x.has(c.cond)})
		default: // so is a comparison over a value that does not exist
			out.absurd = out.absurd || x.has(c.cond)
		}
	}
	return out
}

func (s *solver) exist(names []string) bool {
	for _, n := range names {
		if _, ok := slices.BinarySearch(s.values, n); !ok {
			return false
		}
	}
	return true
}

const (
	solverRestarts = 40
	solverRepairs  = 24
)

// draw returns numbers, or false when it found none. Half of them lie at a
// threshold or one step beside it.
func (s *solver) draw(rng *rand.Rand) (map[string]float64, bool) {
	for range solverRestarts {
		numbers := map[string]float64{}
		for _, name := range s.values {
			numbers[name] = s.v.Values[name].random(rng)
		}
		if rng.IntN(2) == 0 {
			s.toThreshold(numbers, rng)
		}
		if s.repair(numbers, rng) {
			return numbers, true
		}
	}
	return nil, false
}

// toThreshold puts one value of a random comparison at its threshold or
// beside it.
func (s *solver) toThreshold(numbers map[string]float64, rng *rand.Rand) {
	if len(s.want) == 0 {
		return
	}
	w := s.want[rng.IntN(len(s.want))]
	s.move(w, numbers, rng)
}

// repair changes one value of a violated comparison at a time.
func (s *solver) repair(numbers map[string]float64, rng *rand.Rand) bool {
	for range solverRepairs {
		var violated []comparisonWant
		for _, w := range s.want {
			if holds, ok := w.compare.Holds(numbers); !ok || holds != w.holds {
				violated = append(violated, w)
			}
		}
		if len(violated) == 0 {
			return true
		}
		if !s.move(violated[rng.IntN(len(violated))], numbers, rng) {
			return false
		}
	}
	return false
}

// move sets a value of w so that w is as wanted, close to where it tips.
func (s *solver) move(w comparisonWant, numbers map[string]float64, rng *rand.Rand) bool {
	var names []string
	for _, n := range w.names {
		if _, ok := numbers[n]; ok {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return false
	}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		if x, ok := s.tipping(w, name, numbers, rng); ok {
			numbers[name] = x
			return true
		}
	}
	return false
}

// tipping finds a number for one value that gives w its wanted truth: the
// point where both sides are equal (sides are taken as linear in one value),
// a step beside it, or further away.
func (s *solver) tipping(w comparisonWant, name string, numbers map[string]float64, rng *rand.Rand) (float64, bool) {
	val := s.v.Values[name]
	side := w.compare
	if side.And != nil && rng.IntN(2) == 0 {
		side = side.And
	}
	old := numbers[name]
	defer func() { numbers[name] = old }()
	gap := func(x float64) (float64, bool) {
		numbers[name] = x
		l, okL := side.Left.Eval(numbers)
		r, okR := side.Right.Eval(numbers)
		return l - r, okL && okR
	}
	g0, ok0 := gap(0)
	g1, ok1 := gap(1)
	if !ok0 || !ok1 || g0 == g1 {
		return 0, false
	}
	tip := -g0 / (g1 - g0)
	far := val.step() * float64(2+rng.IntN(60))
	offsets := []float64{0, val.step(), -val.step(), far, -far, far * 12, -far * 12}
	rng.Shuffle(len(offsets), func(i, j int) { offsets[i], offsets[j] = offsets[j], offsets[i] })
	for _, o := range offsets {
		x := val.round(tip + o)
		if x < val.Min || x > val.Max {
			continue
		}
		numbers[name] = x
		if holds, ok := w.compare.Holds(numbers); ok && holds == w.holds {
			return x, true
		}
	}
	x := val.random(rng)
	numbers[name] = x
	holds, ok := w.compare.Holds(numbers)
	return x, ok && holds == w.holds
}

func (u *Value) step() float64 {
	if u.Step > 0 {
		return u.Step
	}
	return 1
}

// round goes to the next multiple of the step, free of binary noise.
func (u *Value) round(x float64) float64 {
	step := u.step()
	r := math.Round(x/step) * step
	if step != math.Trunc(step) {
		_, frac, _ := strings.Cut(Number(step), ".")
		r, _ = strconv.ParseFloat(strconv.FormatFloat(r, 'f', len(frac), 64), 64)
	}
	if r == 0 {
		return 0 // not -0
	}
	return r
}

// random draws from the whole range, round numbers preferred as people do.
func (u *Value) random(rng *rand.Rand) float64 {
	x := u.Min + rng.Float64()*(u.Max-u.Min)
	if span := u.Max - u.Min; rng.IntN(3) > 0 && span >= 100*u.step() {
		coarse := math.Pow(10, math.Floor(math.Log10(span))-1)
		x = math.Round(x/coarse) * coarse
	}
	return math.Min(math.Max(u.round(x), u.Min), u.Max)
}
