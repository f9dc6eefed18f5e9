package recheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// checker holds the graphs seen so far; it belongs to one worker.
type checker struct {
	graphs map[string]*graph
}

// The caches are emptied when they are full: rows of one procedure stand together, so little is lost.
const (
	maxGraphs  = 256
	maxEntries = 100_000
)

func newChecker() *checker { return &checker{graphs: map[string]*graph{}} }

func (c *checker) graphOf(ref *reference) (*graph, error) {
	key := ref.graphKey()
	g := c.graphs[key]
	if g == nil {
		var err error
		if g, err = compile(ref); err != nil {
			return nil, err
		}
		if len(c.graphs) >= maxGraphs {
			clear(c.graphs)
		}
		c.graphs[key] = g
	}
	if len(g.able) > maxEntries {
		clear(g.able)
	}
	if len(g.escapes) > maxEntries {
		clear(g.escapes)
	}
	return g, nil
}

// finding is one thing wrong with a row: a kind that can be counted, and the words.
type finding struct{ kind, detail string }

type rowCheck struct {
	r        *row
	ref      *reference
	g        *graph
	format   string
	compared int // facts held against their comparison
	findings []finding
}

func (c *rowCheck) add(kind, format string, args ...any) {
	c.findings = append(c.findings, finding{kind, fmt.Sprintf(format, args...)})
}

// row proves one row of stage 2; it also says how many facts it held against a comparison.
func (c *checker) row(r *row) (findings []finding, compared int) {
	k := &rowCheck{r: r}
	k.prove(c)
	return k.findings, k.compared
}

func (c *rowCheck) prove(by *checker) {
	var err error
	if c.ref, err = readReference(c.r.Reference); err != nil {
		c.add("reference", "%v", err)
		return
	}
	if c.g, err = by.graphOf(c.ref); err != nil {
		c.add("reference", "%v", err)
		return
	}
	if c.r.Task != "sequence" {
		c.add("row", "task %q, want sequence", c.r.Task)
	}
	c.facts()
	c.context()
	formats, judge := workflowFormats, c.workflows
	switch c.r.View {
	case "workflow":
		if len(c.ref.History) != 0 {
			c.add("reference", "a whole workflow has the history %q", c.ref.History)
		}
	case "next_action":
		formats, judge = nextFormats, c.nexts
	default:
		c.add("row", "view %q, want workflow or next_action", c.r.View)
		return
	}
	if c.format, err = statedFormat(c.r.Query, formats); err != nil {
		c.add("query", "%v", err)
		return
	}
	judge()
}

// facts holds the scenario against depends_on, excludes and the graph's names.
func (c *rowCheck) facts() {
	facts := c.ref.Facts
	related := map[string]bool{}
	for name, t := range c.g.depends {
		related[name] = true
		t.eachLeaf(func(leaf string) { related[leaf] = true })
	}
	for _, name := range slices.Concat(c.g.excludes...) {
		related[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		if _, known := c.g.leafAt[name]; !known && !related[name] {
			c.add("facts", "fact %q is neither a condition nor a call of the reference", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.g.depends)) {
		t := c.g.depends[name]
		names := []string{name}
		t.eachLeaf(func(leaf string) { names = append(names, leaf) })
		for _, leaf := range names {
			if _, has := facts[leaf]; !has {
				c.add("facts", "depends_on of %q names %q, which has no fact", name, leaf)
			}
		}
		if facts[name] && !t.holds(facts) {
			c.add("facts", "%q is true although what it depends on is false", name)
		}
	}
	for _, list := range c.g.excludes {
		var held []string
		for _, name := range list {
			holds, has := facts[name]
			if !has {
				c.add("facts", "excludes names %q, which has no fact", name)
			}
			if holds {
				held = append(held, name)
			}
		}
		if len(held) > 1 {
			c.add("facts", "%q exclude each other and are all true", held)
		}
	}
	for _, call := range c.g.calls {
		for parameter, detail := range c.ref.Parameters[call.name] {
			if _, bound := c.ref.Bindings[detail]; !bound {
				c.add("reference", "parameter %q of %q takes %q, which is not bound", parameter, call.name, detail)
			}
		}
		if _, has := c.ref.Parameters[call.name]; !has {
			c.add("reference", "call %q has no parameters", call.name)
		}
	}
}

func (c *rowCheck) workflows() {
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
	if n.Similarity == nil || *n.Similarity < 0 || *n.Similarity > 1 {
		c.add("row", "%s: similarity is missing or not within 0..1", who)
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

func (c *rowCheck) nexts() {
	before := c.g.initial(c.ref.Facts)
	for i, call := range c.ref.History {
		at, known := c.g.callAt[call]
		if !known || c.g.calls[at].end {
			c.add("reference", "history has %q, which is no call before the end", call)
			return
		}
		if fault, waste := c.g.judge(call, before, false); fault != "" || waste != "" {
			c.add("history", "%q has %s%s at %d", c.ref.History, fault, waste, i)
		}
		before = c.g.step(before, at)
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
