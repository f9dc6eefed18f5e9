package rubric

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Complexity levels (FM SO.P §2.3.2), from recall to steps over procedures.
const (
	Recall       = 1
	OneRule      = 2
	SeveralRules = 3
	SeveralSteps = 4
)

// Levels lists the complexity levels.
var Levels = []int{Recall, OneRule, SeveralRules, SeveralSteps}

// Question types (FM SO.P §2.3.2).
const (
	Factual     = "factual"
	Sequential  = "sequential"
	Conditional = "conditional"
	MultiHop    = "multi_hop"
)

// Types lists the question types.
var Types = []string{Factual, Sequential, Conditional, MultiHop}

// Question is one item of a test set.
type Question struct {
	ID         string   `json:"id"`
	Domain     string   `json:"domain"`
	Unit       string   `json:"unit"` // the split unit: the cluster of intervals
	Procedure  string   `json:"procedure"`
	Level      int      `json:"level"`
	Type       string   `json:"type"`
	Dimensions []string `json:"dimensions"` // which it tests
	Context    string   `json:"context"`    // the SOPs or glossary that it is asked over
	Case       string   `json:"case"`       // what is known of the case at hand; part of the question
	Query      string   `json:"query"`
	Format     string   `json:"format"`    // in which the query asks for the answer
	Reference  string   `json:"reference"` // a right answer, in words
	Key        Key      `json:"key"`
	Source     []string `json:"source"`  // where the corpus says so
	Wording    string   `json:"wording"` // name of the query's wording
	// The models that wrote the query and the reference; none where they were
	// computed.
	Author          string `json:"author,omitempty"`
	ReferenceAuthor string `json:"reference_author,omitempty"`
}

// Kinds of keys.
const (
	KeyNone     = ""         // only a judge can score it
	KeyValue    = "value"    // one term, number or date
	KeySet      = "set"      // names, in any order
	KeySequence = "sequence" // calls and their end, in order
	KeyOutcome  = "outcome"  // the end alone
)

// KeyKinds lists the kinds of keys.
var KeyKinds = []string{KeyNone, KeyValue, KeySet, KeySequence, KeyOutcome}

// Key is what an answer is held against without a judge. Check, where it is
// not empty, is the reference of a dataset row (JSON): there are several right
// answers then, Value is one of them, and Check decides.
type Key struct {
	Kind  string   `json:"kind"`
	Value []string `json:"value"` // one element, except of sets and sequences
	Also  []string `json:"also"`  // other words for the value that are right
	Unit  string   `json:"unit"`  // of a number: days, USD, …
	Check string   `json:"check"`
}

// Validate reports every fault of the question, joined.
func (q *Question) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("question "+q.ID+": "+format, args...))
	}
	for name, text := range map[string]string{"domain": q.Domain, "unit": q.Unit, "query": q.Query} {
		if strings.TrimSpace(text) == "" {
			fault("%s is empty", name)
		}
	}
	if q.ID == "" {
		fault("id is empty")
	}
	if !slices.Contains(Levels, q.Level) {
		fault("level is %d, want 1 to %d", q.Level, len(Levels))
	}
	if !slices.Contains(Types, q.Type) {
		fault("type is %q, want one of %s", q.Type, strings.Join(Types, ", "))
	}
	if len(q.Dimensions) == 0 {
		fault("tests no dimension")
	}
	if !slices.Contains(KeyKinds, q.Key.Kind) {
		fault("key is of kind %q, want one of %s", q.Key.Kind, strings.Join(KeyKinds[1:], ", "))
	}
	switch n := len(q.Key.Value); {
	case q.Key.Kind == KeyNone && q.Reference == "":
		fault("neither a key nor a reference")
	case (q.Key.Kind == KeyValue || q.Key.Kind == KeyOutcome) && n != 1:
		fault("key of kind %s has %d values, want 1", q.Key.Kind, n)
	case q.Key.Kind == KeySequence && n == 0:
		fault("key is an empty sequence")
	}
	slices.SortFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(faults...)
}
