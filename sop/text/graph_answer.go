package text

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// GraphFormats are the ways in which an action graph is written: rules and an
// edge list, an indented outline, JSON.
var GraphFormats = []string{"edges", "indented", "json"}

// graphPayload is a graph as an answer holds it; a null rule is none.
type graphPayload struct {
	Requires      map[string]*sop.Tree `json:"requires"`
	EstablishedBy map[string]*sop.Tree `json:"established_by"`
	Edges         [][2]string          `json:"edges"`
}

const (
	graphCallsHeading = "Calls and what each requires"
	graphFactsHeading = "How conditions become known"
	graphEdgesHeading = "Edges"
	graphNoRule       = "no rule"
	graphFromTalk     = "the conversation"
)

// RenderGraph writes the requirements, the sources of conditions and the
// edges of g in one of GraphFormats (any other counts as the first).
func RenderGraph(format string, g *sop.Graph, rng *rand.Rand) string {
	switch format {
	case "json":
		edges := g.Edges()
		if edges == nil {
			edges = [][2]string{}
		}
		payload := graphPayload{g.Requires, g.EstablishedBy, edges}
		marshal := json.Marshal
		if rng.IntN(2) == 0 {
			marshal = func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }
		}
		data, err := marshal(payload)
		if err != nil {
			return "{}" // names and trees always marshal
		}
		return string(data)
	case "indented":
		return graphOutline(g, rng)
	}
	return graphList(g, rng)
}

