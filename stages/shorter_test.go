package stages

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

// words counts words for tokens.
type words struct{}

func (words) Prompt(r *dataset.Row) (int, error) { return len(strings.Fields(r.Prompt())), nil }

func (w words) Whole(r *dataset.Row) (n int, err error) {
	n = len(strings.Fields(r.Positive.Text))
	for i := range r.Negatives {
		n = max(n, len(strings.Fields(r.Negatives[i].Text)))
	}
	prompt, err := w.Prompt(r)
	return n + prompt, err
}

func (words) Tokenizer() dataset.Tokenizer { return dataset.Tokenizer{SHA256: "words"} }

// Whatever rules are left out, the answers stay, and are proven from the text
// of what is left.
func TestShorterRowsAskTheSame(t *testing.T) {
	const each = 6
	fewer, shorter := map[string]int{}, 0 // rows, by view, and those of fewer letters
	for _, domain := range []string{"bank", "healthcare"} {
		c, err := corpus.Load(domain)
		require.NoError(t, err)
		v, err := NewVerifier(map[string]*sop.Domain{domain: c.Domain})
		require.NoError(t, err)
		check := func(long *draft, drafts iter.Seq2[*draft, task]) {
			rules := long.meta.Rules
			for d := range drafts {
				row := d.row
				row.ID, row.Meta = "x", encode(d.meta)
				require.Empty(t, v.Row(&row), "%s", row.Context)
				require.Equal(t, long.row.Positive, row.Positive)
				require.Len(t, row.Negatives, len(long.row.Negatives))
				for i := range row.Negatives {
					require.Equal(t, long.row.Negatives[i].Payload, row.Negatives[i].Payload)
					require.Equal(t, long.row.Negatives[i].Violation, row.Negatives[i].Violation)
				}
				require.LessOrEqual(t, len(d.meta.Rules), len(rules)) // an ordered pair is one
				rules = d.meta.Rules
				fewer[row.View]++
				if len(row.Context) < len(long.row.Context) {
					shorter++
				}
			}
		}
		for _, w := range drawing(t, domain) {
			for range each {
				u, _ := w.units.draw()
				if u == nil {
					continue
				}
				st := w.styleOf(u)
				x := w.workflowExchange(u, 5)
				for i, s := range x.members {
					p := newPicker(s.positive, w.opts.Ratio[1], x.negatives(i))
					w.edit(s, p)
					if negatives := p.negatives(w.rng); negatives != nil {
						check(w.workflowRow(s, negatives, st), w.shorterWorkflow(s, negatives, st))
					}
				}
				y := w.nextExchange(u, 5)
				for i, m := range y.members {
					p := newPicker(m.answer(), w.opts.Ratio[1], y.negatives(i))
					w.editNext(m, p)
					if negatives := p.negatives(w.rng); negatives != nil {
						check(w.nextRow(m, negatives, st), w.shorterNext(m, negatives, st))
					}
				}
			}
		}
	}
	// A rule that another one says too shortens nothing.
	require.Greater(t, shorter, (fewer[dataset.ViewWorkflow]+fewer[dataset.ViewNextAction])*9/10)
	require.Greater(t, fewer[dataset.ViewWorkflow], 100, "%v", fewer)
	require.Greater(t, fewer[dataset.ViewNextAction], 100, "%v", fewer)
}

// With a limit every row keeps it, whatever the workers and shards, and what
// does not fit is counted.
func TestNoRowIsLongerThanTheLimit(t *testing.T) {
	const most = 520
	c, err := corpus.Load("bank")
	require.NoError(t, err)
	parent := t.TempDir()
	generate := func(name string, workers, i, n int) string {
		p, err := NewPlan(Options{Groups: 60, Seed: 5, MaxTokens: most}, []*corpus.Corpus{c})
		require.NoError(t, err)
		if n > 0 {
			require.NoError(t, p.Shard(i, n))
		}
		dir := filepath.Join(parent, name)
		_, err = p.Generate(context.Background(), dir, dataset.Options{Counter: words{}}, run.Options{Workers: workers})
		require.NoError(t, err)
		return dir
	}
	whole := generate("whole", 1, 0, 0)
	reader, err := dataset.Open(whole)
	require.NoError(t, err)
	m := reader.Manifest
	require.Positive(t, m.Drops[DropTooLong])
	require.Equal(t, []int{1, 2, 3}, m.Stages)
	v, err := NewVerifier(m.Lexicon)
	require.NoError(t, err)
	for name, f := range m.Files {
		if name == dataset.DropsFile {
			continue
		}
		counts, rows := dataset.StageTokens{}, 0
		for row, err := range reader.Rows(name) {
			require.NoError(t, err)
			prompt, _ := words{}.Prompt(&row)
			length, _ := words{}.Whole(&row)
			require.LessOrEqual(t, length, most)
			require.Empty(t, v.Row(&row))
			counts.Add(row.Stage, prompt, length)
			rows++
		}
		require.Equal(t, f.Rows, rows)
		require.Equal(t, counts.Lengths(), m.Tokens[name], name)
	}

	var shards []string
	for i := range 3 {
		shards = append(shards, generate(fmt.Sprint("shard", i), 1, i+1, 3))
	}
	merged := filepath.Join(parent, "merged")
	_, err = dataset.Merge(context.Background(), shards, merged, dataset.Options{})
	require.NoError(t, err)
	for _, other := range []string{generate("eight", 8, 0, 0), merged} {
		entries, err := os.ReadDir(whole)
		require.NoError(t, err)
		require.NotEmpty(t, entries)
		for _, f := range entries {
			want, err := os.ReadFile(filepath.Join(whole, f.Name()))
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(other, f.Name()))
			require.NoError(t, err)
			require.True(t, slices.Equal(want, got), "%s of %s differs", f.Name(), other)
		}
	}
}

// A row too long is no error of the batch: others go on.
func TestBatchGoesOnAfterALongRow(t *testing.T) {
	_, err := NewPlan(Options{MaxTokens: -1}, nil)
	require.ErrorContains(t, err, "max_tokens is -1, want a positive number, or 0 for any length")
	require.Error(t, dataset.NewBatch(dataset.Options{MaxTokens: 5}).Seal(), "nobody counts")
	b := dataset.NewBatch(dataset.Options{MaxTokens: 5, Counter: words{}})
	row := dataset.Row{ID: "x", Stage: 1, Task: "concept", View: dataset.ViewDefinition, Domain: "d", Split: dataset.Train,
		Query: "one two three four", Positive: dataset.Answer{Text: "five", Payload: `{"term":"five"}`},
		Negatives: []dataset.Negative{{Text: "six seven", Payload: `{"term":"six seven"}`, Operator: "substitution", Violation: "type", Proof: "{}"}},
		Reference: "{}", Meta: "{}"}
	require.True(t, errors.Is(b.Add(row), dataset.ErrTooLong))
	row.Negatives[0].Text = "six"
	require.NoError(t, b.Add(row))
	require.NoError(t, b.Seal())
}
