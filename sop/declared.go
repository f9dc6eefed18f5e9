package sop

import "fmt"

// Variants makes the variants of a procedure. What the domain declares of a call
// or a condition with its arguments is the same in all of them, but for their
// names, and found out once. It is not safe for concurrent use, and the domain must not
// change meanwhile.
type Variants struct {
	domain     *Domain
	procedure  *Procedure
	calls      map[string]*declaredCall // by the leaf that names it
	conditions map[string]*declaredCondition
}

// Variants returns a maker of the procedure's variants.
func (d *Domain) Variants(p *Procedure) *Variants {
	return &Variants{domain: d, procedure: p, calls: map[string]*declaredCall{}, conditions: map[string]*declaredCondition{}}
}

// declaredCall is an action with its arguments, under the domain's own names.
type declaredCall struct {
	name       Name
	use        CallUse // Name is left open
	requires   *Tree
	conditions []string // in requires
}

// declaredCondition is a condition with its arguments, under the domain's own
// names.
type declaredCondition struct {
	name    Name
	use     ConditionUse // Compare is left open
	source  *Tree
	calls   []string    // in source
	compare *Comparison // over the domain's values and thresholds
}

// call is nil where the domain has no such action.
func (s *Variants) call(leaf string) (*declaredCall, error) {
	if c := s.calls[leaf]; c != nil {
		return c, nil
	}
	n, err := ParseName(leaf)
	if err != nil {
		return nil, err
	}
	d := s.domain
	action := d.Actions[n.Base]
	if action == nil {
		return nil, nil
	}
	args := argsOf(n, action.Parameters)
	c := &declaredCall{
		name: n.Rename(nil, action.Parameters), use: CallUse{Action: action, Base: n.Base, Args: args, Text: d.fill(action.Text, args)},
		requires: d.renameTree(d.Requirement(n.Base), args),
	}
	c.conditions = c.requires.Names()
	s.calls[leaf] = c
	return c, nil
}

func (s *Variants) condition(leaf string) (*declaredCondition, error) {
	if c := s.conditions[leaf]; c != nil {
		return c, nil
	}
	n, err := ParseName(leaf)
	if err != nil {
		return nil, err
	}
	d := s.domain
	cond := d.Conditions[n.Base]
	if cond == nil {
		return nil, fmt.Errorf("condition %q is not declared", n.Base)
	}
	n = n.Rename(nil, cond.Parameters)
	args := argsOf(n, cond.Parameters)
	c := &declaredCondition{
		name: n,
		use:  ConditionUse{Condition: cond, Base: n.Base, Args: args, Text: d.fill(cond.Text, args), Negated: d.fill(cond.Negated, args)},
	}
	if c.source, err = d.establishedBy(n, cond); err != nil {
		return nil, err
	}
	if c.source.Op != Leaf || c.source.Name != Conversation {
		c.calls = c.source.Names()
	}
	if cond.Compare != "" {
		if c.compare, err = ParseComparison(cond.Compare); err != nil {
			return nil, err
		}
	}
	s.conditions[leaf] = c
	return c, nil
}
