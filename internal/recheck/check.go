package recheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// checker holds the lexicon, and the graphs and texts seen so far; it belongs to one worker.
type checker struct {
	lexicon   map[string]*domain
	graphs    map[string]*graph
	documents map[string]*document
	numbers   map[string]bool
}

// The caches are emptied when they are full: rows of one procedure stand together, so little is lost.
const (
	maxGraphs    = 512
	maxDocuments = 128
	maxEntries   = 100_000
)

func newChecker(lexicon map[string]*domain) *checker {
	return &checker{lexicon: lexicon, graphs: map[string]*graph{}, documents: map[string]*document{}, numbers: map[string]bool{}}
}

// graphOf compiles rules once. The key has to tell their text; with the names that have facts it is all that a graph is made
// of.
func (c *checker) graphOf(key string, facts map[string]bool, read func() (*rules, error)) (*graph, error) {
	key += "\x00" + strings.Join(sortedKeys(facts), " ")
	g := c.graphs[key]
	if g == nil {
		r, err := read()
		if err != nil {
			return nil, err
		}
		if g, err = compile(r, facts); err != nil {
			return nil, err
		}
		if len(c.graphs) >= maxGraphs {
			clear(c.graphs)
		}
		c.graphs[key] = g
	}
	if len(g.able) > maxEntries {
		clear(g.able)
	}
	if len(g.escapes) > maxEntries {
		clear(g.escapes)
	}
	return g, nil
}

func (c *checker) document(text string) (*document, error) {
	d := c.documents[text]
	if d == nil {
		var err error
		if d, err = readDocument(text); err != nil {
			return nil, err
		}
		if len(c.documents) >= maxDocuments {
			clear(c.documents)
		}
		c.documents[text] = d
	}
	return d, nil
}

// finding is one thing wrong with a row: a kind that can be counted, and the words.
type finding struct{ kind, detail string }

type rowCheck struct {
	*checker
	r        *row
	meta     meta
	ref      *reference
	g        *graph
	doc      *document
	names    *naming
	format   string
	compared int // facts held against their comparison
	findings []finding
}

func (c *rowCheck) add(kind, format string, args ...any) {
	c.findings = append(c.findings, finding{kind, fmt.Sprintf(format, args...)})
}

// The task and the views of each stage.
var stages = map[int]struct {
	task  string
	views []string
}{
	1: {"concept", []string{"definition", "application", "discrimination", "condition_wording", "tool_choice"}},
	2: {"sequence", []string{"workflow", "next_action"}},
	3: {"graph", []string{"graph", "residual"}},
}

// row proves one row.
func (c *checker) row(r *row) *rowCheck {
	k := &rowCheck{checker: c, r: r}
	stage := stages[r.Stage]
	if r.Task != stage.task || !slices.Contains(stage.views, r.View) {
		k.add("row", "task %q and view %q in stage %d, want %s and one of %v", r.Task, r.View, r.Stage, stage.task, stage.views)
		return k
	}
	if err := strict([]byte(r.Meta), &k.meta); err != nil {
		k.add("meta", "%v", err)
		return k
	}
	if k.meta.Paraphrase != nil {
		whole := *r
		k.r = &whole
		if err := k.meta.Paraphrase.restore(k.r); err != nil {
			k.add("meta", "%v", err)
			return k
		}
	}
	d := c.lexicon[r.Domain]
	if d == nil {
		k.add("lexicon", "there is no domain %q", r.Domain)
		return k
	}
	k.names = newNaming(d, k.meta.Names)
	for i := range r.Negatives {
		if n := &r.Negatives[i]; n.Similarity == nil || *n.Similarity < 0 || *n.Similarity > 1 {
			k.add("row", "negative %d: similarity is missing or not within 0..1", i)
		}
	}
	switch r.Stage {
	case 1:
		k.concept()
	case 2:
		k.sequence()
	case 3:
		k.diagram()
	}
	return k
}

// stated finds the format that the query states, which the meta has to repeat.
func (c *rowCheck) stated(formats map[string]*regexp.Regexp) bool {
	var err error
	if c.format, err = statedFormat(c.r.Query, formats); err != nil {
		c.add("query", "%v", err)
		return false
	}
	if c.format != c.meta.Format {
		c.add("meta", "the format is %q, the query states %q", c.meta.Format, c.format)
	}
	return true
}

// contextBreak parts the procedure, the case and the calls so far.
const contextBreak = "\n\n---\n\n"

// procedure reads the reference and the text of the procedure, and holds them against each other and the lexicon.
func (c *rowCheck) procedure(parts int) (rest []string, ok bool) {
	var err error
	if c.ref, err = readReference(c.r.Reference); err != nil {
		c.add("reference", "%v", err)
		return nil, false
	}
	if c.g, err = c.graphOf(c.ref.text(), c.ref.Facts, c.ref.rules); err != nil {
		c.add("reference", "%v", err)
		return nil, false
	}
	c.facts()
	texts := strings.Split(c.r.Context, contextBreak)
	if len(texts) != parts {
		c.add("context", "%d parts, want %d", len(texts), parts)
		return nil, false
	}
	if c.doc, err = c.document(strings.TrimSuffix(texts[0], "\n")); err != nil {
		c.add("context", "%v", err)
		return nil, false
	}
	if d := c.doc.differs(c.g.rules); d != "" {
		c.add("context", "the text and the reference: %s", d)
		return nil, false
	}
	c.faithful()
	return texts[1:], true
}

// facts holds the scenario against depends_on, excludes, what tools enforce, and the graph's names.
func (c *rowCheck) facts() {
	facts := c.ref.Facts
	for _, name := range sortedKeys(facts) {
		if _, known := c.g.leafAt[name]; !known {
			c.add("facts", "fact %q is neither a condition nor a call of the reference", name)
		}
	}
	if err := c.g.possible(facts); err != nil {
		c.add("facts", "%v", err)
	}
	for _, name := range sortedKeys(facts) {
		in, isAction := c.names.Actions[c.names.base(name)]
		if !facts[name] || !isAction || in.Innate == nil {
			continue
		}
		innate := in.Innate.rename(func(leaf string) string {
			base, _, _ := cutCall(leaf)
			return c.names.written(passed(leaf, name, c.names.Conditions[base].Parameters))
		})
		has := func(leaf string) bool { _, has := facts[leaf]; return has }
		if !project(innate, has).holds(facts) {
			c.add("facts", "the call %q answers yes, although what the tool enforces is not so: %s", name, innate)
		}
	}
	for _, call := range c.g.calls {
		details, has := c.ref.Parameters[call.name]
		in := c.names.Actions[c.names.base(call.name)]
		if !has || len(details) != len(in.Parameters) {
			c.add("reference", "call %q has the parameters %v, in the lexicon %v", call.name, details, in.Parameters)
		}
		for _, parameter := range in.Parameters {
			if detail := details[parameter]; detail != detailOf(call.name, parameter) {
				c.add("reference", "parameter %q of %q takes %q", parameter, call.name, detail)
			} else if _, bound := c.ref.Bindings[detail]; !bound && c.r.View != "graph" {
				c.add("reference", "parameter %q of %q takes %q, which is not bound", parameter, call.name, detail)
			}
		}
	}
}
