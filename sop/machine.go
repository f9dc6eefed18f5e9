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

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// set is a set of up to 64 conditions or calls, by index.
type set uint64

func bit(i int) set             { return 1 << i }
func (s set) has(i int) bool    { return s&(1<<i) != 0 }
func (s set) within(t set) bool { return s&^t == 0 }
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

	mu   sync.Mutex // guards memo
	memo map[possibleKey]bool
	need map[stateKey]set
}

type compiled struct {
	end  string
	tree *node
}

// node is a compiled Tree.
type node struct {
	id       int
	op       Op
	cond     int // of a leaf
	parts    []*node
	order    int  // index in Machine.ordered, or -1
	hasOrder bool // it or a part below is ordered
	conds    set
	pos, neg set // conditions below, by polarity
}

// maxNames bounds the conditions and the calls of one graph.
const maxNames = 64

// Compile checks that the graph is well-formed and prepares it.
func Compile(g *Graph) (*Machine, error) {
	m := &Machine{
		g: g, conds: sortedKeys(g.EstablishedBy), calls: sortedKeys(g.Requires),
		condIx: map[string]int{}, callIx: map[string]int{}, memo: map[possibleKey]bool{}, need: map[stateKey]set{},
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
	return m, m.compileEnds(&ids)
}

func (m *Machine) compileSources() error {
	m.sources = make([][]set, len(m.conds))
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
		n, err := m.compile(o.Tree, ids)
		if err != nil {
			return fmt.Errorf("outcome %s: %w", o.End, err)
		}
		m.outcomes = append(m.outcomes, compiled{o.End, n})
		if i, ok := m.callIx[o.End]; ok {
			m.ends |= bit(i)
			rule := g.Requires[o.End]
			m.ruledEnds = m.ruledEnds || rule != nil && !rule.Equal(o.Tree)
		}
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
	n := &node{op: t.Op, order: -1}
	if t.Op == Leaf {
		i, ok := m.condIx[t.Name]
		if !ok {
			return nil, fmt.Errorf("%q is no condition of the procedure", t.Name)
		}
		n.cond, n.conds, n.pos = i, bit(i), bit(i)
	}
	if len(t.Parts) > 64 {
		return nil, fmt.Errorf("%s has %d parts, want at most 64", t.Op, len(t.Parts))
	}
	for _, p := range t.Parts {
		part, err := m.compile(p, ids)
		if err != nil {
			return nil, err
		}
		n.parts = append(n.parts, part)
		n.conds |= part.conds
		n.hasOrder = n.hasOrder || part.hasOrder
		if t.Op == Not {
			n.pos, n.neg = part.neg, part.pos
		} else {
			n.pos |= part.pos
			n.neg |= part.neg
		}
	}
	n.id = *ids
	*ids++
	if t.Op.Ordered() {
		n.order, n.hasOrder = len(m.ordered), true
		m.ordered = append(m.ordered, n)
	}
	return n, nil
}

// MinimalSets reduces a tree over calls to its minimal sets, each sorted: all
// and seq want every part, any and first_of one of them. A tree under not has
// none and is an error.
func MinimalSets(t *Tree) ([][]string, error) {
	sets, err := satisfying(t)
	if err != nil {
		return nil, err
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
func (n *node) plain(known, val set) truth {
	if n == nil {
		return yes
	}
	return n.value(func(c int) truth { return leafValue(c, known, val) }, nil)
}

func leafValue(c int, known, val set) truth {
	if !known.has(c) {
		return unknown
	}
	return truthOf(val.has(c))
}

// value evaluates with the given leaves; broken nodes, where given, are
// unknown.
func (n *node) value(leaf func(int) truth, broken func(order int) bool) truth {
	switch n.op {
	case Leaf:
		return leaf(n.cond)
	case Not:
		return -n.parts[0].value(leaf, broken)
	}
	if broken != nil && n.order >= 0 && broken(n.order) {
		return unknown
	}
	conj := n.op.Conjunctive()
	decides := truthOf(!conj)
	result := -decides
	for _, p := range n.parts {
		switch p.value(leaf, broken) {
		case decides:
			return decides
		case unknown:
			result = unknown
		}
	}
	return result
}
