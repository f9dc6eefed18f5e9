package recheck

import (
	"fmt"
	"strings"
)

// listing reads the pseudo-code between the fences: a keyword a line, indented lines about the fact or call above them,
// comments after # or //.
func (d *document) listing(text string) error {
	fenced, subject, kind, number := false, "", "", 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		code, comment := cutComment(line)
		if !fenced || code == "" {
			continue
		}
		keyword, rest, _ := strings.Cut(strings.TrimLeft(code, " "), " ")
		var err error
		switch {
		case code[0] == ' ' && kind == "fact":
			err = d.listedFact(subject, keyword, rest, comment)
		case code[0] == ' ' && kind == "call":
			err = d.listedCall(subject, keyword, rest)
		default:
			kind = keyword
			subject, err = d.listed(keyword, rest, comment)
		}
		if err != nil {
			return fmt.Errorf("line %d: %q: %w", number, clip(strings.TrimSpace(line)), err)
		}
	}
	return nil
}

func cutComment(line string) (code, comment string) {
	for _, mark := range []string{"#", "//"} {
		if strings.HasPrefix(line, mark) {
			return "", ""
		}
		if before, after, found := strings.Cut(line, "  "+mark+" "); found {
			return strings.TrimRight(before, " "), strings.TrimSpace(after)
		}
	}
	return strings.TrimRight(line, " "), ""
}

// listed reads a line that is not indented, and says what it is about.
func (d *document) listed(keyword, rest, comment string) (subject string, err error) {
	e := &expression{rest: rest}
	switch keyword {
	case "procedure":
		if d.goal != "" {
			return "", fmt.Errorf("a second goal")
		}
		d.goal, err = e.name()
	case "require":
		var t *tree
		if t, err = e.tree(0); err == nil {
			d.demands = append(d.demands, t)
			d.commented(t, comment)
		}
	case "when":
		when, end, found := strings.Cut(rest, ": end ")
		if want := []string{"all rules hold", "rules can no longer all hold"}; !found || len(d.outcomes) > 1 || when != want[len(d.outcomes)] {
			return "", fmt.Errorf("no end that is wanted here")
		}
		e.rest = end
		var name string
		name, err = e.name()
		d.outcomes = append(d.outcomes, ending{end: name})
	case "fact", "call":
		if subject, err = e.name(); err == nil {
			does, _, _ := strings.Cut(comment, "; takes ")
			d.gloss(subject, keyword, false, does)
		}
	case "value":
		name, unit, found := strings.Cut(rest, " in ")
		e.rest = name
		if name, err = e.name(); err == nil && !found {
			err = fmt.Errorf("a value without unit")
		}
		if err == nil {
			err = d.takeValue(said{name: name, end: unit, words: comment})
		}
	case "exclusive":
		var list []string
		for more := true; more && err == nil; more = e.take(",") {
			var name string
			name, err = e.name()
			list = append(list, name)
		}
		d.excludes = append(d.excludes, list)
	default:
		return "", fmt.Errorf("no line of a listing")
	}
	if err == nil {
		err = e.end()
	}
	return subject, err
}

// commented takes the words beside a demand of one name.
func (d *document) commented(t *tree, comment string) {
	not := t.kind == kindNot
	if not {
		t = t.kids[0]
	}
	if t.kind == kindLeaf {
		d.gloss(t.leaf, "fact", not, comment)
	}
}

func (d *document) listedFact(name, keyword, rest, comment string) error {
	word, rest, _ := strings.Cut(rest, " ")
	switch keyword + " " + word {
	case "known from":
		if rest == "request" {
			return put(d.established, name, leafOf(conversation))
		}
		return putTree(d.established, name, rest)
	case "possible if":
		return putTree(d.depends, name, rest)
	case "measured as":
		return d.takeMeasure(said{name: name, formula: rest, words: comment})
	}
	return fmt.Errorf("no line about a fact")
}

