package stages_test

import (
	"context"
	"encoding/json"
	"os"
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

func load(t testing.TB, names ...string) []*corpus.Corpus {
	t.Helper()
	var list []*corpus.Corpus
	for _, n := range names {
		c, err := corpus.Load(n)
		require.NoError(t, err)
		list = append(list, c)
	}
	return list
}

// generate makes a dataset and returns its folder and rows, each row once.
func generate(t testing.TB, o stages.Options, workers int, corpora ...*corpus.Corpus) (string, []dataset.Row) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "d")
	if o.Stages == nil {
		o.Stages = []int{2}
	}
	p, err := stages.NewPlan(o, corpora)
	require.NoError(t, err)
	res, err := p.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: workers})
	require.NoError(t, err)
	require.Equal(t, res.Asked, res.Made, "groups asked for and made")
	return dir, rowsOf(t, dir)
}

func rowsOf(t testing.TB, dir string) []dataset.Row {
	t.Helper()
	r, err := dataset.Open(dir)
	require.NoError(t, err)
	var rows []dataset.Row
	for _, f := range []string{"train_2.jsonl.zst", "validation.jsonl.zst", "test.jsonl.zst"} {
		for row, err := range r.Rows(f) {
			require.NoError(t, err)
			rows = append(rows, row)
		}
	}
	return rows
}

func TestSameBytesForAnyNumberOfWorkers(t *testing.T) {
	corpora := load(t, "bank", "healthcare")
	first := map[string][]byte{}
	for _, workers := range []int{1, 2, 8} {
		dir, _ := generate(t, stages.Options{Groups: 600, Seed: 7}, workers, corpora...)
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			if want, ok := first[filepath.Base(f)]; ok {
				require.True(t, string(want) == string(data), "%s differs with %d workers", filepath.Base(f), workers)
			} else {
				first[filepath.Base(f)] = data
			}
		}
	}
	dir, _ := generate(t, stages.Options{Groups: 600, Seed: 8}, 2, corpora...)
	data, err := os.ReadFile(filepath.Join(dir, "train_2.jsonl.zst"))
	require.NoError(t, err)
	require.False(t, string(first["train_2.jsonl.zst"]) == string(data), "another seed gives the same rows")
}

func verifier(t *testing.T, dir string) *stages.Verifier {
	t.Helper()
	m, err := dataset.ReadManifest(dir)
	require.NoError(t, err)
	v, err := stages.NewVerifier(m.Lexicon)
	require.NoError(t, err)
	return v
}

func TestEveryRowIsProvenFromItsText(t *testing.T) {
	for _, split := range dataset.Units {
		dir, rows := generate(t, stages.Options{Groups: 700, SplitBy: split, Seed: 3}, 2, load(t, "bank", "healthcare")...)
		report := dataset.CheckFolder(dir)
		require.True(t, report.OK(), "%v", report.Problems)
		v := verifier(t, dir)
		for _, row := range rows {
			require.Empty(t, v.Row(&row), row.ID)
		}
	}
}

// DESIGN §3: half permit, half deny; refused without any call at most 5 %; one
// negative at least flips the outcome; a context's negative is a right answer
// to another context.
func TestBalances(t *testing.T) {
	_, rows := generate(t, stages.Options{Groups: 3000, Seed: 5}, 2, load(t, "bank", "healthcare")...)
	var workflows, denied, atOnce, mirrored int
	positives := map[string]bool{}
	for _, row := range rows {
		positives[row.Procedure+row.View+row.Positive.Payload] = true
	}
	for _, row := range rows {
		require.Len(t, row.Negatives, 4)
		for _, n := range row.Negatives {
			if positives[row.Procedure+row.View+n.Payload] {
				mirrored++
				break
			}
		}
		if row.View != dataset.ViewWorkflow {
			continue
		}
		workflows++
		end := endOf(t, row.Positive.Payload)
		if end == "deny" {
			denied++
			if items := itemsOf(t, row.Positive.Payload); len(items) == 1 {
				atOnce++
			}
		}
		require.True(t, slices.ContainsFunc(row.Negatives, func(n dataset.Negative) bool { return endOf(t, n.Payload) != end }),
			"%s: no negative ends otherwise", row.ID)
	}
	require.InDelta(t, 0.5, float64(denied)/float64(workflows), 0.07, "share of refusals")
	require.LessOrEqual(t, float64(atOnce)/float64(workflows), 0.05, "share refused at once")
	require.GreaterOrEqual(t, float64(mirrored)/float64(len(rows)), 0.8, "share of groups with a negative that is right elsewhere")
}

