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

// Arg fills a parameter of a leaf from an argument of the call. An optional one
// is left out where the call does not have the argument.
type Arg struct {
	Parameter, Source string
	Optional          bool
}

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
		t.Args = append(t.Args, Arg{Parameter: parameter, Source: source})
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
// to the leaves. A leaf is asked for with the parameters of its function.
func (d *Domain) treeOf(t *sop.Tree, negated bool) (*Tree, error) {
	switch {
	case t == nil:
		return nil, nil
	case t.Op == sop.Not:
		return d.treeOf(t.Parts[0], !negated)
	case len(t.Parts) > 0 || t.Name == "":
		op := operators[t.Op][0]
		if negated {
			op = operators[t.Op][1]
		}
		out := &Tree{Op: op}
		for _, p := range t.Parts {
			part, err := d.treeOf(p, negated)
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
	f := d.functions[n.Base]
	if f == nil {
		return leaf, nil // bind reports it
	}
	for i := 1; i < f.NumParams()-btoi(f.HasKwargs()); i++ {
		p, _ := f.Param(i)
		leaf.Args = append(leaf.Args, Arg{p, n.Source(p), f.ParamDefault(i) != nil})
	}
	return leaf, nil
}

// behind puts before every leaf what it depends on, so that a condition on what
// does not exist is false and never evaluated; under "not", true.
func behind(t *sop.Tree, dependsOn func(name string) *sop.Tree) *sop.Tree {
	if t == nil {
		return nil
	}
	if t.Op == sop.Leaf {
		if first := dependsOn(t.Name); first != nil {
			return sop.T(sop.Seq, behind(first, dependsOn), t)
		}
		return t
	}
	parts := make([]*sop.Tree, len(t.Parts))
	for i, p := range t.Parts {
		parts[i] = behind(p, dependsOn)
	}
	return sop.T(t.Op, parts...)
}

// Guard is what a variant demands of its goal.
func (d *Domain) Guard(v *sop.Variant) (*Tree, error) {
	return d.treeOf(behind(v.Requires[v.Goal], func(name string) *sop.Tree { return v.DependsOn[name] }), false)
}

// dependency returns what a condition of a formal domain depends on, with the
// arguments of this instance.
func dependency(from *sop.Domain, name string) *sop.Tree {
	n, err := sop.ParseName(name)
	if err != nil || from.Conditions[n.Base] == nil {
		return nil
	}
	return from.Conditions[n.Base].DependsOn.Map(func(name string) string {
		m, err := sop.ParseName(name)
		if err != nil || from.Conditions[m.Base] == nil {
			return name
		}
		return m.Rename(n.Args, from.Conditions[m.Base].Parameters).String()
	})
}
