package reading

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// aside takes over what is no part of the flow: terms, outcomes, numbers, and
// what could not be modelled.
func (b *builder) aside(p *sop.Procedure, x *Reading) {
	if !x.Used() {
		return
	}
	switch x.Kind {
	case Definition:
		b.term(x, typeOf(x.Name+" "+x.Text))
	case Outcome:
		if x.Text != "" {
			said := *x
			said.Name, said.Text = strings.ReplaceAll(x.Name, "_", " "), "The status of a case: "+lowerFirst(clean(x.Text))+"."
			b.term(&said, "state")
		}
	case Limit:
		b.threshold(x)
	case Remark:
		p.Unmodelled = append(p.Unmodelled, x.Source+": "+x.Quote)
	case Tool:
		p.Unmodelled = append(p.Unmodelled, "the tool "+x.Name+": "+x.Why)
	}
	if slices.Contains(b.flow.stray, x) {
		p.Unmodelled = append(p.Unmodelled, x.Source+": "+x.Quote)
	}
}

func (b *builder) term(x *Reading, kind string) {
	goal := b.goal
	for _, t := range b.d.Glossary {
		for _, word := range append([]string{t.Term}, t.Synonyms...) {
			if strings.EqualFold(word, x.Name) {
				if !slices.Contains(t.UsedIn, goal) {
					t.UsedIn = append(t.UsedIn, goal)
				}
				return
			}
		}
	}
	t := &sop.Term{Term: x.Name, Definition: x.Text, Type: kind, UsedIn: []string{goal}, Source: x.Source, Certain: x.settled()}
	for _, s := range x.Synonyms {
		if !slices.ContainsFunc(b.d.Glossary, func(o *sop.Term) bool {
			return strings.EqualFold(o.Term, s) || slices.ContainsFunc(o.Synonyms, func(w string) bool { return strings.EqualFold(w, s) })
		}) && !strings.EqualFold(s, x.Name) {
			t.Synonyms = append(t.Synonyms, s)
		}
	}
	b.d.Glossary = append(b.d.Glossary, t)
}

// threshold declares a number that no condition compares.
func (b *builder) threshold(x *Reading) {
	for name, t := range b.d.Thresholds {
		if t.Source == x.Source && t.Default == x.Number && t.Unit == x.Unit && strings.HasSuffix(name, "_limit") {
			return // a condition compares it
		}
	}
	name := b.free(x.Name+"_limit", b.d.Thresholds[x.Name+"_limit"] != nil)
	for b.d.Thresholds[name] != nil || b.d.Values[name] != nil {
		name += "_2"
	}
	said := map[string]string{"<": "below", "<=": "at most", ">": "above", ">=": "at least"}[x.Compare]
	b.d.Thresholds[name] = &sop.Threshold{Default: x.Number, Unit: x.Unit, Text: b.wording("the limit for " + x.Text + ", " + said),
		Source: x.Source, Certain: x.settled()}
}

var kinds = []struct{ kind, words string }{
	{"authentication", `authentic|login|logged|log in|credential|password|identity|session`},
	{"authorization", `authori[sz]|permission|approved|consent|privilege|allowed`},
	{"privacy", `privacy|confidential|personal data|phi\b|pii\b`},
	{"financial", `pay(?:ment|ing|s)?\b|non-payment|amount|balance|cost|price|refund|fee\b|fees\b|\$|usd|invoice|credit`},
	{"temporal", `\bdays?\b|hours?|minutes|expire|deadline|overdue|\bdate\b|\btime\b|within \d|late\b`},
	{"format", `format|invalid|malformed|schema|syntax|missing|incomplete|empty|blank`},
	{"consistency", `match|mismatch|discrepan|consisten|differ|irregular|conflict|\bsame\b`},
	{"availability", `availab|outage|stock|offline|online|reachable|capacity`},
	{"quota", `limit|maximum|minimum|exceed|quota|threshold|more than|less than|at least|at most`},
	{"existence", `exist|found|\bfind\b|record|registered|there (?:is|are)|detect`},
	{"eligibility", `eligib|qualif|active|terminated|suspended|valid|entitled|multiple`},
}

// kindOf goes by the first words that tell.
func kindOf(text string) string {
	lower := strings.ToLower(text)
	for _, k := range kinds {
		if regexp.MustCompile(k.words).MatchString(lower) {
			return k.kind
		}
	}
	return "state"
}

var types = []struct{ kind, words string }{
	{"role", `\b(?:person|individual|team|officer|specialist|owner|who|staff|department|representative)\b`},
	{"document", `\b(?:document|documented|documents|report|sheet|form|list|guidelines|file)\b`},
	{"value", `\b(?:score|number|numerical|metrics?|ratio|percentage|value|range|index|indicators?|threshold)\b`},
	{"state", `\b(?:status|outcome|state|result)\b`},
	{"credential", `\b(?:credential|token|password|key|identifier)\b`},
	{"action", `\b(?:process|verification|validation|evaluation|assessment|protocol|procedure|methodology|measures|specifications)\b`},
}

func typeOf(text string) string {
	lower := strings.ToLower(text)
	for _, k := range types {
		if regexp.MustCompile(k.words).MatchString(lower) {
			return k.kind
		}
	}
	return "record"
}

var (
	auxiliary = regexp.MustCompile(`(?i)\b(is|are|was|were|has been|have been|can|could|will|does|do|did|must|should)\b`)
	hasNot    = regexp.MustCompile(`(?i)\b(is|are|was|were|can|could|will|does|do|did|must|should|has|have) not\b`)
)

// negated words the contrary of a clause.
func negated(text string) string {
	if m := hasNot.FindStringSubmatchIndex(text); m != nil {
		return text[:m[3]] + text[m[1]:]
	}
	if negation.MatchString(strings.ToLower(text)) || strings.Contains(text, " and ") || strings.Contains(text, " or ") || strings.Contains(text, "“") {
		return "it is not so that " + text
	}
	if m := auxiliary.FindStringIndex(text); m != nil {
		return text[:m[1]] + " not" + text[m[1]:]
	}
	return "it is not so that " + text
}
