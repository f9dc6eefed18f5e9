package recheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// conceptReference and conceptProof are the reference of a stage-1 row, and what its negatives say of themselves.
type conceptReference struct {
	Relation string   `json:"relation"`
	Subject  string   `json:"subject"`
	Answers  []string `json:"answers"`
	Synonyms []string `json:"synonyms"`
	Source   string   `json:"source"`
}

type conceptProof struct {
	Because    string   `json:"because"`
	NotBecause string   `json:"not_because"`
	Types      []string `json:"types"`
	Means      string   `json:"means"`
	Method     string   `json:"method"`
	ByName     *float64 `json:"by_name"`
	ByUse      *float64 `json:"by_use"`
}

var (
	relations = map[string]string{
		"definition": "defines", "application": "applies", "discrimination": "distinguishes", "condition_wording": "words",
		"tool_choice": "does",
	}
	termFormats = map[string]*regexp.Regexp{
		"json":     regexp.MustCompile(`\bJSON\b`),
		"sentence": regexp.MustCompile(`(?i)\bsentence\b`),
		"term":     regexp.MustCompile(`\balone\b|nothing but|Give just`),
	}
)

// conceptCheck is a row of stage 1 as it was read.
type conceptCheck struct {
	*rowCheck
	ref      conceptReference
	question string
	spans    []string // what the question has between “ and ”
	answers  []string // every right answer, by the texts
}

func (c *rowCheck) concept() {
	k := &conceptCheck{rowCheck: c}
	if err := strict([]byte(c.r.Reference), &k.ref); err != nil {
		c.add("reference", "%v", err)
		return
	}
	if k.ref.Relation != relations[c.r.View] || k.ref.Answers == nil || k.ref.Synonyms == nil {
		c.add("reference", "relation %q, answers %q, synonyms %q; want the relation %s and no nulls", k.ref.Relation, k.ref.Answers, k.ref.Synonyms, relations[c.r.View])
	}
	question, format, found := strings.Cut(c.r.Query, "\n\n")
	var err error
	if c.format, err = statedFormat(format, termFormats); err != nil || !found || c.format != c.meta.Format {
		c.add("query", "the format is %q, in the meta %q: %v", c.format, c.meta.Format, err)
		return
	}
	k.question = question
	for rest := question; ; {
		_, after, open := strings.Cut(rest, "“")
		span, behind, closed := strings.Cut(after, "”")
		if !open || !closed {
			break
		}
		k.spans, rest = append(k.spans, span), behind
	}
	if c.r.View == "condition_wording" || c.r.View == "tool_choice" {
		k.identifiers()
	} else {
		k.terms()
	}
}

// answer reads a term from its text and holds it against its payload.
func (k *conceptCheck) answer(who, text, payload string) (string, bool) {
	said, err := readTerm(k.format, text)
	if err != nil {
		k.add("text", "%s: %v", who, err)
		return "", false
	}
	var p struct {
		Term string `json:"term"`
	}
	if err := strict([]byte(payload), &p); err != nil || p.Term != said {
		k.add("payload", "%s: the text says %q, the payload %s", who, said, payload)
	}
	return said, true
}

func readTerm(format, text string) (string, error) {
	switch format {
	case "json":
		var a struct {
			Term string `json:"term"`
		}
		err := strict([]byte(text), &a)
		if err == nil && a.Term == "" {
			err = fmt.Errorf("%q has no term", clip(text))
		}
		return a.Term, err
	case "sentence":
		_, after, open := strings.Cut(text, "“")
		term, rest, closed := strings.Cut(after, "”")
		if !open || !closed || strings.ContainsAny(rest, "“”") {
			return "", fmt.Errorf("%q has no term in “ ”", clip(text))
		}
		return term, nil
	}
	if text == "" || strings.ContainsAny(text, "“”`\n\"") {
		return "", fmt.Errorf("%q is no term alone", clip(text))
	}
	return text, nil
}

// judge holds positive, negatives and reference against the right answers; wrong proves one negative wrong.
func (k *conceptCheck) judge(wrong func(who, term string, n *negative, p *conceptProof)) {
	slices.Sort(k.answers)
	if want := slices.Sorted(slices.Values(k.ref.Answers)); !slices.Equal(want, k.answers) {
		k.add("reference", "the answers are %q, by the texts %q", want, k.answers)
	}
	seen := map[string]string{}
	if said, ok := k.answer("positive", k.r.Positive.Text, k.r.Positive.Payload); ok {
		if seen[said] = "positive"; !slices.Contains(k.answers, said) {
			k.add("positive", "%q is wrong by the texts, which say %q", said, k.answers)
		}
	}
	for i := range k.r.Negatives {
		n := &k.r.Negatives[i]
		who := fmt.Sprintf("negative %d", i)
		said, ok := k.answer(who, n.Text, n.Payload)
		if !ok {
			continue
		}
		if other, twice := seen[said]; twice {
			k.add("distinct", "%s and %s are the same answer %q", other, who, said)
		}
		seen[said] = who
		if slices.Contains(k.answers, said) || slices.ContainsFunc(k.ref.Synonyms, func(s string) bool { return strings.EqualFold(s, said) }) {
			k.add("negative", "%s: %q is right too", who, said)
		}
		var p conceptProof
		if err := strict([]byte(n.Proof), &p); err != nil {
			k.add("proof", "%s: %q: %v", who, clip(n.Proof), err)
			continue
		}
		if n.Operator != "substitution" || n.Violation != p.Because || p.ByName == nil || p.ByUse == nil {
			k.add("proof", "%s: operator %q and violation %q, the proof says %q", who, n.Operator, n.Violation, p.Because)
		}
		wrong(who, said, n, &p)
	}
	if k.r.View != "discrimination" || len(k.spans) != 3 {
		return
	}
	offered := 0
	for _, span := range k.spans {
		if who := seen[span]; who == "positive" {
			offered += 10
		} else if who != "" {
			offered++
		}
	}
	if offered != 11 {
		k.add("query", "it offers %q, want the right term and one of the wrong ones", k.spans)
	}
}

