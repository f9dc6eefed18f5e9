package stages_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

var author = dataset.Author{Model: "ollama:x", Prompt: "paraphrase@0"}

// wordy says the same in more words.
func wordy(s string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	return strings.Repeat("well ", len(words)/2+2) + s
}

// reword has every passage reworded by a function.
func reword(t require.TestingT, v *stages.Verifier, row *dataset.Row, how func(stages.Passage) string) (dataset.Row, map[string]int) {
	passages, err := v.Passages(row)
	require.NoError(t, err)
	rewordings := make([]string, len(passages))
	for i, p := range passages {
		rewordings[i] = how(p)
	}
	out, refused, err := v.Paraphrase(row, author, passages, rewordings)
	require.NoError(t, err)
	counts := map[string]int{}
	for i, p := range passages {
		if refused[i] == nil {
			counts[p.Part]++
		} else {
			counts[p.Part+" "+refused[i].Reason]++
		}
	}
	return out, counts
}

func TestParaphrasedRowsAreProvenAsTheyWere(t *testing.T) {
	dir, rows := generate(t, stages.Options{Groups: 150, Seed: 4}, 2, load(t, "bank", "library")...)
	v := verifier(t, dir)
	total := map[string]int{}
	for _, row := range rows {
		out, counts := reword(t, v, &row, func(p stages.Passage) string { return wordy(p.Text) })
		for what, n := range counts {
			total[what] += n
		}
		require.Empty(t, v.Row(&out), "%s: %s\n%s", out.ID, out.Query, out.Context)
		back, p, err := stages.Restore(&out)
		require.NoError(t, err)
		require.Equal(t, row, back)
		if out.Meta != row.Meta {
			require.Equal(t, author, p.Author)
		}
		require.Equal(t, row.Positive, out.Positive)
		require.Equal(t, row.Negatives, out.Negatives)
	}
	for _, part := range stages.Parts {
		assert.Positive(t, total[part], "%s is accepted", part)
	}
	assert.Positive(t, total["context reading"], "statements are not what may be said anyhow")
	assert.Zero(t, total["scenario reading"])
	t.Logf("%v", total)
}

func TestParaphraseIsRefusedForAReason(t *testing.T) {
	dir, rows := generate(t, stages.Options{Groups: 60, Seed: 4, Stages: []int{2}}, 2, load(t, "bank")...)
	v := verifier(t, dir)
	for name, how := range map[string]struct {
		say    func(stages.Passage) string
		reason string
	}{
		"nothing":   {func(stages.Passage) string { return "" }, "missing"},
		"the same":  {func(p stages.Passage) string { return p.Text }, "near_copy"},
		"negated":   {func(p stages.Passage) string { return wordy(p.Text) + " not" }, "negation"},
		"two lines": {func(p stages.Passage) string { return wordy(p.Text) + "\n- and so on" }, "layout"},
		"a sermon":  {func(p stages.Passage) string { return strings.Repeat(p.Text+" ", 3) + "." }, "length"},
	} {
		for i := range rows[:40] {
			out, counts := reword(t, v, &rows[i], how.say)
			require.Equal(t, rows[i], out, name)
			require.Equal(t, 1, counts["query "+how.reason], "%s: %v", name, counts)
		}
	}
}

func TestVerifierRefusesTamperedParaphrases(t *testing.T) {
	dir, rows := generate(t, stages.Options{Groups: 40, Seed: 4, Stages: []int{2}}, 2, load(t, "bank")...)
	v := verifier(t, dir)
	out, counts := reword(t, v, &rows[0], func(p stages.Passage) string { return wordy(p.Text) })
	require.Positive(t, counts[stages.PartQuery])
	require.Empty(t, v.Row(&out))
	for _, tamper := range []struct {
		name string
		do   func(*dataset.Row, *stages.Paraphrase)
		want string
	}{
		{"the question", func(r *dataset.Row, _ *stages.Paraphrase) { r.Query = strings.Replace(r.Query, "well", "not ", 1) }, "negation"},
		{"the case", func(r *dataset.Row, _ *stages.Paraphrase) {
			i := strings.LastIndex(r.Context, "> well")
			r.Context = r.Context[:i] + strings.Replace(r.Context[i:], "well", "7ell", 1)
		}, "name"},
		{"outside of it", func(r *dataset.Row, _ *stages.Paraphrase) { r.Context = strings.Replace(r.Context, "`", "", 1) }, ""},
		{"what it was", func(_ *dataset.Row, p *stages.Paraphrase) { p.Passages[0].Was = "What now?" }, ""},
		{"its place", func(_ *dataset.Row, p *stages.Paraphrase) { p.Passages[0].At++ }, ""},
		{"no place", func(_ *dataset.Row, p *stages.Paraphrase) { p.Passages[0].At = -1 }, "not in the row's texts"},
		{"beyond the end", func(_ *dataset.Row, p *stages.Paraphrase) { p.Passages[0].Length = 1 << 40 }, "not in the row's texts"},
		{"no part", func(_ *dataset.Row, p *stages.Paraphrase) { p.Passages[0].Part = "answer" }, "not in the row's texts"},
		{"twice", func(_ *dataset.Row, p *stages.Paraphrase) { p.Passages = append(p.Passages, p.Passages...) }, "not in the row's texts"},
	} {
		row := out
		var meta stages.Meta
		require.NoError(t, json.Unmarshal([]byte(row.Meta), &meta))
		tamper.do(&row, meta.Paraphrase)
		data, err := json.Marshal(meta)
		require.NoError(t, err)
		row.Meta = string(data)
		found := v.Row(&row)
		require.NotEmpty(t, found, tamper.name)
		require.Contains(t, found[0].Error(), tamper.want, tamper.name)
	}
}

// Whatever a meta says, reading it gives a row or an error.
func TestRestoreTakesAnyMeta(t *testing.T) {
	dir, rows := generate(t, stages.Options{Groups: 10, Seed: 4, Stages: []int{2}}, 2, load(t, "bank")...)
	v := verifier(t, dir)
	rapid.Check(t, func(t *rapid.T) {
		row := rows[0]
		var meta stages.Meta
		require.NoError(t, json.Unmarshal([]byte(row.Meta), &meta))
		meta.Paraphrase = &stages.Paraphrase{Author: author}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			meta.Paraphrase.Passages = append(meta.Paraphrase.Passages, stages.Reworded{
				Part: rapid.SampledFrom(append(stages.Parts, "x")).Draw(t, "part"), At: rapid.IntRange(-3, 400).Draw(t, "at"),
				Length: rapid.IntRange(-3, 400).Draw(t, "length"), Was: rapid.String().Draw(t, "was"),
			})
		}
		data, err := json.Marshal(meta)
		require.NoError(t, err)
		row.Meta = string(data)
		if found := v.Row(&row); len(meta.Paraphrase.Passages) > 0 {
			require.NotEmpty(t, found)
		}
	})
}
