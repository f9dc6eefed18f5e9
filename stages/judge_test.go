package stages_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

// dressings are what models put around an answer.
var dressings = map[string]func(answer string) string{
	"newlines":   func(a string) string { return "\n" + a + "\n\n" },
	"Windows":    func(a string) string { return strings.ReplaceAll(a, "\n", "\r\n") + "\r\n" },
	"fence":      func(a string) string { return "```\n" + a + "\n```" },
	"json fence": func(a string) string { return "```json\n" + a + "\n```\n" },
	"reasoning": func(a string) string {
		return "<think>\nIt may be “another one”, or else {\"term\": \"none\"}. 1. `deny`\n</think>\n\n" + a
	},
	"fence in prose": func(a string) string { return "Here you are:\n\n```text\n" + a + "\n```\n\nI hope this helps." },
}

// chatter is prose around an answer.
var chatter = map[string]func(answer string) string{
	"prose before": func(a string) string { return "Sure! Here is the answer:\n\n" + a },
	"prose after": func(a string) string {
		return "Certainly. The answer follows.\n\n" + a + "\n\nThis is what the document says.\nLet me know if you need anything else!"
	},
}

// dressed is an answer in all dressings. Nothing sets the chain of a single
// call apart from prose.
func dressed(stage int, answer string) (texts []string) {
	all := maps.Clone(dressings)
	if stage != 2 || strings.ContainsAny(answer, " (`") {
		maps.Copy(all, chatter)
	}
	for _, dress := range all {
		texts = append(texts, dress(answer))
	}
	return texts
}

// inEveryFormat writes an answer anew from its payload.
func inEveryFormat(t *testing.T, row *dataset.Row, payload string) (texts []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	var p struct {
		Term          string
		Workflow      sop.Workflow
		Next          string
		Arguments     map[string]any
		Requires      map[string]*sop.Tree
		EstablishedBy map[string]*sop.Tree `json:"established_by"`
	}
	require.NoError(t, json.Unmarshal([]byte(payload), &p))
	switch row.View {
	case dataset.ViewWorkflow:
		for _, f := range text.WorkflowFormats {
			texts = append(texts, text.RenderWorkflow(f, p.Workflow, rng))
		}
	case dataset.ViewNextAction:
		var r stages.Reference
		require.NoError(t, json.Unmarshal([]byte(row.Reference), &r))
		if _, known := r.Parameters[p.Next]; !known && p.Next != sop.Deny {
			r.Parameters[p.Next], r.Bindings = map[string]string{}, p.Arguments // a call from outside
			for name := range p.Arguments {
				r.Parameters[p.Next][name] = name
			}
		}
		for _, f := range text.NextFormats {
			texts = append(texts, text.RenderNext(f, p.Next, r.Parameters, r.Bindings, rng))
		}
	case dataset.ViewGraph, dataset.ViewResidual:
		for _, f := range text.GraphFormats {
			texts = append(texts, text.RenderGraph(f, &sop.Graph{Requires: p.Requires, EstablishedBy: p.EstablishedBy}, rng))
		}
	default:
		for _, f := range text.TermFormats {
			texts = append(texts, text.RenderTerm(f, p.Term, rng))
		}
	}
	return texts
}

// threeStages makes so many groups a stage of all built-in domains.
func threeStages(t testing.TB, groups int, seed uint64) (rows []dataset.Row) {
	t.Helper()
	dir, rows := generate(t, stages.Options{Groups: groups, Seed: seed, Stages: []int{1, 2, 3}}, 2, load(t, corpus.Builtin()...)...)
	rows = slices.DeleteFunc(rows, func(r dataset.Row) bool { return r.Split == dataset.Train })
	for row, err := range dataset.ReadRows(filepath.Join(dir, "train_3.jsonl.zst")) {
		require.NoError(t, err)
		rows = append(rows, row)
	}
	return rows
}

// The reward is what verify proves: every right answer of a dataset is worth 1,
// no wrong one is, in whatever format it is written and however it is dressed.
func TestJudgeAgreesWithTheDataset(t *testing.T) {
	rows := threeStages(t, 200, 11)
	seen := map[string]int{}
	for _, row := range rows {
		seen[row.View]++
		seen[row.Domain]++
		judge := func(answer string) stages.Verdict {
			v, err := stages.Judge([]byte(row.Reference), row.View, answer)
			require.NoError(t, err, row.ID)
			return v
		}
		// forms is the answer in all formats, and in all dressings.
		forms := func(a dataset.Answer) []string {
			return slices.Concat([]string{a.Text}, inEveryFormat(t, &row, a.Payload), dressed(row.Stage, a.Text))
		}
		for _, answer := range forms(row.Positive) {
			v := judge(answer)
			require.True(t, v.Valid, "%s: %q: %+v", row.ID, answer, v)
			require.Equal(t, 1.0, v.Score)
		}
		for _, n := range row.Negatives {
			for _, answer := range forms(dataset.Answer{Text: n.Text, Payload: n.Payload}) {
				v := judge(answer)
				require.Empty(t, v.Unreadable, "%s: %q", row.ID, answer)
				require.False(t, v.Valid, "%s: %q", row.ID, answer)
				require.LessOrEqual(t, v.Score, 0.5)
				requireViolation(t, &row, &n, v.Violations)
			}
		}
	}
	for _, name := range slices.Concat(corpus.Builtin(), text.ConceptViews, []string{"workflow", "next_action", "graph", "residual"}) {
		require.Greater(t, seen[name], 10, "rows of %s", name)
	}
}

// requireViolation holds what is said of a negative against its row.
func requireViolation(t *testing.T, row *dataset.Row, n *dataset.Negative, found []stages.Violation) {
	t.Helper()
	require.NotEmpty(t, found, row.ID)
	switch first := found[0]; row.View {
	case dataset.ViewWorkflow:
		require.Equal(t, n.Violation, first.Kind, "%s: %q", row.ID, n.Text)
	case dataset.ViewGraph, dataset.ViewResidual:
		// A row may have a witness where a longer search finds that nothing permits
		// the goal.
		if n.Violation != stages.GraphWitness || first.Kind != stages.GraphUnsatisfiable {
			require.Equal(t, n.Violation, first.Kind, "%s: %q", row.ID, n.Text)
		}
		switch first.Kind {
		case stages.GraphCycle:
			require.NotEmpty(t, first.Cycle)
		case stages.GraphWitness:
			require.NotEmpty(t, first.Witness.Workflow)
			require.Contains(t, []string{stages.AcceptedByAnswer, stages.AcceptedByReference}, first.AcceptedBy)
		}
	case dataset.ViewNextAction:
	default:
		require.Equal(t, stages.WrongTerm, first.Kind)
	}
}

// BenchmarkJudge judges the right answers and the wrong ones of each stage; an
// operation is one answer.
func BenchmarkJudge(b *testing.B) {
	type question struct{ reference, view, answer string }
	questions := map[int][]question{}
	for _, row := range threeStages(b, 100, 1) {
		ask := func(answer string) {
			questions[row.Stage] = append(questions[row.Stage], question{row.Reference, row.View, answer})
		}
		ask(row.Positive.Text)
		for _, n := range row.Negatives {
			ask(n.Text)
		}
	}
	for stage := 1; stage <= 3; stage++ {
		b.Run(fmt.Sprintf("stage=%d", stage), func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				q := questions[stage][i%len(questions[stage])]
				if _, err := stages.Judge([]byte(q.reference), q.view, q.answer); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
