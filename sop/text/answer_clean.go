package text

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// What answers of models have around them, and the syntax of calls in them.

// ansClean drops code fences and bold.
func ansClean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r", ""), "**", "")
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if trimmed := strings.TrimSpace(line); !strings.HasPrefix(trimmed, "```") {
			lines = append(lines, line)
		} else if inline := strings.Trim(trimmed, "`"); inline != trimmed && strings.HasSuffix(trimmed, "```") && inline != "" {
			lines = append(lines, inline) // ```f(x=1)``` on one line
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// ansBare drops a full stop and backticks around a passage.
func ansBare(s string) string {
	s = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(s), ".;,"))
	if len(s) > 1 && s[0] == '`' && s[len(s)-1] == '`' && !strings.Contains(s[1:len(s)-1], "`") {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

// ansAfterColon is what follows "Next action:", or nothing.
func ansAfterColon(line string) string {
	before, after, ok := strings.Cut(line, ": ")
	if !ok || strings.ContainsAny(before, "(`\"") {
		return ""
	}
	return after
}

// ansSpans returns the passages in backticks of a text.
func ansSpans(s string) []string {
	var spans []string
	parts := strings.Split(s, "`")
	for i := 1; i+1 < len(parts); i += 2 {
		spans = append(spans, strings.TrimSpace(parts[i]))
	}
	return spans
}

// ansNegated finds words that may turn the mention of a call around.
var ansNegated = regexp.MustCompile(`(?i)\b(?:not|never|without|instead|unless|skip\w*|avoid\w*|or|either|neither|nor|cannot|no longer)\b|n['’]t\b|\b(?:before|after|until|once|if|than)(?: calling)?\s*$`)

func ansShort(s string) string {
	s = scnFlat(s)
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// ansParseCall reads name or name(parameter=value, …) and returns what
// follows it.
func ansParseCall(s string) (ansCall, string, error) {
	name := ansIdentifier(s)
	if name == "" {
		return ansCall{}, s, fmt.Errorf("%q is no call", ansShort(s))
	}
	call := ansCall{base: name, args: map[string]any{}}
	rest := s[len(name):]
	open := strings.TrimLeft(rest, " ")
	if !strings.HasPrefix(open, "(") {
		return call, strings.TrimSpace(rest), nil
	}
	open = strings.TrimSpace(open[1:])
	if after, ok := strings.CutPrefix(open, ")"); ok {
		return call, strings.TrimSpace(after), nil
	}
	args, left, err := ansParseArgs(open)
	if err != nil {
		return ansCall{}, s, err
	}
	after, ok := strings.CutPrefix(strings.TrimLeft(left, " ,"), ")")
	if !ok || len(args) == 0 {
		return ansCall{}, s, fmt.Errorf("the call %q has no closing parenthesis", ansShort(s))
	}
	call.args = args
	return call, strings.TrimSpace(after), nil
}

var ansName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*`)

func ansIdentifier(s string) string { return ansName.FindString(s) }

var ansSeparator = regexp.MustCompile(`^\s*(?:,\s*and\s+|,\s*|\s+and\s+)`)

// ansParseArgs reads parameter = value pairs, separated by commas or "and",
// as far as there are any.
func ansParseArgs(s string) (args map[string]any, rest string, err error) {
	args = map[string]any{}
	rest = s
	for {
		p, value, after, ok, err := ansParseArg(rest)
		if err != nil {
			return nil, s, err
		}
		if !ok {
			return args, rest, nil
		}
		if _, twice := args[p]; twice {
			return nil, s, fmt.Errorf("the answer gives the argument %s twice", p)
		}
		args[p] = value
		rest = after
		sep := ansSeparator.FindString(rest)
		if sep == "" {
			return args, rest, nil
		}
		if _, _, _, more, err := ansParseArg(rest[len(sep):]); !more && err == nil {
			return args, rest, nil
		}
		rest = rest[len(sep):]
	}
}

var ansEquals = regexp.MustCompile(`^\s*(?:=|:|\bis\b|\bset to\b)\s*`)

// ansParseArg reads one pair; ok is false where there is none.
func ansParseArg(s string) (p string, value any, rest string, ok bool, err error) {
	s = strings.TrimLeft(s, " \n\t")
	quoted := strings.HasPrefix(s, "`")
	s = strings.TrimPrefix(s, "`")
	p = ansIdentifier(s)
	rest = s[len(p):]
	if quoted {
		// `p` = "x" or `p="x"`
		if r, closed := strings.CutPrefix(rest, "`"); closed {
			rest, quoted = r, false
		}
	}
	eq := ansEquals.FindString(rest)
	if p == "" || eq == "" {
		return "", nil, s, false, nil
	}
	rest = rest[len(eq):]
	if !quoted && strings.HasPrefix(rest, "`") {
		rest, quoted = rest[1:], true
	}
	value, rest, err = ansParseValue(rest)
	if err != nil {
		return "", nil, s, false, fmt.Errorf("argument %s: %w", p, err)
	}
	if quoted {
		r, closed := strings.CutPrefix(rest, "`")
		if !closed {
			return "", nil, s, false, fmt.Errorf("argument %s has an open backtick", p)
		}
		rest = r
	}
	return p, value, rest, true, nil
}

var ansLiteral = regexp.MustCompile(`^(?:-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|True|False|None)\b`)

// ansParseValue reads one JSON value, or a string in single quotes.
func ansParseValue(s string) (value any, rest string, err error) {
	wrong := fmt.Errorf("the value %q is not JSON, want a quoted string, a number or an object", ansShort(s))
	if lit := ansLiteral.FindString(s); lit != "" {
		word := map[string]string{"True": "true", "False": "false", "None": "null"}[lit]
		if word == "" {
			word = lit
		}
		if json.Unmarshal([]byte(word), &value) != nil {
			return nil, s, wrong
		}
		return value, s[len(lit):], nil
	}
	if body, ok := strings.CutPrefix(s, "'"); ok {
		text, after, closed := strings.Cut(body, "'")
		if !closed || strings.ContainsAny(text, "\\\n") {
			return nil, s, wrong
		}
		return text, after, nil
	}
	dec := json.NewDecoder(strings.NewReader(s))
	if s == "" || !strings.ContainsRune("\"{[", rune(s[0])) || dec.Decode(&value) != nil {
		return nil, s, wrong
	}
	return value, s[dec.InputOffset():], nil
}

// maxAnsTries bounds the work on texts full of brackets that open nothing.
const maxAnsTries = 200

// ansJSONValues returns the objects and arrays that stand in a text.
func ansJSONValues(text string) []any {
	var found []any
	for tries := 0; tries < maxAnsTries; tries++ {
		start := strings.IndexAny(text, "{[")
		if start < 0 {
			break
		}
		dec := json.NewDecoder(strings.NewReader(text[start:]))
		var value any
		if dec.Decode(&value) != nil {
			text = text[start+1:]
			continue
		}
		found = append(found, value)
		text = text[start+int(dec.InputOffset()):]
	}
	return found
}
