package bench

import (
	"maps"
	"slices"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
)

// actionGraph tells in the notation of SOPBench what has to be called before
// the goal of a variant: for each condition the calls that make it known, before
// each of these what it requires itself. A condition that the conversation tells
// needs no call, nor does one of alternatives when another one needs none.
func actionGraph(v *sop.Variant) *world.Graph {
	b := &graphBuilder{v: v, calls: map[string]int{}}
	b.call(v.Goal)
	return b.graph()
}

// need is calls and operators over needs, before they are numbered.
type need struct {
	op    string // "" for a call
	call  string
	parts []*need
}

type graphBuilder struct {
	v     *sop.Variant
	calls map[string]int
	nodes []world.Node
}

func (b *graphBuilder) graph() *world.Graph { return &world.Graph{Nodes: b.nodes} }

// call adds a call once, with the operators and calls that it needs, and
// returns its number.
func (b *graphBuilder) call(name string) int {
	if at, done := b.calls[name]; done {
		return at
	}
	use := b.v.Calls[name]
	n := world.Node{Name: use.Base}
	for _, p := range slices.Sorted(maps.Keys(use.Args)) {
		n.Args = append(n.Args, world.Arg{Parameter: p, Source: use.Args[p]})
	}
	at := len(b.nodes)
	b.calls[name], b.nodes = at, append(b.nodes, n)
	if first := b.conditions(b.v.Requires[name]); first != nil {
		to := b.add(first)
		b.nodes[at].To = []int{to}
	}
	return at
}

func (b *graphBuilder) add(n *need) int {
	if n.op == "" {
		return b.call(n.call)
	}
	at := len(b.nodes)
	b.nodes = append(b.nodes, world.Node{Op: n.op})
	for _, p := range n.parts {
		to := b.add(p)
		b.nodes[at].To = append(b.nodes[at].To, to)
	}
	return at
}

// conditions is what makes the conditions of a requirement known; nil where no
// call is needed.
func (b *graphBuilder) conditions(t *sop.Tree) *need {
	return needOf(t, func(condition string) *need {
		return needOf(b.v.EstablishedBy[condition], func(call string) *need {
			if call == sop.Conversation {
				return nil
			}
			return &need{call: call}
		})
	})
}

func needOf(t *sop.Tree, leaf func(name string) *need) *need {
	switch {
	case t == nil:
		return nil
	case t.Op == sop.Leaf:
		return leaf(t.Name)
	case t.Op == sop.Not:
		return needOf(t.Parts[0], leaf)
	}
	n := &need{op: "or"}
	if t.Op.Conjunctive() {
		n.op = "and"
	}
	for _, p := range t.Parts {
		part := needOf(p, leaf)
		if part == nil && n.op == "or" {
			return nil
		}
		if part != nil && !slices.ContainsFunc(n.parts, part.equal) {
			n.parts = append(n.parts, part)
		}
	}
	switch len(n.parts) {
	case 0:
		return nil
	case 1:
		return n.parts[0]
	}
	return n
}

func (n *need) equal(m *need) bool {
	return n.op == m.op && n.call == m.call && slices.EqualFunc(n.parts, m.parts, (*need).equal)
}
