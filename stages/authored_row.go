package stages

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Sequence makes a row of stage 2 out of the model's steps, in the order in
// which it gives them, and out of other orders, which it calls wrong: what the
// oracle, by the model's own dependencies, finds wrong. Nil where nothing is
// left.
func (a *Authored) Sequence(steps []ProposedStep, wrong [][]string, counts Counted) *dataset.Row {
	const name = "sequence"
	g, quotes, refused := a.graph(steps, nil)
	if refused != "" {
		counts.add(name, refused)
		return nil
	}
	m, err := sop.Compile(g)
	if err != nil {
		counts.add(name, RefusedTooLarge)
		return nil
	}
	facts := allTrue(g)
	var positive sop.Workflow
	for _, s := range steps {
		positive = append(positive, s.Name)
	}
	positive = append(positive, Finish)
	if len(m.Check(facts, positive)) > 0 {
		counts.add(name, string(sop.Order))
		return nil
	}
	row, meta, rng := a.row(2, name, dataset.ViewWorkflow, text.WorkflowView, text.WorkflowFormats, quotes)
	row.Context = a.context(steps, nil)
	row.Split = dataset.Unreviewed
	answer := func(w sop.Workflow) dataset.Answer {
		return dataset.Answer{Text: text.RenderWorkflow(meta.Format, w, rng), Payload: encode(map[string]any{"workflow": w})}
	}
	row.Positive = answer(positive)
	seen := map[string]bool{augment.Key(positive): true}
	for _, list := range wrong {
		w := sop.Workflow(slices.Clone(list))
		if len(w) == 0 || w[len(w)-1] != Finish {
			w = append(w, Finish)
		}
		n, refused := authoredWrong(m, facts, positive, w)
		if seen[augment.Key(w)] {
			refused = RefusedTwice
		}
		seen[augment.Key(w)] = true
		counts.add(name+Wrong, refused)
		if refused != "" {
			continue
		}
		text := answer(w)
		row.Negatives = append(row.Negatives, dataset.Negative{Text: text.Text, Payload: text.Payload, Operator: string(n.operator),
			Violation: string(n.violation.Kind), Proof: encode(n.proof()), Similarity: dataset.ItemSimilarity(positive, w)})
	}
	return a.done(row, meta, g, facts, counts, name)
}

// authoredWrong asks the oracle about a workflow, and names the operator that
// leads to it.
func authoredWrong(m *sop.Machine, facts map[string]bool, positive, w sop.Workflow) (wrong, string) {
	for _, item := range w {
		if !sop.IsIdentifier(item) {
			return wrong{}, RefusedName
		}
	}
	found := m.Check(facts, w)
	if len(found) == 0 {
		return wrong{}, RefusedRight
	}
	n := wrong{workflow: w, operator: between(positive, w), violation: found[0], waste: !found[0].Kind.Fault(), edits: []string{"proposed"}}
	fault := slices.ContainsFunc(found, func(v sop.Violation) bool { return v.Kind.Fault() })
	if !fault && n.operator != augment.Insert {
		return wrong{}, RefusedWasteful
	}
	return n, ""
}

// Graph makes a row of stage 3: the model's reading as an action graph, and
// the graphs to which its edits lead, as far as the oracle tells that they are
// wrong. Nil where nothing is left.
func (a *Authored) Graph(steps []ProposedStep, conditions []ProposedCondition, edits []ProposedEdit, counts Counted) *dataset.Row {
	const name = "graph"
	g, quotes, refused := a.graph(steps, conditions)
	if refused != "" {
		counts.add(name, refused)
		return nil
	}
	differ, err := sop.NewDiffer(g)
	if err != nil {
		counts.add(name, RefusedTooLarge)
		return nil
	}
	row, meta, rng := a.row(3, name, dataset.ViewGraph, text.GraphView, text.GraphFormats, quotes)
	row.Context = a.context(steps, conditions)
	row.Split = dataset.Unreviewed
	answer := func(g *sop.Graph) dataset.Answer {
		return dataset.Answer{Text: text.RenderGraph(meta.Format, g, rng), Payload: encode(payloadOf(g))}
	}
	row.Positive = answer(g)
	seen := map[string]bool{g.Key(): true}
	for _, e := range edits {
		h, operator, refused := applied(g, conditions, e)
		if refused == "" && seen[h.Key()] {
			refused = RefusedTwice
			if h.Key() == g.Key() {
				refused = RefusedRight
			}
		}
		var difference *sop.Difference
		if refused == "" {
			seen[h.Key()] = true
			switch difference, err = differ.Diff(h); {
			case err != nil:
				refused = RefusedUndecided
			case difference == nil:
				refused = RefusedRight
			case !differ.Stands(h, difference):
				refused = RefusedUndecided
			}
		}
		counts.add(name+Wrong, refused)
		if refused != "" {
			continue
		}
		if difference.Cycle != nil {
			operator = augment.Cycle
		}
		n := wrongGraph{graph: h, operator: operator, edits: []string{"proposed"}, difference: difference}
		violation, proof := n.proof(differ)
		text := answer(h)
		row.Negatives = append(row.Negatives, dataset.Negative{Text: text.Text, Payload: text.Payload, Operator: string(operator),
			Violation: violation, Proof: encode(proof), Similarity: dataset.Similarity(row.Positive.Payload, text.Payload)})
	}
	return a.done(row, meta, g, allTrue(g), counts, name)
}

