// Package llamacpptest runs a real llama.cpp server for tests, a second
// implementation of the OpenAI interface beside Ollama's. It is installed by go
// run ./llm/localserver/install.
package llamacpptest

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/fmsop/fmsop/llm/localserver"
	"github.com/fmsop/fmsop/llm/tinymodel"
)

// Program is llama.cpp's server in the form of a Python package, which has it
// compiled: the file is the package's folder.
var Program = localserver.Program{
	Name:    "xllamacpp-2026.10.11549",
	File:    "xllamacpp",
	Without: "FMSOP_NO_LLAMACPP",
	Build:   localserver.Wheels("xllamacpp==2026.10.11549"),
}

// Server is a llama.cpp server on a port of its own.
type Server struct {
	URL string // http://host:port, below which is /v1
	Key string // without which requests are refused

	process *localserver.Process
}

//go:embed serve.py
var serve string

// It comes in one piece, but llama.cpp, which writes its log in pieces from a thread
// of its own, may have begun a line before it.
var listening = regexp.MustCompile(`address (127\.0\.0\.1:\d+)\n`)

// Start serves a model, a GGUF file, until the end of the test: four requests
// at a time of 8192 tokens each, on one thread.
func Start(t testing.TB, gguf []byte, template tinymodel.Template) *Server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.gguf")
	if err := os.WriteFile(path, gguf, 0o666); err != nil {
		t.Fatal(err)
	}
	const key = "a key for tests"
	python := exec.Command("python3", "-c", serve, path, template.Jinja, key)
	python.Env = append(os.Environ(), "PYTHONPATH="+filepath.Dir(Program.Path(t)))
	p := localserver.Start(t, python, listening)
	return &Server{URL: "http://" + p.Address, Key: key, process: p}
}

// Kill ends the server at once, in the midst of whatever it does.
func (s *Server) Kill() { s.process.Kill() }
