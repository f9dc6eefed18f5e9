package bench

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/starlark"
)

// Realiser finds databases in which given facts hold, and what a user of them
// knows. It starts from the pack's example and changes a place at a time, for as
// long as the facts, as the pack's records.star reads them, come nearer to those
// that are wanted. It is safe for concurrent use.
type Realiser struct {
	Domain *world.Domain
	Corpus *corpus.Corpus
}

// State is how the records stand, and what the user can say, by parameter.
type State struct{ Database, Known *starlark.Dict }

// ErrUnrealised is facts for which no database was found.
var ErrUnrealised = errors.New("no database was found in which the facts hold")

// NewRealiser returns the realiser of a pack that runs, or says what it lacks.
func NewRealiser(name string) (*Realiser, error) {
	d, err := world.Load(name)
	if err != nil {
		return nil, err
	}
	c, err := corpus.Load(name)
	if err != nil {
		return nil, err
	}
	if database, known := d.Example(); database == nil || known == nil {
		return nil, fmt.Errorf("%s: there is no example = {…} (a database) or no known = {…} (arguments), from which databases are made", d.File())
	}
	r := &Realiser{d, c}
	if p := c.Domain.Procedures; len(p) > 0 {
		v, err := c.Domain.Variant(p[0], sop.Choice{})
		if err != nil {
			return nil, err
		}
		if _, err := r.Read(v, r.example()); errors.Is(err, corpus.ErrNoRecords) {
			return nil, err
		}
	}
	return r, nil
}

func (r *Realiser) example() *State {
	database, known := r.Domain.Example()
	return &State{database, known}
}

// Read is the scenario of a variant that a state is.
func (r *Realiser) Read(v *sop.Variant, s *State) (*sop.Scenario, error) {
	known, _ := goValue(s.Known).(map[string]any)
	return r.Corpus.Scenario(v, s.Database, known)
}

const (
	realiseTries   = 3   // searches from the example
	realiseChanges = 600 // in one search
	stuckAfter     = 80  // changes without gain, before some that gain nothing are taken
)

// Realise returns a state in which exactly these facts of the variant hold, and
// the scenario that it is. It is made from a state near by, where there is one;
// else from the example, whose people, days and amounts do not stay. The same
// facts and the same state of rng give the same result. The error is
// ErrUnrealised.
func (r *Realiser) Realise(v *sop.Variant, facts map[string]bool, near *State, rng *rand.Rand) (*State, *sop.Scenario, error) {
	if near != nil {
		if s := r.search(v, facts, near, rng); s.wrong == 0 {
			return s.tree.state(), s.scenario, nil
		}
	}
	for range realiseTries {
		if s := r.search(v, facts, r.example(), rng); s.wrong == 0 {
			s.disguise()
			return s.tree.state(), s.scenario, nil
		}
	}
	return nil, nil, ErrUnrealised
}

// search is a walk over states.
type search struct {
	*Realiser
	v        *sop.Variant
	want     map[string]bool
	rng      *rand.Rand
	tree     *tree
	scenario *sop.Scenario
	wrong    int          // facts that are not as they are wanted
	part     *sop.Variant // of v, with those facts and what they depend on
}

func (r *Realiser) search(v *sop.Variant, facts map[string]bool, from *State, rng *rand.Rand) *search {
	s := &search{Realiser: r, v: v, want: facts, rng: rng, part: v, wrong: math.MaxInt}
	s.take(treeOf(from), math.MaxInt-1)
	e := &edit{domain: r.Corpus.Domain, words: r.Domain.Words(), thresholds: v.Thresholds, rng: rng}
	for i, last := 0, 0; i < realiseChanges && s.wrong > 0; i++ {
		limit := s.wrong - 1
		if i-last > stuckAfter && rng.IntN(8) == 0 {
			limit = s.wrong // it opens the way to others
		}
		if e.tree != s.tree {
			e.tree, e.all = s.tree, s.tree.places()
		}
		if next := e.draw(); next != nil && s.take(next, limit) {
			last = i
		}
	}
	if s.wrong == 0 {
		s.tidy(treeOf(from))
	}
	return s
}

