package text

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// sopKind is what a sentence of an SOP states.
type sopKind string

const (
	sayGoal     sopKind = "the goal"
	sayRule     sopKind = "a rule of the goal"
	saySource   sopKind = "how a condition is found out"
	sayGiven    sopKind = "that a condition is known from the request"
	sayDepends  sopKind = "what a condition depends on"
	sayCompare  sopKind = "a comparison"
	sayValue    sopKind = "what a value is"
	sayRequire  sopKind = "the requirement of a call"
	sayFree     sopKind = "that a call has no requirement"
	sayEffect   sopKind = "the effect of a call"
	sayExcludes sopKind = "conditions that exclude each other"
	sayOutcome  sopKind = "an outcome"
	sayElse     sopKind = "the outcome of all other cases"
	sayEnds     sopKind = "the two ends"
	sayDecision sopKind = "a decision point"
	sayRefuse   sopKind = "the end where a rule fails"
	sayPass     sopKind = "where a decision point leads to"
	sayNext     sopKind = "where a decision point leads to otherwise"
	sayStep     sopKind = "the heading of a step"
	sayNote     sopKind = "a general instruction"
)

// A sopPhrase words one kind of statement, both ways: what stands in braces
// is a slot, the rest is said and read as it is. A slot name may end in
// digits to occur twice. The slots:
//
//	rule, fact, calls  a tree; with its parts below the line where it is long
//	leaf               WORDS (`name`)
//	call               `name`, or `name` (WORDS)
//	goal, end, value,
//	cond               `name`
//	names              `name`, `name` and `name`
//	formula            WORDS (`formula`)
//	n                  a number
//	unit               words without parentheses
//	text               the rest of the line
type sopPhrase struct {
	kind  sopKind
	topic string // of a note, or sopBrief and the like
	parts []string
	in    string // letters of the styles that say it, all where empty
}

func sopWording(kind sopKind, in string, texts ...string) []sopPhrase {
	var all []sopPhrase
	for _, t := range texts {
		p := sopPhrase{kind: kind, in: in}
		for {
			lit, rest, ok := strings.Cut(t, "{")
			slot, after, _ := strings.Cut(rest, "}")
			p.parts = append(p.parts, lit)
			if !ok {
				break
			}
			p.parts = append(p.parts, slot)
			t = after
		}
		all = append(all, p)
	}
	return all
}

// sopSaid is a statement as it was read.
type sopSaid struct {
	kind    sopKind
	line    *sopLine
	trees   map[string]*sop.Tree // rule, fact, calls
	names   map[string]string    // leaf, cond, call, goal, end, value, unit
	list    []string             // names
	formula *sop.Comparison
}

// errNotThis is the cheap answer to a sentence that begins otherwise.
var errNotThis = errors.New("begins otherwise")

// mayBegin spares most phrases that do not match the work, and the error.
func (p *sopPhrase) mayBegin(line *sopLine, s string) bool {
	if !strings.HasPrefix(s, p.parts[0]) {
		return false
	}
	for i := 2; i < len(p.parts) && len(line.kids) == 0; i += 2 {
		_, after, ok := strings.Cut(s, p.parts[i])
		if !ok {
			return false
		}
		s = after
	}
	return true
}

