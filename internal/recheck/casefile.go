package recheck

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// told is what lines of a case have told so far.
type told struct {
	facts   map[string]bool
	values  map[string]json.Number
	missing map[string]bool // values of which it was told that there are none
}

func newTold() *told {
	return &told{facts: map[string]bool{}, values: map[string]json.Number{}, missing: map[string]bool{}}
}

// claim is what one line tells: a fact, or a value.
type claim struct {
	name    string
	isValue bool
	holds   bool
	number  json.Number
	missing bool
}

func (t *told) add(c claim) error {
	switch {
	case !c.isValue:
		if before, twice := t.facts[c.name]; twice && before != c.holds {
			return fmt.Errorf("%q is told both ways", c.name)
		}
		t.facts[c.name] = c.holds
	case c.missing:
		t.missing[c.name] = true
	default:
		if before, twice := t.values[c.name]; twice && !sameNumber(before, c.number) {
			return fmt.Errorf("%q is told as %s and %s", c.name, before, c.number)
		}
		t.values[c.name] = c.number
	}
	if _, has := t.values[c.name]; has && t.missing[c.name] {
		return fmt.Errorf("%q is told to be missing, and as %s", c.name, t.values[c.name])
	}
	return nil
}

func sameNumber(a, b json.Number) bool { return canonicalValue(a) == canonicalValue(b) }

// records knows the lines of a case file: for each condition of a procedure one if it holds and one if not, for each value
// one with the number left open, all filled with what the case is about.
type records struct {
	facts  map[string][]claim
	values []valueLine
}

type valueLine struct{ name, before, after, unit string }

func newRecords(d *document, n *naming, bindings map[string]any) (*records, error) {
	r := &records{facts: map[string][]claim{}}
	fill := func(wording, name string) string {
		return flat(fillSlots(wording, func(p string) (string, bool) {
			if p == "value" {
				return "", false
			}
			detail := detailOf(name, p)
			if bound, has := bindings[detail]; has {
				return spoken(bound), true
			}
			return n.noun(detail), true
		}))
	}
	for _, name := range sortedKeys(d.established) {
		c, known := n.Conditions[n.base(name)]
		if !known {
			return nil, fmt.Errorf("the lexicon has no condition %q", n.base(name))
		}
		for _, holds := range []bool{true, false} {
			record, clause := c.RecordTrue, c.Text
			if !holds {
				record, clause = c.RecordFalse, c.Negated
			}
			line := fill(record, name)
			if record == "" {
				line = capital(flat(n.worded(clause, name)))
			}
			line = strings.TrimSuffix(line, ".")
			r.facts[line] = append(r.facts[line], claim{name: name, holds: holds})
		}
	}
	for _, name := range sortedKeys(d.units) {
		base, _, _ := cutCall(name)
		v, known := n.Values[base]
		if !known {
			return nil, fmt.Errorf("the lexicon has no value %q", base)
		}
		record := v.Record
		if record == "" {
			record = capital(v.Text) + ": {value}"
		}
		before, after, _ := strings.Cut(fill(record, name), "{value}")
		r.values = append(r.values, valueLine{name, before, strings.TrimSuffix(after, "."), v.Unit})
	}
	return r, nil
}

func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

var (
	mark         = regexp.MustCompile("^(.*) \\[(value )?`([^`]+)`: ([^`\\[\\]]+)\\]$")
	missingWords = []string{"no such record", "no record found", "nothing on file", "not on record"}
)

