package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/internal/run"
)

func TestRunnerResumesWhereABudgetStopped(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			files := Files{Ledger: filepath.Join(t.TempDir(), "ledger.jsonl")}
			m := &fake{answer: echo}
			r := runner(t, m, Options{Concurrency: 8, Budget: run.Budget{Calls: 30}}, files, nil)
			got, err := questions(t.Context(), r, EachOptions{Unordered: unordered}, 100)
			var spent *run.SpentError
			require.ErrorAs(t, err, &spent)
			assert.Equal(t, fmt.Sprintf("stopped after %d of 100 jobs: the budget of 30 calls is spent", len(got)), err.Error())
			assert.Equal(t, 30, m.total(), "what the budget allows is asked, what is being asked is finished")
			require.NoError(t, r.Close())

			r = runner(t, m, Options{Concurrency: 8}, files, nil)
			got, err = questions(t.Context(), r, EachOptions{}, 100)
			require.NoError(t, err)
			assert.Equal(t, echoes(100), got)
			for text, times := range m.times {
				assert.Equal(t, 1, times, "question %s", text)
			}
			s := r.Stats()
			assert.Equal(t, [3]int{70, 30, 0}, [3]int{s.Calls, s.Known, s.Retries})
			require.NoError(t, r.Close())

			m.forget()
			r = runner(t, m, Options{Budget: run.Budget{Calls: 1}}, files, nil) // nothing is left to ask
			got, err = questions(t.Context(), r, EachOptions{}, 100)
			require.NoError(t, err)
			assert.Equal(t, echoes(100), got)
			assert.Zero(t, m.total())
			require.NoError(t, r.Close())
		})
	}
}

func TestRunnerResumesAfterAKillInALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ledger.jsonl")
		m := &fake{answer: echo}
		r := runner(t, m, Options{}, Files{Ledger: path}, nil)
		_, err := questions(t.Context(), r, EachOptions{}, 10)
		require.NoError(t, err)
		require.NoError(t, r.Close())
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, whole[:len(whole)-7], 0o666))

		m.forget()
		r = runner(t, m, Options{}, Files{Ledger: path}, nil)
		got, err := questions(t.Context(), r, EachOptions{}, 10)
		require.NoError(t, err)
		assert.Equal(t, echoes(10), got)
		assert.Equal(t, 1, m.total())
		assert.Equal(t, 1, r.Stats().Dropped)
		assert.Contains(t, r.Stats().String(), "1 calls, 0 of them retries; 9 replies from the ledger; 100 tokens read, 10 written")
		require.NoError(t, r.Close())
	})
}

func TestRunnerBudgets(t *testing.T) {
	price := map[string]Price{"ollama:fake": {Prompt: 1000, Completion: 100_000}} // 1.1 a call
	for _, test := range []struct {
		name   string
		budget run.Budget
		calls  int
		says   string
	}{
		{"tokens", run.Budget{Tokens: 1000}, 10, "the budget of 1000 tokens is spent"},
		{"cost", run.Budget{Cost: 3}, 3, "the budget of 3 in money is spent"},
		{"time", run.Budget{Time: 5 * time.Second}, 5, "the budget of 5s is spent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &fake{answer: echo}
				r := runner(t, m, Options{Concurrency: 1, Budget: test.budget, Prices: price}, Files{}, nil)
				got, err := questions(t.Context(), r, EachOptions{}, 100)
				assert.ErrorContains(t, err, test.says)
				assert.Equal(t, echoes(test.calls), got)
				assert.Equal(t, test.calls, m.total())
				assert.InDelta(t, 1.1*float64(test.calls), r.Stats().Cost, 1e-9)
				require.NoError(t, r.Close())
			})
		})
	}
	_, err := NewRunner(&fake{}, Options{Budget: run.Budget{Cost: 3}}, Files{}, nil)
	assert.EqualError(t, err, "the budget has a cost, but there is no price of ollama:fake")
}

func TestRunnerTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		files := Files{Ledger: filepath.Join(dir, "ledger.jsonl"), Failures: filepath.Join(dir, "failures.jsonl")}
		kinds := []Kind{Timeout, ServerFault, BrokenOff, Unreadable, Overloaded, PromptTooLong, BadRequest, Refused}
		fails := func(ctx context.Context, q Request, times int) (Reply, error) {
			var i int
			fmt.Sscan(q.Messages[0].Text, &i)
			kind := kinds[i%len(kinds)]
			problem := &Error{Kind: kind, Server: "ollama:fake", Message: "oh", Reply: &Reply{Text: "half a re", Usage: Usage{50, 5}}}
			if always := i >= len(kinds); always || times < 3 {
				return Reply{}, problem
			}
			return echo(ctx, q, times)
		}
		m := &fake{answer: fails}
		r := runner(t, m, Options{Attempts: 4}, files, nil)
		got, err := questions(t.Context(), r, EachOptions{Name: func(i int) string { return fmt.Sprintf("question %d", i) }}, 16)
		require.NoError(t, err)
		assert.Equal(t, []string{"re: 0", "re: 1", "re: 2", "re: 3", "re: 4", "5 prompt_too_long", "6 bad_request", "7 refused",
			"8 timeout", "9 server_fault", "10 broken_off", "11 unreadable", "12 overloaded", "13 prompt_too_long", "14 bad_request", "15 refused"}, got)
		for i := range 16 {
			want := []int{3, 1, 4, 1}[i/8*2+min(1, i%8/5)] // what cannot pass is asked once
			assert.Equal(t, want, m.times[fmt.Sprint(i)], "question %d", i)
		}
		s := r.Stats()
		assert.Equal(t, 5*2+5*3, s.Retries)
		assert.Equal(t, map[Kind]int{Timeout: 1, ServerFault: 1, BrokenOff: 1, Unreadable: 1, Overloaded: 1, PromptTooLong: 2, BadRequest: 2, Refused: 2}, s.Failures)
		assert.Equal(t, 5*100+(5*2+5*4+6)*50, s.Prompt, "what failed replies used counts as well")
		require.NoError(t, r.Close())

		text, err := os.ReadFile(files.Failures)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		require.Len(t, lines, 11)
		assert.Equal(t, `{"job":"question 8","kind":"timeout","error":"ollama:fake: timeout: oh (after 4 attempts)","attempts":4,"text":"half a re"}`, lines[3])

		// A later run asks what failed, and only that.
		m.forget()
		m.answer = echo
		r = runner(t, m, Options{}, files, nil)
		got, err = questions(t.Context(), r, EachOptions{}, 16)
		require.NoError(t, err)
		assert.Equal(t, echoes(16), got)
		assert.Equal(t, 11, m.total())
		text, err = os.ReadFile(files.Failures)
		require.NoError(t, err)
		assert.Empty(t, text)
		require.NoError(t, r.Close())
	})
}

func TestRunnerStopsWhereAskingOnIsPointless(t *testing.T) {
	for kind, said := range map[Kind]string{
		Denied:      "ollama:fake: denied",
		NoModel:     "ollama:fake: " + NoModel.Error(),
		Unreachable: "ollama:fake: unreachable (after 5 attempts)",
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &fake{answer: func(ctx context.Context, q Request, times int) (Reply, error) {
				if q.Messages[0].Text == "7" {
					return Reply{}, &Error{Kind: kind, Server: "ollama:fake"}
				}
				return echo(ctx, q, times)
			}}
			r := runner(t, m, Options{Concurrency: 4}, Files{}, nil)
			got, err := questions(t.Context(), r, EachOptions{}, 10_000)
			assert.ErrorIs(t, err, kind)
			assert.EqualError(t, err, said)
			assert.Equal(t, echoes(len(got)), got)
			assert.LessOrEqual(t, len(got), 7)
			assert.Less(t, m.total(), 100)
			_, err = r.Chat(t.Context(), says("more"))
			assert.ErrorIs(t, err, kind)
			require.NoError(t, r.Close())
		})
	}
}

// Who waits on a Runner without Each ends with the first that finds no server,
// not one after the other.
func TestAllWhoWaitMeetWhatEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, newNetwork(t).open(wires[0].models("a"), Options{}), Options{}, Files{}, nil)
		start := time.Now()
		var asking sync.WaitGroup
		for i := range 50 {
			asking.Go(func() {
				_, err := r.Chat(t.Context(), says(fmt.Sprint(i)))
				assert.ErrorIs(t, err, Unreachable)
			})
		}
		asking.Wait()
		assert.Less(t, time.Since(start), 10*time.Second)
		require.NoError(t, r.Close())
	})
}

func TestRunnerAsksTheSameOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fake{answer: echo}
		r := runner(t, m, Options{}, Files{}, nil)
		err := Each(t.Context(), r, EachOptions{}, 20,
			func(ctx context.Context, i int) (Reply, error) {
				q := says("same")
				q.Repeat = i % 2
				return r.Chat(ctx, q)
			},
			func(_ int, reply Reply, _ *Error) error { assert.Equal(t, "re: same", reply.Text); return nil })
		require.NoError(t, err)
		assert.Less(t, m.total(), 20, "those at the same time share a reply")
		require.NoError(t, r.Close())
	})
}

// TestRunnerKey changes a request in every way that matters, and in those that
// do not.
func TestRunnerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fake{answer: func(context.Context, Request, int) (Reply, error) { return Reply{Finish: FinishStop}, nil }}
		r := runner(t, m, Options{}, Files{Ledger: filepath.Join(t.TempDir(), "ledger.jsonl")}, nil)
		number, err := NewSchema("a", verdictSchema(t).resolved.Schema())
		require.NoError(t, err)
		for name, change := range map[string]func(*Request){
			"nothing":     func(q *Request) {},
			"text":        func(q *Request) { q.Messages[0].Text = "b" },
			"role":        func(q *Request) { q.Messages[0].Role = System },
			"messages":    func(q *Request) { q.Messages = append(q.Messages, Message{Role: User, Text: "a"}) },
			"calls":       func(q *Request) { q.Messages[0].ToolCalls = []ToolCall{{"", "f", "{}"}} },
			"tools":       func(q *Request) { q.Tools = []Tool{{Name: "f"}} },
			"parameters":  func(q *Request) { q.Tools = []Tool{{Name: "f", Parameters: json.RawMessage(`{"type":"object"}`)}} },
			"schema":      func(q *Request) { q.Schema = number },
			"temperature": func(q *Request) { q.Temperature = new(0.0) },
			"warmer":      func(q *Request) { q.Temperature = new(0.1) },
			"top_p":       func(q *Request) { q.TopP = new(0.1) },
			"top_k":       func(q *Request) { q.TopK = 1 },
			"seed":        func(q *Request) { q.Seed = new(0) },
			"other seed":  func(q *Request) { q.Seed = new(1) },
			"max_tokens":  func(q *Request) { q.MaxTokens = 1 },
			"stop":        func(q *Request) { q.Stop = []string{"x"} },
			"think":       func(q *Request) { q.Think = "off" },
			"context":     func(q *Request) { q.Context = 1 },
			"logprobs":    func(q *Request) { q.Logprobs = true },
			"extra":       func(q *Request) { q.Extra = map[string]any{"min_p": 0.1} },
			"repeat":      func(q *Request) { q.Repeat = 1 },
		} {
			for range 2 {
				before := m.total()
				q := says("a")
				change(&q)
				_, err := r.Chat(t.Context(), q)
				require.NoError(t, err)
				if before == m.total() {
					name = "" // known the second time
				}
			}
			assert.Empty(t, name, "asked twice")
		}
		assert.Equal(t, 21, m.total(), "two that differ have one key")
		require.NoError(t, r.Close())
	})
}

func TestRunnerRates(t *testing.T) {
	for _, o := range []Options{{RequestsPerMinute: 60}, {TokensPerMinute: 60 * 110}} {
		synctest.Test(t, func(t *testing.T) {
			m := &fake{answer: echo}
			r := runner(t, m, o, Files{}, nil)
			start := time.Now()
			_, err := questions(t.Context(), r, EachOptions{}, 300)
			require.NoError(t, err)
			assert.InDelta(t, 300, time.Since(start).Seconds(), 25, "%+v", o)
			require.NoError(t, r.Close())
		})
	}
}

