package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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

// why says what is wrong with a negative. A proof of an unknown shape is given
// as it is.
func (e explainer) why(n *dataset.Negative) string {
	var workflow stages.Proof
	var graph stages.GraphProof
	var term stages.ConceptProof
	proof := []byte(n.Proof)
	switch {
	case json.Unmarshal(proof, &workflow) == nil && workflow.Kind != "":
		return fmt.Sprintf("position %d: %s", workflow.Position, e.sentence(workflow))
	case json.Unmarshal(proof, &graph) == nil && (graph.Cycle != nil || graph.Unsatisfiable || graph.Witness != nil):
		return graphSentence(graph)
	case json.Unmarshal(proof, &term) == nil && term.Because != "":
		return termSentence(term)
	}
	return n.Violation + ": " + n.Proof
}

func graphSentence(p stages.GraphProof) string {
	switch {
	case p.Cycle != nil:
		return "the calls wait for each other in a circle: " + strings.Join(p.Cycle, " -> ")
	case p.Unsatisfiable:
		return "no consistent case permits the goal"
	}
	var facts []string
	for _, name := range slices.Sorted(maps.Keys(p.Witness.Facts)) {
		if p.Witness.Facts[name] {
			facts = append(facts, name)
		}
	}
	accepts := map[string]string{"positive": "the right graph accepts, this one does not", "negative": "this graph accepts, the right one does not"}[p.AcceptedBy]
	where := "nothing holds"
	if len(facts) > 0 {
		where = "nothing but " + strings.Join(facts, ", ") + " holds"
	}
	return fmt.Sprintf("%s: %s (where %s)", accepts, strings.Join(p.Witness.Workflow, " -> "), where)
}

func termSentence(p stages.ConceptProof) string {
	switch {
	case p.NotBecause != "":
		return p.NotBecause
	case len(p.Types) == 2:
		return fmt.Sprintf("a term of another type: %s, wanted is one of type %s", p.Types[1], p.Types[0])
	}
	return "here it means something else: " + p.Means
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
