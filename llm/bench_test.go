package llm

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
)

// BenchmarkRunner is what a call costs on our side, and what memory it leaves.
func BenchmarkRunner(b *testing.B) {
	m := instant{}
	r, err := NewRunner(m, Options{}, Files{Ledger: filepath.Join(b.TempDir(), "ledger.jsonl")}, nil)
	if err != nil {
		b.Fatal(err)
	}
	heap := func() float64 {
		var s runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&s)
		return float64(s.HeapAlloc)
	}
	before := heap()
	b.ResetTimer()
	err = Each(context.Background(), r, EachOptions{}, b.N,
		func(ctx context.Context, i int) (Reply, error) { return r.Chat(ctx, says(fmt.Sprint(i))) },
		func(int, Reply, *Error) error { return nil })
	if err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric((heap()-before)/float64(b.N), "B-kept/op")
	r.Close()
}

type instant struct{}

func (instant) Name() string { return "ollama:instant" }

func (instant) Chat(context.Context, Request) (Reply, error) {
	return Reply{Text: "some text of a reply that is not very long", Finish: FinishStop, Usage: Usage{100, 20}}, nil
}
