package sop

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// resolver builds a variant: it follows the goal's rules to the conditions that
// they name, to the calls that establish these, and to what those require.
type resolver struct {
	v        *Variant
	declared *Variants
	names    map[string]string
	renamed  map[string]string // see rename
}

func (r *resolver) resolve() error {
	v := r.v
	v.Goal = r.call(Name{Base: v.Procedure.Goal})
	goalTree := Conjunction(v.Rules)
	rules := make([]*Tree, len(v.Rules))
	for i, t := range v.Rules {
		rules[i] = r.tree(t)
	}
	v.Rules = rules
	if len(v.Procedure.Outcomes) == 0 {
		v.Outcomes = []Outcome{{End: v.Goal, Tree: r.tree(goalTree)}, {End: Deny}}
	} else {
		for _, o := range v.Procedure.Outcomes {
			v.Outcomes = append(v.Outcomes, Outcome{End: r.rename(o.End), Tree: r.tree(o.Tree)})
		}
	}
	goal, err := r.declared.call(v.Procedure.Goal)
	if err != nil {
		return err
	}
	if goal == nil {
		return fmt.Errorf("action %q is not declared", v.Procedure.Goal)
	}
	if err := r.addCall(goal, goalTree, goalTree.Names()); err != nil {
		return err
	}
	for _, o := range v.Procedure.Outcomes {
		if err := r.addConditions(o.Tree.Names()); err != nil {
			return err
		}
		if end, err := r.declared.call(o.End); err == nil && end != nil && end.name.Base != v.Procedure.Goal {
			requires := v.Domain.Requirement(end.name.Base)
			if err := r.addCall(end, requires, requires.Names()); err != nil {
				return err
			}
		}
	}
	r.close()
	return nil
}

// addCall adds the call, which has that requirement here, and through it all that
// it leads to.
func (r *resolver) addCall(c *declaredCall, requires *Tree, conditions []string) error {
	key := r.call(c.name)
	if _, done := r.v.Requires[key]; done {
		return nil
	}
	r.v.Requires[key] = r.tree(requires)
	use := c.use
	use.Name = r.alias(use.Base)
	r.v.Calls[key] = &use
	return r.addConditions(conditions)
}

func (r *resolver) addConditions(leaves []string) error {
	for _, leaf := range leaves {
		c, err := r.declared.condition(leaf)
		if err != nil {
			return err
		}
		if err := r.addCondition(c); err != nil {
			return err
		}
	}
	return nil
}

func (r *resolver) addCondition(c *declaredCondition) (err error) {
	key := r.call(c.name)
	if _, done := r.v.EstablishedBy[key]; done {
		return nil
	}
	use := c.use
	r.v.EstablishedBy[key] = r.tree(c.source)
	r.v.Conditions[key] = &use
	if c.compare != nil {
		if use.Compare, err = r.comparison(c); err != nil {
			return err
		}
	}
	for _, leaf := range c.calls {
		call, err := r.declared.call(leaf)
		if err != nil {
			return err
		}
		if call == nil {
			return fmt.Errorf("condition %q is established by %q, which is no action", use.Base, leaf)
		}
		if err := r.addCall(call, call.requires, call.conditions); err != nil {
			return err
		}
	}
	return nil
}

// establishedBy returns the source of a condition instance, renamed.
func (d *Domain) establishedBy(n Name, cond *Condition) (*Tree, error) {
	if t := cond.EstablishedBy; t != nil {
		return d.renameTree(t, argsOf(n, cond.Parameters)), nil
	}
	if a := d.Actions[n.Base]; a != nil {
		return L(n.Rename(nil, a.Parameters).String()), nil
	}
	return nil, fmt.Errorf("nothing establishes the condition %q, want established_by (a tree over actions, or conversation) or an action of that name", n.Base)
}

func (r *resolver) comparison(c *declaredCondition) (*Comparison, error) {
	d, args := r.v.Domain, c.use.Args
	var missing error
	compare := c.compare.Map(func(name string) *Expr {
		if _, ok := d.Thresholds[name]; ok {
			return &Expr{Op: 'n', Num: r.v.Thresholds[name]}
		}
		n, _ := ParseName(name)
		val := d.Values[n.Base]
		if val == nil {
			missing = fmt.Errorf("condition %q compares %q, which is neither a value nor a threshold", c.use.Base, name)
			return &Expr{Op: 'n'}
		}
		if val.Stated {
			// A stated value is a parameter: the renaming gives its source.
			if s, ok := args[n.Base]; ok {
				n = Name{Base: s}
				if d.Values[s] != nil {
					val = d.Values[s]
				}
			}
		} else {
			n = n.Rename(args, val.Parameters)
		}
		key := n.String()
		if r.v.Values[key] == nil {
			vargs := argsOf(n, val.Parameters)
			r.v.Values[key] = &ValueUse{Value: val, Base: n.Base, Args: vargs, Text: d.fill(val.Text, vargs),
				DependsOn: r.tree(d.renameTree(val.DependsOn, vargs))}
		}
		return &Expr{Op: 'v', Name: key}
	})
	return compare, missing
}

