package sop

import "fmt"

// Derive returns facts for every condition of v from what a case states: a
// comparison is true when what it depends on is so and its numbers exist and
// hold; other facts are taken over, false where nothing is stated.
func (v *Variant) Derive(stated map[string]bool, numbers map[string]float64) map[string]bool {
	facts := make(map[string]bool, len(v.Conditions))
	for c, use := range v.Conditions {
		if use.Compare == nil {
			facts[c] = stated[c]
		}
	}
	// Comparisons may depend on each other, so they are settled in rounds;
	// cycles in depends_on are refused by the loaders.
	for range len(v.Conditions) {
		changed := false
		for c, use := range v.Conditions {
			if use.Compare == nil {
				continue
			}
			holds, ok := use.Compare.Holds(numbers)
			now := ok && holds && v.DependsOn[c].Holds(facts)
			if was, done := facts[c]; !done || was != now {
				facts[c], changed = now, true
			}
		}
		if !changed {
			break
		}
	}
	return facts
}

// Adopt returns the scenario as v sees it: facts, values, bindings and results of
// another variant of the same procedure under the same names, comparisons
// judged by v's own thresholds. The error says that v has a condition or value
// that the scenario does not tell about, or that its facts would not be
// consistent.
func (v *Variant) Adopt(s *Scenario, from *Variant) (*Scenario, error) {
	stated := map[string]bool{}
	for c, use := range v.Conditions {
		fact, ok := s.Facts[c]
		if !ok {
			return nil, fmt.Errorf("procedure %s: the scenario does not tell %s", v.Procedure.Goal, c)
		}
		if use.Compare == nil {
			stated[c] = fact
		}
	}
	numbers := map[string]float64{}
	for name := range v.Values {
		if from.Values[name] == nil {
			return nil, fmt.Errorf("procedure %s: the scenario does not tell %s", v.Procedure.Goal, name)
		}
		if x, ok := s.Values[name]; ok {
			numbers[name] = x
		}
	}
	out := &Scenario{Facts: v.Derive(stated, numbers), Values: numbers, Bindings: s.Bindings, Results: s.Results}
	if !v.Consistent(out.Facts) {
		return nil, fmt.Errorf("procedure %s: the facts are not consistent here", v.Procedure.Goal)
	}
	return out, nil
}

// Reword gives a graph that was read from a text the wording of the domain:
// enough of a Variant to read a scenario with. names maps the names in the
// graph to those of the domain where they differ.
func (d *Domain) Reword(g Graph, compare map[string]*Comparison, names map[string]string) (*Variant, error) {
	v := &Variant{Graph: g, Domain: d, Thresholds: map[string]float64{},
		Conditions: map[string]*ConditionUse{}, Calls: map[string]*CallUse{}, Values: map[string]*ValueUse{}}
	base := func(n Name) string {
		if b, ok := names[n.Base]; ok {
			return b
		}
		return n.Base
	}
	for key := range g.EstablishedBy {
		n, err := ParseName(key)
		if err != nil {
			return nil, err
		}
		c := d.Conditions[base(n)]
		if c == nil {
			return nil, fmt.Errorf("condition %q is not declared in domain %s", base(n), d.Name)
		}
		args := argsOf(n, c.Parameters)
		v.Conditions[key] = &ConditionUse{Condition: c, Base: base(n), Args: args,
			Text: d.fill(c.Text, args), Negated: d.fill(c.Negated, args), Compare: compare[key]}
		if compare[key] == nil {
			continue
		}
		for _, name := range compare[key].Names() {
			vn, _ := ParseName(name)
			val := d.Values[vn.Base]
			if val == nil {
				return nil, fmt.Errorf("value %q is not declared in domain %s", vn.Base, d.Name)
			}
			vargs := argsOf(vn, val.Parameters)
			v.Values[name] = &ValueUse{Value: val, Base: vn.Base, Args: vargs, Text: d.fill(val.Text, vargs)}
		}
	}
	for key := range g.Requires {
		n, err := ParseName(key)
		if err != nil {
			return nil, err
		}
		a := d.Actions[base(n)]
		if a == nil {
			return nil, fmt.Errorf("action %q is not declared in domain %s", base(n), d.Name)
		}
		args := argsOf(n, a.Parameters)
		v.Calls[key] = &CallUse{Action: a, Base: base(n), Name: n.Base, Args: args, Text: d.fill(a.Text, args)}
	}
	goal, err := ParseName(g.Goal)
	if err != nil {
		return nil, err
	}
	if v.Procedure = d.Procedure(base(goal)); v.Procedure == nil {
		v.Procedure = &Procedure{Goal: base(goal)}
	}
	return v, nil
}
