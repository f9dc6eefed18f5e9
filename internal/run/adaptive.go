package run

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Adaptive bounds how many jobs are under way at a time by what the other end
// can take. It measures the work done a second: a higher bound is kept where
// it brings enough more, a lower one where it costs little, so that a server
// that only queues is not given more than it works on. When the other end
// says that it is overloaded, the bound falls at once.
type Adaptive struct {
	mutex   sync.Mutex
	most    int
	limit   int
	running int
	waiting []chan struct{} // first come, first served

	// What is measured at this limit, once the jobs that began under another
	// are done but for a few: they would make a lower limit look slow.
	generation int
	older      int
	began      time.Time // zero: not yet
	done       int
	work       float64
	idle       bool // there were not enough jobs to reach the limit

	kept  level // what a try is compared with
	trial bool  // limit is a try
	fast  bool  // no try has failed yet
	up    bool  // the direction of the next try
	hold  int   // epochs until then
}

type level struct {
	limit int
	rate  float64 // work a second; 0: not measured
}

const (
	firstLimit = 8
	epochJobs  = 3    // for each job under way, how many are measured before the limit is judged
	worth      = 0.3  // a step is worth it if it brings this share of what is added
	step       = 0.25 // a try, after the first doublings
	holdEpochs = 4    // between tries
	fewOlder   = 10   // one job of so many may still be from under another limit
	cut        = 0.7  // the limit on overload
)

// NewAdaptive starts low and never has more than most jobs under way.
func NewAdaptive(most int) *Adaptive {
	a := &Adaptive{most: max(1, most), fast: true, up: true}
	a.set(min(firstLimit, a.most))
	a.kept = level{limit: a.limit}
	return a
}

// Limit is the present bound.
func (a *Adaptive) Limit() int {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.limit
}

// Acquire waits until the job may begin. The job calls release once, with the
// work that it did (in any unit; 0 for none) and whether it was turned away
// because there were too many.
func (a *Adaptive) Acquire(ctx context.Context) (release func(work float64, overload bool), err error) {
	a.mutex.Lock()
	if a.running < a.limit && len(a.waiting) == 0 && ctx.Err() == nil {
		a.running++
		defer a.mutex.Unlock()
		return a.releaser(), nil
	}
	turn := make(chan struct{})
	a.waiting = append(a.waiting, turn)
	a.mutex.Unlock()

	select {
	case <-turn:
		a.mutex.Lock()
		defer a.mutex.Unlock()
		return a.releaser(), nil
	case <-ctx.Done():
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if i := slices.Index(a.waiting, turn); i >= 0 {
			a.waiting = slices.Delete(a.waiting, i, i+1)
		} else { // its turn came at the same moment
			a.running--
			a.wake()
		}
		return nil, context.Cause(ctx)
	}
}

func (a *Adaptive) releaser() func(float64, bool) {
	generation := a.generation
	return func(work float64, overload bool) {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		a.running--
		switch {
		case generation != a.generation: // tells about another limit
			a.older--
		case overload:
			a.overloaded()
		case !a.began.IsZero():
			a.measure(work)
		}
		if a.began.IsZero() && a.older <= a.limit/fewOlder {
			a.measureAnew()
		}
		a.wake()
	}
}

func (a *Adaptive) wake() {
	for a.running < a.limit && len(a.waiting) > 0 {
		close(a.waiting[0])
		a.waiting = a.waiting[1:]
		a.running++
	}
}

func (a *Adaptive) set(limit int) {
	a.limit = limit
	a.generation++
	a.older = a.running
	a.began = time.Time{}
}

func (a *Adaptive) measureAnew() { a.began, a.done, a.work, a.idle = time.Now(), 0, 0, false }

func (a *Adaptive) overloaded() {
	a.set(max(1, int(cut*float64(a.limit))))
	a.kept, a.trial, a.fast, a.up, a.hold = level{limit: a.limit}, false, false, true, holdEpochs
}

// measure counts a job that is done; after enough of them the limit is judged.
func (a *Adaptive) measure(work float64) {
	a.done++
	a.work += work
	a.idle = a.idle || a.running+1 < a.limit // running is without this one
	if a.done < epochJobs*a.limit {
		return
	}
	seconds := time.Since(a.began).Seconds()
	if a.idle || seconds <= 0 {
		a.measureAnew()
		return
	}
	a.judge(a.work / seconds)
}

func (a *Adaptive) judge(rate float64) {
	if a.trial {
		a.trial = false
		// How much the rate has to be for the higher of the two limits to be
		// worth it, whichever of the two is the try.
		needed := a.kept.rate * (1 + worth*(float64(a.limit)/float64(a.kept.limit)-1))
		if rate < needed {
			a.fast = false
			a.up = !a.up
			a.hold = holdEpochs
			a.set(a.kept.limit)
			return
		}
	}
	a.kept = level{a.limit, rate}
	if a.hold--; a.hold > 0 {
		a.measureAnew()
		return
	}
	a.try()
}

// try moves the limit a step, or where that is not possible turns round.
func (a *Adaptive) try() {
	share := step
	if a.fast {
		share = 1
	}
	size := max(1, int(share*float64(a.limit)))
	if !a.up {
		size = -size
	}
	limit := min(max(1, a.limit+size), a.most)
	if limit == a.limit {
		a.fast, a.up, a.hold = false, !a.up, holdEpochs
		a.measureAnew()
		return
	}
	a.trial = true
	a.set(limit)
}
