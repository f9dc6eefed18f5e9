package export

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
)

// episode is a next-action row as an agent lives it: the procedure, the
// request, the calls so far with their results, and the right next call.
type episode struct {
	procedure string
	request   string
	history   []call
	results   []string // of each call in history
	next      call
	tools     []tool
}

// call is a call of a tool. An end of the procedure is one too.
type call struct {
	Name      string         `json:"name" parquet:"name"`
	Arguments map[string]any `json:"arguments" parquet:"arguments,json"`
}

// JSON writes the call in one line, with its keys in a fixed order.
func (c call) JSON() string { return compact(c) }

// tool is a call that the agent can make.
type tool struct {
	Name        string     `json:"name" parquet:"name"`
	Description string     `json:"description" parquet:"description"`
	Parameters  parameters `json:"parameters" parquet:"parameters"`
}

// parameters is a JSON Schema.
type parameters struct {
	Type       string              `json:"type" parquet:"type"` // object
	Properties map[string]property `json:"properties" parquet:"properties,json"`
	Required   []string            `json:"required" parquet:"required,list"`
}

type property struct {
	Type        string `json:"type" parquet:"type"`
	Description string `json:"description" parquet:"description"`
}

// Why a group is no conversation with tool calls.
const (
	notNextAction  = "not a next action"
	unreadableCase = "the case of the next action cannot be read"
)

// episode reads a next-action row, or says why it cannot.
func (g *Group) episode() (_ *episode, leftOut string) {
	if g.View != dataset.ViewNextAction {
		return nil, notNextAction
	}
	var reference struct {
		Outcomes   []struct{ End string }
		History    []string
		Bindings   map[string]any
		Parameters map[string]map[string]string
	}
	var next nextPayload
	parts := strings.Split(g.Context, contextBreak)
	if len(parts) != 3 || json.Unmarshal([]byte(g.Reference), &reference) != nil || json.Unmarshal([]byte(g.Positive.Payload), &next) != nil {
		return nil, unreadableCase
	}
	e := &episode{procedure: strings.TrimSpace(parts[0]), request: strings.TrimSpace(parts[1]), next: next.call(), results: results(parts[2])}
	if len(e.results) != len(reference.History) {
		return nil, unreadableCase
	}
	t := toolbox{group: g, tools: map[string]tool{}}
	for _, item := range reference.History {
		c := call{base(item), map[string]any{}}
		for own, source := range reference.Parameters[item] {
			if value, bound := reference.Bindings[source]; bound {
				c.Arguments[own] = value
			}
		}
		e.history = append(e.history, c)
	}
	for item, own := range reference.Parameters {
		arguments := map[string]any{}
		for name, source := range own {
			if value, bound := reference.Bindings[source]; bound {
				arguments[name] = value
			}
		}
		t.add(call{base(item), arguments})
	}
	for _, o := range reference.Outcomes {
		t.add(call{Name: base(o.End)})
	}
	for _, n := range g.Negatives { // calls from outside the procedure are offered too
		var p nextPayload
		if json.Unmarshal([]byte(n.Payload), &p) == nil {
			t.add(p.call())
		}
	}
	e.tools = t.list()
	return e, ""
}

// contextBreak stands between the procedure, the request and the log.
const contextBreak = "\n\n---\n\n"

type nextPayload struct {
	Next      string
	Arguments map[string]any
}

func (p nextPayload) call() call {
	if p.Arguments == nil {
		p.Arguments = map[string]any{}
	}
	return call{base(p.Next), p.Arguments}
}

// base is the name of a call without the arguments that tell it from another
// of that name.
func base(item string) string {
	name, _, _ := strings.Cut(item, "(")
	return name
}

// resultMark is what the log puts before a result.
var resultMark = regexp.MustCompile(`^ +(?:- |Result: |Answer: |=> )`)

// results are what the calls of a log returned. Results are indented, calls are
// not and have a mark in backticks.
func results(log string) (list []string) {
	for _, line := range strings.Split(strings.TrimRight(log, "\n"), "\n") {
		switch mark := resultMark.FindString(line); {
		case mark != "" && len(list) > 0:
			if last := &list[len(list)-1]; *last == "" {
				*last = line[len(mark):]
			} else {
				*last += "\n" + line[len(mark):]
			}
		case mark == "" && strings.Contains(line, "`"):
			list = append(list, "")
		}
	}
	return list
}

// toolbox collects the tools of a row under their names.
type toolbox struct {
	group *Group
	tools map[string]tool
}

func (t *toolbox) add(c call) {
	known, ok := t.tools[c.Name]
	if !ok {
		known = tool{c.Name, t.group.lexicon.action(t.group.Row, c.Name), parameters{"object", map[string]property{}, []string{}}}
	}
	for name, value := range c.Arguments {
		known.Parameters.Properties[name] = property{jsonType(value), t.group.lexicon.parameter(t.group.Row, name)}
	}
	known.Parameters.Required = slices.AppendSeq([]string{}, maps.Keys(known.Parameters.Properties))
	slices.Sort(known.Parameters.Required)
	t.tools[c.Name] = known
}

func (t *toolbox) list() (tools []tool) {
	for _, name := range slices.Sorted(maps.Keys(t.tools)) {
		tools = append(tools, t.tools[name])
	}
	return tools
}

func jsonType(value any) string {
	switch value.(type) {
	case bool:
		return "boolean"
	case float64:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "string"
}

// compact writes plain data as JSON in one line.
func compact(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a program error: the types here are plain data
	}
	return strings.TrimSuffix(b.String(), "\n")
}
