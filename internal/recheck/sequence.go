package recheck

import (
	"fmt"
	"slices"
	"strings"
)

func (c *rowCheck) sequence() {
	parts, judge, formats := 2, c.workflows, workflowFormats
	if c.r.View == "next_action" {
		parts, judge, formats = 3, c.nexts, nextFormats
	}
	texts, ok := c.procedure(parts)
	if !ok || !c.stated(formats) {
		return
	}
	if c.r.View == "workflow" {
		if len(c.ref.History) != 0 {
			c.add("reference", "a whole workflow has the history %q", c.ref.History)
		}
		c.fullCase(texts[0])
	}
	judge(texts)
}

func (c *rowCheck) workflows([]string) {
	seen := map[string]string{}
	each := func(who, text, payload string) ([]string, bool) {
		calls, err := readWorkflow(c.format, text)
		if err != nil {
			c.add("text", "%s: %v", who, err)
			return nil, false
		}
		var p struct {
			Workflow []string `json:"workflow"`
		}
		if err := strict([]byte(payload), &p); err != nil {
			c.add("payload", "%s: %v", who, err)
		} else if !slices.Equal(p.Workflow, calls) {
			c.add("payload", "%s: the text says %q, the payload %q", who, calls, p.Workflow)
		}
		key := fmt.Sprintf("%q", calls)
		if other, twice := seen[key]; twice {
			c.add("distinct", "%s and %s are the same answer %s", other, who, key)
		}
		seen[key] = who
		return calls, true
	}
	if calls, ok := each("positive", c.r.Positive.Text, c.r.Positive.Payload); ok {
		if found := c.g.run(calls, c.ref.Facts); len(found) > 0 {
			c.add("positive", "%q has %s at %d", calls, found[0].name, found[0].position)
		}
	}
	for i := range c.r.Negatives {
		who := fmt.Sprintf("negative %d", i)
		if calls, ok := each(who, c.r.Negatives[i].Text, c.r.Negatives[i].Payload); ok {
			c.negative(who, &c.r.Negatives[i], c.g.run(calls, c.ref.Facts), false)
		}
	}
}

// negative holds what was found against what the negative says of itself.
func (c *rowCheck) negative(who string, n *negative, found []violation, deadEnd bool) {
	if !slices.Contains([]string{"order", "omit", "insert", "outcome"}, n.Operator) {
		c.add("row", "%s: operator %q, want order, omit, insert or outcome", who, n.Operator)
	}
	if len(found) == 0 {
		c.add("negative", "%s (%s, %s): nothing is wrong with it: %s", who, n.Operator, n.Violation, n.Payload)
		return
	}
	if n.Operator != "insert" && !slices.ContainsFunc(found, func(v violation) bool { return v.fault }) {
		c.add("negative", "%s (%s): it has no fault, only %s at %d", who, n.Operator, found[0].name, found[0].position)
	}
	var p proof
	if err := strict([]byte(n.Proof), &p); err != nil || p.Position == nil {
		c.add("proof", "%s: %q: %v", who, n.Proof, err)
		return
	}
	first := found[0]
	if n.Violation != first.name || p.Violation != first.name || *p.Position != first.position {
		c.add("violation", "%s (%s): recorded %s, proof %s at %d; found %s at %d: %s",
			who, n.Operator, n.Violation, p.Violation, *p.Position, first.name, first.position, n.Payload)
		return
	}
	if p.Waste == first.fault {
		c.add("proof", "%s: waste is %v for %s", who, p.Waste, first.name)
	}
	if p.DeadEnd != deadEnd {
		c.add("proof", "%s: dead_end is %v, found %v", who, p.DeadEnd, deadEnd)
	}
	if p.Call != first.call {
		c.add("proof", "%s: call %q, found %q", who, p.Call, first.call)
	}
	for _, name := range p.Missing {
		if !c.g.isMissing(name, first) {
			c.add("proof", "%s: %q is said to be missing for %s of %q, but is not", who, name, first.name, first.call)
		}
	}
}

