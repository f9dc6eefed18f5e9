package reading

import (
	"regexp"
	"slices"
	"strings"
)

// decision is a sentence that says when to do something.
type decision struct {
	as          string // "", "so" or "else"
	clause      string // the condition's words
	not         bool   // unless: the acts are for when it does not hold
	then, else_ string
	lead        string // an instruction before it, as in "check that … else …"
	certain     bool
	why         string
}

var (
	ifFirst   = regexp.MustCompile(`(?i)^(?:then,? |also,? |however,? |but |and |otherwise,? (?:and )?)?(?:if|when|whenever|in case|in the event that|in instances where|in cases where|should it be that|provided that|where)\s+(.*)$`)
	soFirst   = regexp.MustCompile(`(?i)^if so\b,?\s*(.*)$`)
	notFirst  = regexp.MustCompile(`(?i)^(?:if not|otherwise|else|in all other cases|in every other case)\b[,:]?\s*(.*)$`)
	unlessHas = regexp.MustCompile(`(?i)^unless\s+(.*)$`)
	ifLater   = regexp.MustCompile(`(?i)^(.*?)(?:,)?\s+(if|when|unless|only if)\s+(.*)$`)
	elseLater = regexp.MustCompile(`(?i)[,;]?\s+(?:or else|else|otherwise)\b,?\s*(.*)$`)
	// otherThing has the word else in another sense.
	otherThing = regexp.MustCompile(`(?i)\b(?:some|any|every|no)(?:thing|one|body|where) else\b[, ]*$`)
	forFirst   = regexp.MustCompile(`(?i)^for\s+((?:entities|customers|cases|requests|orders|applications|patients|accounts|users|items|those|all|any)\b.*)$`)
	postIf     = regexp.MustCompile(`(?i)^[^,]{0,60},\s+(if\s+.*)$`)
)

// conditional tells that a sentence names a condition on which it depends.
func conditional(text string) bool {
	_, ok := decide(text)
	return ok
}

// decide takes a conditional sentence apart.
func decide(text string) (d decision, ok bool) {
	text = strings.TrimSpace(text)
	d.certain = true
	if m := soFirst.FindStringSubmatch(text); m != nil {
		return d.lateCondition("so", m[1])
	}
	if m := permitted.FindStringSubmatch(text); m != nil && ends(m[1]) {
		d.certain, d.why = false, "it is a permission, for the case of the sentence before"
		return d.lateCondition("so", m[1])
	}
	if m := notFirst.FindStringSubmatch(text); m != nil {
		if rest, isDecision := decide(m[1]); isDecision && rest.as == "" && rest.lead == "" {
			rest.certain, rest.why = false, "it goes on from the sentence before, and sets a condition of its own"
			return rest, true
		}
		return d.lateCondition("else", m[1])
	}
	if m := elseLater.FindStringSubmatchIndex(text); m != nil && !otherThing.MatchString(text[:m[2]]) {
		d.else_ = strings.TrimSpace(text[m[2]:m[3]])
		text = text[:m[0]]
	}
	if m := unlessHas.FindStringSubmatch(text); m != nil {
		d.not = true
		return d.conditionFirst(m[1])
	}
	if m := ifFirst.FindStringSubmatch(text); m != nil {
		return d.conditionFirst(m[1])
	}
	if m := postIf.FindStringSubmatch(text); m != nil && !beginsWithVerb(text) {
		return d.conditionFirst(m[1][len("if "):])
	}
	if m := forFirst.FindStringSubmatch(text); m != nil && !strings.HasPrefix(strings.ToLower(m[1]), "all ") && len(commas(m[1])) > 0 {
		d.certain, d.why = false, "whether a case is among these is read as a condition"
		return d.conditionFirst(m[1])
	}
	if m := ifLater.FindStringSubmatch(text); m != nil {
		act, _ := instruction(m[1])
		if act == "" {
			act = passiveEnd(m[1])
		}
		if act != "" && !strings.Contains(act, " as follows") && goodClause(m[3]) {
			// What is looked into ("determine if the account is open") is no condition.
			if !asks.MatchString(act) {
				d.not = strings.EqualFold(m[2], "unless")
				d.then, d.clause = act, clean(m[3])
				return d, true
			}
		}
	}
	if d.else_ != "" {
		act, isAct := instruction(text)
		if m := checked.FindStringSubmatch(act); isAct && m != nil {
			d.lead, d.clause = act, clean(m[1])
			return d, true
		}
	}
	return decision{}, false
}

var (
	asks    = regexp.MustCompile(`(?i)\b(?:determine|check|verify|see|ask|assess|evaluate|identify|confirm|decide|investigate|find out|know|understand)s?(?: \w+){0,3}$`)
	checked = regexp.MustCompile(`(?i)^(?:check|verify|ensure|confirm|make sure|validate|see)\s+(?:that |whether |if )?(.*)$`)
)

func passiveEnd(s string) string {
	if noFurther.MatchString(s) {
		return s
	}
	return ""
}

