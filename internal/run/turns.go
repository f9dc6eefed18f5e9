package run

import "sync"

// Turns lets parallel jobs take from one source in the order of their
// numbers, whichever of them asks first.
type Turns[T any] struct {
	mutex sync.Mutex
	moved sync.Cond
	next  int
	read  func() (T, error)
}

// NewTurns takes from read, which is called by one at a time.
func NewTurns[T any](read func() (T, error)) *Turns[T] {
	t := &Turns[T]{read: read}
	t.moved.L = &t.mutex
	return t
}

// Take waits for the turn of job i and reads. Jobs have to begin in order, as
// those of Ordered do, and every one of them has to take.
func (t *Turns[T]) Take(i int) (T, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for t.next != i {
		t.moved.Wait()
	}
	defer t.moved.Broadcast()
	t.next++
	return t.read()
}
