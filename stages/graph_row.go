package stages

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// The violations of a negative of stage 3: what its proof is.
const (
	GraphCycle         = "cycle"
	GraphUnsatisfiable = "unsatisfiable"
	GraphWitness       = "witness"
)

// Who accepts the workflow of a witness.
const (
	AcceptedByPositive = "positive"
	AcceptedByNegative = "negative"
)

// GraphProof says why a graph is wrong: the JSON of a stage-3 negative's proof.
type GraphProof struct {
	sop.Difference
	AcceptedBy string   `json:"accepted_by,omitempty"` // of a witness: which of the two graphs accepts it
	Edits      []string `json:"edits"`                 // what was done, in order; elsewhere: right in another context
}

// graphPayload is what an answer of stage 3 states; edges follow from the rest.
type graphPayload struct {
	Edges         [][2]string          `json:"edges"`
	EstablishedBy map[string]*sop.Tree `json:"established_by"`
	Requires      map[string]*sop.Tree `json:"requires"`
}

func payloadOf(g *sop.Graph) graphPayload {
	edges := g.Edges()
	if edges == nil {
		edges = [][2]string{}
	}
	return graphPayload{edges, g.EstablishedBy, g.Requires}
}

// wrongGraph is a graph that was proven wrong for a member.
type wrongGraph struct {
	graph      *sop.Graph
	key        string
	operator   augment.Operator
	edits      []string
	difference *sop.Difference
}

// rows adds a row for every member of the family, in random order.
func (w *graphJob) rows(view string, f *family) error {
	if len(f.members) == 0 {
		w.drops[DropScenario]++
		return nil
	}
	if w.rng.IntN(familiesASurvey) == 0 {
		w.look(f.members[w.rng.IntN(len(f.members))])
	}
	d := w.dress(view)
	members := slices.Clone(f.members)
	w.rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	for _, m := range members {
		negatives, around := w.graphNegatives(m, f, w.opts.Ratio[2])
		if negatives == nil {
			w.drops[DropNegatives]++
			continue
		}
		if err := w.add(w.graphRow(d, m, negatives), m.asked(), "family", around, nil); err != nil {
			return err
		}
	}
	return nil
}

// familiesASurvey is how many families there are for each of which a member's naive
// edits are surveyed.
const familiesASurvey = 16

// graphNegatives is the graphs of the other members, and edits for what lacks;
// around tells that the edits are not those of the positive.
func (w *graphJob) graphNegatives(m *member, f *family, n int) (negatives []wrongGraph, around bool) {
	rng := w.rng
	others := slices.DeleteFunc(slices.Clone(f.members), func(o *member) bool { return o == m })
	rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	p := graphPicker{graphJob: w, m: m, want: n, seen: map[string]bool{m.key: true}}
	edits := n / graphsAnEdit
	if edits == 0 && rng.IntN(graphsAnEdit) < n {
		edits = 1
	}
	others = others[:min(len(others), n-edits)]
	for _, o := range others {
		p.seen[o.key] = true
		p.picked = append(p.picked, wrongGraph{o.graph, o.key, operatorTo(m.graph, o.graph), []string{"elsewhere"}, w.difference(m.rightGraph, o.rightGraph)})
	}
	// Edits are those of any member of the group alike, so that what is most
	// similar to all others is the positive no more often than by chance.
	centre, done := m.rightGraph, []string(nil)
	if i := rng.IntN(len(others) + 1); i < len(others) {
		centre, done, around = others[i].rightGraph, []string{"elsewhere"}, true
	}
	p.fill(centre.edits(), done)
	for range composing {
		if len(p.picked) >= n || len(p.picked) == 0 {
			break
		}
		// Too small for enough single edits: edits of what is already wrong.
		x := p.picked[rng.IntN(len(p.picked))]
		if x.operator != augment.Cycle {
			p.fill(augment.NewEditor(x.graph), x.edits)
		}
	}
	if len(p.picked) < n {
		return nil, false
	}
	rng.Shuffle(n, func(i, j int) { p.picked[i], p.picked[j] = p.picked[j], p.picked[i] })
	return p.picked, around
}

// composing bounds the wrong graphs that are edited once more.
const composing = 6

