package reading

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop/document"
)

// opposites are words that say of a thing what their partner denies.
var opposites = map[string]string{
	"invalid": "valid", "incorrect": "correct", "incomplete": "complete", "inactive": "active", "unsuccessful": "successful", "unavailable": "available",
	"unauthorized": "authorized", "unauthorised": "authorised", "ineligible": "eligible", "unverified": "verified", "unconfirmed": "confirmed",
	"disapproved": "approved", "unapproved": "approved", "unresolved": "resolved", "unknown": "known", "unsatisfactory": "satisfactory", "noncompliant": "compliant",
	"absent": "present", "fails": "passes", "failed": "passed", "fail": "pass",
}

// gist is a clause without its polarity: what it is about, and whether it
// denies that.
func gist(clause string) (about map[string]bool, denied bool) {
	about = map[string]bool{}
	for _, w := range words(clause) {
		switch base, opposite := opposites[w]; {
		case opposite:
			denied = !denied
			about[stem(base)] = true
		case negation.MatchString(w):
			denied = !denied
		case !empty[w]:
			about[stem(w)] = true
		}
	}
	return about, denied
}

// sameAsBefore looks for a condition that is the same as an earlier one, or
// the contrary of it: "the format is invalid", then "the format is valid". A
// clause that says more or less than the other is taken for it only right
// behind it, and is not certain.
func (r *reader) sameAsBefore(x *Reading) bool {
	about, denied := gist(x.Text)
	if len(about) == 0 {
		return false
	}
	near := true
	for _, other := range slices.Backward(r.readings[:len(r.readings)-1]) {
		if other.Kind != Decision || other.As != "" || other.Section != x.Section {
			continue
		}
		theirs, theirDenied := gist(other.Text)
		equal := maps.Equal(about, theirs)
		// A contrary that leaves words out, "the account is valid" after "the
		// format of the account is not", is one only in the next decision.
		if !equal && !(near && denied != theirDenied && (shares(about, theirs) || samePredicate(x.Text, other.Text))) {
			near = false
			continue
		}
		if x.Compare != "" || other.Compare != "" || len(other.Parts) > 0 {
			return false
		}
		x.Name, x.Text = other.Name, other.Text
		if denied != theirDenied {
			x.Holds = !x.Holds
		}
		if !equal {
			x.doubt("it is taken for the contrary of “%s”", other.Text)
		}
		return true
	}
	return false
}

// shares tells that the smaller set is in the larger one.
func shares(a, b map[string]bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for w := range a {
		if !b[w] {
			return false
		}
	}
	return len(a) > 1 // one word alone is what both are about
}

// samePredicate tells that one clause says "valid" where the other says
// "invalid", whatever they say it of.
func samePredicate(a, b string) bool {
	for contrary, word := range opposites {
		has := func(s, w string) bool { return slices.Contains(words(s), w) }
		if has(a, word) && has(b, contrary) || has(b, word) && has(a, contrary) {
			return true
		}
	}
	return false
}

var (
	anyOf  = regexp.MustCompile(`(?i)\b(?:any|one|either|at least one)\b`)
	noneOf = regexp.MustCompile(`(?i)\bnone\b`)
)

// listed reads "if any of the following holds, …:" with its list.
func (r *reader) listed(s sentence, text string) {
	d, ok := decide(strings.TrimSuffix(text, ":") + ".")
	if !ok {
		d = decision{then: "", certain: false, why: "what follows from the list is not said"}
	}
	then, sure := r.consequences(d.then)
	x := r.add(Decision, s)
	x.Op, x.Holds, x.Then = "all", !d.not, then
	switch {
	case noneOf.MatchString(text):
		x.Op, x.Holds = "any", d.not
	case anyOf.MatchString(text):
		x.Op = "any"
	}
	for _, part := range s.parts {
		if part.Kind == document.Item {
			x.Parts = append(x.Parts, lowerFirst(clean(part.Text())))
		}
	}
	x.Text = x.Op + " of: " + strings.Join(x.Parts, "; ")
	x.Name = slug(strings.Join(x.Parts, " "))
	if !d.certain {
		x.doubt("%s", d.why)
	}
	if !sure || len(then) == 0 {
		x.doubt("what follows from it was not fully understood")
	}
}

var (
	caseColumn   = regexp.MustCompile(`(?i)^(?:if|when|case|condition|criteri(?:a|on)|situation|scenario|confirmed\??|finding)\b`)
	resultColumn = regexp.MustCompile(`(?i)^(?:then|outcome|result|decision|disposition|status|action|next step|what to do|priority|response)\b`)
)

// cases reads a table whose rows say what follows in which case.
func (r *reader) cases(t *document.Block) {
	if len(t.Rows) < 2 {
		return
	}
	when, then := -1, -1
	for i, name := range t.Rows[0].Cells {
		if when < 0 && caseColumn.MatchString(clean(name)) {
			when = i
		} else if then < 0 && resultColumn.MatchString(clean(name)) {
			then = i
		}
	}
	if when < 0 || then < 0 {
		return
	}
	for _, row := range t.Rows[1:] {
		if len(row.Cells) <= max(when, then) || len(content(row.Cells[when])) == 0 || clean(row.Cells[then]) == "" {
			continue
		}
		x := r.add(Decision, sentence{line: row.Line, ordinal: 1, text: row.Cells[when] + " | " + row.Cells[then]})
		x.Text, x.Name, x.Holds = lowerFirst(clean(row.Cells[when])), conditionName(row.Cells[when]), true
		list, sure := r.consequences(row.Cells[then])
		if len(list) == 0 {
			list, sure = []Act{{End: statusName(clean(row.Cells[then]))}}, len(strings.Fields(row.Cells[then])) <= 2
		}
		x.Then = list
		x.part()
		if !sure {
			x.doubt("what follows from it was not fully understood")
		}
	}
}

