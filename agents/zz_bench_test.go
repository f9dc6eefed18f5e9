package agents_test

import (
	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/sop/corpus"
	"math/rand/v2"
	"testing"
)

var _ = corpus.Builtin

func BenchmarkSymbolicScorer(b *testing.B) {
	t := &testing.T{}
	questions, _ := testset(t, "bank", agents.TestOptions{})
	rng := rand.New(rand.NewPCG(1, 1))
	b.ResetTimer()
	n := 0
	for b.Loop() {
		q := &questions[n%len(questions)]
		n++
		worth(b, q, dressed(q, rng)[0])
	}
}
