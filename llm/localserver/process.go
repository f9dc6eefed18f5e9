package localserver

import (
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a running server with all that it started.
type Process struct {
	Address string // host:port

	leader  *exec.Cmd
	printed *output
	ended   chan struct{}
}

// patience is how long a server may take to answer for the first time, on a
// machine that is busy with other things.
const patience = time.Minute

// Start runs a server that prints its address, the first group of listening,
// and waits until it answers. The end of the test kills it, as does the end of
// the test's process, however that comes. Where the test failed, what the
// server printed last is in the test's log.
func Start(t testing.TB, server *exec.Cmd, listening *regexp.Regexp) *Process {
	t.Helper()
	// The shell kills the whole group when the server ends, and when nobody
	// holds the other end of its standard input any more.
	const guard = `{ "$@"; kill -9 0; } & read -r _; kill -9 0`
	shell := exec.Command("sh", append([]string{"-c", guard, "sh"}, server.Args...)...)
	shell.Env, shell.Dir = server.Env, server.Dir
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := &Process{
		leader:  shell,
		printed: &output{listening: listening, address: make(chan string, 1)},
		ended:   make(chan struct{}),
	}
	shell.Stdout, shell.Stderr = p.printed, p.printed
	if _, err := shell.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		shell.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("%s printed last:\n%s", server.Args[0], p.printed.last())
		}
	})
	if err := p.await(); err != nil {
		t.Fatalf("%s %v", server.Args[0], err)
	}
	return p
}

func (p *Process) await() error {
	late := time.After(patience)
	for answers := false; !answers; {
		select {
		case <-p.ended:
			return fmt.Errorf("ended before it answered")
		case <-late:
			return fmt.Errorf("does not answer after %v", patience)
		case p.Address = <-p.printed.address:
		case <-time.After(10 * time.Millisecond):
		}
		if p.Address != "" {
			reply, err := http.Get("http://" + p.Address + "/")
			if answers = err == nil; answers {
				reply.Body.Close()
			}
		}
	}
	return nil
}

// Kill ends the server at once, and returns when its port is free.
func (p *Process) Kill() {
	select {
	case <-p.ended: // its number may be another's by now
	default:
		syscall.Kill(-p.leader.Process.Pid, syscall.SIGKILL)
	}
	<-p.ended
}

// output is what a server prints, on both streams.
type output struct {
	listening *regexp.Regexp
	address   chan string

	mu   sync.Mutex
	text []byte
	told bool
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	if m := o.listening.FindSubmatch(o.text); m != nil && !o.told {
		o.told = true
		o.address <- string(m[1])
	}
	return len(b), nil
}

func (o *output) last() string {
	const lines = 30
	o.mu.Lock()
	defer o.mu.Unlock()
	all := strings.Split(strings.TrimSpace(string(o.text)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
