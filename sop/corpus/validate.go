package corpus

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// validator looks for problems in a pack that has been read. What was broken
// in itself is passed over, so that one slip is one problem.
type validator struct {
	*pack
	d        *sop.Domain
	problems Problems
	notes    []string          // what is sound but worth knowing
	wordings map[string]string // text in rules, without case and blanks -> what it words
	lines    []recordLine
}

func newValidator(p *pack) *validator {
	return &validator{pack: p, d: p.domain, wordings: map[string]string{}}
}

// words checks all that is named and worded.
func (v *validator) words() {
	v.domain()
	v.parameters()
	v.thresholds()
	v.values()
	v.conditions()
	v.actions()
	v.excludes()
	v.dependencies()
	v.glossary()
	for _, p := range v.d.Procedures {
		v.procedure(p)
	}
	v.recordFunctions()
}

// meanings checks what the procedures demand; the words have to be sound.
func (v *validator) meanings() {
	for _, p := range v.d.Procedures {
		v.meaning(p)
	}
}

// report adds a problem with what stands at the path of a file.
func (v *validator) report(s *source, line int, path []string, format string, args ...any) {
	if s.sound(path) {
		v.problems = append(v.problems, Problem{s.file, line, strings.Join(path, ".") + ": " + fmt.Sprintf(format, args...)})
	}
}

// sound tells whether a part of domain.yaml was read without a problem.
func (v *validator) sound(path []string) bool { return v.source.sound(path) }

// in is report for domain.yaml.
func (v *validator) in(path []string, format string, args ...any) {
	v.report(v.source, v.source.at(path...), path, format, args...)
}

func (v *validator) domain() {
	if !sop.IsIdentifier(v.d.Name) {
		v.in([]string{"domain"}, "the name is %q, want letters, digits and _", v.d.Name)
	}
	v.text([]string{"title"}, v.d.Title)
	v.text([]string{"summary"}, v.d.Summary)
	if len(v.d.Actions) == 0 {
		v.in([]string{"actions"}, "there are none, want at least one")
	}
}

// text reports a text that is empty.
func (v *validator) text(path []string, text string) bool {
	if strings.TrimSpace(text) == "" {
		v.in(path, "the text is empty")
		return false
	}
	return true
}

// identifier reports a name that no tree could use.
func (v *validator) identifier(path []string) {
	switch name := path[len(path)-1]; {
	case !sop.IsIdentifier(name):
		v.in(path, "%q is not a name, want letters, digits and _", name)
	case name == sop.Deny || name == sop.Conversation:
		v.in(path, "the name %q is reserved, want another one", name)
	}
}

var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// placeholders reports each {name} that is not among the accepted ones.
func (v *validator) placeholders(path []string, text string, accepted []string) {
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(accepted, m[1]) {
			v.in(path, "the placeholder {%s} is no parameter here%s", m[1], want(m[1], accepted))
		}
	}
}

// wording reports a text that already words something else.
func (v *validator) wording(path []string, text string) {
	key := strings.ToLower(oneLine(text))
	if key == "" {
		return
	}
	what := strings.Join(path, ".")
	if first, twice := v.wordings[key]; twice {
		v.in(path, "the wording %s is also that of %s, want another one", quote(text), first)
		return
	}
	v.wordings[key] = what
}

// declared reports parameters that are not declared or stand twice.
func (v *validator) declared(path []string, parameters []string) {
	for i, p := range parameters {
		if v.d.Parameters[p] == nil {
			v.in(append(path, "parameters"), "parameter %q is not declared%s", p, want(p, sortedKeys(v.d.Parameters)))
		}
		if slices.Contains(parameters[:i], p) {
			v.in(append(path, "parameters"), "parameter %q stands twice", p)
		}
	}
}

func (v *validator) parameters() {
	pools := map[string][]string{}
	for _, name := range sortedKeys(v.d.Parameters) {
		p, path := v.d.Parameters[name], []string{"parameters", name}
		v.identifier(path)
		v.text(append(path, "noun"), p.Noun)
		v.text(append(path, "label"), p.Label)
		stated := v.d.Values[name] != nil && v.d.Values[name].Stated
		switch {
		case stated && len(p.Examples) > 0:
			v.in(append(path, "examples"), "a stated value draws its number, want no examples")
		case !stated && len(p.Examples) == 0 && v.sound([]string{"values", name}):
			v.in(path, "there are no examples, want at least 2 (one only for what is always the same), or a stated value of that name")
		}
		seen := map[string]bool{}
		for _, x := range p.Examples {
			if s := fmt.Sprint(x); seen[s] {
				v.in(append(path, "examples"), "the example %s stands twice", quote(s))
			} else {
				seen[s] = true
			}
		}
		if p.Pool != "" {
			pools[p.Pool] = append(pools[p.Pool], name)
		}
	}
	for _, pool := range sortedKeys(pools) {
		for _, name := range pools[pool] {
			if n := len(v.d.Parameters[name].Examples); n > 0 && n < len(pools[pool]) {
				v.in([]string{"parameters", name, "examples"}, "%d examples for the %d parameters of pool %q, want at least as many",
					n, len(pools[pool]), pool)
			}
		}
	}
}

