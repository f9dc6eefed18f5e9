package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/fmsop/fmsop/rubric"
)

// A whole evaluation against a real server: of a model that knows one answer, is
// killed in the midst, and goes on.
func TestEvaluateOverOllama(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	least := []string{"--per-cell", "1", "--per-dimension", "1", "--per-level", "1", "--per-type", "1"}
	for _, args := range [][]string{{"rubric", "library", "-o", dir}, append([]string{"testset", dir}, least...)} {
		status, _, problems := start(t, "", args...)
		require.Zero(t, status, problems)
	}
	questions, err := agents.ReadTestset(filepath.Join(dir, agents.TestsetFile))
	require.NoError(t, err)
	known := questions[slices.IndexFunc(questions, func(q rubric.Question) bool { return q.Key.Kind == rubric.KeyOutcome })]

	server := ollamatest.Start(t)
	server.Scripted("novice", tinymodel.Script{
		"":          tinymodel.Says("I cannot tell."),
		known.Query: tinymodel.Says(known.Reference),
	})
	config := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(config, []byte("llm: {concurrency: 1, sampling: {context: 16384, max_tokens: 60}}\n"), 0o600))
	args := append([]string{"evaluate", "-o", dir, "--model", "ollama:" + server.URL + "#novice", "--book", "closed", "--config", config}, least...)

	ledger := filepath.Join(dir, "ledger", agents.FileName("ollama:novice")+".jsonl")
	killed := exec.Command("fmsop", args...)
	killed.Stderr = os.Stderr
	require.NoError(t, killed.Start())
	require.Eventually(t, func() bool { return lines(ledger) >= 3 }, time.Minute, 10*time.Millisecond)
	require.NoError(t, killed.Process.Kill())
	assert.Error(t, killed.Wait(), "it was done before it could be killed")
	kept, err := os.ReadFile(ledger)
	require.NoError(t, err)
	assert.Less(t, lines(ledger), len(questions))
	kept = kept[:bytes.LastIndexByte(kept, '\n')+1]

	status, out, problems := start(t, "", args...)
	require.Zero(t, status, problems)
	assert.Regexp(t, `(?m)^ollama:novice +0\.[0-9]{3} .* `+fmt.Sprint(len(questions))+` +0$`, out)
	whole, err := os.ReadFile(ledger)
	require.NoError(t, err)
	assert.True(t, bytes.HasPrefix(whole, kept), "what was kept stays")
	assert.Equal(t, len(questions), lines(ledger), "nothing is asked twice")

	scores, err := agents.ReadLines[rubric.Score](filepath.Join(dir, agents.ScoresDir, agents.FileName("ollama:novice")+".symbolic.jsonl"))
	require.NoError(t, err)
	require.Len(t, scores, len(questions))
	for _, s := range scores {
		require.Equal(t, rubric.Scored, s.Outcome)
		for d, e := range s.E {
			assert.Equal(t, s.Question == known.ID, e == 1, "%s, %s: %v, %s", s.Question, d, e, s.Reason)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, agents.ReportFile))
	require.NoError(t, err)
	assert.Contains(t, string(page), "closed book")
	assert.Contains(t, string(page), "I cannot tell.")
}

// lines counts the whole lines of a file that may not be there yet.
func lines(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n")
}
