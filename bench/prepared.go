package bench

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// prepared tells whether each call was preceded by those that its graph asks
// for, with the same arguments.
type prepared struct {
	domain *world.Domain
	task   *Task
	strict bool // compare every argument that is known
	done   map[string]*made
	early  map[string]bool // called, and only before what the graph asks for
}

// made is how a function has been called: the names of the arguments that are
// looked at, as the first call fixes them, and their values at each call.
type made struct {
	keys   []string
	values [][]starlark.Value
}

func newPrepared(d *world.Domain, t *Task, strict bool) *prepared {
	return &prepared{d, t, strict, map[string]*made{}, map[string]bool{}}
}

// call adds a call of a known tool, if it was prepared.
func (p *prepared) call(name string, args starlark.Value) (bool, error) {
	graph, at := p.graph(name)
	if graph == nil {
		p.add(name, nil, args)
		return true, nil
	}
	node := &graph.Nodes[at]
	variables := variablesOf(node, args)
	if len(node.To) > 0 {
		ready, err := p.satisfied(graph, node.To[0], variables, map[int]bool{})
		if err != nil || !ready {
			p.early[name] = p.done[name] == nil
			return false, err
		}
	}
	var keys []string
	for _, a := range node.Args {
		keys = append(keys, a.Parameter)
	}
	slices.Sort(keys)
	p.add(name, keys, args)
	p.imply(name, args)
	return true, nil
}

// variablesOf are the variables of a graph as a call of a node has them.
func variablesOf(node *world.Node, args starlark.Value) map[string]starlark.Value {
	variables := map[string]starlark.Value{}
	for _, a := range node.Args {
		variables[a.Source] = argument(args, a.Parameter)
	}
	return variables
}

// graph returns the graph that a function is judged by, and its node there:
// the task's if the function occurs in it, else the function's own.
func (p *prepared) graph(name string) (*world.Graph, int) {
	find := func(g *world.Graph) int {
		return slices.IndexFunc(g.Nodes, func(n world.Node) bool { return n.Name == name })
	}
	if at := find(p.task.Graph); at >= 0 {
		return p.task.Graph, at
	}
	if p.domain.Official == nil || p.domain.Official.Graphs[name] == nil {
		return nil, 0
	}
	g := p.domain.Official.Graphs[name]
	return g, max(0, find(g))
}

// satisfied evaluates a node; settled keeps what is known of operators, which
// may share parts.
func (p *prepared) satisfied(g *world.Graph, at int, variables map[string]starlark.Value, settled map[int]bool) (holds bool, err error) {
	node := &g.Nodes[at]
	if node.Op == "" {
		return p.wasCalled(node, variables)
	}
	if holds, known := settled[at]; known {
		return holds, nil
	}
	all := node.Op == "and"
	holds = all
	for _, to := range node.To {
		if holds, err = p.satisfied(g, to, variables, settled); err != nil || holds != all {
			break
		}
	}
	settled[at] = holds
	return holds, err
}

// wasCalled tells whether the function of a node was called with these values.
// The official evaluator looks an argument up under its own name and takes the
// value of the variable that it is mapped to, so that a renamed one is often
// not compared; and what is not true in Python fits everything.
func (p *prepared) wasCalled(node *world.Node, variables map[string]starlark.Value) (bool, error) {
	calls := p.done[node.Name]
	if calls == nil {
		return false, nil
	}
	expected := make([]starlark.Value, len(calls.keys))
	for i, key := range calls.keys {
		source, mapped := "", false
		for _, a := range node.Args {
			if a.Parameter == key {
				source, mapped = a.Source, true
			}
		}
		if p.strict {
			if v, known := variables[source]; mapped && known && v != starlark.None {
				expected[i] = flat(v)
			}
			continue
		}
		if _, known := variables[key]; !known {
			continue
		}
		v, known := variables[source]
		if !mapped || !known {
			return false, &ErrStops{"the graph names no variable for " + key + " of " + node.Name}
		}
		if python.Truth(v) {
			expected[i] = flat(v)
		}
	}
	return slices.ContainsFunc(calls.values, func(values []starlark.Value) bool {
		for i, want := range expected {
			if want != nil && (i >= len(values) || !python.Equal(want, values[i])) {
				return false
			}
		}
		return true
	}), nil
}

func (p *prepared) add(name string, keys []string, args starlark.Value) {
	values := make([]starlark.Value, len(keys))
	for i, k := range keys {
		values[i] = flat(argument(args, k))
	}
	p.insert(name, keys, values)
}

func (p *prepared) insert(name string, keys []string, values []starlark.Value) {
	if p.done[name] == nil {
		p.done[name] = &made{keys: keys}
	}
	delete(p.early, name)
	p.done[name].values = append(p.done[name].values, values)
}

// imply adds the calls that a tool makes by itself.
func (p *prepared) imply(name string, args starlark.Value) {
	if p.domain.Official == nil {
		return
	}
	object, _ := args.(*starlark.Dict)
	for _, implied := range p.domain.Official.Implied[name] {
		named := object != nil && !slices.ContainsFunc(implied.Keys, func(key string) bool {
			_, has, _ := object.Get(starlark.String(key))
			return !has
		})
		if !named {
			continue
		}
		values := make([]starlark.Value, len(implied.Sources))
		for i, source := range implied.Sources {
			values[i] = flat(argument(args, source))
		}
		p.insert(implied.Name, implied.Keys, values)
	}
}

func argument(args starlark.Value, name string) starlark.Value {
	if d, ok := args.(*starlark.Dict); ok {
		if v, found, _ := d.Get(starlark.String(name)); found {
			return v
		}
	}
	return starlark.None
}

// flat makes a value comparable: lists and objects become tuples, those of an
// object of its keys and values by key.
func flat(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *starlark.Dict:
		items := v.Items()
		slices.SortFunc(items, func(a, b starlark.Tuple) int { return strings.Compare(python.Str(a[0]), python.Str(b[0])) })
		var t starlark.Tuple
		for _, item := range items {
			t = append(t, item[0], flat(item[1]))
		}
		return t
	case *starlark.Set:
		return starlark.Tuple(slices.Collect(v.Elements()))
	case *starlark.List, starlark.Tuple:
		list := v.(starlark.Indexable)
		t := make(starlark.Tuple, list.Len())
		for i := range t {
			t[i] = flat(list.Index(i))
		}
		return t
	}
	return v
}
