package reading

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

func (b *builder) action(x *node) string {
	name := b.goal
	if n := b.last(); n != x {
		name = b.free(x.name, b.d.Actions[x.name] != nil || x.name == b.goal)
	}
	a := &sop.Action{Text: b.wording(short(x.text)), Source: x.reading.Source, Certain: x.reading.settled()}
	for _, p := range slices.Sorted(maps.Keys(x.reading.Parameters)) {
		a.Parameters = append(a.Parameters, p)
		b.parameter(p, x.reading.Parameters[p])
	}
	b.d.Actions[name] = a
	return name
}

// settled is what the domain says of the certainty of a reading.
func (r *Reading) settled() *bool {
	certain := !r.Open()
	return &certain
}

// short keeps wordings to a length that can be read in the middle of a rule.
func short(text string) string {
	const most = 100
	text = clean(text)
	if len(text) <= most {
		return text
	}
	at := strings.LastIndexByte(text[:most], ' ')
	for _, i := range commas(text) {
		if i > most/3 && i <= most {
			at = i
		}
	}
	return strings.TrimRight(strings.ToValidUTF8(text[:max(at, most/3)], ""), " ,;")
}

func (b *builder) parameter(name string, examples []string) {
	p := b.d.Parameters[name]
	if p == nil {
		said := strings.Join(words(name), " ")
		p = &sop.Parameter{Noun: "the " + said, Label: upperFirst(said)}
		b.d.Parameters[name] = p
	}
	for _, x := range examples {
		if !slices.Contains(p.Examples, any(x)) {
			p.Examples = append(p.Examples, x)
		}
	}
}

func (b *builder) condition(c *condition) {
	name := c.name
	if b.d.Actions[name] != nil || slices.ContainsFunc(b.flow.nodes, func(n *node) bool { return n.name == name }) {
		name += "_holds"
	}
	for n := 2; b.d.Conditions[name] != nil || b.d.Actions[name] != nil; n++ {
		name = fmt.Sprintf("%s_%d", c.name, n)
	}
	b.names["?"+c.name] = name
	text := short(c.text)
	x := &sop.Condition{
		Kind: kindOf(c.text), Source: c.reading.Source, Certain: c.reading.settled(),
		Text: b.wording(text), EstablishedBy: sop.L(sop.Conversation),
	}
	if c.anchor >= 0 {
		x.EstablishedBy = sop.L(b.names[b.flow.nodes[c.anchor].name])
	}
	x.Negated = b.wording(negated(text))
	if c.reading.Compare != "" && len(c.reading.Parts) == 0 {
		b.comparison(name, x, c.reading)
	} else {
		x.RecordTrue = "Finding “" + x.Text + "”: yes"
		x.RecordFalse = "Finding “" + x.Text + "”: no"
	}
	b.d.Conditions[name] = x
}

// comparison declares the value and the threshold that a condition compares.
func (b *builder) comparison(name string, x *sop.Condition, r *Reading) {
	subject := slug(findSubject(r.Text))
	value := subject
	for n := 2; b.d.Values[value] != nil || b.d.Thresholds[value] != nil; n++ {
		value = fmt.Sprintf("%s_%d", subject, n)
	}
	limit := value + "_limit"
	step := 1.0
	if r.Number != float64(int64(r.Number)) {
		step = 0.01
	}
	most := 2*r.Number + 10
	if r.Unit == "percent" && r.Number <= 100 {
		most = 100
	}
	said := strings.ReplaceAll(value, "_", " ")
	b.d.Values[value] = &sop.Value{Unit: r.Unit, Min: 0, Max: most, Step: step, Text: b.wording("the figure for " + said),
		Record: upperFirst(said) + ": {value}", Source: r.Source, Certain: r.settled()}
	b.d.Thresholds[limit] = &sop.Threshold{Default: r.Number, Unit: r.Unit, Text: b.wording("the limit for " + said), Source: r.Source, Certain: r.settled()}
	x.Compare = fmt.Sprintf("%s %s %s", value, r.Compare, limit)
}

func findSubject(text string) string {
	if found := findLimits(text); len(found) > 0 {
		return found[0].subject
	}
	return text
}

// done is the condition that a step has been done: never so before its call,
// and known and true from then on.
func (b *builder) done(n *node) string {
	action := b.names[n.name]
	name := action + "_done"
	if b.d.Conditions[name] == nil {
		a := b.d.Actions[action]
		b.d.Conditions[name] = &sop.Condition{
			Kind: "state", EstablishedBy: sop.L(action), DependsOn: sop.T(sop.Any), Source: a.Source, Certain: a.Certain,
			Text: b.wording("the step “" + a.Text + "” is done"), Negated: b.wording("the step “" + a.Text + "” is not done"),
			RecordTrue: "Done before this case began, “" + a.Text + "”: yes", RecordFalse: "Done before this case began, “" + a.Text + "”: no",
		}
		a.Effects = map[string]bool{name: true}
	}
	return name
}
