package text

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// NextFormats are the ways in which a next action is written: a call with its
// arguments, a JSON object, a sentence.
var NextFormats = []string{"call", "json", "sentence"}

// NoInstance follows the base name of a call whose arguments are those of no
// instance, as in login_user(?): an item that no graph has.
const NoInstance = "(?)"

// Calls returns for every call of v which request parameter fills which
// parameter of it: what RenderNext and ReadNext go by.
func Calls(v *sop.Variant) map[string]map[string]string {
	calls := make(map[string]map[string]string, len(v.Calls))
	for item, use := range v.Calls {
		calls[item] = use.Args
	}
	return calls
}

func ansBase(item string) string {
	base, _, _ := strings.Cut(item, "(")
	return base
}

// ansBound is the arguments of a call; one without a binding is left out.
func ansBound(args map[string]string, bindings map[string]any) map[string]any {
	bound := map[string]any{}
	for p, source := range args {
		if value := scnNormal(bindings[source]); value != nil {
			bound[p] = value
		}
	}
	return bound
}

func ansCallText(base string, args map[string]any) string {
	var parts []string
	for _, p := range scnKeys(args) {
		parts = append(parts, p+"="+scnJSON(args[p]))
	}
	return base + "(" + strings.Join(parts, ", ") + ")"
}

// RenderNext writes item, an instance of calls or the word of an end, with
// its arguments bound. The format is one of NextFormats (any other counts as
// the first).
func RenderNext(format, item string, calls map[string]map[string]string, bindings map[string]any, rng *rand.Rand) string {
	sources, isCall := calls[item]
	args := ansBound(sources, bindings)
	base := item
	if isCall {
		base = ansBase(item)
	}
	switch format {
	case "json":
		if rng.IntN(2) == 0 {
			return `{"name": ` + scnJSON(base) + `, "arguments": ` + scnJSON(args) + "}"
		}
		return `{"name":` + scnJSON(base) + `,"arguments":` + scnJSON(args) + "}"
	case "sentence":
		if !isCall {
			return fmt.Sprintf(scnPick(rng, []string{"End with `%s`.", "Close the request with `%s`.", "The procedure ends here with `%s`."}), base)
		}
		said := fmt.Sprintf(scnPick(rng, []string{"Call `%s`", "Now call `%s`", "The next step is `%s`", "Go on by calling `%s`"}), base)
		var parts []string
		for _, p := range scnKeys(args) {
			parts = append(parts, p+" = "+scnJSON(args[p]))
		}
		if len(parts) > 0 {
			said += " with " + ansList(parts)
		}
		return said + "."
	}
	if !isCall {
		return base
	}
	return ansCallText(base, args)
}

