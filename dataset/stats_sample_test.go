package dataset

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestStatsDoNotDependOnOrder(t *testing.T) {
	rows := planted(rand.New(rand.NewPCG(1, 2)), 120, plant{})
	report := func(rows []Row) string {
		s := NewStats(3)
		s.limits = statsLimits{keys: 30, procedureKeys: 4, sampleBytes: 30_000}
		for i := range rows {
			s.Add(&rows[i])
		}
		for _, v := range s.views {
			if n := len(v.payloads.kept); n > 30 || v.sample.size > 30_000 || len(v.tasks.kept) > 30 {
				t.Fatalf("%d payloads, %d contexts and %d bytes are kept, want at most 30, 30 and 30000", n, len(v.tasks.kept), v.sample.size)
			}
		}
		data, err := json.Marshal(s.Report())
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first := report(rows)
	rapid.Check(t, func(t *rapid.T) {
		if got := report(rapid.Permutation(rows).Draw(t, "rows")); got != first {
			t.Fatalf("another order gives\n%s\nfirst\n%s", got, first)
		}
	})
}

func TestThinnedEstimates(t *testing.T) {
	set, exact := newThinned[int](1000), newThinned[int](1000)
	for i := range 100_000 {
		if n := set.at(hash64(1, fmt.Sprint(i%50_000))); n != nil {
			*n++
		}
		exact.at(hash64(1, fmt.Sprint(i%1000)))
	}
	if n := set.count(); n < 45_000 || n > 55_000 || set.exact() {
		t.Errorf("50000 keys are estimated as %d, want that within 10 %%", n)
	}
	if n := exact.count(); n != 1000 || !exact.exact() {
		t.Errorf("1000 keys are counted as %d, want 1000", n)
	}
	for k, n := range set.kept {
		if *n != 2 {
			t.Fatalf("key %x was seen %d times, want 2", k, *n)
		}
	}
}

func TestDistinctPositivesEstimated(t *testing.T) {
	s := NewStats(1)
	s.limits.keys, s.limits.procedureKeys = 600, 600
	for i := range 4000 { // each positive twice, each negative once
		r := choice(i, fmt.Sprint("p", i/2), fmt.Sprint("n", i))
		s.Add(&r)
	}
	got := s.Report().Stages[0].All
	for what, n := range map[string]int{"positives": got.DistinctPositives, "positives of a procedure": got.PositivesPerProcedure.Max, "tasks": got.DistinctTasks / 2} {
		if n < 1600 || n > 2400 || n == 2000 {
			t.Errorf("2000 distinct %s are estimated as %d, want about that", what, n)
		}
	}
	if !got.Estimated {
		t.Error("the report does not say that it estimates")
	}
}

// A group that follows one without room is refused even if it would fit: the
// sample would otherwise depend on who came first.
func TestSampleIsAPrefix(t *testing.T) {
	group := func(order uint64, calls int) *statsGroup {
		r := choice(1, strings.Repeat("a ", calls)+"b", "c")
		g := newStatsGroup(&r, 1)
		g.order = order
		return g
	}
	sizes := map[uint64]int{1: 1, 2: 1000, 3: 1}
	for _, order := range [][]uint64{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}} {
		s := newGroupSample(2000)
		for _, o := range order {
			s.offer(group(o, sizes[o]))
		}
		if all, _, _ := s.sorted(); len(all) != 1 || all[0].order != 1 || s.size != all[0].bytes() {
			t.Errorf("offered as %v, %d groups are kept, want the first alone", order, len(all))
		}
	}
}
