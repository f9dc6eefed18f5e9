package llm

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/internal/run"
)

// fake is a model that a function answers for, and that counts what it was
// asked by the text of the last message.
type fake struct {
	answer func(ctx context.Context, q Request, times int) (Reply, error)

	mutex sync.Mutex
	times map[string]int
}

func (f *fake) Name() string { return "ollama:fake" }

func (f *fake) Chat(ctx context.Context, q Request) (Reply, error) {
	text := q.Messages[len(q.Messages)-1].Text
	f.mutex.Lock()
	if f.times == nil {
		f.times = map[string]int{}
	}
	f.times[text]++
	times := f.times[text]
	f.mutex.Unlock()
	return f.answer(ctx, q, times)
}

// total is how often it was asked.
func (f *fake) total() (n int) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, times := range f.times {
		n += times
	}
	return n
}

func (f *fake) forget() {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.times = nil
}

// echo answers with the question, after a second.
func echo(ctx context.Context, q Request, _ int) (Reply, error) {
	if err := run.Sleep(ctx, time.Second); err != nil {
		return Reply{}, err
	}
	return Reply{Text: "re: " + q.Messages[len(q.Messages)-1].Text, Finish: FinishStop, Usage: Usage{100, 10}}, nil
}

func runner(t *testing.T, m Named, o Options, files Files, drain *run.Drain) *Runner {
	t.Helper()
	r, err := NewRunner(m, o, files, drain)
	require.NoError(t, err)
	return r
}

// questions asks for n different things and returns what came for each, in the
// order in which it was handed over; a failure as its kind.
func questions(ctx context.Context, r *Runner, o EachOptions, n int) (got []string, err error) {
	err = Each(ctx, r, o, n,
		func(ctx context.Context, i int) (Reply, error) { return r.Chat(ctx, says(fmt.Sprint(i))) },
		func(i int, reply Reply, failed *Error) error {
			if failed != nil {
				got = append(got, fmt.Sprintf("%d %s", i, string(failed.Kind)))
			} else {
				got = append(got, reply.Text)
			}
			return nil
		})
	return got, err
}

// echoes are the replies to the first n questions.
func echoes(n int) (want []string) {
	for i := range n {
		want = append(want, fmt.Sprintf("re: %d", i))
	}
	return want
}