func graphOrder[V any](m map[string]V, rng *rand.Rand) []string {
	keys := scnKeys(m)
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

func graphList(g *sop.Graph, rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString(graphCallsHeading + ":\n")
	for _, call := range graphOrder(g.Requires, rng) {
		rule := graphNoRule
		if t := g.Requires[call]; t != nil {
			rule = graphInline(t)
		}
		b.WriteString("- `" + call + "`: " + rule + "\n")
	}
	if len(g.EstablishedBy) > 0 {
		b.WriteString("\n" + graphFactsHeading + ":\n")
	}
	for _, cond := range graphOrder(g.EstablishedBy, rng) {
		b.WriteString("- `" + cond + "`: " + graphSource(g.EstablishedBy[cond]) + "\n")
	}
	edges := g.Edges()
	if len(edges) > 0 {
		b.WriteString("\n" + graphEdgesHeading + ":\n")
	}
	rng.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	for _, e := range edges {
		b.WriteString("- `" + e[0] + "` -> `" + e[1] + "`\n")
	}
	return b.String()
}

func graphSource(t *sop.Tree) string {
	if t.Op == sop.Leaf && t.Name == sop.Conversation {
		return graphFromTalk
	}
	return graphInline(t)
}

func graphOutline(g *sop.Graph, rng *rand.Rand) string {
	before := map[string][]string{}
	for _, e := range g.Edges() {
		before[e[1]] = append(before[e[1]], e[0])
	}
	var b strings.Builder
	b.WriteString(graphCallsHeading + ":\n")
	for _, call := range graphOrder(g.Requires, rng) {
		b.WriteString("- `" + call + "`\n")
		if t := g.Requires[call]; t != nil {
			b.WriteString("  - requires:\n")
			graphBranch(&b, t, 2)
		} else {
			b.WriteString("  - requires: " + graphNoRule + "\n")
		}
		if len(before[call]) > 0 {
			b.WriteString("  - comes after:\n")
		}
		for _, u := range before[call] {
			b.WriteString("    - `" + u + "`\n")
		}
	}
	if len(g.EstablishedBy) > 0 {
		b.WriteString("\n" + graphFactsHeading + ":\n")
	}
	for _, cond := range graphOrder(g.EstablishedBy, rng) {
		b.WriteString("- `" + cond + "`\n")
		if t := g.EstablishedBy[cond]; t.Op == sop.Leaf && t.Name == sop.Conversation {
			b.WriteString("  - known by: " + graphFromTalk + "\n")
		} else {
			b.WriteString("  - known by:\n")
			graphBranch(&b, t, 2)
		}
	}
	return b.String()
}

func graphBranch(b *strings.Builder, t *sop.Tree, depth int) {
	b.WriteString(strings.Repeat("  ", depth))
	if t.Op == sop.Leaf {
		b.WriteString("- `" + t.Name + "`\n")
		return
	}
	b.WriteString("- " + graphWords[t.Op] + ":\n")
	for _, p := range t.Parts {
		graphBranch(b, p, depth+1)
	}
}

// ReadGraph reads an answer in one of GraphFormats: the rule of every call
// (nil where there is none), the source of every condition (the leaf
// conversation where no call is needed), and the edges as given, sorted. It
// allows code fences, bold and text before the first heading.
func ReadGraph(format, text string) (requires, establishedBy map[string]*sop.Tree, edges [][2]string, err error) {
	p := &graphPayload{Requires: map[string]*sop.Tree{}, EstablishedBy: map[string]*sop.Tree{}}
	switch format {
	case "edges":
		err = p.readList(ansClean(text))
	case "indented":
		err = p.readOutline(ansClean(text))
	case "json":
		err = p.readJSON(text)
	default:
		err = fmt.Errorf("unknown format %q, want one of %s", format, strings.Join(GraphFormats, ", "))
	}
	if err == nil && len(p.Requires) == 0 {
		err = fmt.Errorf("the graph %q has no call, want the heading %q and a line for every call", ansShort(text), graphCallsHeading)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	sort.Slice(p.Edges, func(i, j int) bool { return slices.Compare(p.Edges[i][:], p.Edges[j][:]) < 0 })
	return p.Requires, p.EstablishedBy, slices.Compact(p.Edges), nil
}

func (p *graphPayload) addCall(name string, rule *sop.Tree) error {
	if _, twice := p.Requires[name]; twice {
		return fmt.Errorf("the graph has the call %q twice", name)
	}
	p.Requires[name] = rule
	return nil
}

func (p *graphPayload) addCondition(name string, source *sop.Tree) error {
	if _, twice := p.EstablishedBy[name]; twice {
		return fmt.Errorf("the graph has the condition %q twice", name)
	}
	if source == nil {
		return fmt.Errorf("the condition %q has no source, want calls or %s", name, graphFromTalk)
	}
	p.EstablishedBy[name] = source
	return nil
}

func (p *graphPayload) readJSON(text string) error {
	const want = `want one object {"requires": …, "established_by": …, "edges": …}`
	var found []map[string]any
	for _, value := range ansJSONValues(text) {
		if object, ok := value.(map[string]any); ok && object["requires"] != nil {
			found = append(found, object)
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("the answer has %d objects with the key requires, %s", len(found), want)
	}
	for key := range found[0] {
		if !slices.Contains([]string{"requires", "established_by", "edges"}, key) {
			return fmt.Errorf("the graph has the key %q, %s", key, want)
		}
	}
	for _, section := range []struct {
		key string
		add func(string, *sop.Tree) error
	}{{"requires", p.addCall}, {"established_by", p.addCondition}} {
		trees, ok := found[0][section.key].(map[string]any)
		if !ok {
			return fmt.Errorf("the graph has no object %s, %s", section.key, want)
		}
		for _, name := range scnKeys(trees) {
			item, err := ansItem(name)
			if err != nil {
				return err
			}
			tree, err := sop.TreeOf(trees[name])
			if err != nil {
				return fmt.Errorf("%s of %s: %w", section.key, name, err)
			}
			if err := section.add(item, tree); err != nil {
				return err
			}
		}
	}
	list, ok := found[0]["edges"].([]any)
	if !ok {
		return fmt.Errorf("the graph has no array edges, %s", want)
	}
	for i, e := range list {
		pair, _ := e.([]any)
		if len(pair) != 2 {
			return fmt.Errorf("edge %d is no pair, want [from, to]", i)
		}
		from, _ := pair[0].(string)
		to, _ := pair[1].(string)
		if err := p.addEdge(from, to); err != nil {
			return err
		}
	}
	return nil
}

func (p *graphPayload) addEdge(from, to string) error {
	u, err := ansItem(ansBare(from))
	if err != nil {
		return err
	}
	v, err := ansItem(ansBare(to))
	if err != nil {
		return err
	}
	p.Edges = append(p.Edges, [2]string{u, v})
	return nil
}
