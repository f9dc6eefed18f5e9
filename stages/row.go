package stages

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// GeneratorVersion is written on every row: a change of what is drawn or how
// it is worded raises it.
const GeneratorVersion = "1"

// Meta is what is needed to make a row again, and to read its texts: the JSON
// of a row's meta column.
type Meta struct {
	Generator  string             `json:"generator"`
	Seed       uint64             `json:"seed"`
	Job        string             `json:"job"`
	Unit       string             `json:"unit"`    // how the context was drawn: fact, world, rule, order, threshold, case, single, exchange
	Centred    bool               `json:"centred"` // built around a negative
	Style      string             `json:"style"`
	Scenario   string             `json:"scenario_style"`
	Format     string             `json:"format"`
	Query      text.QueryID       `json:"query"`
	Rules      []*sop.Tree        `json:"rules"`              // of the variant, under the domain's names
	Borrowed   []*sop.Tree        `json:"borrowed,omitempty"` // those of the rules that are another procedure's
	Thresholds map[string]float64 `json:"thresholds"`         // those not named have their default
	Names      map[string]string  `json:"names"`              // the domain's name -> the variant's
	Glossary   map[string]string  `json:"glossary,omitempty"` // of a context of definitions: each term -> the term whose meaning it has there
	Executed   bool               `json:"executed,omitempty"` // the scenario is of a running domain
	Source     string             `json:"source"`             // sha256 of the source task, where the scenario is one

	Paraphrase *Paraphrase `json:"paraphrase,omitempty"`
	Author     *Authorship `json:"author,omitempty"` // of a row that a model has written
}

// Proof says why a negative is wrong: the JSON of a negative's proof.
type Proof struct {
	sop.Violation
	// Waste is true where the first violation, which is the one told, is needlessness.
	Waste bool `json:"waste,omitempty"`
	// DeadEnd is true where the item itself is no fault, but no way leads on
	// to an end without one.
	DeadEnd bool     `json:"dead_end,omitempty"`
	Edits   []string `json:"edits"` // what was done, in order
}

// draft is a row whose meta is still open.
type draft struct {
	row  dataset.Row
	meta Meta
}

// style is how the texts of one unit are written: the same on both sides, so
// that they differ in what they say alone.
type style struct {
	sop       text.Style
	scenario  string
	workflow  string // answer format
	next      string
	seed      uint64 // of all choices of words
	document  uint64 // of those of the SOP's text
	querySeed uint64
}

func (w *worker) style() style {
	pick := func(list []string) string { return list[w.rng.IntN(len(list))] }
	return style{
		sop: text.Styles[w.rng.IntN(len(text.Styles))], scenario: pick(text.ScenarioStyles),
		workflow: pick(text.WorkflowFormats), next: pick(text.NextFormats),
		seed: w.rng.Uint64(), querySeed: w.rng.Uint64(),
	}
}

// styleOf is a style in which all contexts of a variant and of its neighbours
// have one document each, as an organisation has.
func (w *worker) styleOf(u *unit) style {
	st := w.style()
	rng := newRand(w.opts.Seed, "document", w.Domain.Name, w.Procedure.Goal, u.variant)
	st.sop, st.document = text.Styles[rng.IntN(len(text.Styles))], rng.Uint64()
	return st
}

// document is the SOP's text.
func (c *cell) document(st style) string {
	key := documentKey{st.sop, st.document}
	if c.documents == nil {
		c.documents = map[documentKey]string{}
	}
	doc, ok := c.documents[key]
	if !ok {
		doc = text.RenderSOP(st.sop, c.V, rand.New(rand.NewPCG(st.document, 0)))
		c.documents[key] = doc
	}
	return doc
}

type documentKey struct {
	style text.Style
	seed  uint64
}

func (s style) rand(salt uint64) *rand.Rand { return rand.New(rand.NewPCG(s.seed, salt)) }

// ContextBreak separates the SOP from the case in a context.
const ContextBreak = "\n\n---\n\n"

func (w *worker) draft(s *side, view string, st style) *draft {
	split := w.Split
	if split == "" {
		split = scenarioSplit(w.opts.Seed, w.Domain, w.Procedure.Goal, s.baseFacts())
	}
	d := &draft{
		row: dataset.Row{Stage: 2, Task: "sequence", View: view, Domain: w.Domain.Name, Procedure: w.Procedure.Goal, Split: split},
		meta: Meta{
			Generator: GeneratorVersion, Seed: w.opts.Seed, Style: string(st.sop), Scenario: st.scenario,
			Rules: s.choice.Rules, Thresholds: s.choice.Thresholds, Names: s.choice.Names,
		},
	}
	d.meta.Borrowed = w.borrowedOf(s.cell)
	if d.meta.Thresholds == nil {
		d.meta.Thresholds = map[string]float64{}
	}
	if d.meta.Names == nil {
		d.meta.Names = map[string]string{}
	}
	d.meta.Source = s.source
	d.meta.Executed = s.scenario.Results != nil
	return d
}

