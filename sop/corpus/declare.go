package corpus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// declare adds what the tasks name and the pack does not know, as far as the
// file itself shows it to be a function: goals, and conditions that a call of
// the same name answers. The wording is read off the identifiers.
func (b *taskCorpus) declare(tasks []*task) {
	r := &declarer{d: b.d, tasks: tasks, shown: map[string][]string{}}
	for _, t := range tasks {
		for _, f := range t.functions {
			if _, seen := r.shown[f.name]; !seen {
				r.shown[f.name] = f.parameters
			}
		}
	}
	for _, t := range tasks {
		r.goal(t.goal)
		for _, leaf := range t.tree.Names() {
			if n, err := sop.ParseName(leaf); err == nil {
				r.condition(n)
			}
		}
	}
	slices.SortFunc(b.d.Procedures, func(x, y *sop.Procedure) int { return strings.Compare(x.Goal, y.Goal) })
	if len(r.declared) > 0 {
		b.notes = append(b.notes, "the pack does not know these names, they are worded after their identifiers: "+strings.Join(r.declared, ", "))
	}
}

type declarer struct {
	d        *sop.Domain
	tasks    []*task
	shown    map[string][]string // function -> parameters
	declared []string
}

func (r *declarer) goal(goal string) {
	if r.d.Procedure(goal) != nil || !r.action(goal) {
		return
	}
	stated := r.stated(goal)
	for _, p := range stated {
		r.parameter(p)
	}
	what := words(goal)
	r.d.Procedures = append(r.d.Procedures, &sop.Procedure{
		Goal: goal, Title: sentence(what), Purpose: fmt.Sprintf("Handles the request to %s.", what),
		Requests: []string{
			fmt.Sprintf("I would like to %s. %s", what, r.details(stated)),
			fmt.Sprintf("Could you please %s for me? %s", what, r.details(stated)),
			fmt.Sprintf("Request: %s. %s", what, r.details(stated)),
		},
	})
	slices.SortFunc(r.d.Procedures, func(x, y *sop.Procedure) int { return strings.Compare(x.Goal, y.Goal) })
}

// stated returns what the user knows in every task of the goal.
func (r *declarer) stated(goal string) []string {
	var common []string
	first := true
	for _, t := range r.tasks {
		if t.goal != goal {
			continue
		}
		if first {
			common, first = slices.DeleteFunc(sortedKeys(t.known), func(k string) bool { return !sop.IsIdentifier(k) }), false
			continue
		}
		common = slices.DeleteFunc(common, func(k string) bool { return t.known[k] == nil })
	}
	return common
}

func (r *declarer) details(parameters []string) string {
	parts := make([]string, len(parameters))
	for i, p := range parameters {
		parts[i] = fmt.Sprintf("%s: {%s}.", r.d.Parameters[p].Label, p)
	}
	return strings.Join(parts, " ")
}

// action declares the action of that name; false where nothing shows it to be
// a function.
func (r *declarer) action(name string) bool {
	if r.d.Actions[name] != nil {
		return true
	}
	parameters, ok := r.shown[name]
	if !ok || name == sop.Deny || name == sop.Conversation {
		return false
	}
	r.note(name)
	for _, p := range parameters {
		r.parameter(p)
	}
	text := words(name)
	if strings.HasPrefix(name, "internal_") {
		text = "run the internal operation “" + text + "”"
	}
	r.d.Actions[name] = &sop.Action{Parameters: parameters, Text: text + forAll(parameters)}
	return true
}

func (r *declarer) condition(n sop.Name) {
	for _, parameter := range sortedKeys(n.Args) {
		r.parameter(n.Args[parameter])
	}
	if r.d.Conditions[n.Base] != nil || !r.action(n.Base) {
		return
	}
	r.note(n.Base)
	parameters := r.d.Actions[n.Base].Parameters
	text, negated := conditionWords(n.Base)
	r.d.Conditions[n.Base] = &sop.Condition{
		Kind: "state", Parameters: parameters, EstablishedBy: sop.L(n.Base),
		Text: text + forAll(parameters), Negated: negated + forAll(parameters),
		RecordTrue:  fmt.Sprintf("Result of “%s”%s: yes", words(n.Base), forAll(parameters)),
		RecordFalse: fmt.Sprintf("Result of “%s”%s: no", words(n.Base), forAll(parameters)),
	}
}

// parameter declares a parameter with the values that users know for it.
func (r *declarer) parameter(name string) {
	if r.d.Parameters[name] != nil {
		return
	}
	p := &sop.Parameter{Noun: "the " + words(name), Label: sentence(words(name))}
	seen := map[string]bool{}
	for _, t := range r.tasks {
		x, known := t.known[name]
		if s := fmt.Sprint(x); known && x != nil && !seen[s] {
			seen[s] = true
			p.Examples = append(p.Examples, plainNumbers(x))
		}
	}
	r.note(name)
	r.d.Parameters[name] = p
}

func (r *declarer) note(name string) {
	if !slices.Contains(r.declared, name) {
		r.declared = append(r.declared, name)
	}
}

// words reads an identifier as words, without the mark of internal functions.
func words(identifier string) string {
	return oneLine(strings.ReplaceAll(strings.TrimPrefix(identifier, "internal_"), "_", " "))
}

// conditionWords reads an identifier as a clause and its negation:
// internal_check_username_exist says that the username exists.
func conditionWords(identifier string) (text, negated string) {
	w := words(identifier)
	if thing, ok := strings.CutPrefix(w, "check "); ok {
		for _, end := range []string{" exists", " exist"} {
			if thing, ok := strings.CutSuffix(thing, end); ok {
				return "the internal check finds that the " + thing + " exists", "the internal check finds that the " + thing + " does not exist"
			}
		}
		return "the check of “" + thing + "” succeeds", "the check of “" + thing + "” fails"
	}
	return "the condition “" + w + "” is met", "the condition “" + w + "” is not met"
}

func forAll(parameters []string) string {
	if len(parameters) == 0 {
		return ""
	}
	braced := make([]string, len(parameters))
	for i, p := range parameters {
		braced[i] = "{" + p + "}"
	}
	return " for " + strings.Join(braced, " and ")
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
