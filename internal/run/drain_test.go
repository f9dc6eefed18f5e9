package run

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestNotifyDrain(t *testing.T) {
	ctx, drain, stop := NotifyDrain(context.Background(), syscall.SIGUSR1)
	defer stop()
	signal := func(what string, done <-chan struct{}) {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatalf("the %s signal had no effect", what)
		}
	}
	signal("first", drain.Asked())
	if ctx.Err() != nil {
		t.Fatal("the first signal ended the context")
	}
	signal("second", ctx.Done())
}

func TestDrainNilIsNeverAsked(t *testing.T) {
	var d *Drain
	select {
	case <-d.Asked():
		t.Error("a nil Drain is asked")
	default:
	}
}
