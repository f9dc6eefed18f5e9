package text

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// What the styles have in common: parts of a document as lists of statements.

// notes gives the general instructions that apply.
func (w *sopWriter) notes() []string {
	topics := []string{"order", "hidden", "unmet", "waste"}
	if w.ordered() {
		topics = append(topics, "ordered")
	}
	if strings.Contains(strings.Join(append(sopNames(w.v.Requires), sopNames(w.v.EstablishedBy)...), " "), "(") {
		topics = append(topics, "names")
	}
	if !w.plain {
		topics = append(topics, "outcomes")
	} else if len(w.rules) == 0 {
		topics = append(topics, "free")
	}
	var notes []string
	for _, t := range topics {
		notes = append(notes, w.fill(w.choose(sayNote, t), "", nil))
	}
	return notes
}

// ordered tells whether any rule demands an order.
func (w *sopWriter) ordered() (found bool) {
	look := func(n *sop.Tree) { found = found || n.Op.Ordered() }
	for _, t := range w.v.Requires {
		t.Walk(look)
	}
	for _, o := range w.v.Outcomes {
		o.Tree.Walk(look)
	}
	return found
}

// sources tells how the conditions are found out that were not told before;
// by name alone where said, which is whether their words stand just before.
func (w *sopWriter) sources(conds []string, said bool) []string {
	var lines []string
	for _, c := range conds {
		if w.told[c] {
			continue
		}
		w.told[c] = true
		t := w.v.EstablishedBy[c]
		kind, topic := saySource, ""
		switch {
		case t.Op == sop.Leaf && t.Name == sop.Conversation:
			kind = sayGiven
			if said {
				topic = sopBrief
			}
		case t.Op == sop.Leaf && t.Name == c && said:
			topic = sopBriefSelf
		case t.Op == sop.Leaf && t.Name == c:
			topic = sopSelf
		case said:
			topic = sopBrief
		}
		lines = append(lines, w.fill(w.choose(kind, topic), "", sopArgs{"leaf": c, "cond": c, "calls": t}))
	}
	return lines
}

// sopLeaves gives the conditions of t in the order of the text.
func sopLeaves(t *sop.Tree) (names []string) {
	t.Walk(func(n *sop.Tree) {
		if n.Op == sop.Leaf {
			names = append(names, n.Name)
		}
	})
	return names
}

// requirement says what a call requires.
func (w *sopWriter) requirement(call, indent string) string {
	t := w.v.Requires[call]
	if t == nil {
		return w.say(sayFree, indent, sopArgs{"call": call})
	}
	return w.say(sayRequire, indent, sopArgs{"call": call, "rule": t})
}

// helpers is the calls whose requirement the rules do not say already.
func (w *sopWriter) helpers() []string {
	var calls []string
	for _, c := range w.calls {
		if !w.plain || c != w.v.Goal {
			calls = append(calls, c)
		}
	}
	return calls
}

func (w *sopWriter) effects() []string {
	var said []string
	for _, call := range w.calls {
		if t := sopEffectTree(w.v.Effects[call]); t != nil {
			said = append(said, w.say(sayEffect, "", sopArgs{"call": call, "fact": t}))
		}
	}
	return said
}

