package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
	"github.com/fmsop/fmsop/rubric"
)

// A real server constrains what a judge writes to the grades on offer.
func TestJudgeOverOllama(t *testing.T) {
	q := lendQuestion()
	answer := &rubric.Answer{Question: q.ID, Text: "lend_tool"}
	var s sheet
	_, err := newJudge(judgeModel(func(r llm.Request) (llm.Reply, error) {
		s = readSheet(t, r)
		return judgeSays(s.verdict(0, "r"))(r)
	}), agents.JudgeOptions{Repeats: 1}).Score(context.Background(), q, answer)
	require.NoError(t, err)

	server := ollamatest.Start(t)
	server.Scripted("strict", tinymodel.Script{"": tinymodel.Says(s.verdict(1, "The member is not looked up."))})
	server.Scripted("chatty", tinymodel.Script{"": tinymodel.Says("This is a good answer.")})
	judge := func(model, structured string) *agents.Judge {
		options := llm.Options{Sampling: llm.Sampling{MaxTokens: 300}}
		client, err := llm.Open("ollama:"+server.URL+"#"+model, options)
		require.NoError(t, err)
		return agents.NewJudge(client.Name(), &llm.Asker{Model: client, Structured: structured}, []*rubric.Rubric{lendRubric()}, agents.JudgeOptions{Repeats: 2, Sampling: options.Sampling})
	}
	for _, structured := range []string{"schema", "prompt"} {
		got, err := judge("strict", structured).Score(context.Background(), q, answer)
		require.NoError(t, err, structured)
		assert.Equal(t, map[string]float64{"order": 0.25, "refusal": 0.25}, got.E)
		assert.Equal(t, "order: The member is not looked up.\nrefusal: The member is not looked up.", got.Reason)
		assert.Equal(t, "ollama:strict", got.Scorer)
	}
	_, err = judge("chatty", "prompt").Score(context.Background(), q, answer)
	assert.ErrorIs(t, err, llm.Unusable)
	assert.ErrorContains(t, err, "there is no JSON object in the reply")
}
