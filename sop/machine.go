package sop

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"
)

// truth is a value of Kleene's three-valued logic.
type truth int8

const (
	no      truth = -1
	unknown truth = 0
	yes     truth = 1
)

// set is a set of up to 64 conditions or calls, by index.
type set uint64

func bit(i int) set             { return 1 << i }
func all(n int) set             { return 1<<n - 1 } // the first n
func (s set) has(i int) bool    { return s&(1<<i) != 0 }
func (s set) within(t set) bool { return s&^t == 0 }
func (s set) first() int        { return bits.TrailingZeros64(uint64(s)) }
func (s set) list() []int {
	list := make([]int, 0, bits.OnesCount64(uint64(s)))
	s.each(func(i int) { list = append(list, i) })
	return list
}
func (s set) each(f func(int)) {
	for ; s != 0; s &= s - 1 {
		f(bits.TrailingZeros64(uint64(s)))
	}
}

// Machine is a compiled Graph: what the oracles run on. It is safe for
// concurrent use.
type Machine struct {
	g        *Graph
	conds    []string // sorted
	condIx   map[string]int
	calls    []string // sorted
	callIx   map[string]int
	known0   set        // conditions known before the first call
	sources  [][]set    // per condition: the minimal sets of calls that establish it
	helps    []set      // per call: the conditions in whose sources it is
	phi      []*node    // per call, nil where there is no rule
	outcomes []compiled // in order
	ends     set        // calls that are the end of an outcome
	// ruledEnds tells that an end requires something else than its outcome.
	ruledEnds bool
	makes     [][2]set // per call: conditions that its success makes false, true
	effects   set      // calls with effects
	touched   set      // conditions that some effect changes
	answer    []int    // per call: the condition of its name, or -1
	ordered   []*node  // every seq and first_of, inner ones first
	phiPos    set      // conditions that occur positively in a requirement
	phiNeg    set
	bearing   []bearing // per condition

	mu   sync.Mutex // guards memo
	memo map[possibleKey]bool
}

// bearing is what bears on a condition: itself and the conditions in the
// requirements of calls that establish such ones; and those calls.
type bearing struct{ conds, calls set }

type compiled struct {
	end  string
	call int // the call of that name, or -1
	tree *node
}

// node is a compiled Tree.
type node struct {
	id    int
	op    Op
	cond  int // of a leaf
	parts []*node
	// The parts that are literals, by polarity, and the others; a leaf is its
	// own literal.
	is, not set
	rest    []*node
	conj    bool
	order   int  // index in Machine.ordered, or -1
	ordered bool // it or a part below is
	// word and shift tell where a state keeps the settled parts.
	word, shift int
	conds       set
	pos, neg    set // conditions below, by polarity
}

const (
	maxNames  = 64 // conditions, calls and orders of one graph
	partWords = 4  // times 64 bounds the parts of its orders
)

// Compile checks that the graph is well-formed and prepares it.
func Compile(g *Graph) (*Machine, error) {
	m := &Machine{
		g: g, conds: sortedKeys(g.EstablishedBy), calls: sortedKeys(g.Requires),
		condIx: map[string]int{}, callIx: map[string]int{},
	}
	if len(m.conds) > maxNames || len(m.calls) > maxNames {
		return nil, fmt.Errorf("procedure %s has %d conditions and %d calls, want at most %d of each", g.Goal, len(m.conds), len(m.calls), maxNames)
	}
	for i, c := range m.conds {
		m.condIx[c] = i
	}
	for i, c := range m.calls {
		m.callIx[c] = i
	}
	if err := m.compileSources(); err != nil {
		return nil, err
	}
	ids := 0
	for _, c := range m.calls {
		n, err := m.compile(g.Requires[c], &ids)
		if err != nil {
			return nil, fmt.Errorf("requirement of %s: %w", c, err)
		}
		m.phi = append(m.phi, n)
		if n != nil {
			m.phiPos |= n.pos
			m.phiNeg |= n.neg
		}
		ix := -1
		if i, ok := m.condIx[c]; ok {
			ix = i
		}
		m.answer = append(m.answer, ix)
	}
	if err := m.compileEnds(&ids); err != nil {
		return nil, err
	}
	m.relate()
	return m, m.layOut()
}

