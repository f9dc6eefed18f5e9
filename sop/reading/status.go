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
	label     = regexp.MustCompile("`([A-Za-z][A-Za-z0-9_ -]{1,40})`|[\"“]([A-Za-z][A-Za-z0-9_ -]{1,40})[\"”]|'([A-Za-z][A-Za-z0-9_ -]{2,40})'|\\b(?:status|as|[Oo]therwise|[Ee]lse),? ([A-Z]{2}[A-Z_]{2,40})\\b")
	listed    = regexp.MustCompile("^`?([A-Za-z][A-Za-z0-9_]*(?: [A-Za-z0-9_]+){0,3})`?\\s*[:–—-]\\s+(\\S.*)$")
	labelWhen = regexp.MustCompile("(?i)`([A-Z][A-Z_]{2,40})`\\s+(?:if|when)\\s+(.*?)(?:,\\s*(?:or\\s+)?(?:mark it as\\s+)?`|$)")
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
		if len(names) < 2 && !(len(names) == 1 && isDecision) || !statusWord.MatchString(s.text) && !isDecision {
			continue
		}
		if strings.Contains(s.text, "{") || strings.Contains(s.text, "<") && !strings.Contains(s.text, "`") {
			continue // an example of an output
		}
		meaning := meanings(s.text)
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

// meanings reads "`FAILED` if authentication was not completed".
func meanings(text string) map[string]string {
	m := map[string]string{}
	for {
		at := labelWhen.FindStringSubmatchIndex(text)
		if at == nil {
			return m
		}
		m[text[at[2]:at[3]]] = clean(text[at[4]:at[5]])
		text = text[at[5]:]
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
