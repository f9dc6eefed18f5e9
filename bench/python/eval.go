package python

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxDepth is how deep brackets may nest; Python has the same limit.
const maxDepth = 200

var (
	errSyntax = errors.New("SyntaxError: invalid syntax")
	errName   = errors.New("NameError: no names are known")
)

// Eval is eval(text) where no name is defined but True, False and None: a
// literal, or operators over literals. So "2024-10-9" is a subtraction and
// gives 2005. Lambdas, comprehensions, subscripts, attributes and calls are
// errors here.
func Eval(text string) (starlark.Value, error) {
	p := parser{lexer: lexer{src: strings.TrimLeft(strings.TrimLeft(text, " \t"), "\r\n")}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	v, err := p.testlist()
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tEnd {
		return nil, errSyntax
	}
	return v, nil
}

type parser struct {
	lexer
	tok   token
	depth int
}

func (p *parser) advance() (err error) {
	p.tok, err = p.next()
	return err
}

func (p *parser) is(op string) bool { return p.tok.kind == tOp && p.tok.text == op }

// take advances over the operator, if it is there.
func (p *parser) take(op string) (bool, error) {
	if !p.is(op) {
		return false, nil
	}
	return true, p.advance()
}

func (p *parser) want(op string) error {
	if !p.is(op) {
		return errSyntax
	}
	return p.advance()
}

// testlist reads an expression, or several with commas as a tuple.
func (p *parser) testlist() (starlark.Value, error) {
	v, err := p.test()
	if err != nil || !p.is(",") {
		return v, err
	}
	items := starlark.Tuple{v}
	for p.is(",") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind == tEnd || p.is(")") {
			break
		}
		if v, err = p.test(); err != nil {
			return nil, err
		}
		items = append(items, v)
	}
	return items, nil
}

// test reads a conditional expression.
func (p *parser) test() (starlark.Value, error) {
	v, err := p.or()
	if err != nil || !p.is("if") {
		return v, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	condition, err := p.or()
	if err != nil {
		return nil, err
	}
	if err := p.want("else"); err != nil {
		return nil, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	other, err := p.test()
	if err == nil && !Truth(condition) {
		v = other
	}
	return v, err
}

func (p *parser) or() (starlark.Value, error) {
	v, err := p.and()
	for err == nil && p.is("or") {
		if err = p.advance(); err != nil {
			break
		}
		var w starlark.Value
		if w, err = p.and(); err == nil && !Truth(v) {
			v = w
		}
	}
	return v, err
}

func (p *parser) and() (starlark.Value, error) {
	v, err := p.not()
	for err == nil && p.is("and") {
		if err = p.advance(); err != nil {
			break
		}
		var w starlark.Value
		if w, err = p.not(); err == nil && Truth(v) {
			v = w
		}
	}
	return v, err
}

func (p *parser) not() (starlark.Value, error) {
	if p.is("not") {
		if err := p.enter(); err != nil {
			return nil, err
		}
		defer p.leave()
		if err := p.advance(); err != nil {
			return nil, err
		}
		v, err := p.not()
		if err != nil {
			return nil, err
		}
		return starlark.Bool(!Truth(v)), nil
	}
	return p.comparison()
}

// comparison reads a chain: a < b < c is a < b and b < c.
func (p *parser) comparison() (starlark.Value, error) {
	v, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	var holds starlark.Value
	for {
		op, err := p.comparator()
		if err != nil {
			return nil, err
		}
		if op == "" {
			break
		}
		w, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		if holds == nil || Truth(holds) {
			b, err := compare(op, v, w)
			if err != nil {
				return nil, err
			}
			holds = starlark.Bool(b)
		}
		v = w
	}
	if holds != nil {
		return holds, nil
	}
	return v, nil
}

func (p *parser) comparator() (string, error) {
	if p.tok.kind != tOp {
		return "", nil
	}
	switch op := p.tok.text; op {
	case "==", "!=", "<", "<=", ">", ">=", "in":
		return op, p.advance()
	case "not":
		if err := p.advance(); err != nil {
			return "", err
		}
		return "not in", p.want("in")
	case "is":
		if err := p.advance(); err != nil {
			return "", err
		}
		if negated, err := p.take("not"); negated || err != nil {
			return "!=", err
		}
		return "==", nil
	}
	return "", nil
}

// levels are the binary operators, the weakest first.
var levels = []map[string]syntax.Token{
	{"|": syntax.PIPE},
	{"^": syntax.CIRCUMFLEX},
	{"&": syntax.AMP},
	{"<<": syntax.LTLT, ">>": syntax.GTGT},
	{"+": syntax.PLUS, "-": syntax.MINUS},
	{"*": syntax.STAR, "/": syntax.SLASH, "//": syntax.SLASHSLASH, "%": syntax.PERCENT},
}

func (p *parser) binary(level int) (starlark.Value, error) {
	if level == len(levels) {
		return p.unary()
	}
	v, err := p.binary(level + 1)
	for err == nil && p.tok.kind == tOp {
		op, ok := levels[level][p.tok.text]
		if !ok {
			break
		}
		if err = p.advance(); err != nil {
			break
		}
		var w starlark.Value
		if w, err = p.binary(level + 1); err == nil {
			v, err = operate(op, v, w)
		}
	}
	return v, err
}

func (p *parser) unary() (starlark.Value, error) {
	if !p.is("-") && !p.is("+") && !p.is("~") {
		return p.power()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	op := p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	v, err := p.unary()
	if err != nil {
		return nil, err
	}
	if v = number(v); v == nil {
		return nil, fmt.Errorf("TypeError: bad operand type for unary %s", op)
	}
	return starlark.Unary(map[string]syntax.Token{"-": syntax.MINUS, "+": syntax.PLUS, "~": syntax.TILDE}[op], v)
}

func (p *parser) power() (starlark.Value, error) {
	v, err := p.atom()
	if err != nil || !p.is("**") {
		return v, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	if err := p.advance(); err != nil {
		return nil, err
	}
	w, err := p.unary()
	if err != nil {
		return nil, err
	}
	return power(number(v), number(w))
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return errors.New("SyntaxError: too many nested parentheses")
	}
	return nil
}

func (p *parser) leave() { p.depth-- }
