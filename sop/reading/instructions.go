package reading

import (
	"fmt"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// ReadInstructions reads pseudo-code in the YAML of SOP-Agent: a list of nodes,
// each a mapping whose first key is what to do, with condition (always, or an
// object with API, variable and value) or condition_type (always, if), API,
// and the nodes below it as Instructions. A node that says "else" is for the
// cases that those before it left. A node without instructions of its own ends
// the case, unless others follow it. Labels are kept as they are; goto is a
// loop, which is not modelled, and refused by name.
func ReadInstructions(file string, data []byte) (*Result, error) {
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: not YAML: %s", file, oneLine(yaml.FormatError(err, false, false)))
	}
	if len(parsed.Docs) == 0 || parsed.Docs[0].Body == nil {
		return nil, fmt.Errorf("%s: the file is empty, want a list of instructions", file)
	}
	p := &pseudo{file: file}
	nodes := p.list(parsed.Docs[0].Body, 0)
	if p.err == nil && len(nodes) != 1 {
		p.fail(1, "%d procedures, want one in a file", len(nodes))
	}
	if p.err != nil {
		return nil, p.err
	}
	root := nodes[0]
	if len(root.below) == 0 {
		return nil, fmt.Errorf("%s:%d: the procedure has no Instructions", file, root.line)
	}
	p.emit(root.below, "1", "")
	title := upperFirst(strings.Join(words(root.text), " "))
	if title == "" {
		title = titleOf(file, "")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &Result{File: file, Title: title, Readings: p.readings}, nil
}

// maxNesting bounds how deep instructions nest.
const maxNesting = 40

type pseudo struct {
	file     string
	readings []*Reading
	err      error
	sections int
}

// instructed is a node of the pseudo-code.
type instructed struct {
	line          int
	text          string
	always, else_ bool
	variable      string // of the condition, with its value
	value         string
	api           string
	below         []*instructed
}

func (p *pseudo) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d: %s", p.file, line, fmt.Sprintf(format, args...))
	}
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

func (p *pseudo) list(n ast.Node, depth int) (out []*instructed) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok || depth > maxNesting {
		p.fail(lineOf(n), "want a list of instructions, at most %d deep", maxNesting)
		return nil
	}
	for _, item := range seq.Values {
		m, ok := item.(ast.MapNode)
		if !ok {
			p.fail(lineOf(item), "want a mapping: what to do as its first key, then condition, API, Instructions")
			return nil
		}
		out = append(out, p.node(m, depth))
	}
	return out
}

func (p *pseudo) node(m ast.MapNode, depth int) *instructed {
	x := &instructed{}
	kind, line := "", 1
	for it := m.MapRange(); it.Next(); {
		key, value := plainText(it.Key()), it.Value()
		line = lineOf(it.Key())
		switch strings.ToLower(key) {
		case "condition_type":
			kind = plainText(value)
		case "condition":
			if c, ok := value.(ast.MapNode); ok {
				kind = "if"
				p.condition(c, x)
			} else {
				kind = plainText(value)
			}
		case "api":
			x.api = plainText(value)
			if c, ok := value.(ast.MapNode); ok {
				for it := c.MapRange(); it.Next(); {
					if plainText(it.Key()) == "name" {
						x.api = plainText(it.Value())
					}
				}
			}
		case "instructions":
			x.below = p.list(value, depth+1)
		case "description", "label":
		case "goto":
			p.fail(lineOf(it.Key()), "it goes to %s: goto and loops are not yet modelled", plainText(value))
		default:
			if x.text != "" {
				p.fail(lineOf(it.Key()), "unknown key %q, want condition, condition_type, API, Description, Instructions or label", key)
			}
			x.text, x.line = clean(key), lineOf(it.Key())
		}
	}
	if x.text == "" {
		p.fail(line, "the instruction does not say what to do, want that as the first key")
	}
	lower := strings.ToLower(x.text)
	x.else_ = strings.HasPrefix(lower, "else")
	switch kind {
	case "always":
		x.always = !x.else_
	case "if":
	case "while", "for", "loop", "until":
		p.fail(x.line, "the condition is %q: goto and loops are not yet modelled", kind)
	default:
		p.fail(x.line, "the condition is %q, want always, if, or an object with API, variable and value", kind)
	}
	return x
}

func (p *pseudo) condition(c ast.MapNode, x *instructed) {
	for it := c.MapRange(); it.Next(); {
		value := plainText(it.Value())
		switch key := plainText(it.Key()); key {
		case "variable":
			x.variable = value
		case "value":
			x.value = value
		case "condition_type":
			if value != "is" {
				p.fail(lineOf(it.Key()), "the condition compares by %q, want is", value)
			}
		case "API":
		default:
			p.fail(lineOf(it.Key()), "unknown key %q of a condition, want API, variable, condition_type or value", key)
		}
	}
}

func plainText(n ast.Node) string {
	if s, ok := n.(*ast.StringNode); ok {
		return s.Value
	}
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}

