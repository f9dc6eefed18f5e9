package corpus

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// TermTypes are the types of glossary terms.
var TermTypes = []string{"action", "condition", "value", "threshold", "role", "record", "document", "credential", "state"}

func (v *validator) glossary() {
	owner := map[string]int{} // term or synonym, without case -> index
	var terms []string
	for i, t := range v.d.Glossary {
		at := []string{"glossary", strconv.Itoa(i)}
		if !v.text(append(at, "term"), t.Term) {
			continue
		}
		terms = append(terms, t.Term)
		v.text(append(at, "definition"), t.Definition)
		for _, word := range append([]string{t.Term}, t.Synonyms...) {
			key := strings.ToLower(oneLine(word))
			if first, twice := owner[key]; twice {
				v.in(at, "%q already stands for %q, want a word of its own", word, v.d.Glossary[first].Term)
			}
			owner[key] = i
		}
		if !slices.Contains(TermTypes, t.Type) {
			v.in(append(at, "type"), "unknown type %q of %q%s", t.Type, t.Term, want(t.Type, TermTypes))
		}
		if t.Of != "" && !v.names(t.Of) {
			v.in(append(at, "of"), "%q of %q is no action, condition, value or threshold%s", t.Of, t.Term, want(t.Of, v.nameable()))
		}
		for _, goal := range t.UsedIn {
			if v.d.Procedure(goal) == nil {
				v.in(append(at, "used_in"), "%q is no procedure%s", goal, want(goal, v.goals()))
			}
		}
	}
	for i, t := range v.d.Glossary {
		for j, c := range t.Confusables {
			at := []string{"glossary", strconv.Itoa(i), "confusables", strconv.Itoa(j)}
			v.text(append(at, "not_because"), c.NotBecause)
			key := strings.ToLower(oneLine(c.Term))
			k, known := owner[key]
			switch {
			case !slices.Contains(terms, c.Term):
				v.in(at, "%q is no term of the glossary%s", c.Term, want(c.Term, terms))
			case known && k == i:
				v.in(at, "%q cannot be mistaken for itself or for a synonym of it", c.Term)
			}
			if slices.ContainsFunc(t.Confusables[:j], func(o *sop.Confusable) bool { return o.Term == c.Term }) {
				v.in(at, "%q stands twice", c.Term)
			}
		}
	}
}

// names tells whether a name of the domain has this base; arguments are
// allowed, as in internal_check_username_exist(username=destination_username).
func (v *validator) names(name string) bool {
	n, err := sop.ParseName(name)
	return err == nil && slices.Contains(v.nameable(), n.Base)
}

func (v *validator) nameable() []string {
	return slices.Concat(sortedKeys(v.d.Actions), sortedKeys(v.d.Conditions), sortedKeys(v.d.Values), sortedKeys(v.d.Thresholds))
}

func (v *validator) goals() []string {
	goals := make([]string, len(v.d.Procedures))
	for i, p := range v.d.Procedures {
		goals[i] = p.Goal
	}
	return goals
}

func (v *validator) procedure(p *sop.Procedure) {
	s := v.pack.procedures[p]
	report := func(key, format string, args ...any) {
		v.report(s, s.at(key), []string{key}, format, args...)
	}
	file := strings.TrimSuffix(path.Base(s.file), ".yaml")
	switch {
	case p.Goal == "":
		report("procedure", "the goal is missing, want the name of an action")
		return
	case v.d.Actions[p.Goal] == nil:
		report("procedure", "action %q is not declared%s", p.Goal, want(p.Goal, sortedKeys(v.d.Actions)))
	case p.Goal != file:
		report("procedure", "the goal is %q in the file %s.yaml, want both to be the same", p.Goal, file)
	}
	for key, text := range map[string]string{"title": p.Title, "purpose": p.Purpose} {
		if strings.TrimSpace(text) == "" {
			report(key, "the text is empty")
		}
	}
	v.requests(p, s)
	for key, rules := range map[string][]*sop.Tree{"required": p.Required, "customizable": p.Customizable} {
		for i, t := range rules {
			v.conditionTree(s, []string{key, strconv.Itoa(i)}, t)
		}
	}
	v.outcomes(p, s)
}

