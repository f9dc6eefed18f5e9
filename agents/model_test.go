package agents_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/sop/corpus"
)

// model replies by a function of the request's system and user messages, and
// keeps the requests.
type model struct {
	name  string
	reply func(system, user string) (string, error)

	mutex    sync.Mutex
	requests []llm.Request
}

func (m *model) Name() string { return m.name }

func (m *model) Chat(_ context.Context, q llm.Request) (llm.Reply, error) {
	m.mutex.Lock()
	m.requests = append(m.requests, q)
	m.mutex.Unlock()
	text, err := m.reply(q.Messages[0].Text, q.Messages[1].Text)
	return llm.Reply{Text: text, Finish: llm.FinishStop}, err
}

func (m *model) writer() *agents.Writer {
	return &agents.Writer{Name: m.name, Asker: &llm.Asker{Model: m}}
}

// always is a model that always replies the same.
func always(text string) *model {
	return &model{name: "ollama:replies", reply: func(string, string) (string, error) { return text, nil }}
}

// firstLines are lines of several words of the first document in a prompt.
func firstLines(t *testing.T, user string, n int) (lines []string) {
	t.Helper()
	document := strings.Split(user, "=====")[1]
	for line := range strings.Lines(document) {
		if len(strings.Fields(line)) > 4 && !strings.HasPrefix(line, "#") && len(lines) < n {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	assert.Len(t, lines, n, "lines in %.200q", document)
	return lines
}

// isMerging tells the merging call by its system message.
func isMerging(system string) bool { return strings.HasPrefix(system, "You tidy up") }

var update = flag.Bool("update", false, "rewrite the golden files")

// golden holds a request's messages against a file.
func golden(t *testing.T, name string, q llm.Request) {
	t.Helper()
	var b strings.Builder
	for _, m := range q.Messages {
		b.WriteString("## " + m.Role + "\n\n" + m.Text + "\n\n")
	}
	path := filepath.Join("testdata", "prompts", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "%s (-update rewrites it)", path)
}

// small is the pack of package corpus's tests, of two procedures.
func small(t *testing.T) *corpus.Corpus {
	t.Helper()
	pack, err := txtar.ParseFile("../sop/corpus/testdata/pack.txtar")
	require.NoError(t, err)
	dir := t.TempDir()
	for _, f := range pack.Files {
		path := filepath.Join(dir, f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, f.Data, 0o666))
	}
	c, err := corpus.Load(dir)
	require.NoError(t, err)
	return c
}
