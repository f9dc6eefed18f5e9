package stages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

func conceptRows(t *testing.T, o stages.Options, corpora ...*corpus.Corpus) (string, []dataset.Row) {
	t.Helper()
	o.Stages = []int{1}
	dir := conceptDir(t, o, corpora...)
	r, err := dataset.Open(dir)
	require.NoError(t, err)
	var rows []dataset.Row
	for _, f := range []string{"train_1.jsonl.zst", "validation.jsonl.zst", "test.jsonl.zst"} {
		for row, err := range r.Rows(f) {
			require.NoError(t, err)
			rows = append(rows, row)
		}
	}
	return dir, rows
}

func conceptDir(t *testing.T, o stages.Options, corpora ...*corpus.Corpus) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	p, err := stages.NewPlan(o, corpora)
	require.NoError(t, err)
	_, err = p.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: 2})
	require.NoError(t, err)
	return dir
}

func referenceOf(t *testing.T, row dataset.Row) stages.ConceptReference {
	t.Helper()
	r, err := stages.ParseConceptReference([]byte(row.Reference))
	require.NoError(t, err)
	return *r
}

func termOf(t *testing.T, payload string) string {
	t.Helper()
	var p struct{ Term string }
	require.NoError(t, json.Unmarshal([]byte(payload), &p))
	return p.Term
}

func unitOf(t *testing.T, row dataset.Row) string {
	t.Helper()
	var m stages.Meta
	require.NoError(t, json.Unmarshal([]byte(row.Meta), &m))
	return m.Unit
}

func TestEveryConceptRowIsProvenFromItsText(t *testing.T) {
	for _, split := range dataset.Units {
		dir, rows := conceptRows(t, stages.Options{Groups: 500, SplitBy: split, Seed: 3}, load(t, "bank", "healthcare")...)
		report := dataset.CheckFolder(dir)
		require.True(t, report.OK(), "%v", report.Problems)
		v := verifier(t, dir)
		views := map[string]int{}
		splits := map[string]string{} // of the subject of a row over a glossary
		for _, row := range rows {
			require.Empty(t, v.Row(&row), row.ID)
			views[row.View]++
			if r := referenceOf(t, row); strings.HasPrefix(r.Source, "glossary:") && split != dataset.UnitDomain {
				if was, ok := splits[r.Source]; ok {
					require.Equal(t, was, row.Split, "%s is asked about in two splits", r.Source)
				}
				splits[r.Source] = row.Split
			}
		}
		require.Len(t, views, 5)
	}
}

// DESIGN §3: half of the items are asked under meanings that are not the
// authored ones; every candidate is right as often as any other; the negatives
// are declared confusables, of another type, or mean something else there.
func TestConceptBalances(t *testing.T) {
	_, rows := conceptRows(t, stages.Options{Groups: 6000, Seed: 5}, load(t, "bank", "healthcare")...)
	right := map[string]bool{}
	key := func(row dataset.Row, payload string) string { return row.Procedure + "/" + row.View + "/" + payload }
	for _, row := range rows {
		right[key(row, row.Positive.Payload)] = true
	}
	var exchanged, elsewhere, negatives, contradicting, longer, shorter int
	reasons := map[string]int{}
	for _, row := range rows {
		require.Len(t, row.Negatives, 4)
		r := referenceOf(t, row)
		if unitOf(t, row) == "exchanged" {
			exchanged++
			if !slices.Contains(r.Answers, r.Subject) {
				contradicting++
			}
		}
		for _, n := range row.Negatives {
			negatives++
			reasons[n.Violation]++
			if right[key(row, n.Payload)] {
				elsewhere++
			}
			switch d := len(n.Text) - len(row.Positive.Text); {
			case d > 0:
				longer++
			case d < 0:
				shorter++
			}
		}
	}
	require.InDelta(t, 0.5, float64(exchanged)/float64(len(rows)), 0.05, "share under exchanged meanings")
	require.Equal(t, exchanged, contradicting, "answers that the context turns around")
	require.GreaterOrEqual(t, float64(elsewhere)/float64(negatives), 0.8, "share of negatives that are right elsewhere")
	require.InDelta(t, 0.5, float64(longer)/float64(longer+shorter), 0.02, "share of negatives that are the longer ones")
	for _, reason := range []string{"confusable", "type", "context"} {
		require.Greater(t, reasons[reason], negatives/20, "negatives because of %s", reason)
	}
	require.Len(t, reasons, 3)
}

