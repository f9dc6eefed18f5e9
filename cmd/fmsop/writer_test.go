package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/fmsop/fmsop/rubric"
)

// A rubric by a scripted model on a real server, and questions and references by
// two that a web server plays.
func TestModelsWrite(t *testing.T) {
	onePack(t)
	server := ollamatest.Start(t)
	server.Scripted("author", tinymodel.Script{"": tinymodel.Says("I do not know."), "Now write the dim": tinymodel.Says(proposals())})
	status, out, remarks := start(t, "", "rubric", "pack", "-o", "run", "--config", "config.yaml", "--model", "ollama:"+server.URL+"#author")
	require.Zero(t, status, remarks)
	assert.Contains(t, out, "── library, made by ollama:author ─")
	assert.Contains(t, remarks, "library: read in 1 piece, 7 dimensions proposed, 0 merged into others, 1 of 7 quotes astray\n"+
		"library: 1 left out: no evidence that stands in the corpus\n"+
		"library: what was left out is in run/dropped/rubric-library.jsonl\n")
	rubrics, err := agents.ReadRubrics("run/rubric.yaml")
	require.NoError(t, err)
	assert.Len(t, rubrics[0].Dimensions, 6)

	write := []string{"testset", "run", "--per-cell", "1", "--per-dimension", "1", "--per-level", "1", "--per-type", "1", "--written", "1",
		"--model", "openai:" + player(t, questionScript()) + "/v1#questions",
		"--reference-model", "openai:" + player(t, map[string]string{"the reference": `{"quotes": ["the member has signed in"], "answerable": true, "answer": "Whether the member has signed in."}`}) + "/v1#references"}
	status, _, remarks = start(t, "", write...)
	assert.Equal(t, 1, status)
	assert.Contains(t, remarks, "error: the corpus gives too few questions for library: level 3 conditional, written has 0 questions of 1\n")
	assert.Contains(t, remarks, "\nhint: --allow-shortfall goes on with what there is\n")
	assert.NoFileExists(t, "run/testset.jsonl")

	status, out, remarks = start(t, "", append(write, "--allow-shortfall")...)
	require.Zero(t, status, remarks)
	assert.Contains(t, remarks, "library: 4 left out: a quote does not stand in the SOP\n")
	assert.Contains(t, out, "\nwritten      factual  sequential  conditional  multi_hop\n"+
		"level 1      1/1      1/1         1/1          –\n"+
		"level 2      1/1      1/1         1/1          1/1\n"+
		"level 3      1/1      1/1         0/1          1/1\n"+
		"level 4      –        –           –            –\n")
	assert.Contains(t, out, "–  level 4 factual, written: there is one procedure alone\n")
	tests, err := agents.ReadTestset("run/testset.jsonl")
	require.NoError(t, err)
	written := 0
	for _, q := range tests {
		if q.Key.Kind == rubric.KeyNone {
			written++
			assert.Equal(t, []string{"openai:questions", "openai:references"}, []string{q.Author, q.ReferenceAuthor})
			assert.Equal(t, "Whether the member has signed in.", q.Reference)
			assert.Contains(t, q.Context, "the member has signed in")
		}
	}
	assert.Equal(t, 10, written, "levels 1 to 3, less what cannot be, and what is astray however often it is asked for")
	assert.Greater(t, len(tests), written)

	// What has no key is left to a judge.
	for _, step := range [][]string{{"answer", "run", "--model", "baseline:oracle"}, {"score", "run", "--json"}} {
		status, out, remarks = start(t, "", step...)
		require.Zero(t, status, remarks)
	}
	assert.Contains(t, out, `"unscored":[{"reason":"no key","count":10}]`)
}

// player plays a model at its address: the keyword that stands last in a request
// decides what it says.
func player(t *testing.T, script map[string]string) (address string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Messages []struct{ Content string } }
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		prompt := ""
		for _, m := range q.Messages {
			prompt += m.Content + "\n"
		}
		said, last := "I do not know.", -1
		for keyword, reply := range script {
			if at := strings.LastIndex(prompt, keyword); at > last {
				said, last = reply, at
			}
		}
		err := json.NewEncoder(w).Encode(map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": said}, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": len(prompt), "completion_tokens": len(said)},
		})
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// onePack makes the working folder one with the small pack, of one procedure,
// and settings for prompts of which each byte is a token.
func onePack(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, unpack(filepath.Join(dir, "pack")))
	t.Chdir(dir)
	require.NoError(t, os.Remove("pack/procedures/lend_book.yaml"))
	domain, err := os.ReadFile("pack/domain.yaml")
	require.NoError(t, err)
	domain = []byte(strings.ReplaceAll(string(domain), "used_in: [lend_book]", "used_in: [show_fees]"))
	require.NoError(t, os.WriteFile("pack/domain.yaml", domain, 0o666))
	require.NoError(t, os.WriteFile("config.yaml", []byte("llm: {sampling: {context: 16384}}\n"), 0o666))
}

// questionScript has another question for every level and type, one of which
// quotes what does not stand.
func questionScript() map[string]string {
	script := map[string]string{}
	subjects := strings.Fields("identity payment order denial evidence dues enrolment closing session figures calls records")
	for i, level := range []string{"stands in one place of the documents", "takes one rule, applied to the case that the question tells", "rules together, applied to the case that the question tells"} {
		for k, kind := range []string{"factual", "sequential", "conditional", "multi-hop"} {
			subject := subjects[4*i+k]
			quote := "Tells a member what is still open"
			if subject == "calls" {
				quote = "the member has to smile"
			}
			script[level+".\nType "+kind] = fmt.Sprintf(
				`{"questions": [{"quotes": ["the member has signed in", "%s"], "question": "As to %s, how does %s matter to %s?"}]}`, quote, subject, subject, subject)
		}
	}
	return script
}

// proposals are seven dimensions in the order of the schema, which servers
// enforce; what the last one quotes does not stand.
func proposals() string {
	var list []string
	for _, name := range strings.Fields("identity fees order refusal tools limits courtesy") {
		quote := "the member has signed in"
		if name == "courtesy" {
			quote = "the member has to smile"
		}
		var criteria []string
		for grade := range rubric.MaxGrade + 1 {
			criteria = append(criteria, fmt.Sprintf(`"%s is right in %d points."`, name, grade))
		}
		list = append(list, fmt.Sprintf(`{"name": "%s", "why": "It decides %s here.", "quotes": ["%s"], "criteria": [%s], "covers": ["order"], "weight": 3}`,
			name, name, quote, strings.Join(criteria, ", ")))
	}
	return fmt.Sprintf(`{"dimensions": [%s]}`, strings.Join(list, ", "))
}
