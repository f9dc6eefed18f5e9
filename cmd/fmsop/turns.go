package main

import (
	"sync"
)

// turns lets parallel jobs take from one source in the order of their
// numbers, whichever of them asks first.
type turns[T any] struct {
	mutex sync.Mutex
	moved sync.Cond
	next  int
	read  func() (T, error)
}

func newTurns[T any](read func() (T, error)) *turns[T] {
	t := &turns[T]{read: read}
	t.moved.L = &t.mutex
	return t
}

// take waits for the turn of job i and reads. Jobs have to begin in order, as
// those of run.Ordered do.
func (t *turns[T]) take(i int) (T, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for t.next != i {
		t.moved.Wait()
	}
	defer t.moved.Broadcast()
	t.next++
	return t.read()
}
