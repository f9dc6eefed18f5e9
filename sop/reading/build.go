package reading

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// maxSteps bounds the steps and conditions of a procedure: the oracles take
// graphs of up to 64 names.
const maxSteps = 60

// Build makes a domain of what was read, a procedure a document. Rejected
// readings are left out. What leans on a reading that is not certain is marked
// so. The error names the document that is no procedure.
func Build(name string, results []*Result) (*sop.Domain, error) {
	b := &builder{d: &sop.Domain{
		Name: name, Title: upperFirst(strings.ReplaceAll(name, "_", " ")), Parameters: map[string]*sop.Parameter{}, Thresholds: map[string]*sop.Threshold{},
		Values: map[string]*sop.Value{}, Conditions: map[string]*sop.Condition{}, Actions: map[string]*sop.Action{},
	}, worded: map[string]bool{}}
	var titles []string
	for _, r := range results {
		if err := b.procedure(r); err != nil {
			return nil, err
		}
		titles = append(titles, r.Title)
	}
	b.d.Summary = "Read out of documents: " + strings.Join(titles, "; ") + "."
	slices.SortFunc(b.d.Procedures, func(p, q *sop.Procedure) int { return strings.Compare(p.Goal, q.Goal) })
	return b.d, nil
}

type builder struct {
	d      *sop.Domain
	worded map[string]bool // texts that are taken

	// Of the document at hand.
	result *Result
	flow   *flow
	names  map[string]string // of steps and conditions, as read -> in the domain
	goal   string
	// granted is the end that stands for the goal, nil where the goal is what
	// comes last.
	granted *end
}

func (b *builder) procedure(r *Result) error {
	n := 0
	for _, x := range r.Readings {
		if x.flows() {
			n += 1 + len(x.Then) + len(x.Else)
		}
	}
	if n > 2*maxSteps {
		return fmt.Errorf("%s: %d steps and decisions, want at most %d in one procedure: give its parts as documents of their own", r.File, n, 2*maxSteps)
	}
	b.result, b.flow, b.names = r, newFlow(r.Readings), map[string]string{}
	f := b.flow
	if len(f.nodes) == 0 {
		return fmt.Errorf("%s: no step is left that the agent could do", r.File)
	}
	if len(f.conditions) == 0 {
		return fmt.Errorf("%s: nothing is left that the procedure decides by", r.File)
	}
	if n := len(f.nodes) + len(f.conditions); n > maxSteps {
		return fmt.Errorf("%s: %d steps and conditions, want at most %d in one procedure: give its parts as documents of their own", r.File, n, maxSteps)
	}
	b.granted = b.lastEnd()
	b.goal = b.goalName()
	for _, x := range f.nodes {
		b.names[x.name] = b.action(x)
	}
	for _, c := range f.conditions {
		b.condition(c)
	}
	p := &sop.Procedure{Goal: b.goal, Title: r.Title, Purpose: "Takes a case through “" + r.Title + "”.", Requests: b.requests(), Source: r.File + ":1"}
	b.rules(p)
	for _, x := range r.Readings {
		b.aside(p, x)
	}
	b.prune(p)
	b.exclude()
	certain := !slices.ContainsFunc(r.Readings, func(x *Reading) bool { return x.flows() && x.Open() })
	p.Certain = &certain
	b.d.Procedures = append(b.d.Procedures, p)
	return nil
}

// prune leaves out conditions that decide nothing: cases go the same way
// whether they hold or not.
func (b *builder) prune(p *sop.Procedure) {
	v, err := b.d.Variant(p, sop.Choice{})
	if err != nil {
		return // the pack's validation says why
	}
	used := map[string]bool{}
	for _, c := range v.Conditions {
		used[c.Base] = true
	}
	for _, c := range b.flow.conditions {
		name := b.names["?"+c.name]
		if x := b.d.Conditions[name]; x != nil && !used[name] {
			if compare, err := sop.ParseComparison(x.Compare); x.Compare != "" && err == nil {
				for _, n := range compare.Names() {
					delete(b.d.Values, n)
				}
			}
			delete(b.d.Conditions, name)
		}
	}
}

