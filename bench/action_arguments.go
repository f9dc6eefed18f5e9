package bench

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// inParentheses is what stands between the bracket that s begins with and the
// one that closes it.
func inParentheses(s string) (string, bool) {
	if !strings.HasPrefix(s, "(") {
		return "", false
	}
	end := -1
	scan(s, func(at, depth int) bool {
		if depth == 0 {
			end = at
		}
		return depth > 0
	})
	if end < 0 {
		return "", false
	}
	return s[1:end], true
}

// scan calls f for every byte outside of quotes with the depth of brackets after
// it, until f returns false.
func scan(s string, f func(at, depth int) bool) {
	depth := 0
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
			continue
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '"', c == '\'' && (i == 0 || !wordByte(s[i-1])): // no apostrophe
			quote = c
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		if !f(i, depth) {
			return
		}
	}
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// split cuts at commas and line breaks outside of quotes and brackets.
func split(s string) []string {
	var parts []string
	from := 0
	scan(s, func(at, depth int) bool {
		if depth == 0 && (s[at] == ',' || s[at] == '\n') {
			parts = append(parts, s[from:at])
			from = at + 1
		}
		return true
	})
	return append(parts, s[from:])
}

var keyed = regexp.MustCompile("(?s)^[ \t*`\"'-]*([A-Za-z_][A-Za-z0-9_]*)[ \t*`\"']*[=:][ \t*]*(.*)$")

// keywords reads a="x", b=2, the same with colons or on lines, and values by
// the order of the tool's parameters.
func (r *actionReader) keywords(tool, text string) (string, bool) {
	if inner, ok := inParentheses(text); ok && len(inner)+2 == len(text) {
		text = inner
	}
	parameters := r.parameters(tool)
	args := new(starlark.Dict)
	parts := slices.DeleteFunc(split(text), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(parts) == 0 || len(parts) > 100 {
		return "", false
	}
	for i, part := range parts {
		part = strings.TrimSpace(part)
		name, value := "", part
		if m := keyed.FindStringSubmatch(part); m != nil && (slices.Contains(parameters, m[1]) || len(parameters) == 0) {
			name, value = m[1], strings.TrimSpace(m[2])
		} else if i < len(parameters) && args.Len() == i && (quoted(part) || len(parameters) == 1 && len(parts) == 1 && !strings.ContainsAny(part, " \n")) {
			name = parameters[i] // by position
		} else {
			return "", false
		}
		_ = args.SetKey(starlark.String(name), literal(value)) // a new dict takes any text as a key
	}
	out, err := world.Encode(args)
	return string(out), err == nil
}

func quoted(s string) bool {
	return len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] || s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '-')
}

// literal is a value of Python or JSON; what is neither is a text.
func literal(s string) starlark.Value {
	if v, err := decode([]byte(s)); err == nil {
		return v
	}
	if _, err := world.Encode(starlark.String(s)); err == nil && (quoted(s) || strings.ContainsAny(s, "[{(") || s == "True" || s == "False" || s == "None") {
		if v, err := python.Eval(s); err == nil {
			if _, err := world.Encode(v); err == nil {
				return v
			}
		}
	}
	return starlark.String(strings.Trim(s, "\"'`"))
}