// operatorTo names the operator that leads from one graph to another.
func operatorTo(from, to *sop.Graph) augment.Operator {
	for c, source := range from.EstablishedBy {
		if other := to.EstablishedBy[c]; other != nil && !other.Equal(source) {
			return augment.Edge
		}
	}
	for call, rule := range from.Requires {
		if other, ok := to.Requires[call]; ok && !rule.Equal(other) && !slices.Equal(rule.Names(), other.Names()) {
			return augment.Precondition
		}
	}
	if len(from.Requires) != len(to.Requires) {
		return augment.Precondition
	}
	return augment.Connective
}

// graphPicker collects edits that are wrong for one member.
type graphPicker struct {
	*graphJob
	m      *member
	want   int
	picked []wrongGraph
	seen   map[string]bool
	made   map[augment.Operator]int // edits, by operator
}

// graphsACycle is how many negatives there are at least for each that has a
// circle.
const graphsACycle = 4

// fill adds edits of a graph until there are enough: a circle first, then the
// operators that made fewest.
func (p *graphPicker) fill(e *augment.Editor, done []string) {
	if p.made == nil {
		p.made = map[augment.Operator]int{}
	}
	rng := p.rng
	left := map[augment.Operator]*turns{}
	ops := slices.Clone(augment.GraphOperators)
	rng.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	for len(p.picked) < p.want {
		slices.SortStableFunc(ops, func(a, b augment.Operator) int { return p.rank(a) - p.rank(b) })
		took := false
		for _, op := range ops {
			if op == augment.Cycle && p.made[op] >= max(1, p.want/graphsACycle) {
				continue
			}
			if left[op] == nil {
				left[op] = newTurns(p.editsOf(op, e, p.m), rng)
			}
			for !took && len(left[op].kinds) > 0 {
				took = p.take(left[op].next(rng), done)
			}
			if took {
				break
			}
		}
		if !took {
			return
		}
	}
}

// rank orders the operators: at first a circle, then each as often as it was
// used less.
func (p *graphPicker) rank(op augment.Operator) int {
	if op == augment.Cycle && p.made[op] == 0 {
		return -1
	}
	return p.made[op]
}

func (p *graphPicker) take(e augment.GraphEdit, done []string) bool {
	h := e.Graph()
	// No right graph of what is left in a case is trivial, so a wrong one that is
	// would give itself away.
	if h == nil || entangled(h) || p.m.history != nil && trivial(h) {
		return false
	}
	h = p.m.graph.RestateCanonical(h.Requires, h.EstablishedBy)
	key := h.Key()
	if p.seen[key] {
		return false
	}
	d, err := p.m.differ.Prove(h)
	if err != nil {
		p.drops[DropUndetermined]++
	}
	if d == nil || !p.canBe(p.m, d) {
		return false
	}
	p.seen[key] = true
	p.made[e.Operator]++
	p.picked = append(p.picked, wrongGraph{h, key, e.Operator, append(slices.Clone(done), e.How), d})
	return true
}

// editsOf lists an operator's edits of a graph under the member's names.
func (w *graphJob) editsOf(op augment.Operator, e *augment.Editor, m *member) []augment.GraphEdit {
	switch op {
	case augment.Cycle:
		return e.Cycles()
	case augment.Precondition:
		return e.Preconditions(w.others(m))
	case augment.Edge:
		return e.Edges()
	}
	return e.Connectives()
}

// turns draws the kinds of edits in turns, so that the many swaps do not crowd
// out the few others.
type turns struct {
	kinds  []string // of which some are left, the next one first
	byKind map[string][]augment.GraphEdit
}

func newTurns(edits []augment.GraphEdit, rng *rand.Rand) *turns {
	byKind, kinds := graphKinds(edits)
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	return &turns{kinds, byKind}
}

// next takes an edit out; there has to be one.
func (t *turns) next(rng *rand.Rand) augment.GraphEdit {
	kind := t.kinds[0]
	list := t.byKind[kind]
	i, last := rng.IntN(len(list)), len(list)-1
	e := list[i]
	list[i], t.byKind[kind] = list[last], list[:last]
	if t.kinds = t.kinds[1:]; last > 0 {
		t.kinds = append(t.kinds, kind)
	}
	return e
}

func graphKinds(edits []augment.GraphEdit) (map[string][]augment.GraphEdit, []string) {
	byKind, kinds := map[string][]augment.GraphEdit{}, []string(nil)
	for _, e := range edits {
		if byKind[e.How] == nil {
			kinds = append(kinds, e.How)
		}
		byKind[e.How] = append(byKind[e.How], e)
	}
	return byKind, kinds
}

