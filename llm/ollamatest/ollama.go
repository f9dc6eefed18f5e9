// Package ollamatest runs a real Ollama server for tests, with tiny models:
//
//	s := ollamatest.Start(t)
//	s.Scripted("judge", tinymodel.Script{
//		"":         tinymodel.Says("I do not know."),
//		"deny":     tinymodel.Says(`{"score": 1}`),
//		"transfer": tinymodel.OneOf(map[string]float64{"yes": 3, "no": 1}),
//	})
//	// s.URL answers as Ollama does.
//
// The server is installed by go run ./llm/localserver/install.
package ollamatest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/llm/localserver"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/ollama/ollama/api"
)

// Server is an Ollama server on a port of its own, with a folder of models of
// its own.
type Server struct {
	URL string // http://host:port

	t       testing.TB
	path    string
	env     []string
	process *localserver.Process
}

// Start runs a server until the end of the test. It answers four requests of a
// model at a time, keeps models loaded, and uses no GPU. Env, as
// "OLLAMA_MAX_QUEUE=4", comes on top.
func Start(t testing.TB, env ...string) *Server {
	t.Helper()
	s := &Server{t: t, path: Program.Path(t)}
	// None of the user's own settings.
	s.env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OLLAMA_") })
	s.env = append(s.env,
		"HOME="+t.TempDir(),
		"OLLAMA_MODELS="+t.TempDir(),
		"OLLAMA_NUM_PARALLEL=4",
		"OLLAMA_KEEP_ALIVE=-1",
		"OLLAMA_FLASH_ATTENTION=0", // 2 to 4 times slower on a CPU
		"OLLAMA_NO_CLOUD=1",
		"CUDA_VISIBLE_DEVICES=-1",
		"ROCR_VISIBLE_DEVICES=-1",
	)
	s.env = append(s.env, env...)
	s.start("127.0.0.1:0")
	return s
}

var listening = regexp.MustCompile(`msg="Listening on (127\.0\.0\.1:\d+) `)

func (s *Server) start(address string) {
	s.t.Helper()
	serve := exec.Command(s.path, "serve")
	serve.Env = append(s.env, "OLLAMA_HOST="+address)
	s.process = localserver.Start(s.t, serve, listening)
	s.URL = "http://" + s.process.Address
}

// Kill ends the server at once, in the midst of whatever it does.
func (s *Server) Kill() { s.process.Kill() }

// Restart kills the server and runs another one on the same port with the same
// models.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	s.start(s.process.Address)
}

// Client is Ollama's own, for the native interface.
func (s *Server) Client() *api.Client {
	base, err := url.Parse(s.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	return api.NewClient(base, http.DefaultClient)
}

// Random gives the server a model of this name with random weights.
func (s *Server) Random(name string, seed uint64) {
	s.t.Helper()
	s.Create(name, tinymodel.Random(seed), tinymodel.Plain)
}

// Scripted gives the server a model of this name that follows the script.
func (s *Server) Scripted(name string, script tinymodel.Script) {
	s.t.Helper()
	model, err := script.Model()
	if err != nil {
		s.t.Fatal(err)
	}
	s.Create(name, model, tinymodel.Plain)
}

// Create gives the server a model of this name out of a GGUF file. It runs on
// one thread: on a busy machine, several wait for each other.
func (s *Server) Create(name string, gguf []byte, template tinymodel.Template) {
	s.t.Helper()
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(gguf))
	ctx, client := context.Background(), s.Client()
	if err := client.CreateBlob(ctx, digest, bytes.NewReader(gguf)); err != nil {
		s.t.Fatal(err)
	}
	err := client.Create(ctx, &api.CreateRequest{
		Model:      name,
		Files:      map[string]string{"model.gguf": digest},
		Template:   template.Ollama,
		Parameters: map[string]any{"num_thread": 1},
	}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		s.t.Fatal(err)
	}
}
