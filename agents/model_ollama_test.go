package agents_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	running "github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/fmsop/fmsop/rubric"
)

// gate lets one request for questions through, and all for references: a server
// on a processor reads slowly.
type gate struct {
	llm.Model
	passed atomic.Bool
}

func (g *gate) Chat(ctx context.Context, q llm.Request) (llm.Reply, error) {
	const one = "\nLevel 2, one rule: the answer takes one rule, applied to the case that the question tells.\nType factual"
	if text := q.Messages[1].Text; strings.Contains(text, "\nLevel ") && (!strings.Contains(text, one) || g.passed.Swap(true)) {
		return llm.Reply{}, &llm.Error{Kind: llm.Refused, Message: "one is enough"}
	}
	return g.Model.Chat(ctx, q)
}

// Real servers hold what is written to its schema.
func TestQuestionsOverOllama(t *testing.T) {
	c := small(t)
	r, _, err := agents.DraftRubric(t.Context(), c, drafter(t, 6).writer(), running.Options{Workers: 1})
	require.NoError(t, err)
	server := ollamatest.Start(t)
	server.Scripted("author", tinymodel.Script{"": tinymodel.Says(`{"questions": [{"quotes": ["the member has signed in"], "question": "May the desk act for a member who has not signed in?"}]}`)})
	server.Scripted("reference", tinymodel.Script{"": tinymodel.Says(`{"quotes": ["the member has signed in"], "answerable": true, "answer": "No, the answer is deny."}`)})
	server.Scripted("chatty", tinymodel.Script{"": tinymodel.Says("No, it may not.")})
	writer := func(model, structured string) *agents.Writer {
		options := llm.Options{Sampling: llm.Sampling{Context: 16384, MaxTokens: 300}}
		client, err := llm.Open("ollama:"+server.URL+"#"+model, options)
		require.NoError(t, err)
		return &agents.Writer{Name: client.Name(), Asker: &llm.Asker{Model: &gate{Model: client}, Structured: structured}, Sampling: options.Sampling}
	}
	write := func(references *agents.Writer) ([]rubric.Question, []agents.Drop) {
		list, _, drops, err := agents.WriteTestset(t.Context(), c, r, nil, agents.WriteOptions{
			PerCell: 1, PerDimension: 1, Questions: writer("author", "schema"), References: references}, running.Options{Workers: 4})
		require.NoError(t, err)
		return list, drops
	}
	list, _ := write(writer("reference", "schema"))
	require.Len(t, list, 1)
	assert.Equal(t, "May the desk act for a member who has not signed in?", list[0].Query)
	assert.Equal(t, "No, the answer is deny.", list[0].Reference)
	assert.Equal(t, []string{"ollama:author", "ollama:reference"}, []string{list[0].Author, list[0].ReferenceAuthor})

	list, drops := write(writer("chatty", "prompt"))
	assert.Empty(t, list)
	assert.Contains(t, agents.CountDrops(drops), rubric.Reason{Reason: "no usable reference", Count: 1})
}
