package text

import (
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

func readSopCode(f *sopFile, text string) error {
	var subject struct{ kind, name string }
	fenced := false
	for i, raw := range strings.Split(text, "\n") {
		l := &sopLine{number: i + 1, text: strings.TrimSpace(raw)}
		if strings.HasPrefix(l.text, "```") {
			fenced = !fenced
			continue
		}
		code := codeStrip(raw)
		if !fenced || code == "" {
			continue
		}
		l.text = code
		keyword, rest, _ := strings.Cut(code, " ")
		if !strings.HasPrefix(raw, " ") {
			subject.kind, subject.name = keyword, ""
		}
		if err := f.codeLine(keyword, rest, &subject.name, subject.kind); err != nil {
			return l.wrap(err)
		}
	}
	return nil
}

// codeStrip drops the comment and the blanks around the code.
func codeStrip(s string) string {
	for _, mark := range []string{"#", "//"} {
		if strings.HasPrefix(s, mark) {
			return ""
		}
		if i := strings.Index(s, "  "+mark+" "); i >= 0 {
			s = s[:i]
		}
	}
	return strings.TrimSpace(s)
}

// codeLine reads one line; subject is the fact or call that indented lines
// are about.
func (f *sopFile) codeLine(keyword, rest string, subject *string, kind string) error {
	g := &f.Graph
	switch keyword {
	case "procedure":
		name, err := codeName(rest)
		if err == nil && g.Goal != "" {
			err = fmt.Errorf("names a second goal, want one")
		}
		g.Goal = name
		return err
	case "require":
		t, err := codeTree(rest)
		f.rules = append(f.rules, t)
		return err
	case "when", "otherwise:":
		return f.codeOutcome(keyword, rest)
	case "fact", "call":
		name, err := codeName(rest)
		*subject = name
		return err
	case "value":
		name, unit, ok := strings.Cut(rest, " in ")
		if !ok {
			return fmt.Errorf("has no unit, want value NAME in UNIT")
		}
		n, err := codeName(name)
		if err != nil {
			return err
		}
		return sopPut(f.Units, n, sopReadUnit(strings.TrimSpace(unit)))
	case "exclusive":
		p := &codeReader{rest: rest}
		var set []string
		for {
			name, err := p.name()
			if err != nil {
				return err
			}
			set = append(set, name)
			if !p.take(",") {
				g.Excludes = append(g.Excludes, set)
				return p.end()
			}
		}
	}
	if *subject == "" || kind != "fact" && kind != "call" {
		return fmt.Errorf("is no line of a listing, want procedure, require, when, otherwise, fact, call, value or exclusive")
	}
	if kind == "fact" {
		return f.codeFact(*subject, keyword, rest)
	}
	return f.codeCall(*subject, keyword, rest)
}

func (f *sopFile) codeOutcome(keyword, rest string) error {
	when, end := "", rest
	if keyword == "when" {
		i := strings.LastIndex(rest, ":")
		if i < 0 {
			return fmt.Errorf("has no colon, want when TREE: end NAME")
		}
		when, end = rest[:i], strings.TrimSpace(rest[i+1:])
	}
	end, ok := strings.CutPrefix(end, "end ")
	if !ok {
		return fmt.Errorf("has no end, want end NAME after the colon")
	}
	name, err := codeName(end)
	if err != nil {
		return err
	}
	switch {
	case when == codeRulesHold || when == codeRulesFail:
		f.plain = true
		if (when == codeRulesHold) != (len(f.Graph.Outcomes) == 0) {
			return fmt.Errorf("is out of place, want %q before %q", codeRulesHold, codeRulesFail)
		}
	case keyword == "when":
		t, err := codeTree(when)
		if err != nil {
			return err
		}
		f.Graph.Outcomes = append(f.Graph.Outcomes, sop.Outcome{End: name, Tree: t})
		return nil
	}
	f.Graph.Outcomes = append(f.Graph.Outcomes, sop.Outcome{End: name})
	return nil
}

func (f *sopFile) codeFact(name, keyword, rest string) error {
	switch word, arg, _ := strings.Cut(rest, " "); keyword + " " + word {
	case "known from":
		if arg == "request" {
			return sopPut(f.Graph.EstablishedBy, name, sop.L(sop.Conversation))
		}
		t, err := codeTree(arg)
		if err != nil {
			return err
		}
		return sopPut(f.Graph.EstablishedBy, name, t)
	case "measured as":
		c, err := sop.ParseComparison(arg)
		if err != nil {
			return err
		}
		return sopPut(f.Comparisons, name, c)
	case "possible if":
		t, err := codeTree(arg)
		if err != nil {
			return err
		}
		return sopPut(f.Graph.DependsOn, name, t)
	}
	return fmt.Errorf("is no line under a fact, want known from, measured as or possible if")
}

func (f *sopFile) codeCall(name, keyword, rest string) error {
	switch keyword {
	case "needs":
		switch rest {
		case "all rules":
			return f.ruled(name)
		case "nothing":
			return sopPut(f.Graph.Requires, name, nil)
		}
		t, err := codeTree(rest)
		if err != nil {
			return err
		}
		return sopPut(f.Graph.Requires, name, t)
	case "then":
		sets, ok := strings.CutPrefix(rest, "sets ")
		if !ok {
			return fmt.Errorf("has no effect, want then sets NAME = true or false")
		}
		effects := map[string]bool{}
		p := &codeReader{rest: sets}
		for {
			cond, err := p.name()
			if err != nil {
				return err
			}
			yes := p.take("= true")
			if !yes && !p.take("= false") {
				return fmt.Errorf("has %q after an effect, want = true or = false", sopExcerpt(p.rest))
			}
			effects[cond] = yes
			if !p.take(",") {
				break
			}
		}
		if err := p.end(); err != nil {
			return err
		}
		return sopPut(f.Graph.Effects, name, effects)
	}
	return fmt.Errorf("is no line under a call, want needs or then sets")
}

// codeReader reads expressions of a listing.
type codeReader struct{ rest string }

func codeTree(s string) (*sop.Tree, error) {
	p := &codeReader{rest: s}
	t, err := p.expr(0)
	if err == nil {
		err = p.end()
	}
	return t, err
}

func codeName(s string) (string, error) {
	p := &codeReader{rest: s}
	name, err := p.name()
	if err == nil {
		err = p.end()
	}
	return name, err
}

func (p *codeReader) take(s string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " "), s)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *codeReader) end() error {
	if s := strings.TrimSpace(p.rest); s != "" {
		return fmt.Errorf("goes on with %q, want the end of the line", sopExcerpt(s))
	}
	return nil
}

