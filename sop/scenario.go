package sop

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Sampler draws scenarios of one variant. It enumerates the consistent fact
// assignments once, when they are first asked for; it is not safe for
// concurrent use.
type Sampler struct {
	V *Variant
	M *Machine
	// Impossible counts consistent assignments for which no numbers exist;
	// Undecided those in which no outcome ever falls due.
	Impossible, Undecided int

	worlds   [][]World
	feasible map[set]bool
	depends  []*node // per condition
	excludes []set
	innate   *node // of the goal's tool
	measured set   // conditions that bear on comparisons
	compared []compared
	values   []valued // sorted
	pairs    [][2]World
	paired   bool
}

// World is one consistent assignment of facts.
type World struct {
	facts   set
	Outcome int // the outcome in which it ends
}

const (
	MaxEnumerated = 13   // conditions up to which assignments are enumerated
	sampledWorlds = 4096 // assignments tried where there are more
	maxPaired     = 1024 // assignments compared for minimal pairs
)

// NewSampler compiles the variant.
func NewSampler(v *Variant) (*Sampler, error) {
	m, err := Compile(&v.Graph)
	if err != nil {
		return nil, err
	}
	return &Sampler{V: v, M: m, feasible: map[set]bool{}}, nil
}

// Worlds returns the consistent assignments for which numbers exist, by the
// outcome in which they end. Draws beyond the enumeration limit come from a
// fixed seed, so that equal variants have equal worlds.
func (s *Sampler) Worlds() [][]World {
	if s.worlds == nil {
		s.enumerate()
	}
	return s.worlds
}

func (s *Sampler) enumerate() {
	m := s.M
	s.prepare()
	s.worlds = make([][]World, len(m.outcomes))
	rng := rand.New(rand.NewPCG(uint64(len(m.conds)), 0x5ca1ab1e))
	n := len(m.conds)
	if n <= MaxEnumerated {
		for x := range 1 << n {
			s.add(set(x), rng)
		}
	} else {
		seen := map[set]bool{}
		for range sampledWorlds {
			if x := s.randomFacts(rng); !seen[x] {
				seen[x] = true
				s.add(x, rng)
			}
		}
		if len(s.worlds) > 2 { // of two, neither asks for all that the other denies
			s.seek(seen, rng)
		}
	}
}

// randomFacts draws an assignment, mostly true, and makes it consistent.
func (s *Sampler) randomFacts(rng *rand.Rand) set {
	x := set(0)
	for i := range s.M.conds {
		if rng.IntN(4) > 0 {
			x |= bit(i)
		}
	}
	return s.dependent(x)
}

// dependent makes conditions false until nothing depends on what is not so.
func (s *Sampler) dependent(x set) set {
	for range s.M.conds {
		for i, n := range s.depends {
			if n != nil && x.has(i) && n.plain(^set(0), x) != yes {
				x &^= bit(i)
			}
		}
	}
	return x
}

func (s *Sampler) add(x set, rng *rand.Rand) {
	if !s.consistent(x) {
		return
	}
	if !s.solvable(x, rng) {
		s.Impossible++
		return
	}
	// Where the rules permit the goal, the tool itself has to, too.
	all := ^set(0)
	if s.innate != nil && s.M.phiOf(s.V.Goal).plain(all, x) == yes && s.innate.plain(all, x) != yes {
		return
	}
	k := s.M.finalOutcome(x)
	if k < 0 {
		s.Undecided++
		return
	}
	s.worlds[k] = append(s.worlds[k], World{x, k})
}

// prepare compiles, once, what relates the facts of a world to each other.
func (s *Sampler) prepare() {
	if s.depends != nil {
		return
	}
	ids, scratch := 0, Machine{condIx: s.M.condIx} // no call settles the orders of these trees
	compile := func(t *Tree) *node {
		n, err := scratch.compile(s.V.project(t), &ids)
		if err != nil {
			return nil // project leaves conditions of the variant alone
		}
		return n
	}
	s.depends = make([]*node, len(s.M.conds))
	for i, c := range s.M.conds {
		s.depends[i] = compile(s.V.DependsOn[c])
		if use := s.V.Conditions[c]; use != nil && use.Compare != nil {
			s.measured |= bit(i)
			s.compared = append(s.compared, compared{i, use.Compare, use.Compare.Names()})
			if d := s.depends[i]; d != nil {
				s.measured |= d.conds
			}
		}
	}
	for _, name := range sortedKeys(s.V.Values) {
		n := compile(s.V.Values[name].DependsOn)
		if n != nil {
			s.measured |= n.conds
		}
		s.values = append(s.values, valued{name, n})
	}
	for _, group := range s.V.Excludes {
		var g set
		for _, c := range group {
			if i, ok := s.M.condIx[c]; ok {
				g |= bit(i)
			}
		}
		s.excludes = append(s.excludes, g)
	}
	if goal := s.V.Calls[s.V.Goal]; goal != nil && goal.Innate != nil {
		r := resolver{v: s.V, names: map[string]string{}, renamed: map[string]string{}}
		for c, use := range s.V.Conditions {
			n, _ := ParseName(c)
			r.names[use.Base] = n.Base
		}
		s.innate = compile(r.tree(s.V.Domain.renameTree(goal.Innate, goal.Args)))
	}
}

