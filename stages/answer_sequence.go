package stages

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// ParseReference decodes the reference of a row of stage 2 or 3 strictly and
// checks that it is well-formed.
func ParseReference(data []byte) (*Reference, error) {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	var r Reference
	if err := dec.Decode(&r); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("reference: %s is a JSON %s, want what a row of stage 2 or 3 has there", cmp.Or(wrong.Field, "it"), wrong.Value)
		}
		return nil, fmt.Errorf("reference: %w", err)
	}
	if len(r.Requires) == 0 || len(r.Outcomes) == 0 || r.Facts == nil {
		return nil, fmt.Errorf("reference has no requires, outcomes or facts, want those of a row of stage 2 or 3")
	}
	for c := range r.EstablishedBy {
		if _, ok := r.Facts[c]; !ok {
			return nil, fmt.Errorf("reference: facts lack %q, want a fact for every condition of established_by", c)
		}
	}
	if _, err := sop.Compile(r.Graph()); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return &r, nil
}

// judgeSequences judges workflows and next actions.
func (r *Reference) judgeSequences(view string) (func(answer string) Verdict, error) {
	m, err := sop.Compile(r.Graph())
	if err != nil {
		return nil, err
	}
	if view == dataset.ViewNextAction || view == "" && len(r.History) > 0 {
		return func(answer string) Verdict {
			item, err := readAny(nextFormats, answer, r.readNext)
			if err != nil {
				return unreadable(err)
			}
			return sequenceVerdict(nextViolations(m, r.Facts, r.History, item))
		}, nil
	}
	return func(answer string) Verdict {
		w, err := readAny(text.WorkflowFormats, answer, text.ReadWorkflow)
		if err != nil {
			return unreadable(err)
		}
		return sequenceVerdict(m.Check(r.Facts, w))
	}, nil
}

// nextFormats is the order in which a next action is tried: a sentence that
// names a call has more to say than the call's bare name.
var nextFormats = []string{"json", "sentence", "call"}

// readAny takes the first format in which the answer can be read or, where none
// can, its code fence. The error is that of the first format, which says what
// it wants.
func readAny[T any](formats []string, answer string, read func(format, answer string) (T, error)) (T, error) {
	var first error
	for _, passage := range append([]string{answer}, fenced(answer)...) {
		for _, f := range formats {
			v, err := read(f, passage)
			if err == nil {
				return v, nil
			}
			if first == nil {
				first = err
			}
		}
	}
	var zero T
	return zero, first
}

func sequenceVerdict(found []sop.Violation) Verdict {
	var list []Violation
	wasteful := true
	for _, v := range found {
		list = append(list, Violation{Kind: string(v.Kind), Position: &v.Position, Call: v.Call, Missing: v.Missing})
		wasteful = wasteful && !v.Kind.Fault()
	}
	verdict := verdictOf(list)
	if wasteful && !verdict.Valid {
		verdict.Score = 0.5
	}
	return verdict
}

// nextViolations is what is wrong with an item as the next action: a
// violation at its own position, or that it leaves no way to an end without
// fault (an order that it broke).
func nextViolations(m *sop.Machine, facts map[string]bool, history sop.Workflow, item string) []sop.Violation {
	var found []sop.Violation
	for _, v := range m.Check(facts, append(slices.Clone(history), item)) {
		if v.Position == len(history) && v.Kind != sop.NoEnd {
			found = append(found, v)
		}
	}
	if len(found) == 0 && !slices.Contains(m.Next(facts, history), item) {
		found = []sop.Violation{{Kind: sop.Order, Position: len(history), Call: item}}
	}
	return found
}

// readNext reads a next action. A reference that does not say which
// parameters its calls have allows any argument that is bound as the call's
// name says, and any to be left out.
func (r *Reference) readNext(format, answer string) (string, error) {
	if r.Parameters != nil {
		return text.ReadNext(format, answer, r.Parameters, r.Bindings)
	}
	base, args, err := text.ReadCall(format, answer)
	if err != nil {
		return "", err
	}
	var fitting []string
	known := false
	for _, call := range sortedKeys(r.Requires) {
		n, err := sop.ParseName(call)
		if err != nil || n.Base != base {
			continue
		}
		known = true
		fits := true
		for p, given := range args {
			fits = fits && encode(given) == encode(r.Bindings[n.Source(p)])
		}
		for p := range n.Args {
			_, said := args[p]
			fits = fits && said
		}
		if fits {
			fitting = append(fitting, call)
		}
	}
	switch {
	case len(fitting) == 1:
		return fitting[0], nil
	case len(fitting) > 1:
		return "", fmt.Errorf("the call of %s can be %s, since their arguments are bound alike", base, strings.Join(fitting, " or "))
	case known:
		return base + text.NoInstance, nil
	}
	return base, nil
}
