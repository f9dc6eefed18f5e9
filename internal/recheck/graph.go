package recheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

type node struct {
	kind kind
	leaf int   // index of the leaf
	kids []int // indices of nodes, each smaller than the node's own
	// An order has a bit, and the bits of the orders inside it.
	bit, inner uint64
}

type callInfo struct {
	name    string
	tree    int // -1: no rule
	end     bool
	answer  int // the leaf of its own name, or -1
	effects []effect
}

type effect struct {
	leaf  int
	value bool
}

type outcome struct {
	end  string
	tree int
}

// What brute force can bear; the built-in domains stay far below.
const (
	maxFacts = 20
	maxSets  = 4096
)

// graph is a reference's rules over small integers: leaves, calls and nodes are bits, so a state is a few words.
type graph struct {
	goal     string
	leaves   []string
	leafAt   map[string]int
	calls    []callInfo
	callAt   map[string]int
	nodes    []node
	orders   []int // seq and first_of nodes, kids before parents
	outcomes []outcome
	sets     [][]uint64 // of a leaf: the minimal sets of calls that make it known
	start    uint64     // leaves known from the conversation
	hasFact  uint64
	fixed    uint64 // leaves that can only be true: answers of actions that check nothing
	effects  bool   // some call that is no end has effects
	relevant []uint64
	depends  map[string]*tree
	excludes [][]string
	names    []string // every call and condition, for the context

	able    map[ableKey]bool
	escapes map[state]bool
}

func (g *graph) leafOf(name string) int {
	if i, known := g.leafAt[name]; known {
		return i
	}
	g.leafAt[name] = len(g.leaves)
	g.leaves = append(g.leaves, name)
	return len(g.leaves) - 1
}

func (g *graph) add(t *tree) int {
	n := node{kind: t.kind}
	if t.kind == kindLeaf {
		n.leaf = g.leafOf(t.leaf)
	}
	for _, kid := range t.kids {
		id := g.add(kid)
		n.kids = append(n.kids, id)
		n.inner |= g.nodes[id].inner | g.nodes[id].bit
	}
	id := len(g.nodes)
	if t.kind == kindSeq || t.kind == kindFirstOf {
		n.bit = 1 << (len(g.orders) % 64)
		g.orders = append(g.orders, id)
	}
	g.nodes = append(g.nodes, n)
	return id
}

// compile turns the rules of a reference into a graph; what is not well-formed is an error.
func compile(ref *reference) (*graph, error) {
	g := &graph{
		goal: ref.Goal, leafAt: map[string]int{}, callAt: map[string]int{},
		able: map[ableKey]bool{}, escapes: map[state]bool{}, depends: map[string]*tree{},
	}
	trees := map[string]int{} // equal trees share their nodes, and with them their broken orders
	addRaw := func(raw []byte) (int, error) {
		if isNull(raw) {
			return -1, nil
		}
		if id, known := trees[string(raw)]; known {
			return id, nil
		}
		t, err := readTree(raw)
		if err != nil {
			return 0, err
		}
		trees[string(raw)] = g.add(t)
		return trees[string(raw)], nil
	}
	if err := g.compileCalls(ref, addRaw); err != nil {
		return nil, err
	}
	if err := g.compileEstablished(ref); err != nil {
		return nil, err
	}
	if err := g.compileRelations(ref); err != nil {
		return nil, err
	}
	if len(g.leaves) > 64 || len(g.calls) > 64 || len(g.orders) > 64 {
		return nil, fmt.Errorf("the graph has %d names, %d calls and %d orders; this check reads up to 64 of each", len(g.leaves), len(g.calls), len(g.orders))
	}
	if len(ref.Facts) > maxFacts {
		return nil, fmt.Errorf("%d facts; this check tries every assignment of up to %d", len(ref.Facts), maxFacts)
	}
	for i, name := range g.leaves {
		_, isCall := g.callAt[name]
		if _, has := ref.Facts[name]; has {
			g.hasFact |= 1 << i
		} else if isCall && !g.establishedExplicitly(i) {
			g.fixed |= 1 << i
		} else {
			return nil, fmt.Errorf("condition %q has no fact", name)
		}
	}
	g.relevant = make([]uint64, len(g.nodes))
	for id := range g.nodes {
		g.relevant[id] = g.relevantTo(id)
	}
	all := map[string]bool{}
	for _, name := range g.leaves {
		all[name] = true
	}
	for _, call := range g.calls {
		all[call.name] = true
	}
	g.names = slices.Sorted(maps.Keys(all))
	return g, nil
}

