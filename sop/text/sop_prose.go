package text

import (
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// numbered writes steps, each with a decision point.
func (w *sopWriter) numbered() {
	w.opening("Standard Operating Procedure: {}", "SOP: {}", "{}: standard operating procedure")
	w.scope()
	w.heading("Steps", "Step by step")
	n := 0
	if w.plain {
		for _, rule := range w.rules {
			n++
			w.step(n, w.subject(rule))
			w.line("   - " + w.say(sayRule, "      ", sopArgs{"rule": rule}))
			for _, s := range w.sources(sopLeaves(rule), true) {
				w.line("   - " + s)
			}
			w.line("   - " + w.say(sayDecision, "", sopArgs{"n": n}))
			w.line("      - " + w.say(sayPass, "", nil))
			w.line("      - " + w.say(sayRefuse, "", sopArgs{"end": w.v.Outcomes[1].End}) + "\n")
		}
		w.step(n+1, sopPick(w.rng, []string{"Conclusion", "Closing the request", "Carry out or refuse"}))
		w.line("   " + w.ends())
	} else {
		for _, o := range w.v.Outcomes {
			n++
			w.step(n, w.subject(o.Tree))
			w.line("   - " + w.outcome(o, "      "))
			if o.Tree == nil {
				continue
			}
			for _, s := range w.sources(sopLeaves(o.Tree), true) {
				w.line("   - " + s)
			}
			w.line("   - " + w.say(sayDecision, "", sopArgs{"n": n}))
			w.line("      - " + w.say(sayNext, "", nil) + "\n")
		}
	}
	w.list("- ", w.sources(w.conds, false), "Further things to find out", "Other enquiries")
	w.requirements("- ", "Calls and their requirements", "When a call may be made", "Calls")
	w.list("- ", w.measures(), "Measures and figures", "Figures", "How figures are judged")
	w.list("- ", append(w.relations(), w.effects()...), "Dependencies", "How the facts hang together")
}

func (w *sopWriter) step(n int, words string) {
	p := w.choose(sayStep, "")
	s := w.fill(p, "", sopArgs{"n": n, "text": words})
	if strings.HasPrefix(s, "**") {
		s += "**"
	}
	w.line(s)
}

func (w *sopWriter) requirements(bullet string, headings ...string) {
	calls := w.helpers()
	if len(calls) == 0 {
		return
	}
	w.heading(headings...)
	for _, c := range calls {
		w.line(bullet + w.requirement(c, "   "))
	}
}

// policy writes numbered paragraphs of prose.
func (w *sopWriter) policy() {
	w.number = true
	w.opening("Policy: {}", "{}: policy of the house", "Service policy: {}")
	w.scope()
	if w.plain {
		if len(w.rules) > 0 {
			w.heading("Conditions of approval", "When a request is granted", "Approval")
			for i, rule := range w.rules {
				w.paragraph(i+1, append([]string{w.say(sayRule, "   ", sopArgs{"rule": rule})}, w.sources(sopLeaves(rule), true)...))
			}
		}
		w.heading("Decision", "Conclusion of a case", "How a case ends")
		w.paragraph(1, []string{w.ends()})
	} else {
		w.heading("Decision", "Outcomes", "How a case ends")
		for i, o := range w.v.Outcomes {
			w.paragraph(i+1, append([]string{w.outcome(o, "   ")}, w.sources(sopLeaves(o.Tree), true)...))
		}
	}
	w.paragraphs(w.sources(w.conds, false), "Further enquiries", "Other facts to be established")
	var calls []string
	for _, c := range w.helpers() {
		calls = append(calls, w.requirement(c, "   "))
	}
	w.paragraphs(calls, "Use of the systems", "Permitted use of calls", "When a call is allowed")
	w.paragraphs(w.measures(), "Definitions", "Figures and limits")
	w.paragraphs(append(w.relations(), w.effects()...), "Relations between facts", "Consequences and dependencies")
}

func (w *sopWriter) paragraphs(said []string, headings ...string) {
	if len(said) == 0 {
		return
	}
	w.heading(headings...)
	for i, s := range said {
		w.paragraph(i+1, []string{s})
	}
}

// paragraph joins sentences; one with a list below it stands alone.
func (w *sopWriter) paragraph(n int, said []string) {
	label := strconv.Itoa(w.section) + "." + strconv.Itoa(n) + " "
	if strings.Contains(said[0], "\n") {
		w.line(label + said[0] + "\n")
		if said = said[1:]; len(said) == 0 {
			return
		}
		label = ""
	}
	w.line(label + strings.Join(said, " ") + "\n")
}

// checklist writes boxes to tick.
func (w *sopWriter) checklist() {
	w.opening("Checklist: {}", "{} – checklist", "Desk checklist for: {}")
	w.scope()
	w.heading("Points to confirm", "To be confirmed")
	if w.plain {
		for _, rule := range w.rules {
			w.box(w.say(sayRule, "      ", sopArgs{"rule": rule}), rule)
		}
		w.box(w.ends(), nil)
	} else {
		for _, o := range w.v.Outcomes {
			w.box(w.outcome(o, "      "), o.Tree)
		}
	}
	w.list("- ", w.sources(w.conds, false), "Also to find out", "Further enquiries")
	w.requirements("- [ ] ", "Before each call", "Calls")
	w.list("- ", w.measures(), "Figures", "What the figures mean")
	w.list("- ", append(w.relations(), w.effects()...), "Good to know", "Dependencies")
}

// box writes a point with the sources of its conditions below it, unless the
// parts of its tree stand there: then they follow later.
func (w *sopWriter) box(point string, t *sop.Tree) {
	w.line("- [ ] " + point)
	if strings.Contains(point, "\n") {
		return
	}
	for _, s := range w.sources(sopLeaves(t), true) {
		w.line("      - " + s)
	}
}

// ruleList writes everything as rules with running numbers.
func (w *sopWriter) ruleList() {
	w.opening("Rules: {}", "{}: rules of procedure", "Rule sheet: {}")
	w.scope()
	n := 0
	rules := func(said []string, headings ...string) {
		if len(said) == 0 {
			return
		}
		w.heading(headings...)
		for _, s := range said {
			n++
			w.line("R" + strconv.Itoa(n) + ". " + s)
		}
	}
	var said []string
	if w.plain {
		for _, rule := range w.rules {
			said = append(said, w.say(sayRule, "    ", sopArgs{"rule": rule}))
		}
		said = append(said, w.ends())
	} else {
		for _, o := range w.v.Outcomes {
			said = append(said, w.outcome(o, "    "))
		}
	}
	rules(said, "Rules for the request", "Rules of approval")
	said = nil
	for _, c := range w.helpers() {
		said = append(said, w.requirement(c, "    "))
	}
	parts := []func(){
		func() { rules(said, "Rules for calls", "Rules on the use of calls") },
		func() { rules(w.sources(w.conds, false), "Rules of evidence", "How facts are established") },
		func() { rules(w.measures(), "Measures", "Rules for figures") },
	}
	w.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, part := range parts {
		part()
	}
	rules(append(w.relations(), w.effects()...), "Dependencies", "Rules on how facts relate")
}
