package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
)

// The command with a real server: a model that is not there, a budget that is
// spent, the same command again, and what it then says.
func TestGenerateParaphrase(t *testing.T) {
	s := ollamatest.Start(t)
	s.Scripted("author", tinymodel.Script{
		"":                    tinymodel.Says("nothing"),
		"The log ends here":   tinymodel.Says(`{"passages": [{"number": 1, "text": "Here the log comes to an end. Give one action by means of which the procedure is rightly continued or ended."}]}`),
		"Decide how to go on": tinymodel.Says(`{"passages": [{"number": 1, "text": "Decide how not to go on from here: another call, or the end of the procedure."}]}`),
	})
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("poor.yaml", []byte("llm:\n  structured: prompt\n  budget:\n    calls: 3\n"), 0o666))
	require.NoError(t, os.WriteFile("rich.yaml", []byte("llm:\n  structured: prompt\n"), 0o666))
	generate := func(config, model string) (int, string, string) {
		return start(t, "", "generate", "bank", "-o", "data", "--groups", "120", "--seed", "1", "--stages", "2", "--parts", "query", "--json",
			"--config", config, "--paraphrase", "ollama:"+s.URL+"#"+model)
	}
	status, _, stderr := generate("rich.yaml", "nobody")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, `model 'nobody' not found; data was not written`)
	require.Contains(t, stderr, "hint: fmsop models check")

	status, _, stderr = generate("poor.yaml", "author")
	require.Equal(t, 1, status)
	require.Regexp(t, `^error: stopped after \d+ of 120 jobs: the budget of 3 calls is spent; data was not written, the same command goes on from there\n$`, stderr)
	require.NoDirExists(t, "data")
	left, err := filepath.Glob(".data-*")
	require.NoError(t, err)
	require.Empty(t, left, "where the symbolic rows were")

	status, stdout, stderr := generate("rich.yaml", "author")
	require.Zero(t, status, stderr)
	var made generation
	require.NoError(t, json.Unmarshal([]byte(stdout), &made))
	query := made.Paraphrase.Proposals["query"]
	require.Equal(t, 120, query.Asked)
	require.Positive(t, query.Accepted)
	require.Positive(t, query.Refused["negation"])
	require.Equal(t, "ollama:author", made.Paraphrase.Model)
	require.GreaterOrEqual(t, made.Paraphrase.Calls.Known, 3)
	failures, err := os.ReadFile(filepath.Join("data.ledger", "failures.jsonl"))
	require.NoError(t, err)
	require.Contains(t, string(failures), `"kind":"unusable"`)

	status, stdout, stderr = start(t, "", "verify", "data")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "every positive proven right")

	// Again: nothing is asked, the same comes of it.
	before, err := os.ReadFile(filepath.Join("data", "manifest.json"))
	require.NoError(t, err)
	status, stdout, stderr = start(t, "", "generate", "bank", "-o", "data", "--groups", "120", "--seed", "1", "--stages", "2", "--parts", "query", "--force",
		"--config", "rich.yaml", "--paraphrase", "ollama:"+s.URL+"#author")
	require.Zero(t, status, stderr)
	require.Contains(t, stderr, "0 calls")
	require.Regexp(t, `paraphrase by ollama:author \(paraphrase@[0-9a-f]{8}\)`, stdout)
	require.Regexp(t, `paraphrase query: \d+ of 120 accepted`, stdout)
	after, err := os.ReadFile(filepath.Join("data", "manifest.json"))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}