func goodClause(s string) bool {
	lower := strings.ToLower(s)
	return len(content(s)) > 0 && !strings.HasPrefix(lower, "applicable") && !strings.HasPrefix(lower, "necessary") &&
		!strings.HasPrefix(lower, "possible") && !strings.HasPrefix(lower, "needed") && !strings.HasPrefix(lower, "required") && !strings.HasPrefix(lower, "available")
}

func (d decision) lateCondition(as, rest string) (decision, bool) {
	if strings.TrimSpace(rest) == "" {
		return decision{}, false
	}
	d.as, d.then = as, rest
	return d, true
}

// conditionFirst parts "COND, CONSEQUENCE" at the comma behind which an
// instruction, an end or a subject with its duty begins.
func (d decision) conditionFirst(rest string) (decision, bool) {
	if i := strings.Index(strings.ToLower(rest), " then "); i > 0 && len(commas(rest[:i])) == 0 {
		d.clause, d.then = clean(rest[:i]), strings.TrimSpace(rest[i+len(" then "):])
		return d, len(content(d.clause)) > 0
	}
	at := commas(rest)
	for _, i := range at {
		then := strings.TrimSpace(rest[i+1:])
		if leadsTo(then) || theFollowing.MatchString(then) {
			d.clause, d.then = clean(rest[:i]), then
			return d, len(content(d.clause)) > 0
		}
	}
	if i := strings.IndexAny(rest, ":→"); i > 0 && len(content(rest[:i])) > 0 {
		_, size := runeAt(rest, i)
		d.clause, d.then = clean(rest[:i]), strings.TrimSpace(rest[i+size:])
		return d, true
	}
	if len(at) > 0 {
		d.clause, d.then = clean(rest[:at[0]]), strings.TrimSpace(rest[at[0]+1:])
		d.certain, d.why = false, "where the condition ends and what follows from it begins is a guess"
		return d, len(content(d.clause)) > 0 && len(content(d.then)) > 0
	}
	return decision{}, false
}

func runeAt(s string, i int) (rune, int) {
	for _, c := range s[i:] {
		return c, len(string(c))
	}
	return 0, 0
}

var (
	noFurther = regexp.MustCompile(`(?i)\bno (?:further|additional|other) (?:action|steps?|processing)\b|\bdo not (?:proceed|continue)\b|\bmust not (?:proceed|continue)\b`)
	subject   = regexp.MustCompile(`(?i)^(?:then |please |immediately |you |they |we |it |the [\w ]{2,40}?|this [\w ]{2,30}?|[A-Z][\w ]{2,40}? )\s*(?:shall|must|should|may|can|will|is|are|becomes?|needs?)\b`)
)

func leadsTo(s string) bool {
	if _, ok := instruction(s); ok {
		return true
	}
	return noFurther.MatchString(s) || subject.MatchString(s) || conditional(s)
}

// consequences takes what follows from a decision apart.
func (r *reader) consequences(text string) (list []Act, certain bool) {
	certain = true
	for _, clause := range clauses(text) {
		act, sure := r.consequence(clause)
		certain = certain && sure && !(len(list) > 0 && list[len(list)-1].End != "" && act != Act{}) && !conditionalWord.MatchString(clause)
		if act != (Act{}) {
			list = append(list, act)
		}
	}
	return list, certain
}

var joint = regexp.MustCompile(`(?i)(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|;\s*|\.\s+)`)

// clauses parts "log the issue and terminate the process" where an
// instruction begins.
func clauses(text string) (list []string) {
	start := 0
	for _, m := range joint.FindAllStringIndex(text, -1) {
		if m[0] < start || unbalanced(text[start:m[0]]) {
			continue
		}
		rest := adverb.ReplaceAllString(text[m[1]:], "")
		f := strings.Fields(rest)
		if len(f) > 1 && beginsWithVerb(rest) && !nounLike[strings.ToLower(f[0])] || stopsThere.MatchString(rest) {
			list = append(list, text[start:m[0]])
			start = m[1]
		}
	}
	return append(list, text[start:])
}

// nounLike verbs are nouns as often in the middle of a list.
var nounLike = wordSet(`report access record document process review label issue test score support contact service order file place flag log time
	estimate display copy scope start view request transfer move use release`)

// stopsThere is an end of one word.
var stopsThere = regexp.MustCompile(`(?i)^(?:stop|terminate|abort|exit|quit)(?: (?:here|immediately|there))?\W*$`)

func unbalanced(s string) bool { return strings.Count(s, "(") != strings.Count(s, ")") }

// endForm is how texts say that a case ends.
type endForm struct {
	end  string
	form *regexp.Regexp
}

