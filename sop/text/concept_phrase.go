package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// Situations words what the terms of a domain's glossary name. It is only read
// once it is made.
type Situations struct {
	domain *sop.Domain
	forms  map[string]map[string][]string // by kind, by what they are about
	names  map[string][]string            // sorted, by kind
}

// NewSituations collects the phrases of a domain.
func NewSituations(d *sop.Domain) *Situations {
	s := &Situations{domain: d, forms: map[string]map[string][]string{}, names: map[string][]string{}}
	for _, kind := range conceptViewKinds[ApplicationView] {
		s.forms[kind] = situationForms(d, kind)
		s.names[kind] = sopNames(s.forms[kind])
	}
	return s
}

// Has is false for a term that words no condition, action, value or threshold
// of the domain.
func (s *Situations) Has(t *sop.Term) bool { return t.Of != "" && len(s.forms[t.Type][t.Of]) > 0 }

// Draw words what a term names, without the term: a line of a file, an outcome
// of a check, an instruction, a setting. The term's type is the kind of a
// Concept. It is empty where Has is false.
func (s *Situations) Draw(t *sop.Term, rng *rand.Rand) string {
	if !s.Has(t) {
		return ""
	}
	taken := map[string]string{}
	return scnFill(scnPick(rng, s.forms[t.Type][t.Of]), func(slot, _, _ string) (string, bool) {
		switch {
		case slot == "value":
			return situationNumber(s.domain, t, rng), true
		case taken[slot] == "":
			taken[slot] = situationExample(s.domain, slot, taken, rng)
		}
		return taken[slot], true
	})
}

// Of returns the names of the domain that a phrase of Draw can be about,
// sorted: more than one where forms of two fit.
func (s *Situations) Of(kind, phrase string) []string {
	var names []string
	for _, name := range s.names[kind] {
		if slices.ContainsFunc(s.forms[kind][name], func(form string) bool { _, ok := conceptMatch(form, phrase); return ok }) {
			names = append(names, name)
		}
	}
	return names
}

// situationForms are the phrases of a kind by what they are about; {value}
// and {parameter} stand for what a case fills in.
func situationForms(d *sop.Domain, kind string) map[string][]string {
	forms := map[string][]string{}
	add := func(name, form string) {
		if form = sopPlainWords(form); form != "" {
			forms[name] = append(forms[name], form)
		}
	}
	switch kind {
	case "value":
		for name, v := range d.Values {
			switch p := d.Parameters[name]; {
			case v.Record != "":
				add(name, v.Record)
			case v.Stated && p != nil && p.Label != "":
				add(name, p.Label+": {value}")
			}
		}
	case "condition", "state":
		for name, c := range d.Conditions {
			add(name, situationNouns(d, c.Text))
			add(name, c.RecordTrue)
		}
	case "action":
		for name, a := range d.Actions {
			add(name, situationNouns(d, a.Text))
		}
	case "threshold":
		for name, t := range d.Thresholds {
			if t.Text != "" {
				add(name, t.Text+": {value}")
			}
		}
	}
	return forms
}

func situationNouns(d *sop.Domain, s string) string {
	return scnFill(s, func(p, _, _ string) (string, bool) { return scnNoun(d, p), true })
}

// situationExample draws a value that no other parameter of the phrase has.
func situationExample(d *sop.Domain, parameter string, taken map[string]string, rng *rand.Rand) string {
	var examples []string
	if p := d.Parameters[parameter]; p != nil {
		for _, x := range p.Examples {
			if s := sopPlainWords(scnPlain(x)); s != "" {
				examples = append(examples, s)
			}
		}
	}
	if v := d.Values[parameter]; v != nil && len(examples) == 0 {
		examples = append(examples, situationAmount(v.Min, v.Max, v.Step, v.Unit, rng))
	}
	if len(examples) == 0 {
		return scnNoun(d, parameter)
	}
	for _, i := range rng.Perm(len(examples)) {
		free := true
		for _, other := range taken {
			free = free && other != examples[i]
		}
		if free {
			return examples[i]
		}
	}
	return examples[0]
}

func situationNumber(d *sop.Domain, t *sop.Term, rng *rand.Rand) string {
	if v := d.Values[t.Of]; v != nil {
		return situationAmount(v.Min, v.Max, v.Step, v.Unit, rng)
	}
	th := d.Thresholds[t.Of]
	choices := append([]float64{th.Default}, th.Choices...)
	return strings.TrimSpace(sop.Number(choices[rng.IntN(len(choices))]) + " " + th.Unit)
}