// exclude says that a variable has one value at a time.
func (b *builder) exclude() {
	of := map[string][]string{}
	for _, c := range b.flow.conditions {
		if name := b.names["?"+c.name]; c.reading.Of != "" && b.d.Conditions[name] != nil {
			of[c.reading.Of] = append(of[c.reading.Of], name)
		}
	}
	for _, variable := range slices.Sorted(maps.Keys(of)) {
		if len(of[variable]) > 1 {
			b.d.Excludes = append(b.d.Excludes, of[variable])
		}
	}
}

// last is the step in which every case ends that does not end before, or nil.
func (b *builder) last() *node {
	f := b.flow
	if len(f.front) == 1 && f.front[0].from >= 0 && len(f.front[0].facts) == 0 {
		if n := f.nodes[f.front[0].from]; n.reading.Kind == Step {
			return n
		}
	}
	return nil
}

// lastEnd takes the end that was read last for the goal where no case goes on
// past the last decision: in "escalate if …, else approve" approve is what the
// procedure is for, and of a list of statuses it is the first. It returns that
// end, else nil.
func (b *builder) lastEnd() *end {
	f := b.flow
	if len(f.front) > 0 || len(f.ends) == 0 {
		return nil
	}
	at := len(f.ends) - 1
	list := f.ends[at].reading
	for i, e := range slices.Backward(f.ends) {
		if e.reading != list && e.reading.Source == list.Source && e.reading.Quote == list.Quote {
			at = i // of a list of statuses, the first
		}
	}
	for i, e := range f.ends {
		if e.text != "" {
			at = i // an act rather than a status
		}
	}
	last := f.ends[at]
	f.front, f.ends = last.in, slices.Delete(f.ends, at, at+1)
	return last
}

// goalName is the last step, where every case that goes through comes to it,
// or the end that stands for the goal; else an act of its own, completing the
// case.
func (b *builder) goalName() string {
	if n := b.last(); n != nil {
		return b.free(n.name, b.d.Actions[n.name] != nil)
	}
	if b.granted != nil {
		name := b.granted.name
		return b.free(name, b.d.Actions[name] != nil || b.d.Conditions[name] != nil)
	}
	base := slug(b.result.Title)
	return b.free("complete_"+base, b.d.Actions["complete_"+base] != nil)
}

// free changes a name that another procedure has taken.
func (b *builder) free(name string, taken bool) string {
	if name == sop.Deny || name == sop.Conversation || !sop.IsIdentifier(name) {
		name, taken = "do_"+slug(name), b.d.Actions["do_"+slug(name)] != nil
	}
	for n := 2; taken; n++ {
		candidate := fmt.Sprintf("%s_%d", name, n)
		if b.d.Actions[candidate] == nil && b.d.Conditions[candidate] == nil {
			return candidate
		}
	}
	return name
}

// wording makes a text unlike all others of the domain.
func (b *builder) wording(text string) string {
	for n := 1; ; n++ {
		candidate := text
		if n > 1 {
			candidate = fmt.Sprintf("%s (%d)", text, n)
		}
		if key := strings.ToLower(oneLine(candidate)); !b.worded[key] {
			b.worded[key] = true
			return candidate
		}
	}
}

