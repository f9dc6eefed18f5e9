package text

import (
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// graphNode is one bullet of an outline with those under it.
type graphNode struct {
	text  string
	under []*graphNode
}

// graphNodes reads bullets by their indentation.
func graphNodes(lines []string) ([]*graphNode, error) {
	root := &graphNode{}
	type level struct {
		indent int
		node   *graphNode
	}
	path := []level{{-1, root}}
	for _, line := range lines {
		line = strings.ReplaceAll(line, "\t", "    ")
		body := strings.TrimLeft(line, " ")
		if body == "" {
			continue
		}
		indent := len(line) - len(body)
		if item, ok := scnBullet(body); ok {
			body = item
		}
		for indent <= path[len(path)-1].indent {
			path = path[:len(path)-1]
		}
		if len(path) > graphMaxDepth {
			return nil, fmt.Errorf("the outline is nested deeper than %d", graphMaxDepth)
		}
		node := &graphNode{text: strings.TrimSpace(body)}
		parent := path[len(path)-1].node
		parent.under = append(parent.under, node)
		path = append(path, level{indent, node})
	}
	return root.under, nil
}

// tree reads a bullet as a tree.
func (n *graphNode) tree() (*sop.Tree, error) {
	if op, ok := graphOps[strings.ToLower(strings.TrimRight(n.text, ": "))]; ok && !strings.Contains(n.text, "`") {
		t := sop.T(op)
		for _, u := range n.under {
			part, err := u.tree()
			if err != nil {
				return nil, err
			}
			t.Parts = append(t.Parts, part)
		}
		if op == sop.Not && len(t.Parts) != 1 {
			return nil, fmt.Errorf("not has %d parts, want one", len(t.Parts))
		}
		return t, nil
	}
	if len(n.under) > 0 {
		return nil, fmt.Errorf("the bullet %q has others under it, want one of all of, any of, in this order, first of, not there", ansShort(n.text))
	}
	return graphReadTree(n.text)
}

// readOutline reads the indented format.
func (p *graphPayload) readOutline(text string) error {
	sections := map[string][]string{}
	section := ""
	for _, line := range strings.Split(text, "\n") {
		if heading := strings.Trim(line, "#: "); heading == graphCallsHeading || heading == graphFactsHeading {
			section = heading
		} else if section != "" {
			sections[section] = append(sections[section], line)
		}
	}
	for _, heading := range []string{graphCallsHeading, graphFactsHeading} {
		nodes, err := graphNodes(sections[heading])
		if err != nil {
			return err
		}
		for _, n := range nodes {
			if err := p.readNode(n, heading == graphFactsHeading); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *graphPayload) readNode(n *graphNode, condition bool) error {
	name, err := ansItem(ansBare(strings.TrimRight(n.text, ": ")))
	if err != nil {
		return fmt.Errorf("the bullet %q names nothing, want a name in backticks", ansShort(n.text))
	}
	label, read, add := "requires", graphReadRule, p.addCall
	if condition {
		label, read, add = "known by", graphReadSource, p.addCondition
	}
	done := false
	for _, u := range n.under {
		key, rest, _ := strings.Cut(u.text, ":")
		switch key = strings.ToLower(strings.TrimSpace(key)); {
		case key == label && !done:
			tree, err := u.rule(rest, read)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if err := add(name, tree); err != nil {
				return err
			}
			done = true
		case key == "comes after" && !condition:
			for _, e := range u.under {
				if err := p.addEdge(e.text, name); err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("%s has the bullet %q, want %q once, and for calls \"comes after\"", name, ansShort(u.text), label)
		}
	}
	if !done {
		return fmt.Errorf("%s has no bullet %q", name, label)
	}
	return nil
}

// rule is the tree after the colon, or the one bullet below.
func (n *graphNode) rule(rest string, read func(string) (*sop.Tree, error)) (*sop.Tree, error) {
	switch {
	case strings.TrimSpace(rest) != "" && len(n.under) == 0:
		return read(rest)
	case strings.TrimSpace(rest) == "" && len(n.under) == 1:
		if len(n.under[0].under) == 0 && !strings.Contains(n.under[0].text, "`") {
			// "no rule" and "the conversation" may stand on a line of their own,
			// and an operator may have no part.
			if tree, err := read(n.under[0].text); err == nil {
				return tree, nil
			}
		}
		return n.under[0].tree()
	}
	return nil, fmt.Errorf("%q has %d rules, want one", ansShort(n.text), len(n.under))
}
