package stages

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

func graphCorpora(t testing.TB, names ...string) []*corpus.Corpus {
	t.Helper()
	var list []*corpus.Corpus
	for _, n := range names {
		c, err := corpus.Load(n)
		require.NoError(t, err)
		list = append(list, c)
	}
	return list
}

// generateGraphs makes a folder of stage 3 alone, and returns its rows.
func generateGraphs(t testing.TB, o Options, workers int, names ...string) (string, []dataset.Row) {
	t.Helper()
	if o.Stages == nil {
		o.Stages = []int{3}
	}
	p, err := NewPlan(o, graphCorpora(t, names...))
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "d")
	res, err := p.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: workers})
	require.NoError(t, err)
	require.Equal(t, res.Asked, res.Made, "groups asked for and made")
	r, err := dataset.Open(dir)
	require.NoError(t, err)
	var rows []dataset.Row
	for _, f := range []string{r.Largest(), "validation.jsonl.zst", "test.jsonl.zst"} {
		for row, err := range r.Rows(f) {
			require.NoError(t, err)
			rows = append(rows, row)
		}
	}
	return dir, rows
}

func graphVerifier(t *testing.T, dir string) *Verifier {
	t.Helper()
	m, err := dataset.ReadManifest(dir)
	require.NoError(t, err)
	v, err := NewVerifier(m.Lexicon)
	require.NoError(t, err)
	return v
}

func TestGraphsSameBytesForAnyNumberOfWorkers(t *testing.T) {
	first := map[string]string{}
	for _, workers := range []int{1, 2, 8} {
		dir, _ := generateGraphs(t, Options{Groups: 300, Seed: 7}, workers, "bank", "healthcare")
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			if want, ok := first[filepath.Base(f)]; ok {
				require.True(t, want == string(data), "%s differs with %d workers", filepath.Base(f), workers)
			} else {
				first[filepath.Base(f)] = string(data)
			}
		}
	}
}

func TestEveryGraphRowIsProvenFromItsText(t *testing.T) {
	for _, split := range dataset.Units {
		dir, rows := generateGraphs(t, Options{Groups: 400, SplitBy: split, Seed: 3}, 2, "bank", "healthcare")
		report := dataset.CheckFolder(dir)
		require.True(t, report.OK(), "%v", report.Problems)
		v := graphVerifier(t, dir)
		for _, row := range rows {
			require.Empty(t, v.Row(&row), row.ID)
		}
	}
}

// DESIGN §3: eight negatives, four operators, and most negatives but the
// circles right in another context.
func TestGraphBalances(t *testing.T) {
	_, rows := generateGraphs(t, Options{Groups: 1500, Seed: 5}, 2, "bank", "healthcare", "hotel")
	right := map[string]bool{}
	operators, violations, views := map[string]int{}, map[string]int{}, map[string]int{}
	for _, row := range rows {
		right[row.Procedure+row.Positive.Payload] = true
		views[row.View]++
	}
	elsewhere, all, first := 0, 0, 0
	for _, row := range rows {
		require.Len(t, row.Negatives, 8)
		longer := 0
		for _, n := range row.Negatives {
			operators[n.Operator]++
			violations[n.Violation]++
			require.Equal(t, n.Operator == string(augment.Cycle), n.Violation == GraphCycle, row.ID)
			if len(n.Text) > len(row.Positive.Text) {
				longer++
			}
			if n.Operator == string(augment.Cycle) {
				continue
			}
			all++
			if right[row.Procedure+n.Payload] {
				elsewhere++
			}
		}
		first += boolOrder(longer == 0)
	}
	require.GreaterOrEqual(t, float64(elsewhere)/float64(all), 0.8, "share of negatives without a circle that are right elsewhere")
	require.Less(t, float64(first)/float64(len(rows)), 0.2, "share of positives that are the longest, 1 in 9 by chance")
	for _, op := range augment.GraphOperators {
		require.Greater(t, operators[string(op)], len(rows)/5, op)
	}
	for _, kind := range []string{GraphCycle, GraphWitness, GraphUnsatisfiable} {
		require.Positive(t, violations[kind], kind)
	}
	require.InDelta(t, 0.5, float64(views[dataset.ViewGraph])/float64(len(rows)), 0.15, "share of the graph view")
}