func (d *document) listedCall(name, keyword, rest string) error {
	switch {
	case keyword == "needs" && rest == "nothing":
		return put(d.requires, name, nil)
	case keyword == "needs" && rest == "all rules":
		if name != d.goal || d.ruled {
			return fmt.Errorf("%q takes the rules of the goal", name)
		}
		d.ruled = true
		return nil
	case keyword == "needs":
		return putTree(d.requires, name, rest)
	case keyword == "then" && strings.HasPrefix(rest, "sets "):
		effects := map[string]bool{}
		for part := range strings.SplitSeq(rest[len("sets "):], ", ") {
			condition, to, found := strings.Cut(part, " = ")
			if !found || to != "true" && to != "false" {
				return fmt.Errorf("the effect %q, want name = true or false", part)
			}
			e := &expression{rest: condition}
			condition, err := e.name()
			if err != nil {
				return err
			}
			effects[condition] = to == "true"
		}
		return put(d.effects, name, effects)
	}
	return fmt.Errorf("no line about a call")
}

func putTree(m map[string]*tree, name, text string) error {
	e := &expression{rest: text}
	t, err := e.tree(0)
	if err == nil {
		err = e.end()
	}
	if err != nil {
		return err
	}
	return put(m, name, t)
}

// expression reads trees written with and, or, not and brackets, or as all(…), any(…), in_order(…), first_of(…).
type expression struct{ rest string }

func (e *expression) take(words string) bool {
	after, found := strings.CutPrefix(strings.TrimLeft(e.rest, " "), words)
	if found {
		e.rest = after
	}
	return found
}

func (e *expression) end() error {
	if strings.TrimSpace(e.rest) != "" {
		return fmt.Errorf("it goes on with %q", clip(e.rest))
	}
	return nil
}

// word takes a keyword where it stands by itself.
func (e *expression) word(words string) bool {
	after, found := strings.CutPrefix(strings.TrimLeft(e.rest, " "), words)
	if found && after != "" && isWordByte(after[0]) {
		found = false
	}
	if found {
		e.rest = after
	}
	return found
}

func (e *expression) name() (string, error) {
	if e.take("`") {
		name, rest, closed := strings.Cut(e.rest, "`")
		if e.rest = rest; !closed {
			return "", fmt.Errorf("a backtick has no partner")
		}
		return canonicalCall(name)
	}
	text := strings.TrimLeft(e.rest, " ")
	end := 0
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	if end < len(text) && text[end] == '(' {
		end += strings.IndexByte(text[end:], ')') + 1
	}
	e.rest = text[end:]
	return canonicalCall(text[:end])
}

func (e *expression) tree(depth int) (*tree, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("an expression is nested deeper than %d", maxDepth)
	}
	first, err := e.operand(depth)
	if err != nil {
		return nil, err
	}
	for word, k := range map[string]kind{"and": kindAll, "or": kindAny} {
		t := treeOf(k, first)
		for e.word(word) {
			next, err := e.operand(depth)
			if err != nil {
				return nil, err
			}
			t.kids = append(t.kids, next)
		}
		if len(t.kids) > 1 {
			return t, nil
		}
	}
	return first, nil
}

func (e *expression) operand(depth int) (*tree, error) {
	if e.take("(") {
		t, err := e.tree(depth + 1)
		if err == nil && !e.take(")") {
			err = fmt.Errorf("%q, want a closing bracket", clip(e.rest))
		}
		return t, err
	}
	if e.word("not") {
		t, err := e.operand(depth + 1)
		if err != nil {
			return nil, err
		}
		return treeOf(kindNot, t), nil
	}
	for word, k := range map[string]kind{"all(": kindAll, "any(": kindAny, "in_order(": kindSeq, "first_of(": kindFirstOf} {
		if !e.take(word) {
			continue
		}
		t := treeOf(k)
		for !e.take(")") {
			if len(t.kids) > 0 && !e.take(",") {
				return nil, fmt.Errorf("%q, want a comma or a closing bracket", clip(e.rest))
			}
			part, err := e.tree(depth + 1)
			if err != nil {
				return nil, err
			}
			t.kids = append(t.kids, part)
		}
		return t, nil
	}
	name, err := e.name()
	return leafOf(name), err
}
