package stages

import (
	"cmp"
	"slices"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// subjectCounts is what stage 1 can ask for in a procedure: terms and identifiers,
// by view.
type subjectCounts map[string]int

// subjectsForAWhole is how many terms and identifiers, over all views, it takes
// for as many rows as any other procedure has.
const subjectsForAWhole = 20

// share is the part of a stage's groups that a procedure gets, against the
// others' shares: at most 1.
func (p *Plan) share(stage int, d *sop.Domain, proc *sop.Procedure) float64 {
	if stage != 1 {
		return weight(d, proc)
	}
	subjects := 0
	for _, n := range p.subjects(proc) {
		subjects += n
	}
	return max(smallestShare, min(1, float64(subjects)/subjectsForAWhole))
}

// subjects is that of a procedure of the plan; all are counted at once.
func (p *Plan) subjects(proc *sop.Procedure) subjectCounts {
	if p.subjectsOf == nil {
		p.subjectsOf = map[*sop.Procedure]subjectCounts{}
		for _, c := range p.corpora {
			p.countTerms(c.Domain)
			for _, proc := range c.Domain.Procedures {
				p.countIdentifiers(c.Domain, proc)
			}
		}
	}
	return p.subjectsOf[proc]
}

// countTerms counts the terms of which a procedure's split has the rows.
func (p *Plan) countTerms(d *sop.Domain) {
	situations := text.NewSituations(d)
	for _, proc := range d.Procedures {
		p.subjectsOf[proc] = subjectCounts{}
	}
	for _, t := range d.Glossary {
		owner := splitOfTerm(p.Options.Seed, d, t, p.Split.Assignments)
		for _, goal := range t.UsedIn {
			proc := d.Procedure(goal)
			if proc == nil || owner != "" && owner != p.splitOf(d, proc) {
				continue
			}
			c := p.subjectsOf[proc]
			c[text.DefinitionView]++
			c[text.DiscriminationView]++
			if situations.Has(t) {
				c[text.ApplicationView]++
			}
		}
	}
}

// countIdentifiers counts those of the procedure's first variant.
func (p *Plan) countIdentifiers(d *sop.Domain, proc *sop.Procedure) {
	choice := sop.Choice{}
	if len(proc.Cases) > 0 {
		choice.Rules = append([]*sop.Tree{}, proc.Cases[0].Rules...)
	}
	v, err := d.Variant(proc, choice)
	if err != nil {
		return
	}
	m := p.Options.Ratio[0]
	if n := len(text.NamedOf(v)); n > m*3/2 { // other variants have fewer
		p.subjectsOf[proc][text.ConditionWordingView] = n
	}
	if n := len(v.Calls); max(n, len(d.Actions)) > m {
		p.subjectsOf[proc][text.ToolChoiceView] = n
	}
}

// splitOfTerm keeps the rows of a term in one split, whichever procedures use
// it: that of one of them, drawn from the seed. It is empty where no unit of
// the splits is a procedure that uses the term.
func splitOfTerm(seed uint64, d *sop.Domain, t *sop.Term, splits map[string]string) string {
	owner, least := "", 2.0
	for _, goal := range t.UsedIn {
		if x := fraction(seed, "term", d.Name, t.Term, goal); x < least && d.Procedure(goal) != nil {
			owner, least = goal, x
		}
	}
	return splits[d.Name+"/"+owner]
}

// rowsPerView is how many rows of a view a job makes at least, if it has so
// many: with fewer, most of its negatives would never be right anywhere.
const rowsPerView = 10

// allotViews gives the jobs of stage 1 their views, so that all have as many
// rows: each piece of a job goes to the view that has had the fewest so far,
// of those that the procedure has something to ask for in.
func (p *Plan) allotViews() {
	rows := map[string]int{}
	for _, j := range p.Jobs {
		if j.Stage != 1 {
			continue
		}
		can := p.subjects(j.Procedure)
		views := slices.DeleteFunc(slices.Clone(text.ConceptViews), func(v string) bool { return can[v] == 0 })
		if len(views) == 0 {
			views = text.ConceptViews
		}
		j.Views = map[string]int{}
		pieces := max(1, j.Groups/rowsPerView)
		for k := range pieces {
			least := slices.MinFunc(views, func(a, b string) int { return cmp.Or(rows[a]-rows[b], j.Views[a]-j.Views[b]) })
			n := j.Groups*(k+1)/pieces - j.Groups*k/pieces
			rows[least] += n
			j.Views[least] += n
		}
	}
}
