package llm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
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

// troubled puts faults before a server: two requests of three meet one. It
// counts the replies that went out whole.
type troubled struct {
	w    wire
	next http.HandlerFunc

	mutex  sync.Mutex
	tries  map[string]int
	whole  map[string]int
	faults map[string]int
}

func (p *troubled) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	var body bytes.Buffer
	if _, err := body.ReadFrom(r.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
	question := body.String()
	p.mutex.Lock()
	p.tries[question]++
	hash := fnv.New64()
	fmt.Fprint(hash, question)
	chance := rand.New(rand.NewPCG(hash.Sum64(), uint64(p.tries[question])))
	fault := []string{"delay", "cut", "garble", "429", "500", "503", "hang", "reset", "", "", "", ""}[chance.IntN(12)]
	p.faults[fault]++
	p.mutex.Unlock()

	switch fault {
	case "429":
		out.Header().Set("Retry-After", "3")
		p.w.fail(out, 429, "slow down")
		return
	case "500":
		p.w.fail(out, 500, "llama runner process has terminated")
		return
	case "503":
		p.w.fail(out, 503, "server busy, please try again.  maximum pending requests exceeded")
		return
	case "hang":
		<-r.Context().Done()
		return
	case "reset":
		panic(http.ErrAbortHandler)
	case "delay":
		time.Sleep(20 * time.Second)
	}
	r.Body = readCloser{&body}
	recorded := httptest.NewRecorder()
	p.next(recorded, r)
	reply := recorded.Body.Bytes()
	switch fault {
	case "garble":
		reply = bytes.ReplaceAll(reply, []byte(`"`), []byte(`'`))
	case "cut":
		out.Header().Set("Content-Length", fmt.Sprint(len(reply)))
		out.Write(reply[:len(reply)/2])
		panic(http.ErrAbortHandler)
	default:
		p.mutex.Lock()
		p.whole[question]++
		p.mutex.Unlock()
	}
	out.Write(reply)
}

type readCloser struct{ *bytes.Buffer }

func (readCloser) Close() error { return nil }

// TestNoAnswerIsLostOrCountedTwice runs against a server with every fault,
// over true HTTP, with a key, and looks into everything that was written.
func TestNoAnswerIsLostOrCountedTwice(t *testing.T) {
	const key = "sk-test-0123456789abcdef"
	t.Setenv("FMSOP_TEST_KEY", key)
	eachWire(t, func(t *testing.T, w wire) {
		synctest.Test(t, func(t *testing.T) {
			const n = 400
			dir := t.TempDir()
			files := Files{Ledger: filepath.Join(dir, "ledger.jsonl"), Failures: filepath.Join(dir, "failures.jsonl")}
			p := &troubled{w: w, next: w.answer(t), tries: map[string]int{}, whole: map[string]int{}, faults: map[string]int{}}
			net := newNetwork(t)
			net.start("a:80", p.ServeHTTP)
			o := Options{Timeout: time.Minute, Attempts: 50, KeyVariable: "FMSOP_TEST_KEY"}
			r := runner(t, net.open(w.models("a"), o), o, files, nil)
			got, err := questions(t.Context(), r, EachOptions{}, n)
			require.NoError(t, err)
			assert.Equal(t, echoes(n), got)
			assert.Len(t, p.whole, n)
			calls := 0
			for question, times := range p.whole {
				assert.Equal(t, 1, times, "%s", question)
				calls += p.tries[question]
			}
			for _, fault := range []string{"delay", "cut", "garble", "429", "500", "503", "hang", "reset"} {
				assert.Positive(t, p.faults[fault], fault)
			}
			s := r.Stats()
			assert.Equal(t, calls, s.Calls)
			assert.Equal(t, calls-n, s.Retries)
			assert.Equal(t, n*100, s.Prompt, "what the replies used, once")
			assert.Equal(t, map[Finish]int{FinishStop: n}, s.Finishes)
			assert.Equal(t, map[Kind]int{RateLimited: p.faults["429"], ServerFault: p.faults["500"], Overloaded: p.faults["503"], Timeout: p.faults["hang"],
				BrokenOff: p.faults["cut"] + p.faults["reset"], Unreadable: p.faults["garble"]}, s.Errors)
			require.NoError(t, r.Close())

			r = runner(t, net.open(w.models("b"), o), o, files, nil) // there is no b: nothing is asked
			got, err = questions(t.Context(), r, EachOptions{Unordered: true}, n)
			require.NoError(t, err)
			assert.ElementsMatch(t, echoes(n), got)
			require.NoError(t, r.Close())

			require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := os.ReadFile(path)
				assert.NotContains(t, string(text), key[:8], path)
				return err
			}))
			assert.NotContains(t, s.String(), key[:8])
		})
	})
}

