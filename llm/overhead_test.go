package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fmsop/fmsop/llm"
)

// BenchmarkOverhead sends the same 2,000 requests, 16 at a time, to the same
// server twice: by a loop around net/http that reads each reply and throws it
// away, and by a Runner with its ledger. It reports what the second takes more,
// as a share of the first, and how much each adds to the heap at its highest;
// the server is part of both.
//
//	go test ./llm -run - -bench Overhead -benchtime 3x
func BenchmarkOverhead(b *testing.B) {
	for _, latency := range []time.Duration{0, 20 * time.Millisecond, 200 * time.Millisecond} {
		b.Run(fmt.Sprintf("latency=%v", latency), func(b *testing.B) {
			s := serveAfter(b, latency)
			var bare, ours, bareHeap, ourHeap float64
			for b.Loop() {
				bareHeap = max(bareHeap, atMost(func() { bare += seconds(func() { loadBare(b, s.URL) }) }))
				ourHeap = max(ourHeap, atMost(func() { ours += seconds(func() { loadRunner(b, s.URL) }) }))
			}
			b.ReportMetric(100*(ours-bare)/bare, "%-overhead")
			b.ReportMetric(bare/float64(b.N), "s-bare")
			b.ReportMetric(ours/float64(b.N), "s-runner")
			b.ReportMetric(bareHeap/(1<<20), "MiB-bare")
			b.ReportMetric(ourHeap/(1<<20), "MiB-runner")
			b.ReportMetric(0, "ns/op")
		})
	}
}

const (
	overheadRequests = 2000
	overheadAtATime  = 16
)

func overheadRequest(i int) llm.Request {
	text := fmt.Sprintf("Request %d. %s", i, strings.Repeat("The customer has signed in, and the account is in order. ", 30))
	return llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "You answer briefly."}, {Role: llm.User, Text: text}}}
}

// serveAfter replies to every request with the same text, after a while.
func serveAfter(b *testing.B, latency time.Duration) *httptest.Server {
	reply, err := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": strings.Repeat("It is in order. ", 20)}}},
		"usage":   map[string]any{"prompt_tokens": 400, "completion_tokens": 100},
	})
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		time.Sleep(latency)
		w.Header().Set("Content-Type", "application/json")
		w.Write(reply)
	}))
	b.Cleanup(s.Close)
	return s
}

func loadBare(b *testing.B, url string) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: overheadAtATime}}
	defer client.CloseIdleConnections()
	var next atomic.Int64
	var all sync.WaitGroup
	for range overheadAtATime {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < overheadRequests; i = int(next.Add(1)) - 1 {
				body, err := json.Marshal(map[string]any{"model": "m", "messages": overheadRequest(i).Messages})
				if err != nil {
					b.Error(err)
					return
				}
				response, err := client.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(body))
				if err != nil {
					b.Error(err)
					return
				}
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		})
	}
	all.Wait()
}

func loadRunner(b *testing.B, url string) {
	o := llm.Options{Concurrency: overheadAtATime}
	client, err := llm.Open("openai:"+url+"/v1#m", o)
	if err != nil {
		b.Fatal(err)
	}
	r, err := llm.NewRunner(client, o, llm.Files{Ledger: filepath.Join(b.TempDir(), "ledger.jsonl")}, nil)
	if err != nil {
		b.Fatal(err)
	}
	err = llm.Each(context.Background(), r, llm.EachOptions{}, overheadRequests,
		func(ctx context.Context, i int) (llm.Reply, error) { return r.Chat(ctx, overheadRequest(i)) },
		func(int, llm.Reply, *llm.Error) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
	if err := r.Close(); err != nil {
		b.Fatal(err)
	}
}

func seconds(do func()) float64 {
	began := time.Now()
	do()
	return time.Since(began).Seconds()
}

// atMost returns by how many bytes the heap's objects grew at most meanwhile,
// those among them that nothing holds any more.
func atMost(do func()) float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	heap := func() float64 {
		metrics.Read(sample)
		return float64(sample[0].Value.Uint64())
	}
	runtime.GC()
	before := heap()
	most := before
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for tick := time.NewTicker(2 * time.Millisecond); ; {
			select {
			case <-tick.C:
				most = max(most, heap())
			case <-done:
				tick.Stop()
				return
			}
		}
	}()
	do()
	close(done)
	<-over
	return most - before
}
