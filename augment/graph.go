package augment

import (
	"maps"
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// The operators on action graphs. They are disjoint: whatever closes a circle
// is Cycle, and the others never do.
const (
	Cycle        Operator = "cycle"        // a call comes to need itself
	Precondition Operator = "precondition" // a condition dropped from a requirement, or swapped
	Edge         Operator = "edge"         // a call less makes a condition known, or one more is demanded
	Connective   Operator = "connective"   // another operator in a requirement
)

// GraphOperators are all of them, in the order of the design.
var GraphOperators = []Operator{Cycle, Precondition, Edge, Connective}

// GraphEdit is one change of a graph: what was done, and to what.
type GraphEdit struct {
	Operator Operator
	// How says what was done in a word. Cycle: need (a condition is demanded that a
	// later call makes known), swap (in the place of another one), answer (a later
	// call itself is demanded), source (a condition is made known by a call that
	// needs it). Precondition: drop, swap, swap_other (for a condition of another
	// graph). Edge: cut (one of several calls), told (the only one, so that nothing
	// is left to make the condition known but the conversation), add (a call is
	// demanded). Connective: seq_all, all_any, any_all, all_seq, all_seq_back (in
	// the opposite order), first_of_any.
	How  string
	At   string // the call or condition whose tree changes
	make func() *sop.Graph
}

// Graph returns the edited graph in canonical form, without the calls and
// conditions that nothing needs any more; the goal's outcome changes with its
// requirement. It is nil where the result is the graph itself, or has a
// circle although the operator is not Cycle, or the other way round.
func (e GraphEdit) Graph() *sop.Graph { return e.make() }

// Other is a condition that the graph lacks: Graph names it in the
// requirement of its goal, and what makes it known there is taken over.
type Other struct {
	Name  string
	Graph func() *sop.Graph
}

// Editor makes the edits of one graph. It is not safe for concurrent use.
type Editor struct {
	g       *sop.Graph // in canonical form
	key     string
	calls   []string
	conds   []string
	helps   map[string][]string        // condition -> calls
	names   map[string][]string        // call -> conditions that it requires
	behind  map[string]map[string]bool // call -> itself and the calls that need it
	edges   map[[2]string]bool
	ends    map[string]bool
	results []GraphEdit // of the operator at hand
}

// NewEditor prepares the edits of a graph.
func NewEditor(g *sop.Graph) *Editor {
	g = g.Canonical()
	e := &Editor{g: g, key: g.Key(), calls: slices.Sorted(maps.Keys(g.Requires)), conds: slices.Sorted(maps.Keys(g.EstablishedBy)),
		helps: map[string][]string{}, names: map[string][]string{}, behind: map[string]map[string]bool{}, edges: map[[2]string]bool{}, ends: map[string]bool{}}
	for _, c := range e.conds {
		e.helps[c] = callsOf(g.EstablishedBy[c])
	}
	next := map[string][]string{}
	for _, uv := range g.Edges() {
		e.edges[uv] = true
		next[uv[0]] = append(next[uv[0]], uv[1])
	}
	for _, v := range e.calls {
		e.names[v] = g.Requires[v].Names()
		seen := map[string]bool{}
		for todo := []string{v}; len(todo) > 0; {
			u := todo[0]
			todo = todo[1:]
			if !seen[u] {
				seen[u] = true
				todo = append(todo, next[u]...)
			}
		}
		e.behind[v] = seen
	}
	for _, o := range g.Outcomes {
		e.ends[o.End] = true
	}
	return e
}

// callsOf is the calls that a source names.
func callsOf(source *sop.Tree) []string {
	return slices.DeleteFunc(source.Names(), func(n string) bool { return n == sop.Conversation })
}

// closes tells that call v would come to need itself if it demanded c.
func (e *Editor) closes(v, c string) bool {
	return slices.ContainsFunc(e.helps[c], func(u string) bool { return e.behind[v][u] })
}

// add notes an edit that gives a call another requirement, or with source a
// condition another source; more is what else the graph then needs.
func (e *Editor) add(op Operator, how, at string, source bool, tree func() *sop.Tree, more func() *sop.Graph) {
	e.results = append(e.results, GraphEdit{op, how, at, func() *sop.Graph {
		requires, sources := maps.Clone(e.g.Requires), maps.Clone(e.g.EstablishedBy)
		if source {
			sources[at] = tree().Canonical()
		} else {
			requires[at] = tree().Canonical()
		}
		if more != nil && !takeOver(requires, sources, more()) {
			return nil
		}
		h := needed(e.g.RestateCanonical(requires, sources))
		if h.Key() == e.key || (h.Cycle() != nil) != (op == Cycle) {
			return nil
		}
		// An operator may make two parts equal, so that one goes: Precondition's.
		if op == Connective && len(leaves(h.Requires[at])) != len(leaves(e.g.Requires[at])) {
			return nil
		}
		return h
	}})
}

// takeOver adds what the trees do not have yet.
func takeOver(requires, sources map[string]*sop.Tree, from *sop.Graph) bool {
	if from == nil {
		return false
	}
	for call, tree := range from.Requires {
		if _, has := requires[call]; !has && call != from.Goal {
			requires[call] = tree.Canonical()
		}
	}
	for c, tree := range from.EstablishedBy {
		if sources[c] == nil {
			sources[c] = tree.Canonical()
		}
	}
	return true
}

// needed leaves out calls and conditions that no outcome needs.
func needed(g *sop.Graph) *sop.Graph {
	requires, sources := map[string]*sop.Tree{}, map[string]*sop.Tree{}
	var call func(name string)
	trees := func(t *sop.Tree) {
		for _, c := range t.Names() {
			if source := g.EstablishedBy[c]; source != nil && sources[c] == nil {
				sources[c] = source
				for _, u := range callsOf(source) {
					call(u)
				}
			}
		}
	}
	call = func(name string) {
		tree, is := g.Requires[name]
		if _, done := requires[name]; is && !done {
			requires[name] = tree
			trees(tree)
		}
	}
	call(g.Goal)
	for _, o := range g.Outcomes {
		call(o.End)
		trees(o.Tree)
	}
	return g.RestateCanonical(requires, sources)
}

// Cycles returns the edits after which some call needs itself.
func (e *Editor) Cycles() []GraphEdit {
	e.results = nil
	for _, v := range e.calls {
		rule := e.g.Requires[v]
		here := e.names[v]
		for _, c := range e.conds {
			if !e.closes(v, c) || slices.Contains(here, c) {
				continue
			}
			e.add(Cycle, "need", v, false, and(rule, c), nil)
			for _, p := range leaves(rule) {
				e.add(Cycle, "swap", v, false, with(rule, p, sop.L(c)), nil)
			}
		}
		for _, u := range e.calls {
			if e.behind[v][u] && e.g.EstablishedBy[u] == nil {
				e.add(Cycle, "answer", v, false, and(rule, u), e.answer(u))
			}
		}
	}
	for _, c := range e.conds {
		for _, u := range e.calls {
			if !e.comesToNeed(u, c) {
				continue
			}
			for _, p := range leaves(e.g.EstablishedBy[c]) {
				e.add(Cycle, "source", c, true, with(e.g.EstablishedBy[c], p, sop.L(u)), nil)
			}
		}
	}
	return e.results
}

// comesToNeed tells that call u, directly or not, needs condition c.
func (e *Editor) comesToNeed(u, c string) bool {
	return slices.ContainsFunc(e.calls, func(v string) bool {
		return e.behind[v][u] && slices.Contains(e.names[v], c)
	})
}

// answer is the condition that call u answers yes, which it alone makes known.
func (e *Editor) answer(u string) func() *sop.Graph {
	return func() *sop.Graph { return &sop.Graph{EstablishedBy: map[string]*sop.Tree{u: sop.L(u)}} }
}

// Preconditions returns the edits that drop a condition from a requirement, or
// put another one of the graph or of others in its place.
func (e *Editor) Preconditions(others []Other) []GraphEdit {
	e.results = nil
	for _, v := range e.calls {
		rule := e.g.Requires[v]
		here := e.names[v]
		for _, p := range leaves(rule) {
			e.add(Precondition, "drop", v, false, with(rule, p, nil), nil)
			for _, c := range e.conds {
				if !slices.Contains(here, c) && !e.closes(v, c) {
					e.add(Precondition, "swap", v, false, with(rule, p, sop.L(c)), nil)
				}
			}
			for _, o := range others {
				if e.g.EstablishedBy[o.Name] == nil {
					e.add(Precondition, "swap_other", v, false, with(rule, p, sop.L(o.Name)), o.Graph)
				}
			}
		}
	}
	return e.results
}

// Edges returns the edits by which a call no longer helps to make a condition
// known, or is demanded by a call that did not come after it.
func (e *Editor) Edges() []GraphEdit {
	e.results = nil
	for _, c := range e.conds {
		source := e.g.EstablishedBy[c]
		for _, p := range leaves(source) {
			switch {
			case p.node.Name == sop.Conversation:
			case source.Op == sop.Leaf:
				e.add(Edge, "told", c, true, with(source, p, sop.L(sop.Conversation)), nil)
			default:
				e.add(Edge, "cut", c, true, with(source, p, nil), nil)
			}
		}
	}
	for _, v := range e.calls {
		rule := e.g.Requires[v]
		for _, u := range e.calls {
			if e.ends[u] || e.edges[[2]string{u, v}] || e.behind[v][u] {
				continue
			}
			if e.g.EstablishedBy[u] != nil {
				e.add(Edge, "add", v, false, and(rule, u), nil)
			} else {
				e.add(Edge, "add", v, false, and(rule, u), e.answer(u))
			}
		}
	}
	return e.results
}

// Connectives returns the edits of one operator in a requirement.
func (e *Editor) Connectives() []GraphEdit {
	e.results = nil
	for _, v := range e.calls {
		rule := e.g.Requires[v]
		for _, p := range places(rule) {
			change := func(how string, op sop.Op, parts []*sop.Tree) {
				e.add(Connective, how, v, false, with(rule, p, sop.T(op, parts...)), nil)
			}
			parts := p.node.Parts
			switch p.node.Op {
			case sop.Seq:
				change("seq_all", sop.All, parts)
			case sop.Any:
				change("any_all", sop.All, parts)
			case sop.FirstOf:
				change("first_of_any", sop.Any, parts)
			case sop.All:
				change("all_any", sop.Any, parts)
				change("all_seq", sop.Seq, parts)
				back := slices.Clone(parts)
				slices.Reverse(back)
				change("all_seq_back", sop.Seq, back)
			}
		}
	}
	return e.results
}

// and demands one more condition.
func and(rule *sop.Tree, name string) func() *sop.Tree {
	return func() *sop.Tree {
		if rule == nil {
			return sop.L(name)
		}
		return sop.T(sop.All, rule, sop.L(name))
	}
}

// with puts another node in a place.
func with(t *sop.Tree, p place, node *sop.Tree) func() *sop.Tree {
	return func() *sop.Tree { return put(t, p.path, node) }
}

// place is a node of a tree, and the parts to follow from its root.
type place struct {
	path []int
	node *sop.Tree
}

func places(t *sop.Tree) []place {
	if t == nil {
		return nil
	}
	all := []place{{nil, t}}
	for i, p := range t.Parts {
		for _, q := range places(p) {
			all = append(all, place{append([]int{i}, q.path...), q.node})
		}
	}
	return all
}

func leaves(t *sop.Tree) []place {
	return slices.DeleteFunc(places(t), func(p place) bool { return p.node.Op != sop.Leaf })
}

// put returns t with another node at the path. With nil the node is dropped,
// and so is what then has no part; a tree of which nothing is left is nil.
func put(t *sop.Tree, path []int, node *sop.Tree) *sop.Tree {
	if len(path) == 0 {
		return node
	}
	i := path[0]
	parts := slices.Clone(t.Parts)
	if part := put(t.Parts[i], path[1:], node); part != nil {
		parts[i] = part
	} else if parts = slices.Delete(parts, i, i+1); len(parts) == 0 {
		return nil
	}
	return &sop.Tree{Op: t.Op, Parts: parts}
}
