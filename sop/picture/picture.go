// Package picture draws a procedure for the person who owns it, so that they
// see whether it was understood: what is called, what a call tells, what that
// decides, and how cases end.
package picture

import (
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// shape tells nodes apart.
type shape int

const (
	start shape = iota // what is known before the first call
	call
	question // a condition
	junction // any, in order: what joins conditions
	end
)

type node struct {
	id    string
	shape shape
	text  string
	last  bool // a case can end with it
	open  bool // it leans on what nobody has accepted
}

type edge struct {
	from, to, text string
	weak           bool // another call may do as well
}

// picture is what is drawn, in an order that follows from the variant alone.
type picture struct {
	title string
	nodes []node
	edges []edge
}

// drawing makes the picture of a variant.
type drawing struct {
	picture
	v     *sop.Variant
	done  map[string]string // condition that only tells that a call was made -> the call
	names map[string]string // what is drawn -> its id
	open  map[string]bool
	count int
}

func draw(v *sop.Variant) *picture {
	d := &drawing{v: v, done: map[string]string{}, names: map[string]string{}, open: map[string]bool{}}
	d.title = v.Procedure.Title
	for _, name := range v.Unreviewed() {
		d.open[name] = true
	}
	d.findDone()
	for _, c := range keys(v.Requires) {
		last := slices.ContainsFunc(v.Outcomes, func(o sop.Outcome) bool { return o.End == c })
		d.node("call "+c, node{shape: call, text: c + "\n" + v.Calls[c].Text, last: last, open: d.open[v.Calls[c].Base]})
	}
	for _, c := range keys(v.EstablishedBy) {
		if d.done[c] == "" {
			d.condition(c)
		}
	}
	for _, c := range keys(v.Requires) {
		if c != v.Goal || v.Outcomes[0].End != c {
			d.connect("call "+c, positive(v.Requires[c], false))
		}
	}
	for _, o := range v.Outcomes {
		id, text := "call "+o.End, o.End
		if o.Tree == nil {
			text += "\nin all other cases"
		}
		if v.Requires[o.End] == nil {
			id = "end " + o.End
			d.node(id, node{shape: end, text: text, last: true})
		}
		d.connect(id, positive(o.Tree, false))
	}
	return &d.picture
}

// findDone finds conditions that are never so before a call and always after.
func (d *drawing) findDone() {
	for c, source := range d.v.EstablishedBy {
		if source.Op == sop.Leaf && d.v.Effects[source.Name][c] && d.never(c) {
			d.done[c] = source.Name
		}
	}
}

func (d *drawing) never(c string) bool {
	t := d.v.Conditions[c].DependsOn
	return t != nil && t.Op == sop.Any && len(t.Parts) == 0
}

func (d *drawing) condition(c string) {
	use := d.v.Conditions[c]
	d.node("if "+c, node{shape: question, text: use.Text + "?", open: d.open[use.Base]})
	source := d.v.EstablishedBy[c]
	if source.Op == sop.Leaf && source.Name == sop.Conversation {
		d.node("start", node{shape: start, text: "the case"})
		d.edge("start", "if "+c, "", false)
		return
	}
	weak := false
	source.Walk(func(t *sop.Tree) { weak = weak || t.Op == sop.Any || t.Op == sop.FirstOf })
	for _, name := range source.Names() {
		d.edge("call "+name, "if "+c, "", weak)
	}
}

// connect draws what a call or an end demands: all of it.
func (d *drawing) connect(to string, t *sop.Tree) {
	if t != nil && t.Op == sop.All {
		for _, p := range t.Parts {
			d.connect(to, p)
		}
		return
	}
	d.lead(to, t)
}

// lead draws one way to what demands a tree.
func (d *drawing) lead(to string, t *sop.Tree) {
	switch {
	case t == nil:
	case t.Op == sop.Leaf && d.done[t.Name] != "":
		d.edge("call "+d.done[t.Name], to, "", false)
	case t.Op == sop.Leaf:
		d.edge("if "+t.Name, to, "yes", false)
	case t.Op == sop.Not:
		d.edge("if "+t.Parts[0].Name, to, "no", false)
	default:
		d.count++
		id := "join " + number(d.count)
		d.node(id, node{shape: junction, text: map[sop.Op]string{sop.All: "all", sop.Any: "any", sop.Seq: "in order", sop.FirstOf: "first of"}[t.Op]})
		for _, p := range t.Parts {
			d.lead(id, p)
		}
		d.edge(id, to, "", false)
	}
}

// positive moves denials down to the conditions, where they can be drawn.
func positive(t *sop.Tree, denied bool) *sop.Tree {
	if t == nil {
		return nil
	}
	switch t.Op {
	case sop.Leaf:
		if denied {
			return sop.T(sop.Not, t)
		}
		return t
	case sop.Not:
		return positive(t.Parts[0], !denied)
	}
	op := t.Op
	if denied {
		op = map[sop.Op]sop.Op{sop.All: sop.Any, sop.Seq: sop.Any, sop.Any: sop.All, sop.FirstOf: sop.All}[t.Op]
	}
	parts := make([]*sop.Tree, len(t.Parts))
	for i, p := range t.Parts {
		parts[i] = positive(p, denied)
	}
	return sop.T(op, parts...)
}

// node adds what is not drawn yet.
func (d *drawing) node(name string, n node) {
	if _, drawn := d.names[name]; drawn {
		return
	}
	n.id = "n" + number(len(d.nodes))
	d.names[name] = n.id
	d.nodes = append(d.nodes, n)
}

func (d *drawing) edge(from, to, text string, weak bool) {
	e := edge{d.names[from], d.names[to], text, weak}
	if e.from != "" && e.to != "" && !slices.Contains(d.edges, e) {
		d.edges = append(d.edges, e)
	}
}
