package stages

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// graphRow proves a row of stage 3 again: the graph is built from the SOP's
// text, and reduced by what the case's text tells; every answer is read from
// its text; each negative's proof is tried.
func (v *Verifier) graphRow(row *dataset.Row) []error {
	r, right, err := v.readGraph(row)
	if err != nil {
		return []error{err}
	}
	g := graphReading{format: r.meta.Format, right: right.Canonical(), seen: map[string]int{}}
	if g.differ, err = sop.NewDiffer(g.right); err != nil {
		return []error{fmt.Errorf("context: %w", err)}
	}
	g.about(v.lexicon[row.Domain], row.Procedure, &r.meta)
	compare := r.compare
	if row.View == dataset.ViewGraph {
		compare = r.compareGraph
	} else {
		g.shown = r.machine.Shown(r.scenario.Facts, r.history)
	}
	return append(compare(), g.answers(row)...)
}

// answers proves every answer of the row.
func (g *graphReading) answers(row *dataset.Row) (problems []error) {
	if err := g.positive(row.Positive); err != nil {
		problems = append(problems, fmt.Errorf("positive: %w", err))
	}
	for i := range row.Negatives {
		if err := g.negative(&row.Negatives[i], i); err != nil {
			problems = append(problems, fmt.Errorf("negative %d: %w", i, err))
		}
	}
	return problems
}

// readGraph returns what the texts of the row say, and the graph that follows.
func (v *Verifier) readGraph(row *dataset.Row) (*reading, *sop.Graph, error) {
	if row.View == dataset.ViewResidual {
		as := *row
		as.View = dataset.ViewNextAction // the case and its history are told alike
		r, err := v.read(&as)
		if err != nil {
			return nil, nil, err
		}
		rest, _, err := sop.Residual(&r.variant.Graph, r.scenario, r.history)
		if err != nil {
			return nil, nil, fmt.Errorf("history: %w", err)
		}
		return r, rest, nil
	}
	r := &reading{}
	var err error
	if r.reference, err = ParseReference([]byte(row.Reference)); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal([]byte(row.Meta), &r.meta); err != nil {
		return nil, nil, fmt.Errorf("meta: %w", err)
	}
	if strings.Contains(row.Context, ContextBreak) {
		return nil, nil, fmt.Errorf("context has several parts, want one: the SOP")
	}
	sopText, err := text.ReadSOP(row.Context)
	if err != nil {
		return nil, nil, fmt.Errorf("context: %w", err)
	}
	r.variant = &sop.Variant{Graph: sopText.Graph}
	return r, &r.variant.Graph, nil
}

// compareGraph holds the SOP's text against the reference of the graph view,
// which has no case: its facts are some in which the goal is permitted.
func (r *reading) compareGraph() []error {
	var problems []error
	if err := text.SameMeaning(&r.variant.Graph, r.reference.Graph()); err != nil {
		problems = append(problems, fmt.Errorf("the SOP's text and the reference differ: %w", err))
	}
	if !r.reference.Graph().Consistent(r.reference.Facts) {
		problems = append(problems, fmt.Errorf("the facts are not consistent with depends_on and excludes"))
	}
	return problems
}

// graphReading is the right graph of a row, and the answers read so far.
type graphReading struct {
	format string
	right  *sop.Graph
	differ *sop.Differ
	seen   map[string]int // key of an answer -> number of the negative, -1 for the positive
	pool   *pool          // of the domain, to see which cases can be
	bare   *cell          // the row's names and thresholds
	shown  map[string]bool

	anyCase bool // nothing says which cases can be
}

// about prepares for witnesses: what the lexicon says of conditions decides
// which cases can be.
func (g *graphReading) about(d *sop.Domain, goal string, m *Meta) {
	if d == nil {
		return
	}
	g.pool = newPool(d, &sop.Procedure{Goal: goal}, 0)
	g.bare = &cell{
		Sampler: &sop.Sampler{V: &sop.Variant{}},
		recipe:  recipe{thresholds: m.Thresholds, names: newRenaming(m.Names)}, choice: sop.Choice{Names: m.Names},
	}
}