// close adds what relates the conditions of the variant to each other, and
// leaves out what speaks of conditions that no tree of it names.
func (r *resolver) close() {
	v, d := r.v, r.v.Domain
	for key, use := range v.Conditions {
		if t := v.project(r.tree(d.renameTree(use.Condition.DependsOn, use.Args))); t != nil {
			v.DependsOn[key] = t
		}
	}
	for _, use := range v.Values {
		use.DependsOn = v.project(use.DependsOn)
	}
	for key, call := range v.Calls {
		effects := map[string]bool{}
		for name, to := range call.Effects {
			n, _ := ParseName(name)
			if c := d.Conditions[n.Base]; c != nil {
				if k := r.call(n.Rename(call.Args, c.Parameters)); v.EstablishedBy[k] != nil {
					effects[k] = to
				}
			}
		}
		if len(effects) > 0 {
			v.Effects[key] = effects
		}
	}
	v.Excludes = r.excludes()
}

// project replaces leaves that are no conditions of v by true; a negated part
// that names one is dropped whole.
func (v *Variant) project(t *Tree) *Tree {
	if t == nil {
		return nil
	}
	switch t.Op {
	case Leaf:
		if v.EstablishedBy[t.Name] == nil {
			return nil
		}
		return t
	case Not:
		for _, n := range t.Names() {
			if v.EstablishedBy[n] == nil {
				return nil
			}
		}
		return t
	}
	var parts []*Tree
	for _, p := range t.Parts {
		q := v.project(p)
		if q == nil && !t.Op.Conjunctive() {
			return nil
		}
		if q != nil {
			parts = append(parts, q)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	if len(parts) == 0 {
		return nil
	}
	return T(t.Op, parts...)
}

func (r *resolver) excludes() [][]string {
	var sets [][]string
	seen := map[string]bool{}
	d := r.v.Domain
	for _, group := range d.Excludes {
		for _, key := range sortedKeys(r.v.Conditions) {
			anchor := r.v.Conditions[key]
			if !containsBase(group, anchor.Base) {
				continue
			}
			var set []string
			for _, name := range group {
				n, _ := ParseName(name)
				c := d.Conditions[n.Base]
				if c == nil {
					continue
				}
				if k := r.call(n.Rename(anchor.Args, c.Parameters)); r.v.Conditions[k] != nil {
					set = append(set, k)
				}
			}
			sort.Strings(set)
			if id := strings.Join(set, "\x00"); len(set) > 1 && !seen[id] {
				seen[id] = true
				sets = append(sets, set)
			}
		}
	}
	return sets
}

func containsBase(group []string, base string) bool {
	for _, g := range group {
		if n, err := ParseName(g); err == nil && n.Base == base {
			return true
		}
	}
	return false
}

func (r *resolver) alias(base string) string {
	if a, ok := r.names[base]; ok {
		return a
	}
	return base
}

func (r *resolver) call(n Name) string {
	n.Base = r.alias(n.Base)
	return n.String()
}

// rename gives a name of the domain's trees as the variant has it. Trees share
// most of their names.
func (r *resolver) rename(name string) string {
	to, ok := r.renamed[name]
	if !ok {
		to = r.canonical(name)
		r.renamed[name] = to
	}
	return to
}

func (r *resolver) canonical(name string) string {
	n, err := ParseName(name)
	if err != nil || n.Base == Deny || n.Base == Conversation {
		return name
	}
	if a := r.v.Domain.Actions[n.Base]; a != nil {
		n = n.Rename(nil, a.Parameters)
	} else if c := r.v.Domain.Conditions[n.Base]; c != nil {
		n = n.Rename(nil, c.Parameters)
	}
	return r.call(n)
}

func (r *resolver) tree(t *Tree) *Tree { return t.Map(r.rename) }

// renameTree passes args (parameter -> source) through a tree over
// conditions or actions of the domain.
func (d *Domain) renameTree(t *Tree, args map[string]string) *Tree {
	return t.Map(func(name string) string {
		n, err := ParseName(name)
		if err != nil || n.Base == Conversation {
			return name
		}
		if c := d.Conditions[n.Base]; c != nil {
			return n.Rename(args, c.Parameters).String()
		}
		if a := d.Actions[n.Base]; a != nil {
			return n.Rename(args, a.Parameters).String()
		}
		return name
	})
}

func argsOf(n Name, parameters []string) map[string]string {
	args := make(map[string]string, len(parameters))
	for _, p := range parameters {
		args[p] = n.Source(p)
	}
	return args
}

// fill replaces {parameter} by the noun of the parameter's source.
func (d *Domain) fill(text string, args map[string]string) string {
	for p, s := range args {
		noun := strings.ReplaceAll(s, "_", " ")
		if decl := d.Parameters[s]; decl != nil && decl.Noun != "" {
			noun = decl.Noun
		}
		text = strings.ReplaceAll(text, "{"+p+"}", noun)
	}
	return text
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