func (v *validator) requests(p *sop.Procedure, s *source) {
	if len(p.Requests) == 0 {
		v.report(s, s.at("requests"), []string{"requests"}, "there are none, want at least one customer's message")
	}
	seen := map[string]bool{}
	for i, text := range p.Requests {
		at := []string{"requests", strconv.Itoa(i)}
		line := s.at(at...)
		key := strings.ToLower(oneLine(text))
		if key == "" {
			v.report(s, line, at, "the text is empty")
		} else if seen[key] {
			v.report(s, line, at, "the message stands twice")
		}
		seen[key] = true
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			if v.d.Parameters[m[1]] == nil {
				v.report(s, line, at, "parameter %q is not declared%s", m[1], want(m[1], sortedKeys(v.d.Parameters)))
			}
		}
	}
}

func (v *validator) outcomes(p *sop.Procedure, s *source) {
	if len(p.Outcomes) == 1 {
		v.report(s, s.at("outcomes"), []string{"outcomes"}, "there is one, want at least 2 or none at all")
	}
	for i, o := range p.Outcomes {
		at := []string{"outcomes", strconv.Itoa(i)}
		line := s.at(at...)
		n, err := sop.ParseName(o.End)
		switch {
		case err != nil:
			v.report(s, line, at, "%v", err)
		case v.d.Actions[n.Base] != nil:
			v.arguments(s, line, at, n, v.d.Actions[n.Base].Parameters)
		}
		if last := i == len(p.Outcomes)-1; last != (o.Tree == nil) {
			v.report(s, line, at, "want a tree for every outcome but the last")
		}
		v.conditionTree(s, append(at, "tree"), o.Tree)
	}
}

// meaning checks what a procedure demands: no circle of calls, and a world in
// which its goal is permitted.
func (v *validator) meaning(p *sop.Procedure) {
	s, path := v.pack.procedures[p], []string{"procedure"}
	line := s.at(path...)
	all, err := v.d.Variant(p, sop.Choice{})
	if err != nil {
		v.report(s, line, path, "%v", err)
		return
	}
	if cycle := all.Cycle(); cycle != nil {
		v.report(s, line, path, "the calls wait for each other in a circle: %s", strings.Join(cycle, " -> "))
		return
	}
	switch ok, err := canBePermitted(all); {
	case err != nil:
		v.report(s, line, path, "%v", err)
	case ok && !keepsOrders(all):
		v.report(s, line, path, "an order (seq, first_of) that the rules of %s demand cannot be kept in some case that they allow, want orders that the calls' own requirements leave open", p.Goal)
	case ok:
	case len(p.Customizable) > 0 && v.requiredCanHold(p):
		v.notes = append(v.notes, p.Goal+": with all its rules the goal can never be permitted; variants leave some of the customizable ones out")
	default:
		v.report(s, line, path, "the goal %s can never be permitted, want rules that some consistent case fulfils", p.Goal)
	}
}

// keepsOrders gives the benefit of the doubt to variants that are too large.
func keepsOrders(v *sop.Variant) bool {
	m, err := sop.Compile(&v.Graph)
	return err != nil || len(v.EstablishedBy) > sop.MaxEnumerated || m.Keepable()
}

func (v *validator) requiredCanHold(p *sop.Procedure) bool {
	required, err := v.d.Variant(p, sop.Choice{Rules: append([]*sop.Tree{}, p.Required...)})
	if err != nil {
		return false
	}
	ok, err := canBePermitted(required)
	return err == nil && ok
}

// canBePermitted gives the benefit of the doubt to variants with so many
// conditions that the sampler only tries some of the worlds.
func canBePermitted(v *sop.Variant) (bool, error) {
	sampler, err := sop.NewSampler(v)
	if err != nil || len(v.EstablishedBy) > sop.MaxEnumerated {
		return err == nil, err
	}
	for k := range v.Outcomes[:len(v.Outcomes)-1] {
		if sampler.Count(k) > 0 {
			return true, nil
		}
	}
	return false, nil
}
