package text

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fmsop/fmsop/sop"
)

// scnRecords knows the line in a case file for every fact and value of a
// variant under given bindings. Lines carry no identifiers as long as they
// can be told apart; one that cannot (two instances bound to the same value,
// a domain with poor wordings) gets a mark such as [`name`: yes] at its end.
type scnRecords struct {
	v        *sop.Variant
	bindings map[string]any
	facts    map[string][]scnFinding // by normal line
	values   []scnValueLine
}

// scnFinding is what one line says.
type scnFinding struct {
	key     string
	value   bool // a value, else a fact
	holds   bool
	number  float64
	missing bool // there is no such value
}

type scnValueLine struct{ key, before, after, unit string }

var scnMissing = []string{"no such record", "no record found", "nothing on file", "not on record"}

func newScnRecords(v *sop.Variant, bindings map[string]any) *scnRecords {
	r := &scnRecords{v: v, bindings: bindings, facts: map[string][]scnFinding{}}
	for _, key := range scnKeys(v.Conditions) {
		for _, holds := range []bool{true, false} {
			line := scnNormalLine(r.factLine(key, holds))
			r.facts[line] = append(r.facts[line], scnFinding{key: key, holds: holds})
		}
	}
	for _, key := range scnKeys(v.Values) {
		before, after, _ := strings.Cut(r.valueLine(key), "{value}")
		r.values = append(r.values, scnValueLine{key, before, scnNormalLine(after), v.Values[key].Unit})
	}
	return r
}

func (r *scnRecords) fill(text string, args map[string]string) string {
	return scnFlat(scnFill(text, func(p, _, _ string) (string, bool) {
		source, ok := args[p]
		if !ok {
			return "", false
		}
		if value, bound := r.bindings[source]; bound {
			return scnPlain(value), true
		}
		return scnNoun(r.v.Domain, source), true
	}))
}

// scnFlat puts one blank for every white space, and none at the ends.
func scnFlat(s string) string {
	if scnIsFlat(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// scnIsFlat tells it of plain ASCII; other text it does not look at.
func scnIsFlat(s string) bool {
	blank := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= utf8.RuneSelf || c == ' ' && blank {
			return false
		}
		blank = c == ' '
	}
	return !blank || s == ""
}

func scnNormalLine(s string) string { return strings.TrimSuffix(scnFlat(s), ".") }

func (r *scnRecords) factLine(key string, holds bool) string {
	use := r.v.Conditions[key]
	record, clause := use.RecordTrue, use.Text
	if !holds {
		record, clause = use.RecordFalse, use.Negated
	}
	switch {
	case record != "":
		return r.fill(record, use.Args)
	case clause != "":
		return scnCapital(scnFlat(clause))
	}
	return fmt.Sprintf("`%s`: %s", key, scnYes(holds))
}

func scnYes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// valueLine is the line with {value} still open, exactly once.
func (r *scnRecords) valueLine(key string) string {
	use := r.v.Values[key]
	line := r.fill(strings.ReplaceAll(use.Record, "{value}", "\x00"), use.Args)
	if line == "" {
		line = scnCapital(scnFlat(use.Text))
	}
	if line == "" {
		line = scnCapital(scnWords(use.Base))
	}
	line = strings.ReplaceAll(line, "{value}", "(value)")
	before, after, open := strings.Cut(line, "\x00")
	if !open {
		before += ": "
	}
	return before + "{value}" + strings.ReplaceAll(after, "\x00", "")
}

// fact writes the line that says whether the condition holds.
func (r *scnRecords) fact(key string, holds bool) string {
	line := r.factLine(key, holds)
	want := scnFinding{key: key, holds: holds}
	if got, err := r.read(line); err != nil || got != want {
		line += fmt.Sprintf(" [`%s`: %s]", key, scnYes(holds))
	}
	return line
}

// value writes the line of a value; ok is false where there is no such value.
func (r *scnRecords) value(key string, x float64, ok bool, form scnForm) string {
	want := scnFinding{key: key, value: true, number: x, missing: !ok}
	shown, mark := form.missing, "none"
	if ok {
		shown, mark = scnNumber(x, r.v.Values[key].Unit, form), sop.Number(x)
	} else {
		want.number = 0
	}
	line := scnFlat(strings.Replace(r.valueLine(key), "{value}", shown, 1))
	if got, err := r.read(line); err != nil || got != want {
		line += fmt.Sprintf(" [value `%s`: %s]", key, mark)
	}
	return line
}

var scnMark = regexp.MustCompile("^(.*) \\[(value )?`([^`]+)`: ([^`\\[\\]]+)\\]$")

// scnReadMark spares lines without a mark the expression.
func scnReadMark(line string) []string {
	if !strings.HasSuffix(line, "]") {
		return nil
	}
	return scnMark.FindStringSubmatch(line)
}

// read tells what a record line says. The error names the line.
func (r *scnRecords) read(line string) (scnFinding, error) {
	line = scnNormalLine(line)
	if m := scnReadMark(line); m != nil {
		if f, ok := r.readMark(m[2] != "", m[3], m[4]); ok {
			if body := scnNormalLine(m[1]); !f.value && body != scnNormalLine(r.factLine(f.key, f.holds)) {
				return scnFinding{}, fmt.Errorf("the record %q contradicts its mark, want the line %q", line, r.factLine(f.key, f.holds))
			}
			return f, nil
		}
	}
	found := slices.Clip(r.facts[line])
	for _, v := range r.values {
		rest, ok := strings.CutPrefix(line, strings.TrimLeft(v.before, " "))
		if !ok {
			continue
		}
		if rest, ok = strings.CutSuffix(rest, v.after); !ok {
			continue
		}
		rest = strings.TrimSpace(rest)
		if x, ok := scnReadNumber(rest, v.unit); ok {
			found = append(found, scnFinding{key: v.key, value: true, number: x})
			continue
		}
		for _, phrase := range scnMissing {
			if rest == phrase {
				found = append(found, scnFinding{key: v.key, value: true, missing: true})
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return scnFinding{}, fmt.Errorf("the record %q states no fact or value of %s, want the wording of one of its conditions or values", line, r.v.Goal)
	}
	return scnFinding{}, fmt.Errorf("the record %q can mean %s or %s, want a mark such as [`%s`: yes] at its end", line, found[0].key, found[1].key, found[0].key)
}

func (r *scnRecords) readMark(isValue bool, key, says string) (scnFinding, bool) {
	f := scnFinding{key: key, value: isValue}
	if isValue {
		f.missing = says == "none"
		x, ok := scnReadNumber(says, "")
		f.number = x
		return f, r.v.Values[key] != nil && (ok || f.missing)
	}
	f.holds = says == "yes"
	return f, r.v.Conditions[key] != nil && (f.holds || says == "no")
}
