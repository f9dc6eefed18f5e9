package text

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// Trees in graphs: inline as "all of (`a`, not `b`)", in outlines as nested
// bullets under the same words.

var graphWords = map[sop.Op]string{
	sop.Not: "not", sop.All: "all of", sop.Any: "any of", sop.Seq: "in this order", sop.FirstOf: "first of",
}

// graphOps are the words that a reader takes for an operator.
var graphOps = map[string]sop.Op{
	"not": sop.Not, "all of": sop.All, "all": sop.All, "any of": sop.Any, "any": sop.Any,
	"in this order": sop.Seq, "in order": sop.Seq, "seq": sop.Seq, "first of": sop.FirstOf, "first_of": sop.FirstOf,
}

const graphWantTree = "want a name in backticks, or all of, any of, in this order, first of, not with (…)"

func graphInline(t *sop.Tree) string {
	if t.Op == sop.Leaf {
		return "`" + t.Name + "`"
	}
	parts := make([]string, len(t.Parts))
	for i, p := range t.Parts {
		parts[i] = graphInline(p)
	}
	if t.Op == sop.Not {
		return "not " + parts[0]
	}
	return graphWords[t.Op] + " (" + strings.Join(parts, ", ") + ")"
}

type graphParser struct{ rest string }

// graphReadTree reads an inline tree; the whole text has to be one.
func graphReadTree(text string) (*sop.Tree, error) {
	p := &graphParser{strings.TrimSpace(text)}
	t, err := p.tree(0)
	if err == nil && strings.Trim(p.rest, " .") != "" {
		err = fmt.Errorf("the rule %q goes on after its end with %q", ansShort(text), ansShort(p.rest))
	}
	return t, err
}

const graphMaxDepth = 64

var graphOperator = regexp.MustCompile(`^(not|all of|any of|in this order|in order|first of)\s*:?\s*`)

func (p *graphParser) tree(depth int) (*sop.Tree, error) {
	if depth > graphMaxDepth {
		return nil, fmt.Errorf("a rule is nested deeper than %d", graphMaxDepth)
	}
	p.rest = strings.TrimSpace(p.rest)
	m := graphOperator.FindStringSubmatch(p.rest)
	if m == nil {
		return p.leaf()
	}
	op := graphOps[m[1]]
	after := p.rest[len(m[0]):]
	if op == sop.Not {
		if !strings.HasPrefix(after, "(") {
			p.rest = after
			part, err := p.tree(depth + 1)
			return sop.T(sop.Not, part), err
		}
	} else if !strings.HasPrefix(after, "(") {
		return nil, fmt.Errorf("the rule has %q without parentheses, %s", ansShort(p.rest), graphWantTree)
	}
	p.rest = after[1:]
	parts, err := p.parts(depth)
	if err != nil {
		return nil, err
	}
	if op == sop.Not && len(parts) != 1 {
		return nil, fmt.Errorf("not has %d parts, want one", len(parts))
	}
	return sop.T(op, parts...), nil
}

// parts reads up to the closing parenthesis.
func (p *graphParser) parts(depth int) ([]*sop.Tree, error) {
	var parts []*sop.Tree
	for {
		p.rest = strings.TrimSpace(p.rest)
		if after, closed := strings.CutPrefix(p.rest, ")"); closed && len(parts) == 0 {
			p.rest = after
			return parts, nil
		}
		part, err := p.tree(depth + 1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		p.rest = strings.TrimSpace(p.rest)
		if after, closed := strings.CutPrefix(p.rest, ")"); closed {
			p.rest = after
			return parts, nil
		}
		after, more := strings.CutPrefix(p.rest, ",")
		if !more {
			return nil, fmt.Errorf("the rule has %q where a comma or a closing parenthesis is wanted", ansShort(p.rest))
		}
		p.rest = after
	}
}

func (p *graphParser) leaf() (*sop.Tree, error) {
	if body, quoted := strings.CutPrefix(p.rest, "`"); quoted {
		name, after, closed := strings.Cut(body, "`")
		item, err := ansItem(name)
		if !closed || err != nil {
			return nil, fmt.Errorf("the rule has %q, %s", ansShort(p.rest), graphWantTree)
		}
		p.rest = after
		return sop.L(item), nil
	}
	end := len(ansIdentifier(p.rest))
	if end > 0 && strings.HasPrefix(p.rest[end:], "(") {
		if i := strings.IndexByte(p.rest, ')'); i >= 0 {
			end = i + 1
		}
	}
	item, err := ansItem(p.rest[:end])
	if err != nil {
		return nil, fmt.Errorf("the rule has %q, %s", ansShort(p.rest), graphWantTree)
	}
	p.rest = p.rest[end:]
	return sop.L(item), nil
}

func graphReadRule(text string) (*sop.Tree, error) {
	switch strings.ToLower(strings.Trim(text, " .`")) {
	case graphNoRule, "none", "nothing", "null":
		return nil, nil
	}
	return graphReadTree(text)
}

func graphReadSource(text string) (*sop.Tree, error) {
	switch strings.ToLower(strings.Trim(text, " .`")) {
	case graphFromTalk, sop.Conversation, "from " + graphFromTalk:
		return sop.L(sop.Conversation), nil
	}
	return graphReadTree(text)
}

// readList reads the format of rules and edges.
func (p *graphPayload) readList(text string) error {
	section := ""
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if heading := strings.Trim(line, "#: "); heading == graphCallsHeading || heading == graphFactsHeading || heading == graphEdgesHeading {
			section = heading
			continue
		}
		if line == "" || section == "" {
			continue
		}
		if item, ok := scnBullet(line); ok {
			line = item
		}
		if section == graphEdgesHeading {
			ends := ansArrows.Split(line, -1)
			if len(ends) != 2 {
				return fmt.Errorf("the edge %q is no pair, want `from` -> `to`", ansShort(line))
			}
			if err := p.addEdge(ends[0], ends[1]); err != nil {
				return err
			}
			continue
		}
		name, rule, ok := strings.Cut(line, ":")
		item, err := ansItem(ansBare(name))
		if !ok || err != nil {
			return fmt.Errorf("the line %q names nothing, want `name`: rule", ansShort(line))
		}
		add, read := p.addCall, graphReadRule
		if section == graphFactsHeading {
			add, read = p.addCondition, graphReadSource
		}
		tree, err := read(rule)
		if err != nil {
			return fmt.Errorf("%s: %w", item, err)
		}
		if err := add(item, tree); err != nil {
			return err
		}
	}
	return nil
}
