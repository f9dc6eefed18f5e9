package run

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// jitter makes jobs end in another order than they began in.
func jitter(t *rapid.T, n int) []time.Duration {
	waits := make([]time.Duration, n)
	for i := range waits {
		waits[i] = time.Duration(rapid.IntRange(0, 200).Draw(t, "µs")) * time.Microsecond
	}
	return waits
}

func TestOrderedHandsOverInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		workers := rapid.IntRange(0, 9).Draw(t, "workers")
		waits := jitter(t, n)
		next := 0
		err := Ordered(context.Background(), Options{Workers: workers}, n,
			func(_ context.Context, i int) (int, error) { time.Sleep(waits[i]); return i * i, nil },
			func(i, v int) error {
				if i != next || v != i*i {
					t.Fatalf("sink(%d, %d), want sink(%d, %d)", i, v, next, next*next)
				}
				next++
				return nil
			})
		if err != nil || next != n {
			t.Fatalf("Ordered handed over %d of %d jobs, error %v", next, n, err)
		}
	})
}

func TestOrderedLowestErrorWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		bad := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 5).Draw(t, "bad")
		waits := jitter(t, n)
		lowest := n
		failing := map[int]bool{}
		for _, i := range bad {
			failing[i], lowest = true, min(lowest, i)
		}
		handed := 0
		err := Ordered(context.Background(), Options{Workers: rapid.IntRange(1, 8).Draw(t, "workers")}, n,
			func(_ context.Context, i int) (int, error) {
				time.Sleep(waits[i])
				if failing[i] {
					return 0, errors.New("out of paper")
				}
				return i, nil
			},
			func(i, v int) error { handed++; return nil })
		if want := fmt.Sprintf("job %d: out of paper", lowest); err == nil || err.Error() != want {
			t.Fatalf("Ordered = %v, want %s", err, want)
		}
		if handed != lowest {
			t.Fatalf("sink had %d results before the error of job %d", handed, lowest)
		}
	})
}

func TestOrderedDrainKeepsAPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "n")
		at := rapid.IntRange(0, n-1).Draw(t, "at")
		waits := jitter(t, n)
		drain := NewDrain(func() {})
		var begun atomic.Int64
		next := 0
		err := Ordered(context.Background(), Options{Workers: rapid.IntRange(1, 8).Draw(t, "workers"), Drain: drain}, n,
			func(_ context.Context, i int) (int, error) {
				begun.Add(1)
				if i == at {
					drain.Signal()
				}
				time.Sleep(waits[i])
				return i, nil
			},
			func(i, v int) error {
				if i != next {
					t.Fatalf("sink got %d, want %d", i, next)
				}
				next++
				return nil
			})
		if int(begun.Load()) != next {
			t.Fatalf("%d jobs were begun, %d handed over", begun.Load(), next)
		}
		var drained ErrDrained
		switch {
		case next <= at:
			t.Fatalf("job %d asked for the drain, but only %d jobs were handed over", at, next)
		case next == n && err != nil:
			t.Fatalf("Ordered = %v with all %d jobs done", err, n)
		case next < n && (!errors.As(err, &drained) || drained != ErrDrained{next, n}):
			t.Fatalf("Ordered = %v, want %v", err, ErrDrained{next, n})
		}
	})
}

func TestOrderedDrainAskedBefore(t *testing.T) {
	drain := NewDrain(func() {})
	drain.Signal()
	err := Ordered(context.Background(), Options{Drain: drain}, 3,
		func(context.Context, int) (int, error) { t.Error("a job was begun"); return 0, nil },
		func(int, int) error { t.Error("a result was handed over"); return nil })
	if err != (ErrDrained{0, 3}) {
		t.Errorf("Ordered = %v, want %v", err, ErrDrained{0, 3})
	}
}

func TestOrderedSecondSignalCancels(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	drain := NewDrain(cancel)
	err := Ordered(ctx, Options{Workers: 2, Drain: drain}, 10,
		func(ctx context.Context, i int) (int, error) {
			if i == 1 {
				drain.Signal()
				drain.Signal()
			}
			<-ctx.Done()
			return 0, ctx.Err()
		},
		func(i, v int) error { t.Errorf("sink got job %d of those that never end", i); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Ordered = %v, want %v", err, context.Canceled)
	}
}

func TestOrderedReturnsTheCause(t *testing.T) {
	cause := errors.New("the lights went out")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	err := Ordered(ctx, Options{}, 5, func(ctx context.Context, i int) (int, error) { return i, ctx.Err() },
		func(int, int) error { return nil })
	if err != cause {
		t.Errorf("Ordered = %v, want %v", err, cause)
	}
}

func TestOrderedPanicIsAnError(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("procedure p-%d", i) }
	err := Ordered(context.Background(), Options{Workers: 3, Name: name}, 5,
		func(_ context.Context, i int) (int, error) {
			if i == 2 {
				panic("no\nactor")
			}
			return i, nil
		},
		func(int, int) error { return nil })
	var p *PanicError
	if !errors.As(err, &p) || err.Error() != "procedure p-2: panic: no actor" {
		t.Fatalf("Ordered = %v, want procedure p-2: panic: no actor", err)
	}
	if !strings.Contains(string(p.Stack), "ordered_test.go") {
		t.Errorf("the stack does not show where it happened:\n%s", p.Stack)
	}
}

func TestOrderedSinkErrorStops(t *testing.T) {
	full := errors.New("disk full")
	var begun atomic.Int64
	err := Ordered(context.Background(), Options{Workers: 2}, 1000,
		func(_ context.Context, i int) (int, error) { begun.Add(1); return i, nil },
		func(i, v int) error {
			if i == 3 {
				return full
			}
			return nil
		})
	if err != full {
		t.Errorf("Ordered = %v, want %v", err, full)
	}
	if most := int64(4 + 2*lookAhead); begun.Load() > most {
		t.Errorf("%d jobs were begun, want at most %d", begun.Load(), most)
	}
}

func TestOrderedLookAheadIsBounded(t *testing.T) {
	const workers, n = 4, 200
	var begun atomic.Int64
	handed := int64(0)
	err := Ordered(context.Background(), Options{Workers: workers}, n,
		func(_ context.Context, i int) (int, error) {
			begun.Add(1)
			return i, nil
		},
		func(i, v int) error {
			time.Sleep(100 * time.Microsecond) // the slow end
			if ahead := begun.Load() - handed; ahead > workers*lookAhead {
				t.Errorf("%d jobs are waiting, want at most %d", ahead, workers*lookAhead)
			}
			handed++
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOrderedLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		Ordered(context.Background(), Options{Workers: 8}, 50,
			func(_ context.Context, i int) (int, error) {
				if i == 20 {
					return 0, errors.New("stop")
				}
				return i, nil
			},
			func(int, int) error { return nil })
	}
	after := runtime.NumGoroutine()
	for range 100 { // one that said it is done may not have ended yet
		if after <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
		after = runtime.NumGoroutine()
	}
	t.Errorf("%d goroutines, %d before", after, before)
}

func ExampleOrdered() {
	square := func(_ context.Context, i int) (int, error) { return i * i, nil }
	show := func(i, v int) error { fmt.Println(i, v); return nil }
	if err := Ordered(context.Background(), Options{Workers: 4}, 3, square, show); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 0
	// 1 1
	// 2 4
}
