package bench

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// maxMissing bounds what is told of one call.
const maxMissing = 12

// missing names what a graph asks for before a call of a tool and what was not
// called, or not with these arguments: of several alternatives all, joined by
// "or".
func (p *prepared) missing(name string, args starlark.Value) []string {
	graph, at := p.graph(name)
	if graph == nil || len(graph.Nodes[at].To) == 0 {
		return nil
	}
	s := shortfall{p, graph, variablesOf(&graph.Nodes[at], args), map[int]bool{}, maxMissing}
	return s.of(graph.Nodes[at].To[0])
}

type shortfall struct {
	*prepared
	graph     *world.Graph
	variables map[string]starlark.Value
	seen      map[int]bool // operators, which may share parts
	left      int          // of maxMissing
}

func (s *shortfall) of(at int) []string {
	holds, err := s.satisfied(s.graph, at, s.variables, map[int]bool{})
	node := &s.graph.Nodes[at]
	switch {
	case err != nil || holds || s.left == 0 || s.seen[at]:
		return nil
	case node.Op == "":
		s.left--
		return []string{s.call(node)}
	}
	s.seen[at] = true
	if node.Op == "and" {
		var list []string
		for _, to := range node.To {
			list = append(list, s.of(to)...)
		}
		return list
	}
	return either(s.alternatives(node))
}

// alternatives are those of an "or", and of the "or" in it.
func (s *shortfall) alternatives(node *world.Node) (list [][]string) {
	for _, to := range node.To {
		part := &s.graph.Nodes[to]
		if part.Op == "or" && !s.seen[to] {
			s.seen[to] = true
			list = append(list, s.alternatives(part)...)
		} else if calls := s.of(to); len(calls) > 0 && s.callable(to) {
			list = append(list, calls)
		}
	}
	return list
}

// either joins alternatives; those that ask for all of another one and more
// are left out.
func either(alternatives [][]string) []string {
	var texts []string
	for _, calls := range alternatives {
		more := slices.ContainsFunc(alternatives, func(other []string) bool {
			return len(other) < len(calls) && !slices.ContainsFunc(other, func(c string) bool { return !slices.Contains(calls, c) })
		})
		text := strings.Join(calls, " and ")
		if len(calls) > 1 && len(alternatives) > 1 {
			text = "(" + text + ")"
		}
		if !more && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return []string{strings.Join(texts, " or ")}
}

// callable tells of an alternative whether an agent has the tool.
func (s *shortfall) callable(at int) bool {
	tool := s.domain.Tool(s.graph.Nodes[at].Name)
	return s.graph.Nodes[at].Op != "" || tool != nil && tool.Offered
}

// call writes the call that a node asks for, with the arguments that are known.
func (s *shortfall) call(node *world.Node) string {
	args := new(starlark.Dict)
	for _, a := range node.Args {
		if v, known := s.variables[a.Source]; known && v != starlark.None {
			_ = args.SetKey(starlark.String(a.Parameter), v) // a new dict takes any text as a key
		}
	}
	text := node.Name + world.Arguments(args)
	if s.early[node.Name] {
		text += ", which was called too early itself"
	}
	return text
}
