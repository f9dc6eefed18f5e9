package world

import (
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// Tree is a constraint tree in the notation of SOPBench: nil, a leaf, or "and",
// "or", "chain" or "gate" over trees. At run time a chain is an "and" and a
// gate an "or": parts are evaluated from left to right, and nothing after the
// one that decides.
type Tree struct {
	Op    string // "" for a leaf
	Parts []*Tree

	Name    string // of a leaf: a condition, or a tool whose answer it is
	Negated bool
	Args    []Arg
}

// Arg fills a parameter of a leaf from an argument of the call.
type Arg struct{ Parameter, Source string }

const maxTreeDepth = 64

// ReadTree reads null, ["single", name, {parameter: source}] or [op, [tree, …]].
func ReadTree(v starlark.Value) (*Tree, error) { return readTree(v, 0) }

func readTree(v starlark.Value, depth int) (*Tree, error) {
	list, ok := v.(starlark.Indexable)
	switch {
	case v == starlark.None:
		return nil, nil
	case depth > maxTreeDepth:
		return nil, fmt.Errorf("the tree is nested deeper than %d", maxTreeDepth)
	case !ok || list.Len() < 2:
		return nil, fmt.Errorf(`found %s, want null, ["single", name, {parameter: source}] or ["and", [tree, …]]`, short(v))
	}
	op, _ := starlark.AsString(list.Index(0))
	switch op {
	case "single":
		return readLeaf(list)
	case "and", "or", "chain", "gate":
		parts, ok := list.Index(1).(*starlark.List)
		if !ok {
			return nil, fmt.Errorf("found %s under %q, want a list of trees", short(list.Index(1)), op)
		}
		t := &Tree{Op: op, Parts: make([]*Tree, parts.Len())}
		for i := range t.Parts {
			part, err := readTree(parts.Index(i), depth+1)
			if err != nil {
				return nil, err
			}
			t.Parts[i] = part
		}
		return t, nil
	}
	return nil, fmt.Errorf("unknown operator %s, want single, and, or, chain or gate", short(list.Index(0)))
}

func readLeaf(list starlark.Indexable) (*Tree, error) {
	name, ok := starlark.AsString(list.Index(1))
	if !ok {
		return nil, fmt.Errorf("found %s, want the name of a condition", short(list.Index(1)))
	}
	t := &Tree{}
	t.Name, t.Negated = strings.CutPrefix(name, "not ")
	if list.Len() < 3 || list.Index(2) == starlark.None {
		return t, nil
	}
	mapping, ok := list.Index(2).(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("found %s, want {parameter: source} or null", short(list.Index(2)))
	}
	for _, item := range mapping.Items() {
		parameter, ok := starlark.AsString(item[0])
		source, also := starlark.AsString(item[1])
		if !ok || !also {
			return nil, fmt.Errorf("%s is filled from %s, want a parameter's name", short(item[0]), short(item[1]))
		}
		t.Args = append(t.Args, Arg{parameter, source})
	}
	return t, nil
}

func short(v starlark.Value) string {
	s := python.Repr(v)
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return s
}

var operators = map[sop.Op][2]string{sop.All: {"and", "or"}, sop.Any: {"or", "and"}, sop.Seq: {"chain", "gate"}, sop.FirstOf: {"gate", "chain"}}

// treeOf writes a tree of the formal model in this notation; "not" goes down
// to the leaves. parameters tells those of a condition or an action.
func treeOf(t *sop.Tree, negated bool, parameters func(name string) []string) (*Tree, error) {
	switch {
	case t == nil:
		return nil, nil
	case t.Op == sop.Not:
		return treeOf(t.Parts[0], !negated, parameters)
	case len(t.Parts) > 0 || t.Name == "":
		op := operators[t.Op][0]
		if negated {
			op = operators[t.Op][1]
		}
		out := &Tree{Op: op}
		for _, p := range t.Parts {
			part, err := treeOf(p, negated, parameters)
			if err != nil {
				return nil, err
			}
			out.Parts = append(out.Parts, part)
		}
		return out, nil
	}
	n, err := sop.ParseName(t.Name)
	if err != nil {
		return nil, err
	}
	leaf := &Tree{Name: n.Base, Negated: negated}
	for _, p := range parameters(n.Base) {
		leaf.Args = append(leaf.Args, Arg{p, n.Source(p)})
	}
	return leaf, nil
}

// guarded puts before every leaf what it depends on: a leaf becomes the chain
// of both, a negated one the gate of the opposite and itself. So a condition
// on what does not exist is false and never evaluated.
func guarded(t *Tree, dependsOn map[string]*Tree) *Tree {
	if t == nil {
		return nil
	}
	if t.Op != "" {
		out := &Tree{Op: t.Op, Parts: make([]*Tree, len(t.Parts))}
		for i, p := range t.Parts {
			out.Parts[i] = guarded(p, dependsOn)
		}
		return out
	}
	first := dependsOn[t.Name]
	if first == nil {
		return t
	}
	first = guarded(renamed(first, t.Args), dependsOn)
	if t.Negated {
		return &Tree{Op: "gate", Parts: []*Tree{opposite(first), t}}
	}
	return &Tree{Op: "chain", Parts: []*Tree{first, t}}
}

// renamed passes the arguments of a leaf through what it depends on.
func renamed(t *Tree, args []Arg) *Tree {
	out := *t
	out.Parts = make([]*Tree, len(t.Parts))
	for i, p := range t.Parts {
		out.Parts[i] = renamed(p, args)
	}
	out.Args = make([]Arg, len(t.Args))
	for i, a := range t.Args {
		out.Args[i] = a
		for _, b := range args {
			if b.Parameter == a.Source {
				out.Args[i].Source = b.Source
			}
		}
	}
	return &out
}

var opposites = map[string]string{"and": "or", "or": "and", "chain": "gate", "gate": "chain"}

func opposite(t *Tree) *Tree {
	out := *t
	if t.Op == "" {
		out.Negated = !t.Negated
		return &out
	}
	out.Op = opposites[t.Op]
	out.Parts = make([]*Tree, len(t.Parts))
	for i, p := range t.Parts {
		out.Parts[i] = opposite(p)
	}
	return &out
}
