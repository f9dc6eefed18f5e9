package run

import (
	"fmt"
	"sync"
	"time"
)

// Budget is what a run may use; zero means without limit.
type Budget struct {
	Calls  int           `yaml:"calls" json:"calls"`
	Tokens int           `yaml:"tokens" json:"tokens"` // read and written
	Cost   float64       `yaml:"cost" json:"cost"`     // in the currency of the prices
	Time   time.Duration `yaml:"time" json:"time"`
}

// SpentError says which part of a Budget is used up.
type SpentError struct{ Limit string }

func (e *SpentError) Error() string { return "the budget of " + e.Limit + " is spent" }

// Meter measures what is used of a Budget. The methods may be called from any
// goroutine.
type Meter struct {
	limit Budget
	start time.Time

	mutex sync.Mutex
	used  Budget // less Time
}

// NewMeter begins to measure time.
func NewMeter(limit Budget) *Meter { return &Meter{limit: limit, start: time.Now()} }

// Begin counts a call, or returns a *SpentError. Tokens and cost are known
// only after a call, so that the calls under way when they are used up come
// on top of the budget.
func (m *Meter) Begin() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	l := m.limit
	switch {
	case l.Calls > 0 && m.used.Calls >= l.Calls:
		return &SpentError{fmt.Sprintf("%d calls", l.Calls)}
	case l.Tokens > 0 && m.used.Tokens >= l.Tokens:
		return &SpentError{fmt.Sprintf("%d tokens", l.Tokens)}
	case l.Cost > 0 && m.used.Cost >= l.Cost:
		return &SpentError{fmt.Sprintf("%g in money", l.Cost)}
	case l.Time > 0 && time.Since(m.start) >= l.Time:
		return &SpentError{fmt.Sprintf("%v", l.Time)}
	}
	m.used.Calls++
	return nil
}

// Spend adds what a call used.
func (m *Meter) Spend(tokens int, cost float64) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.used.Tokens += tokens
	m.used.Cost += cost
}

// Used is what was used so far.
func (m *Meter) Used() Budget {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	used := m.used
	used.Time = time.Since(m.start)
	return used
}
