package agents

import (
	"context"
	"errors"
	"fmt"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

// AskAll puts every question to an answerer, repeats times, and returns the
// answers in the order of questions and repeats. What a server failed at is an
// answer with Error set; only what ends a run is an error.
func AskAll(ctx context.Context, a Answerer, questions []rubric.Question, repeats int, o run.Options) ([]rubric.Answer, error) {
	answers := make([]rubric.Answer, 0, len(questions)*repeats)
	o.Name = func(i int) string { return fmt.Sprintf("question %s", questions[i/repeats].ID) }
	work := func(ctx context.Context, i int) (rubric.Answer, error) {
		q, repeat := &questions[i/repeats], i%repeats
		answer, err := a.Answer(ctx, q, repeat)
		var failed *llm.Error
		if errors.As(err, &failed) && !failed.Stops() {
			return rubric.Answer{Question: q.ID, Repeat: repeat, Model: a.Name(), Error: failed.Error()}, nil
		}
		return answer, err
	}
	err := run.Ordered(ctx, o, len(questions)*repeats, work, func(_ int, answer rubric.Answer) error {
		answers = append(answers, answer)
		return nil
	})
	return answers, llm.Ended(err, len(answers), len(questions)*repeats)
}

// Scorer is what scores answers. An error is the judge's or the server's fault
// and leaves the answer unscored. It is safe for concurrent use.
type Scorer interface {
	Name() string
	Score(ctx context.Context, q *rubric.Question, a *rubric.Answer) (rubric.Score, error)
}

// ScoreAll scores every answer, in their order. An answer that a server failed
// to give, or that the scorer fails on, is unscored with the reason; only what
// ends a run is an error.
func ScoreAll(ctx context.Context, s Scorer, questions []rubric.Question, answers []rubric.Answer, o run.Options) ([]rubric.Score, error) {
	index := map[string]*rubric.Question{}
	for i := range questions {
		index[questions[i].ID] = &questions[i]
	}
	scores := make([]rubric.Score, 0, len(answers))
	o.Name = func(i int) string { return fmt.Sprintf("answer to question %s", answers[i].Question) }
	work := func(ctx context.Context, i int) (rubric.Score, error) {
		a := &answers[i]
		q := index[a.Question]
		if q == nil {
			return rubric.Score{}, fmt.Errorf("question %s is not in the test set", a.Question)
		}
		return scoreAnswer(ctx, s, q, a)
	}
	err := run.Ordered(ctx, o, len(answers), work, func(_ int, score rubric.Score) error {
		scores = append(scores, score)
		return nil
	})
	return scores, llm.Ended(err, len(scores), len(answers))
}

// scoreAnswer scores one answer. The error is one that ends the run.
func scoreAnswer(ctx context.Context, s Scorer, q *rubric.Question, a *rubric.Answer) (rubric.Score, error) {
	unscored := rubric.Score{Question: a.Question, Repeat: a.Repeat, Scorer: s.Name(), Outcome: rubric.Unscored}
	if a.Error != "" {
		unscored.Reason = "no answer: " + a.Error
		return unscored, nil
	}
	score, err := s.Score(ctx, q, a)
	if err == nil {
		return score, nil
	}
	var failed *llm.Error
	var spent *run.SpentError
	if ctx.Err() != nil || errors.Is(err, llm.ErrStopped) || errors.As(err, &spent) || errors.As(err, &failed) && failed.Stops() {
		return rubric.Score{}, err
	}
	unscored.Reason = err.Error()
	return unscored, nil
}
