package text

import (
	"fmt"
	"sort"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

const treeMaxDepth = 64

// treeReader reads what treeWriter writes. It goes by identifiers, openers,
// joints and labels, and never looks into the words before an identifier.
type treeReader struct {
	rest string     // of the line
	kids []*sopLine // the lines below it, taken by an opener at its end
	use  treeUse
}

func (r *treeReader) tree(depth, label int) (*sop.Tree, error) {
	if depth > treeMaxDepth {
		return nil, fmt.Errorf("is nested deeper than %d", treeMaxDepth)
	}
	if r.take(treeNot) {
		part, err := r.tree(depth+1, label)
		if err != nil {
			return nil, err
		}
		return sop.T(sop.Not, part), nil
	}
	if op, ok := r.opener(); ok {
		return r.list(op, depth, label)
	}
	for _, j := range treeJoints[r.use] {
		if j.before != "" && r.take(j.before) {
			return r.joined(j)
		}
	}
	first, err := r.literal()
	if err != nil {
		return nil, err
	}
	for _, j := range treeJoints[r.use] {
		if j.before == "" && strings.HasPrefix(r.rest, j.join) {
			return r.more(j, first)
		}
	}
	return first, nil
}

// take drops prefix from the line; a sentence may begin with it in capital.
func (r *treeReader) take(prefix string) bool {
	if len(r.rest) < len(prefix) || !strings.EqualFold(r.rest[:1], prefix[:1]) || r.rest[1:len(prefix)] != prefix[1:] {
		return false
	}
	r.rest = r.rest[len(prefix):]
	return true
}

// opener takes an opener with its colon, which ends it.
func (r *treeReader) opener() (sop.Op, bool) {
	for op, phrases := range treeOpeners[r.use] {
		for _, p := range phrases {
			if r.take(p + ":") {
				return op, true
			}
		}
	}
	return "", false
}

func (r *treeReader) list(op sop.Op, depth, label int) (*sop.Tree, error) {
	node := &sop.Tree{Op: op}
	if r.rest == "" {
		kids := r.kids
		r.kids = nil
		if len(kids) == 0 {
			return nil, fmt.Errorf("opens a list that has no items, want them indented below it or %s", treeNone)
		}
		for _, k := range kids {
			item := &treeReader{rest: k.text, kids: k.kids, use: r.use}
			part, err := item.tree(depth+1, 0)
			if err == nil {
				err = item.end()
			}
			if err != nil {
				return nil, k.wrap(err)
			}
			node.Parts = append(node.Parts, part)
		}
		return node, nil
	}
	if r.take(" " + treeNone) {
		return node, nil
	}
	for i := 0; ; i++ {
		mark := " " + treeLabel(label, i) + " "
		if i > 0 {
			joined := false
			for _, sep := range []string{";", "; and", "; or"} {
				if strings.HasPrefix(r.rest, sep+mark) {
					r.rest, joined = r.rest[len(sep):], true
					break
				}
			}
			if !joined {
				return node, nil
			}
		}
		if !strings.HasPrefix(r.rest, mark) {
			return nil, fmt.Errorf("has %q where the item%sof a list is wanted", sopExcerpt(r.rest), mark)
		}
		r.rest = r.rest[len(mark):]
		part, err := r.tree(depth+1, label+1)
		if err != nil {
			return nil, err
		}
		node.Parts = append(node.Parts, part)
	}
}

func (r *treeReader) joined(j treeJoint) (*sop.Tree, error) {
	first, err := r.literal()
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.rest, j.join) {
		return nil, fmt.Errorf("has %q after %q, want %q", sopExcerpt(r.rest), strings.TrimSpace(j.before), strings.TrimSpace(j.join))
	}
	return r.more(j, first)
}

func (r *treeReader) more(j treeJoint, first *sop.Tree) (*sop.Tree, error) {
	node := sop.T(j.op, first)
	for r.take(j.join) {
		part, err := r.literal()
		if err != nil {
			return nil, err
		}
		node.Parts = append(node.Parts, part)
	}
	return node, nil
}

// literal reads WORDS (`name`), WORDS (not `name`), or either without words
// and parentheses.
func (r *treeReader) literal() (*sop.Tree, error) {
	words, rest, ok := strings.Cut(r.rest, "`")
	if !ok {
		return nil, fmt.Errorf("has %q, want words and an identifier in backticks", sopExcerpt(r.rest))
	}
	body, closed := words, false
	not := strings.HasSuffix(strings.ToLower(body), "not ") && (len(body) == 4 || body[len(body)-5] == '(')
	if not {
		body = body[:len(body)-4]
	}
	switch {
	case strings.HasSuffix(body, "(") && r.use != callTree: // calls stand without words
		closed = true
	case body != "":
		return nil, fmt.Errorf("has %q before an identifier, want words and (`identifier`)", sopExcerpt(words))
	}
	name, rest, ok := strings.Cut(rest, "`")
	if !ok {
		return nil, fmt.Errorf("has no closing backtick after %q", sopExcerpt(name))
	}
	if closed {
		if rest, ok = strings.CutPrefix(rest, ")"); !ok {
			return nil, fmt.Errorf("has %q after `%s`, want a closing parenthesis", sopExcerpt(rest), name)
		}
	}
	n, err := sop.ParseName(name)
	if err != nil {
		return nil, err
	}
	r.rest = rest
	leaf := sop.L(n.String())
	if not {
		return sop.T(sop.Not, leaf), nil
	}
	return leaf, nil
}

// end accepts nothing more but a mark of punctuation.
func (r *treeReader) end() error {
	if rest := strings.TrimRight(r.rest, " .;"); rest != "" {
		return fmt.Errorf("goes on with %q after the end of a condition", sopExcerpt(rest))
	}
	if len(r.kids) > 0 {
		return r.kids[0].wrap(fmt.Errorf("stands below a line that opens no list"))
	}
	return nil
}

// sopExcerpt shortens s for an error of one line.
func sopExcerpt(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

func sopNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