// name reads identifier, identifier(parameter=source, …), or either in
// backticks.
func (p *codeReader) name() (string, error) {
	s := strings.TrimLeft(p.rest, " ")
	if strings.HasPrefix(s, "`") {
		name, rest, err := sopTicked(s)
		p.rest = rest
		return name, err
	}
	i := len(s) - len(strings.TrimLeftFunc(s, codeLetter))
	if i < len(s) && s[i] == '(' {
		if j := strings.IndexByte(s, ')'); j > i {
			i = j + 1
		}
	}
	n, err := sop.ParseName(s[:i])
	p.rest = s[i:]
	return n.String(), err
}

func codeLetter(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

func (p *codeReader) word() string {
	s := strings.TrimLeft(p.rest, " ")
	return s[:len(s)-len(strings.TrimLeftFunc(s, codeLetter))]
}

// expr reads operands joined by one of and, or; mixing them takes parentheses.
func (p *codeReader) expr(depth int) (*sop.Tree, error) {
	first, err := p.operand(depth)
	if err != nil {
		return nil, err
	}
	joint := p.word()
	op, ok := map[string]sop.Op{"and": sop.All, "or": sop.Any}[joint]
	if !ok {
		return first, nil
	}
	node := sop.T(op, first)
	for p.word() == joint {
		p.take(joint)
		part, err := p.operand(depth)
		if err != nil {
			return nil, err
		}
		node.Parts = append(node.Parts, part)
	}
	if w := p.word(); w == "and" || w == "or" {
		return nil, fmt.Errorf("mixes and with or, want parentheses")
	}
	return node, nil
}

func (p *codeReader) operand(depth int) (*sop.Tree, error) {
	if depth > treeMaxDepth {
		return nil, fmt.Errorf("is nested deeper than %d", treeMaxDepth)
	}
	if p.take("(") {
		t, err := p.expr(depth + 1)
		if err == nil && !p.take(")") {
			err = fmt.Errorf("has %q where a closing parenthesis is wanted", sopExcerpt(p.rest))
		}
		return t, err
	}
	word := p.word()
	if word == "not" {
		p.take(word)
		t, err := p.operand(depth + 1)
		if err != nil {
			return nil, err
		}
		return sop.T(sop.Not, t), nil
	}
	op, ok := map[string]sop.Op{"all": sop.All, "any": sop.Any, "in_order": sop.Seq, "first_of": sop.FirstOf}[word]
	if !ok {
		name, err := p.name()
		return sop.L(name), err
	}
	p.take(word)
	if !p.take("(") {
		return nil, fmt.Errorf("has no parenthesis after %s, want %s(…, …)", word, word)
	}
	node := &sop.Tree{Op: op}
	for !p.take(")") {
		if len(node.Parts) > 0 && !p.take(",") {
			return nil, fmt.Errorf("has %q in a list, want a comma or a closing parenthesis", sopExcerpt(p.rest))
		}
		part, err := p.expr(depth + 1)
		if err != nil {
			return nil, err
		}
		node.Parts = append(node.Parts, part)
	}
	return node, nil
}
