package llm

import (
	"context"
	"errors"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script answers with one text after the other and keeps the requests.
type script struct {
	replies  []Reply
	errors   []error
	requests []Request
}

func (s *script) Chat(_ context.Context, q Request) (Reply, error) {
	i := len(s.requests)
	s.requests = append(s.requests, q)
	if i < len(s.errors) && s.errors[i] != nil {
		return Reply{}, s.errors[i]
	}
	return s.replies[i], nil
}

func texts(all ...string) (out []Reply) {
	for _, t := range all {
		out = append(out, Reply{Text: t, Finish: FinishStop})
	}
	return out
}

func TestAskSendsBackWhatCannotBeUsed(t *testing.T) {
	m := &script{replies: texts("<think>Hm.</think>The score is high.", `{"score": 5, "reason": "fits"}`, `{"score": 4, "reason": "fits",}`)}
	a := Asker{Model: m, Reasks: 2}
	q := Request{Messages: []Message{{Role: System, Text: "Judge."}, {Role: User, Text: "This."}}, Sampling: Sampling{Seed: new(1)}}
	s := verdictSchema(t)
	answer, err := Ask[verdict](t.Context(), &a, q, s)
	require.NoError(t, err)
	assert.Equal(t, Answer[verdict]{Value: verdict{4, "fits"}, Reply: m.replies[2], Repairs: []string{fixTrailing}, Asked: 3}, answer)

	first := "This.\n\nReply with one JSON value of this JSON Schema, and nothing else:\n" + string(s.text)
	assert.Equal(t, []Message{
		{Role: System, Text: "Judge."}, {Role: User, Text: first},
		{Role: Assistant, Text: "The score is high."},
		{Role: User, Text: "That reply cannot be used: there is no JSON object in the reply. Reply again, with the corrected JSON value and nothing else."},
		{Role: Assistant, Text: `{"score": 5, "reason": "fits"}`},
		{Role: User, Text: "That reply cannot be used: score: maximum: 5 is greater than 4. Reply again, with the corrected JSON value and nothing else."},
	}, m.requests[2].Messages)
	assert.Equal(t, "This.", q.Messages[1].Text, "the caller's messages stay as they are")
	assert.Same(t, s, m.requests[2].Schema)
	assert.Equal(t, q.Sampling, m.requests[2].Sampling)
}

func TestAskAnEmptyReplyIsNotSentBack(t *testing.T) {
	m := &script{replies: append([]Reply{{Thinking: "Hm.", Finish: FinishStop}}, texts(`{"score": 4, "reason": "fits"}`)...)}
	answer, err := Ask[verdict](t.Context(), &Asker{Model: m, Reasks: 1}, says("This."), verdictSchema(t))
	require.NoError(t, err)
	assert.Equal(t, 2, answer.Asked)
	require.Len(t, m.requests[1].Messages, 1)
	assert.Contains(t, m.requests[1].Messages[0].Text, "\n\nThat reply cannot be used: the reply is empty but for its thinking. ")
}

func TestAskUnusableKeepsTheReply(t *testing.T) {
	m := &script{replies: texts("no", "no!")}
	_, err := Ask[verdict](t.Context(), &Asker{Model: m, Reasks: 1}, says("This."), verdictSchema(t))
	assert.EqualError(t, err, "unusable: there is no JSON object in the reply (after 2 attempts)")
	problem, ok := errors.AsType[*Error](err)
	require.True(t, ok)
	assert.Equal(t, "no!", problem.Reply.Text)
	assert.ErrorIs(t, err, Unusable)
	assert.False(t, problem.Stops() || problem.Temporary())
}

func TestAskModes(t *testing.T) {
	refused := &Error{Kind: BadRequest, Message: "response_format is not supported"}
	good := `{"score": 4, "reason": "fits"}`
	for _, test := range []struct {
		name, mode  string
		errors      []error
		constrained []bool // of each request
		fails       bool
	}{
		{"schema", "schema", nil, []bool{true, true}, false},
		{"schema that is refused", "schema", []error{refused}, []bool{true}, true},
		{"prompt", "prompt", nil, []bool{false, false}, false},
		{"auto", "", nil, []bool{true, true}, false},
		{"auto that is refused", "auto", []error{refused}, []bool{true, false, false}, false},
		{"auto, not because of the schema", "auto", []error{refused, refused}, []bool{true, false}, true},
		{"auto, but busy", "auto", []error{&Error{Kind: Overloaded}}, []bool{true}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := &script{errors: test.errors, replies: texts(good, good, good, good)}
			a := Asker{Model: m, Structured: test.mode}
			_, err := Ask[verdict](t.Context(), &a, says("This."), verdictSchema(t))
			if assert.Equal(t, test.fails, err != nil) && !test.fails {
				_, err = Ask[verdict](t.Context(), &a, says("That."), verdictSchema(t))
				require.NoError(t, err)
			}
			var constrained []bool
			for _, q := range m.requests {
				constrained = append(constrained, q.Schema != nil)
			}
			assert.Equal(t, test.constrained, constrained)
		})
	}
}

func TestSchemaFor(t *testing.T) {
	type item struct {
		Names []string       `json:"names" jsonschema:"as in the text"`
		Next  *item          `json:"-"`
		Level *int           `json:"level,omitempty"`
		Grade map[string]int `json:"grade"`
	}
	s, err := SchemaFor[[]item]("items", func(s *jsonschema.Schema) { s.MinItems = new(1) })
	require.NoError(t, err)
	text, err := s.MarshalJSON()
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"array","minItems":1,"items":{"type":"object","additionalProperties":false,"required":["names","grade"],"properties":{
		"names":{"type":"array","description":"as in the text","items":{"type":"string"}},
		"level":{"type":"integer"},
		"grade":{"type":"object","additionalProperties":{"type":"integer"}}}}}`, string(text))
	value, _, err := s.Extract(Reply{Text: `Two: [{"names": ["a"], "grade": {}}, {"names": [], "grade": {"x": 1}}]`, Finish: FinishStop})
	require.NoError(t, err)
	assert.JSONEq(t, `[{"names": ["a"], "grade": {}}, {"names": [], "grade": {"x": 1}}]`, string(value))
	assert.EqualError(t, s.Check([]byte(`[]`)), "minItems: array length 0 is less than 1")
}