func TestRunnerFirstSignalFinishesWhatIsAsked(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			files := Files{Ledger: filepath.Join(t.TempDir(), "ledger.jsonl")}
			m := &fake{answer: echo}
			ctx, cancel := context.WithCancel(t.Context())
			drain := run.NewDrain(cancel)
			time.AfterFunc(10500*time.Millisecond, drain.Signal)
			r := runner(t, m, Options{Concurrency: 4}, files, drain)
			start := time.Now()
			got, err := questions(ctx, r, EachOptions{Unordered: unordered}, 1000)
			assert.Equal(t, run.ErrDrained{Done: len(got), Total: 1000}, err)
			assert.Equal(t, 11*time.Second, time.Since(start), "what is asked is finished, and nothing more")
			assert.Equal(t, 44, m.total())
			require.NoError(t, r.Close())

			r = runner(t, m, Options{}, files, nil)
			got, err = questions(t.Context(), r, EachOptions{}, 60)
			require.NoError(t, err)
			assert.Equal(t, echoes(60), got)
			assert.Equal(t, 60, m.total(), "nothing is asked twice")
			require.NoError(t, r.Close())
		})
	}
}

func TestRunnerSecondSignalEndsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := Files{Ledger: filepath.Join(t.TempDir(), "ledger.jsonl")}
		m := &fake{answer: echo}
		ctx, cancel := context.WithCancel(t.Context())
		drain := run.NewDrain(cancel)
		time.AfterFunc(10300*time.Millisecond, drain.Signal)
		time.AfterFunc(10600*time.Millisecond, drain.Signal)
		r := runner(t, m, Options{Concurrency: 4}, files, drain)
		start := time.Now()
		_, err := questions(ctx, r, EachOptions{}, 1000)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 10600*time.Millisecond, time.Since(start))
		require.NoError(t, r.Close())

		r = runner(t, m, Options{}, files, nil)
		_, err = questions(t.Context(), r, EachOptions{}, 60)
		require.NoError(t, err)
		assert.Equal(t, 60+4, m.total(), "the four that were cut are asked again")
		require.NoError(t, r.Close())
	})
}

func TestRunnerSinkErrorEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		m := &fake{answer: echo}
		r := runner(t, m, Options{Concurrency: 4}, Files{}, nil)
		err := Each(t.Context(), r, EachOptions{}, 1000,
			func(ctx context.Context, i int) (Reply, error) { return r.Chat(ctx, says(fmt.Sprint(i))) },
			func(i int, _ Reply, _ *Error) error {
				if i == 5 {
					return full
				}
				return nil
			})
		assert.Equal(t, full, err)
		assert.Less(t, m.total(), 30)
		require.NoError(t, r.Close())
	})
}

// vectors is a model that has vectors from the third time on.
type vectors struct {
	fake
	asked int
}

func (v *vectors) Embed(_ context.Context, texts []string) ([][]float32, Usage, error) {
	if v.asked++; v.asked < 3 {
		return nil, Usage{}, &Error{Kind: Overloaded}
	}
	return make([][]float32, len(texts)), Usage{Prompt: 7}, nil
}

func TestRunnerEmbeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runner(t, &vectors{}, Options{}, Files{}, nil)
		defer r.Close()
		got, used, err := r.Embed(t.Context(), []string{"a", "b"})
		require.NoError(t, err)
		assert.Len(t, got, 2)
		assert.Equal(t, Usage{Prompt: 7}, used)
		s := r.Stats()
		assert.Equal(t, [3]int{3, 2, 7}, [3]int{s.Calls, s.Retries, s.Prompt})
		assert.Empty(t, s.Finishes)

		none := runner(t, &fake{}, Options{}, Files{}, nil)
		defer none.Close()
		_, _, err = none.Embed(t.Context(), []string{"a"})
		assert.EqualError(t, err, "ollama:fake has no embeddings")
	})
}

func TestRunnerCountsWhatWasSentBackAndRepaired(t *testing.T) {
	replies := map[int]string{1: "The score is high.", 2: `{"score": 9, "reason": "fits"}`, 3: `{"score": 4, "reason": "fits",}`}
	m := &fake{}
	times := 0
	m.answer = func(context.Context, Request, int) (Reply, error) {
		times++
		return Reply{Text: replies[times], Finish: FinishStop}, nil
	}
	r := runner(t, m, Options{}, Files{}, nil)
	defer r.Close()
	_, err := Ask[verdict](t.Context(), &Asker{Model: r, Reasks: 2}, says("This."), verdictSchema(t))
	require.NoError(t, err)
	s := r.Stats()
	assert.Equal(t, [3]int{3, 2, 1}, [3]int{s.Calls, s.Reasks, s.Repaired})
	assert.Contains(t, s.String(), "2 replies sent back, 1 repaired")
}
