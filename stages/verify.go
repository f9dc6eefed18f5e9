package stages

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Verifier proves rows again from their texts.
type Verifier struct {
	lexicon    map[string]*sop.Domain
	glossaries glossaries
	prose      map[string]*text.Prose
}

// NewVerifier takes the lexicon of a dataset's manifest: the wording of its
// domains.
func NewVerifier(lexicon any) (*Verifier, error) {
	data, err := json.Marshal(lexicon)
	if err != nil {
		return nil, err
	}
	v := &Verifier{lexicon: map[string]*sop.Domain{}, glossaries: glossaries{}, prose: map[string]*text.Prose{}}
	if err := json.Unmarshal(data, &v.lexicon); err != nil {
		return nil, fmt.Errorf("manifest.json: lexicon: %w", err)
	}
	if len(v.lexicon) == 0 {
		return nil, fmt.Errorf("manifest.json has no lexicon, want the wording of the dataset's domains")
	}
	for name, d := range v.lexicon {
		v.glossaries.add(d)
		v.prose[name] = text.NewProse(d)
	}
	return v, nil
}

// Row reads the context, the positive and every negative from their texts,
// compares them with the payloads and the reference, and asks the oracle about
// each answer. It returns everything that does not hold. What a model has
// reworded is read as it was before, and the rewording is accepted anew.
func (v *Verifier) Row(row *dataset.Row) []error {
	original, paraphrase, err := Restore(row)
	if err != nil {
		return []error{err}
	}
	problems := v.original(&original)
	if paraphrase != nil {
		if err := v.reworded(row, &original, paraphrase); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

func (v *Verifier) original(row *dataset.Row) []error {
	if strings.Contains(row.Meta, `"author":`) {
		var m Meta
		if err := json.Unmarshal([]byte(row.Meta), &m); err != nil {
			return []error{fmt.Errorf("meta: %w", err)}
		}
		if m.Author != nil {
			return v.authored(row, &m)
		}
	}
	if row.Stage == 1 {
		return v.conceptRow(row)
	}
	if row.Stage == 3 {
		return v.graphRow(row)
	}
	if row.Stage != 2 {
		return []error{fmt.Errorf("stage %d cannot be proven by this version, want 2", row.Stage)}
	}
	r, err := v.read(row)
	if err != nil {
		return []error{err}
	}
	return append(r.compare(), r.answers(row)...)
}

// answers asks the oracle about every answer of the row.
func (r *reading) answers(row *dataset.Row) []error {
	problems := r.positive(row)
	for i := range row.Negatives {
		if err := r.negative(row, &row.Negatives[i]); err != nil {
			problems = append(problems, fmt.Errorf("negative %d: %w", i, err))
		}
	}
	return problems
}

// reading is what the texts of a row say.
type reading struct {
	variant   *sop.Variant
	scenario  *sop.Scenario
	history   []string
	machine   *sop.Machine
	reference *Reference
	meta      Meta
	next      bool
}

func (v *Verifier) read(row *dataset.Row) (*reading, error) {
	r := &reading{next: row.View == dataset.ViewNextAction}
	var err error
	if r.reference, err = ParseReference([]byte(row.Reference)); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(row.Meta), &r.meta); err != nil {
		return nil, fmt.Errorf("meta: %w", err)
	}
	domain := v.lexicon[row.Domain]
	if domain == nil {
		return nil, fmt.Errorf("domain %q is not in the manifest's lexicon", row.Domain)
	}
	parts := strings.Split(row.Context, ContextBreak)
	if want := 2 + boolOrder(r.next); len(parts) != want {
		return nil, fmt.Errorf("context has %d parts, want %d: the SOP and the case", len(parts), want)
	}
	sopText, err := text.ReadSOP(parts[0])
	if err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	base := map[string]string{}
	for from, to := range r.meta.Names {
		base[to] = from
	}
	if r.variant, err = domain.Reword(sopText.Graph, sopText.Comparisons, base); err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	if r.machine, err = sop.Compile(&r.variant.Graph); err != nil {
		return nil, fmt.Errorf("context: %w", err)
	}
	if !r.next {
		if r.scenario, err = text.ReadScenario(parts[1], r.variant); err != nil {
			return nil, fmt.Errorf("case: %w", err)
		}
		return r, nil
	}
	// The case of a next action hides what is not yet known; what it says has
	// to agree with the reference, whose facts then stand for the rest.
	if r.history, err = text.ReadHistory(parts[2], r.variant); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	known, err := text.ReadKnown(parts[1]+ContextBreak+parts[2], r.variant)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	after := r.machine.Known(r.reference.Facts, r.history)
	for c, fact := range known {
		if after[c] != fact {
			return nil, fmt.Errorf("the text says %s is %v, the reference %v", c, fact, after[c])
		}
	}
	r.scenario = &sop.Scenario{Facts: r.reference.Facts, Values: r.reference.Values, Bindings: r.reference.Bindings}
	return r, nil
}

// compare holds what was read against the reference.
func (r *reading) compare() []error {
	var problems []error
	if err := text.SameMeaning(&r.variant.Graph, r.reference.Graph()); err != nil {
		problems = append(problems, fmt.Errorf("the SOP's text and the reference differ: %w", err))
	}
	if !reflect.DeepEqual(r.scenario.Facts, r.reference.Facts) {
		problems = append(problems, fmt.Errorf("the case's text and the reference differ in facts: %v, want %v", r.scenario.Facts, r.reference.Facts))
	}
	if !reflect.DeepEqual(r.scenario.Values, r.reference.Values) {
		problems = append(problems, fmt.Errorf("the case's text and the reference differ in values: %v, want %v", r.scenario.Values, r.reference.Values))
	}
	if got, want := encode(r.scenario.Bindings), encode(r.reference.Bindings); got != want {
		problems = append(problems, fmt.Errorf("the case's text and the reference differ in bindings: %s, want %s", got, want))
	}
	if !slices.Equal(r.history, r.reference.History) {
		problems = append(problems, fmt.Errorf("the text's history is %v, the reference's %v", r.history, r.reference.History))
	}
	if !r.reference.Graph().Consistent(r.reference.Facts) {
		problems = append(problems, fmt.Errorf("the facts are not consistent with depends_on and excludes"))
	}
	return problems
}

// answer reads an answer from its text and compares it with its payload.
func (r *reading) answer(a dataset.Answer) (sop.Workflow, error) {
	if r.next {
		item, err := text.ReadNext(r.meta.Format, a.Text, r.readable(a), r.reference.Bindings)
		if err != nil {
			return nil, err
		}
		var p nextPayload
		if err := json.Unmarshal([]byte(a.Payload), &p); err != nil {
			return nil, fmt.Errorf("payload: %w", err)
		}
		if p.Next != item {
			return nil, fmt.Errorf("the text says %q, the payload %q", item, p.Next)
		}
		return sop.Workflow{item}, nil
	}
	w, err := text.ReadWorkflow(r.meta.Format, a.Text)
	if err != nil {
		return nil, err
	}
	var p struct{ Workflow sop.Workflow }
	if err := json.Unmarshal([]byte(a.Payload), &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	if !slices.Equal(p.Workflow, w) {
		return nil, fmt.Errorf("the text says %v, the payload %v", w, p.Workflow)
	}
	return w, nil
}

// readable adds a call from outside, whose parameters no reference lists, as
// its payload gives it.
func (r *reading) readable(a dataset.Answer) map[string]map[string]string {
	var p nextPayload
	if json.Unmarshal([]byte(a.Payload), &p) != nil || r.reference.Parameters[p.Next] != nil || p.Next == sop.Deny {
		return r.reference.Parameters
	}
	calls := map[string]map[string]string{p.Next: {}}
	for name, args := range r.reference.Parameters {
		calls[name] = args
	}
	for parameter := range p.Arguments {
		calls[p.Next][parameter] = parameter
	}
	return calls
}

func (r *reading) violations(w sop.Workflow) []sop.Violation {
	if r.next {
		return nextViolations(r.machine, r.scenario.Facts, r.history, w[0])
	}
	return r.machine.Check(r.scenario.Facts, w)
}

func (r *reading) positive(row *dataset.Row) []error {
	w, err := r.answer(row.Positive)
	if err != nil {
		return []error{fmt.Errorf("positive: %w", err)}
	}
	var problems []error
	for _, v := range r.violations(w) {
		problems = append(problems, fmt.Errorf("positive: %s at position %d (%s)", v.Kind, v.Position, v.Call))
	}
	return problems
}

func (r *reading) negative(row *dataset.Row, n *dataset.Negative) error {
	w, err := r.answer(dataset.Answer{Text: n.Text, Payload: n.Payload})
	if err != nil {
		return err
	}
	found := r.violations(w)
	if len(found) == 0 {
		return fmt.Errorf("%v is a right answer", w)
	}
	var p Proof
	if err := json.Unmarshal([]byte(n.Proof), &p); err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	first := found[0]
	fault := slices.ContainsFunc(found, func(v sop.Violation) bool { return v.Kind.Fault() })
	switch {
	case string(first.Kind) != n.Violation || first.Kind != p.Kind || first.Position != p.Position:
		return fmt.Errorf("%v has %s at %d, recorded is %s at %d", w, first.Kind, first.Position, n.Violation, p.Position)
	case first.Kind.Fault() == p.Waste:
		return fmt.Errorf("%v has %s first, recorded is waste %v", w, first.Kind, p.Waste)
	case !fault && n.Operator != string(augment.Insert):
		return fmt.Errorf("%v is only wasteful (%s), which an insertion alone may rest on", w, first.Kind)
	}
	return nil
}
