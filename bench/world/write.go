package world

import (
	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// Original is what a variant demands of its goal, as it words it; Guard puts
// before every condition what it depends on.
func (d *Domain) Original(v *sop.Variant) (*Tree, error) { return d.treeOf(v.Requires[v.Goal], false) }

// Value writes a tree in the notation that ReadTree reads. An optional argument
// is written where the call has it.
func (t *Tree) Value(call *starlark.Dict) starlark.Value {
	switch {
	case t == nil:
		return starlark.None
	case t.Op != "":
		parts := make([]starlark.Value, len(t.Parts))
		for i, p := range t.Parts {
			parts[i] = p.Value(call)
		}
		return list(starlark.String(t.Op), starlark.NewList(parts))
	}
	name, args := t.Name, starlark.NewDict(len(t.Args))
	if t.Negated {
		name = "not " + name
	}
	for _, a := range t.Args {
		if _, given, _ := call.Get(starlark.String(a.Source)); given || !a.Optional {
			_ = args.SetKey(starlark.String(a.Parameter), starlark.String(a.Source)) // a new dict takes any text as a key
		}
	}
	return list(starlark.String("single"), starlark.String(name), args)
}

// Value writes a graph in the notation that ReadGraph reads.
func (g *Graph) Value() starlark.Value {
	var nodes, connections []starlark.Value
	for from, n := range g.Nodes {
		var node starlark.Value = starlark.String(n.Op)
		if n.Op == "" {
			args := starlark.NewDict(len(n.Args))
			for _, a := range n.Args {
				_ = args.SetKey(starlark.String(a.Parameter), starlark.String(a.Source)) // a new dict takes any text as a key
			}
			node = list(starlark.String(n.Name), args)
		}
		nodes = append(nodes, node)
		for _, to := range n.To {
			connections = append(connections, list(starlark.MakeInt(from), starlark.MakeInt(to)))
		}
	}
	out := starlark.NewDict(2)
	_ = out.SetKey(starlark.String("nodes"), starlark.NewList(nodes)) // a new dict takes any text as a key
	_ = out.SetKey(starlark.String("connections"), starlark.NewList(connections))
	return out
}

func list(items ...starlark.Value) *starlark.List { return starlark.NewList(items) }