// applied makes the edit.
func applied(g *sop.Graph, conditions []ProposedCondition, e ProposedEdit) (*sop.Graph, augment.Operator, string) {
	rule, known := g.Requires[e.Step]
	if !known || len(e.Add)+len(e.Drop) == 0 {
		return nil, "", RefusedUnknown
	}
	needs, operator := rule.Names(), augment.Precondition
	for _, name := range slices.Concat(e.Add, e.Drop) {
		if g.EstablishedBy[name] == nil {
			return nil, "", RefusedUnknown
		}
		if !slices.ContainsFunc(conditions, func(c ProposedCondition) bool { return c.Name == name }) {
			operator = augment.Edge
		}
	}
	needs = slices.DeleteFunc(append(slices.Clone(needs), e.Add...), func(n string) bool { return slices.Contains(e.Drop, n) })
	h := *g
	h.Requires = maps.Clone(g.Requires)
	h.Requires[e.Step] = allOf(needs)
	return g.Restate(h.Requires, h.EstablishedBy), operator, ""
}

// Concepts makes rows of stage 1. That a distractor is wrong is the model's
// word alone, so that the rows are unproven; what can be told to be amiss is
// dropped.
func (a *Authored) Concepts(terms []ProposedTerm, counts Counted) []*dataset.Row {
	const name = "concept"
	var rows []*dataset.Row
	fold := func(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
	asked := map[string]bool{}
	for i, t := range terms {
		refused := ""
		switch {
		case strings.ContainsAny(t.Term+t.Definition, "“”\n") || strings.TrimSpace(t.Definition) == "" || strings.TrimSpace(t.Term) != t.Term:
			refused = RefusedDefined
		case asked[fold(t.Term)]:
			refused = RefusedTwice
		case !Quotes(a.Text, t.Quote):
			refused = RefusedQuote
		case !Quotes(fold(a.Text), fold(t.Term)):
			refused = RefusedTerm
		case strings.Contains(fold(t.Definition), fold(t.Term)):
			refused = RefusedGivesAway
		}
		if refused != "" {
			counts.add(name, refused)
			continue
		}
		asked[fold(t.Term)] = true
		row, meta, rng := a.row(1, name, dataset.ViewDefinition, text.DefinitionView, text.TermFormats, []string{t.Quote})
		row.Split, row.Context = dataset.Unproven, a.Text
		q := text.Concept{View: text.DefinitionView, Kind: "meaning", Phrase: t.Definition, Format: meta.Format}
		row.Query, meta.Query = text.ConceptQuery(q, row.Split, rng)
		answer := func(term string) dataset.Answer {
			return dataset.Answer{Text: text.RenderTerm(meta.Format, term, rng), Payload: encode(termPayload{term})}
		}
		row.Positive = answer(t.Term)
		seen := map[string]bool{}
		for _, d := range t.Distractors {
			refused := ""
			switch {
			case strings.TrimSpace(d) == "" || strings.ContainsAny(d, "“”\n") || !Quotes(fold(a.Text), fold(d)):
				refused = RefusedTerm
			case fold(d) == fold(t.Term) || slices.ContainsFunc(t.Synonyms, func(s string) bool { return fold(s) == fold(d) }):
				refused = RefusedSynonym
			case seen[fold(d)]:
				refused = RefusedTwice
			}
			seen[fold(d)] = true
			counts.add(name+Wrong, refused)
			if refused == "" {
				n := answer(d)
				row.Negatives = append(row.Negatives, dataset.Negative{Text: n.Text, Payload: n.Payload, Operator: string(augment.Substitute),
					Proof: "{}", Similarity: text.Similarity(t.Term, d)})
			}
		}
		if t.Synonyms == nil {
			t.Synonyms = []string{}
		}
		row.Reference = encode(ConceptReference{Relation: conceptRelations[text.DefinitionView], Subject: t.Term, Answers: []string{t.Term},
			Synonyms: t.Synonyms, Source: fmt.Sprintf("document:%s/%d", a.Document, i)})
		if row = a.finished(row, meta, counts, name); row != nil {
			rows = append(rows, row)
		}
	}
	return rows
}

// row begins a row, with the choices that follow from the seed.
func (a *Authored) row(stage int, task, view, asked string, formats []string, quotes []string) (*dataset.Row, *Meta, *rand.Rand) {
	rng := newRand(a.Seed, "author", stage, a.Document, a.Part)
	meta := &Meta{
		Generator: GeneratorVersion, Seed: a.Seed, Job: fmt.Sprintf("s%d-%s-%d", stage, a.Domain, a.Part), Unit: "authored",
		Format: formats[rng.IntN(len(formats))], Rules: []*sop.Tree{}, Thresholds: map[string]float64{}, Names: map[string]string{},
		Author: &Authorship{a.By, a.Document, quotes},
	}
	row := &dataset.Row{Stage: stage, Task: task, View: view, Domain: a.Domain, Procedure: a.Domain}
	row.Query, meta.Query = text.Query(asked, meta.Format, dataset.Train, rng)
	return row, meta, rng
}

// context is the document and the names to be used, in an order that tells
// nothing.
func (a *Authored) context(steps []ProposedStep, conditions []ProposedCondition) string {
	var lines []string
	line := func(name, words string) {
		lines = append(lines, "- `"+name+"`: "+strings.Join(strings.Fields(words), " "))
	}
	for _, s := range steps {
		line(s.Name, s.Text)
	}
	slices.Sort(lines)
	out := a.Text + ContextBreak + "The calls are:\n" + strings.Join(lines, "\n") + "\n- `" + Finish + "`: the end, when all is done\n"
	if lines = nil; len(conditions) > 0 {
		for _, c := range conditions {
			line(c.Name, c.Text)
		}
		slices.Sort(lines)
		out += "\nThe conditions are:\n" + strings.Join(lines, "\n") + "\n"
	}
	return out
}

// done completes a row that the oracle has proven by the model's reading.
func (a *Authored) done(row *dataset.Row, meta *Meta, g *sop.Graph, facts map[string]bool, counts Counted, name string) *dataset.Row {
	parameters := map[string]map[string]string{}
	for call := range g.Requires {
		parameters[call] = map[string]string{}
	}
	row.Reference = encode(Reference{
		Requires: g.Requires, EstablishedBy: g.EstablishedBy, DependsOn: g.DependsOn, Excludes: g.Excludes, Effects: g.Effects,
		Facts: facts, Values: map[string]float64{}, Outcomes: g.Outcomes, Goal: g.Goal, History: []string{}, Bindings: map[string]any{},
		Parameters: parameters,
	})
	return a.finished(row, meta, counts, name)
}

func (a *Authored) finished(row *dataset.Row, meta *Meta, counts Counted, name string) *dataset.Row {
	if len(row.Negatives) == 0 {
		counts.add(name, RefusedNone)
		return nil
	}
	counts.add(name, "")
	row.Meta = encode(meta)
	row.ID = fmt.Sprintf("s%d-%s-%s", row.Stage, a.Domain, digest(row.Context, row.Query, row.Positive.Payload))
	return row
}

func allTrue(g *sop.Graph) map[string]bool {
	facts := map[string]bool{}
	for c := range g.EstablishedBy {
		facts[c] = true
	}
	return facts
}

// authored proves a row of stage 2 or 3 that a model has written, by the
// reading in its reference: the quotes stand in the document, and the oracle
// says of every answer what is recorded.
func (v *Verifier) authored(row *dataset.Row, meta *Meta) []error {
	if row.Stage == 1 {
		return []error{fmt.Errorf("a row of stage 1 that a model has written is not proven, want it in the split %s", dataset.Unproven)}
	}
	ref, err := ParseReference([]byte(row.Reference))
	if err != nil {
		return []error{err}
	}
	var problems []error
	document, _, _ := strings.Cut(row.Context, ContextBreak)
	for _, q := range meta.Author.Quotes {
		if !Quotes(row.Context, q) {
			problems = append(problems, fmt.Errorf("the quote %q does not stand in the document, which begins %.40q", q, document))
		}
	}
	if row.Stage == 3 {
		g := graphReading{format: meta.Format, right: ref.Graph().Canonical(), seen: map[string]int{}, anyCase: true}
		if g.differ, err = sop.NewDiffer(g.right); err != nil {
			return append(problems, err)
		}
		return append(problems, g.answers(row)...)
	}
	r := &reading{reference: ref, meta: *meta, scenario: &sop.Scenario{Facts: ref.Facts}}
	if r.machine, err = sop.Compile(ref.Graph()); err != nil {
		return append(problems, err)
	}
	return append(problems, r.answers(row)...)
}
