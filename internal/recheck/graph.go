package recheck

import (
	"fmt"
	"math/bits"
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

// maxFacts is what brute force can bear; of a million groups of the built-in domains hardly one has over 20.
const maxFacts = 24

// graph is rules over small integers: leaves, calls and nodes are bits, so a state is a few words.
type graph struct {
	*rules
	leaves   []string
	leafAt   map[string]int
	calls    []callInfo
	callAt   map[string]int
	nodes    []node
	trees    map[string]int // root of a tree by its text
	orders   []int          // seq and first_of nodes, kids before parents
	outcomes []outcome
	sets     [][]uint64 // of a leaf: the minimal sets of calls that make it known
	start    uint64     // leaves known from the conversation
	hasFact  uint64
	fixed    uint64 // leaves that can only be true: answers of actions that check nothing
	changing bool   // some call that is no end has effects
	relevant []uint64

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

// compile turns rules into a graph over the conditions for which there are facts; what is not well-formed is an error.
func compile(r *rules, facts map[string]bool) (*graph, error) {
	g := &graph{
		rules: r, leafAt: map[string]int{}, callAt: map[string]int{}, trees: map[string]int{},
		able: map[ableKey]bool{}, escapes: map[state]bool{},
	}
	if err := g.compileCalls(); err != nil {
		return nil, err
	}
	if err := g.compileSources(facts); err != nil {
		return nil, err
	}
	g.compileEffects()
	if len(g.leaves) > 64 || len(g.calls) > 64 || len(g.orders) > 64 {
		return nil, fmt.Errorf("the graph has %d names, %d calls and %d orders; this check reads up to 64 of each", len(g.leaves), len(g.calls), len(g.orders))
	}
	for i, name := range g.leaves {
		_, isCall := g.callAt[name]
		if _, has := facts[name]; has {
			g.hasFact |= 1 << i
		} else if isCall && r.established[name] == nil {
			g.fixed |= 1 << i
		} else {
			return nil, fmt.Errorf("condition %q has no fact", name)
		}
	}
	if n := bits.OnesCount64(g.hasFact); n > maxFacts {
		return nil, fmt.Errorf("%d facts; this check tries every assignment of up to %d", n, maxFacts)
	}
	g.relevant = make([]uint64, len(g.nodes))
	for id := range g.nodes {
		g.relevant[id] = g.relevantTo(id)
	}
	return g, nil
}

// tree adds the nodes of a tree, -1 for none. Equal trees share their nodes, and with them their broken orders.
func (g *graph) tree(t *tree) int {
	if t == nil {
		return -1
	}
	text := t.String()
	id, known := g.trees[text]
	if !known {
		id = g.add(t)
		g.trees[text] = id
	}
	return id
}

func (g *graph) compileCalls() error {
	for _, name := range sortedKeys(g.requires) {
		g.callAt[name] = len(g.calls)
		g.calls = append(g.calls, callInfo{name: name, tree: g.tree(g.requires[name]), answer: -1})
	}
	if _, known := g.callAt[g.goal]; !known {
		return fmt.Errorf("goal %q is no call of requires", g.goal)
	}
	goal := false
	for i, o := range g.rules.outcomes {
		last := i == len(g.rules.outcomes)-1
		rule, isCall := g.requires[o.end]
		if free := isCall && rule == nil; (o.tree == nil) != last && !(free && !last) {
			return fmt.Errorf("outcome %d (%q): the last outcome has no tree, and of the others those whose call has no rule", i, o.end)
		}
		if isCall {
			g.calls[g.callAt[o.end]].end = true
			if !last && o.tree.canonical().String() != rule.canonical().String() {
				return fmt.Errorf("outcome %q has another tree than the call", o.end)
			}
		} else if o.end != "deny" {
			return fmt.Errorf("outcome %q is neither deny nor a call of requires", o.end)
		}
		goal = goal || o.end == g.goal
		g.outcomes = append(g.outcomes, outcome{o.end, g.tree(o.tree)})
	}
	if !goal {
		return fmt.Errorf("no outcome ends with the goal %q", g.goal)
	}
	return nil
}

func (g *graph) compileSources(facts map[string]bool) error {
	for _, name := range sortedKeys(g.established) {
		g.leafOf(name)
	}
	for _, call := range g.calls {
		if _, has := facts[call.name]; has { // a checking action: its answer matters even where no tree names it
			g.leafOf(call.name)
		}
	}
	g.sets = make([][]uint64, len(g.leaves))
	for i, name := range g.leaves {
		source := g.established[name]
		call, isCall := g.callAt[name]
		switch {
		case fromStart(source):
			g.start |= 1 << i
		case source != nil:
			sets, err := source.sets()
			if err != nil {
				return fmt.Errorf("established_by of %q: %w", name, err)
			}
			for _, set := range sets {
				var calls uint64
				for _, member := range set {
					at, known := g.callAt[member]
					if !known {
						return fmt.Errorf("established_by of %q: %q is no call of requires", name, member)
					}
					calls |= 1 << at
				}
				g.sets[i] = append(g.sets[i], calls)
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

// compileEffects leaves out effects on what no tree asks for, and of calls that are not stated.
func (g *graph) compileEffects() {
	for _, name := range sortedKeys(g.rules.effects) {
		call, known := g.callAt[name]
		if !known {
			continue
		}
		for _, condition := range sortedKeys(g.rules.effects[name]) {
			if leaf, known := g.leafAt[condition]; known {
				g.calls[call].effects = append(g.calls[call].effects, effect{leaf, g.rules.effects[name][condition]})
				g.changing = g.changing || !g.calls[call].end
			}
		}
	}
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
	if g.changing {
		return g.hasFact
	}
	return leaves & g.hasFact
}
