package sop

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Comparison is a condition over numbers: balance >= amount. Names stand for
// values (with arguments, as balance(username=payee)) and thresholds.
type Comparison struct {
	Left  *Expr
	Op    string // < <= > >= == !=
	Right *Expr
	// And, where there is one, goes on from Right, which is its Left: both
	// have to hold, as in 0 <= days_left <= window.
	And *Comparison
}

// Expr is arithmetic in a Comparison: a number, a name, or two operands.
type Expr struct {
	Op   byte // 'n' number, 'v' name, or + - * /
	Num  float64
	Name string
	L, R *Expr
}

var comparisonOps = []string{"<=", ">=", "==", "!=", "<", ">"}

// ParseComparison reads EXPR OP EXPR, or EXPR OP EXPR OP EXPR for a value
// between two others, with + - * / and parentheses.
func ParseComparison(s string) (*Comparison, error) {
	p := exprParser{in: s}
	left, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	op := p.operator()
	if op == "" {
		return nil, fmt.Errorf("comparison %q has no operator at %q, want one of < <= > >= == !=", s, p.rest())
	}
	right, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Left: left, Op: op, Right: right}
	if op := p.operator(); op != "" {
		third, err := p.sum(0)
		if err != nil {
			return nil, err
		}
		c.And = &Comparison{Left: right, Op: op, Right: third}
	}
	if p.rest() != "" {
		return nil, fmt.Errorf("comparison %q goes on after its end: %q", s, p.rest())
	}
	return c, nil
}

type exprParser struct {
	in string
	i  int
}

func (p *exprParser) rest() string { return strings.TrimSpace(p.in[p.i:]) }

func (p *exprParser) peek() byte {
	for p.i < len(p.in) && p.in[p.i] == ' ' {
		p.i++
	}
	if p.i == len(p.in) {
		return 0
	}
	return p.in[p.i]
}

func (p *exprParser) operator() string {
	p.peek()
	for _, op := range comparisonOps {
		if strings.HasPrefix(p.in[p.i:], op) {
			p.i += len(op)
			return op
		}
	}
	return ""
}

func (p *exprParser) sum(depth int) (*Expr, error) {
	left, err := p.product(depth)
	for err == nil && (p.peek() == '+' || p.peek() == '-') {
		op := p.in[p.i]
		p.i++
		var right *Expr
		if right, err = p.product(depth); err == nil {
			left = &Expr{Op: op, L: left, R: right}
		}
	}
	return left, err
}

func (p *exprParser) product(depth int) (*Expr, error) {
	left, err := p.operand(depth)
	for err == nil && (p.peek() == '*' || p.peek() == '/') {
		op := p.in[p.i]
		p.i++
		var right *Expr
		if right, err = p.operand(depth); err == nil {
			left = &Expr{Op: op, L: left, R: right}
		}
	}
	return left, err
}

func (p *exprParser) operand(depth int) (*Expr, error) {
	if depth > maxTreeDepth {
		return nil, fmt.Errorf("comparison %q is nested deeper than %d", p.in, maxTreeDepth)
	}
	c := p.peek()
	start := p.i
	switch {
	case c == '(':
		p.i++
		e, err := p.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		if p.peek() != ')' {
			return nil, fmt.Errorf("comparison %q has no closing parenthesis at %q", p.in, p.rest())
		}
		p.i++
		return e, nil
	case c >= '0' && c <= '9' || c == '-':
		p.i++
		for p.i < len(p.in) && (p.in[p.i] >= '0' && p.in[p.i] <= '9' || p.in[p.i] == '.') {
			p.i++
		}
		f, err := strconv.ParseFloat(p.in[start:p.i], 64)
		if err != nil {
			return nil, fmt.Errorf("comparison %q has the number %q", p.in, p.in[start:p.i])
		}
		return &Expr{Op: 'n', Num: f}, nil
	}
	for p.i < len(p.in) && IsIdentifier(p.in[start:p.i+1]) {
		p.i++
	}
	if p.i == start {
		return nil, fmt.Errorf("comparison %q has %q where a value, a threshold or a number is wanted", p.in, p.rest())
	}
	if p.i < len(p.in) && p.in[p.i] == '(' {
		end := strings.IndexByte(p.in[p.i:], ')')
		if end < 0 {
			return nil, fmt.Errorf("comparison %q has no closing parenthesis", p.in)
		}
		p.i += end + 1
	}
	n, err := ParseName(p.in[start:p.i])
	if err != nil {
		return nil, err
	}
	return &Expr{Op: 'v', Name: n.String()}, nil
}

// Number formats f as the shortest text that reads back equal, without an
// exponent.
func Number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (e *Expr) String() string { return e.text(0) }

