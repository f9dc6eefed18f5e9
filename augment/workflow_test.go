package augment_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
)

func ExampleOutcomes() {
	for _, e := range augment.Outcomes(sop.Workflow{"login", "transfer"}, []string{"transfer", sop.Deny}) {
		fmt.Println(e.How, e.Workflow)
	}
	// Output:
	// end [login deny]
	// cut [transfer]
	// cut [deny]
}

func workflows(t *rapid.T) sop.Workflow {
	calls := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 0, 5, rapid.ID).Draw(t, "calls")
	return append(sop.Workflow(calls), rapid.SampledFrom([]string{"goal", "deny"}).Draw(t, "end"))
}

func multiset(w sop.Workflow) []string {
	s := slices.Clone([]string(w))
	slices.Sort(s)
	return s
}

// Each operator changes what it says and nothing else, never returns the
// original, and never the same result twice.
func TestOperatorsDoWhatTheySay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := workflows(t)
		before := slices.Clone(w)
		seen := map[string]bool{}
		all := [][]augment.Edit{augment.Orders(w), augment.Omits(w), augment.Inserts(w, []string{"a", "f"}, []string{"x"}), augment.Outcomes(w, []string{"goal", "deny"})}
		for _, edits := range all {
			clear(seen)
			for _, e := range edits {
				if slices.Equal(e.Workflow, w) || seen[augment.Key(e.Workflow)] {
					t.Fatalf("%s of %v gives %v, the original or a repetition", e.Operator, w, e.Workflow)
				}
				seen[augment.Key(e.Workflow)] = true
				switch e.Operator {
				case augment.Order:
					if !slices.Equal(multiset(e.Workflow), multiset(w)) {
						t.Fatalf("order of %v gives other items: %v", w, e.Workflow)
					}
				case augment.Omit:
					if !slices.Equal(slices.Insert(slices.Clone(e.Workflow), e.At, w[e.At]), w) {
						t.Fatalf("omit at %d of %v gives %v", e.At, w, e.Workflow)
					}
				case augment.Insert:
					if !slices.Equal(slices.Delete(slices.Clone(e.Workflow), e.At, e.At+1), w) {
						t.Fatalf("insert at %d of %v gives %v", e.At, w, e.Workflow)
					}
				case augment.Outcome:
					n := len(e.Workflow)
					if n > len(w) || !slices.Equal(e.Workflow[:n-1], w[:n-1]) || e.Workflow[n-1] != "goal" && e.Workflow[n-1] != "deny" {
						t.Fatalf("outcome of %v gives %v", w, e.Workflow)
					}
				}
			}
		}
		if !slices.Equal(w, before) {
			t.Fatalf("the original was changed: %v, was %v", w, before)
		}
	})
}

// The numbers of edits of a workflow of n distinct items, by hand: n(n-1)/2
// swaps and (n-1)(n-2) longer moves, of which those of three items that equal
// a swap of the ends do not count twice; n omissions.
func TestNumbersOfEdits(t *testing.T) {
	w := sop.Workflow{"a", "b", "c", "goal"}
	if n := len(augment.Orders(w)); n != 6+6 {
		t.Errorf("%d orders of 4 items, want 12", n)
	}
	if n := len(augment.Omits(w)); n != 4 {
		t.Errorf("%d omissions of 4 items, want 4", n)
	}
	if n := len(augment.Inserts(w, nil, []string{"x", "y"})); n != 8 {
		t.Errorf("%d insertions of 2 calls before 4 items, want 8", n)
	}
	if n := len(augment.Outcomes(w, []string{"goal", "deny"})); n != 7 {
		t.Errorf("%d other outcomes, want 7: deny for goal, and 3 cuts with 2 ends", n)
	}
}
