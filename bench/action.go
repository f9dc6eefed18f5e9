package bench

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/llm"
	"go.starlark.net/starlark"
)

// readText finds the first call in a text: under an action label, as a JSON
// object, or as code, in any of the shapes in which small models write one. A
// text without any is for the user. What is meant for a call and cannot be read
// is a fault.
func readText(c *Conversation, text string, _ llm.Reply) Turn {
	whole := text
	if at := observation.FindStringIndex(text); at != nil {
		if text = strings.TrimSpace(text[:at[0]]); text == "" {
			return Turn{Text: whole, Fault: "it begins with an observation, which only tools make"}
		}
	}
	r := actionReader{c: c, text: text}
	for _, shape := range []func() (Turn, bool){r.labelled, r.object, r.tagged, r.code} {
		if turn, found := shape(); found {
			if turn.Fault != "" {
				turn.Text = text
			}
			return turn
		}
	}
	return Turn{Text: text}
}

type actionReader struct {
	c    *Conversation
	text string
}

var (
	observation = regexp.MustCompile(`(?mi)^[ \t>*_#]*observation[ \t*_]*(?:\([^\n]*\))?[ \t*_]*:`)
	// A label stands at the beginning of a line, in any mark-up.
	label = regexp.MustCompile("(?mi)^[ \t>*_#`-]*(?:step )?(?:[0-9]+[.) ]+)?" +
		"(thought|thoughts|reasoning|next action|action name|action|tool name|tool call|tool|function call|function name|function|call" +
		"|action[ _]?inputs?|tool input|inputs?|action arguments|arguments|args|parameters|final answer|answer|response)" +
		"[ \t*_`]*[0-9]*[ \t*_`]*:[ \t*]*(?:__[ \t]+)?")
	endAction = regexp.MustCompile(`(?i)<?/?end[ _]action>?`)
	// inLine is the form without line breaks.
	inLine = regexp.MustCompile(`(?is)^(.*?)\baction:(.*?)\baction input:(.*)$`)
)

type labelKind int

const (
	thoughtLabel labelKind = iota
	actionLabel
	inputLabel
	answerLabel
)

func kindOfLabel(name string) labelKind {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "input") || strings.HasPrefix(name, "arg") || strings.HasSuffix(name, "arguments") || name == "parameters":
		return inputLabel
	case strings.HasPrefix(name, "thought") || name == "reasoning":
		return thoughtLabel
	case strings.HasSuffix(name, "answer") || name == "response":
		return answerLabel
	}
	return actionLabel
}

