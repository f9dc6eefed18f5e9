package agents

import (
	"encoding/json"
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

// constructRows makes up to n answers of each operator and form out of rows of a
// dataset: what is right there, and what is proven wrong. Each is held against
// its row's reference as it is written. Procedures take turns. Rows of domains
// without a rubric are left out.
func constructRows(rows []dataset.Row, rubrics map[string]*rubric.Rubric, n int, seed uint64) []constructed {
	rows = slices.Clone(rows)
	rng := rngOf(seed, "rows")
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	inTurn(rows, func(r dataset.Row) string { return r.Domain + "/" + r.Procedure })
	var list []constructed
	count := map[string]int{}
	for i := range rows {
		row := &rows[i]
		r := rubrics[row.Domain]
		if r == nil {
			continue
		}
		q := rowQuestion(row, r)
		holds := func(said string) bool {
			v, err := stages.Judge([]byte(row.Reference), row.View, said)
			return err == nil && v.Valid
		}
		answers := []dataset.Negative{{Text: row.Positive.Text, Payload: row.Positive.Payload, Operator: rubric.OperatorReference}}
		taken := map[string]bool{}
		for _, a := range append(answers, row.Negatives...) {
			if taken[a.Operator] || count[a.Operator] == n {
				continue
			}
			right := a.Operator == rubric.OperatorReference
			prose, ok := rowProse(row, a.Payload, rng)
			if !ok || holds(a.Text) != right || holds(prose) != right {
				continue
			}
			taken[a.Operator] = true
			count[a.Operator]++
			list = append(list, constructed{q, a.Operator, asAsked, a.Text, right, holds}, constructed{q, a.Operator, inProse, prose, right, holds})
		}
	}
	return list
}

// rowQuestion is a row as a question for a judge: it tests the dimension of its
// stage that weighs most, or else the one that weighs most.
func rowQuestion(row *dataset.Row, r *rubric.Rubric) *rubric.Question {
	shape := rubric.ShapeOrder
	if row.Stage == 1 {
		shape = rubric.ShapeTerms
	}
	best := &r.Dimensions[0]
	for i := range r.Dimensions {
		d := &r.Dimensions[i]
		fits, fitted := slices.Contains(d.Covers.Shapes, shape), slices.Contains(best.Covers.Shapes, shape)
		if fits && !fitted || fits == fitted && d.Weight > best.Weight {
			best = d
		}
	}
	return &rubric.Question{ID: row.ID, Domain: row.Domain, Unit: row.Domain + "/" + row.Procedure, Procedure: row.Procedure, Dimensions: []string{best.Name},
		Context: row.Context, Query: row.Query, Reference: row.Positive.Text, Source: []string{row.ID}}
}

// rowProse writes a payload in the format that is nearest to prose; false where
// it cannot be read.
func rowProse(row *dataset.Row, payload string, rng *rand.Rand) (string, bool) {
	var p struct {
		Term          string
		Workflow      sop.Workflow
		Next          string
		Requires      map[string]*sop.Tree
		EstablishedBy map[string]*sop.Tree `json:"established_by"`
	}
	if json.Unmarshal([]byte(payload), &p) != nil {
		return "", false
	}
	switch row.View {
	case dataset.ViewWorkflow:
		return text.RenderWorkflow(inProse, p.Workflow, rng), true
	case dataset.ViewNextAction:
		r, err := stages.ParseReference([]byte(row.Reference))
		if err != nil {
			return "", false
		}
		return text.RenderNext("sentence", p.Next, r.Parameters, r.Bindings, rng), true
	case dataset.ViewGraph, dataset.ViewResidual:
		return text.RenderGraph("indented", &sop.Graph{Requires: p.Requires, EstablishedBy: p.EstablishedBy}, rng), true
	}
	return text.RenderTerm("sentence", p.Term, rng), true
}