func TestConceptVerifierRefusesTamperedRows(t *testing.T) {
	dir, rows := conceptRows(t, stages.Options{Groups: 600, Seed: 1}, load(t, "bank")...)
	v := verifier(t, dir)
	find := func(view, unit, violation string) dataset.Row {
		i := slices.IndexFunc(rows, func(r dataset.Row) bool {
			return r.View == view && unitOf(t, r) == unit && r.Negatives[0].Violation == violation
		})
		require.GreaterOrEqual(t, i, 0, "%s, %s, %s", view, unit, violation)
		row := rows[i]
		row.Negatives = slices.Clone(row.Negatives)
		require.Empty(t, v.Row(&row))
		return row
	}
	swap := func(s, a, b string) string {
		return strings.NewReplacer(a, b, b, a).Replace(s)
	}
	for _, test := range []struct {
		name, view, unit, violation string
		tamper                      func(r *dataset.Row)
		want                        string
	}{
		{"positive and negative exchanged", "definition", "authored", "type", func(r *dataset.Row) {
			n := &r.Negatives[0]
			r.Positive.Text, n.Text = n.Text, r.Positive.Text
			r.Positive.Payload, n.Payload = n.Payload, r.Positive.Payload
		}, "is wrong by the context"},
		{"the text of the positive", "definition", "exchanged", "context", func(r *dataset.Row) { r.Positive.Text = r.Negatives[0].Text }, "the payload"},
		{"two definitions", "definition", "exchanged", "context", func(r *dataset.Row) {
			a, b := termOf(t, r.Positive.Payload), termOf(t, r.Negatives[0].Payload)
			r.Context = swap(r.Context, "**"+a+"**", "**"+b+"**")
		}, "the right answers are"},
		{"a definition's words", "application", "authored", "type", func(r *dataset.Row) { r.Context = strings.ReplaceAll(r.Context, "The ", "Some ") }, "nothing that domain bank knows"},
		{"the authored reason", "discrimination", "authored", "confusable", func(r *dataset.Row) {
			r.Negatives[0].Proof = strings.Replace(r.Negatives[0].Proof, `"not_because":"`, `"not_because":"Not `, 1)
		}, "in the lexicon"},
		{"the reason", "definition", "authored", "type", func(r *dataset.Row) {
			r.Negatives[0].Violation, r.Negatives[0].Proof = "confusable", strings.Replace(r.Negatives[0].Proof, `"type"`, `"confusable"`, 1)
		}, `"confusable" by the proof`},
		{"context in the place of a reason", "definition", "authored", "type", func(r *dataset.Row) {
			r.Negatives[0].Violation, r.Negatives[0].Proof = "context", strings.Replace(r.Negatives[0].Proof, `"type"`, `"context"`, 1)
		}, "the context alone does not prove it wrong"},
		{"the query", "application", "exchanged", "context", func(r *dataset.Row) { r.Query = "Which one? " + r.Query }, "none of stage 1"},
		{"the split", "definition", "authored", "type", func(r *dataset.Row) {
			r.Split = map[bool]string{true: dataset.Train, false: dataset.Test}[r.Split == dataset.Test]
		}, "is worded as"},
		{"the subject", "definition", "authored", "type", func(r *dataset.Row) {
			r.Reference = strings.Replace(r.Reference, `"subject":"`, `"subject":"no `, 1)
		}, "the reference about"},
		{"an identifier of the SOP", "condition_wording", "exchanged", "context", func(r *dataset.Row) {
			a, b := termOf(t, r.Positive.Payload), termOf(t, r.Negatives[0].Payload)
			r.Context = swap(r.Context, "`"+a+"`", "`"+b+"`")
		}, ""},
		{"the names", "tool_choice", "exchanged", "context", func(r *dataset.Row) {
			r.Meta = strings.Replace(r.Meta, `"names":{"`, `"names":{"no_`, 1)
		}, ""},
		{"what a call does", "tool_choice", "authored", "context", func(r *dataset.Row) {
			r.Negatives[0].Proof = strings.Replace(r.Negatives[0].Proof, `"means":"`, `"means":"not `, 1)
		}, "the context does not say"},
	} {
		t.Run(test.name, func(t *testing.T) {
			row := find(test.view, test.unit, test.violation)
			test.tamper(&row)
			require.Contains(t, fmt.Sprint(v.Row(&row)), test.want)
			require.NotEmpty(t, v.Row(&row))
		})
	}
}