func situationAmount(low, high, step float64, unit string, rng *rand.Rand) string {
	places := 0
	if step <= 0 {
		step = 1
	}
	for s := step; s < 0.999 && places < 6; s *= 10 {
		places++
	}
	x := low + step*float64(rng.Int64N(int64((high-low)/step)+1))
	return strings.TrimSpace(fmt.Sprintf("%.*f %s", places, x, unit))
}

// Named is an identifier of a variant and the clauses that speak of what it
// stands for.
type Named struct {
	Name    string
	Kind    string // fact, call or quantity
	Clauses []string
}

// NamedOf lists the conditions, calls and figures of v, sorted by kind and
// name. A condition and the call of the same name are two of them.
func NamedOf(v *sop.Variant) []Named {
	var list []Named
	for _, name := range sopNames(v.Requires) {
		if use := v.Calls[name]; use != nil {
			list = append(list, Named{name, "call", clauses(use.Text)})
		}
	}
	for _, name := range sopNames(v.EstablishedBy) {
		if use := v.Conditions[name]; use != nil {
			fill := func(s string) string {
				return scnFill(s, func(p, _, _ string) (string, bool) { return scnNoun(v.Domain, use.Args[p]), use.Args[p] != "" })
			}
			list = append(list, Named{name, "fact", clauses(use.Text, use.Negated, fill(use.RecordTrue), fill(use.RecordFalse))})
		}
	}
	for _, name := range sopNames(v.Values) {
		list = append(list, Named{name, "quantity", clauses(v.Values[name].Text)})
	}
	return list
}

// clauses leaves out what is empty or there already.
func clauses(texts ...string) []string {
	var list []string
	for _, s := range texts {
		if s = sopPlainWords(s); s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Explanations is what a document of RenderSOP says next to its identifiers.
type Explanations struct {
	document string // in small letters, as all that follows
	comments []codeComment
}

type codeComment struct{ code, comment string } // code without its first word

// NewExplanations reads the document.
func NewExplanations(document string) *Explanations {
	x := &Explanations{document: strings.ToLower(document)}
	if !strings.Contains(x.document, "//") {
		return x
	}
	for line := range strings.Lines(x.document) {
		code, comment, ok := strings.Cut(line, "//")
		_, code, named := strings.Cut(strings.TrimSpace(code), " ")
		if ok && named {
			x.comments = append(x.comments, codeComment{code, strings.TrimSpace(comment)})
		}
	}
	return x
}

// Has tells whether the document says next to the identifier what it stands
// for: what a reader needs who does not know the name.
func (x *Explanations) Has(n Named) bool {
	name := strings.ToLower(n.Name)
	clauses := make([]string, 0, 2)
	for _, c := range n.Clauses[:min(2, len(n.Clauses))] {
		clauses = append(clauses, strings.ToLower(c))
	}
	return x.ticked(name, n.Kind, clauses) || x.commented(name, n.Kind, clauses)
}

// ticked looks at each place where the identifier stands in backticks.
func (x *Explanations) ticked(name, kind string, clauses []string) bool {
	ticked := "`" + name + "`"
	for end := 0; ; {
		i := strings.Index(x.document[end:], ticked)
		if i < 0 {
			return false
		}
		before, after := x.document[:end+i], x.document[end+i+len(ticked):]
		for _, clause := range clauses {
			head, inside := strings.CutSuffix(before, " (")
			if inside && strings.HasSuffix(head, clause) || follows(after, " (", clause) ||
				strings.HasSuffix(before, "| ") && follows(after, " | ", clause, " |") ||
				kind == "quantity" && strings.Contains(lineOf(before, after), clause) {
				return true
			}
		}
		end += i + len(ticked)
	}
}

// lineOf is what stands on one line around a place.
func lineOf(before, after string) string {
	after, _, _ = strings.Cut(after, "\n")
	return before[strings.LastIndexByte(before, '\n')+1:] + "`" + after
}

// follows tells whether a text begins with the parts.
func follows(text string, parts ...string) bool {
	for _, p := range parts {
		var ok bool
		if text, ok = strings.CutPrefix(text, p); !ok {
			return false
		}
	}
	return true
}

func (x *Explanations) commented(name, kind string, clauses []string) bool {
	return slices.ContainsFunc(x.comments, func(c codeComment) bool {
		return (c.code == name || kind == "quantity" && follows(c.code, name, " in ")) &&
			slices.ContainsFunc(clauses, func(clause string) bool { return strings.HasPrefix(c.comment, clause) })
	})
}

// CallWords says what a call of the domain does, or "" for none.
func CallWords(d *sop.Domain, action string) string {
	a := d.Actions[action]
	if a == nil {
		return ""
	}
	return sopPlainWords(situationNouns(d, a.Text))
}
