package agents

import (
	"context"

	"github.com/fmsop/fmsop/rubric"
)

// Answerer is what answers questions: a served model or a baseline. It is safe
// for concurrent use. An error is the server's fault and leaves the answer
// unscored; what the answerer itself does wrong is in the answer.
type Answerer interface {
	Name() string
	Answer(ctx context.Context, q *rubric.Question, repeat int) (rubric.Answer, error)
}

// answer is a baseline's reply.
func answer(name string, q *rubric.Question, repeat int, text string) rubric.Answer {
	return rubric.Answer{Question: q.ID, Repeat: repeat, Model: name, Text: text, Finish: "stop"}
}
