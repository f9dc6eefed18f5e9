package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
)

// The command with a real server, and verify on what it wrote.
func TestGenerateAuthor(t *testing.T) {
	s := ollamatest.Start(t)
	s.Scripted("author", tinymodel.Script{
		"": tinymodel.Says("nothing"),
		"wrong order each": tinymodel.Says(`{"steps": [{"name": "isolate_host", "text": "cut it off", "quote": "Isolate the host first.", "after": []},` +
			` {"name": "image_disk", "text": "copy the disk", "quote": "take an image", "after": ["isolate_host"]}], "wrong": [["image_disk", "isolate_host"]]}`),
	})
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("handbook.md", []byte("Isolate the host first. Then take an image of its disk.\n"), 0o666))
	require.NoError(t, os.WriteFile("prompt.yaml", []byte("llm:\n  structured: prompt\n"), 0o666))
	status, stdout, stderr := start(t, "", "generate", "handbook.md", "-o", "drafts", "--author", "ollama:"+s.URL+"#author", "--config", "prompt.yaml")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "  splits     unreviewed 1")
	require.Contains(t, stdout, "  author     sequence: 1 of 1 accepted (100.0 %)")
	require.Contains(t, stdout, "  author     concept: 0 of 1 accepted (0.0 %); refused: no reply 1")
	require.Contains(t, stderr, "jobs without a value: 2 unusable")
	status, stdout, stderr = start(t, "", "verify", "drafts")
	require.Zero(t, status, stderr)
	require.Equal(t, "1 rows: every positive proven right, every negative proven wrong (2 answers), by the reading of ollama:author\n", stdout)
}
