package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// Situation words what a term of the glossary names, without the term: a line
// of a file, an outcome of a check, an instruction, a setting. The kind is that
// of Concept. It is false for a term that words no condition, action, value or
// threshold of the domain.
func Situation(d *sop.Domain, t *sop.Term, rng *rand.Rand) (kind, phrase string, ok bool) {
	forms := situationForms(d, t.Type)[t.Of]
	if t.Of == "" || len(forms) == 0 {
		return "", "", false
	}
	taken := map[string]string{}
	phrase = scnFill(forms[rng.IntN(len(forms))], func(slot, _, _ string) (string, bool) {
		switch {
		case slot == "value":
			return situationNumber(d, t, rng), true
		case taken[slot] == "":
			taken[slot] = situationExample(d, slot, taken, rng)
		}
		return taken[slot], true
	})
	return t.Type, phrase, true
}

// SituationOf returns the names of the domain that a phrase of Situation can
// be about, sorted: more than one where forms of two fit.
func SituationOf(d *sop.Domain, kind, phrase string) []string {
	var names []string
	forms := situationForms(d, kind)
	for _, name := range sopNames(forms) {
		if slices.ContainsFunc(forms[name], func(form string) bool { _, ok := conceptMatch(form, phrase); return ok }) {
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

// Explains tells whether a document of RenderSOP says next to the identifier
// what it stands for: what a reader needs who does not know the name.
func Explains(document string, n Named) bool {
	if len(n.Clauses) == 0 {
		return false
	}
	for _, line := range strings.Split(strings.ToLower(document), "\n") {
		for _, clause := range n.Clauses[:min(2, len(n.Clauses))] {
			if explainsLine(line, strings.ToLower(n.Name), strings.ToLower(clause), n.Kind) {
				return true
			}
		}
	}
	return false
}

func explainsLine(line, name, clause, kind string) bool {
	ticked := "`" + name + "`"
	if strings.Contains(line, clause+" ("+ticked) || strings.Contains(line, ticked+" ("+clause) || strings.Contains(line, "| "+ticked+" | "+clause+" |") {
		return true
	}
	if code, comment, ok := strings.Cut(line, "//"); ok && strings.HasPrefix(strings.TrimSpace(comment), clause) {
		_, after, found := strings.Cut(strings.TrimSpace(code), " ")
		return found && (after == name || kind == "quantity" && strings.HasPrefix(after, name+" in "))
	}
	return kind == "quantity" && strings.Contains(line, ticked) && strings.Contains(line, clause)
}

// CallWords says what a call of the domain does, or "" for none.
func CallWords(d *sop.Domain, action string) string {
	a := d.Actions[action]
	if a == nil {
		return ""
	}
	return sopPlainWords(situationNouns(d, a.Text))
}
