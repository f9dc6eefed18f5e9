package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fmsop/fmsop/internal/run"
)

// EachOptions of Each; the zero value works.
type EachOptions struct {
	Name      func(i int) string // names a job in errors and in the file of failures; nil: "job 17"
	Unordered bool               // hand over what is done first; a slow job holds up no other
	Progress  *run.Progress      // may be nil
}

// Each runs jobs 0 to n-1, which ask through the Runner as often as they like,
// and hands over what becomes of each, in order: a value, or why it has none,
// which is written to the file of failures as well. An error that is not the
// job's own ends the run: a budget that is spent, a server that is gone, a
// Drain that was asked (run.ErrDrained), or one of sink. What is being asked
// at that moment is finished and kept in the ledger, so that it need not be
// asked again, though sink does not see it.
func Each[T any](ctx context.Context, r *Runner, o EachOptions, n int, work func(ctx context.Context, i int) (T, error), sink func(i int, v T, failed *Error) error) error {
	type outcome struct {
		value  T
		failed *Error
	}
	name := o.Name
	if name == nil {
		name = func(i int) string { return fmt.Sprintf("job %d", i) }
	}
	job := func(_ context.Context, i int) (outcome, error) {
		value, err := work(ctx, i) // not under Ordered's context, which ends with the first error
		if failed, ok := errors.AsType[*Error](err); ok && !failed.Stops() {
			return outcome{value, failed}, nil
		}
		if cause := context.Cause(r.stopping); cause != nil && errors.Is(err, cause) {
			err = ErrStopped // what ended the run is not this job's, which only met it
		} else if err != nil {
			r.stop(fmt.Errorf("%s: %w", name(i), err))
		}
		return outcome{value, nil}, err
	}
	done := 0
	hand := func(i int, out outcome) error {
		err := r.note(name(i), out.failed)
		if err == nil {
			err = sink(i, out.value, out.failed)
		}
		if err != nil {
			r.stop(err)
			return err
		}
		done++
		return nil
	}
	each := run.Ordered[outcome]
	if o.Unordered {
		each = run.Unordered[outcome]
	}
	err := each(ctx, run.Options{Workers: r.workers, Progress: o.Progress, Drain: r.drain, Name: name}, n, job, hand)
	if errors.Is(err, ErrStopped) { // by a second signal, by a first, or by what another job met
		err = cmp.Or(context.Cause(ctx), context.Cause(r.stopping))
	}
	if spent, ok := errors.AsType[*run.SpentError](err); ok {
		return fmt.Errorf("stopped after %d of %d jobs: %w", done, n, spent)
	}
	return Ended(err, done, n)
}

// Ended is the error of jobs that ask a Runner, for whoever runs them: ErrDrained
// where the Runner was stopped, and what stops every request without the name of the
// job that came upon it first.
func Ended(err error, done, total int) error {
	if errors.Is(err, ErrStopped) {
		return run.ErrDrained{Done: done, Total: total}
	}
	if fault, ok := errors.AsType[*Error](err); ok && fault.Stops() {
		return fault
	}
	return err
}

// Failure is a line of the file of failures.
type Failure struct {
	Job      string `json:"job"`
	Kind     Kind   `json:"kind"`
	Error    string `json:"error"`
	Attempts int    `json:"attempts"`
	Text     string `json:"text"` // of the reply, as far as there was one
}

// note writes down and counts a job that has no value.
func (r *Runner) note(name string, failed *Error) error {
	if failed == nil {
		return nil
	}
	r.count(func(s *Stats) { s.Failures[failed.Kind]++ })
	if r.failures == nil {
		return nil
	}
	f := Failure{Job: name, Kind: failed.Kind, Error: failed.Error(), Attempts: max(1, failed.Attempts)}
	if failed.Reply != nil {
		f.Text = failed.Reply.Text
	}
	return json.NewEncoder(r.failures).Encode(f)
}