var (
	whole  = `(?:the |this |that |all |any |your |their )?(?:\w+ ){0,3}?(?:cases?|process(?:es|ing)?|procedures?|workflows?|tickets?|requests?|applications?|diagnostics|incidents?|reviews?|orders?|transactions?|claims?|work|session|file|matter|check|verification|assessment|here|immediately)\b`
	endsBy = []endForm{
		{"escalate", regexp.MustCompile(`(?i)^(?:immediately )?escalate\b`)},
		{"reject", regexp.MustCompile(`(?i)^(?:immediately )?(?:reject|deny|refuse|decline)\b`)},
		{"close", regexp.MustCompile(`(?i)^(?:immediately )?(?:close|conclude|finish|complete)\s+` + whole)},
		{"stop", regexp.MustCompile(`(?i)^(?:immediately )?(?:terminate|stop|end|abort|halt|exit|discontinue|cancel|quit)(?:\s+` + whole + `|\s*$)`)},
		{"stop", noFurther},
	}
	goesOn = regexp.MustCompile(`(?i)^(?:immediately |directly )?(?:proceed|go|continue|skip|jump|return|move|advance|resume|start over|pivot)\b(?:\s+(?:on|back|directly|immediately|straight|ahead|again))*(?:\s+(?:to|with|at|from))?\s*(.*)$`)
	// moves a thing and not the case.
	moves  = regexp.MustCompile(`(?i)^(?:return|move|advance|skip)\s+(?:the|a|an|all|any|it|them|its|their)\b`)
	refers = regexp.MustCompile(`(?i)^(?:the )?(?:step|section|part|phase|stage|task)s?\s+(\d+(?:\.\d+)*)`)
	bare   = regexp.MustCompile(`^(\d+(?:\.\d+)+)\b`)
	onward = regexp.MustCompile(`(?i)^(?:$|(?:the |this )?(?:next|following|subsequent) (?:step|section|phase|part|stage|task)|(?:the |this |your )?(?:workflow|process|procedure|case|remaining steps)|normally|as normal|as usual)`)
)

// Go targets that are no section.
const (
	goNext = "next"    // the section after this one
	goBack = "earlier" // a section before this one
	goLast = "last"    // past all that follows
)

func ends(text string) bool {
	return slices.ContainsFunc(endsBy, func(e endForm) bool { return e.form.MatchString(clean(text)) })
}

// consequence reads one clause: an end, where to go on, or an act.
func (r *reader) consequence(clause string) (a Act, certain bool) {
	text, isInstruction := instruction(clause)
	if !isInstruction {
		text = strings.TrimSpace(clause)
	}
	plain := clean(text)
	if name, sure := r.labelIn(plain, clause); name != "" {
		return Act{End: name}, sure
	}
	for _, e := range endsBy {
		if e.form.MatchString(plain) {
			return Act{End: r.statusLike(e.end)}, true
		}
	}
	if m := goesOn.FindStringSubmatch(plain); m != nil {
		if a, sure := r.target(m[1]); sure || a != (Act{}) || !isInstruction || !moves.MatchString(plain) {
			return a, sure
		}
	}
	if !isInstruction {
		if may := permitted.FindStringSubmatch(plain); may != nil {
			a, _ := r.consequence(may[1])
			return a, false
		}
		return Act{}, false
	}
	return Act{Do: slug(plain), Text: lowerFirst(plain)}, true
}

var permitted = regexp.MustCompile(`(?i)^(?:you|they|he|she|we|the [\w ]{2,30}?) (?:may|can|could) (.*)$`)

// target resolves where to go on: a section by its number or its title.
func (r *reader) target(text string) (Act, bool) {
	if onward.MatchString(text) {
		if strings.Contains(strings.ToLower(text), "next") || strings.Contains(strings.ToLower(text), "following") {
			return Act{Go: goNext}, true
		}
		return Act{}, true // it simply goes on
	}
	m := refers.FindStringSubmatch(text)
	if m == nil {
		m = bare.FindStringSubmatch(text)
	}
	if m != nil {
		return r.numberedTarget(m[1])
	}
	want := stems(text)
	delete(want, stem("phase"))
	delete(want, stem("step"))
	delete(want, stem("section"))
	best, tied := "", false
	for _, s := range r.outline.sections {
		title := stems(s.title)
		n := 0
		for w := range want {
			if title[w] {
				n++
			}
		}
		if n > 0 && n == len(want) {
			tied = best != ""
			best = s.id()
		}
	}
	if best == "" {
		return Act{}, false
	}
	return Act{Go: r.relative(best)}, !tied
}

// numberedTarget looks in the list that is being read first.
func (r *reader) numberedTarget(number string) (Act, bool) {
	var found *section
	for within := r.section; within != nil; within = within.parent {
		for _, s := range r.outline.sections {
			if s != r.section && s.number == number && s.list != nil && s.list == within.list {
				return Act{Go: r.relative(s.id())}, true
			}
		}
	}
	for _, s := range r.outline.sections {
		if s == r.section {
			continue
		}
		if s.id() == number || s.number == number && found == nil {
			found = s
		}
	}
	if found != nil {
		return Act{Go: r.relative(found.id())}, true
	}
	r.missing = append(r.missing, number)
	return Act{}, false
}

// relative marks what stands before the section that is being read.
func (r *reader) relative(id string) string {
	for _, s := range r.outline.sections {
		if s == r.section {
			break
		}
		if s.id() == id {
			return goBack
		}
	}
	return id
}
