package recheck

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	numberedLine = regexp.MustCompile(`^(?:Step )?(\d+)[.):]\s+(.+)$`)
)

// The words by which a query states its format, an alternative a format. A query that states none or two is a problem.
var (
	workflowFormats = map[string]*regexp.Regexp{
		"steps": regexp.MustCompile(`(?i)numbered`),
		"arrow": regexp.MustCompile(`(?i)\barrows?\b|\bchain\b`),
		"json":  regexp.MustCompile(`\bJSON\b`),
		"prose": regexp.MustCompile(`(?i)\bsentences\b|\bprose\b`),
	}
	nextFormats = map[string]*regexp.Regexp{
		"call":     regexp.MustCompile(`(?i)format: one call\b|the call alone|nothing but the call`),
		"json":     regexp.MustCompile(`JSON object|JSON with the keys`),
		"sentence": regexp.MustCompile(`(?i)one sentence`),
	}
)

func statedFormat(query string, formats map[string]*regexp.Regexp) (string, error) {
	var hits []string
	for name, words := range formats {
		if words.MatchString(query) {
			hits = append(hits, name)
		}
	}
	slices.Sort(hits)
	if len(hits) != 1 {
		return "", fmt.Errorf("the query states the formats %v, want exactly one: %q", hits, query)
	}
	return hits[0], nil
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func isIdentifier(text string) bool {
	for i := range len(text) {
		if !isWordByte(text[i]) {
			return false
		}
	}
	return text != "" && (text[0] < '0' || text[0] > '9')
}

// canonicalCall reads `name` or `name(parameter=detail, …)` and writes it as the design does: arguments that keep their name
// are left out, the others are sorted.
func canonicalCall(text string) (string, error) {
	name, rest, bracket := strings.Cut(strings.TrimSpace(text), "(")
	args := map[string]string{}
	if bracket {
		inner, found := strings.CutSuffix(rest, ")")
		if !found {
			return "", fmt.Errorf("call %q has no closing bracket", text)
		}
		for part := range strings.SplitSeq(inner, ",") {
			parameter, detail, found := strings.Cut(part, "=")
			parameter, detail = strings.TrimSpace(parameter), strings.TrimSpace(detail)
			if !found || !isIdentifier(parameter) || !isIdentifier(detail) {
				return "", fmt.Errorf("call %q has the argument %q, want parameter=detail", text, part)
			}
			if _, twice := args[parameter]; twice {
				return "", fmt.Errorf("call %q gives %q twice", text, parameter)
			}
			args[parameter] = detail
		}
	}
	return joinCall(name, args)
}

func joinCall(name string, args map[string]string) (string, error) {
	if !isIdentifier(name) {
		return "", fmt.Errorf("%q is no name of a call", name)
	}
	var parts []string
	for parameter, detail := range args {
		if parameter != detail {
			parts = append(parts, parameter+"="+detail)
		}
	}
	if len(parts) == 0 {
		return name, nil
	}
	slices.Sort(parts)
	return name + "(" + strings.Join(parts, ", ") + ")", nil
}

func canonicalCalls(texts []string) ([]string, error) {
	calls := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if calls[i], err = canonicalCall(text); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// quoted returns the backticked spans and the text around them, one more than there are spans.
func quoted(text string) (spans, around []string, err error) {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return nil, nil, fmt.Errorf("a backtick has no partner in %q", text)
	}
	for i, part := range parts {
		if i%2 == 1 {
			spans = append(spans, part)
		} else {
			around = append(around, part)
		}
	}
	return spans, around, nil
}

func readWorkflow(format, text string) ([]string, error) {
	switch format {
	case "steps":
		return readSteps(text)
	case "arrow":
		return readArrow(text)
	case "json":
		return readJSONCalls(text)
	case "prose":
		spans, _, err := quoted(text)
		if err != nil {
			return nil, err
		}
		return canonicalCalls(spans)
	}
	return nil, fmt.Errorf("format %q is none of steps, arrow, json, prose", format)
}

func readSteps(text string) ([]string, error) {
	var calls []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		match := numberedLine.FindStringSubmatch(line)
		if match == nil || match[1] != strconv.Itoa(len(calls)+1) {
			return nil, fmt.Errorf("line %q, want step %d", line, len(calls)+1)
		}
		spans, _, err := quoted(match[2])
		if err != nil {
			return nil, err
		}
		if len(spans) != 1 {
			return nil, fmt.Errorf("line %q has %d names in backticks, want one", line, len(spans))
		}
		calls = append(calls, spans[0])
	}
	return canonicalCalls(calls)
}

func readArrow(text string) ([]string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	if strings.Contains(text, "\n") {
		return nil, fmt.Errorf("a chain of arrows on more than one line: %q", text)
	}
	parts := strings.Split(strings.ReplaceAll(text, "→", "->"), "->")
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if len(part) > 1 && part[0] == '`' && part[len(part)-1] == '`' {
			part = part[1 : len(part)-1]
		}
		parts[i] = part
	}
	return canonicalCalls(parts)
}

