package text

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// What a tool has answered speaks for itself as far as anybody can read it
// without knowing the tool: True or False is the fact of the tool's own name; a
// number is the value that the call is there for, if that is one value; and so
// is a field of that value's name. All else is told by record lines, which also
// go before what a result seems to say.

// showable tells whether a result can stand between backticks on a line.
func showable(result string) bool {
	return result != "" && !strings.ContainsFunc(result, func(r rune) bool { return r == '`' || r < ' ' })
}

func resultText(result string) string { return "returned `" + result + "`" }

func readResult(line string) (result string, ok bool) {
	rest, ok := strings.CutPrefix(line, "returned `")
	result, closed := strings.CutSuffix(rest, "`")
	return result, ok && closed && showable(result)
}

var resultLine = regexp.MustCompile("^`([^`]+)`(?: \\[`([^`]+)`\\])? (returned `[^`]+`)$")

// readResultLine reads a call and its result, on one line.
func readResultLine(line string, v *sop.Variant) (item, result string, ok bool) {
	m := resultLine.FindStringSubmatch(line)
	if m == nil {
		return "", "", false
	}
	item, err := histInstance(m[1], m[2], v)
	if err != nil {
		return "", "", false
	}
	result, ok = readResult(m[3])
	return item, result, ok
}

// told is what results say by themselves.
type told struct {
	v      *sop.Variant
	facts  map[string]bool
	values map[string]float64
}

func newTold(v *sop.Variant) *told {
	return &told{v, map[string]bool{}, map[string]float64{}}
}

var (
	resultNumber = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	resultField  = regexp.MustCompile(`'([A-Za-z_][A-Za-z0-9_]*)': (-?[0-9]+(?:\.[0-9]+)?)[,}]`)
)

// add takes in the result of a call.
func (t *told) add(item, result string) {
	if use := t.v.Conditions[item]; use != nil && use.Compare == nil && (result == "True" || result == "False") {
		t.facts[item] = result == "True"
		return
	}
	sought := t.sought(item)
	if len(sought) == 1 && resultNumber.MatchString(result) {
		t.values[sought[0]], _ = strconv.ParseFloat(result, 64)
		return
	}
	if !strings.HasPrefix(result, "{") {
		return
	}
	fields := map[string]string{}
	for _, m := range resultField.FindAllStringSubmatch(result, -1) {
		if _, twice := fields[m[1]]; twice {
			m[2] = "" // nobody knows which one is meant
		}
		fields[m[1]] = m[2]
	}
	for _, name := range sought {
		if x, err := strconv.ParseFloat(fields[t.v.Values[name].Base], 64); err == nil {
			t.values[name] = x
		}
	}
}

// sought lists the values of the comparisons that a call helps to settle, those
// that the customer states left out.
func (t *told) sought(item string) (names []string) {
	for _, key := range scnKeys(t.v.Conditions) {
		use := t.v.Conditions[key]
		if use.Compare == nil || !slices.Contains(t.v.EstablishedBy[key].Names(), item) {
			continue
		}
		for _, name := range use.Compare.Names() {
			if value := t.v.Values[name]; value != nil && !value.Stated && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// fact tells whether the results say that of a condition.
func (t *told) fact(key string, holds bool) bool {
	said, ok := t.facts[key]
	return ok && said == holds
}

// value tells whether the results say that of a value.
func (t *told) value(name string, x float64, exists bool) bool {
	said, ok := t.values[name]
	return ok && exists && said == x
}
