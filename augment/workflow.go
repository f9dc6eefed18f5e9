// Package augment holds the corruption operators of FM SO.P: pure functions
// from a right object to edits of it. An edit only says what was changed;
// whether the result is wrong is for the oracles of package sop to decide.
//
// Terms (paper, Eq. 6): Substitute. Workflows (Eq. 8 to 11): Order, Omit,
// Insert, and Outcome, which changes how the workflow ends. Graphs (§2.2.4):
// Cycle, Precondition, Edge, Connective.
package augment

import (
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// Operator names a family of edits.
type Operator string

// The operators on workflows and next actions.
const (
	Order   Operator = "order"   // two items swapped, or one moved; the end too
	Omit    Operator = "omit"    // an item left out
	Insert  Operator = "insert"  // a call from outside, repeated, or needless
	Outcome Operator = "outcome" // another end, or cut short with an end
)

// Operators are all of them, in the order of the paper.
var Operators = []Operator{Order, Omit, Insert, Outcome}

// Edit is one corrupted workflow and what was done.
type Edit struct {
	Operator Operator
	Workflow sop.Workflow
	// How says what was done in a word: swap, swap_end, move, move_end (the end
	// takes part), omit, outside, repeated, own, end, cut.
	How string
	// At is the position of the change in the original.
	At int
}

// Orders returns every swap of two items and every move of one item, the end
// included, each result once. There are O(n²) of them.
func Orders(w sop.Workflow) []Edit {
	var edits []Edit
	for i := range w {
		for j := i + 1; j < len(w); j++ {
			e := slices.Clone(w)
			e[i], e[j] = e[j], e[i]
			edits = append(edits, Edit{Order, e, how("swap", j == len(w)-1), i})
		}
	}
	for i := range w {
		for j := range w {
			// Moving by one place is the swap of neighbours.
			if j == i || j == i+1 || j == i-1 {
				continue
			}
			e := slices.Delete(slices.Clone(w), i, i+1)
			edits = append(edits, Edit{Order, slices.Insert(e, j, w[i]), how("move", max(i, j) == len(w)-1), i})
		}
	}
	return distinct(edits, w)
}

func how(what string, end bool) string {
	if end {
		return what + "_end"
	}
	return what
}

// Omits returns w without one of its items, for every item.
func Omits(w sop.Workflow) []Edit {
	var edits []Edit
	if len(w) < 2 {
		return nil
	}
	for i := range w {
		edits = append(edits, Edit{Omit, slices.Delete(slices.Clone(w), i, i+1), "omit", i})
	}
	return distinct(edits, w)
}

// Inserts returns w with one call put before one of its items: a call of own
// (the procedure's) that stands in it (repeated) or not (own), or one of
// outside. Nothing is put after the end.
func Inserts(w sop.Workflow, own, outside []string) []Edit {
	var edits []Edit
	for i := range w {
		for _, c := range own {
			how := "own"
			if slices.Contains(w, c) {
				how = "repeated"
			}
			edits = append(edits, Edit{Insert, slices.Insert(slices.Clone(w), i, c), how, i})
		}
		for _, c := range outside {
			edits = append(edits, Edit{Insert, slices.Insert(slices.Clone(w), i, c), "outside", i})
		}
	}
	return distinct(edits, w)
}

// Outcomes returns w with another end, and every beginning of w closed with
// one of the ends (cut short).
func Outcomes(w sop.Workflow, ends []string) []Edit {
	var edits []Edit
	for i := len(w) - 1; i >= 0; i-- {
		for _, end := range ends {
			how := "cut"
			if i == len(w)-1 {
				how = "end"
			}
			edits = append(edits, Edit{Outcome, append(slices.Clone(w[:i]), end), how, i})
		}
	}
	return distinct(edits, w)
}

// distinct drops edits that equal w or an earlier edit.
func distinct(edits []Edit, w sop.Workflow) []Edit {
	seen := map[string]bool{Key(w): true}
	return slices.DeleteFunc(edits, func(e Edit) bool {
		k := Key(e.Workflow)
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
}

// Key identifies a workflow.
func Key(w sop.Workflow) string {
	n := 0
	for _, s := range w {
		n += len(s) + 1
	}
	b := make([]byte, 0, n)
	for _, s := range w {
		b = append(append(b, s...), 0)
	}
	return string(b)
}
