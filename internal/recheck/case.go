package recheck

import (
	"slices"
	"strings"
)

// details holds the details that a request lists against the bindings, and takes the stated values from them.
func (c *rowCheck) details(r *request, t *told) {
	for _, name := range sortedKeys(c.ref.Bindings) {
		written, listed := r.details[name]
		if !listed {
			c.add("case", "the detail %q is not listed", name)
		} else if !c.names.isDetail(name, written, c.ref.Bindings[name]) {
			c.add("case", "the detail %q is listed as %q, but bound to %s", name, written, canonicalValue(c.ref.Bindings[name]))
		}
	}
	for _, name := range sortedKeys(r.details) {
		v, isValue := c.names.Values[name]
		if _, bound := c.ref.Bindings[name]; !bound && !(isValue && v.Stated) {
			c.add("case", "the detail %q = %q is not bound", name, r.details[name])
		}
		if number, is := readNumber(r.details[name], v.Unit); isValue && v.Stated && is {
			t.values[name] = number
		}
	}
}

// fullCase holds a case that tells everything against facts and values.
func (c *rowCheck) fullCase(text string) {
	req, rec, ok := c.readCase(text)
	if !ok {
		return
	}
	t := newTold()
	c.details(req, t)
	for _, line := range req.lines {
		if !c.hear(t, rec, line) {
			return
		}
	}
	c.values(t)
	for _, name := range sortedKeys(c.doc.established) {
		holds, isTold := t.facts[name]
		formula, compared := c.doc.measures[name]
		switch {
		case compared:
			c.compared++
			fits, settled := measured(formula, t.values)
			holds = fits && settled && c.doc.depends[name].holds(c.ref.Facts)
			if said, also := t.facts[name]; also && said != holds {
				c.add("values", "the case tells that %q is %v, but %q is %v with %v", name, said, formula, holds, t.values)
			}
		case !isTold:
			c.add("case", "the case does not tell whether %q", name)
			continue
		}
		if holds != c.ref.Facts[name] {
			c.add("case", "%q is %v in the reference, %v by the case (%s)", name, c.ref.Facts[name], holds, formula)
		}
	}
}

func (c *rowCheck) readCase(text string) (*request, *records, bool) {
	req, err := readRequest(text)
	if err != nil {
		c.add("case", "%v", err)
		return nil, nil, false
	}
	rec, err := newRecords(c.doc, c.names, c.ref.Bindings)
	if err != nil {
		c.add("case", "%v", err)
		return nil, nil, false
	}
	return req, rec, true
}

func (c *rowCheck) hear(t *told, rec *records, line string) bool {
	claim, err := rec.read(line)
	if err == nil {
		err = t.add(claim)
	}
	if err != nil {
		c.add("case", "%v", err)
	}
	return err == nil
}

// values holds what is told of every value against the reference.
func (c *rowCheck) values(t *told) {
	for _, name := range sortedKeys(c.doc.units) {
		want, exists := c.ref.Values[name]
		number, isTold := t.values[name]
		base, _, _ := cutCall(name)
		switch {
		case exists && (!isTold || !sameNumber(number, want)):
			c.add("values", "%q is %s, told is %q", name, want, number)
		case !exists && isTold && !c.names.Values[base].Stated:
			c.add("values", "there is no %q, told is %s", name, number)
		case !exists && !isTold && !t.missing[name]:
			c.add("values", "the case is silent on %q", name)
		}
	}
	for _, name := range sortedKeys(c.ref.Values) {
		if _, known := c.doc.units[name]; !known {
			c.add("values", "the procedure speaks of no value %q", name)
		}
	}
}

