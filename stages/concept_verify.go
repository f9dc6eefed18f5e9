package stages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// ParseConceptReference decodes the reference of a stage-1 row.
func ParseConceptReference(data []byte) (*ConceptReference, error) {
	var r ConceptReference
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	if r.Subject == "" || len(r.Answers) == 0 {
		return nil, fmt.Errorf("reference has no subject or answers, want those of a row of stage 1")
	}
	return &r, nil
}

// conceptReading is what the texts of a stage-1 row say.
type conceptReading struct {
	*glossary
	query     text.Concept
	reference *ConceptReference
	meta      Meta

	entries []text.Entry // of the glossary, or the further calls
	// Of the views over an SOP, else nil or empty:
	variant   *sop.Variant
	named     []text.Named // of the variant
	explained *text.Explanations
	own       map[string]string // the domain's name for each written one

	subjects []string // what the query is about, under the domain's own names
	answers  []string // every right answer, by the texts alone
}

// conceptRow proves a row of stage 1 again: it reads context and query, finds
// the right answers in them, and compares answers, payloads, reference and
// proofs with these and with the lexicon.
func (v *Verifier) conceptRow(row *dataset.Row) []error {
	r, err := v.readConcept(row)
	if err != nil {
		return []error{err}
	}
	problems := r.compare(row)
	right, err := r.answer(row.Positive.Text, row.Positive.Payload)
	switch {
	case err != nil:
		return append(problems, fmt.Errorf("positive: %w", err))
	case !slices.Contains(r.answers, right):
		return append(problems, fmt.Errorf("positive: %q is wrong by the context, want one of %s", right, strings.Join(r.answers, ", ")))
	}
	var wrong []string
	for i := range row.Negatives {
		n := &row.Negatives[i]
		term, err := r.answer(n.Text, n.Payload)
		if err == nil {
			err = r.negative(n, right, term)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("negative %d: %w", i, err))
		}
		wrong = append(wrong, term)
	}
	if q := r.query; q.View == text.DiscriminationView {
		for _, t := range q.Pair {
			if t != right && !slices.Contains(wrong, t) {
				problems = append(problems, fmt.Errorf("the query offers %q, which is no answer of the row", t))
			}
		}
		if !slices.Contains(q.Pair[:], right) {
			problems = append(problems, fmt.Errorf("the query offers %q and %q, the positive is %q", q.Pair[0], q.Pair[1], right))
		}
	}
	return problems
}

func (v *Verifier) readConcept(row *dataset.Row) (*conceptReading, error) {
	domain := v.lexicon[row.Domain]
	if domain == nil {
		return nil, fmt.Errorf("domain %q is not in the manifest's lexicon", row.Domain)
	}
	r := &conceptReading{glossary: v.glossaries[domain](), own: map[string]string{}}
	var err error
	if r.reference, err = ParseConceptReference([]byte(row.Reference)); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(row.Meta), &r.meta); err != nil {
		return nil, fmt.Errorf("meta: %w", err)
	}
	var id text.QueryID
	if r.query, id, err = text.ReadConcept(row.Query); err != nil {
		return nil, err
	}
	if r.query.View != row.View || id != r.meta.Query {
		return nil, fmt.Errorf("the query's words are %s, recorded are view %s and %s", id, row.View, r.meta.Query)
	}
	if held := strings.HasPrefix(string(id), row.View+"/test/"); held != (row.Split == dataset.Test) {
		return nil, fmt.Errorf("the query is worded as %s in the split %s", id, row.Split)
	}
	if row.View == text.ConditionWordingView || row.View == text.ToolChoiceView {
		err = r.readNames(row)
	} else {
		err = r.readTerms(row)
	}
	return r, err
}

