package stages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// The parts of a row that may be worded otherwise.
const (
	PartQuery    = "query"    // the question, without the sentence on the format
	PartContext  = "context"  // the SOP
	PartScenario = "scenario" // what the customer says
)

// Parts lists them.
var Parts = []string{PartQuery, PartContext, PartScenario}

// RefusedMissing is a passage of which the model gave no rewording.
const RefusedMissing = "missing"

// Paraphrase says what of a row's texts a model has worded otherwise, and what
// stood there: the part of its meta.
type Paraphrase struct {
	dataset.Author
	Passages []Reworded `json:"passages"`
}

// Reworded is a passage in the row's text as it is, and what stood there. At
// and Length are in bytes.
type Reworded struct {
	Part   string `json:"part"` // one of Parts
	At     int    `json:"at"`
	Length int    `json:"length"`
	Was    string `json:"was"`
}

// Passage is what a model may be asked to word otherwise.
type Passage struct {
	Part string
	Text string
	at   int
}

// field is the text of a row that holds a part.
func field(row *dataset.Row, part string) *string {
	if part == PartQuery {
		return &row.Query
	}
	return &row.Context
}

// Passages lists those of a row that no model has reworded, in the order of
// Parts and of the text. Glossaries have none: what a term means there is what
// the row asks about.
func (v *Verifier) Passages(row *dataset.Row) ([]Passage, error) {
	var m Meta
	if err := json.Unmarshal([]byte(row.Meta), &m); err != nil {
		return nil, fmt.Errorf("meta: %w", err)
	}
	question, err := text.QuestionPassage(m.Query, row.Query)
	if err != nil {
		return nil, err
	}
	list := []Passage{{PartQuery, question.In(row.Query), question.At}}
	document, scenario, has := strings.Cut(row.Context, ContextBreak)
	if row.Stage > 1 || row.View == text.ConditionWordingView || row.View == text.ToolChoiceView {
		for _, p := range text.DocumentPassages(document) {
			list = append(list, Passage{PartContext, p.In(document), p.At})
		}
	}
	if row.Stage > 1 && has {
		begin := len(document) + len(ContextBreak)
		for _, p := range text.CasePassages(scenario) {
			list = append(list, Passage{PartScenario, p.In(scenario), begin + p.At})
		}
	}
	return list, nil
}

// Paraphrase puts rewordings in the place of a row's passages, as far as they
// are accepted: a query's where it keeps every mark of the question and is
// nearer to it than to any other wording; those of the SOP and of the case
// where they keep every mark and the reader of the style reads the same. "" is
// no rewording. Nil stands in the place of each refusal that there is not.
func (v *Verifier) Paraphrase(row *dataset.Row, by dataset.Author, passages []Passage, rewordings []string) (dataset.Row, []*text.Refusal, error) {
	var m Meta
	if err := json.Unmarshal([]byte(row.Meta), &m); err != nil {
		return *row, nil, fmt.Errorf("meta: %w", err)
	}
	var ref struct{ Bindings map[string]any }
	if err := json.Unmarshal([]byte(row.Reference), &ref); err != nil {
		return *row, nil, fmt.Errorf("reference: %w", err)
	}
	prose := v.prose[row.Domain]
	if prose == nil {
		return *row, nil, fmt.Errorf("domain %q is not in the manifest's lexicon", row.Domain)
	}
	out := *row
	refused := make([]*text.Refusal, len(passages))
	p := &Paraphrase{Author: by}
	moved := map[*string]int{} // how far passages stand behind where they stood
	for i, passage := range passages {
		said, whole := rewordings[i], field(&out, passage.Part)
		at := passage.at + moved[whole]
		now := (*whole)[:at] + said + (*whole)[at+len(passage.Text):]
		switch {
		case said == "":
			refused[i] = &text.Refusal{Reason: RefusedMissing, Detail: "the reply has no rewording of it"}
		default:
			refused[i] = prose.Kept(passage.Text, said, ref.Bindings)
		}
		if refused[i] == nil {
			refused[i] = v.sameReading(row, &m, passage, said, *whole, now)
		}
		if refused[i] != nil {
			continue
		}
		*whole = now
		moved[whole] += len(said) - len(passage.Text)
		p.Passages = append(p.Passages, Reworded{passage.Part, at, len(said), passage.Text})
	}
	if len(p.Passages) > 0 {
		m.Paraphrase = p
		out.Meta = encode(m)
	}
	return out, refused, nil
}

