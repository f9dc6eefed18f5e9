package reading

import (
	"maps"
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// flow is what may follow what: steps and ends, and the ways that lead to them.
type flow struct {
	nodes []*node
	ends  []*end
	// front is the ways to what comes next; then and rest are the parts of it
	// that the last decision took and left.
	front, then, rest []way
	depth             int              // of the last reading below decisions
	jumps             map[string][]way // section -> ways that lead to it from elsewhere
	conditions        []*condition
	by                map[string]*condition
	stray             []*Reading
	// Edges are the ways between sections: from, to (empty: the end of a case).
	edges [][2]string
}

type node struct {
	reading *Reading
	name    string
	text    string
	in      []way
}

type end struct {
	name    string
	text    string // of one that is an act
	in      []way
	reading *Reading
}

type condition struct {
	name    string
	text    string
	reading *Reading
	anchor  int
	tree    *sop.Tree // of one that consists of others
}

// way leads on from a step (-1: from the start), where all its facts hold.
type way struct {
	from  int
	facts []fact
}

type fact struct {
	condition string
	holds     bool
}

func newFlow(readings []*Reading) *flow {
	f := &flow{jumps: map[string][]way{}, by: map[string]*condition{}, front: []way{{from: -1}}}
	var sections []string
	for _, x := range readings {
		if x.flows() && !slices.Contains(sections, x.Section) {
			sections = append(sections, x.Section)
		}
	}
	current := ""
	for i, x := range readings {
		if !x.flows() {
			continue
		}
		if x.Section != current || i == 0 {
			if current != "" && len(f.front) > 0 {
				f.edge(current, x.Section)
			}
			current = x.Section
			f.front = join(f.front, f.jumps[current])
			if x.As != "else" || len(f.jumps[current]) > 0 {
				f.then, f.rest = nil, nil
			}
		}
		if len(f.front) == 0 {
			f.stray = append(f.stray, x)
			continue
		}
		if len(x.Under) != f.depth {
			f.depth, f.then, f.rest = len(x.Under), nil, nil
		}
		if x.Kind == Step {
			f.step(x)
		} else {
			f.decision(x, after(sections, current))
		}
	}
	for _, target := range slices.Sorted(maps.Keys(f.jumps)) {
		if !slices.Contains(sections, target) { // nothing was read there
			f.front = join(f.front, f.jumps[target])
		}
	}
	if len(f.front) > 0 {
		f.edge(current, "")
	}
	return f
}

func (f *flow) edge(from, to string) {
	if e := [2]string{from, to}; from != to && !slices.Contains(f.edges, e) {
		f.edges = append(f.edges, e)
	}
}

// flows tells that the reading is a part of the flow. A decision stays one
// where it is the tool that a person has rejected.
func (r *Reading) flows() bool {
	return r.Kind == Step && r.Used() || r.Kind == Decision && (r.Used() || r.Tool != "")
}

func after(list []string, x string) string {
	if i := slices.Index(list, x); i+1 < len(list) {
		return list[i+1]
	}
	return ""
}

func (f *flow) step(x *Reading) {
	in, past := f.below(x)
	if f.called(x.Name) || len(in) == 0 {
		f.stray = append(f.stray, x)
		return
	}
	f.nodes = append(f.nodes, &node{reading: x, name: x.Name, text: x.Text, in: in})
	f.front, f.then, f.rest = join([]way{{len(f.nodes) - 1, x.premises()}}, past), nil, nil
}

// below parts the ways to here: those in which all is so below which the
// reading stands, and those that lead past it.
func (f *flow) below(x *Reading) (in, past []way) {
	in = f.front
	for _, p := range x.premises() {
		if f.by[p.condition] == nil {
			return nil, f.front // a person has rejected the decision
		}
		past = join(past, given(in, fact{p.condition, !p.holds}))
		in = given(in, p)
	}
	return in, past
}

func (r *Reading) premises() (list []fact) {
	for _, p := range r.Under {
		list = append(list, fact{p.Condition, p.Holds})
	}
	return list
}

func (f *flow) called(name string) bool {
	return slices.ContainsFunc(f.nodes, func(n *node) bool { return n.name == name })
}

func (f *flow) decision(x *Reading, next string) {
	in, past := f.below(x)
	if len(in) == 0 {
		f.stray = append(f.stray, x)
		return
	}
	taken, left := f.then, f.rest
	switch {
	case x.As == "else" && f.rest != nil:
		taken, left = f.rest, f.then
	case x.As == "so" && f.then != nil:
	case x.As == "always":
		taken, left = in, nil
	case x.As != "":
		f.stray = append(f.stray, x)
		return
	default:
		c := f.condition(x)
		if f.rest != nil && f.decided(c, x.Holds) { // the contrary of the decision before
			taken, left = f.rest, f.then
			break
		}
		taken, left = given(in, fact{c, x.Holds}), given(in, fact{c, !x.Holds})
	}
	taken = f.follow(taken, x, x.Then, next)
	left = f.follow(left, x, x.Else, next)
	f.then, f.rest = taken, left
	f.front = join(join(taken, left), past)
}

// decided tells that the ways left by the last decision all have the fact.
func (f *flow) decided(c string, holds bool) bool {
	return len(f.rest) > 0 && !slices.ContainsFunc(f.rest, func(w way) bool { return !slices.Contains(w.facts, fact{c, holds}) })
}

// follow leads ways through acts and returns those that go on.
func (f *flow) follow(ways []way, x *Reading, list []Act, next string) []way {
	for _, a := range list {
		switch {
		case len(ways) == 0:
			return nil
		case a.End != "":
			f.end(a, ways, x)
			f.edge(x.Section, "")
			return nil
		case a.Go == goNext && next != "":
			f.jumps[next] = join(f.jumps[next], ways)
			f.edge(x.Section, next)
			return nil
		case a.Go == goBack:
			f.stray = append(f.stray, x)
		case a.Go != "" && a.Go != goNext:
			f.jumps[a.Go] = join(f.jumps[a.Go], ways)
			f.edge(x.Section, a.Go)
			return nil
		case a.Do != "" && x.Used() && !f.called(a.Do):
			f.nodes = append(f.nodes, &node{reading: x, name: a.Do, text: a.Text, in: ways})
			ways = []way{{len(f.nodes) - 1, x.premises()}}
		}
	}
	return ways
}

func (f *flow) end(a Act, ways []way, x *Reading) {
	for _, e := range f.ends {
		if e.name == a.End {
			e.in = join(e.in, ways)
			return
		}
	}
	f.ends = append(f.ends, &end{name: a.End, text: a.Text, in: ways, reading: x})
}

// condition declares what a decision asks, once; the step before it tells.
func (f *flow) condition(x *Reading) string {
	if f.by[x.Name] == nil {
		anchor := f.anchor()
		c := &condition{name: x.Name, text: x.Text, reading: x, anchor: anchor}
		if len(x.Parts) > 0 {
			c.tree = &sop.Tree{Op: sop.Op(x.Op)}
			for _, part := range x.Parts {
				alone := *x
				alone.Text, alone.Op, alone.Parts = part, "", nil
				alone.part()
				alone.Certain = x.Certain
				p := &condition{name: conditionName(part), text: part, reading: &alone, anchor: anchor}
				if f.by[p.name] == nil {
					f.by[p.name] = p
					f.conditions = append(f.conditions, p)
				}
				c.tree.Parts = append(c.tree.Parts, sop.L(p.name))
			}
		} else {
			f.conditions = append(f.conditions, c)
		}
		f.by[x.Name] = c
	}
	return x.Name
}

// anchor is the last step that every way to here leads through: its call tells
// what is asked here. -1 where there is none.
func (f *flow) anchor() int {
	for a := len(f.nodes) - 1; a >= 0; a-- {
		if f.through(a, f.front, map[int]bool{}) {
			return a
		}
	}
	return -1
}

// through tells that all ways lead through a step; steps come after those
// that lead to them. Seen are steps that were looked at.
func (f *flow) through(a int, ways []way, seen map[int]bool) bool {
	for _, w := range ways {
		if w.from == a || seen[w.from] {
			continue
		}
		if w.from < a || !f.through(a, f.nodes[w.from].in, seen) {
			return false
		}
		seen[w.from] = true
	}
	return true
}

func given(ways []way, x fact) (out []way) {
	for _, w := range ways {
		if slices.Contains(w.facts, fact{x.condition, !x.holds}) {
			continue
		}
		if slices.Contains(w.facts, x) {
			out = append(out, w)
			continue
		}
		out = append(out, way{w.from, append(slices.Clone(w.facts), x)})
	}
	return out
}

// join puts ways together; two that differ in one fact alone, which holds in
// one and not in the other, are one without it.
func join(a, b []way) []way {
	all := slices.Concat(a, b)
	for merged := true; merged; {
		merged = false
	search:
		for i := range all {
			for k := i + 1; k < len(all); k++ {
				if w, ok := union2(all[i], all[k]); ok {
					all[i] = w
					all = slices.Delete(all, k, k+1)
					merged = true
					break search
				}
			}
		}
	}
	return all
}

// union2 is both ways in one: one of them, where it asks for less, or both
// without the fact in which they differ.
func union2(a, b way) (way, bool) {
	if a.from != b.from {
		return way{}, false
	}
	if within(a.facts, b.facts) {
		return a, true
	}
	if within(b.facts, a.facts) {
		return b, true
	}
	if len(a.facts) != len(b.facts) {
		return way{}, false
	}
	for i, x := range a.facts {
		rest := slices.Delete(slices.Clone(a.facts), i, i+1)
		if slices.Contains(b.facts, fact{x.condition, !x.holds}) && within(rest, b.facts) {
			return way{a.from, rest}, true
		}
	}
	return way{}, false
}

func within(a, b []fact) bool {
	return !slices.ContainsFunc(a, func(x fact) bool { return !slices.Contains(b, x) })
}
