package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// Reading is what an SOP document says.
type Reading struct {
	Graph       sop.Graph
	Comparisons map[string]*sop.Comparison // by condition
	Units       map[string]string          // of the values that comparisons read, "" where there is none
	Style       Style
}

// ReadSOP reads what RenderSOP writes, in any style. It goes by identifiers
// and fixed phrases; the wording of conditions, calls and values is skipped.
// Every statement has to be understood and none may be missing: the error is
// one line that gives the line, its text and what is accepted there.
func ReadSOP(text string) (*Reading, error) {
	f := newSopFile()
	var err error
	switch {
	case strings.Contains(text, "\n```"):
		f.Style = Pseudocode
		err = readSopCode(f, text)
	case strings.Contains(text, "\n|"):
		f.Style = Table
		err = readSopTables(f, text)
	default:
		f.Style = Policy
		for _, s := range sopSections(text) {
			if style, ok := sopMarks[s.heading]; ok {
				f.Style = style
			}
			if s.free() {
				continue
			}
			if err = f.lines(s.lines); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return f.finish()
}

// sopFile gathers the statements of a document.
type sopFile struct {
	*Reading
	rules []*sop.Tree
	plain bool            // ends with the goal or the refusal, by rules
	said  bool            // that the goal requires the rules, where calls are listed
	ends  map[string]bool // named by decision points
}

func newSopFile() *sopFile {
	return &sopFile{
		Reading: &Reading{
			Comparisons: map[string]*sop.Comparison{}, Units: map[string]string{},
			Graph: sop.Graph{Requires: map[string]*sop.Tree{}, EstablishedBy: map[string]*sop.Tree{},
				DependsOn: map[string]*sop.Tree{}, Effects: map[string]map[string]bool{}},
		},
		ends: map[string]bool{},
	}
}

// lines reads statements; several may stand in one line.
func (f *sopFile) lines(lines []*sopLine) error {
	for _, l := range lines {
		taken := false
		for rest := l.text; rest != ""; {
			said, after, below, err := sopStatement(l, rest)
			if err == nil {
				err = f.add(said)
			}
			if err != nil {
				return l.wrap(err)
			}
			rest, taken = after, taken || below
		}
		if !taken {
			if err := f.lines(l.kids); err != nil {
				return err
			}
		}
	}
	return nil
}

// sopStatement reads the statement at the beginning of s. The error is that of
// the phrase that came furthest.
func sopStatement(l *sopLine, s string) (said *sopSaid, rest string, taken bool, err error) {
	for i := range sopPhrases {
		if p := &sopPhrases[i]; p.mayBegin(l, s) {
			if said, rest, taken, _, err := p.match(l, s); err == nil {
				return said, rest, taken, nil
			}
		}
	}
	furthest := 0
	var why error
	for i := range sopPhrases {
		if _, _, _, at, err := sopPhrases[i].match(l, s); at > furthest {
			furthest, why = at, err
		}
	}
	if why != nil {
		return nil, "", false, why
	}
	return nil, "", false, fmt.Errorf("is no statement of an SOP, want a rule, a requirement, how a condition is found out, an outcome, or a general instruction")
}

func (f *sopFile) add(s *sopSaid) error {
	g := &f.Graph
	switch s.kind {
	case sayGoal:
		if g.Goal != "" {
			return fmt.Errorf("names a second goal %q, want one", s.names["call"])
		}
		g.Goal = s.names["call"]
	case sayRule:
		f.rules = append(f.rules, s.trees["rule"])
	case saySource:
		if s.trees["calls"] == nil { // the call of that name
			s.trees["calls"] = sop.L(s.names["cond"])
		}
		return sopPut(g.EstablishedBy, s.names["cond"], s.trees["calls"])
	case sayGiven:
		return sopPut(g.EstablishedBy, s.names["cond"], sop.L(sop.Conversation))
	case sayDepends:
		for _, c := range s.list {
			if err := sopPut(g.DependsOn, c, s.trees["fact"]); err != nil {
				return err
			}
		}
		if s.list == nil {
			return sopPut(g.DependsOn, s.names["cond"], s.trees["fact"])
		}
	case sayCompare:
		return sopPut(f.Comparisons, s.names["cond"], s.formula)
	case sayValue:
		return sopPut(f.Units, s.names["value"], sopReadUnit(s.names["unit"]))
	case sayRequire:
		return sopPut(g.Requires, s.names["call"], s.trees["rule"])
	case sayFree:
		return sopPut(g.Requires, s.names["call"], nil)
	case sayEffect:
		effects, err := sopEffects(s.trees["fact"])
		if err != nil {
			return err
		}
		return sopPut(g.Effects, s.names["call"], effects)
	case sayExcludes:
		g.Excludes = append(g.Excludes, s.list)
	case sayOutcome:
		g.Outcomes = append(g.Outcomes, sop.Outcome{End: s.names["end"], Tree: s.trees["rule"]})
	case sayElse:
		g.Outcomes = append(g.Outcomes, sop.Outcome{End: s.names["end"]})
	case sayEnds:
		f.plain = true
		g.Outcomes = append(g.Outcomes, sop.Outcome{End: s.names["goal"]}, sop.Outcome{End: s.names["end"]})
	case sayRefuse:
		f.ends[s.names["end"]] = true
	}
	return nil
}

func sopPut[T any](m map[string]T, name string, x T) error {
	if _, twice := m[name]; twice {
		return fmt.Errorf("says the same of `%s` a second time, want one statement", name)
	}
	m[name] = x
	return nil
}

// sopEffects turns a conjunction of plain and negated names into settings.
func sopEffects(t *sop.Tree) (map[string]bool, error) {
	effects := map[string]bool{}
	parts := []*sop.Tree{t}
	if t.Op == sop.All {
		parts = t.Parts
	}
	for _, p := range parts {
		switch {
		case p.Op == sop.Leaf:
			effects[p.Name] = true
		case p.Op == sop.Not && p.Parts[0].Op == sop.Leaf:
			effects[p.Parts[0].Name] = false
		default:
			return nil, fmt.Errorf("has the effect %s, want conditions or negated conditions", p)
		}
	}
	return effects, nil
}

// ruled notes that a list of calls gives the rules as the requirement of name.
func (f *sopFile) ruled(name string) error {
	if name != f.Graph.Goal || f.said {
		return fmt.Errorf("gives the rules of `%s` to `%s`, want its own requirement", f.Graph.Goal, name)
	}
	f.said = true
	return nil
}

// finish checks that nothing is missing and puts the rules in their place.
func (f *sopFile) finish() (*Reading, error) {
	g := &f.Graph
	if g.Goal == "" {
		return nil, fmt.Errorf("the text names no goal, want a statement such as %q", "The action at stake is `name`.")
	}
	if f.plain {
		if len(g.Outcomes) != 2 || g.Outcomes[0].End != g.Goal {
			return nil, fmt.Errorf("the text ends in %d ways, want `%s` and one refusal, or outcomes with their conditions", len(g.Outcomes), g.Goal)
		}
		var tree *sop.Tree
		if len(f.rules) > 0 {
			tree = sop.T(sop.All, f.rules...).Canonical()
		}
		g.Outcomes[0].Tree = tree
		if listed := f.Style == Table || f.Style == Pseudocode; listed != f.said {
			return nil, fmt.Errorf("the list of calls never says that `%s` requires the rules, want its entry", g.Goal)
		}
		if err := sopPut(g.Requires, g.Goal, tree); err != nil {
			return nil, fmt.Errorf("the text has rules for the goal and a requirement of `%s`, want one of them", g.Goal)
		}
	} else if len(f.rules) > 0 || len(g.Outcomes) == 0 {
		return nil, fmt.Errorf("the text never says how `%s` ends, want the ends or a list of outcomes", g.Goal)
	}
	for end := range f.ends {
		if !slices.ContainsFunc(g.Outcomes, func(o sop.Outcome) bool { return o.End == end }) {
			return nil, fmt.Errorf("a decision point ends with `%s`, want an end that the text names as an outcome", end)
		}
	}
	return f.Reading, f.complete()
}

// complete demands that every condition has a source, every call that is a
// source a requirement, and every value of a formula a unit.
func (f *sopFile) complete() error {
	g := &f.Graph
	if _, ok := g.Requires[g.Goal]; !ok {
		return fmt.Errorf("the text never says what `%s` requires, want its requirement or that there is none", g.Goal)
	}
	trees := map[string]*sop.Tree{}
	for call, t := range g.Requires {
		trees["the requirement of `"+call+"`"] = t
	}
	for _, o := range g.Outcomes {
		trees["the outcome `"+o.End+"`"] = o.Tree
	}
	for c, t := range g.DependsOn {
		trees["what `"+c+"` depends on"] = t
	}
	for _, where := range sopNames(trees) {
		for _, c := range trees[where].Names() {
			if g.EstablishedBy[c] == nil {
				return fmt.Errorf("the text never says how `%s` in %s is found out, want the calls or that it is known from the request", c, where)
			}
		}
	}
	if err := f.related(); err != nil {
		return err
	}
	for _, c := range sopNames(g.EstablishedBy) {
		for _, call := range g.EstablishedBy[c].Names() {
			if _, ok := g.Requires[call]; !ok && call != sop.Conversation {
				return fmt.Errorf("the text never says what `%s` requires, which finds out `%s`; want its requirement or that there is none", call, c)
			}
		}
	}
	for _, c := range sopNames(f.Comparisons) {
		for _, value := range f.Comparisons[c].Names() {
			if _, ok := f.Units[value]; !ok {
				return fmt.Errorf("the text never says what `%s` in the measure of `%s` stands for", value, c)
			}
		}
	}
	return nil
}

// related demands that what is said about conditions and calls is said of
// those that the text tells how to find out or when to call.
func (f *sopFile) related() error {
	g := &f.Graph
	said := map[string][]string{
		"the conditions with a measure":                  sopNames(f.Comparisons),
		"the conditions that depend on others":           sopNames(g.DependsOn),
		"the conditions that exclude each other":         slices.Concat(g.Excludes...),
		"the conditions that a call makes true or false": {},
	}
	for _, call := range sopNames(g.Effects) {
		if _, ok := g.Requires[call]; !ok {
			return fmt.Errorf("the text names an effect of `%s`, want also what this call requires", call)
		}
		where := "the conditions that a call makes true or false"
		said[where] = append(said[where], sopNames(g.Effects[call])...)
	}
	for _, where := range sopNames(said) {
		for _, c := range said[where] {
			if g.EstablishedBy[c] == nil {
				return fmt.Errorf("the text has `%s` among %s, want also how it is found out", c, where)
			}
		}
	}
	return nil
}
