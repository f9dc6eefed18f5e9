// Package rubric holds the nouns of an evaluation (rubrics, questions, answers,
// scores) and its arithmetic. It reads and writes nothing.
package rubric

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// MaxGrade is the best grade of a dimension; the worst is 0.
const MaxGrade = 4

// Rubric is R(D) = {(r_i, w_i)} (FM SO.P §2.3.1): what matters in a domain, and
// how much. The weights sum to 1 exactly.
type Rubric struct {
	Domain string `json:"domain" yaml:"domain"`
	// Corpus is the hash of the corpus that the rubric was made from.
	Corpus string `json:"corpus" yaml:"corpus"`
	// Generator says who made it: symbolic, or a model's name.
	Generator string `json:"generator" yaml:"generator"`
	// Locked keeps a generator from replacing what a person has settled.
	Locked     bool        `json:"locked" yaml:"locked"`
	Dimensions []Dimension `json:"dimensions" yaml:"dimensions"`
}

// Dimension is one r_i with its weight w_i in (0, 1], a decimal of at most 6
// places.
type Dimension struct {
	Name     string     `json:"name" yaml:"name"` // snake_case
	Weight   float64    `json:"weight" yaml:"weight"`
	Why      string     `json:"why" yaml:"why"` // why it matters in this domain
	Covers   Covers     `json:"covers" yaml:"covers"`
	Criteria []string   `json:"criteria" yaml:"criteria"` // of the grades 0 to MaxGrade
	Evidence []Evidence `json:"evidence" yaml:"evidence"`
}

// Covers says which questions test a dimension: those that hang on a condition
// of one of the kinds or names, or that have one of the shapes. Where all are
// empty no question is made for the dimension without a model.
type Covers struct {
	Kinds  []string `json:"kinds" yaml:"kinds,flow"`   // of conditions
	Words  []string `json:"words" yaml:"words,flow"`   // of conditions' names
	Shapes []string `json:"shapes" yaml:"shapes,flow"` // of what is asked
}

// Shapes of what a question asks for.
const (
	ShapeOrder        = "order"        // calls that depend on each other
	ShapeAlternatives = "alternatives" // one way or another
	ShapeRefusal      = "refusal"      // a request that has to be denied
	ShapeTools        = "tools"        // which call does or finds out what
	ShapeTerms        = "terms"        // what a word means
)

// Shapes lists the shapes.
var Shapes = []string{ShapeOrder, ShapeAlternatives, ShapeRefusal, ShapeTools, ShapeTerms}

// Evidence is a sentence of the corpus and where it stands.
type Evidence struct {
	Source string `json:"source" yaml:"source"` // a procedure, or file:line
	Quote  string `json:"quote" yaml:"quote"`
}

// Weights are held against 1 in millionths, so that a sum is exact.
const weightUnits = 1_000_000

// units returns the weight in millionths; false where it is none in (0, 1].
func units(w float64) (int, bool) {
	n := math.Round(w * weightUnits)
	return int(n), w > 0 && w <= 1 && math.Abs(n/weightUnits-w) < 1e-12
}

// Fault is what is wrong with a rubric.
type Fault struct {
	Dimension int // index of the dimension at fault, Whole for none
	Text      string
}

// Whole is the Dimension of a fault of the rubric as a whole.
const Whole = -1

// Validate reports every fault of the rubric, joined.
func (r *Rubric) Validate() error {
	var list []error
	for _, f := range r.Faults() {
		list = append(list, errors.New(f.Text))
	}
	return errors.Join(list...)
}

// Faults is all that is wrong with the rubric.
func (r *Rubric) Faults() (faults []Fault) {
	at := Whole
	fault := func(format string, args ...any) { faults = append(faults, Fault{at, fmt.Sprintf(format, args...)}) }
	if r.Domain == "" {
		fault("rubric without a domain")
	}
	if len(r.Dimensions) == 0 {
		fault("rubric %s has no dimensions", r.Domain)
	}
	sum, known := 0, map[string]bool{}
	for i, d := range r.Dimensions {
		at = i
		name := fmt.Sprintf("dimension %q of rubric %s", d.Name, r.Domain)
		switch {
		case !snakeCase(d.Name):
			fault("dimension %d of rubric %s is named %q, want lower-case words joined by _", i+1, r.Domain, d.Name)
		case known[d.Name]:
			fault("%s stands there twice", name)
		}
		known[d.Name] = true
		n, ok := units(d.Weight)
		if !ok {
			fault("%s has weight %v, want a number over 0, up to 1, of at most 6 decimals", name, d.Weight)
		}
		sum += n
		if len(d.Criteria) != MaxGrade+1 {
			fault("%s has %d criteria, want %d, of the grades 0 to %d", name, len(d.Criteria), MaxGrade+1, MaxGrade)
		}
		for _, s := range d.Covers.Shapes {
			if !slices.Contains(Shapes, s) {
				fault("%s covers shape %q, want some of %s", name, s, strings.Join(Shapes, ", "))
			}
		}
		for g, c := range d.Criteria {
			if strings.TrimSpace(c) == "" {
				fault("%s says nothing of grade %d", name, g)
			}
		}
	}
	at = Whole
	if len(faults) == 0 && sum != weightUnits {
		fault("the weights of rubric %s sum to %v, want 1", r.Domain, float64(sum)/weightUnits)
	}
	return faults
}

func snakeCase(s string) bool {
	for i, c := range s {
		if !(c >= 'a' && c <= 'z' || i > 0 && (c == '_' || c >= '0' && c <= '9')) {
			return false
		}
	}
	return s != ""
}

// Dimension returns the dimension of that name, or nil.
func (r *Rubric) Dimension(name string) *Dimension {
	if i := slices.IndexFunc(r.Dimensions, func(d Dimension) bool { return d.Name == name }); i >= 0 {
		return &r.Dimensions[i]
	}
	return nil
}

// Normalise turns shares into weights of the given number of decimals (1 to 6)
// that sum to 1 exactly: the largest remainders are rounded up, the first of
// equals first. No weight is 0: each keeps the smallest step. Shares must be
// positive and finite, and there must be no more of them than steps.
func Normalise(shares []float64, decimals int) ([]float64, error) {
	if decimals < 1 || decimals > 6 {
		return nil, fmt.Errorf("weights of %d decimals, want 1 to 6", decimals)
	}
	steps := int(math.Pow10(decimals))
	if len(shares) == 0 || len(shares) > steps {
		return nil, fmt.Errorf("%d shares, want 1 to %d", len(shares), steps)
	}
	total := 0.0
	for _, s := range shares {
		if !(s > 0) || math.IsInf(s, 0) {
			return nil, fmt.Errorf("share %v, want a positive number", s)
		}
		total += s
	}
	given := make([]int, len(shares))
	order := make([]int, len(shares))
	rest := make([]float64, len(shares))
	left := steps - len(shares)
	free := float64(left)
	for i, s := range shares {
		exact := s / total * free
		whole := math.Floor(exact)
		given[i], rest[i], order[i] = 1+int(whole), exact-whole, i
		left -= int(whole)
	}
	sort.SliceStable(order, func(a, b int) bool { return rest[order[a]] > rest[order[b]] })
	for i := range left {
		given[order[i%len(order)]]++
	}
	weights := make([]float64, len(shares))
	for i, n := range given {
		weights[i] = float64(n) / float64(steps)
	}
	return weights, nil
}