// readTerms reads the glossary and decides by the definitions in it.
func (r *conceptReading) readTerms(row *dataset.Row) error {
	var err error
	if r.entries, err = text.ReadGlossary(row.Context); err != nil {
		return fmt.Errorf("context: %w", err)
	}
	if len(r.domain.Glossary) == 0 {
		return fmt.Errorf("the manifest's lexicon has no glossary of domain %s", row.Domain)
	}
	concepts := r.meant(r.query)
	for _, t := range concepts {
		r.subjects = append(r.subjects, t.Term)
	}
	for _, e := range r.entries {
		if r.byName[e.Term] == nil {
			return fmt.Errorf("context: %q is no term of domain %s", e.Term, row.Domain)
		}
		means := r.means(e)
		if means == nil {
			return fmt.Errorf("context: %q is defined as nothing that domain %s knows", e.Term, row.Domain)
		}
		if slices.Contains(concepts, means) {
			r.answers = append(r.answers, e.Term)
		}
	}
	slices.Sort(r.answers)
	return nil
}

// readNames reads the SOP, and the further calls, and decides by what they say
// next to each identifier.
func (r *conceptReading) readNames(row *dataset.Row) error {
	document, tools, further := strings.Cut(row.Context, ContextBreak)
	r.explained = text.NewExplanations(document)
	read, err := text.ReadSOP(document)
	if err != nil {
		return fmt.Errorf("context: %w", err)
	}
	for from, to := range r.meta.Names {
		r.own[to] = from
	}
	if r.variant, err = r.domain.Reword(read.Graph, read.Comparisons, r.own); err != nil {
		return fmt.Errorf("context: %w", err)
	}
	if further {
		if r.entries, err = text.ReadGlossary(tools); err != nil {
			return fmt.Errorf("context: %w", err)
		}
	}
	for _, e := range r.entries {
		if does := text.CallWords(r.domain, baseOf(e.Term, r.own)); e.Definition != does || does == "" {
			return fmt.Errorf("context: %q does %q, want %q", e.Term, e.Definition, does)
		}
	}
	r.named = text.NamedOf(r.variant)
	r.answers = named(r.variant, r.named, r.entries, r.query)
	for _, a := range r.answers {
		r.subjects = append(r.subjects, baseOf(a, r.own))
	}
	for _, x := range r.named {
		if asked := x.Kind == r.query.Kind || x.Kind == "call" && r.query.View == text.ToolChoiceView; asked && slices.Contains(r.answers, x.Name) && !r.explained.Has(x) {
			return fmt.Errorf("context: nothing says that %q is about %q", x.Name, x.Clauses[0])
		}
	}
	return nil
}

func (r *conceptReading) entry(name string) (text.Entry, bool) {
	i := slices.IndexFunc(r.entries, func(e text.Entry) bool { return e.Term == name })
	if i < 0 {
		return text.Entry{}, false
	}
	return r.entries[i], true
}

// compare holds the reference against what was read.
func (r *conceptReading) compare(row *dataset.Row) []error {
	var problems []error
	ref := r.reference
	want := slices.Sorted(slices.Values(ref.Answers))
	if !slices.Equal(want, r.answers) {
		problems = append(problems, fmt.Errorf("the right answers are %q by the texts, %q by the reference", r.answers, want))
	}
	for _, e := range r.entries {
		told := r.byName[r.meta.Glossary[e.Term]]
		if r.variant == nil && (told == nil || !sameDefinition(told.Definition, e.Definition)) {
			problems = append(problems, fmt.Errorf("%q means %q by the texts, the meta has the meaning of %q", e.Term, e.Definition, r.meta.Glossary[e.Term]))
		}
	}
	if ref.Relation != conceptRelations[row.View] {
		problems = append(problems, fmt.Errorf("relation is %q, want %q", ref.Relation, conceptRelations[row.View]))
	}
	if !slices.Contains(r.subjects, ref.Subject) {
		problems = append(problems, fmt.Errorf("the query is about %q, the reference about %q", r.subjects, ref.Subject))
	}
	var synonyms []string
	for _, a := range r.answers {
		if e, ok := r.entry(a); ok && r.variant == nil && r.means(e) == r.byName[a] {
			synonyms = append(synonyms, r.byName[a].Synonyms...)
		}
	}
	if !slices.Equal(synonyms, ref.Synonyms) && len(synonyms)+len(ref.Synonyms) > 0 {
		problems = append(problems, fmt.Errorf("the synonyms are %q, %q by the reference", synonyms, ref.Synonyms))
	}
	return problems
}

