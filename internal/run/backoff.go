package run

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff says how long to wait before work is tried again: a random time, so
// that those who failed together do not come back together. What it draws has
// no influence on results.
type Backoff struct{ First, Most time.Duration }

// Wait is drawn evenly from 0 to First·2^failures, at most Most, and comes on
// top of the time that the other end asked for.
func (b Backoff) Wait(failures int, asked time.Duration) time.Duration {
	most := b.First
	for ; failures > 0 && most < b.Most; failures-- {
		most *= 2
	}
	return asked + rand.N(min(most, b.Most)+1)
}

// Sleep waits, or returns the cause why ctx ended.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