// isMissing says whether a name is still unknown in some tree at stake, or does not hold as the tree wants it: `not` before
// the name says that it should be false.
func (g *graph) isMissing(name string, v violation) bool {
	wanted := isTrue
	if negated, found := strings.CutPrefix(name, "not "); found {
		name, wanted = negated, isFalse
	}
	var trees []int
	if at, known := g.callAt[v.call]; known && !g.calls[at].end {
		trees = append(trees, g.calls[at].tree)
	} else {
		for _, o := range g.outcomes {
			trees = append(trees, o.tree)
		}
	}
	var open func(id int, want value) bool
	open = func(id int, want value) bool {
		n := &g.nodes[id]
		switch n.kind {
		case kindLeaf:
			now := g.eval(id, v.before, true)
			if g.leaves[n.leaf] != name || now == unknown && wanted == isTrue {
				return g.leaves[n.leaf] == name
			}
			// Where an order is at fault, what is missing may be known: it became so too early.
			return want == wanted && (v.name == "order" || now != want)
		case kindNot:
			return open(n.kids[0], want.not())
		}
		return slices.ContainsFunc(n.kids, func(kid int) bool { return open(kid, want) })
	}
	return slices.ContainsFunc(trees, func(id int) bool { return id >= 0 && open(id, isTrue) })
}

func (c *rowCheck) nexts(texts []string) {
	before, ok := c.openCase(texts[0], texts[1])
	if !ok {
		return
	}
	position := len(c.ref.History)
	seen := map[string]string{}
	each := func(who, text, payload string) (found []violation, deadEnd, ok bool) {
		n, err := readNext(c.format, text)
		if err != nil {
			c.add("text", "%s: %v", who, err)
			return nil, false, false
		}
		var p struct {
			Next      string         `json:"next"`
			Arguments map[string]any `json:"arguments"`
		}
		if err := strict([]byte(payload), &p); err != nil {
			c.add("payload", "%s: %v", who, err)
		} else if base, _, bracket := cutCall(p.Next); p.Arguments == nil || (next{base, p.Arguments}).key() != n.key() || bracket && p.Next != c.callOf(n) {
			c.add("payload", "%s: the text says %s, the payload %s", who, n.key(), payload)
		}
		if other, twice := seen[n.key()]; twice {
			c.add("distinct", "%s and %s are the same answer %s", other, who, n.key())
		}
		seen[n.key()] = who

		call := c.callOf(n)
		fault, waste := c.g.judge(call, before, false)
		if fault != "" {
			found = append(found, violation{fault, position, true, call, before})
		}
		if waste != "" {
			found = append(found, violation{waste, position, false, call, before})
		}
		if at, known := c.g.callAt[call]; known && fault == "" && !c.g.calls[at].end && !c.g.escape(c.g.step(before, at)) {
			found = append(found, violation{"order", position, true, call, before})
			deadEnd = len(found) == 1
		}
		return found, deadEnd, true
	}
	if found, _, ok := each("positive", c.r.Positive.Text, c.r.Positive.Payload); ok && len(found) > 0 {
		c.add("positive", "%s after %q has %s", c.r.Positive.Payload, c.ref.History, found[0].name)
	}
	for i := range c.r.Negatives {
		who := fmt.Sprintf("negative %d", i)
		if found, deadEnd, ok := each(who, c.r.Negatives[i].Text, c.r.Negatives[i].Payload); ok {
			c.negative(who, &c.r.Negatives[i], found, deadEnd)
		}
	}
}

// callOf finds the call of the procedure that a next action makes with its values. Any other call is outside: under its own
// name where the procedure has no such call, else with its values, which makes it a name that no procedure has.
func (c *rowCheck) callOf(n next) string {
	same := false
	for _, call := range c.g.calls {
		name, _, _ := cutCall(call.name)
		if name != n.name {
			continue
		}
		same = true
		want := map[string]any{}
		for parameter, detail := range c.ref.Parameters[call.name] {
			if v, bound := c.ref.Bindings[detail]; bound {
				want[parameter] = v
			}
		}
		if (next{name, want}).key() == n.key() {
			return call.name
		}
	}
	if same || n.name == "deny" && len(n.args) > 0 {
		return n.key()
	}
	return n.name
}