// rules gives every call its requirement and the procedure its outcomes.
func (b *builder) rules(p *sop.Procedure) {
	f := b.flow
	for _, n := range f.nodes {
		if name := b.names[n.name]; name != b.goal {
			b.d.Actions[name].Requires = b.tree(n.in)
		}
	}
	var goal *sop.Tree
	if n := b.last(); n != nil {
		goal = b.tree(n.in)
	} else {
		goal = b.tree(f.front)
		certain := true
		b.d.Actions[b.goal] = &sop.Action{Text: b.wording(b.goalText()), Source: b.result.File + ":1", Certain: &certain}
	}
	switch {
	case goal == nil:
	case goal.Op == sop.All:
		p.Required = goal.Parts
	default:
		p.Required = []*sop.Tree{goal}
	}
	if len(f.ends) == 0 || len(f.ends) == 1 && f.ends[0].name == "reject" {
		return // a request that is granted or denied
	}
	p.Outcomes = []sop.Outcome{{End: b.goal, Tree: goal}}
	for _, e := range f.ends {
		p.Outcomes = append(p.Outcomes, sop.Outcome{End: b.endName(e), Tree: b.tree(e.in)})
	}
	p.Outcomes[len(p.Outcomes)-1].Tree = nil
}

func (b *builder) goalText() string {
	if b.granted != nil && b.granted.text != "" {
		return short(b.granted.text)
	}
	return strings.ReplaceAll(b.goal, "_", " ") + ", the case of “" + short(b.result.Title) + "”"
}

// endName keeps an end apart from the calls; one that is an act is declared.
func (b *builder) endName(e *end) string {
	name := e.name
	if !sop.IsIdentifier(name) {
		name = slug(name)
	}
	if b.d.Actions[name] != nil || name == sop.Conversation || name == "" {
		name = "end_" + name
	}
	if e.text != "" && name != sop.Deny {
		b.d.Actions[name] = &sop.Action{Text: b.wording(short(e.text)), Source: e.reading.Source, Certain: e.reading.settled()}
	}
	return name
}

// tree says that one of the ways is open.
func (b *builder) tree(ways []way) *sop.Tree {
	var alternatives []*sop.Tree
	for _, w := range ways {
		var parts []*sop.Tree
		told := false // a fact that the step itself tells says that it is done
		for _, x := range w.facts {
			c := b.flow.by[x.condition]
			told = told || c.anchor == w.from
			leaf := b.leaf(c)
			if !x.holds {
				leaf = sop.T(sop.Not, leaf)
			}
			parts = append(parts, leaf)
		}
		if w.from >= 0 && !told {
			parts = append([]*sop.Tree{sop.L(b.done(b.flow.nodes[w.from]))}, parts...)
		}
		switch len(parts) {
		case 0:
			return nil
		case 1:
			alternatives = append(alternatives, parts[0])
		default:
			alternatives = append(alternatives, sop.T(sop.All, parts...))
		}
	}
	switch len(alternatives) {
	case 0:
		return sop.T(sop.Any)
	case 1:
		return alternatives[0]
	}
	return sop.T(sop.Any, alternatives...)
}

func (b *builder) leaf(c *condition) *sop.Tree {
	if c.tree == nil {
		return sop.L(b.names["?"+c.name])
	}
	return c.tree.Map(func(name string) string { return b.names["?"+name] })
}

// requests are how a case may be announced; the wording is ours, the details
// are those that the tools take.
func (b *builder) requests() []string {
	var details []string
	for _, p := range b.parametersOf() {
		details = append(details, fmt.Sprintf("%s: {%s}.", b.d.Parameters[p].Label, p))
	}
	said := strings.Join(details, " ")
	title := short(b.result.Title)
	var out []string
	for _, form := range []string{
		"Please take this case through “%s”. %s", "A new case for “%s” has come in. %s", "Could you work on this one? It is for “%s”. %s",
		"Case for “%s”. %s", "We need “%s” carried out. %s", "I am handing you a case of “%s”. %s",
	} {
		out = append(out, strings.TrimSpace(fmt.Sprintf(form, title, said)))
	}
	return out
}

func (b *builder) parametersOf() []string {
	names := map[string]bool{}
	for _, n := range b.flow.nodes {
		for p := range n.reading.Parameters {
			names[p] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