func ansList(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// ansCall is a call as an answer gives it.
type ansCall struct {
	base string
	args map[string]any
}

// ReadNext reads an answer and returns the item that it names: the instance
// of calls whose bound arguments equal those given (numbers by value, all of
// them, no others), the word itself where no instance has that base name, or
// the base name followed by NoInstance. Around the answer it allows code
// fences, backticks, bold, a final full stop and a sentence before it; an
// answer that can be read in two ways is an error.
func ReadNext(format, text string, calls map[string]map[string]string, bindings map[string]any) (string, error) {
	call, err := ansReadCall(format, text)
	if err != nil {
		return "", err
	}
	return ansInstance(call, calls, bindings)
}

// ReadCall reads the same answers, and returns the base name and the
// arguments as they stand there.
func ReadCall(format, text string) (base string, args map[string]any, err error) {
	call, err := ansReadCall(format, text)
	return call.base, call.args, err
}

func ansReadCall(format, text string) (ansCall, error) {
	switch format {
	case "call":
		return ansReadCallText(ansClean(text))
	case "json":
		return ansReadCallJSON(text)
	case "sentence":
		return ansReadSentence(ansClean(text))
	}
	return ansCall{}, fmt.Errorf("unknown format %q, want one of %s", format, strings.Join(NextFormats, ", "))
}

func ansInstance(call ansCall, calls map[string]map[string]string, bindings map[string]any) (string, error) {
	var found []string
	known := false
	for _, item := range scnKeys(calls) {
		if ansBase(item) != call.base {
			continue
		}
		known = true
		given := map[string]any{}
		for p, value := range call.args {
			if value != nil { // null is what an argument without a binding may be given
				given[p] = value
			}
		}
		if reflect.DeepEqual(given, ansBound(calls[item], bindings)) {
			found = append(found, item)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("the call of %s can be %s, since their arguments are bound alike", call.base, strings.Join(found, " or "))
	case !known && len(call.args) == 0:
		return call.base, nil
	}
	return call.base + NoInstance, nil
}

const ansWantCall = `want one call such as name(parameter="value"), or deny`

// ansReadCallText finds the call: the whole text, one line of it, or one
// passage in backticks.
func ansReadCallText(text string) (ansCall, error) {
	if call, rest, err := ansParseCall(ansBare(text)); err == nil && rest == "" {
		return call, nil
	}
	var found []ansCall
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if spans := ansSpans(line); len(spans) > 0 && ansBare(line) != spans[0] {
			if ansNegated.MatchString(line) {
				return ansCall{}, fmt.Errorf("the line %q may rule the call out, %s", line, ansWantCall)
			}
			for _, span := range spans {
				if call, rest, err := ansParseCall(span); err == nil && rest == "" {
					found = append(found, call)
				}
			}
			continue
		}
		for _, part := range []string{line, ansAfterColon(line)} {
			bare := ansBare(part)
			call, rest, err := ansParseCall(bare)
			// A word alone is a call only where it looks like one.
			if err == nil && rest == "" && (strings.ContainsAny(bare, "(_") || bare == sop.Deny || strings.Contains(part, "`")) {
				found = append(found, call)
				break
			}
		}
	}
	return ansOne(found, text, ansWantCall)
}

func ansOne(found []ansCall, text, want string) (ansCall, error) {
	if len(found) == 0 {
		return ansCall{}, fmt.Errorf("the answer %q has no call, %s", ansShort(text), want)
	}
	for _, c := range found[1:] {
		if !reflect.DeepEqual(c, found[0]) {
			return ansCall{}, fmt.Errorf("the answer names both %s and %s, %s", found[0].base, c.base, want)
		}
	}
	return found[0], nil
}

func ansReadCallJSON(text string) (ansCall, error) {
	const want = `want one object {"name": …, "arguments": {…}}`
	var found []ansCall
	for _, value := range ansJSONValues(text) {
		if name, args, ok := ansCallObject(value); ok {
			found = append(found, ansCall{name, args})
		} else if list, ok := value.([]any); ok && len(list) == 1 {
			if name, args, ok := ansCallObject(list[0]); ok {
				found = append(found, ansCall{name, args})
			}
		}
	}
	return ansOne(found, text, want)
}

var ansWith = regexp.MustCompile(`^\s*,?\s*(?:with|using)\b\s*(?:the )?(?:arguments?\b|parameters?\b)?:?\s*`)

// ansReadSentence reads the name in backticks and the arguments after "with".
func ansReadSentence(text string) (ansCall, error) {
	const want = "want a sentence such as Call `name` with parameter = \"value\"., or End with `deny`."
	before, rest, ok := strings.Cut(text, "`")
	span, after, closed := strings.Cut(rest, "`")
	if !ok || !closed {
		return ansCall{}, fmt.Errorf("the answer %q has no call in backticks, %s", ansShort(text), want)
	}
	if ansNegated.MatchString(before) {
		return ansCall{}, fmt.Errorf("the answer %q may rule the call out, %s", ansShort(text), want)
	}
	call, left, err := ansParseCall(strings.TrimSpace(span))
	if err != nil || left != "" {
		return ansCall{}, fmt.Errorf("the answer has %q in backticks, %s", span, want)
	}
	if with := ansWith.FindString(after); with != "" && strings.TrimSpace(strings.Trim(after, ".")) != "" {
		args, left, err := ansParseArgs(after[len(with):])
		if err != nil {
			return ansCall{}, err
		}
		if len(args) > 0 && len(call.args) > 0 {
			return ansCall{}, fmt.Errorf("the answer gives the arguments of %s twice, %s", call.base, want)
		}
		if len(args) > 0 {
			call.args = args
		}
		after = left
	}
	if strings.Contains(after, "`") {
		return ansCall{}, fmt.Errorf("the answer has more in backticks than the call of %s, %s", call.base, want)
	}
	return call, nil
}

// ansCallObject reads {"name": …, "arguments": {…}}, also as models' servers
// wrap it in {"function": …} or give the arguments as a JSON string.
func ansCallObject(value any) (name string, args map[string]any, ok bool) {
	object, _ := value.(map[string]any)
	if f, wrapped := object["function"].(map[string]any); wrapped {
		object = f
	}
	if name, ok = object["name"].(string); !ok {
		return "", nil, false
	}
	var given any
	keys := 0
	for _, k := range []string{"arguments", "args", "parameters"} {
		if v, has := object[k]; has {
			given = v
			keys++
		}
	}
	if s, isString := given.(string); isString {
		given = nil
		if json.Unmarshal([]byte(s), &given) != nil {
			return "", nil, false
		}
	}
	args, isObject := given.(map[string]any)
	if keys > 1 || given != nil && !isObject {
		return "", nil, false
	}
	if args == nil {
		args = map[string]any{}
	}
	return name, args, true
}
