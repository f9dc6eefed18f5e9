package agents

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

// asking is what reading an answer takes from its question.
type asking struct {
	question  *rubric.Question
	reference *stages.Reference   // nil without a check
	items     map[string][]string // base to names with that base, arguments included
	names     *vocabulary
}

func newAsking(q *rubric.Question) (*asking, error) {
	a := &asking{question: q, items: map[string][]string{}}
	list := slices.Concat(q.Key.Value, severalWords(names(q.Context)), severalWords(names(q.Query)))
	if q.Key.Check != "" {
		r, err := stages.ParseReference([]byte(q.Key.Check))
		if err != nil {
			return nil, fmt.Errorf("key of question %s: %w", q.ID, err)
		}
		a.reference = r
		list = append(list, sortedKeys(r.Requires)...)
		for _, o := range r.Outcomes {
			list = append(list, o.End)
		}
	}
	if q.Key.Kind == rubric.KeyOutcome {
		list = append(list, sop.Deny)
	}
	for _, item := range list {
		base, _, _ := strings.Cut(item, "(")
		if !slices.Contains(a.items[base], item) {
			a.items[base] = append(a.items[base], item)
		}
	}
	a.names = newVocabulary(list)
	return a, nil
}

// severalWords drops the names that are a single word, which prose has too.
func severalWords(list []string) []string {
	return slices.DeleteFunc(list, func(n string) bool { return !strings.Contains(n, "_") })
}

// call says whether a name is a call or an end, as far as the question tells.
func (a *asking) call(m mention) bool {
	if a.reference == nil || !m.known {
		return true
	}
	return slices.ContainsFunc(a.items[m.name], func(item string) bool {
		_, ok := a.reference.Requires[item]
		return ok || slices.ContainsFunc(a.reference.Outcomes, func(o sop.Outcome) bool { return o.End == item })
	})
}

// item is the name that a mention means, its arguments included: those it gives
// may be the parameters' sources or the values at hand. Where they fit none, the
// name is followed by text.NoInstance.
func (a *asking) item(m mention) string {
	list := a.items[m.name]
	if len(list) == 0 {
		return m.name
	}
	written := sop.Name{Base: m.name, Args: map[string]string{}}
	for p, value := range m.args {
		written.Args[p] = fmt.Sprint(value)
	}
	if name := written.String(); slices.Contains(list, name) {
		return name
	}
	var fitting []string
	for _, item := range list {
		if a.fits(item, m.args) {
			fitting = append(fitting, item)
		}
	}
	switch {
	case slices.Contains(fitting, m.name):
		return m.name
	case len(fitting) == 1:
		return fitting[0]
	}
	return m.name + text.NoInstance
}

// fits says whether arguments are those of an item, as far as they are given.
func (a *asking) fits(item string, args map[string]any) bool {
	if a.reference == nil {
		return true
	}
	parameters, listed := a.reference.Parameters[item]
	if !listed {
		return true
	}
	for p, given := range args {
		source, ok := parameters[p]
		if !ok {
			return false
		}
		bound, ok := a.reference.Bindings[source]
		if ok && bound != nil && fmt.Sprint(given) != source && !sameValue(given, bound) {
			return false
		}
	}
	return true
}

func sameValue(a, b any) bool {
	return strings.EqualFold(strings.TrimSpace(plain(a)), strings.TrimSpace(plain(b)))
}

// given is an answer as it is read.
type given struct {
	calls []mention
	text  string
}

// read prepares an answer: in one way, or in several of which the worst counts.
func (a *asking) read(answer *rubric.Answer) []given {
	var calls []mention
	for _, c := range toolCalls(answer.ToolCalls) {
		m := a.named(c.Name)
		_ = json.Unmarshal([]byte(c.Arguments), &m.args) // what is no object is no argument
		calls = append(calls, m)
	}
	var list []given
	for _, text := range unpleaded(cleaned(answer.Text)) {
		list = append(list, given{calls, strings.TrimSpace(text)})
	}
	return list
}

// named is the mention that a string by itself makes.
func (a *asking) named(s string) mention {
	if list := a.names.mentions(s); len(list) > 0 {
		return list[0]
	}
	return mention{name: shortened(s)}
}

func shortened(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// object reads a call that is a JSON object, in one of the forms in which
// models write it.
func (a *asking) object(value any) (mention, bool) {
	object, _ := value.(map[string]any)
	if f, wrapped := object["function"].(map[string]any); wrapped {
		object = f
	}
	for _, key := range []string{"name", "call", "action", "function", "tool", "tool_name", "end"} {
		name, ok := object[key].(string)
		if !ok {
			continue
		}
		m := a.named(name)
		for _, key := range []string{"arguments", "args", "parameters", "input"} {
			switch given := object[key].(type) {
			case map[string]any:
				m.args = given
			case string:
				_ = json.Unmarshal([]byte(given), &m.args)
			}
		}
		return m, true
	}
	return mention{}, false
}

const verdictWords = `answer|result|conclusion|verdict|decision`

var (
	announcesCall = announcing(verdictWords + `|(?:next |single |right )*(?:step|call|action)(?: to (?:make|call|take))?`)
	led           = regexp.MustCompile("(?i)(?:\\b(?:call|calls|calling|run|running|make|invoke|use|using|execute|name|next|now|(?:end|ends|ending|finish|close|continue|go on|proceed) (?:with|by calling))|\\b(?:step|call|action|answer) is)[\\s:]*(?:the |call |to call |is )*[\"'`(]*$")
)

// oneCall is the one call, or name, that an answer settles on. Where it settles
// on none, the error says why.
func (a *asking) oneCall(g given) (mention, error) {
	if len(g.calls) > 0 {
		return a.single(g.calls)
	}
	whole := g.text
	var objects []mention
	for _, value := range jsonValues(whole) {
		if list, ok := value.([]any); ok && len(list) == 1 {
			value = list[0]
		}
		if m, ok := a.object(value); ok {
			objects = append(objects, m)
		}
	}
	if len(objects) > 0 {
		return a.single(objects)
	}
	whole = unwrapped(whole)
	undecided := fmt.Errorf("off the format: no call is named")
	for _, part := range []string{concluded(whole, announcesCall), whole} {
		list := slices.DeleteFunc(meant(a.names.mentions(part)), func(m mention) bool { return !a.call(m) })
		if len(list) == 0 {
			continue
		}
		if m, ok := a.names.lastLine(part); ok && a.call(m) {
			return m, nil
		}
		if first := list[0]; strings.Trim(part[:first.begin], " \n\t\"'`(*_#>-") == "" && (len(list) == 1 || !joint(part, first, list[1])) {
			return first, nil
		}
		leading := slices.DeleteFunc(slices.Clone(list), func(m mention) bool { return !led.MatchString(tail(part[:m.begin])) })
		if m, err := a.single(leading); err == nil {
			return m, nil
		}
		m, err := a.single(list)
		if err == nil {
			return m, nil
		}
		undecided = err
	}
	return mention{}, undecided
}

// single is the one item that all mentions mean.
func (a *asking) single(list []mention) (mention, error) {
	if len(list) == 0 {
		return mention{}, fmt.Errorf("off the format: no call is named")
	}
	for _, m := range list[1:] {
		if a.item(m) != a.item(list[0]) {
			return mention{}, fmt.Errorf("undecided between %s and %s", a.item(list[0]), a.item(m))
		}
	}
	return list[0], nil
}

// next are the right next actions.
func (a *asking) next() []string {
	m, err := sop.Compile(a.reference.Graph())
	if err != nil {
		panic(err) // the reference was compiled before
	}
	return m.Next(a.reference.Facts, a.reference.History)
}
