package export

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

// TestWhatWentInCanBeFoundAgain, in groups of every view of every domain.
func TestWhatWentInCanBeFoundAgain(t *testing.T) {
	require.Equal(t, stages.ContextBreak, contextBreak)
	x, rows := groups(t, "bank", "dmv", "healthcare", "hotel", "library", "online_market", "university")
	views := map[string]int{}
	for i := range rows {
		views[rows[i].View]++
	}
	require.Len(t, views, 9)
	for _, pairs := range []Pairs{{}, {perOperator: true}, {hardest: 2}} {
		x.Pairs = pairs
		for _, f := range Formats {
			t.Run(f.Name+"/"+pairs.String(), func(t *testing.T) {
				made := 0
				for i := range rows {
					made += x.found(t, f, &rows[i])
				}
				assert.Positive(t, made)
			})
		}
	}
}

// TestSOPBench does the same with tasks of SOPBench.
func TestSOPBench(t *testing.T) {
	files, err := filepath.Glob("../../shared/sopbench/tasks/*_tasks.json")
	require.NoError(t, err)
	if len(files) == 0 {
		require.True(t, os.Getenv("FMSOP_NO_SHARED") != "" && os.Getenv("CI") == "", "SOPBench's task files are missing; FMSOP_NO_SHARED=1 does without")
		return
	}
	x, rows := groups(t, files[0], files[len(files)-1])
	for _, f := range Formats {
		made := 0
		for i := range rows {
			made += x.found(t, f, &rows[i])
		}
		assert.Positive(t, made, f.Name)
	}
}

// found compares a group with what can be read back, and counts its records.
func (x *Exporter) found(t *testing.T, f Format, row *dataset.Row) int {
	t.Helper()
	records, leftOut := x.objects(t, f, row)
	if own := special[f.Name]; own != nil {
		own(t, x, row, records, leftOut)
		return len(records)
	}
	require.Empty(t, leftOut)
	got := readers[f.Name](t, records)
	require.Equal(t, row.Context+"\n\n"+row.Query, got.prompt)
	require.Equal(t, row.Positive.Text, got.right)
	if got.wrong != nil {
		require.Equal(t, wrongTexts(x.Pairs, row), got.wrong)
	}
	return len(records)
}

// TestGoldenRows shows a row of each format.
func TestGoldenRows(t *testing.T) {
	x := &Exporter{lexicon: newLexicon(t, smallLexicon)}
	for _, f := range Formats {
		t.Run(f.Name, func(t *testing.T) {
			c := f.table.newChunk(JSONL)
			for _, row := range []*dataset.Row{&small, &smallNext} {
				_, err := f.table.convert(&Group{row, x.Pairs.pick(row.Negatives), x.lexicon}, c)
				require.NoError(t, err)
			}
			require.Positive(t, c.rows())
			golden(t, "rows/"+f.Name+".jsonl", c.text())
		})
	}
}

// TestKeysAndTypesAreTheSame of every row of a file.
func TestKeysAndTypesAreTheSame(t *testing.T) {
	x, rows := groups(t, "bank", "hotel")
	for _, f := range Formats {
		shape := ""
		for i := range rows {
			records, _ := x.objects(t, f, &rows[i])
			for _, o := range records {
				got := shapeOf(o)
				if shape == "" {
					shape = got
				}
				require.Equal(t, shape, got, "%s: %s", f.Name, rows[i].ID)
			}
		}
	}
}

// shapeOf is the keys of a record and the types of its values.
func shapeOf(o object) string {
	types := object{}
	for key, value := range o {
		types[key] = jsonType(value)
	}
	return compact(types)
}

func TestLookup(t *testing.T) {
	found, err := Lookup([]string{"trl-dpo", "trl-sft"})
	require.NoError(t, err)
	assert.Equal(t, "trl-dpo", found[0].Name)
	for name, want := range map[string]string{
		"trl-dop": `unknown format "trl-dop", did you mean "trl-dpo"?`,
		"csv":     `unknown format "csv", want one of trl-sft, `,
		"":        `unknown format "", want one of `,
	} {
		_, err := Lookup([]string{name})
		assert.ErrorContains(t, err, want)
	}
	_, err = Lookup([]string{"trl-sft", "trl-sft"})
	assert.ErrorContains(t, err, `format "trl-sft" is named twice`)
}

func TestPairs(t *testing.T) {
	for s, want := range map[string][]string{
		"all":          {"1. `lend`\n", "1. `ask`\n2. `deny`\n", "1. `deny`\n", "1. `ask`\n"},
		"per-operator": {"1. `lend`\n", "1. `ask`\n2. `deny`\n"}, // of two that are equally similar the first
		"hardest=1":    {"1. `ask`\n2. `deny`\n"},
		"hardest=2":    {"1. `lend`\n", "1. `ask`\n2. `deny`\n"},
		"hardest=9":    {"1. `lend`\n", "1. `ask`\n2. `deny`\n", "1. `deny`\n", "1. `ask`\n"},
	} {
		p, err := ParsePairs(s)
		require.NoError(t, err)
		assert.Equal(t, s, p.String())
		assert.Equal(t, want, wrongTexts(p, &small), s)
	}
	for _, s := range []string{"", "none", "hardest", "hardest=", "hardest=0", "hardest=-1", "hardest=1.5", "per_operator"} {
		_, err := ParsePairs(s)
		assert.ErrorContains(t, err, "want all, per-operator or hardest=K", s)
	}
}