// read says what a line tells. Where words alone could mean two things, the line ends with a mark.
func (r *records) read(line string) (claim, error) {
	line = strings.TrimSuffix(flat(line), ".")
	if m := mark.FindStringSubmatch(line); m != nil {
		c := claim{name: m[3], isValue: m[2] != ""}
		if c.isValue {
			c.missing, c.number = m[4] == "none", json.Number(m[4])
			return c, nil
		}
		c.holds = m[4] == "yes"
		body := strings.TrimSuffix(m[1], ".")
		if (m[4] == "yes" || m[4] == "no") && slices.Contains(r.facts[body], c) {
			return c, nil
		}
		return claim{}, fmt.Errorf("the record %q does not fit its mark", line)
	}
	found := slices.Clone(r.facts[line])
	for _, v := range r.values {
		rest, is := strings.CutPrefix(line, v.before)
		if !is {
			continue
		}
		if rest, is = strings.CutSuffix(rest, v.after); !is {
			continue
		}
		c := claim{name: v.name, isValue: true, missing: slices.Contains(missingWords, rest)}
		if c.number, is = readNumber(rest, v.unit); is || c.missing {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return claim{}, fmt.Errorf("the record %q can mean %d things, want one", line, len(found))
	}
	return found[0], nil
}

var digits = regexp.MustCompile(`^-?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?$`)

// readNumber reads a number in its unit: -$1,234.50, 12%, 640 points or 640, 1 day.
func readNumber(text, unit string) (json.Number, bool) {
	switch unit {
	case "USD":
		text = strings.Replace(text, "$", "", 1)
	case "percent":
		text = strings.TrimSuffix(text, "%")
	case "":
	default:
		text = strings.TrimSuffix(strings.TrimSuffix(text, " "+unit), " "+strings.TrimSuffix(unit, "s"))
	}
	return json.Number(strings.ReplaceAll(text, ",", "")), digits.MatchString(text)
}

// detailLine is a line of the request: Label (`parameter`): value.
var detailLine = regexp.MustCompile("^[^`]*\\(`(\\w+)`\\): (.*)$")

// request is the part of a case that lists details and records.
type request struct {
	details map[string]string // as they are written
	lines   []string
}

func readRequest(text string) (*request, error) {
	r := &request{details: map[string]string{}}
	for line := range strings.SplitSeq(text, "\n") {
		body, bullet := strings.CutPrefix(line, "- ")
		for _, mark := range []string{"* ", "• "} {
			if !bullet {
				body, bullet = strings.CutPrefix(line, mark)
			}
		}
		if !bullet {
			continue // words, which tell nothing that has no line of its own
		}
		if m := detailLine.FindStringSubmatch(body); m != nil {
			if err := put(r.details, m[1], m[2]); err != nil {
				return nil, err
			}
			continue
		}
		r.lines = append(r.lines, body)
	}
	return r, nil
}

// isDetail says whether a detail as written is the value that is bound.
func (n *naming) isDetail(parameter, written string, bound any) bool {
	switch bound := bound.(type) {
	case string:
		var inner string
		return written == bound || json.Unmarshal([]byte(written), &inner) == nil && inner == bound
	case json.Number:
		number, is := readNumber(written, n.Values[parameter].Unit)
		return is && sameNumber(number, bound)
	}
	var value any
	return strict([]byte(written), &value) == nil && canonicalValue(value) == canonicalValue(bound)
}

// entry is one call of a log, with what came back.
type entry struct {
	call    next
	mark    string // its name with details, where they are not its own
	results []string
}

var (
	callLine    = regexp.MustCompile("^(?:(\\d+)\\.|Call (\\d+):|\\[(\\d+)\\]) `(.*?)`(?: \\[`([^`]+)`\\])?$")
	resultLine  = regexp.MustCompile(`^ +(?:- |Result: |Answer: |=> )(.*)$`)
	changeLine  = regexp.MustCompile("^from now on `([^`]+)` (holds|does not hold): ")
	doneResults = []string{"done", "completed", "went through", "accepted, nothing to report"}
)

// readLog reads the calls made so far. Its first line is an opening.
func readLog(text string) ([]entry, error) {
	var log []entry
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, line := range lines[1:] {
		if m := callLine.FindStringSubmatch(line); m != nil {
			if number := m[1] + m[2] + m[3]; number != fmt.Sprint(len(log)+1) {
				return nil, fmt.Errorf("call %s stands where number %d is wanted", number, len(log)+1)
			}
			n, err := readNextCall(m[4])
			if err != nil {
				return nil, err
			}
			log = append(log, entry{call: n, mark: m[5]})
			continue
		}
		m := resultLine.FindStringSubmatch(line)
		if m == nil || len(log) == 0 {
			return nil, fmt.Errorf("%q is neither a call nor its result", clip(line))
		}
		if now := &log[len(log)-1]; !slices.Contains(doneResults, m[1]) {
			now.results = append(now.results, m[1])
		}
	}
	return log, nil
}
