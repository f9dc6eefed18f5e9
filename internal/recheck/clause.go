package recheck

import (
	"fmt"
	"strconv"
	"strings"
)

// clause reads the slots of a sentence from its front.
type clause struct {
	rest    string
	kids    []*item // lines below, which a list at the end of the line takes
	below   bool    // it did
	glosses map[string][]gloss
}

func (c *clause) take(words string) bool {
	after, found := strings.CutPrefix(c.rest, words)
	if found {
		c.rest = after
	}
	return found
}

func (c *clause) slot(slot string, s *said) (err error) {
	switch slot {
	case "rule":
		s.tree, err = c.tree(ruleWords, 0, 0)
	case "fact":
		s.tree, err = c.tree(factWords, 0, 0)
	case "calls":
		s.tree, err = c.tree(callWords, 0, 0)
	case "leaf":
		var leaf *tree
		if leaf, err = c.leaf(true); err == nil && leaf.kind != kindLeaf {
			err = fmt.Errorf("%s is denied, want a plain name", leaf)
		}
		if err == nil {
			s.name = leaf.leaf
		}
	case "call":
		if s.name, err = c.ticked(); err != nil {
			return err
		}
		if words, rest, closed := strings.Cut(c.rest, ")"); closed && strings.HasPrefix(words, " (") {
			does, _, _ := strings.Cut(words[2:], "; takes ")
			c.glosses[s.name] = append(c.glosses[s.name], gloss{kind: "call", words: does})
			c.rest = rest
		}
	case "name":
		s.name, err = c.ticked()
	case "end":
		s.end, err = c.ticked()
	case "names":
		for more := true; more && err == nil; more = c.take(", ") || c.take(" and ") {
			var name string
			name, err = c.ticked()
			s.names = append(s.names, name)
		}
	case "formula":
		words, inner, open := strings.Cut(c.rest, " (`")
		formula, rest, closed := strings.Cut(inner, "`)")
		if !open || !closed || !comparator.MatchString(formula) {
			return fmt.Errorf("%q has no formula", clip(c.rest))
		}
		s.words, s.formula, c.rest = words, formula, rest
	case "unit":
		var closed bool
		if s.end, c.rest, closed = strings.Cut(c.rest, ")"); !closed {
			return fmt.Errorf("%q has no unit", clip(s.end))
		}
		c.rest = ")" + c.rest
	case "n":
		digits := len(c.rest) - len(strings.TrimLeft(c.rest, "0123456789"))
		if digits == 0 {
			return fmt.Errorf("%q has no number", clip(c.rest))
		}
		c.rest = c.rest[digits:]
	case "rest":
		s.words, c.rest = c.rest, ""
	default:
		err = fmt.Errorf("unknown slot %q", slot)
	}
	return err
}

// ticked reads a name in backticks.
func (c *clause) ticked() (string, error) {
	inner, open := strings.CutPrefix(c.rest, "`")
	name, rest, closed := strings.Cut(inner, "`")
	if !open || !closed {
		return "", fmt.Errorf("%q, want a name in backticks", clip(c.rest))
	}
	c.rest = rest
	return canonicalCall(name)
}

// The words of a tree over demands, facts or calls.
type treeWords struct {
	calls   bool // leaves are names alone
	openers []opener
	leads   []string // before the first of two or three names
	joiners []joiner // between them
}

// opener begins a list.
type opener struct {
	words string
	kind  kind
}

// openers are the words for all and for any, plain and with what makes the list an ordered one.
func openers(all, some, orders []string) (list []opener) {
	for k, heads := range map[kind][]string{kindAll: all, kindAny: some} {
		for _, words := range heads {
			list = append(list, opener{words + ":", k})
			for _, order := range orders {
				list = append(list, opener{words + order + ":", map[kind]kind{kindAll: kindSeq, kindAny: kindFirstOf}[k]})
			}
		}
	}
	return list
}

// joiner stands between two names; lead is what it needs before the first, "" for one that stands without.
type joiner struct {
	words string
	kind  kind
	lead  string
}

const (
	leadFirst  = "it is established first that "
	leadOrder  = "it is settled in this order that "
	leadTrying = "it is found, trying in this order, that "
)

// The order in facts and sources is only how they are told, but it is read as it stands.
var (
	bothOrEither = []string{"both ", "either "}
	bothEither   = []joiner{{" and ", kindAll, "both "}, {" or ", kindAny, "either "}}

	ruleWords = &treeWords{
		openers: openers(
			[]string{"all of the following hold", "each of these points is met", "every one of these conditions is satisfied"},
			[]string{"at least one of the following holds", "any one of these points is met", "one or more of these conditions are satisfied"},
			[]string{", settled in the order given", ", taken strictly in this order", ", tried in the order given"}),
		leads: append([]string{leadFirst, leadOrder, leadTrying}, bothOrEither...),
		joiners: append([]joiner{
			{" and only then that ", kindSeq, leadFirst}, {" and next that ", kindSeq, leadOrder},
			{" or failing that, that ", kindFirstOf, leadTrying},
			{" and, once that is settled, also ", kindSeq, ""}, {" or, if that fails, ", kindFirstOf, ""},
			{" and also ", kindAll, ""}, {", and ", kindAll, ""}, {", or else ", kindAny, ""},
		}, bothEither...),
	}
	factWords = &treeWords{
		openers: openers(
			[]string{"all of the following are true", "each of these is the case"},
			[]string{"at least one of the following is true", "any one of these is the case"},
			[]string{", each building on the one before", ", the most usual named first"}),
		leads: bothOrEither, joiners: append([]joiner{{", and ", kindAll, ""}}, bothEither...),
	}
	callWords = &treeWords{
		calls: true,
		openers: openers(
			[]string{"all of these calls together", "every one of these calls"},
			[]string{"any one of these calls", "whichever one of these calls suits best"},
			[]string{", named in their usual order", ", named by preference"}),
		leads: bothOrEither, joiners: append([]joiner{{" together with ", kindAll, ""}, {" or ", kindAny, ""}}, bothEither...),
	}
)