// answer reads a graph from its text, and holds it against its payload.
func (g *graphReading) answer(a dataset.Answer) (*sop.Graph, error) {
	requires, sources, edges, err := text.ReadGraph(g.format, a.Text)
	if err != nil {
		return nil, err
	}
	var p graphPayload
	if err := json.Unmarshal([]byte(a.Payload), &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	h, stated := g.right.Restate(requires, sources), g.right.Restate(p.Requires, p.EstablishedBy)
	if h.Key() != stated.Key() {
		return nil, fmt.Errorf("the text says %s, the payload %s", h.Key(), stated.Key())
	}
	derived := h.Edges()
	switch {
	case !slices.Equal(edges, derived):
		return nil, fmt.Errorf("the text has the edges %v, but its rules give %v", edges, derived)
	case !slices.Equal(p.Edges, derived):
		return nil, fmt.Errorf("the payload has the edges %v, but its rules give %v", p.Edges, derived)
	}
	return h, nil
}

func (g *graphReading) positive(a dataset.Answer) error {
	h, err := g.answer(a)
	if err != nil {
		return err
	}
	g.seen[h.Key()] = -1
	if h.Key() != g.right.Key() {
		return fmt.Errorf("the answer is %s, the context says %s", h.Key(), g.right.Key())
	}
	return nil
}

func (g *graphReading) negative(n *dataset.Negative, number int) error {
	h, err := g.answer(dataset.Answer{Text: n.Text, Payload: n.Payload})
	if err != nil {
		return err
	}
	if other, twice := g.seen[h.Key()]; twice {
		return fmt.Errorf("it is the same graph as answer %d (the positive is -1)", other)
	}
	g.seen[h.Key()] = number
	var p GraphProof
	if err := json.Unmarshal([]byte(n.Proof), &p); err != nil {
		return fmt.Errorf("proof: %w", err)
	}
	switch {
	case n.Violation == GraphCycle && p.Cycle != nil && p.Witness == nil && !p.Unsatisfiable:
		return provesCycle(h, p.Cycle)
	case n.Violation == GraphUnsatisfiable && p.Unsatisfiable && p.Cycle == nil && p.Witness == nil:
		return g.provesUnsatisfiable(h)
	case n.Violation == GraphWitness && p.Witness != nil && p.Cycle == nil && !p.Unsatisfiable:
		return g.provesWitness(h, &p)
	}
	return fmt.Errorf("the violation is %q, the proof %s", n.Violation, n.Proof)
}

func provesCycle(h *sop.Graph, cycle []string) error {
	edges := h.Edges()
	for i := range cycle[:max(0, len(cycle)-1)] {
		if e := [2]string{cycle[i], cycle[i+1]}; !slices.Contains(edges, e) {
			return fmt.Errorf("the cycle %v has %v, which is no edge", cycle, e)
		}
	}
	if len(cycle) < 2 || cycle[0] != cycle[len(cycle)-1] {
		return fmt.Errorf("%v is no cycle", cycle)
	}
	return nil
}

func (g *graphReading) provesUnsatisfiable(h *sop.Graph) error {
	d, err := g.differ.Diff(h)
	if err != nil {
		return err
	}
	if d == nil || !d.Unsatisfiable || !g.differ.Stands(h, d) {
		return fmt.Errorf("some consistent scenario permits the goal")
	}
	return nil
}

func (g *graphReading) provesWitness(h *sop.Graph, p *GraphProof) error {
	facts, w := p.Witness.Facts, p.Witness.Workflow
	all := maps.Clone(g.right.EstablishedBy)
	maps.Copy(all, h.EstablishedBy)
	for c := range all {
		fact, told := facts[c]
		if !told {
			return fmt.Errorf("the witness does not tell %s", c)
		}
		_, isCall := g.right.Requires[c]
		if isCall && g.right.EstablishedBy[c] == nil && !fact {
			return fmt.Errorf("in the witness %s answers no, but it checks nothing", c)
		}
	}
	if !g.right.Consistent(facts) || !h.Consistent(facts) {
		return fmt.Errorf("the witness has facts that are not consistent: %v", facts)
	}
	if !g.anyCase && (g.pool == nil || !g.pool.possible(g.bare, g.shown, facts)) {
		return fmt.Errorf("no case of the domain has the facts of the witness: %v", facts)
	}
	m, err := sop.Compile(h)
	if err != nil {
		return err
	}
	positive, negative := g.differ.Accepts(p.Witness), m.Accepts(facts, w)
	want := AcceptedByNegative
	if positive {
		want = AcceptedByPositive
	}
	switch {
	case positive == negative:
		return fmt.Errorf("both or neither of the graphs accept %v", w)
	case p.AcceptedBy != want:
		return fmt.Errorf("the %s accepts %v, recorded is %q", want, w, p.AcceptedBy)
	case !g.differ.Stands(h, &p.Difference):
		return fmt.Errorf("that %v is refused rests on how blocked is read", w)
	}
	return nil
}
