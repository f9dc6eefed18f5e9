package bench

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fmsop/fmsop/llm"
)

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