func TestGraphRatios(t *testing.T) {
	for _, m := range []int{1, 3, 5, 16} {
		dir, rows := generateGraphs(t, Options{Groups: 60, Ratio: []int{4, 4, m}, Seed: 2}, 2, "bank")
		v := graphVerifier(t, dir)
		for _, row := range rows {
			require.Len(t, row.Negatives, m)
			require.Empty(t, v.Row(&row), row.ID)
		}
	}
}

// A rule of another procedure is named in meta, and is one of the training
// split or of the row's own: what is held out stays held out.
func TestBorrowedRulesDoNotLeak(t *testing.T) {
	domain := graphCorpora(t, "bank")[0].Domain
	heldOut, borrowed := 0, 0
	for k := range 6 {
		dir, rows := generateGraphs(t, Options{Groups: 400, Stages: []int{2 + k%2}, SplitBy: dataset.UnitProcedure, Seed: uint64(k / 2)}, 2, "bank")
		m, err := dataset.ReadManifest(dir)
		require.NoError(t, err)
		splits := func(rule *sop.Tree) (of []string) {
			for _, p := range domain.Procedures {
				if slices.ContainsFunc(p.AllRules(), rule.Equal) {
					of = append(of, m.Split.Assignments["bank/"+p.Goal])
				}
			}
			return of
		}
		for _, p := range domain.Procedures {
			for _, rule := range p.AllRules() {
				heldOut += boolOrder(!slices.Contains(splits(rule), dataset.Train))
			}
		}
		for _, row := range rows {
			var meta Meta
			require.NoError(t, json.Unmarshal([]byte(row.Meta), &meta))
			own := domain.Procedure(row.Procedure).AllRules()
			for _, rule := range meta.Rules {
				parts := []*sop.Tree{rule}
				if rule.Op == sop.Seq && !slices.ContainsFunc(own, rule.Equal) && !slices.ContainsFunc(meta.Borrowed, rule.Equal) {
					parts = rule.Parts // of an order that is demanded
				}
				for _, part := range parts {
					require.True(t, slices.ContainsFunc(own, part.Equal) || slices.ContainsFunc(meta.Borrowed, part.Equal), "%s: %s is neither its own nor borrowed", row.ID, part)
				}
			}
			for _, rule := range meta.Borrowed {
				borrowed++
				of := splits(rule)
				require.True(t, slices.Contains(of, dataset.Train) || slices.Contains(of, row.Split), "%s in %s borrows %s of %v", row.ID, row.Split, rule, of)
			}
		}
	}
	require.Positive(t, borrowed)
	require.Positive(t, heldOut, "rules that no procedure of the training split has")
}

// What is left in a case never tells what is known from the start, so that an
// answer that does would be wrong at sight.
func TestResidualAnswersTellNothingKnown(t *testing.T) {
	_, rows := generateGraphs(t, Options{Groups: 400, Seed: 4}, 2, "bank", "hotel")
	for _, row := range rows {
		if row.View != dataset.ViewResidual {
			continue
		}
		for _, n := range row.Negatives {
			require.NotContains(t, n.Payload, `"conversation"`, row.ID)
		}
	}
}

// A procedure without conditions has nothing that a graph could get wrong.
func TestNoGraphsOfAProcedureWithoutConditions(t *testing.T) {
	p, err := NewPlan(Options{Groups: 500}, graphCorpora(t, "bank"))
	require.NoError(t, err)
	p.Jobs = nil
	p.addStage(3)
	require.NotEmpty(t, p.Jobs)
	for _, j := range p.Jobs {
		require.NotEqual(t, "login_user", j.Procedure.Goal)
	}
	require.Contains(t, strings.Join(p.Notes, "\n"), "without any condition: bank/get_bank_maximum_loan_amount, bank/login_user")
}