// A ratio that few terms can serve drops groups and says so.
func TestConceptShortfall(t *testing.T) {
	bank := load(t, "bank")[0]
	domain := *bank.Domain
	domain.Glossary = domain.Glossary[:20]
	small := *bank
	small.Domain = &domain
	dir := conceptDir(t, stages.Options{Groups: 60, Stages: []int{1}, Ratio: []int{32, 4, 8}}, &small)
	m, err := dataset.ReadManifest(dir)
	require.NoError(t, err)
	require.NotZero(t, m.Drops[stages.DropNegatives]+m.Drops[stages.DropNoTerm])
	require.NotZero(t, m.Drops[stages.DropShortfall])
	require.Equal(t, 60, m.Counts.Stage["1"]+m.Drops[stages.DropShortfall])
}

// Views are even and most negatives are right elsewhere in a small folder too.
func TestConceptViewsOfASmallFolder(t *testing.T) {
	_, rows := conceptRows(t, stages.Options{Groups: 400, Seed: 2}, load(t, "bank", "healthcare")...)
	views := map[string]int{}
	right := map[string]bool{}
	key := func(row dataset.Row, payload string) string { return row.Procedure + "/" + row.View + "/" + payload }
	for _, row := range rows {
		views[row.View]++
		right[key(row, row.Positive.Payload)] = true
	}
	for view, n := range views {
		require.InDelta(t, 80, n, 25, view)
	}
	negatives, elsewhere := 0, 0
	for _, row := range rows {
		for _, n := range row.Negatives {
			negatives++
			if right[key(row, n.Payload)] {
				elsewhere++
			}
		}
	}
	require.GreaterOrEqual(t, float64(elsewhere)/float64(negatives), 0.7, "share of negatives that are right elsewhere")
}

// The groups of stage 1 go by what can be asked for, not by the calls of a
// procedure; every job says in which views.
func TestConceptQuotas(t *testing.T) {
	corpora := load(t, "bank", "healthcare")
	p, err := stages.NewPlan(stages.Options{Groups: 2000, Stages: []int{1}}, corpora)
	require.NoError(t, err)
	groups, views := map[string]int{}, map[string]int{}
	for _, j := range p.Jobs {
		groups[j.Procedure.Goal] += j.Groups
		sum := 0
		for view, n := range j.Views {
			views[view] += n
			sum += n
		}
		require.Equal(t, j.Groups, sum, j.Name())
	}
	require.Equal(t, 2000, views["definition"]+views["application"]+views["discrimination"]+views["condition_wording"]+views["tool_choice"])
	for view, n := range views {
		require.InDelta(t, 400, n, 20, view)
	}
	// One call, but many terms: a whole share.
	require.InDelta(t, groups["transfer_funds"], groups["get_account_balance"], 1)
}
