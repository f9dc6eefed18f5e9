package text

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// RenderHistory writes the calls so far, each with its arguments as bound in
// s and what it made known: the record lines of facts, and the values of
// comparisons. Where the scenario was executed the tool's own answer comes
// first, and records only of what it does not say. A call that made nothing
// known is said to be done.
func RenderHistory(v *sop.Variant, s *sop.Scenario, history []string, rng *rand.Rand) string {
	if len(history) == 0 {
		return scnPick(rng, histEmpty) + "\n"
	}
	var b strings.Builder
	b.WriteString(scnPick(rng, histOpenings) + "\n")
	form, numbers, done := scnPick(rng, histForms), newScnForm(rng), scnPick(rng, histDone)
	t := newHistTracker(v)
	t.start(s.Facts)
	records := newScnRecords(v, s.Bindings)
	calls, told := Calls(v), newTold(v)
	for i, item := range history {
		fmt.Fprintf(&b, form.call, i+1)
		b.WriteString("`" + histCall(item, calls, s.Bindings) + "`" + histMark(item) + "\n")
		result, executed := s.Results[item]
		if executed = executed && showable(result); executed {
			b.WriteString(form.result + resultText(result) + "\n")
			told.add(item, result)
		}
		lines := histResult(t.call(item, s.Facts), v, s, records, numbers, told)
		rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if len(lines) == 0 && !executed {
			lines = []string{done}
		}
		for _, line := range lines {
			b.WriteString(form.result + line + "\n")
		}
	}
	return b.String()
}

type histForm struct{ call, result string }

var histForms = []histForm{
	{"%d. ", "   - "},
	{"%d. ", "   Result: "},
	{"Call %d: ", "  Answer: "},
	{"[%d] ", "    => "},
}

var histOpenings = []string{
	"Calls made so far, with their results:",
	"What has been done up to now:",
	"The log of this case until now:",
	"So far the agent has made these calls:",
	"Steps already taken and what came back:",
}

var histEmpty = []string{
	"No call has been made yet.",
	"Nothing has been done so far.",
	"The case has just been opened; its log is empty.",
	"Calls made so far: none.",
}

var histDone = []string{"done", "completed", "went through", "accepted, nothing to report"}

// histCall writes a call with its bound arguments, or the bare name of an
// item that v does not have.
func histCall(item string, calls map[string]map[string]string, bindings map[string]any) string {
	args, ok := calls[item]
	if !ok {
		return item
	}
	return ansCallText(ansBase(item), ansBound(args, bindings))
}

// histMark names an instance with renamed arguments, which the call itself
// does not show.
func histMark(item string) string {
	if ansBase(item) == item {
		return ""
	}
	return " [`" + item + "`]"
}

// histResult words what a call made known and changed, but for what is told.
func histResult(n histNews, v *sop.Variant, s *sop.Scenario, records *scnRecords, form scnForm, told *told) []string {
	var lines []string
	add := func(line string) {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, key := range n.learnt {
		use := v.Conditions[key]
		if use == nil || use.Compare == nil {
			if use != nil && !told.fact(key, s.Facts[key]) {
				add(records.fact(key, s.Facts[key]))
			}
			continue
		}
		shown := false
		for _, name := range use.Compare.Names() {
			if val := v.Values[name]; val != nil && !val.Stated {
				x, ok := s.Values[name]
				if !told.value(name, x, ok) {
					add(records.value(name, x, ok, form))
				}
				shown = true
			}
		}
		if !shown || scnFits(use.Compare, s.Values) != s.Facts[key] {
			add(records.fact(key, s.Facts[key]))
		}
	}
	for _, key := range scnKeys(n.changed) {
		if use := v.Conditions[key]; use != nil {
			add(histChange(key, use, n.changed[key]))
		}
	}
	return lines
}

func histChange(key string, use *sop.ConditionUse, to bool) string {
	if to {
		return fmt.Sprintf("from now on `%s` holds: %s", key, scnFlat(use.Text))
	}
	return fmt.Sprintf("from now on `%s` does not hold: %s", key, scnFlat(use.Negated))
}

var histCallLine = regexp.MustCompile("^(?:([0-9]+)\\.|Call ([0-9]+):|\\[([0-9]+)\\]) `([^`]+)`(?: \\[`([^`]+)`\\])?$")

// ReadHistory returns the calls of a history that RenderHistory wrote, as
// instance names; none for one that says that nothing was done. Names that v
// does not have are kept.
func ReadHistory(text string, v *sop.Variant) ([]string, error) {
	log, err := histRead(text, v)
	if err != nil {
		return nil, err
	}
	var calls []string
	for _, e := range log {
		calls = append(calls, e.item)
	}
	return calls, nil
}

type histEntry struct {
	item  string
	lines []string
}

// histRead reads from the last opening of a history to the next blank line,
// so that a history may stand below an SOP with numbered steps.
func histRead(text string, v *sop.Variant) ([]histEntry, error) {
	lines := strings.Split(text, "\n")
	first := -1
	for i, line := range lines {
		switch line = strings.TrimSpace(line); {
		case slices.Contains(histOpenings, line):
			first = i + 1
		case slices.Contains(histEmpty, line):
			first = len(lines)
		}
	}
	if first < 0 {
		return nil, fmt.Errorf("the text has no history, want %q and numbered calls in backticks, or %q", histOpenings[0], histEmpty[0])
	}
	var log []histEntry
	for _, line := range lines[first:] {
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if m := histCallLine.FindStringSubmatch(line); m != nil {
			if number := m[1] + m[2] + m[3]; number != fmt.Sprint(len(log)+1) {
				return nil, fmt.Errorf("the history has the call %q where number %d is wanted", line, len(log)+1)
			}
			item, err := histInstance(m[4], m[5], v)
			if err != nil {
				return nil, err
			}
			log = append(log, histEntry{item: item})
			continue
		}
		result, ok := histResultLine(line)
		if !ok || len(log) == 0 {
			return nil, fmt.Errorf("the history has the line %q, want a numbered call in backticks or its result", line)
		}
		log[len(log)-1].lines = append(log[len(log)-1].lines, result)
	}
	return log, nil
}

func histResultLine(line string) (string, bool) {
	for _, form := range histForms {
		if result, ok := strings.CutPrefix(line, strings.TrimLeft(form.result, " ")); ok {
			return result, true
		}
	}
	return "", false
}

// histInstance finds the instance by its mark, else takes the base name.
func histInstance(call, mark string, v *sop.Variant) (string, error) {
	if mark != "" {
		n, err := sop.ParseName(mark)
		return n.String(), err
	}
	base := ansBase(call)
	if !sop.IsIdentifier(base) {
		return "", fmt.Errorf("the history has the call %q, want name(parameter=value, …)", call)
	}
	if v.Calls[base] != nil {
		return base, nil
	}
	for _, item := range scnKeys(v.Calls) {
		if ansBase(item) == base {
			return "", fmt.Errorf("the history has the call %q without a mark, want [`%s`] or the like after it", call, item)
		}
	}
	return base, nil
}