// answer reads an answer from its text and compares it with its payload.
func (r *conceptReading) answer(words, payload string) (string, error) {
	term, err := text.ReadTerm(r.query.Format, words)
	if err != nil {
		return "", err
	}
	var p termPayload
	if err := json.Unmarshal([]byte(payload), &p); err != nil {
		return "", fmt.Errorf("payload: %w", err)
	}
	if p.Term != term {
		return "", fmt.Errorf("the text says %q, the payload %q", term, p.Term)
	}
	return term, nil
}

// negative checks that the term is wrong, for the reason that its proof gives.
func (r *conceptReading) negative(n *dataset.Negative, right, term string) error {
	if slices.Contains(r.answers, term) || slices.Contains(r.reference.Synonyms, term) {
		return fmt.Errorf("%q is a right answer", term)
	}
	var p ConceptProof
	if err := json.Unmarshal([]byte(n.Proof), &p); err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	if p.Because != n.Violation || n.Operator != string(augment.Substitute) {
		return fmt.Errorf("%q has the operator %s and the violation %s, its proof says %s", term, n.Operator, n.Violation, p.Because)
	}
	if r.variant != nil {
		return r.wrongName(term, p)
	}
	return r.wrongTerm(right, term, p)
}

func (r *conceptReading) wrongTerm(right, term string, p ConceptProof) error {
	subject, t := r.byName[r.reference.Subject], r.byName[term]
	e, ok := r.entry(term)
	if !ok || t == nil || subject == nil {
		return fmt.Errorf("%q is no entry of the context", term)
	}
	means := r.means(e)
	if !sameDefinition(p.Means, e.Definition) {
		return fmt.Errorf("%q means %q in the context, %q by the proof", term, e.Definition, p.Means)
	}
	// Whatever the entry is called: what it means is not what is asked for.
	s := r.For(subject, means)
	if !s.Wrong() {
		return fmt.Errorf("nothing says that %q, which means what the domain calls %q, is wrong for %q", term, means.Term, subject.Term)
	}
	if p.Because == byContext {
		if means == t && right == subject.Term {
			return fmt.Errorf("%q has its own meaning in the context, so the context alone does not prove it wrong", term)
		}
		return nil
	}
	switch {
	case means != t || right != subject.Term:
		return fmt.Errorf("%q does not have its own meaning in the context, the proof says %s", term, p.Because)
	case p.Because != s.Because:
		return fmt.Errorf("%q is wrong because of %q in the lexicon, %q by the proof", term, s.Because, p.Because)
	case p.NotBecause != s.NotBecause:
		return fmt.Errorf("%q is not %q because %q in the lexicon, because %q by the proof", term, subject.Term, s.NotBecause, p.NotBecause)
	case s.Because == augment.OtherType && !slices.Equal(p.Types, []string{subject.Type, t.Type}):
		return fmt.Errorf("%q and %q have the types %s and %s, %q by the proof", subject.Term, term, subject.Type, t.Type, p.Types)
	}
	return nil
}

func (r *conceptReading) wrongName(term string, p ConceptProof) error {
	kinds := kindsOf(r.variant, term)
	e, extra := r.entry(term)
	if !extra && len(kinds) == 0 {
		return fmt.Errorf("%q is no identifier of the context", term)
	}
	says := extra && e.Definition == p.Means
	for _, x := range r.named {
		says = says || x.Name == term && slices.Contains(x.Clauses, p.Means) && r.explained.Has(x)
	}
	switch {
	case !says:
		return fmt.Errorf("the context does not say of %q that it is about %q", term, p.Means)
	case p.Because != byContext && p.Because != augment.OtherType:
		return fmt.Errorf("%q is wrong because of %q, want %s or %s", term, p.Because, byContext, augment.OtherType)
	case p.Because == augment.OtherType && slices.Contains(kinds, r.query.Kind):
		return fmt.Errorf("%q is a %s too, the proof says it is not", term, r.query.Kind)
	}
	return nil
}
