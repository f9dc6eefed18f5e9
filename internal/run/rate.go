package run

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// Rate spreads evenly what may be used in a minute. A nil Rate has no limit.
type Rate struct{ limiter *rate.Limiter }

// burst is how much of a minute's worth may be used at once.
const burst = 6

// NewRate allows so much a minute; 0 means no limit, and is nil.
func NewRate(perMinute int) *Rate {
	if perMinute <= 0 {
		return nil
	}
	return &Rate{rate.NewLimiter(rate.Limit(float64(perMinute)/60), max(1, perMinute/burst))}
}

// Wait returns when n may be used. More than fits into a burst is waited for
// in parts.
func (r *Rate) Wait(ctx context.Context, n int) error {
	if r == nil {
		return nil
	}
	for n > 0 {
		part := min(n, r.limiter.Burst())
		if err := r.limiter.WaitN(ctx, part); err != nil {
			return err
		}
		n -= part
	}
	return nil
}

// Charge takes n that was used without waiting; those who Wait make up for it.
func (r *Rate) Charge(n int) {
	if r == nil {
		return
	}
	for now := time.Now(); n > 0; {
		part := min(n, r.limiter.Burst())
		r.limiter.ReserveN(now, part)
		n -= part
	}
}
