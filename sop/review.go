package sop

import "slices"

// Unreviewed names what the variant leans on that was read out of a document
// without certainty and that nobody has accepted, sorted: the procedure,
// calls, conditions, values and thresholds. Rows of such a variant are kept
// apart.
func (v *Variant) Unreviewed() []string {
	found := map[string]bool{}
	note := func(name string, certain *bool) {
		if certain != nil && !*certain {
			found[name] = true
		}
	}
	note(v.Procedure.Goal, v.Procedure.Certain)
	for _, c := range v.Calls {
		note(c.Base, c.Certain)
	}
	for _, c := range v.Conditions {
		note(c.Base, c.Certain)
		if compare, err := ParseComparison(c.Condition.Compare); err == nil && c.Condition.Compare != "" {
			for _, name := range compare.Names() {
				if t := v.Domain.Thresholds[name]; t != nil {
					note(name, t.Certain)
				}
			}
		}
	}
	for _, x := range v.Values {
		note(x.Base, x.Certain)
	}
	return sortedKeys(found)
}

// Unreviewed tells that the procedure, or a term of it, leans on what nobody has
// accepted.
func (d *Domain) Unreviewed(p *Procedure) bool {
	for _, t := range d.Glossary {
		if t.Unreviewed() && slices.Contains(t.UsedIn, p.Goal) {
			return true
		}
	}
	if !d.doubtful() { // most are not, and to resolve the variant costs more
		return false
	}
	v, err := d.Variant(p, Choice{})
	return err == nil && len(v.Unreviewed()) > 0
}

// doubtful tells whether anything of the domain was read without certainty and
// not accepted since.
func (d *Domain) doubtful() bool {
	open := func(certain *bool) bool { return certain != nil && !*certain }
	for _, x := range d.Actions {
		if open(x.Certain) {
			return true
		}
	}
	for _, x := range d.Conditions {
		if open(x.Certain) {
			return true
		}
	}
	for _, x := range d.Values {
		if open(x.Certain) {
			return true
		}
	}
	for _, x := range d.Thresholds {
		if open(x.Certain) {
			return true
		}
	}
	return slices.ContainsFunc(d.Procedures, func(p *Procedure) bool { return open(p.Certain) })
}

// Unreviewed tells that the term was read without certainty, and that nobody
// has accepted it.
func (t *Term) Unreviewed() bool { return t.Certain != nil && !*t.Certain }
