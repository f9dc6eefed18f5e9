package run

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// load keeps 64 jobs wanting to begin for an hour of virtual time. It returns
// the limits seen in the last quarter, and how many jobs were served and turned
// away in all.
func load(t *testing.T, serve func(running int, chance *rand.Rand) (wait time.Duration, overload bool)) (low, high, served, refused int) {
	t.Helper()
	a := NewAdaptive(64)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	start := time.Now()
	var mutex sync.Mutex
	running := 0
	low = 1 << 30
	var clients sync.WaitGroup
	for c := range 64 {
		clients.Go(func() {
			chance := rand.New(rand.NewPCG(uint64(c), 1))
			for {
				release, err := a.Acquire(ctx)
				if err != nil {
					return
				}
				mutex.Lock()
				running++
				wait, overload := serve(running, chance)
				mutex.Unlock()
				time.Sleep(wait)
				mutex.Lock()
				running--
				if overload {
					refused++
				} else {
					served++
				}
				if time.Since(start) > 45*time.Minute {
					low, high = min(low, a.Limit()), max(high, a.Limit())
				}
				mutex.Unlock()
				release(1, overload)
				if overload {
					Sleep(ctx, time.Second)
				}
			}
		})
	}
	clients.Wait()
	return low, high, served, refused
}

// around is 1 s, give or take a half.
func around(chance *rand.Rand) float64 { return 0.5 + chance.Float64() }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func TestAdaptiveDoesNotFillAQueue(t *testing.T) {
	// Eight at a time, the others wait: what is over eight brings nothing.
	synctest.Test(t, func(t *testing.T) {
		low, high, served, _ := load(t, func(running int, chance *rand.Rand) (time.Duration, bool) {
			return seconds(around(chance) * max(1, float64(running)/8)), false
		})
		if low < 4 || high > 20 {
			t.Errorf("the limit is between %d and %d, want about 8", low, high)
		}
		if served < 3600*8*85/100 {
			t.Errorf("%d jobs were served in an hour, want near %d", served, 3600*8)
		}
	})
}

func TestAdaptiveFollowsRefusals(t *testing.T) {
	// Up to ten at a time, the others are turned away.
	synctest.Test(t, func(t *testing.T) {
		low, high, served, refused := load(t, func(running int, chance *rand.Rand) (time.Duration, bool) {
			if running > 10 {
				return seconds(0.01), true
			}
			return seconds(around(chance)), false
		})
		if low < 5 || high > 14 {
			t.Errorf("the limit is between %d and %d, want about 10", low, high)
		}
		if served < 3600*10*70/100 || refused > served/20 {
			t.Errorf("%d jobs were served and %d turned away, want near %d and few", served, refused, 3600*10)
		}
	})
}

func TestAdaptiveUsesABatchingServer(t *testing.T) {
	// Each is slower the more there are, but all together are faster.
	synctest.Test(t, func(t *testing.T) {
		low, _, served, _ := load(t, func(running int, chance *rand.Rand) (time.Duration, bool) {
			return seconds(around(chance) * (1 + float64(running)/32)), false
		})
		if low < 24 {
			t.Errorf("the limit fell to %d, want it to stay high", low)
		}
		if best := 3600 * 64 / 3; served < best*80/100 {
			t.Errorf("%d jobs were served, want near %d", served, best)
		}
	})
}

func TestAdaptiveFollowsAServerThatGetsSmaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		_, high, _, _ := load(t, func(running int, chance *rand.Rand) (time.Duration, bool) {
			slots := 40.0
			if time.Since(begin) > 15*time.Minute {
				slots = 5
			}
			return seconds(around(chance) * max(1, float64(running)/slots)), false
		})
		if high > 20 {
			t.Errorf("the limit is still up to %d for a server that serves 5", high)
		}
	})
}

func TestAdaptiveAcquireGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := NewAdaptive(1)
		release, err := a.Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tired := errors.New("tired")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { time.Sleep(time.Second); cancel(tired) }()
		if _, err := a.Acquire(ctx); err != tired {
			t.Errorf("Acquire = %v, want %v", err, tired)
		}
		release(1, false)
		if release, err = a.Acquire(t.Context()); err != nil {
			t.Fatalf("the one that gave up kept its place: %v", err)
		}
		release(1, false)
	})
}