// look surveys one naive edit of each kind, drawn evenly: an edit that leaves
// the graph as it was is no edit.
func (w *graphJob) look(m *member) {
	for _, op := range augment.GraphOperators {
		byKind, kinds := graphKinds(w.editsOf(op, m.edits(), m))
		for _, how := range kinds {
			h := byKind[how][w.rng.IntN(len(byKind[how]))].Graph()
			if h == nil {
				continue
			}
			d, err := m.differ.Diff(m.graph.RestateCanonical(h.Requires, h.EstablishedBy))
			if err != nil {
				w.drops[DropUndetermined]++
				continue
			}
			k := surveyKey{op, fmt.Sprintf("%s of one family in %d", how, familiesASurvey)}
			if w.judge.survey[k] == nil {
				w.judge.survey[k] = &surveyed{}
			}
			w.judge.survey[k].tried++
			if d == nil {
				w.judge.survey[k].correct++
			}
		}
	}
}

// dress is how the rows of one family are written. It keeps what was written,
// since most graphs of a family stand in several of its rows.
type dress struct {
	style
	view, format string
	answers      map[string]*graphAnswer // by the graph's key
	similarities map[[2]*graphAnswer]float64
	sops         map[*cell]string
}

type graphAnswer struct {
	dataset.Answer
	items []string // see dataset.Items
}

func (w *graphJob) dress(view string) *dress {
	return &dress{style: w.style(), view: view, format: text.GraphFormats[w.rng.IntN(len(text.GraphFormats))],
		answers: map[string]*graphAnswer{}, similarities: map[[2]*graphAnswer]float64{}, sops: map[*cell]string{}}
}

func (d *dress) answer(g *sop.Graph, key string) *graphAnswer {
	a := d.answers[key]
	if a == nil {
		payload := encode(payloadOf(g))
		a = &graphAnswer{dataset.Answer{Text: text.RenderGraph(d.format, g, d.rand(3)), Payload: payload}, dataset.Items(payload)}
		d.answers[key] = a
	}
	return a
}

func (d *dress) similarity(a, b *graphAnswer) float64 {
	s, known := d.similarities[[2]*graphAnswer{b, a}] // it is the same both ways
	if !known {
		s = dataset.ItemSimilarity(a.items, b.items)
		d.similarities[[2]*graphAnswer{a, b}] = s
	}
	return s
}

func (d *dress) context(m *member) string {
	context, ok := d.sops[m.cell]
	if !ok {
		context = text.RenderSOP(d.sop, m.V, d.rand(1))
		d.sops[m.cell] = context
	}
	if d.view == dataset.ViewResidual {
		context += ContextBreak + text.RenderRequest(d.scenario, m.V, m.scenario, d.rand(2)) +
			ContextBreak + text.RenderHistory(m.V, m.scenario, m.history, d.rand(4))
	}
	return context
}

func (w *graphJob) graphRow(as *dress, m *member, negatives []wrongGraph) *draft {
	d := w.draft(m.side, as.view, as.style)
	d.row.Stage, d.row.Task, d.meta.Format = 3, "graph", as.format
	if as.view == dataset.ViewGraph {
		d.meta.Scenario = ""
	}
	d.row.Context = as.context(m)
	d.row.Query, d.meta.Query = text.Query(as.view, as.format, d.row.Split, rand.New(rand.NewPCG(as.querySeed, 0)))
	right := as.answer(m.graph, m.key)
	d.row.Positive = right.Answer
	for _, n := range negatives {
		a := as.answer(n.graph, n.key)
		violation, proof := n.proof(m.differ)
		d.row.Negatives = append(d.row.Negatives, dataset.Negative{
			Text: a.Text, Payload: a.Payload, Operator: string(n.operator), Violation: violation,
			Proof: encode(proof), Similarity: as.similarity(right, a),
		})
	}
	d.row.Reference = m.reference(m.scenario, m.history)
	return d
}

func (n *wrongGraph) proof(d *sop.Differ) (violation string, p GraphProof) {
	p = GraphProof{Difference: *n.difference, Edits: n.edits}
	switch {
	case p.Cycle != nil:
		return GraphCycle, p
	case p.Unsatisfiable:
		return GraphUnsatisfiable, p
	}
	p.AcceptedBy = AcceptedByNegative
	if d.Accepts(p.Witness) {
		p.AcceptedBy = AcceptedByPositive
	}
	return GraphWitness, p
}
