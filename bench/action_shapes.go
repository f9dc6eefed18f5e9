package bench

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/llm"
	"go.starlark.net/starlark"
)

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

// beforeObject is the mark-up that a JSON object stands in.
var beforeObject = regexp.MustCompile("(?:```[a-zA-Z_]*|<[a-z_]+>|\\[|\\s)+$")

// object reads a call that is a JSON object in a text without labels.
func (r *actionReader) object() (Turn, bool) {
	for at := 0; ; {
		object, start, end, err := llm.FirstObject(r.text[at:])
		if err != nil {
			return Turn{}, false
		}
		call, said, is := r.described(object)
		if !is {
			at += end
			continue
		}
		if isNone(call.Name) {
			return Turn{}, false // the text is for the user
		}
		if said == "" {
			said = strings.TrimSpace(beforeObject.ReplaceAllString(r.text[:at+start], ""))
		}
		if call, err = r.finish(call, ""); err != nil {
			return Turn{Fault: err.Error()}, true
		}
		return Turn{Text: said, Call: call}, true
	}
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
