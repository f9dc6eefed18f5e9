package sop

// Graph is the formal part of a variant, and all that the oracles read: which
// calls matter for the goal, what each requires, how conditions become known
// and which outcomes there are. Its edges are derived (Edges).
type Graph struct {
	Goal string `json:"goal"`
	// Requires lists every call, with nil where there is no rule.
	Requires map[string]*Tree `json:"requires"`
	// EstablishedBy lists every condition: a tree over calls, or the leaf
	// Conversation.
	EstablishedBy map[string]*Tree           `json:"established_by"`
	DependsOn     map[string]*Tree           `json:"depends_on"`
	Excludes      [][]string                 `json:"excludes"`
	Effects       map[string]map[string]bool `json:"effects"`
	Outcomes      []Outcome                  `json:"outcomes"`
}

// Scenario is one case: facts for every condition, a number for every value
// that exists in it, and what each call parameter is bound to.
type Scenario struct {
	Facts    map[string]bool    `json:"facts"`
	Values   map[string]float64 `json:"values"`
	Bindings map[string]any     `json:"bindings"`
	// Results are what calls answered, as their tools print it, where the case
	// was executed in a running domain; else nil.
	Results map[string]string `json:"results,omitempty"`
}

// Workflow is a sequence of calls, closed by the end of an outcome.
type Workflow []string
