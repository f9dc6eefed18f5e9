package recheck

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// graphProof is what a stage-3 negative says about itself.
type graphProof struct {
	Cycle         []string `json:"cycle"`
	Unsatisfiable bool     `json:"unsatisfiable"`
	Witness       *witness `json:"witness"`
	AcceptedBy    string   `json:"accepted_by"`
	Edits         []string `json:"edits"`
}

type witness struct {
	Facts    map[string]bool `json:"facts"`
	Workflow []string        `json:"workflow"`
}

// diagramCheck is the right graph of a row and the answers read so far.
type diagramCheck struct {
	*rowCheck
	right *rules
	g     *graph
	now   state           // in the whole graph, after the case's last call
	known map[string]bool // facts that the case has shown
	seen  map[string]stater
}

// stater is who stated a graph, and how.
type stater struct{ who, payload string }

// oneIn is how many rows of the residual view there are for each whose graph is also walked against the whole one: rows
// that the hash of their id draws.
const oneIn = 64

func (c *rowCheck) diagram() {
	parts := 1
	if c.r.View == "residual" {
		parts = 3
	}
	texts, ok := c.procedure(parts)
	if !ok || !c.stated(graphFormats) {
		return
	}
	d := &diagramCheck{rowCheck: c, right: c.g.rules, g: c.g, known: map[string]bool{}, seen: map[string]stater{}}
	if c.r.View == "residual" {
		if !d.reduce(texts) {
			return
		}
	} else if len(c.ref.History) != 0 {
		c.add("reference", "a whole graph has the history %q", c.ref.History)
	}
	if edges, err := d.right.edges(); err != nil || hasCycle(edges) {
		c.add("context", "the right graph has a circle, or a source that is none: %v", err)
		return
	}
	if r := d.answer("positive", c.r.Positive.Text, c.r.Positive.Payload); r != nil {
		d.positive(r)
	}
	for i := range c.r.Negatives {
		n := &c.r.Negatives[i]
		who := fmt.Sprintf("negative %d", i)
		if r := d.answer(who, n.Text, n.Payload); r != nil {
			d.negative(who, n, r)
		}
	}
}

// positive holds the answer against the right graph. One that means the same after all is not reduced as far as it has to be.
func (d *diagramCheck) positive(r *rules) {
	got, want := r.graphKey(), d.right.graphKey()
	if got == want {
		return
	}
	kind := "positive"
	if d.r.View == "residual" {
		g, err := d.compile(r, d.ref.Facts)
		if err == nil && d.rowCheck.g.sameFrom(d.now, g, d.possibleWhole) == nil {
			kind = "unreduced"
		}
	}
	d.add(kind, "it states %q, right is %q", got, want)
}

// possibleWhole says whether all facts of the procedure can be.
func (d *diagramCheck) possibleWhole(facts map[string]bool) bool {
	return d.rowCheck.g.possible(facts) == nil
}

// reduce follows the case to its last call and puts in what is known.
func (d *diagramCheck) reduce(texts []string) bool {
	s, ok := d.openCase(texts[0], texts[1])
	if !ok {
		return false
	}
	whole := d.g
	rest, err := whole.residual(s)
	if err != nil {
		d.add("residual", "after %q: %v", d.ref.History, err)
		return false
	}
	key := fmt.Sprintf("%s\x00%v", d.ref.text(), s)
	d.now, d.known = s, whole.known(s)
	if d.right, d.g = rest, nil; err == nil {
		d.g, err = d.graphOf(key, d.ref.Facts, func() (*rules, error) { return rest, nil })
	}
	if err != nil {
		d.add("residual", "after %q: %v", d.ref.History, err)
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(d.r.ID))
	if h.Sum32()%oneIn == 0 {
		if err := whole.sameFrom(s, d.g, d.possibleWhole); err != nil {
			d.add("residual", "after %q: %v", d.ref.History, err)
		}
	}
	return true
}

// answer reads a graph from its text and holds it against its payload, and both against the edges that follow from them.
func (d *diagramCheck) answer(who, text, payload string) *rules {
	said, err := readGraph(d.format, text)
	if err != nil {
		d.add("text", "%s: %v", who, err)
		return nil
	}
	stated, err := readGraphPayload(payload)
	if err != nil {
		d.add("payload", "%s: %v", who, err)
		return nil
	}
	r := stated.of(d.right)
	key := r.graphKey()
	if spoken := said.of(d.right).graphKey(); spoken != key {
		d.add("payload", "%s: the text says %q, the payload %q", who, spoken, key)
	}
	for _, t := range slices.Concat(slices.Collect(maps.Values(stated.Requires)), slices.Collect(maps.Values(stated.EstablishedBy))) {
		if want := t.canonical().String(); t.String() != want {
			d.add("payload", "%s: %s is not canonical, want %s", who, t, want)
		}
	}
	if err := r.closed(); err != nil {
		d.add("payload", "%s: %v", who, err)
		return nil
	}
	edges, err := r.edges()
	if err != nil {
		d.add("payload", "%s: %v", who, err)
		return nil
	}
	if !slices.Equal(edges, said.Edges) {
		d.add("edges", "%s: the text has %v, the rules give %v", who, said.Edges, edges)
	}
	if !slices.Equal(edges, stated.Edges) {
		d.add("edges", "%s: the payload has %v, the rules give %v", who, stated.Edges, edges)
	}
	if other, twice := d.seen[key]; twice {
		kind := "alike" // in meaning: a source is not reduced to its minimal sets
		if other.payload == payload {
			kind = "distinct"
		}
		d.add(kind, "%s and %s are the same graph", other.who, who)
	}
	d.seen[key] = stater{who, payload}
	return r
}

