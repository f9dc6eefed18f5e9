package stages

import (
	"slices"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// borrowed is the rules of the domain's other procedures (foreign), and those
// of them that speak of nothing but what a request of this one tells (near). A
// procedure with few rules of its own has too few variants to be contrasted
// with.
func (p *pool) borrowed() (near, foreign []*sop.Tree) {
	own := p.rules()
	full, err := p.domain.Variant(p.procedure, sop.Choice{Rules: own})
	if err != nil {
		return nil, nil
	}
	told := map[string]bool{}
	for _, c := range full.Calls {
		for _, source := range c.Args {
			told[source] = true
		}
	}
	for _, c := range full.Conditions {
		for _, source := range c.Args {
			told[source] = true
		}
	}
	for _, other := range p.domain.Procedures {
		for _, rule := range other.AllRules() {
			if slices.ContainsFunc(foreign, rule.Equal) || slices.ContainsFunc(own, rule.Equal) {
				continue
			}
			foreign = append(foreign, rule)
			if p.speaksOf(rule, told) {
				near = append(near, rule)
			}
		}
	}
	return near, foreign
}

// rules are all rules of the procedure, or of its cases.
func (p *pool) rules() []*sop.Tree {
	rules := p.procedure.AllRules()
	for _, c := range p.procedure.Cases {
		for _, r := range c.Rules {
			if !slices.ContainsFunc(rules, r.Equal) {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// speaksOf tells whether the conditions of a rule have no other parameters.
func (p *pool) speaksOf(rule *sop.Tree, told map[string]bool) bool {
	for _, leaf := range rule.Names() {
		n, err := sop.ParseName(leaf)
		c := p.domain.Conditions[n.Base]
		if err != nil || c == nil {
			return false
		}
		for _, parameter := range c.Parameters {
			if !told[n.Source(parameter)] {
				return false
			}
		}
	}
	return true
}

// lent leaves those of the rules of other procedures that the job may borrow:
// some procedure of the training split, or of its own, has them. What nobody
// has accepted is lent to rows of its kind only.
func (j *Job) lent(rules []*sop.Tree) []*sop.Tree {
	var open []*sop.Tree
	for _, p := range j.Domain.Procedures {
		if j.Split != dataset.Unreviewed && j.Domain.Unreviewed(p) {
			continue
		}
		if split := j.Splits[j.Domain.Name+"/"+p.Goal]; split == "" || split == dataset.Train || split == j.Split {
			open = append(open, p.AllRules()...)
		}
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r *sop.Tree) bool { return !slices.ContainsFunc(open, r.Equal) })
}
