// Package run is the one place where work is spread over goroutines.
//
// Ordered runs numbered jobs in parallel and hands over their results in
// order (Unordered, as they come), Drain lets a first Ctrl-C stop it without
// losing what is done, Progress shows how far it is, and AtomicFile writes a
// file wholly or not at all.
//
// For jobs that ask a server, Ledger keeps what was answered through a crash,
// Adaptive, Rate and Backoff ask no more than the server can take, and Meter
// stops at a Budget. The package holds nothing about what the jobs are.
package run

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
)

// Options of Ordered; the zero value works.
type Options struct {
	Workers  int              // less than 1: as many as there are processors
	Progress *Progress        // may be nil
	Drain    *Drain           // may be nil
	Name     func(int) string // names a job in errors; nil: "job 17"
}

// ErrDrained says that a Drain stopped the work: the first Done jobs went
// through, the others were not begun.
type ErrDrained struct{ Done, Total int }

func (e ErrDrained) Error() string {
	return fmt.Sprintf("stopped after %d of %d jobs", e.Done, e.Total)
}

// PanicError is a panic of a job, turned into an error.
type PanicError struct {
	Job   string
	Value any
	Stack []byte
}

// Error is one line; where it happened is in Stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("%s: panic: %s", e.Job, strings.Join(strings.Fields(fmt.Sprint(e.Value)), " "))
}

// lookAhead is how many jobs may be begun, for each worker, before the first
// of them is handed over: it bounds memory and lets short jobs pass long ones.
const lookAhead = 4

// Ordered calls work for 0 to n-1, in parallel, and sink for each result in
// that order, in the caller's goroutine. What sink sees does not depend on
// the number of workers.
//
// It stops at the first error: of the jobs that fail, the lowest number wins,
// and sink has had all results before it. An error of work names the job, one
// of sink is returned as it is. A panic in work becomes a *PanicError. When
// ctx ends, so do the jobs in flight, and its cause is returned. When the
// Drain is asked, no further job is begun, those in flight are finished and
// handed over, and ErrDrained is returned unless that was all of them. No
// goroutine is left behind.
func Ordered[T any](ctx context.Context, o Options, n int, work func(ctx context.Context, i int) (T, error), sink func(i int, v T) error) error {
	if n <= 0 {
		return context.Cause(ctx)
	}
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	window := lookAhead * workers

	o.Progress.Start(n)
	defer o.Progress.Finish()

	outer := ctx
	ctx, cancel := context.WithCancel(outer)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel() // runs before Wait

	// Job i's result comes through slots[i%window]. A job is begun only when
	// the one that had its slot before is handed over: free counts them.
	slots := make([]chan result[T], window)
	for i := range slots {
		slots[i] = make(chan result[T], 1)
	}
	free := make(chan struct{}, window)
	jobs := make(chan int)
	failed, fail := context.WithCancel(ctx)
	defer fail()

	running.Add(1 + workers)
	go func() { // hands out the numbers in order, so that what is begun is a prefix
		defer running.Done()
		defer close(jobs)
		for i := range n {
			select {
			case free <- struct{}{}:
			case <-ctx.Done():
				return
			}
			if !begin(jobs, i, failed.Done(), o.Drain.Asked()) {
				slots[i%window] <- result[T]{err: ErrDrained{i, n}}
				return
			}
		}
	}()
	for range workers {
		go func() {
			defer running.Done()
			for i := range jobs {
				v, err := protect(ctx, o.name(i), i, work)
				if err != nil {
					fail()
				}
				slots[i%window] <- result[T]{v, err}
			}
		}()
	}

	for i := range n {
		var r result[T]
		select {
		case r = <-slots[i%window]:
		case <-outer.Done():
			return context.Cause(outer)
		}
		if r.err != nil {
			if outer.Err() != nil { // most likely why the job failed
				return context.Cause(outer)
			}
			return r.err
		}
		if err := sink(i, r.value); err != nil {
			return err
		}
		<-free
		o.Progress.Add(1)
	}
	return nil
}

type result[T any] struct {
	value T
	err   error
}

// begin hands out job i unless a reason to stop came first. It looks at those
// before, as select takes any of several that are ready.
func begin(jobs chan<- int, i int, failed, asked <-chan struct{}) bool {
	select {
	case <-failed:
		return false
	case <-asked:
		return false
	default:
	}
	select {
	case jobs <- i:
		return true
	case <-failed:
	case <-asked:
	}
	return false
}

func protect[T any](ctx context.Context, name string, i int, work func(context.Context, int) (T, error)) (v T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{name, p, debug.Stack()}
		}
	}()
	if v, err = work(ctx, i); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return v, err
}

func (o Options) name(i int) string {
	if o.Name != nil {
		return o.Name(i)
	}
	return fmt.Sprintf("job %d", i)
}