// limits adds the numbers of a sentence that no condition compares.
func (r *reader) limits(s sentence) {
	for _, l := range findLimits(s.text) {
		if l.unit == "" && l.subject == "" && !l.ranged {
			continue
		}
		x := r.add(Limit, s)
		x.Text, x.Name = l.subject, slug(l.subject)
		x.Compare, x.Number, x.Unit = l.compare, l.number, l.unit
		if x.Text == "" {
			x.Text = strings.Join(content(r.section.title), " ")
			x.Name = slug("limit " + x.Text)
			x.doubt("what it limits is taken from the section's title")
		}
	}
}

var (
	checks   = regexp.MustCompile(`(?i)^(?:check|verify|validate|confirm|ensure|make sure|authenticate)\s+(?:that |whether |if )?(.*)$`)
	finished = regexp.MustCompile(`(?i)\s+(?:using|against|with|through|via|by|before|after|for|in accordance)\s.*$`)
)

// implied takes checks for decisions where the text has none of its own: a
// check that fails ends the case. That is a guess, every time.
func (r *reader) implied() {
	if slices.ContainsFunc(r.readings, func(x *Reading) bool { return x.Kind == Decision }) {
		return
	}
	var out []*Reading
	for _, x := range r.readings {
		out = append(out, x)
		m := checks.FindStringSubmatch(x.Text)
		if x.Kind != Step || m == nil {
			continue
		}
		what := finished.ReplaceAllString(clean(m[1]), "")
		d := &Reading{Kind: Decision, Source: x.Source, Quote: x.Quote, Section: x.Section, sentence: x.sentence,
			Text: "the check of “" + what + "” fails", Name: slug(what) + "_fails", Holds: true, Then: []Act{{End: "stop"}}}
		d.doubt("the text does not say what follows when the check fails: that the case ends is a guess")
		out = append(out, d)
	}
	r.readings = out
}

// match gives the steps the tools that do them. Where there is a tool list,
// only what a tool does can be called: other steps are remarks.
func (r *reader) match(tools []ToolSpec) {
	if len(tools) == 0 {
		return
	}
	var steps []*Reading
	var titles []string
	named := map[int]string{}
	for _, s := range r.outline.sections {
		for _, x := range r.readings {
			if x.Kind != Step && !(x.Kind == Decision && acting(x)) || x.Section != s.id() {
				continue
			}
			if len(s.tools) > 0 && !slices.Contains(slices.Collect(maps.Values(named)), s.tools[0]) {
				named[len(steps)] = s.tools[0]
			}
			steps, titles = append(steps, x), append(titles, s.path())
		}
	}
	by, sure := matchTools(tools, steps, titles, named)
	for i, x := range steps {
		t, ok := by[i]
		switch {
		case ok && x.Kind == Step:
			x.Name, x.Tool, x.Parameters = tools[t].Name, tools[t].Name, tools[t].Parameters
			if !sure[i] {
				x.doubt("that the tool %s does this is a guess", x.Tool)
			}
		case ok:
			x.Tool, x.Parameters = tools[t].Name, tools[t].Parameters
			if !sure[i] {
				x.doubt("that the tool %s does this is a guess", x.Tool)
			}
		}
	}
	r.keepTools(tools)
}

func acting(x *Reading) bool {
	return slices.ContainsFunc(x.Then, func(a Act) bool { return a.Do != "" })
}

// keepTools leaves out of the flow what no tool does.
func (r *reader) keepTools(tools []ToolSpec) {
	used := map[string]bool{}
	for _, x := range r.readings {
		switch {
		case x.Tool != "":
			used[x.Tool] = true
		case x.Kind == Step:
			x.Kind = Remark
			x.Why = "no tool does this"
		}
		if x.Kind == Decision {
			x.Then = toolActs(x.Then, x.Tool)
			x.Else = toolActs(x.Else, "")
		}
	}
	for i, x := range r.readings {
		if x.Kind == Decision && len(x.Then)+len(x.Else) == 0 && (i+1 == len(r.readings) || r.readings[i+1].As == "") {
			x.Kind, x.Why = Remark, "no tool does what it leads to"
		}
	}
	for _, t := range tools {
		if !used[t.Name] {
			r.readings = append(r.readings, &Reading{Kind: Tool, Source: r.file + ":1", Quote: t.Description, Name: t.Name,
				Text: firstSentence(t.Description), Certain: true, Why: "no step of the document calls it"})
		}
	}
}

// toolActs replaces the first act by the tool and drops the others.
func toolActs(list []Act, tool string) (kept []Act) {
	for _, a := range list {
		switch {
		case a.Do == "":
			kept = append(kept, a)
		case tool != "":
			kept = append(kept, Act{Do: tool, Text: a.Text})
			tool = ""
		}
	}
	return kept
}
