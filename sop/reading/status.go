package reading

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop/document"
)

var (
	statusWord = regexp.MustCompile(`(?i)\b(?:status(?:es)?|outcomes?|decisions?|categori[sz]ed|classification|class|disposition|result|final)\b`)
	// label is a status as texts mark one: in quotes, in code, or in capitals
	// behind a word that gives it.
	label  = regexp.MustCompile("`([A-Za-z][A-Za-z0-9_ -]{1,40})`|[\"“]([A-Za-z][A-Za-z0-9_ -]{1,40})[\"”]|'([A-Za-z][A-Za-z0-9_ -]{2,40})'|\\b(?:status|as|[Oo]therwise|[Ee]lse),? ([A-Z]{2}[A-Z_]{2,40})\\b")
	listed = regexp.MustCompile("^`?([A-Za-z][A-Za-z0-9_]*(?: [A-Za-z0-9_]+){0,3})`?\\s*[:–—-]\\s+(\\S.*)$")
)

// outcomes reads the names of the statuses in which cases end: a list under
// such a title, or two and more of them marked in one sentence about a status,
// or one that a condition leads to.
func (r *reader) outcomes() {
	for _, b := range r.outline.outcomes {
		if b.Kind != document.Item && b.Kind != document.Paragraph {
			continue
		}
		if m := listed.FindStringSubmatch(clean(b.Text())); m != nil {
			r.outcome(sentence{line: b.Line(), ordinal: 1, text: oneLine(b.Text())}, m[1], m[2])
		}
	}
	for _, s := range r.outline.all {
		names := labels(s.text)
		_, isDecision := decide(strings.ReplaceAll(s.text, "*", ""))
		if len(names) < 2 && !(len(names) == 1 && isDecision) || !statusWord.MatchString(s.text) && !(isDecision && (sets.MatchString(s.text) || len(inCapitals(s.text)) > 0)) {
			continue
		}
		if strings.Contains(s.text, "{") || strings.Contains(s.text, "<") && !strings.Contains(s.text, "`") {
			continue // an example of an output
		}
		meaning := map[string]string{}
		if _, list := statusCases(s.text); list != nil {
			names = nil
			for _, c := range list {
				names, meaning[c.name] = append(names, c.name), c.when
			}
		}
		for _, n := range names {
			r.outcome(s, n, meaning[n])
		}
	}
}

