package soptest

import "github.com/fmsop/fmsop/sop"

// useful lists the calls that can make something known that an undecided
// outcome still needs; none once an outcome is due.
func (o *Oracle) useful(m *moment) []string {
	if o.anyDue("", m, true) {
		return nil
	}
	needed := map[string]bool{}
	for _, out := range o.g.Outcomes {
		value := o.plain(out.Tree, m.state)
		if value == yes {
			break
		}
		if value == unknown && o.possible(out.Tree, yes, m.state) {
			o.need(out.Tree, yes, m.state, needed)
		}
	}
	useful := map[string]bool{}
	for {
		before := len(needed) + len(useful)
		for c := range needed {
			o.helpers(c, m.state, useful)
		}
		for a := range useful {
			o.need(o.g.Requires[a], yes, m.state, needed)
		}
		if len(needed)+len(useful) == before {
			return keys(useful)
		}
	}
}

// need adds the unknown conditions that could still help the tree to the value.
func (o *Oracle) need(t *sop.Tree, want truth, s state, needed map[string]bool) {
	if o.plain(t, s) != unknown || !o.possible(t, want, s) {
		return
	}
	switch t.Op {
	case sop.Leaf:
		needed[t.Name] = true
	case sop.Not:
		o.need(t.Parts[0], yes-want, s, needed)
	default:
		for _, p := range t.Parts {
			o.need(p, want, s, needed)
		}
	}
}

// helpers adds the calls that take part in making the condition known.
func (o *Oracle) helpers(cond string, s state, useful map[string]bool) {
	for _, set := range o.sources[cond] {
		var missing []string
		open := true
		// What is left of a set is no longer minimal once another set lacks
		// less: its further members can make nothing known.
		for _, other := range o.sources[cond] {
			left, less := set&^s.made, other&^s.made
			open = open && (less == left || less&^left != 0)
		}
		for a := range o.items {
			if set&o.bit(a) != 0 && s.made&o.bit(a) == 0 {
				missing = append(missing, a)
				open = open && o.callable(a, s)
			}
		}
		if open {
			for _, a := range missing {
				useful[a] = true
			}
		}
	}
	for a, effects := range o.g.Effects {
		if _, on := effects[cond]; on && o.callable(a, s) {
			useful[a] = true
		}
	}
}

// callable tells whether the call can ever be made without being unmet, now
// or later.
func (o *Oracle) callable(a string, s state) bool {
	phi, known := o.g.Requires[a]
	return known && !o.isEnd(a) && o.possible(phi, yes, s)
}