// openCase follows the calls so far. Before each line a condition is told only when it became known, and everything that
// became known is told. It returns the state after the last call.
func (c *rowCheck) openCase(requestText, logText string) (s state, ok bool) {
	req, rec, ok := c.readCase(requestText)
	if !ok {
		return s, false
	}
	log, err := readLog(strings.TrimLeft(logText, "\n"))
	if err != nil {
		c.add("case", "the calls made so far: %v", err)
		return s, false
	}
	t := newTold()
	c.details(req, t)
	s = c.g.initial(c.ref.Facts)
	if !c.learnt(t, rec, req.lines, 0, s) {
		return s, false
	}
	var calls []string
	for _, e := range log {
		name := c.callOf(e.call)
		if e.mark != "" && e.mark != name {
			c.add("case", "the call %s is marked %q", e.call.key(), e.mark)
		}
		calls = append(calls, name)
		at, known := c.g.callAt[name]
		if !known || c.g.calls[at].end {
			c.add("case", "the log has %q, which is no call before the end", name)
			return s, false
		}
		fault, waste := c.g.judge(name, s, false)
		if fault != "" || waste != "" {
			c.add("history", "%q has %s%s at %d", calls, fault, waste, len(calls)-1)
		}
		after := c.g.step(s, at)
		if !c.learnt(t, rec, e.results, s.known, after) {
			return s, false
		}
		s = after
	}
	if !slices.Equal(calls, c.ref.History) {
		c.add("history", "the calls made so far are %q, the history is %q", calls, c.ref.History)
		return s, false
	}
	return s, true
}

// learnt holds the lines that came with one call, or with the request, against what it made known.
func (c *rowCheck) learnt(t *told, rec *records, lines []string, before uint64, s state) bool {
	fresh, known := map[string]bool{}, map[string]bool{}
	readable := map[string]bool{} // values that known comparisons read
	for i, name := range c.g.leaves {
		if s.known&(1<<i) == 0 || c.doc.established[name] == nil {
			continue
		}
		known[name] = true
		if before&(1<<i) == 0 {
			fresh[name] = s.world&(1<<i) != 0
		}
		for _, value := range formulaNames(c.doc.measures[name]) {
			readable[value] = true
		}
	}
	for _, line := range lines {
		if m := changeLine.FindStringSubmatch(line); m != nil {
			leaf, known := c.g.leafAt[m[1]]
			if holds := m[2] == "holds"; !known || s.known&(1<<leaf) == 0 || (s.world&(1<<leaf) != 0) != holds {
				c.add("case", "%q is no effect here", line)
			}
			t.facts[m[1]] = m[2] == "holds"
			continue
		}
		cl, err := rec.read(line)
		if err == nil {
			err = t.add(cl)
		}
		if err != nil {
			c.add("case", "%v", err)
			return false
		}
		if cl.isValue && !readable[cl.name] || !cl.isValue && !known[cl.name] {
			c.add("leak", "%q is told before it is known", line)
		}
		if want, exists := c.ref.Values[cl.name]; cl.isValue && (cl.missing == exists || exists && !sameNumber(want, cl.number)) {
			c.add("values", "%q is told as %q, the reference says %q", cl.name, cl.number, want)
		}
	}
	for _, name := range sortedKeys(fresh) {
		holds, isTold := t.facts[name]
		if formula := c.doc.measures[name]; formula != "" && !isTold {
			c.compared++
			fits, settled := measured(formula, t.values)
			silent := slices.ContainsFunc(formulaNames(formula), func(value string) bool {
				_, has := t.values[value]
				return !has && !t.missing[value]
			})
			holds, isTold = fits && settled, !silent
		}
		switch {
		case !isTold:
			c.add("case", "%q became known, but is not told", name)
		case holds != fresh[name]:
			c.add("case", "%q is %v, told is %v", name, fresh[name], holds)
		}
	}
	return true
}

// known gives the facts that a state shows.
func (g *graph) known(s state) map[string]bool {
	facts := map[string]bool{}
	for i, name := range g.leaves {
		if s.known&(1<<i) != 0 {
			facts[name] = s.world&(1<<i) != 0
		}
	}
	return facts
}
