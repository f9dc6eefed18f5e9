package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// Client is a model on one or several servers. A call goes to the server that
// has the fewest under way; one that cannot be reached, or says that it has
// too much to do, is left out for a while. The methods may be called from any
// goroutine.
type Client struct {
	name     string
	timeout  time.Duration
	patience time.Duration

	mutex   sync.Mutex
	servers []*server
	changed chan struct{} // closed and made anew when a server may have become free
}

// backend speaks the protocol of one server.
type backend interface {
	chat(ctx context.Context, q Request) (Reply, error)
	embed(ctx context.Context, texts []string) ([][]float32, Usage, error)
	check(ctx context.Context, c *Check)
}

type server struct {
	backend
	spec
	running int
	met     bool      // it has answered before
	rest    time.Time // not to be asked before
	strikes int       // rests in a row
	lost    time.Time // unreachable since; zero: it is not
	tried   time.Time // the last time that it was found unreachable
	last    *Error    // why
}

// The rest of a server doubles from the first to the longest with each strike.
const (
	firstRest   = 500 * time.Millisecond
	longestRest = 30 * time.Second
	// firstPatience is with a server that has never answered: more often than
	// not it was never started.
	firstPatience = 5 * time.Second
	// forgotten is when a server that nobody asked may be there again.
	forgotten = 4 * longestRest
)

// Open takes a model as one string:
//
//	ollama:qwen2.5:7b                          Ollama at OLLAMA_HOST, or here
//	ollama:http://host:11434#qwen2.5:7b        Ollama elsewhere
//	openai:gpt-4.1-mini                        OpenAI
//	openai:http://host:8000/v1#my-model        any server compatible with it
//
// and several servers of one model joined by commas. It asks no server.
func Open(model string, o Options) (*Client, error) {
	specs, err := parseSpecs(model)
	if err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	var backends []backend
	for _, s := range specs {
		key, err := o.key(s)
		if err != nil {
			return nil, err
		}
		e := endpoint{spec: s, key: key, http: &http.Client{Transport: transport}}
		if s.kind == "ollama" {
			backends = append(backends, &ollama{e, o.KeepAlive})
		} else {
			backends = append(backends, &openai{e})
		}
	}
	return newClient(specs, backends, o), nil
}

func newClient(specs []spec, backends []backend, o Options) *Client {
	c := &Client{
		name:     specs[0].name(),
		timeout:  cmp.Or(o.Timeout, defaultTimeout),
		patience: cmp.Or(o.Patience, defaultPatience),
		changed:  make(chan struct{}),
	}
	for i, s := range specs {
		c.servers = append(c.servers, &server{spec: s, backend: backends[i]})
	}
	return c
}

func (o Options) key(s spec) (string, error) {
	variable := o.KeyVariable
	if variable == "" && s.kind == "openai" && !s.own {
		variable = openaiKey
	}
	if variable == "" {
		return "", nil
	}
	key := os.Getenv(variable)
	if key == "" {
		return "", fmt.Errorf("the environment variable %s is not set, want the key of %s in it", variable, s.server())
	}
	return key, nil
}

// Name is the model without its servers, such as ollama:qwen2.5:7b.
func (c *Client) Name() string { return c.name }

// Chat asks one server once.
func (c *Client) Chat(ctx context.Context, q Request) (reply Reply, err error) {
	err = c.ask(ctx, func(ctx context.Context, b backend) error {
		reply, err = b.chat(ctx, q)
		return err
	})
	return reply, err
}

// Embed returns a vector for each text.
func (c *Client) Embed(ctx context.Context, texts []string) (vectors [][]float32, u Usage, err error) {
	err = c.ask(ctx, func(ctx context.Context, b backend) error {
		vectors, u, err = b.embed(ctx, texts)
		return err
	})
	return vectors, u, err
}

func (c *Client) ask(ctx context.Context, call func(context.Context, backend) error) error {
	s, err := c.take(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	timed, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	err = call(timed, s)
	c.giveBack(s, began, err)
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return err
}

// Ready waits until there is a server to ask. The error is an *Error where
// none could be reached for longer than the options' patience.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.wait(ctx, false)
	return err
}

// untilAsked is the key, in a call's context, of the one that ends its waiting for
// a server, though not the call.
type untilAsked struct{}

func (c *Client) take(ctx context.Context) (*server, error) {
	if waiting, ok := ctx.Value(untilAsked{}).(context.Context); ok {
		ctx = waiting
	}
	return c.wait(ctx, true)
}

func (c *Client) wait(ctx context.Context, take bool) (*server, error) {
	for {
		c.mutex.Lock()
		now := time.Now()
		if err := c.hopeless(); err != nil {
			c.mutex.Unlock()
			return nil, err
		}
		s, wake := c.choose(now)
		if s != nil && take {
			s.running++
		}
		changed := c.changed
		c.mutex.Unlock()
		if s != nil {
			return s, nil
		}
		timer := time.NewTimer(wake.Sub(now))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		}
		timer.Stop()
	}
}

// choose returns the server with the fewest calls under way, or when the next
// will have rested. One that was lost is tried with a single call.
func (c *Client) choose(now time.Time) (chosen *server, wake time.Time) {
	wake = now.Add(longestRest)
	for _, s := range c.servers {
		switch {
		case now.Before(s.rest):
			if s.rest.Before(wake) {
				wake = s.rest
			}
		case !s.lost.IsZero() && s.running > 0:
		case chosen == nil || s.running < chosen.running:
			chosen = s
		}
	}
	return chosen, wake
}

// hopeless is why no server is worth waiting for. It is said once: a later run
// tries again.
func (c *Client) hopeless() error {
	longest := time.Duration(0)
	for _, s := range c.servers {
		patience := c.patience
		if !s.met {
			patience = min(patience, firstPatience)
		}
		if s.lost.IsZero() || s.tried.Sub(s.lost) < patience {
			return nil
		}
		longest = max(longest, patience)
	}
	problem := *c.servers[len(c.servers)-1].last
	for _, s := range c.servers {
		s.lost, s.strikes = time.Time{}, 0
	}
	problem.final = true
	problem.Message += fmt.Sprintf("; no server could be reached for %v", longest)
	return &problem
}

// giveBack ends a call and draws the conclusions. Calls that began before a
// rest do not lengthen it: they failed for the same reason.
func (c *Client) giveBack(s *server, began time.Time, err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	s.running--
	now := time.Now()
	problem, _ := errors.AsType[*Error](err)
	switch {
	case problem == nil && err != nil: // the caller gave up
	case problem != nil && slices.Contains([]Kind{Unreachable, Overloaded, RateLimited}, problem.Kind):
		s.met = s.met || problem.Kind != Unreachable
		if problem.Kind == Unreachable {
			if s.lost.IsZero() || began.Sub(s.tried) > forgotten {
				s.lost = now
			}
			s.tried, s.last = now, problem
		}
		rest := now.Add(problem.RetryAfter)
		if !began.Before(s.rest) {
			rest = later(rest, now.Add(min(longestRest, firstRest<<min(s.strikes, 10))))
			s.strikes++
		}
		s.rest = later(s.rest, rest)
	default:
		s.met, s.strikes, s.lost = true, 0, time.Time{}
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
