package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
)

// The results of a task in a live run.
const (
	Passed  = "passed"
	Failed  = "failed" // a criterion does not hold
	Errored = "error"  // the server, or the pack: never the agent's fault
)

// LiveOutcome is what became of a task.
type LiveOutcome struct {
	Outcome
	Result string `json:"outcome"` // passed, failed or error
	// Broken are the criteria that do not hold, of those that success asks for.
	Broken   []string `json:"broken"`
	End      End      `json:"end,omitempty"`
	Calls    int      `json:"calls"`
	Messages int      `json:"messages"`
	Unusable int      `json:"unusable"` // replies that were sent back
}

// Run puts the agent to work on every task, on any number of workers, and writes
// the record into the folder; outcomes are handed over in the order of the
// tasks. A task on which the server, or a tool of the pack, fails has no verdict,
// with the reason. The error is of what ends a run: servers that are gone, a
// budget, a Drain, a model without tools; then nothing is written.
func (l *Live) Run(ctx context.Context, tasks []*Task, dir string, o run.Options, sink func(LiveOutcome) error) error {
	o.Name = func(i int) string { return fmt.Sprintf("task %d (%s)", tasks[i].Index, tasks[i].Goal) }
	done := 0
	err := run.AtomicFile(filepath.Join(dir, RunFile), func(w io.Writer) error {
		out := bufio.NewWriter(w)
		err := run.Ordered(ctx, o, len(tasks), func(going context.Context, i int) (*liveResult, error) {
			return l.task(ctx, going, tasks[i])
		}, func(i int, r *liveResult) error {
			lead := ",\n"
			if i == 0 {
				lead = "[\n"
			}
			r.outcome.Index, r.outcome.File = i, dir
			out.WriteString(lead)
			out.Write(r.item)
			done++
			return sink(r.outcome)
		})
		if err != nil {
			return err
		}
		out.WriteString("\n]\n")
		return out.Flush()
	})
	return llm.Ended(err, done, len(tasks))
}

type liveResult struct {
	item    []byte
	outcome LiveOutcome
}

func (l *Live) task(ctx, going context.Context, t *Task) (*liveResult, error) {
	c, err := l.Desk.Open(t, l.Tools, !l.User.Leaves())
	if err != nil {
		return nil, err
	}
	database, end, err := l.converse(ctx, going, c)
	reason := ""
	if err != nil {
		if reason = blameless(err); reason == "" {
			return nil, err
		}
	}
	item, err := l.record(t, c, database, end, reason)
	if err != nil {
		return nil, err
	}
	reason = item.Error
	o := LiveOutcome{
		Outcome: Outcome{Domain: t.Domain, Goal: t.Goal, Task: t.Index, Model: l.Agent.Name(), Mode: l.Mode, Tools: l.Tools, Generated: t.Generated(), Exposure: l.Trained.Of(t), Error: reason},
		Result:  Errored, Broken: []string{}, End: end,
	}
	for _, turn := range c.Turns {
		o.Messages += turn.messages(c)
		if turn.Call != nil && !turn.leaves(c) {
			o.Calls++
		}
		if turn.Fault != "" {
			o.Unusable++
		}
	}
	if reason == "" {
		v, err := l.verdict(item)
		if reason = blameless(err); err != nil && reason == "" {
			return nil, err
		}
		if o.Error = reason; reason == "" {
			o.judged(v)
			item.Evaluations = append(item.Evaluations, *v)
		}
	}
	text, err := inJSONLine(item)
	return &liveResult{text, o}, err
}

func (o *LiveOutcome) judged(v *Verdict) {
	o.Verdict, o.Result, o.Broken = v, Passed, v.Broken()
	if !v.Success {
		o.Result = Failed
	}
}

// blameless is the reason of a failure that is one task's and not the agent's;
// "" for what ends the run.
func blameless(err error) string {
	var server *llm.Error
	var fault *world.Fault
	var stops *ErrStops
	switch {
	case errors.As(err, &server) && !server.Stops(), errors.As(err, &fault), errors.As(err, &stops):
		return err.Error()
	}
	return ""
}

func inJSONLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
