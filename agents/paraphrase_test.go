package agents_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/recheck"
	work "github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

// symbolic generates a small folder.
func symbolic(t *testing.T, o stages.Options) (string, dataset.Manifest) {
	t.Helper()
	c, err := corpus.Load("bank")
	require.NoError(t, err)
	plan, err := stages.NewPlan(o, []*corpus.Corpus{c})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "symbolic")
	result, err := plan.Generate(t.Context(), dir, dataset.Options{}, work.Options{Workers: 2})
	require.NoError(t, err)
	return dir, result.Manifest
}

// serve is a real server with a model that follows the script.
func serve(t *testing.T, script tinymodel.Script) *llm.Client {
	t.Helper()
	s := ollamatest.Start(t)
	s.Scripted("author", script)
	client, err := llm.Open("ollama:"+s.URL+"#author", llm.Options{})
	require.NoError(t, err)
	return client
}

func paraphraser(t *testing.T, model llm.Model, m dataset.Manifest, parts ...string) *agents.Paraphraser {
	t.Helper()
	v, err := stages.NewVerifier(m.Lexicon)
	require.NoError(t, err)
	p, err := agents.NewParaphraser("ollama:author", &llm.Asker{Model: model, Structured: "prompt"}, v,
		agents.ParaphraseOptions{Parts: parts, Sampling: llm.Sampling{Temperature: new(0.0)}})
	require.NoError(t, err)
	return p
}

// says is a reply with one rewording.
func says(text string) tinymodel.Reply {
	data, err := json.Marshal(map[string]any{"passages": []any{map[string]any{"number": 1, "text": text}}})
	if err != nil {
		panic(err)
	}
	return tinymodel.Says(string(data))
}

