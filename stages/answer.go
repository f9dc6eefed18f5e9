package stages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Verdict is what an answer is worth: the verifiable reward.
type Verdict struct {
	Valid bool `json:"valid"`
	// Score is 1 for a valid answer, and at most 0.5 for any other: for a
	// workflow that is only wasteful (repeated or needless calls) 0.5, for a
	// graph half the share of its statements that are right, else 0.
	Score      float64     `json:"score"`
	Violations []Violation `json:"violations"`
	// Unreadable says why no answer could be read from the text; such an
	// answer scores 0.
	Unreadable string `json:"unreadable,omitempty"`
}

// Violation is one thing wrong with an answer. What is set beside Kind depends
// on the stage.
type Violation struct {
	// Kind is in stage 1 wrong_term or hedge; in stage 2 a sop.Kind; in stage 3
	// cycle, unsatisfiable, witness, edge, malformed or undetermined.
	Kind string `json:"violation"`

	// Of stage 2, as in sop.Violation; Position is always set.
	Position *int     `json:"position,omitempty"`
	Call     string   `json:"call,omitempty"`
	Missing  []string `json:"missing,omitempty"`

	// Of stage 1: the wrong term.
	Term string `json:"term,omitempty"`

	// Of stage 3: the proof. AcceptedBy says which graph accepts the witness's
	// workflow, reference or answer.
	Cycle      []string     `json:"cycle,omitempty"`
	Witness    *sop.Witness `json:"witness,omitempty"`
	AcceptedBy string       `json:"accepted_by,omitempty"`

	// Text is the passage or the reason of hedge, edge, malformed and
	// undetermined.
	Text string `json:"text,omitempty"`
}

// maxAnswer bounds the bytes of an answer after its reasoning, so that a
// hostile one costs little.
const maxAnswer = 64 << 10

// Judge reads an answer to the question of a row and holds it against the
// row's reference. Without a view, a reference of stages 2 and 3 asks for the
// next action where calls were made before, else for the workflow; an answer
// that is a graph needs its view. The answer may be in any of the view's
// formats, whichever the query asks for, with the dressing that models add:
// reasoning up to </think>, code fences, and prose around it. The error is
// about the reference or the view, never about the answer.
func Judge(reference []byte, view, answer string) (Verdict, error) {
	judge, err := judgeOf(reference, view)
	if err != nil {
		return Verdict{}, err
	}
	said, err := withoutReasoning(answer)
	if err == nil && len(said) > maxAnswer {
		err = fmt.Errorf("the answer has %d bytes, want at most %d", len(said), maxAnswer)
	}
	if err != nil {
		return unreadable(err), nil
	}
	return judge(said), nil
}

// judgeOf prepares what judges the answers to one question.
func judgeOf(reference []byte, view string) (func(answer string) Verdict, error) {
	if slices.Contains(text.ConceptViews, view) || view == "" && isConcept(reference) {
		r, err := ParseConceptReference(reference)
		if err != nil {
			return nil, err
		}
		return r.judge, nil
	}
	views := []string{dataset.ViewWorkflow, dataset.ViewNextAction, dataset.ViewGraph, dataset.ViewResidual}
	if view != "" && !slices.Contains(views, view) {
		return nil, fmt.Errorf("view %q cannot be checked, want one of %s", view, strings.Join(slices.Concat(text.ConceptViews, views), ", "))
	}
	r, err := ParseReference(reference)
	if err != nil {
		return nil, err
	}
	if view == dataset.ViewGraph || view == dataset.ViewResidual {
		return r.judgeGraphs(view)
	}
	return r.judgeSequences(view)
}

func isConcept(reference []byte) bool {
	var r struct{ Relation string }
	return json.Unmarshal(reference, &r) == nil && r.Relation != ""
}

// verdictOf is that of an answer with no credit for what is right in it.
func verdictOf(found []Violation) Verdict {
	if len(found) == 0 {
		return Verdict{Valid: true, Score: 1, Violations: []Violation{}}
	}
	return Verdict{Violations: found}
}

func unreadable(err error) Verdict {
	return Verdict{Violations: []Violation{}, Unreadable: err.Error()}
}