// tree reads `not`, a list with its parts in the line or below it, or up to three joined names. label is how many lists of
// the line it stands in.
func (c *clause) tree(w *treeWords, depth, label int) (*tree, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a clause is nested deeper than %d", maxDepth)
	}
	if c.take("it is not the case that ") {
		part, err := c.tree(w, depth+1, label)
		if err != nil {
			return nil, err
		}
		return treeOf(kindNot, part), nil
	}
	for _, o := range w.openers {
		if c.take(o.words) {
			return c.list(w, o.kind, depth, label)
		}
	}
	lead := ""
	for _, words := range w.leads {
		if c.take(words) {
			lead = words
			break
		}
	}
	first, err := c.leaf(!w.calls)
	if err != nil {
		return nil, err
	}
	for _, j := range w.joiners {
		if j.lead == lead && strings.HasPrefix(c.rest, j.words) {
			t := treeOf(j.kind, first)
			for c.take(j.words) {
				next, err := c.leaf(!w.calls)
				if err != nil {
					return nil, err
				}
				t.kids = append(t.kids, next)
			}
			return t, nil
		}
	}
	if lead != "" {
		return nil, fmt.Errorf("%q has no second part after %q", clip(c.rest), lead)
	}
	return first, nil
}

// list reads the parts of a list: (a) …; (b) …; and (c) … in the line, or lines below it.
func (c *clause) list(w *treeWords, k kind, depth, label int) (*tree, error) {
	t := treeOf(k)
	if c.rest == "" {
		if len(c.kids) == 0 {
			return nil, fmt.Errorf("a list without parts")
		}
		c.below = true
		for _, kid := range c.kids {
			part := &clause{rest: kid.text, kids: kid.kids, glosses: c.glosses}
			read, err := part.tree(w, depth+1, 0)
			switch {
			case err == nil && strings.Trim(part.rest, " .;") != "":
				err = fmt.Errorf("a part of a list goes on with %q", clip(part.rest))
			case err == nil && len(kid.kids) > 0 && !part.below:
				err = fmt.Errorf("%q has lines below it", clip(kid.text))
			}
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", kid.number, err)
			}
			t.kids = append(t.kids, read)
		}
		return t, nil
	}
	for i := 0; ; i++ {
		mark := " " + listLabel(label, i) + " "
		if i > 0 && !c.take(";"+mark) && !c.take("; and"+mark) && !c.take("; or"+mark) {
			return t, nil
		}
		if i == 0 && !c.take(mark) {
			return nil, fmt.Errorf("%q, want the first part of a list, %s", clip(c.rest), mark)
		}
		part, err := c.tree(w, depth+1, label+1)
		if err != nil {
			return nil, err
		}
		t.kids = append(t.kids, part)
	}
}

// listLabel marks part i of a list within label others: (a), then (1), then (a2), (a3).
func listLabel(label, i int) string {
	letter := string(rune('a' + i%26))
	if i >= 26 {
		letter = string(rune('a'+i/26-1)) + letter
	}
	switch label {
	case 0:
		return "(" + letter + ")"
	case 1:
		return "(" + strconv.Itoa(i+1) + ")"
	}
	return "(" + letter + strconv.Itoa(label) + ")"
}

// leaf reads words (`name`) or words (not `name`); a call stands without words and brackets.
func (c *clause) leaf(worded bool) (*tree, error) {
	words, inner, open := strings.Cut(c.rest, "`")
	name, rest, closed := strings.Cut(inner, "`")
	if !open || !closed {
		return nil, fmt.Errorf("%q, want words and a name in backticks", clip(c.rest))
	}
	plain, not := strings.CutSuffix(words, "not ")
	if worded {
		var bracket, end bool
		plain, bracket = strings.CutSuffix(plain, "(")
		if rest, end = strings.CutPrefix(rest, ")"); !bracket || !end {
			return nil, fmt.Errorf("%q, want words and (`name`)", clip(c.rest))
		}
	} else if plain != "" {
		return nil, fmt.Errorf("%q, want a name in backticks", clip(c.rest))
	}
	name, err := canonicalCall(name)
	if err != nil {
		return nil, err
	}
	c.rest = rest
	if plain = strings.TrimSpace(plain); worded && plain != "it holds" {
		if inner, quoted := strings.CutPrefix(plain, "“"); quoted {
			plain = strings.TrimSuffix(inner, "”")
		}
		c.glosses[name] = append(c.glosses[name], gloss{"fact", not, plain})
	}
	if not {
		return treeOf(kindNot, leafOf(name)), nil
	}
	return leafOf(name), nil
}
