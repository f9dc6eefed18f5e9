package run

import (
	"context"
	"os"
	"os/signal"
	"sync"
)

// Drain is a request to stop that loses nothing: the first Signal lets what
// is in flight finish, the second cancels it. A nil Drain is never asked.
type Drain struct {
	mutex  sync.Mutex
	times  int
	asked  chan struct{}
	cancel context.CancelFunc
}

// NewDrain returns a Drain whose second Signal calls cancel.
func NewDrain(cancel context.CancelFunc) *Drain {
	return &Drain{asked: make(chan struct{}), cancel: cancel}
}

// Signal asks to stop.
func (d *Drain) Signal() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch d.times++; d.times {
	case 1:
		close(d.asked)
	case 2:
		d.cancel()
	}
}

// Asked is closed by the first Signal.
func (d *Drain) Asked() <-chan struct{} {
	if d == nil {
		return nil
	}
	return d.asked
}

// NotifyDrain returns a Drain that is asked by the signals, and the context
// that the second of them ends. From the third on, signals have their usual
// effect, as they have after stop, which frees what NotifyDrain holds.
func NotifyDrain(ctx context.Context, signals ...os.Signal) (_ context.Context, d *Drain, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	d = NewDrain(cancel)
	incoming := make(chan os.Signal, 2)
	signal.Notify(incoming, signals...)
	go func() {
		for range 2 {
			select {
			case <-incoming:
				d.Signal()
			case <-ctx.Done():
				return
			}
		}
		signal.Stop(incoming)
	}()
	return ctx, d, func() {
		signal.Stop(incoming)
		cancel()
	}
}