func labels(text string) (names []string) {
	for _, m := range label.FindAllStringSubmatch(text, -1) {
		if name := m[1] + m[2] + m[3] + m[4]; len(strings.Fields(name)) <= 4 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// statusCase is one of a list of statuses, and when a case has it; "" where it
// has none of the others.
type statusCase struct{ name, when string }

// statusCases reads "mark it as `DONE` if A, `WAITING` if B, or `FAILED` if C", and
// what stands before the list. Two conditions and more are a list.
func statusCases(text string) (lead string, list []statusCase) {
	var at [][]int
	for _, m := range statusAt.FindAllStringSubmatchIndex(text, -1) {
		if after := text[m[1]:]; whenAfter.MatchString(after) || elseBefore.MatchString(text[:m[0]]) {
			at = append(at, m)
		}
	}
	if len(at) < 2 || !sets.MatchString(text[:at[0][0]]) {
		return "", nil
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		c := statusCase{name: strings.Trim(text[m[0]:m[1]], "`\"'“”")}
		if w := whenAfter.FindStringIndex(text[m[1]:end]); w != nil {
			c.when = clean(betweenCases.ReplaceAllString(text[m[1]+w[1]:end], ""))
		} else if i == 0 {
			return "", nil // otherwise than what?
		}
		list = append(list, c)
	}
	if len(list) == 2 && list[1].when == "" {
		return "", nil // a decision with its otherwise
	}
	return betweenCases.ReplaceAllString(text[:at[0][0]], ""), list
}

var (
	statusAt   = regexp.MustCompile("`[A-Za-z][A-Za-z0-9_ -]{1,40}`|[\"“][A-Za-z][A-Za-z0-9_ -]{1,40}[\"”]|'[A-Za-z][A-Za-z0-9_ -]{2,40}'|\\b[A-Z]{2}[A-Z_]{1,40}\\b")
	whenAfter  = regexp.MustCompile(`(?i)^,?\s+(?:if|when|where)\s+`)
	elseBefore = regexp.MustCompile(`(?i)\b(?:otherwise|else|in all other cases)\b,?(?: \w+){0,5}\s*$`)
	// betweenCases is what leads from one status to the next.
	betweenCases = regexp.MustCompile(`(?i)[,;:]?\s*(?:\b(?:and|or)\b)?,?\s*(?:\b(?:otherwise|else|in all other cases)\b,?)?\s*(?:\b(?:mark|set|classify|record|update|close|enter|assign)\b(?: \w+){0,4})?\s*(?:\b(?:as|to|with|status)\b)?\s*$`)
)

// statuses reads a list of statuses: a decision each, of which the last also takes
// the cases that no other has, as far as that is a guess. What stands before it up
// to a colon is a step.
func (r *reader) statuses(s sentence, lead string, list []statusCase) {
	if act, ok := instruction(lead); ok && strings.Contains(s.text, ":") {
		step := r.add(Step, s)
		step.Text = lowerFirst(clean(act))
		step.Name = r.unused(slug(act))
	}
	for i, c := range list {
		d := decision{clause: c.when, then: "mark it as `" + c.name + "`", certain: true}
		if c.when == "" {
			d.as = "else"
		}
		if !r.decision(s, d) || i < len(list)-1 || c.when == "" {
			continue
		}
		x := r.readings[len(r.readings)-1]
		for x.Kind != Decision { // behind it are its numbers
			x = r.readings[slices.Index(r.readings, x)-1]
		}
		x.Else = slices.Clone(x.Then)
		x.doubt("that it takes the cases which have none of the other statuses is a guess")
	}
}

func (r *reader) outcome(s sentence, name, meaning string) {
	id := statusName(name)
	if id == "" {
		return
	}
	for _, x := range r.readings {
		if x.Kind == Outcome && x.Name == id {
			if x.Text == "" {
				x.Text = meaning
			}
			return
		}
	}
	r.labels = append(r.labels, id)
	x := r.add(Outcome, s)
	x.Name, x.Text = id, meaning
	if slices.Contains(inCapitals(s.text), name) {
		x.doubt("that it is a status is a guess: it stands in capitals")
	}
}

// inCapitals are the labels that only their capitals tell.
func inCapitals(text string) (names []string) {
	for _, m := range label.FindAllStringSubmatch(text, -1) {
		if m[4] != "" {
			names = append(names, m[4])
		}
	}
	_, list := statusCases(text)
	for _, c := range list {
		if !slices.Contains(labels(text), c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

func statusName(name string) string {
	return strings.Join(words(strings.ReplaceAll(name, "_", " ")), "_")
}

var (
	sets   = regexp.MustCompile(`(?i)\b(?:mark|set|enter|classif|record|assign|designat|updat|trigger|return|output|status|class|decision|outcome)\w*\b`)
	proper = regexp.MustCompile(`\b(?:as|be|to|is)\s+([A-Z][a-z]+(?: (?:to|of|not|[A-Z][a-z]+)){0,3})`)
)

// labelIn returns the outcome that a clause sets.
func (r *reader) labelIn(plain, raw string) (name string, certain bool) {
	if !sets.MatchString(plain) && len(strings.Fields(plain)) > 3 && len(inCapitals(raw)) == 0 {
		return "", false
	}
	for _, n := range labels(raw) {
		if id := statusName(n); slices.Contains(r.labels, id) {
			return id, r.isStatus(id)
		}
	}
	for _, m := range proper.FindAllStringSubmatch(plain, -1) {
		if id := statusName(m[1]); slices.Contains(r.labels, id) {
			return id, r.isStatus(id)
		}
	}
	if id := statusName(plain); slices.Contains(r.labels, id) {
		return id, r.isStatus(id)
	}
	return "", false
}

// isStatus tells that the outcome is more than a guess.
func (r *reader) isStatus(name string) bool {
	return slices.ContainsFunc(r.readings, func(x *Reading) bool { return x.Kind == Outcome && x.Name == name && x.Certain })
}

// statusLike returns the outcome that the document calls nearly the same as
// the word that ends a case: ESCALATED for escalate.
func (r *reader) statusLike(end string) string {
	for _, l := range r.labels {
		if stem(l) == stem(end) {
			return l
		}
	}
	return end
}
