package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/fmsop/fmsop/internal/run"
)

// Runner asks a model for a whole run: no more at a time than the server can
// take, within limits and a budget, again where a failure may pass, and never
// twice for what its ledger holds. It is a Model itself; jobs that ask several
// times (to have a reply corrected, or in a conversation) go on from the
// ledger too. The methods may be called from any goroutine.
type Runner struct {
	model    Named
	attempts int
	workers  int
	price    Price

	ledger   *run.Ledger
	failures *os.File
	drain    *run.Drain
	slots    *run.Adaptive
	requests *run.Rate
	tokens   *run.Rate
	meter    *run.Meter
	stopping context.Context // ends, with the cause, when no further call is to begin
	stop     context.CancelCauseFunc

	mutex  sync.Mutex
	asking map[run.Key]*pending
	stats  Stats
}

// pending is a request that is being asked.
type pending struct {
	done  chan struct{}
	reply Reply
	err   error
}

// Named is a model that a ledger can tell from others: a Client, or a fake.
type Named interface {
	Model
	Name() string
}

// Files are where a Runner keeps what it did. An empty path keeps nothing.
type Files struct {
	Ledger   string // every reply, see run.Ledger: a later run asks only what is not in it
	Failures string // a line for each job of the last run that has no answer
}

// ErrStopped is why a request was not asked: the run is to stop.
var ErrStopped = errors.New("stopped before it was asked")

var backoff = run.Backoff{First: time.Second, Most: 30 * time.Second}

// NewRunner opens the files; they are the Runner's until Close. drain may be
// nil.
func NewRunner(model Named, o Options, files Files, drain *run.Drain) (*Runner, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	price, priced := o.Prices[model.Name()]
	if o.Budget.Cost > 0 && !priced {
		return nil, fmt.Errorf("the budget has a cost, but there is no price of %s", model.Name())
	}
	r := &Runner{
		model: model, price: price, drain: drain,
		attempts: cmp.Or(o.Attempts, defaultAttempts),
		workers:  cmp.Or(o.Concurrency, defaultConcurrency),
		requests: run.NewRate(o.RequestsPerMinute),
		tokens:   run.NewRate(o.TokensPerMinute),
		meter:    run.NewMeter(o.Budget),
		asking:   map[run.Key]*pending{},
	}
	r.slots = run.NewAdaptive(r.workers)
	r.stats = newStats()
	var err error
	if files.Ledger != "" {
		if r.ledger, err = run.OpenLedger(files.Ledger); err != nil {
			return nil, err
		}
	}
	if files.Failures != "" {
		if r.failures, err = os.Create(files.Failures); err != nil {
			return nil, errors.Join(err, r.ledger.Close())
		}
	}
	r.stopping, r.stop = context.WithCancelCause(context.Background())
	go func() {
		select {
		case <-drain.Asked():
			r.stop(ErrStopped)
		case <-r.stopping.Done():
		}
	}()
	return r, nil
}

// Close closes the files. Nothing can be asked any more.
func (r *Runner) Close() error {
	r.stop(ErrStopped)
	var err error
	if r.failures != nil {
		err = r.failures.Close()
	}
	return errors.Join(err, r.ledger.Close())
}

// Name is that of the model.
func (r *Runner) Name() string { return r.model.Name() }

// Chat answers from the ledger, or asks. Whoever asks the same at the same
// time gets the same reply. An *Error that does not stop the run is the
// request's own failure; every other error means that asking on is pointless:
// ErrStopped, *run.SpentError, that of the context or of the ledger. An *Error
// that stops the run is met by all who wait, and by every later request.
func (r *Runner) Chat(ctx context.Context, q Request) (Reply, error) {
	key, err := run.KeyOf(struct {
		Model string
		Request
	}{r.model.Name(), q})
	if err != nil {
		return Reply{}, fmt.Errorf("a request to %s: %w", r.model.Name(), err)
	}
	for {
		var known Reply
		if ok, err := r.ledger.Get(key, &known); ok || err != nil {
			r.count(func(s *Stats) { s.Known++ })
			return known, err
		}
		r.mutex.Lock()
		other, busy := r.asking[key]
		if !busy {
			mine := &pending{done: make(chan struct{})}
			r.asking[key] = mine
			r.mutex.Unlock()
			return r.answer(ctx, key, q, mine)
		}
		r.mutex.Unlock()
		select {
		case <-other.done:
		case <-ctx.Done():
			return Reply{}, context.Cause(ctx)
		}
		if other.err == nil {
			r.count(func(s *Stats) { s.Known++ })
			return other.reply, nil
		}
	}
}

