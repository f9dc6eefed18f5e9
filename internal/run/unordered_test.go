package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestUnorderedHandsOverAllOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		waits := jitter(t, n)
		seen := map[int]int{}
		err := Unordered(context.Background(), Options{Workers: rapid.IntRange(0, 9).Draw(t, "workers")}, n,
			func(_ context.Context, i int) (int, error) { time.Sleep(waits[i]); return i * i, nil },
			func(i, v int) error {
				if seen[i]++; v != i*i {
					t.Fatalf("sink(%d, %d)", i, v)
				}
				return nil
			})
		if err != nil || len(seen) != n {
			t.Fatalf("Unordered handed over %d of %d jobs, error %v", len(seen), n, err)
		}
		for i, times := range seen {
			if times != 1 {
				t.Fatalf("job %d was handed over %d times", i, times)
			}
		}
	})
}

func TestUnorderedASlowJobHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []int
		err := Unordered(t.Context(), Options{Workers: 2}, 100,
			func(_ context.Context, i int) (int, error) {
				if i == 0 {
					time.Sleep(time.Hour)
				}
				time.Sleep(time.Second)
				return i, nil
			},
			func(i, _ int) error { order = append(order, i); return nil })
		if err != nil || len(order) != 100 || order[99] != 0 {
			t.Errorf("job 0 came not last of all: %v, error %v", order, err)
		}
	})
}

func TestUnorderedStops(t *testing.T) {
	failure := errors.New("out of paper")
	for _, test := range []struct {
		name  string
		stop  func(d *Drain, cancel context.CancelCauseFunc) (work, sink error)
		hands int
		want  error
	}{
		{"drain", func(d *Drain, _ context.CancelCauseFunc) (error, error) { d.Signal(); return nil, nil }, 6, ErrDrained{6, 20}},
		{"work", func(*Drain, context.CancelCauseFunc) (error, error) { return failure, nil }, 5, failure},
		{"sink", func(*Drain, context.CancelCauseFunc) (error, error) { return nil, failure }, 3, failure},
		{"cancel", func(_ *Drain, cancel context.CancelCauseFunc) (error, error) { cancel(failure); return nil, nil }, 6, failure},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				drain := NewDrain(func() {})
				handed := 0
				var sinking error
				// Jobs 0 to 2, then 3 to 5; job 3 is the first of those to end.
				err := Unordered(ctx, Options{Workers: 3, Drain: drain}, 20,
					func(_ context.Context, i int) (err error, _ error) {
						time.Sleep(time.Duration(100+i) * time.Second)
						if i == 3 {
							err, sinking = test.stop(drain, cancel)
						}
						return nil, err
					},
					func(i int, _ error) error {
						if i == 3 && sinking != nil {
							return sinking
						}
						handed++
						return nil
					})
				if !errors.Is(err, test.want) || handed != test.hands {
					t.Errorf("Unordered = %v after %d jobs, want %v after %d", err, handed, test.want, test.hands)
				}
			})
		})
	}
}
