package soptest

import (
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// Literal prepares g for the other reading of blocked: orders that are not
// broken yet count in what calls can still lead to. It is slower than New.
func Literal(g *sop.Graph) *Oracle {
	o := New(g)
	o.literal = map[string]bool{}
	return o
}

// attainable tells whether some facts for what is unknown and some further calls
// without fault make the outcome's tree true, once what is broken is forgiven.
func (o *Oracle) attainable(outcome int, from *moment) bool {
	key := from.key() + string(rune('0'+outcome))
	if found, ok := o.literal[key]; ok {
		return found
	}
	found := false
	for facts := range uint32(1) << len(o.conds) {
		if facts&from.known == 0 && o.attainableWith(outcome, from, facts) {
			found = true
			break
		}
	}
	o.literal[key] = found
	return found
}

func (o *Oracle) attainableWith(outcome int, from *moment, facts uint32) bool {
	start := from.forgiven()
	o.settle(start, false)
	seen := map[string]bool{}
	for todo := []*moment{start}; len(todo) > 0; {
		m := todo[0]
		todo = todo[1:]
		if m.outcomes[outcome].value == yes {
			return true
		}
		if seen[m.key()] {
			continue
		}
		seen[m.key()] = true
		for a := range o.g.Requires {
			if o.isEnd(a) || m.requires[a].value != yes {
				continue
			}
			next := m.copied()
			next.state = o.call(m.state, a, facts)
			o.settle(next, false)
			todo = append(todo, next)
		}
	}
	return false
}

func (m *moment) copied() *moment { return m.each((*node).copied) }

// forgiven is a copy in which no order is broken, and none around it counts.
func (m *moment) forgiven() *moment { return m.each((*node).forgiven) }

func (m *moment) each(f func(*node) *node) *moment {
	c := &moment{state: m.state, requires: map[string]*node{}}
	for a, n := range m.requires {
		c.requires[a] = f(n)
	}
	for _, n := range m.outcomes {
		c.outcomes = append(c.outcomes, f(n))
	}
	return c
}

func (n *node) copied() *node {
	c := *n
	c.parts = nil
	for _, p := range n.parts {
		c.parts = append(c.parts, p.copied())
	}
	return &c
}

func (n *node) forgiven() *node {
	c := n.copied()
	for todo := []*node{c}; len(todo) > 0; todo = todo[1:] {
		x := todo[0]
		x.closed = x.closed || x.anyBroken()
		todo = append(todo, slices.Clone(x.parts)...)
	}
	for todo := []*node{c}; len(todo) > 0; todo = todo[1:] {
		todo[0].broken = false
		todo = append(todo, slices.Clone(todo[0].parts)...)
	}
	return c
}