// baseFacts writes the facts under the domain's own names.
func (s *side) baseFacts() string {
	var lines []string
	for c, fact := range s.scenario.Facts {
		line := s.baseName(c)
		if !fact {
			line = "not " + line
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return strings.Join(lines, ";")
}

// borrowedOf is those of a variant's rules that are other procedures'.
func (w *worker) borrowedOf(c *cell) (borrowed []*sop.Tree) {
	for _, rule := range c.recipe.rules {
		if slices.Contains(w.foreign, rule) {
			borrowed = append(borrowed, rule)
		}
	}
	return borrowed
}

// task asks in a view about something in the variant.
func (c *cell) task(view, about string) task {
	return task{view + "\x00" + c.key + "\x00" + about, c.alias}
}

// about tells the scenario, but for what its request fills in, and what is done
// in it.
func (s *side) about(items ...string) string {
	if s.conditions == nil {
		s.conditions = slices.SortedFunc(maps.Keys(s.V.EstablishedBy), func(a, b string) int { return strings.Compare(s.baseName(a), s.baseName(b)) })
	}
	var b []byte
	for _, c := range s.conditions {
		b = strconv.AppendBool(b, s.scenario.Facts[c])
	}
	for _, name := range sortedKeys(s.scenario.Values) {
		b = strconv.AppendFloat(append(append(b, ' '), name...), s.scenario.Values[name], 'g', -1, 64)
	}
	for _, item := range items {
		b = append(append(b, ' '), s.baseName(item)...)
	}
	return string(b)
}

func (w *worker) workflowRow(s *side, negatives []wrong, st style) *draft {
	d := w.draft(s, dataset.ViewWorkflow, st)
	d.row.Context = s.document(st) + ContextBreak + text.RenderScenario(st.scenario, s.V, s.scenario, st.rand(2))
	d.row.Query, d.meta.Query = text.Query(text.WorkflowView, st.workflow, d.row.Split, rand.New(rand.NewPCG(st.querySeed, 0)))
	d.meta.Format = st.workflow
	answer := func(w sop.Workflow) dataset.Answer {
		return dataset.Answer{Text: text.RenderWorkflow(st.workflow, w, st.rand(3)), Payload: encode(map[string]any{"workflow": w})}
	}
	d.row.Positive = answer(s.positive)
	for _, n := range negatives {
		a := answer(n.workflow)
		d.row.Negatives = append(d.row.Negatives, dataset.Negative{
			Text: a.Text, Payload: a.Payload, Operator: string(n.operator), Violation: string(n.violation.Kind),
			Proof: encode(n.proof()), Similarity: dataset.ItemSimilarity(s.positive, n.workflow),
		})
	}
	d.row.Reference = s.reference(s.scenario, nil)
	return d
}

func (n *wrong) proof() Proof {
	return Proof{Violation: n.violation, Waste: n.waste, Edits: n.edits}
}

// nextPayload is the item, and its arguments as the scenario binds them.
type nextPayload struct {
	Next      string         `json:"next"`
	Arguments map[string]any `json:"arguments"`
}

func (w *worker) nextRow(m *moment, negatives []wrong, st style) *draft {
	d := w.draft(m.side, dataset.ViewNextAction, st)
	calls, bindings := w.callable(m, negatives), m.scenario.Bindings
	d.row.Context = m.document(st) + ContextBreak +
		text.RenderRequest(st.scenario, m.V, m.scenario, st.rand(2)) + ContextBreak +
		text.RenderHistory(m.V, m.scenario, m.history, st.rand(4))
	d.row.Query, d.meta.Query = text.Query(text.NextView, st.next, d.row.Split, rand.New(rand.NewPCG(st.querySeed, 0)))
	d.meta.Format = st.next
	answer := func(item string) dataset.Answer {
		p := nextPayload{Next: item, Arguments: map[string]any{}}
		for parameter, source := range calls[item] {
			if x, bound := bindings[source]; bound {
				p.Arguments[parameter] = x
			}
		}
		return dataset.Answer{Text: text.RenderNext(st.next, item, calls, bindings, st.rand(3)), Payload: encode(p)}
	}
	d.row.Positive = answer(m.next)
	right := dataset.Items(d.row.Positive.Payload)
	for _, n := range negatives {
		item := n.workflow[0]
		a := answer(item)
		p := n.proof()
		p.DeadEnd = n.violation.Kind == sop.Order && len(n.violation.Missing) == 0
		d.row.Negatives = append(d.row.Negatives, dataset.Negative{
			Text: a.Text, Payload: a.Payload, Operator: string(n.operator), Violation: string(n.violation.Kind),
			Proof: encode(p), Similarity: dataset.ItemSimilarity(right, dataset.Items(a.Payload)),
		})
	}
	d.row.Reference = m.reference(m.scenario, m.history)
	return d
}

// callable is the arguments of the calls that the answers name: those of a call
// from outside as far as the scenario binds them.
func (w *worker) callable(m *moment, negatives []wrong) map[string]map[string]string {
	calls := map[string]map[string]string{}
	name := func(item string) {
		if use := m.V.Calls[item]; use != nil {
			calls[item] = use.Args
		} else if a := w.Domain.Actions[m.baseName(item)]; a != nil {
			args := map[string]string{}
			for _, p := range a.Parameters {
				if _, bound := m.scenario.Bindings[p]; bound {
					args[p] = p
				}
			}
			calls[item] = args
		}
	}
	name(m.next)
	for _, n := range negatives {
		name(n.workflow[0])
	}
	return calls
}
