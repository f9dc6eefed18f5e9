package text

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// ScenarioStyles are the ways in which a case is written: a customer's e-mail
// with the records pulled for it, a ticket with form fields and findings, the
// note of a phone call with what was looked up meanwhile.
var ScenarioStyles = []string{"email", "ticket", "call_note"}

// RenderScenario writes the whole case: what the customer asks for, every
// bound detail, and the records that settle every condition of v. The style
// is one of ScenarioStyles (any other counts as the first). Comparisons are
// not stated, their values are; nothing says whether a rule holds. Where the
// scenario was executed the records are what the tools answer, with further
// lines for what these do not say.
func RenderScenario(style string, v *sop.Variant, s *sop.Scenario, rng *rand.Rand) string {
	w := newScnWriter(style, v, s, rng)
	w.request()
	var lines []string
	known, told, calls := scnKnownAtStart(v), newTold(v), Calls(v)
	for _, item := range scnKeys(s.Results) {
		if result := s.Results[item]; v.Calls[item] != nil && showable(result) {
			lines = append(lines, "`"+histCall(item, calls, s.Bindings)+"`"+histMark(item)+" "+resultText(result))
			told.add(item, result)
		}
	}
	for _, key := range scnKeys(v.Conditions) {
		if v.Conditions[key].Compare == nil && !known.facts[key] && !told.fact(key, s.Facts[key]) {
			lines = append(lines, w.records.fact(key, s.Facts[key]))
		}
	}
	for _, key := range scnKeys(v.Values) {
		x, exists := s.Values[key]
		if !v.Values[key].Stated && !known.values[key] && !told.value(key, x, exists) {
			lines = append(lines, w.value(key))
		}
	}
	w.list(scnRecordsSection, lines)
	return w.text()
}

// RenderRequest writes the part of the case that is known before the first
// call: the message, the details, and what the conversation itself tells.
func RenderRequest(style string, v *sop.Variant, s *sop.Scenario, rng *rand.Rand) string {
	w := newScnWriter(style, v, s, rng)
	w.request()
	return w.text()
}

// scnKnown is what is known before the first call, but for stated values.
type scnKnown struct{ facts, values map[string]bool }

func scnKnownAtStart(v *sop.Variant) scnKnown {
	known := scnKnown{map[string]bool{}, map[string]bool{}}
	for key, use := range v.Conditions {
		if !scnFromStart(v.EstablishedBy[key]) {
			continue
		}
		known.facts[key] = true
		if use.Compare != nil {
			for _, name := range use.Compare.Names() {
				known.values[name] = true
			}
		}
	}
	return known
}

// scnFits tells whether the numbers are there and fit.
func scnFits(compare *sop.Comparison, numbers map[string]float64) bool {
	fits, exist := compare.Holds(numbers)
	return fits && exist
}

func scnFromStart(source *sop.Tree) bool {
	if source != nil && source.Op == sop.Leaf && source.Name == sop.Conversation {
		return true
	}
	if source != nil && source.Op == sop.Leaf {
		return false
	}
	sets, err := sop.MinimalSets(source)
	return err == nil && len(sets) > 0 && len(sets[0]) == 0
}

type scnWriter struct {
	style   scnStyle
	v       *sop.Variant
	s       *sop.Scenario
	rng     *rand.Rand
	records *scnRecords
	bullet  string
	heading int
	form    scnForm
	blocks  []string
}

func newScnWriter(style string, v *sop.Variant, s *sop.Scenario, rng *rand.Rand) *scnWriter {
	words, ok := scnStyles[style]
	if !ok {
		words = scnStyles[ScenarioStyles[0]]
	}
	return &scnWriter{style: words, v: v, s: s, rng: rng, records: newScnRecords(v, s.Bindings),
		bullet: scnPick(rng, []string{"- ", "- ", "* ", "• "}), heading: rng.IntN(len(scnHeadingForms)), form: newScnForm(rng)}
}

func (w *scnWriter) text() string { return strings.Join(w.blocks, "\n\n") + "\n" }

func (w *scnWriter) say(s string) { w.blocks = append(w.blocks, s) }

