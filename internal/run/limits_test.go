package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestRateSpreadsAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRate(60)
		start := time.Now()
		for range 130 {
			if err := r.Wait(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		// Ten at once, then one a second.
		if got := time.Since(start).Round(time.Second); got != 120*time.Second {
			t.Errorf("130 at 60 a minute took %v, want 2m0s", got)
		}
	})
}

func TestRateMoreThanABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRate(6000)
		start := time.Now()
		if err := r.Wait(t.Context(), 13000); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start).Round(time.Second); got != 120*time.Second {
			t.Errorf("13000 at 6000 a minute took %v, want 2m0s", got)
		}
	})
}

func TestRateChargeIsMadeUpFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRate(6000)
		r.Charge(7000)
		start := time.Now()
		if err := r.Wait(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(start).Round(time.Second); got != 61*time.Second {
			t.Errorf("100 after a charge of 7000 at 6000 a minute took %v, want 1m1s", got)
		}
	})
}

func TestRateNilHasNoLimit(t *testing.T) {
	r := NewRate(0)
	r.Charge(1 << 40)
	if err := r.Wait(t.Context(), 1<<40); r != nil || err != nil {
		t.Errorf("no limit waits: %v", err)
	}
}

func TestBackoff(t *testing.T) {
	b := Backoff{First: time.Second, Most: 10 * time.Second}
	for _, test := range []struct {
		failures    int
		asked, most time.Duration
	}{
		{0, 0, time.Second}, {1, 0, 2 * time.Second}, {3, 0, 8 * time.Second}, {4, 0, 10 * time.Second}, {100, 0, 10 * time.Second},
		{0, 20 * time.Second, 21 * time.Second},
	} {
		var least, most time.Duration = time.Hour, 0
		for range 2000 {
			w := b.Wait(test.failures, test.asked)
			least, most = min(least, w), max(most, w)
		}
		width := test.most - test.asked
		if least < test.asked || least > test.asked+width/20 || most > test.most || most < test.most-width/20 {
			t.Errorf("waits after %d failures, %v asked for, are %v to %v, want %v to %v", test.failures, test.asked, least, most, test.asked, test.most)
		}
	}
}

func TestSleepReturnsTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { time.Sleep(time.Second); cancel(enough) }()
		start := time.Now()
		if err := Sleep(ctx, time.Hour); err != enough || time.Since(start) != time.Second {
			t.Errorf("Sleep = %v after %v", err, time.Since(start))
		}
		if err := Sleep(t.Context(), time.Hour); err != nil || time.Since(start) != time.Hour+time.Second {
			t.Errorf("Sleep = %v after %v", err, time.Since(start))
		}
	})
}

func TestMeter(t *testing.T) {
	for _, test := range []struct {
		name  string
		limit Budget
		begun int // of calls of 30 tokens, half a coin and 10 s each
		want  string
	}{
		{"none", Budget{}, 20, ""},
		{"calls", Budget{Calls: 7}, 7, "the budget of 7 calls is spent"},
		{"tokens", Budget{Tokens: 100}, 4, "the budget of 100 tokens is spent"},
		{"cost", Budget{Cost: 2.5}, 5, "the budget of 2.5 in money is spent"},
		{"time", Budget{Time: time.Minute}, 6, "the budget of 1m0s is spent"},
		{"the first that is spent", Budget{Calls: 9, Tokens: 60}, 2, "the budget of 60 tokens is spent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := NewMeter(test.limit)
				var err error
				begun := 0
				for ; begun < 20; begun++ {
					if err = m.Begin(); err != nil {
						break
					}
					time.Sleep(10 * time.Second)
					m.Spend(30, 0.5)
				}
				if begun != test.begun {
					t.Errorf("%d calls were begun, want %d", begun, test.begun)
				}
				var spent *SpentError
				if test.want == "" && err != nil || test.want != "" && (!errors.As(err, &spent) || err.Error() != test.want) {
					t.Errorf("Begin = %v, want %q", err, test.want)
				}
				if used := m.Used(); used != (Budget{begun, 30 * begun, 0.5 * float64(begun), 10 * time.Duration(begun) * time.Second}) {
					t.Errorf("used %+v by %d calls", used, begun)
				}
			})
		})
	}
}