// A rewording is accepted, or refused for each of the reasons, as a real server
// replies.
func TestParaphraseThroughAServer(t *testing.T) {
	cases := []struct{ question, keyword, rewording, reason string }{
		{"How does the agent handle the request?", "handle", "In which way does the agent handle the request here?", ""},
		{"What is not to be called here?", "not to be", "At this place, what is to be called?", "negation"},
		{"What is done unless the bank agrees?", "bank agrees", "What is done where the bank agrees with it?", "exception"},
		{"What is done if that holds?", "that holds", "That holding, what is to happen?", "condition"},
		{"What costs at least nine dollars?", "costs at", "What would be the thing that costs nine dollars?", "bound"},
		{"What comes before the end of it?", "before the", "Towards its end, what comes about?", "order"},
		{"Is it this one or the other?", "this one or", "Is it this one, the other?", "alternative"},
		{"Are all of them in their place?", "Are all", "Is it that they are in their place?", "quantity"},
		{"What is said of these only?", "these only", "Of these, what would one say?", "restriction"},
		{"What must the clerk see to?", "What must", "What is it that the clerk sees to?", "obligation"},
		{"What may the clerk see to?", "What may", "What is it that the clerk sees to?", "permission"},
		{"What takes three of them here?", "takes three", "Which of them here takes thirty of those things?", "number"},
		{"What is said of “the limit” here?", "limit", "Here, what would be said of “the line”?", "name"},
		{"Who wants to close it now?", "close it", "By now, who would like to have it?", "action"},
		{"What of the balance do you see?", "balance", "What of the debt would you see?", "term"},
		{"Does it come from the top here?", "from the top", "Here, does it come at the top?", "direction"},
		{"Is it your own concern in this?", "your own", "In this, is the concern his?", "owner"},
		{"Does nine come ahead or seven?", "Does nine", "Would seven or nine come ahead?", "sequence"},
		{"What do we think about that?", "we think", "What do we think about that?", "near_copy"},
		{"Why would that be so here?", "that be so", "For what reason\nwould that be so?", "layout"},
		{"Why so in such a way?", "such a way", "So that we understand one another well here, in such a way as that, why is it so then and there?", "length"},
		{"So which is that correct next action there?", "that correct", "What is a correct next action?", "wording"},
		{"Who speaks for us today in it?", "us today", "Who would speak for us tomorrow?", "time"},
		{"Is the old one in its place?", "the old", "In its place, is that the new one?", "quality"},
		{"Who would say such things?", "such things", "Who of the neighbours would say such things here?", "added"},
		{"Who is it that knows this?", "knows this", "", "missing"},
		{"What might garbage be good for?", "garbage", "-", "no_reply"},
	}
	script := tinymodel.Script{"": tinymodel.Says("nothing")}
	for _, c := range cases {
		switch {
		case c.reason == "no_reply":
			script[c.keyword] = tinymodel.Says("As an assistant, I would rather talk of the weather.")
		default:
			script[c.keyword] = says(c.rewording)
		}
	}
	client := serve(t, script)
	dir, m := symbolic(t, stages.Options{Groups: 20, Stages: []int{2}})
	row := firstRow(t, dir, dataset.ViewNextAction)
	var meta stages.Meta
	require.NoError(t, json.Unmarshal([]byte(row.Meta), &meta))
	p := paraphraser(t, client, m, stages.PartQuery)
	passages, err := verifierOf(t, m).Passages(&row)
	require.NoError(t, err)
	sentence := strings.TrimPrefix(row.Query, passages[0].Text)
	for _, c := range cases {
		t.Run(c.keyword, func(t *testing.T) {
			asked := row
			asked.Query = c.question + sentence
			out, err := p.Row(t.Context(), &asked)
			counts := out.Counts[stages.PartQuery]
			require.NotNil(t, counts)
			require.Equal(t, 1, counts.Asked)
			if c.reason == "no_reply" {
				require.ErrorIs(t, err, llm.Unusable)
			} else {
				require.NoError(t, err)
			}
			if c.reason == "" {
				require.Equal(t, 1, counts.Accepted, "%v", counts.Refused)
				require.Equal(t, c.rewording+sentence, out.Row.Query)
				back, by, err := stages.Restore(&out.Row)
				require.NoError(t, err)
				require.Equal(t, asked, back)
				require.Equal(t, p.Author(), by.Author)
				return
			}
			require.Equal(t, map[string]int{c.reason: 1}, counts.Refused)
			require.Equal(t, asked, out.Row, "a refused rewording leaves the row as it was")
		})
	}
}

func firstRow(t *testing.T, dir, view string) dataset.Row {
	t.Helper()
	for row, err := range dataset.ReadRows(filepath.Join(dir, "train_2.jsonl.zst")) {
		require.NoError(t, err)
		if row.View == view {
			return row
		}
	}
	t.Fatalf("no row of %s", view)
	return dataset.Row{}
}

func verifierOf(t *testing.T, m dataset.Manifest) *stages.Verifier {
	t.Helper()
	v, err := stages.NewVerifier(m.Lexicon)
	require.NoError(t, err)
	return v
}

