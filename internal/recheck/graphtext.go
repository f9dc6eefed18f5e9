package recheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var graphFormats = map[string]*regexp.Regexp{
	"edges":    regexp.MustCompile(`lists\b.* headed |lists under the headings|Format: the headings`),
	"indented": regexp.MustCompile(`nested bullets|an outline|indented outline`),
	"json":     regexp.MustCompile(`\bJSON\b`),
}

// stated is a graph as an answer states it.
type statedGraph struct {
	Requires      map[string]*tree `json:"requires"`
	EstablishedBy map[string]*tree `json:"established_by"`
	Edges         [][2]string      `json:"edges"`
}

// of makes rules of the statement: what it is silent on is as in the right graph.
func (s *statedGraph) of(right *rules) *rules {
	r := &rules{
		goal: right.goal, requires: s.Requires, established: s.EstablishedBy,
		depends: right.depends, excludes: right.excludes, effects: right.effects,
	}
	for _, o := range right.outcomes {
		if rule, isCall := s.Requires[o.end]; isCall {
			o.tree = rule
		}
		r.outcomes = append(r.outcomes, o)
	}
	return r
}

func readGraphPayload(text string) (*statedGraph, error) {
	s := &statedGraph{}
	if err := strict([]byte(text), s); err != nil {
		return nil, err
	}
	return s, s.check()
}

func (s *statedGraph) check() error {
	if s.Requires == nil || s.EstablishedBy == nil || s.Edges == nil {
		return fmt.Errorf("one of requires, established_by, edges is missing")
	}
	for condition, source := range s.EstablishedBy {
		if source == nil {
			return fmt.Errorf("%q has no source", condition)
		}
	}
	slices.SortFunc(s.Edges, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return nil
}

const (
	callsHeading = "Calls and what each requires:"
	factsHeading = "How conditions become known:"
	edgesHeading = "Edges:"
)

// readGraph reads the text of an answer.
func readGraph(format, text string) (*statedGraph, error) {
	if format == "json" {
		return readGraphPayload(text)
	}
	s := &statedGraph{Requires: map[string]*tree{}, EstablishedBy: map[string]*tree{}, Edges: [][2]string{}}
	heading := ""
	for _, it := range sections(text)[0].items {
		if it.text == callsHeading || it.text == factsHeading || it.text == edgesHeading && format == "edges" {
			heading = it.text
			continue
		}
		var err error
		switch {
		case heading == "":
			err = fmt.Errorf("no heading stands above it")
		case heading == edgesHeading:
			err = s.edge(it.text)
		case format == "edges":
			err = s.line(heading, it)
		default:
			err = s.bullet(heading, it)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", it.number, clip(it.text), err)
		}
	}
	return s, s.check()
}

func (s *statedGraph) edge(text string) error {
	before, after, found := strings.Cut(text, " -> ")
	u, errU := wholeName(before)
	v, errV := wholeName(after)
	if !found || errU != nil || errV != nil {
		return fmt.Errorf("no edge")
	}
	s.Edges = append(s.Edges, [2]string{u, v})
	return nil
}

func wholeName(text string) (string, error) {
	c := &clause{rest: text}
	name, err := c.ticked()
	if err == nil && c.rest != "" {
		err = fmt.Errorf("it goes on with %q", clip(c.rest))
	}
	return name, err
}

func (s *statedGraph) put(heading, name string, t *tree) error {
	if heading == callsHeading {
		return put(s.Requires, name, t)
	}
	return put(s.EstablishedBy, name, t)
}

// silent are the words for a call without a rule, and for a condition that takes no call.
func silent(heading, words string) (t *tree, is bool) {
	if heading == callsHeading {
		return nil, words == "no rule"
	}
	return leafOf(conversation), words == "the conversation"
}

// line is `name`: rule.
func (s *statedGraph) line(heading string, it *item) error {
	if len(it.kids) > 0 {
		return fmt.Errorf("it has lines below it")
	}
	c := &clause{rest: it.text}
	name, err := c.ticked()
	if err != nil || !c.take(": ") {
		return fmt.Errorf("no `name`: rule")
	}
	t, is := silent(heading, c.rest)
	if !is {
		if t, err = c.rule(0); err == nil && c.rest != "" {
			err = fmt.Errorf("it goes on with %q", clip(c.rest))
		}
	}
	if err != nil {
		return err
	}
	return s.put(heading, name, t)
}

var ruleKinds = map[string]kind{"all of": kindAll, "any of": kindAny, "in this order": kindSeq, "first of": kindFirstOf, "not": kindNot}

// rule reads all of (…), any of (…), in this order (…), first of (…), not …, or a name.
func (c *clause) rule(depth int) (*tree, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a rule is nested deeper than %d", maxDepth)
	}
	if c.take("not ") {
		part, err := c.rule(depth + 1)
		if err != nil {
			return nil, err
		}
		return treeOf(kindNot, part), nil
	}
	words, _, _ := strings.Cut(c.rest, " (")
	k, known := ruleKinds[words]
	if !known || k == kindNot {
		name, err := c.ticked()
		return leafOf(name), err
	}
	c.take(words + " (")
	t := treeOf(k)
	for more := true; more; more = c.take(", ") {
		part, err := c.rule(depth + 1)
		if err != nil {
			return nil, err
		}
		t.kids = append(t.kids, part)
	}
	if !c.take(")") {
		return nil, fmt.Errorf("%q, want a closing bracket", clip(c.rest))
	}
	return t, nil
}

// bullet is a name with its rule, and the calls before it, in the bullets below.
func (s *statedGraph) bullet(heading string, it *item) error {
	name, err := wholeName(it.text)
	if err != nil {
		return err
	}
	label := "requires:"
	if heading == factsHeading {
		label = "known by:"
	}
	said := false
	for _, kid := range it.kids {
		words, is := strings.CutPrefix(kid.text, label)
		switch {
		case is && !said:
			said = true
			t, isSilent := silent(heading, strings.TrimPrefix(words, " "))
			if !isSilent {
				if words != "" || len(kid.kids) != 1 {
					return fmt.Errorf("%q has %d rules", kid.text, len(kid.kids))
				}
				t, err = kid.kids[0].rule(0)
			}
			if err == nil {
				err = s.put(heading, name, t)
			}
		case kid.text == "comes after:" && heading == callsHeading:
			for _, before := range kid.kids {
				u, fault := wholeName(before.text)
				if fault != nil {
					return fault
				}
				s.Edges = append(s.Edges, [2]string{u, name})
			}
		default:
			err = fmt.Errorf("the bullet %q is not wanted", clip(kid.text))
		}
		if err != nil {
			return err
		}
	}
	if !said {
		return fmt.Errorf("no bullet %s", label)
	}
	return nil
}

// rule reads a bullet as a tree.
func (it *item) rule(depth int) (*tree, error) {
	words, isList := strings.CutSuffix(it.text, ":")
	k, known := ruleKinds[words]
	if !isList || !known {
		if len(it.kids) > 0 {
			return nil, fmt.Errorf("%q has bullets below it", clip(it.text))
		}
		name, err := wholeName(it.text)
		return leafOf(name), err
	}
	if depth > maxDepth || k == kindNot && len(it.kids) != 1 || len(it.kids) == 0 {
		return nil, fmt.Errorf("%q has %d parts", clip(it.text), len(it.kids))
	}
	t := treeOf(k)
	for _, kid := range it.kids {
		part, err := kid.rule(depth + 1)
		if err != nil {
			return nil, err
		}
		t.kids = append(t.kids, part)
	}
	return t, nil
}