func (p *pseudo) add(kind Kind, x *instructed, section string) *Reading {
	r := &Reading{Kind: kind, Source: fmt.Sprintf("%s:%d", p.file, x.line), Quote: x.text, Certain: true, Section: section}
	p.readings = append(p.readings, r)
	return r
}

func (p *pseudo) newSection(under string) string {
	p.sections++
	return fmt.Sprintf("%s.%d", strings.SplitN(under, ".", 2)[0], p.sections)
}

// emit writes a list of nodes as a section; goal is the section that cases go
// on with behind it, empty where they end.
func (p *pseudo) emit(list []*instructed, in, behind string) {
	for i := 0; i < len(list); {
		x := list[i]
		if x.always {
			i++
			if i == len(list) && len(x.below) == 0 && behind == "" {
				p.last(x, in)
				return
			}
			p.step(x, in)
			if len(x.below) > 0 && i < len(list) {
				rest := p.newSection(in)
				p.emit(x.below, in, rest)
				p.emit(list[i:], rest, behind)
				return
			}
			if len(x.below) > 0 {
				list, i = x.below, 0
			}
			continue
		}
		chain := 1
		for i+chain < len(list) && list[i+chain].else_ {
			chain++
		}
		rest := behind
		if i+chain < len(list) {
			rest = p.newSection(in)
		}
		p.chain(list[i:i+chain], in, rest)
		if i+chain < len(list) {
			p.emit(list[i+chain:], rest, behind)
		}
		return
	}
	if behind != "" {
		p.after(in, behind, list[len(list)-1])
	}
}

func (p *pseudo) step(x *instructed, in string) {
	r := p.add(Step, x, in)
	r.Text, r.Name = x.act()
	r.Tool = x.api
}

// after sends what is left of a section on to another one.
func (p *pseudo) after(in, to string, x *instructed) {
	r := p.add(Decision, x, in)
	r.As, r.Then = "always", []Act{{Go: to}}
}

// last ends the case with what the node says to do.
func (p *pseudo) last(x *instructed, in string) {
	r := p.add(Decision, x, in)
	act, name := x.act()
	r.As, r.Then = "always", []Act{{End: name, Text: act}}
}

// act is what the node says to do, and the name of it.
func (x *instructed) act() (text, name string) {
	said := strings.TrimLeft(strings.TrimPrefix(x.text, "always"), ", ")
	if act, ok := instruction(said); ok {
		said = act
	}
	if name = x.api; name == "" {
		name = slug(said)
	}
	return lowerFirst(clean(said)), name
}

// chain writes if, else if, else; cases that none of them takes go on behind.
func (p *pseudo) chain(list []*instructed, in, behind string) {
	var below []string
	open := true
	for k, x := range list {
		d, conditional := decide(strings.TrimPrefix(strings.TrimPrefix(x.text, "else "), "else, "))
		r := p.add(Decision, x, in)
		r.Holds = true
		switch {
		case x.variable != "":
			r.Text = fmt.Sprintf("the %s is “%s”", strings.Join(words(x.variable), " "), x.value)
			r.Name = strings.Join(append(words(x.variable), words(x.value)...), "_")
			r.Of = x.variable
		case x.else_ && !conditional:
			r.As, open = "else", false
		case conditional:
			r.Text, r.Name, r.Holds = lowerFirst(d.clause), conditionName(d.clause), !d.not
		default:
			p.fail(x.line, "what the condition is cannot be told, want “if …, …” or an object with variable and value")
		}
		act := d.then
		if !conditional {
			act = strings.TrimLeft(strings.TrimPrefix(x.text, "else"), ", ")
		}
		r.Then = p.acts(x, clean(act), behind)
		below = append(below, "")
		if len(x.below) > 0 {
			below[k] = p.newSection(in)
			r.Then = append(r.Then, Act{Go: below[k]})
		}
	}
	if open {
		r := p.add(Decision, list[len(list)-1], in)
		r.As, r.Then = "else", []Act{{Go: behind}}
		if behind == "" {
			r.Then[0] = Act{End: "nothing_applies"}
			r.doubt("what follows when none of the conditions holds is not said: that the case ends is a guess")
		}
	}
	for k, x := range list {
		if len(x.below) > 0 {
			p.emit(x.below, below[k], behind)
		}
	}
}

// acts is what a node of a chain leads to by itself.
func (p *pseudo) acts(x *instructed, text, behind string) []Act {
	name := x.api
	if name == "" {
		name = slug(text)
	}
	switch {
	case len(x.below) > 0 && x.api == "":
		return nil
	case len(x.below) > 0 || behind != "":
		list := []Act{{Do: name, Text: lowerFirst(text)}}
		if len(x.below) == 0 {
			list = append(list, Act{Go: behind})
		}
		return list
	}
	return []Act{{End: name, Text: lowerFirst(text)}}
}

// IsInstructions tells pseudo-code from a document by the file's ending.
func IsInstructions(file string) bool {
	ending := strings.ToLower(path.Ext(file))
	return ending == ".yaml" || ending == ".yml"
}
