package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/export/trainertest"
	"github.com/fmsop/fmsop/llm/ollamatest"
)

// The loop closed: data, some steps of training on a tiny random model, a real
// server that takes what came of it, its answers, scores, a report.
func TestTrainThenEvaluate(t *testing.T) {
	packages := trainertest.Path(t)
	ollama := ollamatest.Program.Path(t)
	server := ollamatest.Start(t)
	tiny, err := filepath.Abs("testdata/train/tiny.py")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, unpack(filepath.Join(dir, "pack")))
	t.Chdir(dir)
	for name, value := range map[string]string{
		"PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1",
		"HOME": t.TempDir(), "OLLAMA_HOST": server.URL, "PATH": filepath.Dir(ollama) + string(os.PathListSeparator) + os.Getenv("PATH"),
	} {
		t.Setenv(name, value)
	}
	do := func(program string, args ...string) string {
		t.Helper()
		var out, problems bytes.Buffer
		c := exec.Command(program, args...)
		c.Stdout, c.Stderr = &out, &problems
		require.NoError(t, c.Run(), "%s\n%s%s", c, &out, &problems)
		return out.String()
	}
	require.NoError(t, os.WriteFile("config.yaml", []byte("corpora: [pack]\nllm: {sampling: {max_tokens: 8, extra: {num_thread: 1}}}\n"), 0o600))
	do("fmsop", "generate", "--config", "config.yaml", "-o", "data", "--groups", "12", "-q")
	do("python3", tiny, "data", "model")

	out := do("fmsop", "train", "data", "--model", "model", "-o", "tuned", "--then", "evaluate", "--config", "config.yaml", "-q",
		"--set", "epochs=0.4", "--set", "batch_groups=4", "--set", "max_tokens=4096", "--set", "evaluate_every=0", "--set", "patience=0", "--set", "lora_rank=4")
	assert.Regexp(t, `(?m)^ollama:tuned +0\.[0-9]{3} `, out)
	page, err := os.ReadFile("tuned/evaluation/report.html")
	require.NoError(t, err)
	assert.Contains(t, string(page), "ollama:tuned")
	for _, made := range []string{"recipe.yaml", "run.json", "metrics.jsonl", "adapter/Modelfile", "model/Modelfile"} {
		assert.FileExists(t, filepath.Join("tuned", made))
	}

	// The server lays out a conversation as the model's own template does.
	want, err := os.ReadFile("model.prompt")
	require.NoError(t, err)
	talk := []api.Message{{Role: "user", Content: "May I?"}, {Role: "assistant", Content: "You may."}, {Role: "user", Content: "And now {{ you }}?"}}
	var rendered string
	require.NoError(t, server.Client().Chat(t.Context(), &api.ChatRequest{Model: "tuned", Messages: talk, Stream: new(bool), DebugRenderOnly: true}, func(r api.ChatResponse) error {
		rendered = r.DebugInfo.RenderedTemplate
		return nil
	}))
	assert.Equal(t, string(want), rendered)

	do("ollama", "create", "small", "-q", "q8_0", "-f", "tuned/model/Modelfile")
	var said int
	require.NoError(t, server.Client().Chat(t.Context(), &api.ChatRequest{Model: "small", Messages: talk, Stream: new(bool), Options: map[string]any{"num_predict": 5}}, func(r api.ChatResponse) error {
		said = r.EvalCount
		return nil
	}))
	assert.Positive(t, said)
}