func TestGraphVerifierRefusesTamperedRows(t *testing.T) {
	dir, rows := generateGraphs(t, Options{Groups: 200, Seed: 1}, 2, "bank")
	v := graphVerifier(t, dir)
	witnessed := func(r *dataset.Row) int {
		return slices.IndexFunc(r.Negatives, func(n dataset.Negative) bool { return n.Violation == GraphWitness })
	}
	circular := func(r *dataset.Row) int {
		return slices.IndexFunc(r.Negatives, func(n dataset.Negative) bool { return n.Violation == GraphCycle })
	}
	i := slices.IndexFunc(rows, func(r dataset.Row) bool {
		return r.View == dataset.ViewResidual && witnessed(&r) >= 0 && circular(&r) >= 0 && strings.Contains(r.Reference, `"history":["`)
	})
	k := slices.IndexFunc(rows, func(r dataset.Row) bool {
		return r.View == dataset.ViewGraph && witnessed(&r) >= 0 && circular(&r) >= 0 && strings.Contains(r.Context, "logged_in_user")
	})
	require.GreaterOrEqual(t, min(i, k), 0)
	for _, tamper := range []struct {
		name string
		do   func(r *dataset.Row)
		want string
	}{
		{"positive and negative exchanged", func(r *dataset.Row) {
			n := &r.Negatives[0]
			r.Positive.Text, n.Text = n.Text, r.Positive.Text
			r.Positive.Payload, n.Payload = n.Payload, r.Positive.Payload
		}, "positive: the answer is"},
		{"the text of the positive", func(r *dataset.Row) { r.Positive.Text = r.Negatives[0].Text }, "the payload"},
		{"the edges of the payload", func(r *dataset.Row) {
			r.Positive.Payload = strings.Replace(r.Positive.Payload, `"edges":[[`, `"edges":[["a","b"],[`, 1)
		}, "the payload has the edges"},
		{"a negative twice", func(r *dataset.Row) { r.Negatives[1] = r.Negatives[0] }, "it is the same graph as answer 0"},
		{"the violation", func(r *dataset.Row) { r.Negatives[witnessed(r)].Violation = GraphUnsatisfiable }, "the violation is"},
		{"who accepts the witness", func(r *dataset.Row) {
			n := &r.Negatives[witnessed(r)]
			n.Proof = strings.NewReplacer(`"accepted_by":"positive"`, `"accepted_by":"negative"`, `"accepted_by":"negative"`, `"accepted_by":"positive"`).Replace(n.Proof)
		}, "recorded is"},
		{"the witness's workflow", func(r *dataset.Row) {
			n := &r.Negatives[witnessed(r)]
			n.Proof = strings.Replace(n.Proof, `"workflow":["`, `"workflow":["deny","`, 1)
		}, "both or neither"},
		{"the witness's facts", func(r *dataset.Row) {
			n := &r.Negatives[witnessed(r)]
			before, after, _ := strings.Cut(n.Proof, `"facts":{`)
			_, after, _ = strings.Cut(after, `}`)
			n.Proof = before + `"facts":{}` + after
		}, "the witness does not tell"},
		{"the circle", func(r *dataset.Row) {
			n := &r.Negatives[circular(r)]
			n.Proof = strings.Replace(n.Proof, `"cycle":["`, `"cycle":["deny","`, 1)
		}, "no edge"},
		{"unproven", func(r *dataset.Row) { r.Negatives[0].Proof = `{}` }, "the violation is"},
		{"a rule of the SOP", func(r *dataset.Row) {
			r.Context = strings.ReplaceAll(r.Context, "logged_in_user", "sufficient_account_balance")
		}, ""},
		{"a fact of the reference", func(r *dataset.Row) {
			before, after, _ := strings.Cut(r.Reference, `"facts":{`)
			r.Reference = before + `"facts":{` + strings.NewReplacer(":true", ":false", ":false", ":true").Replace(after)
		}, ""},
	} {
		for _, at := range []int{i, k} {
			if at == k && tamper.name == "a fact of the reference" {
				continue // the graph view has no case
			}
			row := rows[at]
			row.Negatives = slices.Clone(row.Negatives)
			require.Empty(t, v.Row(&row))
			tamper.do(&row)
			found := v.Row(&row)
			require.NotEmpty(t, found, tamper.name)
			require.Contains(t, found[0].Error(), tamper.want, tamper.name)
		}
	}
}
