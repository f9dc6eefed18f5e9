package sop

// Kind says in which way a workflow is wrong.
type Kind string

// Faults, then waste (DESIGN §1).
const (
	Unmet    Kind = "unmet"     // called while its requirement is false or unknown
	Order    Kind = "order"     // a tree needs parts that were settled out of order
	WrongEnd Kind = "wrong_end" // the end of an outcome that is not due
	NoEnd    Kind = "no_end"    // no end at all
	AfterEnd Kind = "after_end" // something follows the end
	Outside  Kind = "outside"   // no action of the procedure

	Repeated Kind = "repeated" // the same call with the same arguments again
	Idle     Kind = "idle"     // makes nothing known that is still needed
)

// Fault tells faults from waste.
func (k Kind) Fault() bool { return k != Repeated && k != Idle }

// Violation is one thing wrong with a workflow.
type Violation struct {
	Kind     Kind   `json:"violation"`
	Position int    `json:"position"` // of the item, from 0; the length for no_end
	Call     string `json:"call,omitempty"`
	// Missing names the conditions that the item's tree still lacked (with
	// "not " before those that would have to be false), the parts that were
	// settled out of order for Order, nothing where neither applies.
	Missing []string `json:"missing,omitempty"`
}

// Check returns the violations of w in the order of their positions, the
// fault before the waste where one item has both. The first one is normative;
// the later ones assume that each call was made. A workflow without any is a
// positive. The error is about the graph, never about the workflow.
func Check(g *Graph, s *Scenario, w Workflow) ([]Violation, error) {
	m, err := Compile(g)
	if err != nil {
		return nil, err
	}
	return m.Check(s.Facts, w), nil
}

// Check is the same on a compiled graph. Conditions missing from facts count
// as false.
func (m *Machine) Check(facts map[string]bool, w Workflow) []Violation {
	truth := m.factSet(facts)
	s := m.start(truth)
	var found []Violation
	ended := false
	for i, item := range w {
		switch {
		case ended:
			found = append(found, Violation{Kind: AfterEnd, Position: i, Call: item})
		case m.isEnd(item):
			ended = true
			if v, ok := m.checkEnd(item, &s); !ok {
				v.Position = i
				found = append(found, v)
			}
		default:
			for _, v := range m.checkCall(item, &s) {
				v.Position = i
				found = append(found, v)
			}
			if c, ok := m.callIx[item]; ok {
				s = m.step(&s, c, truth)
			}
		}
	}
	if !ended {
		found = append(found, Violation{Kind: NoEnd, Position: len(w), Missing: m.openConditions(&s)})
	}
	return found
}

func (m *Machine) factSet(facts map[string]bool) (truth set) {
	for i, c := range m.conds {
		if facts[c] {
			truth |= bit(i)
		}
	}
	return truth
}

func (m *Machine) isEnd(item string) bool {
	for _, o := range m.outcomes {
		if o.end == item {
			return true
		}
	}
	return false
}

func (m *Machine) checkEnd(item string, s *state) (Violation, bool) {
	k := m.dueOutcome(s, false)
	if k >= 0 && m.outcomes[k].end == item {
		if c, ok := m.callIx[item]; ok {
			return m.checkRequirement(item, m.phi[c], s)
		}
		return Violation{}, true
	}
	if p := m.dueOutcome(s, true); k < 0 && p >= 0 && m.outcomes[p].end == item {
		return Violation{Kind: Order, Call: item, Missing: m.disorder(m.outcomes[p].tree, s)}, false
	}
	v := Violation{Kind: WrongEnd, Call: item}
	for _, o := range m.outcomes {
		if o.end == item && o.tree != nil {
			v.Missing = m.missing(o.tree, s)
			return v, false
		}
	}
	v.Missing = m.openConditions(s)
	return v, false
}

func (m *Machine) checkRequirement(item string, phi *node, s *state) (Violation, bool) {
	switch {
	case phi.orderedValue(s) == yes:
		return Violation{}, true
	case phi.plain(s.known, s.val) == yes:
		return Violation{Kind: Order, Call: item, Missing: m.disorder(phi, s)}, false
	}
	return Violation{Kind: Unmet, Call: item, Missing: m.missing(phi, s)}, false
}

// checkCall returns what is wrong with an item that is no end.
func (m *Machine) checkCall(item string, s *state) []Violation {
	c, ok := m.callIx[item]
	if !ok {
		return []Violation{{Kind: Outside, Call: item}}
	}
	var found []Violation
	if v, ok := m.checkRequirement(item, m.phi[c], s); !ok {
		found = append(found, v)
	}
	if s.made.has(c) {
		found = append(found, Violation{Kind: Repeated, Call: item})
	} else if o := m.from(s); !o.useful().has(c) {
		found = append(found, Violation{Kind: Idle, Call: item})
	}
	return found
}

// missing names the conditions for whose values n is not true.
func (m *Machine) missing(n *node, s *state) []string {
	var pos, neg set
	var walk func(n *node, want truth)
	walk = func(n *node, want truth) {
		if n.plain(s.known, s.val) == want {
			return
		}
		switch {
		case n.op == Leaf && want == yes:
			pos |= bit(n.cond)
		case n.op == Leaf:
			neg |= bit(n.cond)
		case n.op == Not:
			walk(n.parts[0], -want)
		default:
			for _, p := range n.parts {
				walk(p, want)
			}
		}
	}
	walk(n, yes)
	var names []string
	pos.each(func(i int) { names = append(names, m.conds[i]) })
	neg.each(func(i int) { names = append(names, "not "+m.conds[i]) })
	return names
}

// disorder names the conditions of the broken orders in n, in the order in
// which they were to be settled.
func (m *Machine) disorder(n *node, s *state) []string {
	var names []string
	var leaves func(n *node, not string)
	leaves = func(n *node, not string) {
		switch n.op {
		case Leaf:
			names = append(names, not+m.conds[n.cond])
		case Not:
			leaves(n.parts[0], "not ")
		default:
			for _, p := range n.parts {
				leaves(p, not)
			}
		}
	}
	var walk func(n *node)
	walk = func(n *node) {
		if n.order >= 0 && s.broken.has(n.order) {
			leaves(n, "")
			return
		}
		for _, p := range n.parts {
			walk(p)
		}
	}
	walk(n)
	return names
}

// openConditions names what the undecided outcomes still need.
func (m *Machine) openConditions(s *state) (names []string) {
	o := m.from(s)
	o.open().each(func(i int) { names = append(names, m.conds[i]) })
	return names
}