// match reads the phrase at the beginning of s. taken says that the lines
// below belong to the statement; rest is what follows it in the line. Where
// it fails, at says how far it came.
func (p *sopPhrase) match(line *sopLine, s string) (said *sopSaid, rest string, taken bool, at int, err error) {
	if !strings.HasPrefix(s, p.parts[0]) {
		return nil, "", false, 0, errNotThis
	}
	if p.parts[0] == "" && s[0] != '`' {
		return nil, "", false, 0, errNotThis
	}
	said = &sopSaid{kind: p.kind, line: line, trees: map[string]*sop.Tree{}, names: map[string]string{}}
	rest = s
	for i, part := range p.parts {
		at = len(s) - len(rest)
		if i%2 == 0 {
			r, ok := strings.CutPrefix(rest, part)
			if taken && part != "" { // a list below the line ends the sentence
				r, ok = rest, rest == "" && strings.Trim(part, ".") == ""
			}
			if !ok {
				return nil, "", false, at, fmt.Errorf("has %q, want %q", sopExcerpt(rest), strings.TrimSpace(part))
			}
			rest = r
			continue
		}
		var below bool
		if rest, below, err = said.slot(part, rest); err != nil {
			return nil, "", false, at, err
		}
		taken = taken || below
	}
	if rest != "" && !strings.HasPrefix(rest, " ") {
		return nil, "", false, len(s) - len(rest), fmt.Errorf("goes on with %q", sopExcerpt(rest))
	}
	return said, strings.TrimSpace(rest), taken, len(s), nil
}

func (said *sopSaid) slot(slot, s string) (rest string, below bool, err error) {
	key := strings.TrimRight(slot, "0123456789")
	uses := map[string]treeUse{"rule": ruleTree, "fact": factTree, "calls": callTree}
	switch key {
	case "rule", "fact", "calls":
		r := &treeReader{rest: s, kids: said.line.kids, use: uses[key]}
		if said.trees[slot], err = r.tree(0, 0); err != nil {
			return "", false, err
		}
		return r.rest, len(said.line.kids) > 0 && r.kids == nil, nil
	case "leaf":
		r := &treeReader{rest: s}
		t, err := r.literal()
		if err != nil {
			return "", false, err
		}
		if t.Op != sop.Leaf {
			return "", false, fmt.Errorf("has a negated name, want a plain one")
		}
		said.names["cond"] = t.Name
		return r.rest, false, nil
	case "formula":
		_, s, ok := strings.Cut(s, "`")
		formula, rest, closed := strings.Cut(s, "`")
		rest, paren := strings.CutPrefix(rest, ")")
		if !ok || !closed || !paren {
			return "", false, fmt.Errorf("has no formula, want words and (`formula`)")
		}
		said.formula, err = sop.ParseComparison(formula)
		return rest, false, err
	case "n":
		rest = strings.TrimLeft(s, "0123456789")
		if len(rest) == len(s) {
			return "", false, fmt.Errorf("has %q where a number is wanted", sopExcerpt(s))
		}
		return rest, false, nil
	case "unit":
		i := strings.IndexAny(s, "()`")
		if i < 0 {
			return "", false, fmt.Errorf("has no unit in %q", sopExcerpt(s))
		}
		said.names[slot] = s[:i]
		return s[i:], false, nil
	case "text":
		return "", false, nil
	case "names":
		for {
			var name string
			if name, s, err = sopTicked(s); err != nil {
				return "", false, err
			}
			said.list = append(said.list, name)
			next, more := strings.CutPrefix(s, ", ")
			if !more {
				next, more = strings.CutPrefix(s, " and ")
			}
			if !more {
				return s, false, nil
			}
			s = next
		}
	}
	if said.names[slot], s, err = sopTicked(s); err != nil {
		return "", false, err
	}
	if inner, has := strings.CutPrefix(s, " ("); has && key == "call" {
		_, after, ok := strings.Cut(inner, ")")
		if !ok {
			return "", false, fmt.Errorf("has no closing parenthesis after %q", sopExcerpt(inner))
		}
		s = after
	}
	return s, false, nil
}

// sopTicked reads `name` and gives it in canonical form.
func sopTicked(s string) (name, rest string, err error) {
	inner, ok := strings.CutPrefix(s, "`")
	name, rest, closed := strings.Cut(inner, "`")
	if !ok || !closed {
		return "", "", fmt.Errorf("has %q where an identifier in backticks is wanted", sopExcerpt(s))
	}
	n, err := sop.ParseName(name)
	return n.String(), rest, err
}
