package agents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
)

// Forms in which an answer can be, for the raw part of a score.
const (
	formCalls  = "tool_calls"
	formJSON   = "json"
	formArrows = "arrows"
	formList   = "list"
	formProse  = "prose"
)

var announcesList = announcing(verdictWords + `|workflow|sequence|plan|order|(?:list of )?(?:conditions|calls|goals|names|steps)`)

// sequence reads calls in their order, and the form in which they stand.
func (a *asking) sequence(g given) (list []mention, form string) {
	if len(g.calls) > 0 {
		return g.calls, formCalls
	}
	if list := a.stepsInJSON(g.text); len(list) > 0 {
		return list, formJSON
	}
	for _, part := range []string{concluded(g.text, announcesList), g.text} {
		if list := a.chain(part); len(list) > 0 {
			return list, formArrows
		}
		if list := a.listed(part); len(list) > 0 {
			return list, formList
		}
		if list := a.narrated(part); len(list) > 0 {
			return list, formProse
		}
	}
	return nil, ""
}

// stepsInJSON takes the last list in a text that has steps, or else the objects
// that are calls. An end may stand beside the list.
func (a *asking) stepsInJSON(whole string) (list []mention) {
	var objects []mention
	for _, value := range jsonValues(whole) {
		object, _ := value.(map[string]any)
		if steps := a.steps(value, 3); len(steps) > 0 {
			if end, ok := object["end"].(string); ok && a.item(steps[len(steps)-1]) != a.item(a.named(end)) {
				steps = append(steps, a.named(end))
			}
			list = steps
		} else if m, ok := a.object(value); ok {
			objects = append(objects, m)
		}
	}
	if len(list) == 0 {
		return objects
	}
	return list
}

// steps of a JSON list, or of the first list in an object, so deep.
func (a *asking) steps(value any, depth int) (list []mention) {
	switch x := value.(type) {
	case []any:
		for _, e := range x {
			if s, ok := e.(string); ok {
				list = append(list, a.named(s))
			} else if m, ok := a.object(e); ok {
				list = append(list, m)
			}
		}
	case map[string]any:
		usual := []string{"workflow", "answer", "final_answer", "sequence", "steps", "calls"}
		for _, key := range append(usual, sortedKeys(x)...) {
			if inner, ok := x[key]; ok && depth > 0 {
				if list = a.steps(inner, depth-1); len(list) > 0 {
					return list
				}
			}
		}
	}
	return list
}

const arrows = `(?:-{1,3}>|=+>|[→⇒➔➜⟶↦])`

var (
	arrow    = regexp.MustCompile(arrows)
	arrowEnd = regexp.MustCompile(arrows + `\s*$`)
	noAction = regexp.MustCompile(`(?i)^\W*(?:start|begin|end|stop|done|finish|and)?\W*$`)
)

// chain reads the last chain of names joined by arrows. It may go on over lines
// that end or begin with an arrow.
func (a *asking) chain(part string) []mention {
	var block []string
	last, open := "", false
	for _, line := range append(strings.Split(part, "\n"), "") {
		if arrow.MatchString(line) || open && line != "" {
			block, open = append(block, line), arrowEnd.MatchString(tail(line))
			continue
		}
		if whole := strings.Join(block, " "); len(a.names.mentions(whole)) > 0 {
			last = whole
		}
		block, open = nil, false
	}
	if last == "" {
		return nil
	}
	var list []mention
	for i, link := range arrow.Split(last, -1) {
		named := meant(a.names.mentions(link))
		switch {
		case len(named) > 0 && i == 0:
			list = append(list, named[len(named)-1]) // after a lead
		case len(named) > 0:
			list = append(list, named[0])
		case !noAction.MatchString(link):
			list = append(list, mention{name: shortened(link)})
		}
	}
	return list
}

var thenNext = regexp.MustCompile("(?i)^[\\s\"'`*()]*(?:,\\s*)?(?:and\\s+)?(?:then|followed by|after that)[\\s,]*(?:(?:call|run)\\s+)?[\"'`*]*$")

// listed reads what each item of a list begins with: its first name, and the
// names joined to it.
func (a *asking) listed(part string) (list []mention) {
	for _, item := range items(part) {
		named := a.names.mentions(item)
		if a.question.Key.Kind == rubric.KeySet {
			named = a.unasked(named)
		}
		calls := slices.DeleteFunc(slices.Clone(named), func(m mention) bool { return !m.known || !a.call(m) })
		if len(calls) > 0 {
			named = calls
		}
		for i, m := range named {
			if i > 0 && !joint(item, named[i-1], m) && !thenNext.MatchString(item[named[i-1].end:m.begin]) {
				break
			}
			if !m.negated {
				list = append(list, m)
			}
		}
	}
	return list
}

// narrated reads the calls of a text in the order in which they are named. What
// is named again is spoken of, not called, unless the text has only names.
func (a *asking) narrated(part string) (list []mention) {
	named := a.names.mentions(part)
	if onlyNames(part, named) {
		return slices.DeleteFunc(named, func(m mention) bool { return m.negated })
	}
	for _, m := range meant(named) {
		quoted := strings.HasSuffix(part[:m.begin], "`")
		again := slices.ContainsFunc(list, func(n mention) bool { return a.item(n) == a.item(m) })
		if a.call(m) && (m.known || quoted) && !again {
			list = append(list, m)
		}
	}
	return list
}

var (
	none    = regexp.MustCompile(`(?i)^\W*(?:none|nothing|none of (?:them|these|the \w+)|empty)?\W*$`)
	nothing = regexp.MustCompile(`(?i)^\W*(?:none|nothing|no|n/a|empty|zero)\b|\bnone\b|\bnothing\b|\bno (?:\w+ ){0,3}(?:conditions?|calls?|requests?|goals?|procedures?|names?)\b|\[\s*\]`)
)

// set reads names in any order; ok is false where there are none and the answer
// does not say that there is none either.
func (a *asking) set(g given) (list []mention, form string, ok bool) {
	if len(g.calls) > 0 {
		return g.calls, formCalls, true
	}
	if list := a.membersInJSON(g.text); len(list) > 0 {
		return list, formJSON, true
	}
	for _, part := range []string{concluded(g.text, announcesList), g.text} {
		if part != "" && none.MatchString(part) {
			return nil, formProse, true
		}
		if list := a.listed(part); len(list) > 0 {
			return list, formList, true
		}
		if named := a.unasked(a.names.mentions(part)); len(named) > 0 {
			return meant(named), formProse, true
		}
	}
	return nil, "", nothing.MatchString(g.text)
}

// unasked drops the names that the query has itself and that are not asked for.
func (a *asking) unasked(list []mention) []mention {
	return slices.DeleteFunc(slices.Clone(list), func(m mention) bool { return a.inQuery(a.item(m)) })
}

func (a *asking) inQuery(item string) bool {
	return slices.Contains(names(a.question.Query), item) && !slices.Contains(a.question.Key.Value, item)
}

// membersInJSON takes the last list in a text, or the names that an object says
// yes to.
func (a *asking) membersInJSON(whole string) (list []mention) {
	for _, value := range jsonValues(whole) {
		if members := a.steps(value, 3); len(members) > 0 {
			list = members
			continue
		}
		object, _ := value.(map[string]any)
		for _, name := range sortedKeys(object) {
			said := strings.ToLower(plain(object[name]))
			if m := a.named(name); m.known && slices.Contains([]string{"yes", "permitted", "allowed", "approved"}, said) {
				list = append(list, m)
			}
		}
	}
	return list
}
