package llm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Stats are the counts of a run.
type Stats struct {
	Known      int            `json:"known"` // replies that were there already
	Calls      int            `json:"calls"`
	Retries    int            `json:"retries"`  // how many of the calls
	Errors     map[Kind]int   `json:"errors"`   // of calls, those that were retried too
	Reasks     int            `json:"reasks"`   // replies sent back with what is wrong with them
	Repaired   int            `json:"repaired"` // replies that were of use once they were repaired
	Failures   map[Kind]int   `json:"failures"` // of jobs
	Finishes   map[Finish]int `json:"finishes"`
	Prompt     int            `json:"prompt_tokens"`
	Completion int            `json:"completion_tokens"`
	Cost       float64        `json:"cost"`
	Seconds    float64        `json:"seconds"`
	Dropped    int            `json:"ledger_lines_dropped"`

	began time.Time
}

func newStats() Stats {
	return Stats{Errors: map[Kind]int{}, Failures: map[Kind]int{}, Finishes: map[Finish]int{}, began: time.Now()}
}

// Stats is what happened so far.
func (r *Runner) Stats() Stats {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	s := r.stats
	s.Errors, s.Failures, s.Finishes = maps.Clone(s.Errors), maps.Clone(s.Failures), maps.Clone(s.Finishes)
	s.Seconds = time.Since(s.began).Seconds()
	s.Dropped = r.ledger.Dropped()
	return s
}

func (r *Runner) count(add func(*Stats)) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	add(&r.stats)
}

func (r *Runner) countCall(reply Reply, used Usage, err error) {
	r.count(func(s *Stats) {
		s.Calls++
		s.Prompt += used.Prompt
		s.Completion += used.Completion
		s.Cost += r.price.of(used)
		if problem, ok := errors.AsType[*Error](err); ok {
			s.Errors[problem.Kind]++
		} else if err == nil && reply.Finish != "" { // an embedding has none
			s.Finishes[reply.Finish]++
		}
	})
}

// String is the summary at the end of a run.
func (s Stats) String() string {
	parts := []string{fmt.Sprintf("%d calls, %d of them retries", s.Calls, s.Retries)}
	if s.Known > 0 {
		parts = append(parts, fmt.Sprintf("%d replies from the ledger", s.Known))
	}
	parts = append(parts, fmt.Sprintf("%d tokens read, %d written", s.Prompt, s.Completion), s.rate())
	if s.Reasks+s.Repaired > 0 {
		parts = append(parts, fmt.Sprintf("%d replies sent back, %d repaired", s.Reasks, s.Repaired))
	}
	if s.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("%d lines of the ledger dropped", s.Dropped))
	}
	line := strings.Join(parts, "; ")
	for _, table := range []struct {
		what   string
		counts string
	}{
		{"replies", counts(s.Finishes)}, {"errors of calls", counts(s.Errors)}, {"jobs without a value", counts(s.Failures)},
	} {
		if table.counts != "" {
			line += "\n" + table.what + ": " + table.counts
		}
	}
	return line
}

// rate is how fast it writes, and what it cost.
func (s Stats) rate() string {
	rate := ""
	if s.Seconds > 0 {
		rate = fmt.Sprintf("%.0f tok/s", float64(s.Completion)/s.Seconds)
	}
	if s.Cost > 0 {
		rate += fmt.Sprintf(" cost %.4g", s.Cost)
	}
	return rate
}

// counts lists the most frequent first.
func counts[K ~string](m map[K]int) string {
	var parts []string
	for _, k := range slices.SortedFunc(maps.Keys(m), func(a, b K) int {
		if m[a] != m[b] {
			return m[b] - m[a]
		}
		return strings.Compare(string(a), string(b))
	}) {
		parts = append(parts, fmt.Sprintf("%d %s", m[k], strings.ReplaceAll(string(k), "_", " ")))
	}
	return strings.Join(parts, ", ")
}

// Tail is what a progress bar shows of the run.
func (r *Runner) Tail() string { return r.Stats().rate() }

var _ Model = (*Client)(nil)
var _ Model = (*Runner)(nil)
var _ readier = (*Client)(nil)