func (m *Machine) compileSources() error {
	m.sources, m.helps = make([][]set, len(m.conds)), make([]set, len(m.calls))
	for i, c := range m.conds {
		tree := m.g.EstablishedBy[c]
		if tree == nil {
			return fmt.Errorf("nothing establishes the condition %q, want a tree over calls or %q", c, Conversation)
		}
		if tree.Op == Leaf && tree.Name == Conversation {
			m.known0 |= bit(i)
			continue
		}
		sets, err := MinimalSets(tree)
		if err != nil {
			return fmt.Errorf("established_by of %s: %w", c, err)
		}
		for _, names := range sets {
			if s, ok := m.callSet(names); ok {
				m.sources[i] = append(m.sources[i], s)
				s.each(func(j int) { m.helps[j] |= bit(i) })
			}
			if len(names) == 0 {
				m.known0 |= bit(i)
			}
		}
	}
	return nil
}

// callSet is ok when all names are calls of the procedure: a minimal set with
// another member helps nobody.
func (m *Machine) callSet(names []string) (s set, ok bool) {
	for _, n := range names {
		i, known := m.callIx[n]
		if !known {
			return 0, false
		}
		s |= bit(i)
	}
	return s, true
}

func (m *Machine) compileEnds(ids *int) error {
	g := m.g
	if len(g.Outcomes) == 0 {
		return fmt.Errorf("procedure %s has no outcome", g.Goal)
	}
	for _, o := range g.Outcomes {
		var n *node
		call, isCall := m.callIx[o.End]
		if !isCall {
			call = -1
		} else {
			m.ends |= bit(call)
		}
		if isCall && o.Tree != nil && g.Requires[o.End].Equal(o.Tree) {
			n = m.phi[call] // one tree, settled once
		} else {
			var err error
			if n, err = m.compile(o.Tree, ids); err != nil {
				return fmt.Errorf("outcome %s: %w", o.End, err)
			}
			m.ruledEnds = m.ruledEnds || isCall && m.phi[call] != nil
		}
		m.outcomes = append(m.outcomes, compiled{o.End, call, n})
	}
	m.makes = make([][2]set, len(m.calls))
	for c, effects := range g.Effects {
		i, ok := m.callIx[c]
		if !ok {
			return fmt.Errorf("effects of %q, which is no call of the procedure", c)
		}
		for cond, to := range effects {
			j, ok := m.condIx[cond]
			if !ok {
				return fmt.Errorf("%s has an effect on %q, which is no condition of the procedure", c, cond)
			}
			if m.ends.has(i) {
				continue // nothing comes after it
			}
			b := 0
			if to {
				b = 1
			}
			m.makes[i][b] |= bit(j)
			m.touched |= bit(j)
			m.effects |= bit(i)
		}
	}
	return nil
}

func (m *Machine) compile(t *Tree, ids *int) (*node, error) {
	if t == nil {
		return nil, nil
	}
	n := &node{op: t.Op, order: -1, conj: t.Op.Conjunctive() || t.Op == Leaf}
	if t.Op == Leaf {
		i, ok := m.condIx[t.Name]
		if !ok {
			return nil, fmt.Errorf("%q is no condition of the procedure", t.Name)
		}
		n.cond, n.conds, n.pos, n.is = i, bit(i), bit(i), bit(i)
	}
	if len(t.Parts) > 64 {
		return nil, fmt.Errorf("%s has %d parts, want at most 64", t.Op, len(t.Parts))
	}
	for _, p := range t.Parts {
		part, err := m.compile(p, ids)
		if err != nil {
			return nil, err
		}
		n.add(part)
	}
	n.id = *ids
	*ids++
	if t.Op.Ordered() {
		n.order, n.ordered = len(m.ordered), true
		m.ordered = append(m.ordered, n)
	}
	return n, nil
}

func (n *node) add(part *node) {
	n.parts = append(n.parts, part)
	n.conds |= part.conds
	n.ordered = n.ordered || part.ordered
	if n.op == Not {
		n.pos, n.neg = part.neg, part.pos
		return
	}
	n.pos |= part.pos
	n.neg |= part.neg
	switch {
	case part.op == Leaf:
		n.is |= part.conds
	case part.op == Not && part.parts[0].op == Leaf:
		n.not |= part.conds
	default:
		n.rest = append(n.rest, part)
	}
}