func (d *diagramCheck) negative(who string, n *negative, r *rules) {
	if !slices.Contains([]string{"cycle", "precondition", "edge", "connective"}, n.Operator) {
		d.add("row", "%s: operator %q, want cycle, precondition, edge or connective", who, n.Operator)
	}
	var p graphProof
	if err := strict([]byte(n.Proof), &p); err != nil {
		d.add("proof", "%s: %q: %v", who, clip(n.Proof), err)
		return
	}
	edges, err := r.edges()
	if err != nil {
		return
	}
	circle := hasCycle(edges)
	if circle != (n.Operator == "cycle") {
		d.add("row", "%s: the operator is %s, a circle is there: %v", who, n.Operator, circle)
	}
	is := map[string]bool{"cycle": p.Cycle != nil, "unsatisfiable": p.Unsatisfiable, "witness": p.Witness != nil}
	for kind, proves := range is {
		if proves != (n.Violation == kind) {
			d.add("violation", "%s: the violation is %q, the proof %s", who, n.Violation, clip(n.Proof))
			return
		}
	}
	switch n.Violation {
	case "cycle":
		if why := noCycle(p.Cycle, edges); why != "" || !circle {
			d.add("negative", "%s: the circle %v: %s", who, p.Cycle, why)
		}
	case "unsatisfiable":
		d.unsatisfiable(who, r)
	case "witness":
		d.witness(who, r, &p)
	default:
		d.add("violation", "%s: %q, want cycle, unsatisfiable or witness", who, n.Violation)
	}
}

// noCycle says what is wrong with calls that should need each other in a circle.
func noCycle(cycle []string, edges [][2]string) string {
	if len(cycle) < 2 || cycle[0] != cycle[len(cycle)-1] {
		return "it does not come back to its beginning"
	}
	for i := range cycle[1:] {
		if e := [2]string{cycle[i], cycle[i+1]}; !slices.Contains(edges, e) {
			return fmt.Sprintf("%v is no edge", e)
		}
	}
	return ""
}

// compile makes a graph of an answer over the facts.
func (d *diagramCheck) compile(r *rules, facts map[string]bool) (*graph, error) {
	// Depends_on and exclusions are no part of what a graph is made of, and effects come from the row's right one.
	key := d.right.goal + "\x01" + r.graphKey() + "\x01" + fmt.Sprint(d.right.effects)
	for call, t := range r.requires {
		if t.String() != t.canonical().String() {
			return nil, fmt.Errorf("the requirement of %q is not canonical", call)
		}
	}
	return d.graphOf(key, facts, func() (*rules, error) { return r, nil })
}

// unsatisfiable tries every possible world. It has facts of both graphs: one may depend on another by a third, which the
// wrong graph does not have.
func (d *diagramCheck) unsatisfiable(who string, r *rules) {
	err := d.worlds(eitherKeys(d.right.established, r.established), byNumbers, func(facts map[string]bool) bool {
		g, err := d.compile(r, facts)
		if err != nil {
			d.add("negative", "%s: %v", who, err)
		} else if g.permits(facts) {
			d.add("negative", "%s: it permits the goal with %v", who, facts)
		} else {
			return true
		}
		return false
	})
	if err != nil {
		d.add("negative", "%s: %v", who, err)
	}
}

// always says that a condition is the answer of a call of the right graph that checks nothing there: yes.
func (d *diagramCheck) always(name string) bool {
	_, isCall := d.right.requires[name]
	return isCall && d.right.established[name] == nil
}

func (d *diagramCheck) witness(who string, r *rules, p *graphProof) {
	facts := p.Witness.Facts
	if want := eitherKeys(d.right.established, r.established); !slices.Equal(sortedKeys(facts), want) {
		d.add("witness", "%s: it has facts of %q, want %q", who, sortedKeys(facts), want)
		return
	}
	for _, name := range sortedKeys(facts) {
		if d.always(name) && !facts[name] {
			d.add("witness", "%s: %q answers no, but it checks nothing", who, name)
		}
	}
	if at, err := d.possible(facts, byNumbers); err != nil {
		d.impossible(who, r, at, err)
	}
	g, err := d.compile(r, facts)
	if err != nil {
		d.add("negative", "%s: %v", who, err)
		return
	}
	right, wrong := d.g.accepts(p.Witness.Workflow, facts), g.accepts(p.Witness.Workflow, facts)
	if right == wrong {
		if other, path := d.tellApart(r, byNumbers); path != nil {
			d.add("workflow", "%s: both graphs say %v to %q with %v; one says yes to %q with %v", who, right, p.Witness.Workflow, facts, path, other)
		} else {
			d.add("negative", "%s: both graphs say %v to %q with %v, and no case tells them apart", who, right, p.Witness.Workflow, facts)
		}
		return
	}
	if by := map[bool]string{true: "positive", false: "negative"}[right]; p.AcceptedBy != by {
		d.add("witness", "%s: the %s accepts it, recorded is %q", who, by, p.AcceptedBy)
	}
}