// tidy takes back what was changed on the way and is not needed.
func (s *search) tidy(from *tree) {
	for _, p := range from.places() {
		if is := s.tree.at(p.path); is == nil || !python.Equal(is, p.value) {
			s.take(s.tree.with(p.path, p.value), 0)
		}
	}
	for _, p := range s.tree.places() {
		if from.at(p.path) == nil && s.tree.at(p.path) != nil {
			s.take(s.tree.with(p.path, nil), 0)
		}
	}
}

// take goes on from a tree in which no more facts than the limit are wrong.
func (s *search) take(next *tree, limit int) bool {
	state := next.state()
	if limit < s.wrong && s.part != s.v { // most changes mend nothing, which a part tells
		if part, err := s.Read(s.part, state); err != nil || s.count(part) > limit {
			return false
		}
	}
	scenario, err := s.Read(s.v, state)
	if err != nil {
		return false
	}
	wrong := s.count(scenario)
	if wrong > limit {
		return false
	}
	s.tree, s.scenario, s.wrong = next, scenario, wrong
	s.part = s.unmet()
	return true
}

// count is how many facts of the scenario are not as they are wanted.
func (s *search) count(scenario *sop.Scenario) (wrong int) {
	for name, is := range scenario.Facts {
		if want, asked := s.want[name]; asked && want != is {
			wrong++
		}
	}
	return wrong
}

// unmet is the part of the variant that the wrong facts are about.
func (s *search) unmet() *sop.Variant {
	part := *s.v
	part.Conditions, part.Values, part.DependsOn = map[string]*sop.ConditionUse{}, map[string]*sop.ValueUse{}, map[string]*sop.Tree{}
	var add func(name string)
	needs := func(t *sop.Tree) {
		for _, name := range t.Names() {
			add(name)
		}
	}
	add = func(name string) {
		use := s.v.Conditions[name]
		if use == nil || part.Conditions[name] != nil {
			return
		}
		part.Conditions[name] = use
		if first := s.v.DependsOn[name]; first != nil {
			part.DependsOn[name] = first
			needs(first)
		}
		if use.Compare == nil {
			return
		}
		for _, value := range use.Compare.Names() {
			if v := s.v.Values[value]; v != nil {
				part.Values[value] = v
				if v.DependsOn != nil {
					needs(v.DependsOn)
				}
			}
		}
	}
	for name, is := range s.scenario.Facts {
		if want, asked := s.want[name]; asked && want != is {
			add(name)
		}
	}
	return &part
}

// disguise gives what can be called otherwise other names, days and amounts, as
// long as the facts stay as they are: else all states would be about the
// example's people.
func (s *search) disguise() {
	known := s.tree.state().Known
	used := map[string]bool{}
	for _, item := range known.Items() {
		used[python.Repr(item[1])] = true
	}
	for _, name := range known.Keys() {
		p := s.Corpus.Domain.Parameters[string(name.(starlark.String))]
		if p == nil || len(p.Examples) == 0 {
			continue
		}
		was, _, _ := s.tree.state().Known.Get(name)
		is := example(p, s.rng)
		if is == nil || used[python.Repr(is)] || is.Type() != was.Type() {
			continue
		}
		if s.take(s.tree.renamed(was, is), 0) {
			used[python.Repr(is)] = true
		}
	}
	s.take(s.tree.shifted(7*(1+s.rng.IntN(100))), 0)
	for _, p := range s.tree.places() {
		if _, isNumber := starlark.AsFloat(p.value); isNumber && s.rng.IntN(2) == 0 {
			s.take(s.tree.with(p.path, scaled(p.value, 0.5+s.rng.Float64())), 0)
		}
	}
}
