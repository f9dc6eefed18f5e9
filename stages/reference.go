package stages

import (
	"encoding/json"
	"strings"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Reference is what an answer of stages 2 and 3 is judged against: the
// variant's graph, the scenario (facts are total), and the calls made so far.
// It is the JSON of a row's reference column.
type Reference struct {
	Requires      map[string]*sop.Tree       `json:"requires"`
	EstablishedBy map[string]*sop.Tree       `json:"established_by"`
	DependsOn     map[string]*sop.Tree       `json:"depends_on"`
	Excludes      [][]string                 `json:"excludes"`
	Effects       map[string]map[string]bool `json:"effects"`
	Facts         map[string]bool            `json:"facts"`
	Values        map[string]float64         `json:"values"`
	Outcomes      []sop.Outcome              `json:"outcomes"`
	Goal          string                     `json:"goal"`
	History       []string                   `json:"history"`
	Bindings      map[string]any             `json:"bindings"`
	// Parameters says, for every call, which request parameter fills which of
	// its own: what an answer with arguments is read by.
	Parameters map[string]map[string]string `json:"parameters"`
}

// ReferenceJSON is what Judge holds an answer against: the variant in this
// scenario, after these calls.
func ReferenceJSON(v *sop.Variant, s *sop.Scenario, history []string) string {
	return encode(newReference(v, s, history))
}

func newReference(v *sop.Variant, s *sop.Scenario, history []string) Reference {
	g := &v.Graph
	r := Reference{
		Requires: g.Requires, EstablishedBy: g.EstablishedBy, DependsOn: g.DependsOn, Excludes: g.Excludes, Effects: g.Effects,
		Facts: s.Facts, Values: s.Values, Outcomes: g.Outcomes, Goal: g.Goal, History: history, Bindings: s.Bindings,
		Parameters: text.Calls(v),
	}
	if r.Excludes == nil {
		r.Excludes = [][]string{}
	}
	if r.History == nil {
		r.History = []string{}
	}
	if r.Values == nil {
		r.Values = map[string]float64{}
	}
	return r
}

// reference is ReferenceJSON of the cell's variant, of which all but the case is
// encoded once.
func (c *cell) reference(s *sop.Scenario, history []string) string {
	const noCase, nothingDone = `"facts":null,"values":{}`, `"history":[],"bindings":null`
	if c.written == nil {
		before, rest, _ := strings.Cut(ReferenceJSON(c.V, &sop.Scenario{}, nil), noCase)
		between, after, _ := strings.Cut(rest, nothingDone)
		c.written = &[3]string{before, between, after}
	}
	r := newReference(c.V, s, history)
	facts := encode(struct {
		Facts  map[string]bool    `json:"facts"`
		Values map[string]float64 `json:"values"`
	}{r.Facts, r.Values})
	done := encode(struct {
		History  []string       `json:"history"`
		Bindings map[string]any `json:"bindings"`
	}{r.History, r.Bindings})
	return c.written[0] + facts[1:len(facts)-1] + c.written[1] + done[1:len(done)-1] + c.written[2]
}

// Graph returns the formal part.
func (r *Reference) Graph() *sop.Graph {
	return &sop.Graph{Goal: r.Goal, Requires: r.Requires, EstablishedBy: r.EstablishedBy, DependsOn: r.DependsOn,
		Excludes: r.Excludes, Effects: r.Effects, Outcomes: r.Outcomes}
}

// encode writes v without HTML escape and without a final newline. It is for
// values that cannot fail.
func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a program error: the types here are plain data
	}
	return strings.TrimSuffix(b.String(), "\n")
}