func (v *validator) thresholds() {
	for _, name := range sortedKeys(v.d.Thresholds) {
		t, path := v.d.Thresholds[name], []string{"thresholds", name}
		v.identifier(path)
		if v.d.Values[name] != nil {
			v.in(path, "a value has the same name, want another one")
		}
		if v.text(append(path, "text"), t.Text) {
			v.wording(append(path, "text"), t.Text)
		}
		v.placeholders(append(path, "text"), t.Text, nil)
		if len(t.Choices) > 0 && !slices.Contains(t.Choices, t.Default) {
			v.in(append(path, "choices"), "the default %s is not among the choices, want it there", sop.Number(t.Default))
		}
		for i, c := range t.Choices {
			if slices.Contains(t.Choices[:i], c) {
				v.in(append(path, "choices"), "the choice %s stands twice", sop.Number(c))
			}
		}
	}
}

func (v *validator) values() {
	for _, name := range sortedKeys(v.d.Values) {
		x, path := v.d.Values[name], []string{"values", name}
		v.identifier(path)
		v.declared(path, x.Parameters)
		if !(x.Min < x.Max) {
			v.in(path, "min %s and max %s, want min below max", sop.Number(x.Min), sop.Number(x.Max))
		}
		if !(x.Step > 0) || math.IsInf(x.Step, 0) {
			v.in(append(path, "step"), "the step is %s, want a number above 0", sop.Number(x.Step))
		}
		if v.text(append(path, "text"), x.Text) {
			v.wording(append(path, "text"), x.Text)
		}
		v.placeholders(append(path, "text"), x.Text, x.Parameters)
		v.conditionTree(v.source, append(path, "depends_on"), x.DependsOn)
		if x.Stated {
			if v.d.Parameters[name] == nil {
				v.in(path, "a stated value is what the parameter of its name says, want a parameter %q", name)
			}
			if x.Record != "" {
				v.in(append(path, "record"), "a stated value is in no record, want none")
			}
			continue
		}
		if v.text(append(path, "record"), x.Record) && !strings.Contains(x.Record, "{value}") {
			v.in(append(path, "record"), "the record does not say the number, want {value} in it")
		}
		v.placeholders(append(path, "record"), x.Record, append([]string{"value"}, x.Parameters...))
		v.recordLine(append(path, "record"), x.Record)
	}
}

func (v *validator) conditions() {
	for _, name := range sortedKeys(v.d.Conditions) {
		c, path := v.d.Conditions[name], []string{"conditions", name}
		v.identifier(path)
		v.declared(path, c.Parameters)
		if !slices.Contains(sop.Kinds, c.Kind) {
			v.in(append(path, "kind"), "unknown kind %q%s", c.Kind, want(c.Kind, sop.Kinds))
		}
		for key, text := range map[string]string{"text": c.Text, "negated": c.Negated} {
			if v.text(append(path, key), text) {
				v.placeholders(append(path, key), text, c.Parameters)
			}
		}
		v.wording(append(path, "text"), c.Text)
		v.wording(append(path, "negated"), c.Negated)
		v.conditionTree(v.source, append(path, "depends_on"), c.DependsOn)
		v.establishedBy(name, c)
		if c.Compare != "" {
			v.comparison(name, c)
			continue
		}
		for _, r := range []struct{ key, text string }{{"record_true", c.RecordTrue}, {"record_false", c.RecordFalse}} {
			v.text(append(path, r.key), r.text)
			v.placeholders(append(path, r.key), r.text, c.Parameters)
			v.recordLine(append(path, r.key), r.text)
		}
	}
	v.recordLinesDistinct()
}