// answer asks, and keeps the reply before anyone else can ask the same.
func (r *Runner) answer(ctx context.Context, key run.Key, q Request, p *pending) (Reply, error) {
	p.reply, p.err = r.persist(ctx, likelyTokens(q), func(ctx context.Context) (Reply, error) { return r.model.Chat(ctx, q) })
	if p.err == nil {
		p.err = r.ledger.Put(key, p.reply)
	}
	r.mutex.Lock()
	delete(r.asking, key)
	r.mutex.Unlock()
	close(p.done)
	return p.reply, p.err
}

// embedder is a model that has vectors too.
type embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, Usage, error)
}

// Embed returns a vector for each text, again where a failure may pass and
// within limits and budget as Chat. The ledger does not keep vectors.
func (r *Runner) Embed(ctx context.Context, texts []string) (vectors [][]float32, u Usage, err error) {
	m, ok := r.model.(embedder)
	if !ok {
		return nil, u, fmt.Errorf("%s has no embeddings", r.model.Name())
	}
	size := 0
	for _, t := range texts {
		size += len(t)
	}
	reply, err := r.persist(ctx, 1+size/4, func(ctx context.Context) (reply Reply, err error) {
		vectors, reply.Usage, err = m.Embed(ctx, texts)
		return reply, err
	})
	return vectors, reply.Usage, err
}

// attempt is one call to the model.
type attempt func(context.Context) (Reply, error)

// persist asks until there is a reply, or no use in asking again, for this
// request or for any. The prompt has about so many tokens.
func (r *Runner) persist(ctx context.Context, tokens int, ask attempt) (Reply, error) {
	reply, err := r.retry(ctx, tokens, ask)
	if problem, ok := errors.AsType[*Error](err); ok && problem.Stops() {
		r.stop(problem)
	}
	if errors.Is(err, ErrStopped) {
		err = context.Cause(r.stopping)
	}
	return reply, err
}

func (r *Runner) retry(ctx context.Context, tokens int, ask attempt) (Reply, error) {
	waiting, cancel := context.WithCancelCause(ctx) // ends when the run is to stop; a call does not
	defer cancel(nil)
	defer context.AfterFunc(r.stopping, func() { cancel(ErrStopped) })()
	for failures := 0; ; {
		reply, err := r.once(ctx, waiting, tokens, ask)
		problem, ok := errors.AsType[*Error](err)
		if !ok {
			return reply, err
		}
		// A server that cannot be reached is not the request's fault: Ready
		// ends the waiting for it.
		if _, waits := r.model.(readier); !waits || problem.Kind != Unreachable {
			failures++
		}
		if !problem.Temporary() || failures == r.attempts {
			problem.Attempts = failures
			return reply, problem
		}
		if err := run.Sleep(waiting, backoff.Wait(failures, 0)); err != nil {
			return reply, err
		}
		r.count(func(s *Stats) { s.Retries++ })
	}
}

// readier is a model that knows when it is no use to ask it.
type readier interface{ Ready(context.Context) error }

// once waits for all that has to be waited for, and asks.
func (r *Runner) once(ctx, waiting context.Context, estimate int, ask attempt) (Reply, error) {
	release, err := r.slots.Acquire(waiting)
	if err != nil {
		return Reply{}, err
	}
	work, overload := 0.0, false
	defer func() { release(work, overload) }()
	if m, ok := r.model.(readier); ok {
		if err := m.Ready(waiting); err != nil {
			return Reply{}, err
		}
	}
	if err := errors.Join(r.requests.Wait(waiting, 1), r.tokens.Wait(waiting, estimate)); err != nil {
		return Reply{}, cmp.Or(context.Cause(waiting), err)
	}
	if r.stopping.Err() != nil {
		return Reply{}, ErrStopped
	}
	if err := context.Cause(waiting); err != nil {
		return Reply{}, err
	}
	if err := r.meter.Begin(); err != nil {
		return Reply{}, err
	}
	// Between Ready and the call, another may have found the server gone.
	reply, err := ask(context.WithValue(ctx, untilAsked{}, waiting))
	if errors.Is(err, ErrStopped) {
		return reply, err
	}
	used := reply.Usage
	if problem, ok := errors.AsType[*Error](err); ok {
		overload = problem.Kind == Overloaded || problem.Kind == RateLimited
		if problem.Reply != nil {
			used = problem.Reply.Usage
		}
	}
	if err == nil {
		work = float64(max(1, used.Completion))
	}
	r.tokens.Charge(used.Prompt + used.Completion - estimate)
	r.meter.Spend(used.Prompt+used.Completion, r.price.of(used))
	r.countCall(reply, used, err)
	return reply, err
}
