package stages

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// loan is the rules of the domain's other procedures that a procedure may borrow.
// With few rules of its own it has too few variants to be contrasted with, and
// with few calls too few right answers. The SOP states them as its own, so that
// what is right follows from it. It is the same for all jobs of a procedure.
type loan struct {
	once          sync.Once
	near, foreign []*sop.Tree // those that speak of nothing but what a request of the procedure tells, and all
	fit           []*sop.Tree // see fitting
	most          int         // how many of the fitting ones a variant has at most where cases are drawn of it
}

// How many fitting rules are enough, and how many of a procedure's own that may
// be left out.
const (
	enoughLent   = 4
	enoughChosen = 4
)

// maxLent bounds the lent rules of a variant of few calls; others have one.
const maxLent = 3

// borrows is the loan of the job's procedure, made when it is first asked for.
func (j *Job) borrows() *loan {
	j.loan.once.Do(func() { j.loan.make(j) })
	return j.loan
}

// make leaves what the job may borrow. Fitting rules come from the near ones, or,
// where these are few, from all.
func (l *loan) make(j *Job) {
	d, proc := j.Domain, j.Procedure
	p := newPool(d, proc, 0)
	own := p.rules()
	full, err := d.Variant(proc, sop.Choice{Rules: own})
	if err != nil {
		return
	}
	l.most = maxLent
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
	open := j.open()
	for _, other := range d.Procedures {
		for _, rule := range other.AllRules() {
			if !slices.ContainsFunc(open, rule.Equal) || slices.ContainsFunc(l.foreign, rule.Equal) || slices.ContainsFunc(own, rule.Equal) {
				continue
			}
			l.foreign = append(l.foreign, rule)
			if p.speaksOf(rule, told) {
				l.near = append(l.near, rule)
			}
		}
	}
	if len(proc.Cases) > 0 {
		return
	}
	if l.fit = p.fitting(l.near, len(full.Requires)); len(l.fit) < enoughLent {
		l.fit = p.fitting(l.foreign, len(full.Requires))
	}
	if len(full.Requires) > callsForAWhole {
		l.most = 1
		if len(proc.Customizable) >= enoughChosen {
			l.most = 0
		}
	}
}

// fitting leaves rules that ask for a further call, not for the goal itself,
// and do not contradict the procedure's own.
func (p *pool) fitting(rules []*sop.Tree, calls int) (fit []*sop.Tree) {
	for _, rule := range rules {
		v, err := p.variants.Variant(sop.Choice{Rules: append(p.rules(), rule)})
		if err != nil || len(v.Requires) <= calls || len(v.Conditions) > sop.MaxEnumerated || v.Cycle() != nil {
			continue
		}
		if s, err := sop.NewSampler(v); err == nil && s.Count(0) > 0 {
			fit = append(fit, rule)
		}
	}
	return fit
}

// borrow lets variants have up to that many of the loan's fitting rules.
func (p *pool) borrow(l *loan, most int) {
	p.most = min(most, len(l.fit))
	if p.most > 0 {
		p.lent = l.fit
	}
}

// borrowed draws some of the lent rules.
func (p *pool) borrowed(rng *rand.Rand) []*sop.Tree {
	if p.most == 0 {
		return nil
	}
	return shuffledOf(rng, p.lent)[:rng.IntN(p.most+1)]
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

// open is the rules of the domain's procedures that the job may borrow: some
// procedure of the training split, or of its own, has them. What nobody has
// accepted is lent to rows of its kind only.
func (j *Job) open() (open []*sop.Tree) {
	for _, p := range j.Domain.Procedures {
		if j.Split != dataset.Unreviewed && j.Domain.Unreviewed(p) {
			continue
		}
		if split := j.Splits[j.Domain.Name+"/"+p.Goal]; split == "" || split == dataset.Train || split == j.Split {
			open = append(open, p.AllRules()...)
		}
	}
	return open
}
