package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/stages"
)

// explainer turns the proofs of a row into sentences.
type explainer struct {
	reference *stages.Reference // nil where the row has none of a graph
}

func newExplainer(r *dataset.Row) explainer {
	reference, err := stages.ParseReference([]byte(r.Reference))
	if err != nil {
		return explainer{}
	}
	return explainer{reference}
}

// why says what is wrong with a negative. A proof of another shape is given
// as it is.
func (e explainer) why(n *dataset.Negative) string {
	var p stages.Proof
	if json.Unmarshal([]byte(n.Proof), &p) != nil || p.Kind == "" {
		return n.Violation + ": " + n.Proof
	}
	return fmt.Sprintf("position %d: %s", p.Position, e.sentence(p))
}

func (e explainer) sentence(p stages.Proof) string {
	while := ""
	if len(p.Missing) > 0 {
		while = " while " + e.states(p.Missing)
	}
	switch p.Kind {
	case sop.Unmet:
		return "calls " + p.Call + while
	case sop.Order:
		if len(p.Missing) == 0 {
			return p.Call + " breaks an order: no way leads on to an end without a fault"
		}
		return fmt.Sprintf("%s demands %s settled in this order, and they were not", p.Call, strings.Join(p.Missing, ", then "))
	case sop.WrongEnd:
		switch {
		case p.Call != sop.Deny:
			return "ends with " + p.Call + while
		case len(p.Missing) > 0:
			return fmt.Sprintf("ends with %s, though %s may still turn out to hold", p.Call, strings.Join(p.Missing, ", "))
		case e.reference != nil:
			return fmt.Sprintf("ends with %s, though all that %s demands is known to hold", p.Call, e.reference.Goal)
		}
		return fmt.Sprintf("ends with %s, which is not due", p.Call)
	case sop.NoEnd:
		return "stops without an end"
	case sop.AfterEnd:
		return p.Call + " follows the end"
	case sop.Outside:
		return p.Call + " is no call of this procedure"
	case sop.Repeated:
		return "calls " + p.Call + " again, with the same arguments"
	case sop.Idle:
		return "calls " + p.Call + ", which makes nothing known that is still needed"
	}
	return string(p.Kind) + " at " + p.Call
}

// states says of each missing condition what is the matter with it: it is so,
// but was not established by then, or it is not so in this case.
func (e explainer) states(missing []string) string {
	var parts []string
	for _, m := range missing {
		name, negated := strings.CutPrefix(m, "not ")
		switch {
		case e.reference != nil && !negated && !e.reference.Facts[name]:
			parts = append(parts, name+" does not hold here")
		case e.reference != nil && negated && e.reference.Facts[name]:
			parts = append(parts, name+" holds here")
		case negated:
			parts = append(parts, name+" is not known to be false")
		default:
			parts = append(parts, name+" is not established")
		}
	}
	return strings.Join(parts, " and ")
}
