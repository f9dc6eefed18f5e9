package world

import (
	"fmt"
	"iter"
	"slices"

	"go.starlark.net/lib/json"
	"go.starlark.net/starlark"
)

// Official is what the evaluator of SOPBench knows of a domain beside its
// tools: the graphs by which it tells whether a call was prepared, and names
// that are attributes of its objects without being tools.
type Official struct {
	// Graphs are the default graphs, a function each.
	Graphs map[string]*Graph
	// Implied are the calls that a successful call counts as.
	Implied map[string][]Implied
	// PlainOnly are attributes of the plain system alone, Other those of both
	// layers; none of them is a tool.
	PlainOnly, Other map[string]bool

	fixedArguments bool
}

// Graph is a directed action graph: what must have been called before what.
type Graph struct{ Nodes []Node }

// Node is a call, or "and" or "or" over the nodes that it points to.
type Node struct {
	Op   string
	Name string // of a call
	Args []Arg  // parameter of the function -> variable of the task
	To   []int
}

// Implied is a call that counts as made: Keys are its parameters, Sources the
// arguments of the actual call that fill them.
type Implied struct {
	Name          string
	Keys, Sources []string
}

// Decode reads JSON; objects keep the order of their keys.
func Decode(text []byte) (starlark.Value, error) {
	decode := json.Module.Members["decode"].(*starlark.Builtin)
	return starlark.Call(&starlark.Thread{Name: "decode"}, decode, starlark.Tuple{starlark.String(text)}, nil)
}

// adopt takes tools, trees and graphs from a sopbench.json.
func (d *Domain) adopt(file string, text []byte) error {
	v, err := Decode(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	root := object(v)
	d.limits = object(get(root, "parameters"))
	d.limits.Freeze()
	o := &Official{
		Graphs: map[string]*Graph{}, Implied: map[string][]Implied{}, PlainOnly: map[string]bool{}, Other: map[string]bool{},
		fixedArguments: bool(get(root, "fixed_arguments").Truth()),
	}
	d.Official = o
	for name, x := range entries(get(root, "tools")) {
		t := &Tool{Name: name, Offered: bool(get(object(x), "offered").Truth()), absent: bool(get(object(x), "absent").Truth())}
		if t.Innate, err = ReadTree(get(object(x), "innate")); err != nil {
			return fmt.Errorf("%s: tool %s: %w", file, name, err)
		}
		if t.Guard, err = ReadTree(get(object(x), "guard")); err != nil {
			return fmt.Errorf("%s: tool %s: %w", file, name, err)
		}
		d.tools[name] = t
	}
	for name, x := range entries(get(root, "graphs")) {
		if o.Graphs[name], err = ReadGraph(x); err != nil {
			return fmt.Errorf("%s: graph of %s: %w", file, name, err)
		}
	}
	for name, x := range entries(get(root, "implied")) {
		for implied, pair := range entries(x) {
			p := pair.(starlark.Indexable)
			for sources := range elements(p.Index(1)) {
				o.Implied[name] = append(o.Implied[name], Implied{implied, stringsOf(p.Index(0)), stringsOf(sources)})
			}
		}
	}
	for _, name := range stringsOf(get(root, "plain_attributes")) {
		o.PlainOnly[name] = true
	}
	for _, name := range stringsOf(get(root, "other_attributes")) {
		o.Other[name] = true
	}
	return nil
}

// ReadGraph reads {"nodes": [node, …], "connections": [[from, to], …]}; a node
// is "and", "or" or [function, {parameter: variable}].
func ReadGraph(v starlark.Value) (*Graph, error) {
	g := &Graph{}
	for x := range elements(get(object(v), "nodes")) {
		n := Node{}
		switch x := x.(type) {
		case starlark.String:
			n.Op = string(x)
		case *starlark.List:
			if x.Len() != 2 {
				return nil, fmt.Errorf("found the node %s, want [function, {parameter: variable}]", short(x))
			}
			n.Name, _ = starlark.AsString(x.Index(0))
			for parameter, variable := range entries(x.Index(1)) {
				source, _ := starlark.AsString(variable)
				n.Args = append(n.Args, Arg{Parameter: parameter, Source: source})
			}
		}
		if n.Op != "and" && n.Op != "or" && n.Name == "" {
			return nil, fmt.Errorf(`found the node %s, want "and", "or" or [function, {parameter: variable}]`, short(x))
		}
		g.Nodes = append(g.Nodes, n)
	}
	if len(g.Nodes) == 0 {
		return nil, fmt.Errorf("found %s, want a graph with nodes", short(v))
	}
	for x := range elements(get(object(v), "connections")) {
		var ends [2]int
		pair, ok := x.(*starlark.List)
		if !ok || pair.Len() != 2 || starlark.AsInt(pair.Index(0), &ends[0]) != nil || starlark.AsInt(pair.Index(1), &ends[1]) != nil ||
			min(ends[0], ends[1]) < 0 || max(ends[0], ends[1]) >= len(g.Nodes) {
			return nil, fmt.Errorf("found the connection %s, want two of the %d nodes", short(x), len(g.Nodes))
		}
		g.Nodes[ends[0]].To = append(g.Nodes[ends[0]].To, ends[1])
	}
	if at := g.circle(); at >= 0 {
		return nil, fmt.Errorf("the and/or nodes from node %d on turn in a circle", at)
	}
	return g, nil
}

// circle returns an operator that leads to itself through operators, or -1.
func (g *Graph) circle() int {
	const open, ended = 1, 2
	state := make([]int, len(g.Nodes))
	var visit func(at int) bool
	visit = func(at int) bool {
		if g.Nodes[at].Op == "" || state[at] == ended {
			return false
		}
		if state[at] == open {
			return true
		}
		state[at] = open
		defer func() { state[at] = ended }()
		return slices.ContainsFunc(g.Nodes[at].To, visit)
	}
	for at := range g.Nodes {
		if visit(at) {
			return at
		}
	}
	return -1
}

// object returns v as an object; what is none has no keys.
func object(v starlark.Value) *starlark.Dict {
	if d, ok := v.(*starlark.Dict); ok {
		return d
	}
	return new(starlark.Dict)
}

// get returns the value of a key, None where there is none.
func get(d *starlark.Dict, key string) starlark.Value {
	if v, found, _ := d.Get(starlark.String(key)); found {
		return v
	}
	return starlark.None
}

// entries walks over an object in the order of its keys.
func entries(v starlark.Value) iter.Seq2[string, starlark.Value] {
	return func(yield func(string, starlark.Value) bool) {
		for _, item := range object(v).Items() {
			key, _ := starlark.AsString(item[0])
			if !yield(key, item[1]) {
				return
			}
		}
	}
}

// elements walks over a list; what is none is empty.
func elements(v starlark.Value) iter.Seq[starlark.Value] {
	return func(yield func(starlark.Value) bool) {
		list, ok := v.(starlark.Indexable)
		if _, text := v.(starlark.String); !ok || text {
			return
		}
		for i := range list.Len() {
			if !yield(list.Index(i)) {
				return
			}
		}
	}
}

func stringsOf(v starlark.Value) (list []string) {
	for x := range elements(v) {
		s, _ := starlark.AsString(x)
		list = append(list, s)
	}
	return list
}

func mapKeys[M ~map[string]V, V any](m M) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
