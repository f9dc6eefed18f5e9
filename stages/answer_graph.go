package stages

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Further violations of an answer of stage 3; those with a proof are GraphCycle,
// GraphUnsatisfiable and GraphWitness.
const (
	GraphEdge         = "edge"         // the edges are not those that follow from the answer's own rules
	GraphMalformed    = "malformed"    // a rule speaks of a condition that the answer does not have
	GraphUndetermined = "undetermined" // too large to be told from the right graph
)

// Who accepts the workflow of a witness against an answer.
const (
	AcceptedByReference = "reference"
	AcceptedByAnswer    = "answer"
)

// judgeGraphs judges graphs: against the reference's own or, as the residual
// view asks, against what is left of it after the history.
func (r *Reference) judgeGraphs(view string) (func(answer string) Verdict, error) {
	right := r.Graph()
	if view == dataset.ViewResidual {
		rest, _, err := sop.Residual(right, &sop.Scenario{Facts: r.Facts, Values: r.Values, Bindings: r.Bindings}, r.History)
		if err != nil {
			return nil, fmt.Errorf("reference: %w", err)
		}
		right = rest
	}
	right = right.Canonical()
	return func(answer string) Verdict {
		stated, err := readGraphAnswer(answer)
		if err != nil {
			return unreadable(err)
		}
		return judgeGraph(right, stated)
	}, nil
}

// judgeGraph holds what an answer states against the right graph. The answer is
// valid if it has the same meaning (sop.Diff finds no difference) and its edges
// are those that follow from its own rules.
func judgeGraph(right *sop.Graph, stated *statedGraph) Verdict {
	h := right.Restate(stated.requires, stated.sources)
	var found []Violation
	if h.Key() != right.Key() {
		if v, differs := graphViolation(right, h); differs {
			found = append(found, v)
		}
	}
	if reason := strayEdge(stated.edges, h.Edges()); reason != "" {
		found = append(found, Violation{Kind: GraphEdge, Text: reason})
	}
	verdict := verdictOf(found)
	if !verdict.Valid {
		verdict.Score = sharedStatements(right, h, stated.edges) / 2
	}
	return verdict
}

// maxCompared bounds the conditions of the two graphs together, where it is the
// answer that adds to them: the search through their cases doubles with each.
const maxCompared = 12

func graphViolation(right, h *sop.Graph) (v Violation, differs bool) {
	added := 0
	for condition := range h.EstablishedBy {
		added += boolOrder(right.EstablishedBy[condition] == nil)
	}
	if added > 0 && len(right.EstablishedBy)+added > maxCompared {
		reason := fmt.Sprintf("%d conditions beside the %d of the right graph are too many to compare", added, len(right.EstablishedBy))
		return Violation{Kind: GraphUndetermined, Text: reason}, true
	}
	differ, err := sop.NewDiffer(right)
	if err != nil {
		return Violation{Kind: GraphUndetermined, Text: err.Error()}, true
	}
	d, err := differ.Diff(h)
	switch {
	case err != nil:
		kind := GraphUndetermined
		if _, malformed := sop.Compile(h); malformed != nil {
			kind = GraphMalformed
		}
		return Violation{Kind: kind, Text: err.Error()}, true
	case d == nil:
		return Violation{}, false
	case d.Cycle != nil:
		return Violation{Kind: GraphCycle, Cycle: d.Cycle}, true
	case d.Unsatisfiable:
		return Violation{Kind: GraphUnsatisfiable}, true
	}
	by := AcceptedByAnswer
	if differ.Accepts(d.Witness) {
		by = AcceptedByReference
	}
	return Violation{Kind: GraphWitness, Witness: d.Witness, AcceptedBy: by}, true
}

// strayEdge names an edge that is stated but does not follow, or the other way
// round. Both lists are sorted.
func strayEdge(stated, derived [][2]string) string {
	for _, e := range stated {
		if !slices.Contains(derived, e) {
			return fmt.Sprintf("%s -> %s is stated, but no rule of the answer gives it", e[0], e[1])
		}
	}
	for _, e := range derived {
		if !slices.Contains(stated, e) {
			return fmt.Sprintf("%s -> %s follows from the answer's rules, but is not stated", e[0], e[1])
		}
	}
	return ""
}

// sharedStatements is how many of the statements that the right graph or the
// answer makes both make: the rule of a call, the source of a condition, an
// edge. It goes by canonical form. A statement that is missing, wrong or too
// many lowers it; it is 1 for the right graph alone.
func sharedStatements(right, h *sop.Graph, edges [][2]string) float64 {
	want, got := statements(right, right.Edges()), statements(h, edges)
	shared, all := 0, len(want)
	for what, says := range got {
		if as, ok := want[what]; !ok {
			all++
		} else if as == says {
			shared++
		}
	}
	return float64(shared) / float64(all)
}