// A run that its budget stopped goes on without asking again, and gives the
// folder that it would have given at once, on one worker or sixteen. That
// folder is proven by verify and by the second implementation.
func TestParaphrasedFolder(t *testing.T) {
	client := serve(t, tinymodel.Script{
		"":                    tinymodel.Says("nothing"),
		"The log ends here":   says("Here the log comes to an end. Give one action by means of which the procedure is rightly continued or ended."),
		"Decide how to go on": says("Decide how not to go on from here: another call, or the end of the procedure."),
		"Pick the case up":    says("Pick the case up where the log leaves it and give a valid next action."),
		"as given":            tinymodel.Says("{"),
	})
	from, m := symbolic(t, stages.Options{Seed: 1, Groups: 120, Stages: []int{2}})
	ledger := filepath.Join(t.TempDir(), "replies.jsonl")
	options := dataset.Options{}
	do := func(to, ledger string, o llm.Options) (dataset.Manifest, llm.Stats, error) {
		r, err := llm.NewRunner(client, o, llm.Files{Ledger: ledger}, nil)
		require.NoError(t, err)
		defer r.Close()
		made, err := paraphraser(t, r, m, stages.PartQuery).Folder(t.Context(), r, from, to, m, options, nil)
		return made, r.Stats(), err
	}
	to := filepath.Join(t.TempDir(), "data")
	var spent *work.SpentError
	_, first, err := do(to, ledger, llm.Options{Budget: work.Budget{Calls: 9}, Concurrency: 2})
	require.ErrorAs(t, err, &spent)
	require.NoDirExists(t, to)
	require.Equal(t, 9, first.Calls)

	made, second, err := do(to, ledger, llm.Options{Concurrency: 16})
	require.NoError(t, err)
	whole, once, err := do(filepath.Join(t.TempDir(), "again"), filepath.Join(t.TempDir(), "other.jsonl"), llm.Options{Concurrency: 1})
	require.NoError(t, err)
	require.Equal(t, once.Calls, first.Calls+second.Calls)
	require.Equal(t, whole, made)

	counts := made.Paraphrased[stages.PartQuery]
	require.Equal(t, 120, counts.Asked)
	require.Positive(t, counts.Accepted, "%v", counts.Refused)
	require.Equal(t, counts.Asked, counts.Accepted+counts.Refused["negation"]+counts.Refused["near_copy"]+counts.Refused["no_reply"], "%v", counts.Refused)
	require.Positive(t, counts.Refused["negation"], "%v", counts.Refused)
	require.Positive(t, counts.Refused["near_copy"])
	require.Positive(t, counts.Refused["no_reply"])
	v, accepted := verifierOf(t, made), 0
	for _, name := range []string{"train_2", "validation", "test"} {
		for row, err := range dataset.ReadRows(filepath.Join(to, name+".jsonl.zst")) {
			require.NoError(t, err)
			require.Empty(t, v.Row(&row))
			if strings.Contains(row.Meta, `"paraphrase"`) {
				accepted++
			}
		}
	}
	require.Equal(t, counts.Accepted, accepted)
	report := dataset.CheckFolder(to)
	require.True(t, report.OK(), "%v", report.Problems)
	again, err := recheck.Folder(to, 2)
	require.NoError(t, err)
	require.Empty(t, again.Problems)

	text, err := os.ReadFile(filepath.Join(to, dataset.CardFile))
	require.NoError(t, err)
	assert.Contains(t, string(text), "reworded by ollama:author")

	// A rewording that makes a row too long is refused; the row keeps its words.
	options = dataset.Options{Counter: longReworded{}, MaxTokens: 1}
	kept, _, err := do(filepath.Join(t.TempDir(), "kept"), ledger, llm.Options{})
	require.NoError(t, err)
	require.Equal(t, m.Files["train_2.jsonl.zst"], kept.Files["train_2.jsonl.zst"])
	require.Zero(t, kept.Paraphrased[stages.PartQuery].Accepted)
	require.Equal(t, counts.Accepted, kept.Paraphrased[stages.PartQuery].Refused[stages.DropTooLong])
}

// longReworded counts two tokens where a model has reworded a row, else one.
type longReworded struct{}

func (longReworded) Prompt(r *dataset.Row) (int, error) {
	return 1 + strings.Count(r.Meta, `"paraphrase":`), nil
}

func (c longReworded) Whole(r *dataset.Row) (int, error) { return c.Prompt(r) }

func (longReworded) Tokenizer() dataset.Tokenizer { return dataset.Tokenizer{} }

func TestParaphraseOptions(t *testing.T) {
	err := agents.ParaphraseOptions{Parts: []string{"query", "answer"}}.Validate()
	require.EqualError(t, err, `part "answer" of a row, want some of query, context, scenario`)
	require.NoError(t, agents.ParaphraseOptions{}.Validate())
	require.True(t, slices.Contains(stages.Parts, "query"))
}