func readJSONCalls(text string) ([]string, error) {
	var list []struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if err := strict([]byte(text), &list); err != nil {
		return nil, err
	}
	calls := make([]string, len(list))
	for i, item := range list {
		if item.Arguments == nil {
			return nil, fmt.Errorf("item %d of %q has no arguments", i, text)
		}
		var err error
		if calls[i], err = joinCall(item.Name, item.Arguments); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// next is a call with the values of its arguments, as a next action is stated.
type next struct {
	name string
	args map[string]any
}

func (n next) key() string { return n.name + " " + canonicalValue(n.args) }

// canonicalValue writes a JSON value so that equal values are equal texts: 1500, 1500.0 and 1.5e3 are one number.
func canonicalValue(v any) string {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return strconv.FormatFloat(f, 'g', -1, 64)
	case map[string]any:
		parts := make([]string, 0, len(v))
		for key, item := range v {
			parts = append(parts, strconv.Quote(key)+":"+canonicalValue(item))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = canonicalValue(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(v)
}

func readNext(format, text string) (next, error) {
	switch format {
	case "call":
		return readNextCall(text)
	case "json":
		var call struct {
			Name      string         `json:"name"`
			Arguments map[string]any `json:"arguments"`
		}
		if err := strict([]byte(text), &call); err != nil {
			return next{}, err
		}
		if !isIdentifier(call.Name) || call.Arguments == nil {
			return next{}, fmt.Errorf("%q is no object with name and arguments", text)
		}
		return next{call.Name, call.Arguments}, nil
	case "sentence":
		return readNextSentence(text)
	}
	return next{}, fmt.Errorf("format %q is none of call, json, sentence", format)
}

func readNextCall(text string) (next, error) {
	text = strings.Trim(strings.TrimSpace(text), "`")
	name, rest, bracket := strings.Cut(text, "(")
	if !isIdentifier(name) || (!bracket && name != "deny") {
		return next{}, fmt.Errorf("%q is no call and no deny", text)
	}
	if !bracket {
		return next{name, map[string]any{}}, nil
	}
	args, rest, err := readArguments(rest, "=", []string{", "})
	if err != nil {
		return next{}, fmt.Errorf("%q: %w", text, err)
	}
	if rest != ")" {
		return next{}, fmt.Errorf("%q ends in %q, want a closing bracket", text, rest)
	}
	return next{name, args}, nil
}

func readNextSentence(text string) (next, error) {
	// A value may hold a backtick, so the sentence is read from its first two.
	_, rest, opened := strings.Cut(text, "`")
	name, rest, closed := strings.Cut(rest, "`")
	if !opened || !closed || !isIdentifier(name) {
		return next{}, fmt.Errorf("%q has no call in backticks", text)
	}
	args := map[string]any{}
	if list, found := strings.CutPrefix(rest, " with "); found {
		var err error
		if args, rest, err = readArguments(list, " = ", []string{", ", " and "}); err != nil {
			return next{}, fmt.Errorf("%q: %w", text, err)
		}
	}
	if name == "deny" {
		rest = strings.Replace(rest, " right away", "", 1)
	}
	if rest != "." && rest != "" {
		return next{}, fmt.Errorf("%q goes on with %q", text, rest)
	}
	return next{name, args}, nil
}

// readArguments reads `parameter=value` items, values in JSON, until no separator follows.
func readArguments(text, equals string, separators []string) (map[string]any, string, error) {
	args := map[string]any{}
	for more := true; more; {
		parameter, rest, found := strings.Cut(text, equals)
		if !found || !isIdentifier(parameter) {
			if len(args) == 0 {
				return args, text, nil
			}
			return nil, "", fmt.Errorf("no parameter at %q", text)
		}
		value, rest, err := readValue(rest)
		if err != nil {
			return nil, "", fmt.Errorf("the value of %q: %w", parameter, err)
		}
		if _, twice := args[parameter]; twice {
			return nil, "", fmt.Errorf("%q is given twice", parameter)
		}
		args[parameter] = value
		text, more = rest, false
		for _, separator := range separators {
			if after, found := strings.CutPrefix(text, separator); found {
				text, more = after, true
				break
			}
		}
	}
	return args, text, nil
}

var plainValue = regexp.MustCompile(`^(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)`)

// readValue reads one JSON value from the front of a text. A number may be followed by a full stop that ends the sentence.
func readValue(text string) (value any, rest string, err error) {
	end := len(text)
	if at := plainValue.FindStringIndex(text); at != nil {
		end = at[1]
	}
	dec := json.NewDecoder(strings.NewReader(text[:end]))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, "", err
	}
	return value, text[dec.InputOffset():], nil
}