// statements are what a graph states about each call, condition and pair.
func statements(g *sop.Graph, edges [][2]string) map[[3]string]string {
	list := map[[3]string]string{}
	for call, rule := range g.Requires {
		list[[3]string{"call", call}] = rule.String()
	}
	for condition, source := range g.EstablishedBy {
		list[[3]string{"condition", condition}] = source.String()
	}
	for _, e := range edges {
		list[[3]string{"edge", e[0], e[1]}] = ""
	}
	return list
}

// statedGraph is a graph as an answer states it.
type statedGraph struct {
	requires, sources map[string]*sop.Tree
	edges             [][2]string
}

// readGraphAnswer reads the graph of an answer in whichever format, in code
// fences or not, with prose before it and lines of prose after it. An answer
// that states two graphs is none.
func readGraphAnswer(answer string) (*statedGraph, error) {
	var read *statedGraph
	var first error
	for _, passage := range append(fenced(answer), answer) {
		for _, format := range graphFormats(passage) {
			g, err := readGraphPassage(format, passage)
			switch {
			case err != nil && first == nil:
				first = err
			case err != nil:
			case read != nil && !read.equal(g):
				return nil, fmt.Errorf("the answer states two graphs, want one")
			default:
				read = g
			}
		}
	}
	if read == nil {
		return nil, first
	}
	return read, nil
}

// graphFormats begins with the format that a passage looks like, whose error
// says most.
func graphFormats(passage string) []string {
	looks := func(format string) int {
		switch {
		case format == "json" && strings.Contains(passage, `"requires"`):
			return 0
		case format == "indented" && strings.Contains(passage, "\n  "):
			return 1
		}
		return 2
	}
	formats := slices.Clone(text.GraphFormats)
	slices.SortStableFunc(formats, func(a, b string) int { return looks(a) - looks(b) })
	return formats
}

// readGraphPassage leaves out remarks at the end as far as it has to.
func readGraphPassage(format, passage string) (*statedGraph, error) {
	var first error
	for range remarks + 1 {
		requires, sources, edges, err := text.ReadGraph(format, passage)
		if err == nil {
			return newStatedGraph(requires, sources, edges)
		}
		if first == nil {
			first = err
		}
		var dropped bool
		if passage, dropped = withoutRemark(passage); !dropped {
			break
		}
	}
	return nil, first
}

// What a graph that is judged may hold: no procedure comes near, and the work
// that an answer can cause stays small.
const (
	maxStatedNames = 64   // calls, and conditions
	maxStatedNodes = 1024 // of all trees together
	maxStatedWays  = 128  // to make one condition known
)

// newStatedGraph brings the trees into canonical form. It refuses what would
// take long to compare.
func newStatedGraph(requires, sources map[string]*sop.Tree, edges [][2]string) (*statedGraph, error) {
	if len(requires) > maxStatedNames || len(sources) > maxStatedNames {
		return nil, fmt.Errorf("the graph has %d calls and %d conditions, want at most %d of each", len(requires), len(sources), maxStatedNames)
	}
	nodes := 0
	for _, trees := range []map[string]*sop.Tree{requires, sources} {
		for _, tree := range trees {
			tree.Walk(func(*sop.Tree) { nodes++ })
		}
	}
	if nodes > maxStatedNodes {
		return nil, fmt.Errorf("the graph's trees have %d nodes, want at most %d", nodes, maxStatedNodes)
	}
	g := &statedGraph{map[string]*sop.Tree{}, map[string]*sop.Tree{}, edges}
	for call, rule := range requires {
		g.requires[call] = rule.Canonical()
	}
	for _, condition := range sortedKeys(sources) {
		source := sources[condition]
		if ways(source) > maxStatedWays {
			return nil, fmt.Errorf("the graph has more than %d ways to make %s known", maxStatedWays, condition)
		}
		g.sources[condition] = source.Canonical()
	}
	return g, nil
}

func (g *statedGraph) equal(h *statedGraph) bool {
	same := func(a, b map[string]*sop.Tree) bool { return maps.EqualFunc(a, b, (*sop.Tree).Equal) }
	return same(g.requires, h.requires) && same(g.sources, h.sources) && slices.Equal(g.edges, h.edges)
}

// ways is how many sets of calls a source multiplies out to, where all above
// maxStatedWays count as one more.
func ways(t *sop.Tree) int {
	n := 0
	if t.Op == sop.Leaf || t.Op.Conjunctive() {
		n = 1
	}
	for _, p := range t.Parts {
		if t.Op.Conjunctive() {
			n *= ways(p)
		} else {
			n += ways(p)
		}
		n = min(n, maxStatedWays+1)
	}
	return n
}