// consistent is Graph.Consistent on sets.
func (s *Sampler) consistent(x set) bool {
	for i, n := range s.depends {
		if n != nil && x.has(i) && n.plain(^set(0), x) != yes {
			return false
		}
	}
	for _, group := range s.excludes {
		if both := x & group; both&(both-1) != 0 {
			return false
		}
	}
	return true
}

// maxFree bounds the conditions that Possible tries both ways.
const maxFree = 16

// Possible tells whether there is a case with these facts: a consistent
// assignment for which numbers exist. Of conditions that the facts leave open
// 16 are tried both ways, further ones as false; so it is never wrongly true.
// A name that is no condition of the variant is impossible.
func (s *Sampler) Possible(facts map[string]bool) bool {
	s.prepare()
	fixed, told := set(0), 0
	var free []int
	for i, c := range s.M.conds {
		switch f, ok := facts[c]; {
		case !ok && len(free) < maxFree:
			free = append(free, i)
		case f:
			fixed |= bit(i)
			fallthrough
		case ok:
			told++
		}
	}
	if told < len(facts) {
		return false
	}
	rng := rand.New(rand.NewPCG(uint64(fixed), 0x90551b1e))
	for x := range 1 << len(free) {
		world := fixed
		for k, i := range free {
			if x>>k&1 == 1 {
				world |= bit(i)
			}
		}
		if s.consistent(world) && s.solvable(world, rng) {
			return true
		}
	}
	return false
}

func (m *Machine) phiOf(call string) *node {
	if i, ok := m.callIx[call]; ok {
		return m.phi[i]
	}
	return nil
}

func (m *Machine) factMap(x set) map[string]bool {
	facts := make(map[string]bool, len(m.conds))
	for i, c := range m.conds {
		facts[c] = x.has(i)
	}
	return facts
}

// solvable caches, by the facts that bear on comparisons, whether numbers
// exist.
func (s *Sampler) solvable(x set, rng *rand.Rand) bool {
	if s.measured == 0 {
		return true
	}
	ok, done := s.feasible[x&s.measured]
	if done {
		return ok
	}
	solver := s.solver(x)
	ok = !solver.absurd
	if ok && len(solver.want) > 0 {
		_, ok = solver.draw(rng)
	}
	s.feasible[x&s.measured] = ok
	return ok
}

// Count returns the worlds that end in outcome k.
func (s *Sampler) Count(k int) int { return len(s.Worlds()[k]) }

// Scenario draws a scenario of the world.
func (s *Sampler) Scenario(w World, rng *rand.Rand) (*Scenario, error) {
	numbers, ok := s.solver(w.facts).draw(rng)
	if !ok {
		return nil, fmt.Errorf("procedure %s: no numbers found for the facts", s.V.Procedure.Goal)
	}
	return &Scenario{Facts: s.M.factMap(w.facts), Values: numbers, Bindings: s.bind(numbers, rng)}, nil
}

// bind gives every parameter that a call of the variant takes a value:
// stated values their number, the others an example of their pool, no two of
// one pool the same.
func (s *Sampler) bind(numbers map[string]float64, rng *rand.Rand) map[string]any {
	sources := map[string]bool{}
	for _, c := range s.V.Calls {
		for _, src := range c.Args {
			sources[src] = true
		}
	}
	for _, c := range s.V.Conditions {
		for _, src := range c.Args {
			sources[src] = true
		}
	}
	bindings := map[string]any{}
	used := map[string]bool{} // pool and example
	for _, name := range sortedKeys(sources) {
		if x, ok := numbers[name]; ok {
			bindings[name] = x
			continue
		}
		if val := s.V.Domain.Values[name]; val != nil {
			bindings[name] = val.random(rng)
			continue
		}
		p := s.V.Domain.Parameters[name]
		if p == nil || len(p.Examples) == 0 {
			bindings[name] = name
			continue
		}
		pool := p.Pool
		if pool == "" {
			pool = name
		}
		i := rng.IntN(len(p.Examples))
		key := func() string { return fmt.Sprint(pool, "\x00", p.Examples[i]) }
		for range p.Examples {
			if !used[key()] {
				break
			}
			i = (i + 1) % len(p.Examples)
		}
		used[key()] = true
		bindings[name] = p.Examples[i]
	}
	return bindings
}