func (g *graph) establishedExplicitly(leaf int) bool {
	call, isCall := g.callAt[g.leaves[leaf]]
	return !isCall || len(g.sets[leaf]) != 1 || g.sets[leaf][0] != 1<<call
}

func (g *graph) compileCalls(ref *reference, addRaw func([]byte) (int, error)) error {
	var requires map[string]json.RawMessage
	if err := strict(ref.Requires, &requires); err != nil {
		return fmt.Errorf("requires: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(requires)) {
		if canonical, err := canonicalCall(name); err != nil || canonical != name || name == "deny" {
			return fmt.Errorf("requires has the call %q, want a name in its shortest form other than deny", name)
		}
		id, err := addRaw(requires[name])
		if err != nil {
			return fmt.Errorf("requires of %q: %w", name, err)
		}
		g.callAt[name] = len(g.calls)
		g.calls = append(g.calls, callInfo{name: name, tree: id, answer: -1})
	}
	if _, known := g.callAt[ref.Goal]; !known {
		return fmt.Errorf("goal %q is no call of requires", ref.Goal)
	}
	var outcomes []outcomeText
	if err := strict(ref.Outcomes, &outcomes); err != nil {
		return fmt.Errorf("outcomes: %w", err)
	}
	goal := false
	for i, o := range outcomes {
		last := i == len(outcomes)-1
		if free := isNull(requires[o.End]) && o.End != "deny"; isNull(o.Tree) != last && !(free && !last) {
			return fmt.Errorf("outcome %d (%q): the last outcome has no tree, and of the others those whose call has no rule", i, o.End)
		}
		id, err := addRaw(o.Tree)
		if err != nil {
			return fmt.Errorf("outcome %q: %w", o.End, err)
		}
		if call, known := g.callAt[o.End]; known {
			g.calls[call].end = true
			if !last && !bytes.Equal(o.Tree, requires[o.End]) {
				return fmt.Errorf("outcome %q has another tree than the call", o.End)
			}
		} else if o.End != "deny" {
			return fmt.Errorf("outcome %q is neither deny nor a call of requires", o.End)
		}
		goal = goal || o.End == ref.Goal
		g.outcomes = append(g.outcomes, outcome{o.End, id})
	}
	if !goal {
		return fmt.Errorf("no outcome ends with the goal %q", ref.Goal)
	}
	return nil
}

func (g *graph) compileEstablished(ref *reference) error {
	var established map[string]json.RawMessage
	if err := strict(ref.EstablishedBy, &established); err != nil {
		return fmt.Errorf("established_by: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(established)) {
		g.leafOf(name)
	}
	for _, call := range g.calls {
		if _, has := ref.Facts[call.name]; has { // a checking action: its answer matters even where no tree names it
			g.leafOf(call.name)
		}
	}
	g.sets = make([][]uint64, len(g.leaves))
	for i, name := range g.leaves {
		raw, explicit := established[name]
		call, isCall := g.callAt[name]
		switch {
		case explicit && string(raw) == `"conversation"`:
			g.start |= 1 << i
		case explicit:
			t, err := readTree(raw)
			if err != nil {
				return fmt.Errorf("established_by of %q: %w", name, err)
			}
			if g.sets[i], err = g.minimalSets(t); err != nil {
				return fmt.Errorf("established_by of %q: %w", name, err)
			}
		case isCall:
			g.sets[i] = []uint64{1 << call}
		default:
			return fmt.Errorf("nothing establishes the condition %q", name)
		}
	}
	for i := range g.calls {
		if leaf, known := g.leafAt[g.calls[i].name]; known {
			g.calls[i].answer = leaf
		}
	}
	return nil
}

func (g *graph) minimalSets(t *tree) ([]uint64, error) {
	var sets []uint64
	switch t.kind {
	case kindLeaf:
		call, known := g.callAt[t.leaf]
		if !known {
			return nil, fmt.Errorf("%q is no call of requires", t.leaf)
		}
		return []uint64{1 << call}, nil
	case kindNot:
		return nil, fmt.Errorf("not makes nothing known")
	case kindAny, kindFirstOf:
		for _, kid := range t.kids {
			more, err := g.minimalSets(kid)
			if err != nil {
				return nil, err
			}
			sets = append(sets, more...)
		}
	default:
		sets = []uint64{0}
		for _, kid := range t.kids {
			more, err := g.minimalSets(kid)
			if err != nil {
				return nil, err
			}
			var product []uint64
			for _, a := range sets {
				for _, b := range more {
					product = append(product, a|b)
				}
			}
			if sets = product; len(sets) > maxSets {
				return nil, fmt.Errorf("more than %d sets of calls", maxSets)
			}
		}
	}
	slices.SortFunc(sets, func(a, b uint64) int { return bits.OnesCount64(a) - bits.OnesCount64(b) })
	var minimal []uint64
	for _, set := range sets {
		if !slices.ContainsFunc(minimal, func(small uint64) bool { return small&set == small }) {
			minimal = append(minimal, set)
		}
	}
	return minimal, nil
}

func (g *graph) compileRelations(ref *reference) error {
	var effects map[string]map[string]bool
	if err := strict(ref.Effects, &effects); err != nil {
		return fmt.Errorf("effects: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(effects)) {
		call, known := g.callAt[name]
		if !known {
			return fmt.Errorf("effects of %q, which is no call of requires", name)
		}
		for _, condition := range slices.Sorted(maps.Keys(effects[name])) {
			leaf, known := g.leafAt[condition]
			if !known { // an effect on what no tree asks for changes nothing
				continue
			}
			g.calls[call].effects = append(g.calls[call].effects, effect{leaf, effects[name][condition]})
		}
		g.effects = g.effects || !g.calls[call].end
	}
	var depends map[string]json.RawMessage
	if err := strict(ref.DependsOn, &depends); err != nil {
		return fmt.Errorf("depends_on: %w", err)
	}
	for name, raw := range depends {
		t, err := readTree(raw)
		if err != nil {
			return fmt.Errorf("depends_on of %q: %w", name, err)
		}
		g.depends[name] = t
	}
	if err := strict(ref.Excludes, &g.excludes); err != nil {
		return fmt.Errorf("excludes: %w", err)
	}
	return nil
}

// relevantTo returns the leaves on which the node, or any call that could help to settle it, depends.
func (g *graph) relevantTo(id int) uint64 {
	var leaves, calls uint64
	var addNode func(int)
	addCall := func(call int) {
		if calls&(1<<call) != 0 {
			return
		}
		calls |= 1 << call
		if g.calls[call].tree >= 0 {
			addNode(g.calls[call].tree)
		}
	}
	addLeaf := func(leaf int) {
		if leaves&(1<<leaf) != 0 {
			return
		}
		leaves |= 1 << leaf
		for _, set := range g.sets[leaf] {
			for call := range g.calls {
				if set&(1<<call) != 0 {
					addCall(call)
				}
			}
		}
	}
	addNode = func(id int) {
		if g.nodes[id].kind == kindLeaf {
			addLeaf(g.nodes[id].leaf)
		}
		for _, kid := range g.nodes[id].kids {
			addNode(kid)
		}
	}
	addNode(id)
	if g.effects {
		return g.hasFact
	}
	return leaves & g.hasFact
}
