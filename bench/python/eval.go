package python

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxDepth is how deep brackets may nest; Python has the same limit.
const maxDepth = 200

// maxBits bounds the integers that ** and << make, and the length of a text or
// list that * makes.
const maxBits = 1 << 20

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

var comparisons = map[string]syntax.Token{"<": syntax.LT, "<=": syntax.LE, ">": syntax.GT, ">=": syntax.GE}

func compare(op string, x, y starlark.Value) (bool, error) {
	switch op {
	case "==":
		return Equal(x, y), nil
	case "!=":
		return !Equal(x, y), nil
	case "in", "not in":
		v, err := Contains(y, x)
		return err == nil && v == (op == "in"), err
	}
	if a, b := number(x), number(y); a != nil && b != nil {
		x, y = a, b
	}
	return starlark.Compare(comparisons[op], x, y)
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

func operate(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if a := number(x); a != nil {
		x = a
	}
	if b := number(y); b != nil {
		y = b
	}
	switch op {
	case syntax.STAR:
		if size(x)*size(y) > maxBits {
			return nil, errors.New("MemoryError: ")
		}
	case syntax.LTLT:
		if n, err := starlark.AsInt32(y); err != nil || n > maxBits {
			return nil, errors.New("MemoryError: ")
		}
	}
	return starlark.Binary(op, x, y)
}

// size is how much x makes of what it is multiplied with.
func size(x starlark.Value) int {
	switch x := x.(type) {
	case starlark.Int:
		if n, err := starlark.AsInt32(x); err == nil && n < maxBits {
			return max(1, n)
		}
		return 1 + x.BigInt().BitLen()
	case starlark.Sequence:
		return max(1, x.Len())
	case starlark.String:
		return max(1, x.Len())
	}
	return 1
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
	if err := p.advance(); err != nil {
		return nil, err
	}
	w, err := p.unary()
	if err != nil {
		return nil, err
	}
	return power(number(v), number(w))
}

func power(x, y starlark.Value) (starlark.Value, error) {
	a, isInt := x.(starlark.Int)
	b, alsoInt := y.(starlark.Int)
	if isInt && alsoInt && b.Sign() >= 0 {
		n, err := starlark.AsInt32(b)
		if err != nil || n*a.BigInt().BitLen() > maxBits {
			return nil, errors.New("MemoryError: ")
		}
		return starlark.MakeBigInt(new(big.Int).Exp(a.BigInt(), big.NewInt(int64(n)), nil)), nil
	}
	f, ok := asFloat(x)
	g, also := asFloat(y)
	if !ok || !also {
		return nil, errors.New("TypeError: unsupported operand types for **")
	}
	result := math.Pow(f, g)
	if math.IsNaN(result) || math.IsInf(result, 0) {
		return nil, errors.New("OverflowError: result too large")
	}
	return starlark.Float(result), nil
}

func asFloat(x starlark.Value) (float64, bool) {
	if x == nil {
		return 0, false
	}
	return starlark.AsFloat(x)
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return errors.New("SyntaxError: too many nested parentheses")
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func (p *parser) atom() (starlark.Value, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch t := p.tok; t.kind {
	case tValue:
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.adjacent(t.value)
	case tName:
		switch t.text {
		case "True":
			return starlark.True, p.advance()
		case "False":
			return starlark.False, p.advance()
		case "None":
			return starlark.None, p.advance()
		}
		return nil, errName
	case tOp:
		switch t.text {
		case "(":
			return p.parenthesised()
		case "[":
			items, err := p.items("]")
			return starlark.NewList(items), err
		case "{":
			return p.braces()
		}
	}
	return nil, errSyntax
}

// adjacent joins texts that follow each other.
func (p *parser) adjacent(v starlark.Value) (starlark.Value, error) {
	for p.tok.kind == tValue {
		a, ok := v.(starlark.String)
		b, also := p.tok.value.(starlark.String)
		if !ok || !also {
			return nil, errSyntax
		}
		v = a + b
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (p *parser) parenthesised() (starlark.Value, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.is(")") {
		return starlark.Tuple{}, p.advance()
	}
	v, err := p.testlist()
	if err != nil {
		return nil, err
	}
	return v, p.want(")")
}

// items reads up to the closing bracket.
func (p *parser) items(end string) ([]starlark.Value, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	var list []starlark.Value
	for !p.is(end) {
		v, err := p.test()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if more, err := p.take(","); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	return list, p.want(end)
}

// braces reads a mapping or a set.
func (p *parser) braces() (starlark.Value, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	d, set := new(starlark.Dict), new(starlark.Set)
	for first := true; !p.is("}"); first = false {
		k, err := p.test()
		if err != nil {
			return nil, err
		}
		colon, err := p.take(":")
		if err != nil {
			return nil, err
		}
		if !first && colon != (set.Len() == 0) {
			return nil, errSyntax
		}
		if colon {
			v, err := p.test()
			if err != nil {
				return nil, err
			}
			err = d.SetKey(key(k), v)
			if err != nil {
				return nil, fmt.Errorf("TypeError: %w", err)
			}
		} else if err := set.Insert(key(k)); err != nil {
			return nil, fmt.Errorf("TypeError: %w", err)
		}
		if more, err := p.take(","); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	if err := p.want("}"); err != nil {
		return nil, err
	}
	if set.Len() > 0 {
		return set, nil
	}
	return d, nil
}

// key returns k as a key: booleans are the keys 0 and 1.
func key(k starlark.Value) starlark.Value {
	if b, ok := k.(starlark.Bool); ok {
		return number(b)
	}
	return k
}
