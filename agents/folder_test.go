package agents_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/rubric"
)

func TestARunFolderIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	_, bank := generated(t, "bank")
	_, dmv := generated(t, "dmv")
	rubrics := []*rubric.Rubric{bank, dmv}
	path := filepath.Join(dir, agents.RubricFile)
	require.NoError(t, agents.WriteRubrics(path, rubrics))
	read, err := agents.ReadRubrics(path)
	require.NoError(t, err)
	again := filepath.Join(dir, "again.yaml")
	require.NoError(t, agents.WriteRubrics(again, read))
	assert.Equal(t, content(t, path), content(t, again))

	questions, _ := testset(t, "bank", agents.TestOptions{})
	path = filepath.Join(dir, agents.TestsetFile)
	require.NoError(t, agents.WriteLines(path, questions))
	readQuestions, err := agents.ReadTestset(path)
	require.NoError(t, err)
	assert.Equal(t, questions, readQuestions)

	m := &agents.Manifest{Seed: 3, Models: []agents.Asked{{Model: "ollama:qwen2.5:7b"}}}
	require.NoError(t, agents.WriteManifest(dir, m))
	readManifest, err := agents.ReadManifest(dir)
	require.NoError(t, err)
	assert.Equal(t, m, readManifest)
	_, err = agents.ReadManifest(t.TempDir())
	assert.ErrorContains(t, err, "no run folder")
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestFaultsOfARunFolderAreNamed(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	_, err := agents.ReadRubrics(file("typo.yaml", "- domain: bank\n  wieght: 1\n"))
	assert.ErrorContains(t, err, "wieght")
	_, err = agents.ReadRubrics(file("none.yaml", ""))
	assert.ErrorContains(t, err, "none.yaml:1: the file is empty")

	questions, _ := testset(t, "bank", agents.TestOptions{})
	one := questions[0]
	require.NoError(t, agents.WriteLines(filepath.Join(dir, "twice.jsonl"), []rubric.Question{one, one}))
	_, err = agents.ReadTestset(filepath.Join(dir, "twice.jsonl"))
	assert.ErrorContains(t, err, "twice.jsonl:2: question "+one.ID+" stands there twice")
	_, err = agents.ReadTestset(file("key.jsonl", `{"id":"q","speed":1}`))
	assert.ErrorContains(t, err, "key.jsonl:1")
	assert.ErrorContains(t, err, "speed")
	_, err = agents.ReadTestset(file("cut.jsonl", `{"id":"q`))
	assert.ErrorContains(t, err, "cut.jsonl:1")

	a := rubric.Answer{Question: one.ID, Model: "m"}
	for want, list := range map[string][]rubric.Answer{
		"which is not in the test set": {{Question: "q-unknown", Model: "m"}},
		"a second answer":              {a, a},
		`model "n" among those of "m"`: {a, {Question: one.ID, Repeat: 1, Model: "n"}},
	} {
		path := filepath.Join(dir, "answers.jsonl")
		require.NoError(t, agents.WriteLines(path, list))
		_, err := agents.ReadAnswers(path, questions)
		assert.ErrorContains(t, err, want)
	}
}

func TestFileNamesOfModelsAreSafeAndDiffer(t *testing.T) {
	assert.Equal(t, "qwen", agents.FileName("qwen"))
	seen := map[string]bool{}
	for _, model := range []string{"ollama:qwen2.5:7b", "ollama:qwen2.5-7b", "openai:http://host:8000/v1#m", "../../etc/passwd", "a b", "a\x00b"} {
		name := agents.FileName(model)
		assert.False(t, strings.ContainsAny(name, "/.: \x00"), name)
		assert.False(t, seen[name], name)
		seen[name] = true
	}
}
