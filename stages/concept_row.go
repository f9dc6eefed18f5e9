package stages

import (
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// ConceptReference is what an answer of stage 1 is judged against: the JSON of
// a row's reference column.
type ConceptReference struct {
	Relation string   `json:"relation"` // see conceptRelations
	Subject  string   `json:"subject"`  // what is asked about, under the domain's own name
	Answers  []string `json:"answers"`  // every term that is right here
	Synonyms []string `json:"synonyms"` // other words that are as right
	Source   string   `json:"source"`   // where the domain pack says so: glossary:bank/owed balance
}

// conceptRelations is how the answer relates to the subject, by view.
var conceptRelations = map[string]string{
	text.DefinitionView: "defines", text.ApplicationView: "applies", text.DiscriminationView: "distinguishes",
	text.ConditionWordingView: "words", text.ToolChoiceView: "does",
}

// byContext is the violation of a term that the context gives another meaning.
const byContext = "context"

// ConceptProof says why a term is wrong: the JSON of a negative's proof.
type ConceptProof struct {
	// Because is the row's violation: confusable (declared so), type (terms of
	// two types do not name one thing), or context (there it means something
	// else).
	Because    string `json:"because"`
	NotBecause string `json:"not_because,omitempty"` // the authored reason
	// Types are that of the right answer and that of this one.
	Types []string `json:"types,omitempty"`
	// Means is what the context gives the term to mean.
	Means string `json:"means"`
	// Method is how it was found: declared, name or use, the likeness that is
	// greater; both are numbers from 0 to 1.
	Method string  `json:"method"`
	ByName float64 `json:"by_name"`
	ByUse  float64 `json:"by_use"`
}

func (p *ConceptProof) alike(s augment.Similarity) {
	p.ByName, p.ByUse = rounded(s.ByName), rounded(s.ByUse)
	if p.Method == "" {
		p.Method = "name"
		if s.ByUse > s.ByName {
			p.Method = "use"
		}
	}
}

func rounded(x float64) float64 { return float64(int(x*1e4+0.5)) / 1e4 }

type termPayload struct {
	Term string `json:"term"`
}

// termStyle is how the texts of one family are written: alike, so that its
// rows differ in what they say alone.
type termStyle struct {
	glossary, format string
	seed             uint64
}

func (w *conceptJob) termStyle() termStyle {
	return termStyle{
		glossary: text.GlossaryStyles[w.rng.IntN(len(text.GlossaryStyles))],
		format:   text.TermFormats[w.rng.IntN(len(text.TermFormats))], seed: w.rng.Uint64(),
	}
}

func (s termStyle) rand(salt uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, salt)) }

func (s termStyle) answer(term string) dataset.Answer {
	return dataset.Answer{Text: text.RenderTerm(s.format, term, s.rand(3)), Payload: encode(termPayload{term})}
}

// conceptDraft is a row without its texts.
func (w *conceptJob) conceptDraft(view, split, style string) *draft {
	return &draft{
		row: dataset.Row{Stage: 1, Task: "concept", View: view, Domain: w.Domain.Name, Procedure: w.Procedure.Goal, Split: split},
		meta: Meta{
			Generator: GeneratorVersion, Seed: w.opts.Seed, Style: style,
			Rules: []*sop.Tree{}, Thresholds: map[string]float64{}, Names: map[string]string{},
		},
	}
}

// termRow is one row over a glossary: what is right, which term's meaning is
// asked for, and whose meaning every entry has.
type termRow struct {
	view                string
	candidates, excerpt []*sop.Term
	right, subject      *sop.Term
	how                 string
	stands              map[*sop.Term]*sop.Term
}

// termRow writes the row; nil and the reason where its words would speak of
// more than the subject.
func (w *conceptJob) termRow(r *termRow, st termStyle) (*draft, string) {
	split := w.Split
	if split == "" {
		split = w.splitOfTerm(r.subject)
	}
	q := text.Concept{View: r.view, Kind: "meaning", Title: w.Procedure.Title, Format: st.format}
	if r.view == text.ApplicationView || r.view == text.DiscriminationView && w.rng.IntN(3) > 0 {
		if w.situations.Has(r.subject) {
			q.Kind, q.Phrase = r.subject.Type, w.situations.Draw(r.subject, w.rng)
		}
	}
	if q.Kind == "meaning" {
		q.Phrase = definition(r.subject, w.rng)
	}
	if r.view == text.DiscriminationView {
		if q.Kind == "state" {
			q.Kind = "condition"
		}
		q.Pair = [2]string{r.right.Term, w.partner(r).Term}
		if w.rng.IntN(2) == 0 {
			q.Pair[0], q.Pair[1] = q.Pair[1], q.Pair[0]
		}
	}
	concepts := w.meant(q)
	if !slices.Contains(concepts, r.subject) || slices.ContainsFunc(r.excerpt, func(t *sop.Term) bool {
		return t != r.right && slices.Contains(concepts, r.stands[t])
	}) {
		return nil, DropSeveral
	}
	d := w.conceptDraft(r.view, split, st.glossary)
	d.meta.Glossary = map[string]string{}
	var entries []text.Entry
	for _, t := range r.excerpt {
		d.meta.Glossary[t.Term] = r.stands[t].Term
		entries = append(entries, text.Entry{Term: t.Term, Definition: r.stands[t].Definition})
	}
	d.row.Context = text.RenderGlossary(st.glossary, w.Procedure.Title, entries, st.rand(1))
	d.row.Query, d.meta.Query = text.ConceptQuery(q, split, w.rng)
	d.meta.Format = st.format
	d.row.Positive = st.answer(r.right.Term)
	for _, n := range shuffledOf(w.rng, r.candidates) {
		if n != r.right {
			d.row.Negatives = append(d.row.Negatives, w.termNegative(r, n, st))
		}
	}
	reference := ConceptReference{
		Relation: conceptRelations[r.view], Subject: r.subject.Term, Answers: []string{r.right.Term}, Synonyms: []string{},
		Source: "glossary:" + w.Domain.Name + "/" + r.subject.Term,
	}
	if r.how == authored {
		reference.Synonyms = append(reference.Synonyms, r.right.Synonyms...)
	}
	d.row.Reference = encode(reference)
	return d, ""
}

func (w *conceptJob) termNegative(r *termRow, n *sop.Term, st termStyle) dataset.Negative {
	proof := ConceptProof{Because: byContext, Means: r.stands[n].Definition}
	s := w.For(r.right, n)
	if s.Because == augment.Confusable {
		proof.Method = "declared"
	}
	if r.how == authored {
		proof.Because, proof.NotBecause = s.Because, s.NotBecause
		if s.Because == augment.OtherType {
			proof.Types = []string{r.right.Type, n.Type}
		}
	}
	proof.alike(s.Similarity)
	a := st.answer(n.Term)
	return dataset.Negative{
		Text: a.Text, Payload: a.Payload, Operator: string(augment.Substitute), Violation: proof.Because,
		Proof: encode(proof), Similarity: s.Mean(),
	}
}