// Complete returns the scenario with a binding for every parameter that a call
// of the variant takes: one that the case does not give is drawn, as when a
// customer presents a credential that is not the one on file.
func (s *Sampler) Complete(sc *Scenario, rng *rand.Rand) *Scenario {
	out := *sc
	out.Bindings = s.bind(sc.Values, rng)
	for name, x := range sc.Bindings {
		out.Bindings[name] = x
	}
	return &out
}

// Pairs returns the minimal pairs of worlds: the first permits an earlier
// outcome than the second, and they differ in as few facts as any world of
// another outcome does from the first. Pairs in one fact come alone where
// there are any.
func (s *Sampler) Pairs() [][2]World {
	if s.paired {
		return s.pairs
	}
	s.paired = true
	best := 65
	for k, worlds := range s.Worlds() {
		for _, a := range worlds[:min(len(worlds), maxPaired)] {
			for _, others := range s.Worlds()[k+1:] {
				for _, b := range others[:min(len(others), maxPaired)] {
					d := bits.OnesCount64(uint64(a.facts ^ b.facts))
					if d < best {
						best, s.pairs = d, s.pairs[:0]
					}
					if d == best {
						s.pairs = append(s.pairs, [2]World{a, b})
					}
				}
			}
		}
	}
	return s.pairs
}

// Pair draws two scenarios of a pair of worlds that are alike but for the
// facts in which the worlds differ and, for comparisons, as few values as
// will do: one, where one is enough.
func (s *Sampler) Pair(p [2]World, rng *rand.Rand) (a, b *Scenario, err error) {
	if a, err = s.Scenario(p[0], rng); err != nil {
		return nil, nil, err
	}
	numbers, ok := s.solver(p[1].facts).near(a.Values, rng)
	if !ok {
		return nil, nil, fmt.Errorf("procedure %s: no numbers found for the facts", s.V.Procedure.Goal)
	}
	bindings := make(map[string]any, len(a.Bindings))
	for name, x := range a.Bindings {
		bindings[name] = x
		if n, ok := numbers[name]; ok {
			bindings[name] = n
		}
	}
	return a, &Scenario{Facts: s.M.factMap(p[1].facts), Values: numbers, Bindings: bindings}, nil
}

// near starts from the given numbers and changes one value only, where that
// is enough.
func (s *solver) near(from map[string]float64, rng *rand.Rand) (map[string]float64, bool) {
	start := func() map[string]float64 {
		numbers := map[string]float64{}
		for _, name := range s.values {
			if x, ok := from[name]; ok {
				numbers[name] = x
			} else {
				numbers[name] = s.v.Values[name].random(rng)
			}
		}
		return numbers
	}
	numbers := start()
	var violated []comparisonWant
	for _, w := range s.want {
		if holds, ok := w.compare.Holds(numbers); !ok || holds != w.holds {
			violated = append(violated, w)
		}
	}
	if len(violated) == 0 {
		return numbers, true
	}
	for range solverRepairs {
		numbers = start()
		if s.move(violated[rng.IntN(len(violated))], numbers, rng) && s.satisfied(numbers) {
			return numbers, true
		}
	}
	for range solverRestarts {
		numbers = start()
		if s.repair(numbers, rng) {
			return numbers, true
		}
	}
	return s.draw(rng)
}

func (s *solver) satisfied(numbers map[string]float64) bool {
	for _, w := range s.want {
		if holds, ok := w.compare.Holds(numbers); !ok || holds != w.holds {
			return false
		}
	}
	return true
}

// Differs names the conditions in which two worlds differ.
func (s *Sampler) Differs(a, b World) []string {
	var names []string
	(a.facts ^ b.facts).each(func(i int) { names = append(names, s.M.conds[i]) })
	return names
}

// Facts returns the assignment of a world.
func (s *Sampler) Facts(w World) map[string]bool { return s.M.factMap(w.facts) }
