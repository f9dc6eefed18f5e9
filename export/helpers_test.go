package export

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// small is a row with everything that the formats look at.
var small = dataset.Row{
	ID: "s2-library-lend-000001", Stage: 2, Task: "sequence", View: dataset.ViewWorkflow, Domain: "library", Procedure: "lend", Split: dataset.Train,
	Context: "Lend a book if the member is known & owes nothing.", Query: "Which calls?",
	Positive: dataset.Answer{Text: "1. `ask`\n2. `lend`\n", Payload: `{"workflow":["ask","lend"]}`},
	Negatives: []dataset.Negative{
		{Text: "1. `lend`\n", Payload: `{"workflow":["lend"]}`, Operator: "omit", Violation: "unmet", Proof: `{"violation":"unmet","position":0}`, Similarity: 0.5},
		{Text: "1. `ask`\n2. `deny`\n", Payload: `{"workflow":["ask","deny"]}`, Operator: "outcome", Violation: "wrong_end", Proof: `{"violation":"wrong_end","position":1}`, Similarity: 0.75},
		{Text: "1. `deny`\n", Payload: `{"workflow":["deny"]}`, Operator: "outcome", Violation: "wrong_end", Proof: `{"violation":"wrong_end","position":0}`, Similarity: 0.25},
		{Text: "1. `ask`\n", Payload: `{"workflow":["ask"]}`, Operator: "omit", Violation: "no_end", Proof: `{"violation":"no_end","position":1}`, Similarity: 0.5},
	},
	Reference: `{"goal":"lend"}`, Meta: `{}`,
}

// smallNext is a next action after one call.
var smallNext = dataset.Row{
	ID: "s2-library-lend-000002", Stage: 2, Task: "sequence", View: dataset.ViewNextAction, Domain: "library", Procedure: "lend", Split: dataset.Train,
	Context:  "# Lend a book\n\n---\n\nI am ann, may I have a book?\n\n\n---\n\nCalls so far:\n1. `ask(who=\"ann\")`\n   - ann: a member\n   - ann: owes 2 USD\n",
	Query:    "What now?",
	Positive: dataset.Answer{Text: "hand_out(days=14, who=\"ann\")", Payload: `{"next":"hand_out","arguments":{"days":14,"who":"ann"}}`},
	Negatives: []dataset.Negative{
		{Text: "deny", Payload: `{"next":"deny","arguments":{}}`, Operator: "outcome", Violation: "wrong_end", Proof: `{"violation":"wrong_end","position":1}`, Similarity: 0},
		{Text: "weigh(who=\"ann\")", Payload: `{"next":"weigh","arguments":{"who":"ann"}}`, Operator: "insert", Violation: "outside", Proof: `{"violation":"outside","position":1}`, Similarity: 0.5},
	},
	Reference: `{"outcomes":[{"end":"hand_out","tree":"known"},{"end":"deny","tree":null}],"goal":"hand_out","history":["ask"],` +
		`"bindings":{"who":"ann","days":14},"parameters":{"ask":{"who":"who"},"hand_out":{"who":"who","days":"days"}}}`,
	Meta: `{"names":{"lend":"hand_out"}}`,
}

const smallLexicon = `{"library":{"parameters":{"who":{"noun":"the member"}},"actions":{"ask":{"text":"look {who} up"},"lend":{"text":"lend {who} a book for {days}"}}}}`

// groups are those that generate makes of the built-in domains, or of SOPBench's
// tasks: some of every view.
func groups(t *testing.T, corpora ...string) (*Exporter, []dataset.Row) {
	t.Helper()
	var loaded []*corpus.Corpus
	for _, name := range corpora {
		c, err := corpus.Load(name)
		require.NoError(t, err)
		loaded = append(loaded, c)
	}
	options := stages.Options{Seed: 5, Groups: 15 * len(corpora), Stages: []int{1, 2, 3}, Ratio: []int{4, 4, 8}}
	plan, err := stages.NewPlan(options, loaded)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "data")
	_, err = plan.Generate(context.Background(), dir, dataset.Options{}, run.Options{})
	require.NoError(t, err)
	reader, err := dataset.Open(dir)
	require.NoError(t, err)
	x, err := Open(reader.Manifest, Options{})
	require.NoError(t, err)
	var rows []dataset.Row
	for _, s := range x.Sources {
		for row, err := range reader.Rows(s.File) {
			require.NoError(t, err)
			rows = append(rows, row)
		}
	}
	return x, rows
}

// object is a record as a reader of JSON sees it.
type object = map[string]any

// objects is what a format makes of a row.
func (x *Exporter) objects(t *testing.T, f Format, row *dataset.Row) (records []object, leftOut string) {
	t.Helper()
	c := f.table.newChunk(JSONL)
	leftOut, err := f.table.convert(&Group{row, x.Pairs.pick(row.Negatives), x.lexicon}, c)
	require.NoError(t, err)
	for line := range bytes.Lines(c.text()) {
		var o object
		require.NoError(t, json.Unmarshal(line, &o))
		records = append(records, o)
	}
	assert.Len(t, records, c.rows())
	return records, leftOut
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, got, 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./export -update and read the difference")
	assert.Equal(t, string(want), string(got))
}

func newLexicon(t *testing.T, text string) *lexicon {
	t.Helper()
	l := new(lexicon)
	require.NoError(t, json.Unmarshal([]byte(text), l))
	return l
}

// wrongTexts are those of the picked negatives.
func wrongTexts(p Pairs, row *dataset.Row) (texts []string) {
	for _, n := range p.pick(row.Negatives) {
		texts = append(texts, n.Text)
	}
	return texts
}
