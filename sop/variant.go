package sop

import (
	"fmt"
	"sort"
	"strings"
)

// Variant is a procedure as one organisation runs it: its required rules and
// some of the customizable ones, thresholds of its own, rules in its own
// order, and perhaps other names. Its Graph is the meaning; the rest words it.
type Variant struct {
	Graph
	Domain     *Domain
	Procedure  *Procedure
	Rules      []*Tree // of the goal, in the order of the text; all have to hold
	Thresholds map[string]float64
	Conditions map[string]*ConditionUse // by instance name, as in EstablishedBy
	Calls      map[string]*CallUse      // by instance name, as in Requires
	Values     map[string]*ValueUse     // by instance name
}

// ConditionUse is a condition as a variant names and words it.
type ConditionUse struct {
	*Condition
	Base          string            // the condition's name in the domain
	Args          map[string]string // every parameter and its source
	Text, Negated string            // with nouns filled in
	Compare       *Comparison       // over value instances and numbers; nil unless a comparison
}

// CallUse is an action as a variant names and words it.
type CallUse struct {
	*Action
	Base string            // the action's name in the domain
	Name string            // the same under this variant's names
	Args map[string]string // every parameter and its source
	Text string            // with nouns filled in
}

// ValueUse is a value as a variant reads it.
type ValueUse struct {
	*Value
	Base      string
	Args      map[string]string
	Text      string // with nouns filled in
	DependsOn *Tree  // over this variant's conditions
}

// Choice is what makes a variant of a procedure.
type Choice struct {
	Rules      []*Tree            // nil stands for all rules of the procedure
	Thresholds map[string]float64 // those not named keep their default
	Names      map[string]string  // base name -> name in this variant
}

// AllRules returns the required and then the customizable rules.
func (p *Procedure) AllRules() []*Tree {
	return append(append([]*Tree{}, p.Required...), p.Customizable...)
}

// Procedure returns the procedure of that goal, or nil.
func (d *Domain) Procedure(goal string) *Procedure {
	i := sort.Search(len(d.Procedures), func(i int) bool { return d.Procedures[i].Goal >= goal })
	if i < len(d.Procedures) && d.Procedures[i].Goal == goal {
		return d.Procedures[i]
	}
	return nil
}

// Requirement returns φ of an action of the domain: all rules of the
// procedure of that goal, or what the action itself declares.
func (d *Domain) Requirement(action string) *Tree {
	if p := d.Procedure(action); p != nil {
		return Conjunction(p.AllRules())
	}
	if a := d.Actions[action]; a != nil {
		return a.Requires
	}
	return nil
}

// Conjunction returns the tree that demands all rules, without the leaves
// that another rule demands too; nil where there is none.
func Conjunction(rules []*Tree) *Tree {
	var parts []*Tree
	for _, r := range rules {
		if r != nil && r.Op == All {
			parts = append(parts, r.Parts...)
		} else if r != nil {
			parts = append(parts, r)
		}
	}
	demanded := func(skip int, t *Tree) bool {
		for i, p := range parts {
			if i != skip && (i < skip && p.Equal(t) || p.Op.Conjunctive() && p.Op != Leaf && p.demands(t)) {
				return true
			}
		}
		return false
	}
	var kept []*Tree
	for i, p := range parts {
		if p.Op.Conjunctive() || !demanded(i, p) {
			kept = append(kept, p)
		}
	}
	switch len(kept) {
	case 0:
		return nil
	case 1:
		return kept[0]
	}
	return T(All, kept...)
}

func (t *Tree) demands(u *Tree) bool {
	for _, p := range t.Parts {
		if p.Equal(u) || p.Op.Conjunctive() && p.demands(u) {
			return true
		}
	}
	return false
}

// Variant resolves a choice. The error names what is not declared.
func (d *Domain) Variant(p *Procedure, c Choice) (*Variant, error) { return d.Variants(p).Variant(c) }

// Variant is Domain.Variant.
func (s *Variants) Variant(c Choice) (*Variant, error) {
	d, p := s.domain, s.procedure
	v := &Variant{
		Domain: d, Procedure: p, Rules: c.Rules, Thresholds: map[string]float64{},
		Conditions: map[string]*ConditionUse{}, Calls: map[string]*CallUse{}, Values: map[string]*ValueUse{},
		Graph: Graph{
			Requires: map[string]*Tree{}, EstablishedBy: map[string]*Tree{}, DependsOn: map[string]*Tree{},
			Effects: map[string]map[string]bool{},
		},
	}
	if c.Rules == nil {
		v.Rules = p.AllRules()
	}
	for n, t := range d.Thresholds {
		v.Thresholds[n] = t.Default
	}
	for n, x := range c.Thresholds {
		if d.Thresholds[n] == nil {
			return nil, fmt.Errorf("procedure %s: threshold %q is not declared, want one of %s", p.Goal, n, strings.Join(sortedKeys(d.Thresholds), ", "))
		}
		v.Thresholds[n] = x
	}
	r := resolver{v: v, declared: s, names: c.Names, renamed: map[string]string{}}
	if err := r.resolve(); err != nil {
		return nil, fmt.Errorf("procedure %s: %w", p.Goal, err)
	}
	return v, nil
}