func (e *Expr) text(outer int) string {
	switch e.Op {
	case 'n':
		return Number(e.Num)
	case 'v':
		return e.Name
	}
	level := 1
	if e.Op == '*' || e.Op == '/' {
		level = 2
	}
	// The right operand of - and / needs its own parentheses at equal level.
	s := e.L.text(level-1) + " " + string(e.Op) + " " + e.R.text(level)
	if level <= outer {
		return "(" + s + ")"
	}
	return s
}

// String is the text that ParseComparison reads.
func (c *Comparison) String() string {
	s := c.Left.String() + " " + c.Op + " " + c.Right.String()
	if c.And != nil {
		s += " " + c.And.Op + " " + c.And.Right.String()
	}
	return s
}

// Map returns c with every name replaced by f's expression for it.
func (c *Comparison) Map(f func(name string) *Expr) *Comparison {
	out := &Comparison{Left: c.Left.mapNames(f), Op: c.Op, Right: c.Right.mapNames(f)}
	if c.And != nil {
		out.And = &Comparison{Left: out.Right, Op: c.And.Op, Right: c.And.Right.mapNames(f)}
	}
	return out
}

func (e *Expr) mapNames(f func(string) *Expr) *Expr {
	switch e.Op {
	case 'n':
		return e
	case 'v':
		return f(e.Name)
	}
	return &Expr{Op: e.Op, L: e.L.mapNames(f), R: e.R.mapNames(f)}
}

// Names returns the names in c in order of appearance, each once.
func (c *Comparison) Names() []string {
	names := c.Right.names(c.Left.names(nil))
	if c.And != nil {
		names = c.And.Right.names(names)
	}
	return names
}

func (e *Expr) names(names []string) []string {
	switch {
	case e.Op == 'n', e.Op == 'v' && slices.Contains(names, e.Name):
		return names
	case e.Op == 'v':
		return append(names, e.Name)
	}
	return e.R.names(e.L.names(names))
}

// Holds evaluates c; ok is false where a name has no number or a divisor is 0.
// Numbers count as the decimals that they are written as: 5000 - 3000.01 is
// 1999.99, which binary fractions would miss.
func (c *Comparison) Holds(numbers map[string]float64) (holds, ok bool) {
	holds, ok = c.first(numbers)
	if c.And != nil && ok {
		and, okAnd := c.And.first(numbers)
		return holds && and, okAnd
	}
	return holds, ok
}

// first evaluates c without And.
func (c *Comparison) first(numbers map[string]float64) (holds, ok bool) {
	l, okL := c.Left.Eval(numbers)
	r, okR := c.Right.Eval(numbers)
	if !okL || !okR {
		return false, false
	}
	order := cmp.Compare(l, r)
	if math.Abs(l-r) <= closeTo*(math.Abs(l)+math.Abs(r)+1) && !(c.Left.whole(numbers) && c.Right.whole(numbers)) {
		order = c.Left.exact(numbers).Cmp(c.Right.exact(numbers))
	}
	switch c.Op {
	case "<":
		return order < 0, true
	case "<=":
		return order <= 0, true
	case ">":
		return order > 0, true
	case ">=":
		return order >= 0, true
	case "==":
		return order == 0, true
	}
	return order != 0, true
}

// closeTo is the relative difference from which on binary fractions decide as
// decimals do.
const closeTo = 1e-9

// whole tells that Eval computes e without an error: it has but whole numbers,
// sums, differences and products, none beyond those that a float64 holds.
func (e *Expr) whole(numbers map[string]float64) bool {
	const most = 1 << 53
	if e.Op == '/' || e.L != nil && !(e.L.whole(numbers) && e.R.whole(numbers)) {
		return false
	}
	x, _ := e.Eval(numbers)
	return math.Abs(x) <= most && x == math.Trunc(x)
}

// exact computes e, which Eval could, in rational numbers.
func (e *Expr) exact(numbers map[string]float64) *big.Rat {
	decimal := func(x float64) *big.Rat {
		r, _ := new(big.Rat).SetString(Number(x)) // Eval refuses what is no number
		return r
	}
	switch e.Op {
	case 'n':
		return decimal(e.Num)
	case 'v':
		return decimal(numbers[e.Name])
	}
	l, r := e.L.exact(numbers), e.R.exact(numbers)
	switch e.Op {
	case '+':
		return l.Add(l, r)
	case '-':
		return l.Sub(l, r)
	case '*':
		return l.Mul(l, r)
	}
	return l.Quo(l, r)
}

// Eval computes e; ok is false where a name has no number or a divisor is 0.
func (e *Expr) Eval(numbers map[string]float64) (x float64, ok bool) {
	switch e.Op {
	case 'n':
		return e.Num, true
	case 'v':
		x, ok = numbers[e.Name]
		return x, ok && !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	l, okL := e.L.Eval(numbers)
	r, okR := e.R.Eval(numbers)
	if !okL || !okR {
		return 0, false
	}
	switch e.Op {
	case '+':
		return l + r, true
	case '-':
		return l - r, true
	case '*':
		return l * r, true
	}
	return l / r, r != 0 && !math.IsInf(l/r, 0)
}