// terms decides by the definitions in the context.
func (k *conceptCheck) terms() {
	entries, err := readGlossary(k.r.Context)
	if err != nil {
		k.add("context", "%v", err)
		return
	}
	means := map[string]*term{} // of an entry: the term of the lexicon whose meaning it has
	own := 0
	for _, e := range entries {
		if k.names.term(e.term) == nil {
			k.add("context", "%q is no term of the lexicon", e.term)
			return
		}
		meant := k.names.defined(e.definition)
		if len(meant) != 1 {
			k.add("context", "%d terms of the lexicon have the definition %q", len(meant), e.definition)
			return
		}
		if means[e.term] != nil {
			k.add("context", "%q is defined twice", e.term)
		}
		means[e.term] = meant[0]
		if meant[0].Term == e.term {
			own++
		}
	}
	if authored := k.meta.Unit == "authored"; k.meta.Unit != "exchanged" && !authored || authored && own != len(entries) || !authored && own > 0 {
		k.add("context", "of %d entries %d have their own meaning, but the meanings are %q", len(entries), own, k.meta.Unit)
	}
	asked := k.asked(means)
	for _, e := range entries {
		if slices.Contains(asked, means[e.term]) {
			k.answers = append(k.answers, e.term)
		}
	}
	subject := k.names.term(k.ref.Subject)
	if subject == nil || !slices.Contains(asked, subject) {
		k.add("reference", "the subject is %q, asked is for %q", k.ref.Subject, termNames(asked))
		return
	}
	if want := "glossary:" + k.r.Domain + "/" + subject.Term; k.ref.Source != want {
		k.add("reference", "the source is %q, want %q", k.ref.Source, want)
	}
	var synonyms []string
	for _, a := range k.answers {
		if means[a].Term == a {
			synonyms = append(synonyms, means[a].Synonyms...)
		}
	}
	if !slices.Equal(synonyms, k.ref.Synonyms) {
		k.add("reference", "the synonyms are %q, want %q", k.ref.Synonyms, synonyms)
	}
	k.judge(func(who, said string, _ *negative, p *conceptProof) {
		meant := means[said]
		if meant == nil {
			k.add("negative", "%s: %q is not in the context", who, said)
			return
		}
		if meaning(p.Means) != meaning(meant.Definition) {
			k.add("proof", "%s: %q means %q, in the proof %q", who, said, meant.Definition, p.Means)
		}
		because, notBecause := apart(subject, meant)
		switch {
		case because == "":
			k.add("negative", "%s: nothing says that %q, which means %q here, is wrong for %q", who, said, meant.Term, subject.Term)
		case k.meta.Unit == "exchanged":
			because, notBecause = "context", ""
		}
		if because != p.Because || notBecause != p.NotBecause {
			k.add("proof", "%s: %q is wrong because of %s (%q), in the proof %s (%q)", who, said, because, notBecause, p.Because, p.NotBecause)
		}
		if types := []string{subject.Type, meant.Type}; because == "type" && !slices.Equal(p.Types, types) || because != "type" && p.Types != nil {
			k.add("proof", "%s: the types are %q, in the proof %q", who, types, p.Types)
		}
	})
}

func termNames(list []*term) (names []string) {
	for _, t := range list {
		names = append(names, t.Term)
	}
	return names
}

// The nouns by which a question says of what type the thing is.
var typeNouns = map[string]*regexp.Regexp{
	"value": regexp.MustCompile(`\bfigure\b`), "condition": regexp.MustCompile(`\bfinding\b`), "state": regexp.MustCompile(`\bstate of affairs\b`),
	"action": regexp.MustCompile(`\bact\b`), "threshold": regexp.MustCompile(`\bset limit\b`),
}

// asked returns the terms of the lexicon whose meaning the question describes: by a definition, or by a situation that they
// word.
func (k *conceptCheck) asked(entries map[string]*term) []*term {
	var phrases []string
	for _, span := range k.spans {
		if entries[span] == nil || k.r.View != "discrimination" {
			phrases = append(phrases, span)
		}
	}
	if len(phrases) != 1 {
		k.add("query", "it has the phrases %q, want one", phrases)
		return nil
	}
	phrase := phrases[0]
	if list := k.names.defined(phrase); len(list) > 0 {
		return list
	}
	if k.r.View == "definition" {
		k.add("query", "%q is no definition", phrase)
		return nil
	}
	words := k.question
	for _, span := range k.spans {
		words = strings.Replace(words, "“"+span+"”", "", 1)
	}
	noun := ""
	for kind, pattern := range typeNouns {
		if k.r.View == "application" && pattern.MatchString(words) {
			noun += kind
		}
	}
	var list []*term
	for _, s := range k.names.situations {
		if !s.form.MatchString(phrase) {
			continue
		}
		for _, t := range k.names.Glossary {
			if t.Of == s.of && slices.Contains(s.types, t.Type) && (k.r.View != "application" || t.Type == noun) && !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	if len(list) == 0 {
		k.add("query", "%q (%s) describes nothing of the lexicon", phrase, noun)
	}
	return list
}
