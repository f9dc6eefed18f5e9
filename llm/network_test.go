package llm

import (
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// network connects clients and servers by pipes, so that the true HTTP code
// runs in virtual time.
type network struct {
	t     *testing.T
	mutex sync.Mutex
	hosts map[string]*pipes
}

func newNetwork(t *testing.T) *network { return &network{t: t, hosts: map[string]*pipes{}} }

type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// start runs a server until it is stopped, or the test ends.
func (n *network) start(host string, handler http.HandlerFunc) (stop func()) {
	p := &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})}
	n.mutex.Lock()
	n.hosts[host] = p
	n.mutex.Unlock()
	s := &http.Server{Handler: handler}
	done := make(chan struct{})
	go func() { defer close(done); s.Serve(p) }()
	stop = sync.OnceFunc(func() {
		n.mutex.Lock()
		delete(n.hosts, host)
		n.mutex.Unlock()
		s.Close()
		<-done
	})
	n.t.Cleanup(stop)
	return stop
}

// open is Open on this network.
func (n *network) open(model string, o Options) *Client {
	c, err := Open(model, o)
	require.NoError(n.t, err)
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
		n.mutex.Lock()
		p := n.hosts[address]
		n.mutex.Unlock()
		if p == nil {
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}
		here, there := net.Pipe()
		select {
		case p.incoming <- there:
			return here, nil
		case <-p.closed:
		case <-ctx.Done():
		}
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}}
	n.t.Cleanup(transport.CloseIdleConnections)
	for _, s := range c.servers {
		switch b := s.backend.(type) {
		case *ollama:
			b.http = &http.Client{Transport: transport}
		case *openai:
			b.http = &http.Client{Transport: transport}
		}
	}
	return c
}

// models are how a wire's model x is named on hosts.
func (w wire) models(hosts ...string) (model string) {
	for i, h := range hosts {
		if i > 0 {
			model += ","
		}
		model += w.name + ":http://" + h + map[string]string{"ollama": "", "openai": "/v1"}[w.name] + "#x"
	}
	return model
}

// answer is a handler that echoes the question after a second.
func (w wire) answer(t *testing.T) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		q := w.read(t, r)
		time.Sleep(time.Second)
		w.write(out, canned{text: "re: " + q.messages[len(q.messages)-1].Text, finish: "stop", prompt: 100, completion: 10})
	}
}