// What is right is not to be told from the answer alone, not even by a reader
// who knows how often each was right and wrong in one half of a job's rows.
// Contexts that exchange their answers follow each other, so that the halves
// share next to none. DESIGN §3: within 0.05 of chance.
func TestLookUpTableIsOfNoUse(t *testing.T) {
	_, rows := generate(t, stages.Options{Groups: 4000, Seed: 9}, 2, load(t, "bank")...)
	type group struct{ answers []string } // the right one first
	jobs := map[string]map[string][]group{}
	for _, row := range rows {
		var meta struct {
			Job   string
			Names map[string]string
		}
		require.NoError(t, json.Unmarshal([]byte(row.Meta), &meta))
		base := map[string]string{}
		for from, to := range meta.Names {
			base[to] = from
		}
		key := func(payload string) string {
			var p struct {
				Next     string
				Workflow []string
			}
			require.NoError(t, json.Unmarshal([]byte(payload), &p))
			items := append(p.Workflow, p.Next)
			for i, item := range items {
				name, args, _ := strings.Cut(item, "(")
				if from, ok := base[name]; ok {
					items[i] = from + args
				}
			}
			return strings.Join(items, " ")
		}
		g := group{[]string{key(row.Positive.Payload)}}
		for _, n := range row.Negatives {
			g.answers = append(g.answers, key(n.Payload))
		}
		if jobs[row.View] == nil {
			jobs[row.View] = map[string][]group{}
		}
		jobs[row.View][meta.Job] = append(jobs[row.View][meta.Job], g)
	}
	for view, byJob := range jobs {
		hits, asked := 0.0, 0
		for _, groups := range byJob {
			right, seen := map[string]float64{}, map[string]float64{}
			half := len(groups) / 2
			for _, g := range groups[:half] {
				right[g.answers[0]]++
				for _, a := range g.answers {
					seen[a]++
				}
			}
			for _, g := range groups[half:] {
				scores := make([]float64, len(g.answers))
				for i, a := range g.answers {
					scores[i] = (right[a] + 0.2) / (seen[a] + 1)
				}
				if best := slices.Max(scores); scores[0] == best {
					ties := 0
					for _, s := range scores {
						if s == best {
							ties++
						}
					}
					hits += 1 / float64(ties)
				}
				asked++
			}
		}
		require.InDelta(t, 0.2, hits/float64(asked), 0.05, "%s: the look-up table", view)
	}
}

func itemsOf(t *testing.T, payload string) []string {
	t.Helper()
	var p struct{ Workflow []string }
	require.NoError(t, json.Unmarshal([]byte(payload), &p))
	return p.Workflow
}

func endOf(t *testing.T, payload string) string {
	items := itemsOf(t, payload)
	return items[len(items)-1]
}

// A proof that accepts what was tampered with proves nothing.
func TestVerifierRefusesTamperedRows(t *testing.T) {
	dir, rows := generate(t, stages.Options{Groups: 300, Seed: 1}, 2, load(t, "bank")...)
	v := verifier(t, dir)
	i := slices.IndexFunc(rows, func(r dataset.Row) bool {
		return r.View == dataset.ViewWorkflow && len(itemsOf(t, r.Positive.Payload)) > 2 && strings.Contains(r.Reference, `"values":{"`) &&
			strings.Contains(r.Context, "logged_in_user")
	})
	require.GreaterOrEqual(t, i, 0)
	for _, tamper := range []struct {
		name string
		do   func(r *dataset.Row)
		want string
	}{
		{"positive and negative exchanged", func(r *dataset.Row) {
			n := &r.Negatives[0]
			r.Positive.Text, n.Text = n.Text, r.Positive.Text
			r.Positive.Payload, n.Payload = n.Payload, r.Positive.Payload
		}, "positive: "},
		{"the text of the positive", func(r *dataset.Row) { r.Positive.Text = r.Negatives[0].Text }, "the payload"},
		{"the violation", func(r *dataset.Row) {
			r.Negatives[1].Violation = "after_end"
			r.Negatives[1].Proof = `{"violation":"after_end","position":9}`
		}, "recorded is after_end"},
		{"waste for a fault", func(r *dataset.Row) {
			r.Negatives[0].Proof = strings.Replace(r.Negatives[0].Proof, `,"edits"`, `,"waste":true,"edits"`, 1)
		}, "recorded is waste"},
		{"a fact of the reference", func(r *dataset.Row) {
			r.Reference = strings.Replace(r.Reference, `:true`, `:false`, 1)
		}, ""},
		{"a number of the case", func(r *dataset.Row) {
			parts := strings.SplitN(r.Context, "---", 2)
			r.Context = parts[0] + "---" + strings.Map(func(c rune) rune {
				if c >= '1' && c <= '8' {
					return c + 1
				}
				return c
			}, parts[1])
		}, ""},
		{"a rule of the SOP", func(r *dataset.Row) {
			r.Context = strings.Replace(r.Context, "logged_in_user", "sufficient_account_balance", 1)
		}, ""},
	} {
		row := rows[i]
		row.Negatives = slices.Clone(row.Negatives)
		require.Empty(t, v.Row(&row))
		tamper.do(&row)
		found := v.Row(&row)
		require.NotEmpty(t, found, tamper.name)
		require.Contains(t, found[0].Error(), tamper.want, tamper.name)
	}
}

func TestOptionsAreRefusedWithWhatIsAccepted(t *testing.T) {
	corpora := load(t, "bank")
	for want, o := range map[string]stages.Options{
		"groups is -1, want at least 1":                         {Groups: -1},
		"ratio of stage 2 is 0, want 1 to 32 negatives a group": {Ratio: []int{4, 0, 8}},
		"ratio is 4, want three numbers":                        {Ratio: []int{4}},
		`split_by is "proc", want one of procedure`:             {SplitBy: "proc"},
		"stages has 9, want 1, 2":                               {Stages: []int{9}},
		"split_by domain needs at least 2 domains, got bank":    {SplitBy: "domain"},
	} {
		_, err := stages.NewPlan(o, corpora)
		require.ErrorContains(t, err, want)
	}
}