// request writes opening, message, details and what is known from the start.
func (w *scnWriter) request() {
	w.say(w.sentence(scnPick(w.rng, w.style.openings)))
	var quoted []string
	for _, line := range strings.Split(w.message(), "\n") {
		quoted = append(quoted, strings.TrimRight("> "+line, " "))
	}
	w.say(w.sentence(scnPick(w.rng, w.style.says)) + "\n" + strings.Join(quoted, "\n"))

	details := map[string]any{}
	for key, use := range w.v.Values {
		if x, ok := w.s.Values[key]; ok && use.Stated {
			details[key] = x
		}
	}
	for p, value := range w.s.Bindings {
		details[p] = value
	}
	var lines []string
	for _, p := range w.detailOrder(details) {
		lines = append(lines, scnLabel(w.v.Domain, p)+" (`"+p+"`): "+scnDetail(w.v.Domain, p, details[p], w.form))
	}
	w.list(scnDetailsSection, lines)

	known := scnKnownAtStart(w.v)
	lines = nil
	for _, key := range scnKeys(known.facts) {
		// A comparison speaks through its values, unless it fails for want of
		// what it depends on.
		compare := w.v.Conditions[key].Compare
		if compare == nil || scnFits(compare, w.s.Values) != w.s.Facts[key] {
			lines = append(lines, w.records.fact(key, w.s.Facts[key]))
		}
	}
	for _, key := range scnKeys(known.values) {
		if !w.v.Values[key].Stated {
			lines = append(lines, w.value(key))
		}
	}
	w.list(scnGivenSection, lines)
}

func (w *scnWriter) value(key string) string {
	x, ok := w.s.Values[key]
	return w.records.value(key, x, ok, w.form)
}

// detailOrder puts what the goal needs first, as forms do.
func (w *scnWriter) detailOrder(details map[string]any) []string {
	var order []string
	seen := map[string]bool{}
	add := func(p string) {
		if _, ok := details[p]; ok && !seen[p] {
			seen[p] = true
			order = append(order, p)
		}
	}
	if goal := w.v.Calls[w.v.Goal]; goal != nil {
		for _, p := range goal.Parameters {
			add(goal.Args[p])
		}
	}
	first := len(order)
	for _, p := range scnKeys(details) {
		add(p)
	}
	rest := order[first:]
	w.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return order
}

func (w *scnWriter) list(section scnSection, lines []string) {
	if len(lines) == 0 {
		return
	}
	if section != scnDetailsSection {
		w.rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	heading := fmt.Sprintf(scnHeadingForms[w.heading], scnPick(w.rng, w.style.headings[section]))
	w.say(heading + "\n" + w.bullet + strings.Join(lines, "\n"+w.bullet))
}

// sentence fills {title}, {desk} and {number} of an opening.
func (w *scnWriter) sentence(s string) string {
	title, desk := w.v.Procedure.Title, w.v.Domain.Title
	if title == "" {
		title = scnCapital(scnWords(w.v.Procedure.Goal))
	}
	if desk == "" {
		desk = scnCapital(scnWords(w.v.Domain.Name))
	}
	return scnFill(s, func(p, _, _ string) (string, bool) {
		switch p {
		case "title":
			return scnFlat(title), true
		case "desk":
			return scnFlat(desk), true
		case "number":
			return fmt.Sprint(10000 + w.rng.IntN(90000)), true
		}
		return "", false
	})
}

// message is what the customer says. A detail that this variant does not ask
// for is still said, with an example of the domain: customers do not know
// which rules a desk has.
func (w *scnWriter) message() string {
	d := w.v.Domain
	taken := map[string]bool{}
	for _, value := range w.s.Bindings {
		taken[scnPlain(value)] = true
	}
	extra := map[string]string{}
	word := func(p, before, after string) (string, bool) {
		value, bound := w.s.Bindings[p]
		if x, ok := w.s.Values[p]; ok && !bound {
			value, bound = x, true
		}
		if x, number := scnNormal(value).(float64); bound && number && d.Values[p] != nil {
			shown := scnNumber(x, d.Values[p].Unit, w.form)
			if strings.HasSuffix(before, "$") || strings.HasPrefix(after, " {unit}") || strings.HasPrefix(after, " dollars") {
				shown = strings.Replace(shown, "$", "", 1)
			}
			return shown, true
		}
		if bound {
			return scnPlain(value), true
		}
		if extra[p] == "" {
			extra[p] = w.example(p, taken)
		}
		return extra[p], extra[p] != ""
	}
	order := w.rng.Perm(len(w.v.Procedure.Requests))
	for _, i := range order {
		complete := true
		said := scnFill(w.v.Procedure.Requests[i], func(p, before, after string) (string, bool) {
			s, ok := word(p, before, after)
			complete = complete && ok
			return s, ok
		})
		if complete {
			return strings.TrimSpace(strings.ReplaceAll(said, "\r", ""))
		}
	}
	return w.sentence(scnPick(w.rng, scnPlainMessages))
}

func (w *scnWriter) example(parameter string, taken map[string]bool) string {
	p := w.v.Domain.Parameters[parameter]
	if p == nil {
		return ""
	}
	for _, i := range w.rng.Perm(len(p.Examples)) {
		if said := scnPlain(p.Examples[i]); !taken[said] {
			taken[said] = true
			return said
		}
	}
	return ""
}

// RenderMessage writes what the customer asks for, in the words of one of the
// procedure's requests.
func RenderMessage(v *sop.Variant, s *sop.Scenario, rng *rand.Rand) string {
	return newScnWriter(ScenarioStyles[0], v, s, rng).message()
}