// labelled reads Thought, Action and Action Input.
func (r *actionReader) labelled() (Turn, bool) {
	type part struct {
		kind labelKind
		text string
	}
	var parts []part
	marks := label.FindAllStringSubmatchIndex(r.text, -1)
	before := r.text
	if len(marks) > 0 {
		before = r.text[:marks[0][0]]
	}
	for i, m := range marks {
		end := len(r.text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		text, _, _ := cutAt(r.text[m[1]:end], endAction)
		parts = append(parts, part{kindOfLabel(r.text[m[2]:m[3]]), strings.TrimSpace(text)})
	}
	at := slices.IndexFunc(parts, func(p part) bool { return p.kind == actionLabel })
	if m := inLine.FindStringSubmatch(r.text); m != nil && (at < 0 || !slices.ContainsFunc(parts, func(p part) bool { return p.kind == inputLabel })) {
		input, _, _ := cutAt(m[3], endAction)
		before, parts, at = "", []part{{thoughtLabel, strings.TrimSpace(label.ReplaceAllString(m[1], ""))}, {actionLabel, strings.TrimSpace(m[2])}, {inputLabel, strings.TrimSpace(input)}}, 1
	}
	if at < 0 {
		return Turn{}, false
	}
	said := []string{strings.TrimSpace(before)}
	for _, p := range parts[:at] {
		said = append(said, p.text)
	}
	thought := joined(said)
	input := ""
	if at+1 < len(parts) && parts[at+1].kind == inputLabel {
		input = parts[at+1].text
	}
	if isNone(parts[at].text) {
		// Nothing to call: what else is said is for the user.
		for _, p := range parts[at+1:] {
			if p.kind != inputLabel || !isNone(p.text) {
				said = append(said, p.text)
			}
		}
		if words := joined(said); words != "" {
			return Turn{Text: words}, true
		}
		return Turn{Fault: "it names no action, and says nothing to the customer"}, true
	}
	call, err := r.call(parts[at].text, input)
	if err != nil {
		return Turn{Fault: err.Error()}, true
	}
	return Turn{Text: thought, Call: call}, true
}

func cutAt(s string, re *regexp.Regexp) (before, after string, found bool) {
	at := re.FindStringIndex(s)
	if at == nil {
		return s, "", false
	}
	return s[:at[0]], s[at[1]:], true
}

func joined(parts []string) string {
	return strings.TrimSpace(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n"))
}

// isNone tells whether a text says that there is nothing.
func isNone(s string) bool {
	s = strings.ToLower(strings.Trim(s, " \t\r\n.`'\"*[](){}"))
	return s == "" || none[s] || s == "no action" || s == "none needed" || s == "no tool"
}

// call reads the name of a tool, and its arguments from behind it or from an
// input of their own.
func (r *actionReader) call(action, input string) (*Call, error) {
	action = unfenced(action)
	if object, start, _, err := llm.FirstObject(action); err == nil && strings.Trim(action[:start], " \t\r\n`") == "" {
		if call, _, is := r.described(object); is {
			return r.finish(call, input)
		}
	}
	name, rest := r.name(action)
	if name == "" {
		return nil, fmt.Errorf("%q names no tool", clipped(action))
	}
	if input == "" {
		input = rest
	} else if args, ok := inParentheses(rest); ok && !isNone(args) {
		input = args
	}
	return r.finish(&Call{Name: name, Arguments: input}, "")
}

func clipped(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

var (
	fenced     = regexp.MustCompile("(?s)```[a-zA-Z_]*[ \t]*\n?(.*?)(?:```|$)")
	identifier = regexp.MustCompile(`[A-Za-z_](?:[A-Za-z0-9_.]*[A-Za-z0-9_])?`)
)

// unfenced takes what is in a code fence, where there is one.
func unfenced(s string) string {
	if m := fenced.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	return strings.TrimSpace(s)
}

// name finds the name of a tool and what stands behind it: the word that the
// text begins with, or the only tool that it mentions. A word by itself is taken
// for a name also where no tool has it: the agent learns that.
func (r *actionReader) name(action string) (name, rest string) {
	action = strings.TrimLeft(action, " \t\r\n`'\"*<[")
	mentioned := map[string]string{}
	for i, at := range identifier.FindAllStringIndex(action, -1) {
		word := action[at[0]:at[1]]
		known := r.tool(word)
		switch {
		case i == 0 && at[0] == 0 && known != "":
			return known, strings.TrimLeft(action[at[1]:], " \t\r\n`'\"*>]:")
		case known != "":
			mentioned[known] = strings.TrimLeft(action[at[1]:], " \t\r\n`'\"*>]:")
		}
	}
	if len(mentioned) == 1 {
		for name, rest := range mentioned {
			return name, rest
		}
	}
	// Words joined by blanks, as in "login user".
	if known := r.tool(strings.ReplaceAll(strings.TrimRight(action, " `'\"*>]."), " ", "_")); known != "" {
		return known, ""
	}
	at := identifier.FindStringIndex(action)
	if at == nil || at[0] != 0 {
		return "", ""
	}
	rest = strings.TrimLeft(action[at[1]:], "`'\"*>] \t\r\n")
	if rest == "" || rest[0] == '(' || rest[0] == '{' {
		return action[:at[1]], rest
	}
	return "", ""
}

// tool is the name of the offered tool that a word means, "" for none.
func (r *actionReader) tool(word string) string {
	word = strings.Trim(word, ".")
	for _, name := range []string{word, word[strings.LastIndexByte(word, '.')+1:]} {
		for _, t := range r.c.Tools {
			if strings.EqualFold(strings.ReplaceAll(name, "-", "_"), t.Name) {
				return t.Name
			}
		}
	}
	return ""
}

// finish makes the arguments of a call an object; input is taken where the call
// has none.
func (r *actionReader) finish(call *Call, input string) (*Call, error) {
	if known := r.tool(call.Name); known != "" {
		call.Name = known
	}
	if call.Arguments == "" {
		call.Arguments = input
	}
	args, err := r.arguments(call.Name, call.Arguments)
	if err != nil {
		return nil, fmt.Errorf("the action input of %s cannot be read: %w", call.Name, err)
	}
	call.Arguments = args
	return call, nil
}

// arguments reads an object, keyword arguments, lines of keys and values, or
// the value of a tool's only parameter.
func (r *actionReader) arguments(tool, text string) (string, error) {
	text = strings.Trim(unfenced(text), " \t\r\n`")
	if isNone(text) {
		return "{}", nil
	}
	if twice, err := callArguments(text); err == nil && strings.HasPrefix(text, `"`) {
		return twice, nil
	}
	object, _, _, err := llm.FirstObject(text)
	if err == nil && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "({") || strings.IndexByte(text, '=') < 0 || strings.IndexByte(text, '=') > strings.IndexByte(text, '{')) {
		if call, _, is := r.described(object); is && r.tool(call.Name) == tool {
			object = []byte(call.Arguments)
		}
		return callArguments(string(object))
	}
	if args, ok := r.keywords(tool, text); ok {
		return args, nil
	}
	if strings.HasPrefix(text, "{") {
		return "", err
	}
	return "", fmt.Errorf("found %q, want a JSON object", clipped(text))
}

// parameters of an offered tool, in their order.
func (r *actionReader) parameters(tool string) []string {
	if t := r.c.Domain.Tool(tool); t != nil {
		names, _ := t.Parameters()
		return names
	}
	return nil
}

// described reads a JSON object that tells of a call, and what is said beside.
func (r *actionReader) described(object []byte) (call *Call, said string, is bool) {
	v, err := decode(object)
	d, ok := v.(*starlark.Dict)
	if err != nil || !ok {
		return nil, "", false
	}
	get := func(names ...string) starlark.Value {
		for _, name := range names {
			if v, found, _ := d.Get(starlark.String(name)); found {
				return v
			}
		}
		return nil
	}
	said, _ = starlark.AsString(get("thought", "reasoning", "thoughts"))
	if inner, ok := get("function", "tool_call", "function_call", "action").(*starlark.Dict); ok {
		d = inner
	}
	name, ok := starlark.AsString(get("name", "tool", "tool_name", "action", "function", "function_name"))
	args := get("arguments", "args", "parameters", "params", "action_input", "actionInput", "input", "tool_input", "kwargs")
	if !ok || r.tool(name) == "" && (args == nil || !identifierOnly(name)) && !isNone(name) {
		return nil, "", false
	}
	call = &Call{Name: name}
	switch args := args.(type) {
	case nil:
	case starlark.String:
		call.Arguments = string(args)
	default:
		text, err := world.Encode(args)
		if err != nil {
			return nil, "", false
		}
		call.Arguments = string(text)
	}
	return call, said, true
}

func identifierOnly(s string) bool {
	at := identifier.FindStringIndex(s)
	return at != nil && at[0] == 0 && at[1] == len(s)
}

// object reads a call that is a JSON object in a text without labels.
func (r *actionReader) object() (Turn, bool) {
	object, start, _, err := llm.FirstObject(r.text)
	if err != nil {
		return Turn{}, false
	}
	call, said, is := r.described(object)
	if !is {
		return Turn{}, false
	}
	before := strings.TrimSpace(strings.TrimRight(r.text[:start], "`[ \t\r\njson"))
	before = strings.TrimSpace(strings.TrimSuffix(before, "<tool_call>"))
	if said == "" {
		said = before
	}
	if isNone(call.Name) {
		return Turn{}, false // the text is for the user
	}
	if call, err = r.finish(call, ""); err != nil {
		return Turn{Fault: err.Error()}, true
	}
	return Turn{Text: said, Call: call}, true
}

var functionTag = regexp.MustCompile(`(?s)<function(?:=|\s+name=)"?([A-Za-z_][A-Za-z0-9_.]*)"?>(.*?)(?:</function>|$)`)

// tagged reads <function=name>{…}</function>.
func (r *actionReader) tagged() (Turn, bool) {
	m := functionTag.FindStringSubmatchIndex(r.text)
	if m == nil {
		return Turn{}, false
	}
	call, err := r.finish(&Call{Name: r.text[m[2]:m[3]], Arguments: r.text[m[4]:m[5]]}, "")
	if err != nil {
		return Turn{Fault: err.Error()}, true
	}
	return Turn{Text: strings.TrimSpace(r.text[:m[0]]), Call: call}, true
}

var codeLine = regexp.MustCompile("(?m)^[ \t>*`-]*(?:[a-z_]+ *= *)?(?:await +)?(?:print\\()?((?:[A-Za-z_][A-Za-z0-9_]*\\.)*[A-Za-z_][A-Za-z0-9_]*)\\(")

// code reads a line that is a call of an offered tool, as code has it.
func (r *actionReader) code() (Turn, bool) {
	for _, m := range codeLine.FindAllStringSubmatchIndex(r.text, -1) {
		name := r.tool(r.text[m[2]:m[3]])
		if name == "" {
			continue
		}
		args, ok := inParentheses(r.text[m[1]-1:])
		if !ok {
			return Turn{Fault: fmt.Sprintf("the call of %s is not closed", name)}, true
		}
		call, err := r.finish(&Call{Name: name, Arguments: args}, "")
		if err != nil {
			return Turn{Fault: err.Error()}, true
		}
		before, _, _ := strings.Cut(r.text[:m[0]], "```")
		return Turn{Text: strings.TrimSpace(before), Call: call}, true
	}
	return Turn{}, false
}
