package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// SymbolicScorer scores answers by their question's key, without a model: one e
// for all dimensions of the question. It reads prose, lists, JSON and tool calls,
// and has nothing to learn from what an answer says of itself.
//
//   - value, outcome: 1 for the right one, else 0; the right one is any right next
//     action where the key has a check.
//   - set: 1 for the set itself, else F1 · (1 − w / W), of which w of the W names in
//     the context that are wrong were given.
//   - sequence: with a check 1 for a workflow without violation, else the share of
//     steps before the first; without, PA.
//
// An answer that is empty, cut, undecided or unreadable is the candidate's fault
// and scores 0, with a reason. Only a question without a usable key is an error.
type SymbolicScorer struct{}

var _ Scorer = SymbolicScorer{}

// Name is Symbolic.
func (SymbolicScorer) Name() string { return Symbolic }

// understood is what was read of an answer: the raw part of its score.
type understood struct {
	Form string   `json:"form,omitempty"`
	Read []string `json:"read"`
	// Of sequences, against the key's own value.
	*rubric.Match
}

// finding is what a reading is worth, and why.
type finding struct {
	e      float64
	reason string
	understood
}

func nought(format string, args ...any) finding {
	return finding{reason: fmt.Sprintf(format, args...), understood: understood{Read: []string{}}}
}

// Score reads the answer and holds it against the question's key.
func (SymbolicScorer) Score(_ context.Context, q *rubric.Question, answer *rubric.Answer) (rubric.Score, error) {
	s := rubric.Score{Question: q.ID, Repeat: answer.Repeat, Scorer: Symbolic, Outcome: rubric.Scored, E: map[string]float64{}}
	switch kind := q.Key.Kind; {
	case kind == rubric.KeyNone:
		return s, errors.New("no key")
	case (kind == rubric.KeyValue || kind == rubric.KeyOutcome) && len(q.Key.Value) != 1:
		return s, fmt.Errorf("key of kind %s with %d values, want 1", kind, len(q.Key.Value))
	}
	a, err := newAsking(q)
	if err != nil {
		return s, err
	}
	score := map[string]func(given) finding{rubric.KeyValue: a.scoreValue, rubric.KeySet: a.scoreSet, rubric.KeySequence: a.scoreSequence, rubric.KeyOutcome: a.scoreOutcome}[q.Key.Kind]
	if score == nil {
		return s, fmt.Errorf("key of kind %q, want one of %s", q.Key.Kind, strings.Join(rubric.KeyKinds[1:], ", "))
	}
	var f finding
	if reason := noAnswer(answer); reason != "" {
		f = nought("%s", reason)
	} else {
		for i, g := range a.read(answer) {
			if worse := score(g); i == 0 || worse.e < f.e {
				f = worse
			}
		}
	}
	for _, d := range q.Dimensions {
		s.E[d] = f.e
	}
	raw, err := json.Marshal(f.understood)
	s.Reason, s.Raw = f.reason, string(raw)
	return s, err
}

func (a *asking) meanings(list []mention) []string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = a.item(m)
	}
	return names
}

func (a *asking) scoreSequence(g given) finding {
	list, form := a.sequence(g)
	if len(list) == 0 {
		return nought("off the format: no calls in it")
	}
	said, key := a.meanings(list), a.question.Key.Value
	match := rubric.MatchSequences(key, said)
	f := finding{understood: understood{Form: form, Read: said, Match: &match}}
	if a.reference == nil {
		f.e, f.reason = match.PA, fmt.Sprintf("%d steps as in the reference, of %d", match.PML, max(len(key), len(said)))
		return f
	}
	found, err := sop.Check(a.reference.Graph(), &sop.Scenario{Facts: a.reference.Facts}, slices.Concat(a.reference.History, said))
	if err != nil {
		panic(err) // the reference was compiled before
	}
	if len(found) == 0 {
		f.e, f.reason = 1, "a right workflow"
		return f
	}
	first := found[0]
	position, length := max(0, first.Position-len(a.reference.History)), len(said)
	if first.Kind == sop.NoEnd {
		length++
	}
	f.e = float64(position) / float64(max(length, len(key)))
	f.reason = fmt.Sprintf("step %d: %s", position+1, inWords(first))
	return f
}

// inWords tells a violation.
func inWords(v sop.Violation) string {
	call, _ := strings.CutSuffix(v.Call, text.NoInstance)
	missing := ""
	if len(v.Missing) > 0 {
		missing = " (" + strings.Join(v.Missing, ", ") + ")"
	}
	switch v.Kind {
	case sop.Unmet:
		return call + " is called before its requirement is known to be met" + missing
	case sop.Order:
		return call + " needs parts that were settled out of order" + missing
	case sop.WrongEnd:
		return call + " is not the end that is due here" + missing
	case sop.NoEnd:
		return "there is no end"
	case sop.AfterEnd:
		return call + " follows the end"
	case sop.Outside:
		return call + " is no call of the procedure, or has other arguments"
	case sop.Repeated:
		return call + " was called before"
	case sop.Idle:
		return call + " makes nothing known that is still needed"
	}
	return string(v.Kind) + " at " + call
}

func (a *asking) scoreSet(g given) finding {
	list, form, ok := a.set(g)
	if !ok {
		return nought("off the format: no names in it")
	}
	key, context := a.question.Key.Value, severalWords(names(a.question.Context))
	said := []string{}
	right, wrong := 0, 0
	for _, item := range a.meanings(list) {
		if slices.Contains(said, item) || a.inQuery(item) {
			continue
		}
		said = append(said, item)
		if slices.Contains(key, item) {
			right++
		} else {
			wrong++
		}
	}
	f := finding{understood: understood{Form: form, Read: said}}
	f.reason = fmt.Sprintf("%d of %d right ones, %d wrong", right, len(key), wrong)
	if right == len(key) && wrong == 0 {
		f.e = 1
		return f
	}
	others := len(slices.DeleteFunc(context, func(n string) bool { return slices.Contains(key, n) || a.inQuery(n) }))
	if right > 0 {
		f1 := 2 * float64(right) / float64(len(said)+len(key))
		f.e = f1 * (1 - min(1, float64(wrong)/float64(max(1, others))))
	}
	return f
}