func TestRetryAfterIsKept(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		synctest.Test(t, func(t *testing.T) {
			var times []time.Duration
			start := time.Now()
			net := newNetwork(t)
			net.start("a:80", func(out http.ResponseWriter, r *http.Request) {
				times = append(times, time.Since(start))
				if len(times) == 1 {
					out.Header().Set("Retry-After", "40")
					w.fail(out, 429, "slow down")
					return
				}
				w.answer(t)(out, r)
			})
			r := runner(t, net.open(w.models("a"), Options{}), Options{Concurrency: 1}, Files{}, nil)
			_, err := questions(t.Context(), r, EachOptions{}, 2)
			require.NoError(t, err)
			require.Len(t, times, 3)
			assert.GreaterOrEqual(t, times[1], 40*time.Second)
			assert.Less(t, times[1], 43*time.Second)
			require.NoError(t, r.Close())
		})
	})
}

func TestSeveralServersShareTheLoad(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		synctest.Test(t, func(t *testing.T) {
			net := newNetwork(t)
			var mutex sync.Mutex
			asked := map[string]int{}
			serve := func(host string) func() {
				return net.start(host+":80", func(out http.ResponseWriter, r *http.Request) {
					mutex.Lock()
					asked[host]++
					mutex.Unlock()
					w.answer(t)(out, r)
				})
			}
			serve("a")
			stop := serve("b")
			client := net.open(w.models("a", "b"), Options{})
			r := runner(t, client, Options{Concurrency: 8}, Files{}, nil)
			_, err := questions(t.Context(), r, EachOptions{}, 200)
			require.NoError(t, err)
			assert.InDelta(t, 100, asked["a"], 10)
			assert.Equal(t, 200, asked["a"]+asked["b"])

			// One goes away in the middle of a run, and comes back.
			clear(asked)
			time.AfterFunc(5500*time.Millisecond, stop)
			time.AfterFunc(60*time.Second, func() { serve("b") })
			got, err := func() ([]string, error) {
				var got []string
				err := Each(t.Context(), r, EachOptions{}, 1000, func(ctx context.Context, i int) (Reply, error) {
					return r.Chat(ctx, says(fmt.Sprint(1000+i)))
				}, func(_ int, reply Reply, failed *Error) error {
					assert.Nil(t, failed)
					got = append(got, reply.Text)
					return nil
				})
				return got, err
			}()
			require.NoError(t, err)
			assert.Len(t, got, 1000)
			assert.Greater(t, asked["a"], 550)
			assert.Greater(t, asked["b"], 100)
			met := r.Stats().Errors
			assert.Positive(t, met[BrokenOff]+met[Unreachable])
			assert.Less(t, met[Unreachable], 12, "a dead server is asked seldom")
			require.NoError(t, r.Close())
		})
	})
}

func TestARunOutlivesARestart(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		synctest.Test(t, func(t *testing.T) {
			net := newNetwork(t)
			stop := net.start("a:80", w.answer(t))
			time.AfterFunc(3500*time.Millisecond, stop)
			time.AfterFunc(80*time.Second, func() { net.start("a:80", w.answer(t)) })
			r := runner(t, net.open(w.models("a"), Options{}), Options{Attempts: 2}, Files{}, nil)
			got, err := questions(t.Context(), r, EachOptions{}, 100)
			require.NoError(t, err)
			assert.Equal(t, echoes(100), got)
			require.NoError(t, r.Close())
		})
	})
}