// sameReading asks the reader of the part's style.
func (v *Verifier) sameReading(row *dataset.Row, m *Meta, p Passage, said, was, now string) *text.Refusal {
	var err error
	switch p.Part {
	case PartQuery:
		return text.OwnWording(m.Query, p.Text, said)
	case PartContext:
		before, _, _ := strings.Cut(was, ContextBreak)
		after, _, _ := strings.Cut(now, ContextBreak)
		err = text.SameDocument(before, after)
	case PartScenario:
		var variant *sop.Variant
		if variant, err = v.variantOf(row, m); err == nil {
			err = text.SameCase(casePart(was), casePart(now), variant)
		}
	}
	if err != nil {
		return &text.Refusal{Reason: text.RefusedReading, Detail: err.Error()}
	}
	return nil
}

func casePart(context string) string {
	parts := strings.Split(context, ContextBreak)
	return parts[min(1, len(parts)-1)]
}

// variantOf reads the variant out of the row's SOP.
func (v *Verifier) variantOf(row *dataset.Row, m *Meta) (*sop.Variant, error) {
	document, _, _ := strings.Cut(row.Context, ContextBreak)
	read, err := text.ReadSOP(document)
	if err != nil {
		return nil, err
	}
	base := map[string]string{}
	for from, to := range m.Names {
		base[to] = from
	}
	return v.lexicon[row.Domain].Reword(read.Graph, read.Comparisons, base)
}

// Restore undoes a paraphrase: the row as it was proven. A row without one
// comes back as it is, with nil.
func Restore(row *dataset.Row) (dataset.Row, *Paraphrase, error) {
	if !strings.Contains(row.Meta, `"paraphrase"`) {
		return *row, nil, nil
	}
	var m Meta
	if err := json.Unmarshal([]byte(row.Meta), &m); err != nil {
		return *row, nil, fmt.Errorf("meta: %w", err)
	}
	p := m.Paraphrase
	if p == nil {
		return *row, nil, nil
	}
	out := *row
	ends := map[*string]int{&out.Query: len(out.Query), &out.Context: len(out.Context)} // where the next passage begins
	for _, r := range slices.Backward(p.Passages) {
		whole := field(&out, r.Part)
		if !slices.Contains(Parts, r.Part) || r.At < 0 || r.Length < 1 || r.At > ends[whole]-r.Length {
			return *row, nil, fmt.Errorf("paraphrase: a passage of part %q is said to be at %d, of %d bytes, which is not in the row's texts", r.Part, r.At, r.Length)
		}
		*whole = (*whole)[:r.At] + r.Was + (*whole)[r.At+r.Length:]
		ends[whole] = r.At
	}
	m.Paraphrase = nil
	out.Meta = encode(m)
	return out, p, nil
}

// reworded holds the paraphrase of a row against the row as it was: done again,
// it has to be accepted and to give the same.
func (v *Verifier) reworded(row, original *dataset.Row, p *Paraphrase) error {
	all, err := v.Passages(original)
	if err != nil {
		return err
	}
	var passages []Passage
	var rewordings []string
	moved := map[*string]int{}
	for _, r := range p.Passages {
		whole := field(row, r.Part)
		passage := Passage{r.Part, r.Was, r.At - moved[whole]}
		if !slices.Contains(all, passage) {
			return fmt.Errorf("paraphrase: %q is no passage of the %s", r.Was, r.Part)
		}
		moved[whole] += r.Length - len(r.Was)
		passages = append(passages, passage)
		rewordings = append(rewordings, (*whole)[r.At:r.At+r.Length])
	}
	again, refused, err := v.Paraphrase(original, p.Author, passages, rewordings)
	if err != nil {
		return err
	}
	for i, r := range refused {
		if r != nil {
			return fmt.Errorf("paraphrase: %q for %q: %w", rewordings[i], passages[i].Text, r)
		}
	}
	if again.Query != row.Query || again.Context != row.Context {
		return fmt.Errorf("paraphrase: done again, it gives other texts")
	}
	return nil
}