// relate finds what bears on every condition.
func (m *Machine) relate() {
	m.bearing = make([]bearing, len(m.conds))
	for i, sets := range m.sources {
		b := &m.bearing[i]
		b.conds = bit(i)
		for _, s := range sets {
			b.calls |= s
		}
		b.calls.each(func(j int) {
			if m.phi[j] != nil {
				b.conds |= m.phi[j].conds
			}
		})
	}
	for k := range m.bearing { // the transitive closure
		for i := range m.bearing {
			if b := &m.bearing[i]; b.conds.has(k) {
				b.conds |= m.bearing[k].conds
				b.calls |= m.bearing[k].calls
			}
		}
	}
}

// bearsOn is what bears on any of the conditions.
func (m *Machine) bearsOn(conds set) (all bearing) {
	conds.each(func(i int) {
		all.conds |= m.bearing[i].conds
		all.calls |= m.bearing[i].calls
	})
	return all
}

// layOut gives the parts of every order their place in a state.
func (m *Machine) layOut() error {
	word, shift := 0, 0
	for _, n := range m.ordered {
		if shift+len(n.parts) > 64 {
			word, shift = word+1, 0
		}
		n.word, n.shift = word, shift
		shift += len(n.parts)
	}
	if word >= partWords || len(m.ordered) > maxNames {
		return fmt.Errorf("procedure %s has %d trees whose parts have an order, want at most %d with about %d parts in all", m.g.Goal, len(m.ordered), maxNames, 64*partWords)
	}
	return nil
}

// MinimalSets reduces a tree over calls to its minimal sets, each sorted: all
// and seq want every part, any and first_of one of them. A tree under not has
// none and is an error.
func MinimalSets(t *Tree) ([][]string, error) {
	sets, err := satisfying(t)
	if err != nil {
		return nil, err
	}
	if len(sets) == 1 {
		return sets, nil
	}
	var minimal [][]string
	for i, s := range sets {
		keep := true
		for j, u := range sets {
			if i != j && subset(u, s) && (len(u) < len(s) || j < i) {
				keep = false
				break
			}
		}
		if keep {
			minimal = append(minimal, s)
		}
	}
	slices.SortFunc(minimal, slices.Compare[[]string])
	return minimal, nil
}

const maxSets = 4096

func satisfying(t *Tree) ([][]string, error) {
	switch {
	case t == nil:
		return nil, fmt.Errorf("no tree, want actions or %q", Conversation)
	case t.Op == Leaf:
		return [][]string{{t.Name}}, nil
	case t.Op == Not:
		return nil, fmt.Errorf("not cannot say what makes a condition known, want all or any over actions")
	case t.Op.Conjunctive():
		acc := [][]string{nil}
		for _, p := range t.Parts {
			sets, err := satisfying(p)
			if err != nil {
				return nil, err
			}
			var next [][]string
			for _, a := range acc {
				for _, b := range sets {
					u := slices.Concat(a, b)
					slices.Sort(u)
					next = append(next, slices.Compact(u))
				}
			}
			if acc = next; len(acc) > maxSets {
				return nil, fmt.Errorf("more than %d ways to make a condition known", maxSets)
			}
		}
		return acc, nil
	}
	var acc [][]string
	for _, p := range t.Parts {
		sets, err := satisfying(p)
		if err != nil {
			return nil, err
		}
		acc = append(acc, sets...)
	}
	return acc, nil
}

func subset(a, b []string) bool {
	for _, x := range a {
		if _, ok := slices.BinarySearch(b, x); !ok {
			return false
		}
	}
	return true
}

// plain is the Kleene value of n with seq read as all and first_of as any; a
// nil tree is true.
func (n *node) plain(known, val set) truth { return n.value(known&val, known&^val, 0) }

// value is the Kleene value of n where the conditions t are true, f false and
// the others unknown, and where the orders in broken are unknown.
func (n *node) value(t, f, broken set) truth {
	switch {
	case n == nil:
		return yes
	case n.op == Not:
		return -n.parts[0].value(t, f, broken)
	case n.order >= 0 && broken.has(n.order):
		return unknown
	}
	result, decisive, undecided := yes, n.is&f|n.not&t, n.is&^t|n.not&^f
	if !n.conj {
		result, decisive, undecided = no, n.is&t|n.not&f, n.is&^f|n.not&^t
	}
	if decisive != 0 {
		return -result
	}
	decides := -result
	if undecided != 0 {
		result = unknown
	}
	for _, p := range n.rest {
		switch p.value(t, f, broken) {
		case decides:
			return decides
		case unknown:
			result = unknown
		}
	}
	return result
}
