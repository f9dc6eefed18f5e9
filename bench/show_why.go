package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

const (
	isFalse   = "false"
	isUnknown = "unknown"
	notCalled = "not called before"
)

// explain says of a leaf what it is and, where the pack has words for it, how
// things stand.
func (p *player) explain(r *world.Refusal) Broken {
	b := Broken{Rule: r.String(), State: isFalse}
	if r.Err != nil {
		b.State, b.Why = isUnknown, r.Err.Error()
		return b
	}
	c := p.formal.Conditions[r.Name]
	if c == nil {
		return b
	}
	b.Why = c.Negated
	if r.Negated {
		b.Why = c.Text
	}
	for _, item := range r.Args.Items() {
		b.Why = strings.ReplaceAll(b.Why, "{"+python.Str(item[0])+"}", python.Str(item[1]))
	}
	if limits := p.limits(c); limits != "" {
		b.Why += " (" + limits + ")"
	}
	return b
}

// limits names the thresholds of a comparison, as the task sets them.
func (p *player) limits(c *sop.Condition) string {
	names := strings.FieldsFunc(c.Compare, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	var list []string
	for _, name := range names {
		if v, found, _ := p.task.Limits.Get(starlark.String(name)); found {
			list = append(list, name+" "+python.Str(v))
		}
	}
	return strings.Join(list, ", ")
}

// note keeps what there is to say of a call that was judged.
func (p *player) note(s *ShownCall, c Call, out judged, refused, missing []Broken) {
	name := fmt.Sprintf("call %d %s", s.Index, c.Name)
	switch {
	case out.status == failed:
		s.Error = out.thrown.Error()
		if _, isJSON := argumentsMade(c); errors.Is(out.thrown, errNoObject) && isJSON {
			s.Error = "the official evaluator cannot read the arguments: true, false and null are no Python"
		}
		p.errors = append(p.errors, name+": "+s.Error)
		if c.Name == p.task.Goal {
			p.goals[false] = append(p.goals[false], fmt.Sprintf("call %d does not count: %s", s.Index, s.Error))
		}
		s.Broken = slices.DeleteFunc(refused, func(b Broken) bool { return b.State != isUnknown })
		return
	case out.agrees:
		s.Refused = refused
	default:
		s.Broken = refused
		p.broken = append(p.broken, name+" answered "+shortened(c.Content)+disagreement(out, refused))
	}
	if c.Name == p.task.Goal && p.domain.Tool(c.Name) != nil {
		p.goals[out.succeeded] = append(p.goals[out.succeeded], fmt.Sprintf("call %d answered %s", s.Index, shortened(c.Content)))
	}
	if !out.ready {
		if len(missing) == 0 {
			missing = []Broken{{"what the graph of the task asks for", isUnknown, notCalled}}
		}
		s.Broken = append(s.Broken, missing...)
		for _, b := range missing {
			p.unready = append(p.unready, name+": "+notCalled+": "+b.Rule)
		}
	}
}

func disagreement(out judged, refused []Broken) string {
	if len(refused) == 0 {
		answer := "nothing"
		if out.result != nil {
			answer = python.Repr(out.result)
		}
		return ", and answers " + shortened(answer) + " when it is executed again"
	}
	var reasons []string
	for _, b := range refused {
		reasons = append(reasons, b.Rule+" is "+b.State)
	}
	return ", although " + strings.Join(reasons, " and ")
}

// criteria says of each criterion what decided.
func (p *player) criteria(v *Verdict) []Criterion {
	why := map[string][]string{
		"no_tool_call_error":         p.errors,
		"constraint_not_violated":    p.broken,
		"dirgraph_satisfied":         p.unready,
		"action_successfully_called": p.goals[v.ActionSuccessfullyCalled],
	}
	if !v.DatabaseMatch {
		why["database_match"] = p.databases()
	}
	if len(p.goals[true])+len(p.goals[false]) == 0 {
		why["action_successfully_called"] = []string{p.task.Goal + " was not called"}
	}
	if !v.ActionCalledCorrectly {
		wanted, did := "to succeed", "did not"
		if !p.task.ShouldSucceed {
			wanted, did = "to be refused", "succeeded"
		}
		why["action_called_correctly"] = []string{fmt.Sprintf("the task wants %s %s, and it %s", p.task.Goal, wanted, did)}
	}
	list := make([]Criterion, len(Criteria))
	for i, holds := range v.Values() {
		list[i] = Criterion{Criteria[i], holds, why[Criteria[i]]}
	}
	return list
}

// maxDifferences bounds those that are told of the final databases.
const maxDifferences = 12

// databases tells where the recorded database is not the one to which the
// calls lead under the rules.
func (p *player) databases() (list []string) {
	if p.run.Database == starlark.None {
		return []string{"the run holds no database"}
	}
	under, is := starlark.Value(p.world.Database()), p.run.Database
	if p.mended("format") {
		under, is = p.domain.Masked(under), p.domain.Masked(is)
	}
	differences := Changes(under, is)
	for _, d := range differences[:min(maxDifferences, len(differences))] {
		list = append(list, fmt.Sprintf("%s is %s, and %s under the rules", d.Path, shortened(orNothing(d.To)), shortened(orNothing(d.From))))
	}
	if more := len(differences) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

func orNothing(value *string) string {
	if value == nil {
		return "not there"
	}
	return *value
}

// shortened keeps a reason to a line.
func shortened(s string) string {
	const most = 80
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