func sopEffectTree(effects map[string]bool) *sop.Tree {
	var parts []*sop.Tree
	for _, c := range sopNames(effects) {
		if effects[c] {
			parts = append(parts, sop.L(c))
		} else {
			parts = append(parts, sop.T(sop.Not, sop.L(c)))
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return sop.T(sop.All, parts...)
}

// measures says the comparisons and what their values stand for.
func (w *sopWriter) measures() []string {
	var said []string
	for _, c := range w.conds {
		if use := w.v.Conditions[c]; use != nil && use.Compare != nil {
			said = append(said, w.short(sayCompare, sopArgs{"cond": c, "formula": c}))
		}
	}
	for _, value := range w.values() {
		said = append(said, w.say(sayValue, "", sopArgs{"value": value, "unit": sopUnit(w.v.Values[value].Unit), "text": w.valueWords(value) + "."}))
	}
	return said
}

func (w *sopWriter) valueWords(value string) string {
	words := sopPlainWords(w.v.Values[value].Text)
	if w.v.Values[value].Stated {
		words += ", as stated in the request"
	}
	return words
}

// values is those that comparisons read, in the order in which they do.
func (w *sopWriter) values() (values []string) {
	seen := map[string]bool{}
	for _, c := range w.conds {
		if use := w.v.Conditions[c]; use != nil && use.Compare != nil {
			for _, value := range use.Compare.Names() {
				if !seen[value] {
					seen[value] = true
					values = append(values, value)
				}
			}
		}
	}
	return values
}

// relations says how conditions depend on each other; those that depend on
// the same in one sentence.
func (w *sopWriter) relations() []string {
	var said []string
	same := map[string][]string{}
	for _, c := range w.conds {
		if t := w.v.DependsOn[c]; t != nil {
			same[t.String()] = append(same[t.String()], c)
		}
	}
	for _, c := range w.conds {
		t := w.v.DependsOn[c]
		if t == nil || same[t.String()][0] != c {
			continue
		}
		if all := same[t.String()]; len(all) > 1 {
			said = append(said, w.short(sayDepends, sopArgs{"names": all, "fact": t}))
		} else {
			said = append(said, w.say(sayDepends, "", sopArgs{"leaf": c, "fact": t}))
		}
	}
	for _, set := range w.v.Excludes {
		said = append(said, w.say(sayExcludes, "", sopArgs{"names": set}))
	}
	return said
}

// outcomes says the outcomes one by one, where they are not plain.
func (w *sopWriter) outcome(o sop.Outcome, indent string) string {
	if o.Tree == nil {
		return w.say(sayElse, indent, sopArgs{"end": o.End})
	}
	return w.say(sayOutcome, indent, sopArgs{"end": o.End, "rule": o.Tree})
}

func (w *sopWriter) ends() string {
	return w.say(sayEnds, "", sopArgs{"goal": w.v.Goal, "end": w.v.Outcomes[1].End})
}

// list writes statements under a heading, if there are any.
func (w *sopWriter) list(bullet string, said []string, headings ...string) {
	if len(said) == 0 {
		return
	}
	w.heading(headings...)
	for _, s := range said {
		w.line(bullet + s)
	}
}

// title and purpose open every document.
func (w *sopWriter) opening(titles ...string) {
	title := sopPlainWords(w.v.Procedure.Title)
	if title == "" {
		title = w.v.Goal
	}
	w.line("# " + strings.ReplaceAll(sopPick(w.rng, titles), "{}", title))
	if w.rng.IntN(2) == 0 {
		number := strings.ToUpper(strings.ReplaceAll(sopPlainWords(w.v.Domain.Name+"-"+w.v.Goal), "_", "-"))
		w.line("\nDocument " + number + ", version " + strconv.Itoa(1+w.rng.IntN(6)) + "." + strconv.Itoa(w.rng.IntN(10)))
	}
	if office := strings.TrimLeft(sopPlainWords(w.v.Domain.Title), "# "); office != "" {
		w.line("\n" + sopPick(w.rng, []string{"", "Issued by: ", "Owner: ", "Office: "}) + office)
	}
	if purpose := strings.Join(strings.Fields(w.v.Procedure.Purpose), " "); purpose != "" {
		w.heading("Purpose", "Background", "Why this procedure exists")
		w.line(strings.TrimLeft(purpose, "#|` "))
	}
}

func (w *sopWriter) scope() {
	w.heading("Scope", "Scope and general instructions", "Ground rules")
	w.line(w.say(sayGoal, "", sopArgs{"call": w.v.Goal}))
	w.line("")
	for _, n := range w.notes() {
		w.line("- " + n)
	}
}

var sopKindWords = map[string][]string{
	"authentication": {"identity", "credentials", "proof of identity"},
	"authorization":  {"authority", "authorization", "permission"},
	"existence":      {"records on file", "entry on record", "registration"},
	"eligibility":    {"eligibility", "entitlement", "admission"},
	"financial":      {"funds and limits", "figures", "money matters"},
	"temporal":       {"dates and deadlines", "timing", "time limits"},
	"availability":   {"availability", "what is on offer"},
	"quota":          {"quotas", "allowance", "numbers allowed"},
	"state":          {"status", "current state", "standing"},
	"format":         {"form of the details", "completeness"},
	"consistency":    {"consistency", "match of the details"},
	"privacy":        {"privacy", "confidentiality"},
}

// subject names what a rule is about, by the kinds of its conditions, if
// possible in words that no earlier rule had.
func (w *sopWriter) subject(t *sop.Tree) string {
	var kinds, words []string
	for _, c := range sopLeaves(t) {
		if use := w.v.Conditions[c]; use != nil && len(kinds) < 2 && sopKindWords[use.Kind] != nil && !slices.Contains(kinds, use.Kind) {
			kinds = append(kinds, use.Kind)
		}
	}
	for _, kind := range kinds {
		pool := slices.Clone(sopKindWords[kind])
		w.rng.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		word := pool[0]
		if fresh := slices.IndexFunc(pool, func(p string) bool { return !w.titled[p] }); fresh >= 0 {
			word = pool[fresh]
		}
		w.titled[word] = true
		words = append(words, word)
	}
	switch {
	case t == nil:
		return "All other cases"
	case len(words) == 0:
		return "Check"
	}
	s := strings.Join(words, ", ")
	return strings.ToUpper(s[:1]) + s[1:]
}
