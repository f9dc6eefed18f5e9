package run

import (
	"context"
	"runtime"
	"sync"
)

// Unordered is Ordered without the order: sink has each result as soon as it
// is there, from one goroutine at a time, so that a slow job holds up no
// other. Of several errors the first in time is returned; the jobs in flight
// are finished and handed over all the same, unless the error is sink's.
func Unordered[T any](ctx context.Context, o Options, n int, work func(ctx context.Context, i int) (T, error), sink func(i int, v T) error) error {
	if n <= 0 {
		return context.Cause(ctx)
	}
	workers := o.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	o.Progress.Start(n)
	defer o.Progress.Finish()

	var mutex sync.Mutex
	next, done := 0, 0
	var failed error // why no further job is begun
	broken := false  // sink takes no more
	take := func() (i int, ok bool) {
		mutex.Lock()
		defer mutex.Unlock()
		select {
		case <-o.Drain.Asked():
			return 0, false
		default:
		}
		if next == n || failed != nil || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	var running sync.WaitGroup
	for range min(workers, n) {
		running.Go(func() {
			for {
				i, ok := take()
				if !ok {
					return
				}
				v, err := protect(ctx, o.name(i), i, work)
				mutex.Lock()
				if err == nil && !broken {
					if err = sink(i, v); err != nil {
						broken = true
					} else {
						done++
						o.Progress.Add(1)
					}
				}
				if failed == nil {
					failed = err
				}
				mutex.Unlock()
			}
		})
	}
	running.Wait()
	switch {
	case done == n:
		return nil
	case ctx.Err() != nil: // most likely why a job failed
		return context.Cause(ctx)
	case failed != nil:
		return failed
	}
	return ErrDrained{done, n}
}