func TestARunEndsWhereNoServerComesBack(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		synctest.Test(t, func(t *testing.T) {
			net := newNetwork(t)
			stop := net.start("a:80", w.answer(t))
			time.AfterFunc(3500*time.Millisecond, stop)
			o := Options{Patience: time.Minute}
			r := runner(t, net.open(w.models("a"), o), o, Files{}, nil)
			start := time.Now()
			_, err := questions(t.Context(), r, EachOptions{}, 10_000)
			assert.ErrorIs(t, err, Unreachable)
			assert.ErrorContains(t, err, w.name+":x at a: unreachable: connection refused; no server could be reached for 1m0s")
			assert.Less(t, time.Since(start), 2*time.Minute)
			require.NoError(t, r.Close())
		})
	})
}

func TestAClientTriesAgainAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := wires[0]
		net := newNetwork(t)
		client := net.open(w.models("a"), Options{})
		_, err := client.Chat(t.Context(), says("hello"))
		assert.ErrorIs(t, err, Unreachable)
		stop := net.start("a:80", w.answer(t))
		time.Sleep(time.Hour)
		_, err = client.Chat(t.Context(), says("hello"))
		require.NoError(t, err)

		// It is as patient after a pause, and may be asked after it gave up.
		stop()
		for range 2 {
			time.Sleep(time.Hour)
			start := time.Now()
			for final := false; !final; {
				_, err = client.Chat(t.Context(), says("hello"))
				problem, ok := errors.AsType[*Error](err)
				require.True(t, ok)
				require.Equal(t, Unreachable, problem.Kind)
				final = !problem.Temporary()
			}
			assert.InDelta(t, 2.25, time.Since(start).Minutes(), 0.25)
		}
		net.start("a:80", w.answer(t))
		_, err = client.Chat(t.Context(), says("hello"))
		require.NoError(t, err)
	})
}

// A server that has never answered was probably never started.
func TestAServerThatWasNeverThereIsGivenUpSoon(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		synctest.Test(t, func(t *testing.T) {
			net := newNetwork(t)
			r := runner(t, net.open(w.models("a"), Options{}), Options{}, Files{}, nil)
			start := time.Now()
			_, err := questions(t.Context(), r, EachOptions{}, 100)
			assert.ErrorContains(t, err, w.name+":x at a: unreachable: connection refused; no server could be reached for 5s")
			assert.Less(t, time.Since(start), 10*time.Second)
			require.NoError(t, r.Close())
		})
	})
}

// Nor does one who saw it there a moment before another found it gone: which of
// them come so late is chance, hence the repeats.
func TestFirstSignalDoesNotWaitForADeadServer(t *testing.T) {
	for range 400 {
		synctest.Test(t, func(t *testing.T) {
			net := newNetwork(t)
			drain := run.NewDrain(func() { t.Error("the context ended") })
			time.AfterFunc(3*time.Second, drain.Signal)
			o := Options{Concurrency: 32}
			r := runner(t, net.open(wires[0].models("a"), o), o, Files{}, drain)
			start := time.Now()
			got, err := questions(t.Context(), r, EachOptions{}, 100)
			require.Equal(t, run.ErrDrained{Done: 0, Total: 100}, err)
			require.Empty(t, got)
			require.Equal(t, 3*time.Second, time.Since(start))
			require.Zero(t, r.Stats().Calls-r.Stats().Errors[Unreachable])
			require.NoError(t, r.Close())
		})
	}
}

// TestRunAgainstRealSockets is the smallest run without virtual time.
func TestRunAgainstRealSockets(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		s := serve(t, func(out http.ResponseWriter, r *http.Request) {
			q := w.read(t, r)
			w.write(out, canned{text: "re: " + q.messages[0].Text, finish: "stop"})
		})
		r := runner(t, w.open(t, s, Options{}), Options{}, Files{}, nil)
		got, err := questions(t.Context(), r, EachOptions{}, 500)
		require.NoError(t, err)
		assert.Equal(t, strings.Join(echoes(500), "\n"), strings.Join(got, "\n"))
		require.NoError(t, r.Close())
	})
}