func (v *validator) comparison(name string, c *sop.Condition) {
	path := []string{"conditions", name, "compare"}
	for key, text := range map[string]string{"record_true": c.RecordTrue, "record_false": c.RecordFalse} {
		if text != "" {
			v.in([]string{"conditions", name, key}, "the values of a comparison are recorded, want no %s", key)
		}
	}
	compare, err := sop.ParseComparison(c.Compare)
	if err != nil {
		v.in(path, "%v", err)
		return
	}
	for _, leaf := range compare.Names() {
		n, err := sop.ParseName(leaf)
		value := v.d.Values[n.Base]
		switch {
		case err != nil:
			v.in(path, "%v", err)
		case v.d.Thresholds[leaf] != nil:
		case value == nil:
			v.in(path, "%q is neither a value nor a threshold%s", leaf, want(n.Base, append(sortedKeys(v.d.Values), sortedKeys(v.d.Thresholds)...)))
		case value.Stated && !slices.Contains(c.Parameters, n.Base):
			v.in(path, "the value %q is stated by the customer, want it among the parameters of the condition", n.Base)
		default:
			v.arguments(v.source, v.source.at(path...), path, n, value.Parameters)
			for _, p := range value.Parameters {
				if !slices.Contains(c.Parameters, n.Source(p)) {
					v.in(path, "the value %q is of %s, want that among the parameters of the condition", leaf, n.Source(p))
				}
			}
		}
	}
}

func (v *validator) establishedBy(name string, c *sop.Condition) {
	path := []string{"conditions", name, "established_by"}
	t := c.EstablishedBy
	if t == nil {
		if v.d.Actions[name] == nil {
			v.in(path[:2], "nothing establishes the condition, want established_by (a tree over actions, or %s) or an action of that name", sop.Conversation)
		}
		return
	}
	if t.Op == sop.Leaf && t.Name == sop.Conversation {
		return
	}
	t.Walk(func(n *sop.Tree) {
		if n.Op == sop.Not {
			v.in(path, "not stands in the tree, want names of actions under all, any, seq and first_of")
		}
		if n.Op == sop.Leaf && n.Name == sop.Conversation {
			v.in(path, "%s stands among actions, want it alone", sop.Conversation)
		} else if n.Op == sop.Leaf {
			v.name(v.source, path, n, sortedKeys(v.d.Actions), "action", func(base string) ([]string, bool) {
				a := v.d.Actions[base]
				if a == nil {
					return nil, false
				}
				return a.Parameters, true
			})
		}
	})
}

func (v *validator) actions() {
	for _, name := range sortedKeys(v.d.Actions) {
		a, path := v.d.Actions[name], []string{"actions", name}
		v.identifier(path)
		v.declared(path, a.Parameters)
		if v.text(append(path, "text"), a.Text) {
			v.wording(append(path, "text"), a.Text)
		}
		v.placeholders(append(path, "text"), a.Text, a.Parameters)
		v.conditionTree(v.source, append(path, "requires"), a.Requires)
		v.conditionTree(v.source, append(path, "innate"), a.Innate)
		if a.Requires != nil && v.d.Procedure(name) != nil {
			v.in(append(path, "requires"), "the action has a procedure file, want the rules there only")
		}
		for _, effect := range sortedKeys(a.Effects) {
			v.conditionName(append(path, "effects"), effect)
		}
	}
}

func (v *validator) excludes() {
	for i, group := range v.d.Excludes {
		path := []string{"excludes", strconv.Itoa(i)}
		if len(group) < 2 {
			v.in(path, "%d names, want at least 2", len(group))
		}
		for _, name := range group {
			v.conditionName(path, name)
		}
	}
}

// dependencies reports cycles in depends_on.
func (v *validator) dependencies() {
	const visiting, done = 1, 2
	state := map[string]int{}
	var stack []string
	var visit func(name string)
	visit = func(name string) {
		state[name] = visiting
		stack = append(stack, name)
		for _, leaf := range v.d.Conditions[name].DependsOn.Names() {
			n, err := sop.ParseName(leaf)
			if err != nil || v.d.Conditions[n.Base] == nil {
				continue
			}
			switch state[n.Base] {
			case 0:
				visit(n.Base)
			case visiting:
				cycle := append(slices.Clone(stack[slices.Index(stack, n.Base):]), n.Base)
				v.in([]string{"conditions", name, "depends_on"}, "the conditions depend on each other in a circle: %s", strings.Join(cycle, " -> "))
			}
		}
		stack = stack[:len(stack)-1]
		state[name] = done
	}
	for _, name := range sortedKeys(v.d.Conditions) {
		if state[name] == 0 {
			visit(name)
		}
	}
}
