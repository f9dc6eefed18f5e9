package recheck

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
)

// A comparison as a procedure's text states it: in backticks on a line that names the condition first, or, in a listing,
// under the line of the fact.
var (
	listedFact    = regexp.MustCompile(`^\s*fact (\S+)`)
	listedMeasure = regexp.MustCompile(`^\s*measured as (.+?)(?:\s+(?:#|//).*)?$`)
	comparator    = regexp.MustCompile(` (==|!=|<=|>=|<|>) `)
)

// comparisons holds every fact that the text defines by a comparison against the reference's values: a true fact has a true
// comparison; a false one a false comparison, unless what it depends on is false.
func (c *rowCheck) comparisons(sop string) {
	fact := ""
	for line := range strings.SplitSeq(sop, "\n") {
		if match := listedFact.FindStringSubmatch(line); match != nil {
			fact = match[1]
			continue
		}
		if match := listedMeasure.FindStringSubmatch(line); match != nil && fact != "" {
			c.comparison(fact, match[1])
			continue
		}
		if !comparator.MatchString(line) || strings.Count(line, "`") < 4 {
			continue
		}
		spans, _, err := quoted(line)
		if err != nil {
			continue
		}
		name := ""
		for _, span := range spans {
			if _, known := c.ref.Facts[span]; known && name == "" {
				name = span
			}
			if name != "" && comparator.MatchString(span) {
				c.comparison(name, span)
				break
			}
		}
	}
}

// comparison holds a fact against the formula: EXPR OP EXPR, or EXPR OP EXPR OP
// EXPR, of which both parts have to hold.
func (c *rowCheck) comparison(name, text string) {
	fact, has := c.ref.Facts[name]
	if !has || !comparator.MatchString(text) {
		return
	}
	depends := c.g.depends[name]
	void := !fact && depends != nil && !depends.holds(c.ref.Facts) // no card, no balance on it
	f := formula{text: text, values: c.ref.Values}
	holds, ok := f.comparison()
	if !ok {
		if void {
			return
		}
		c.add("values", "%q is measured by %q, which the reference's values do not settle", name, text)
		return
	}
	c.compared++
	if fact == holds || void {
		return
	}
	c.add("values", "fact %q is %v, but %q is %v with %v", name, fact, text, holds, c.ref.Values)
}

// formula is read from left to right, in exact numbers.
type formula struct {
	text   string
	values map[string]json.Number
}

func (f *formula) blanks() { f.text = strings.TrimLeft(f.text, " ") }

func (f *formula) take(words ...string) string {
	f.blanks()
	for _, w := range words {
		if strings.HasPrefix(f.text, w) {
			f.text = f.text[len(w):]
			return w
		}
	}
	return ""
}

func (f *formula) comparison() (holds, ok bool) {
	left, ok := f.sum()
	holds = true
	n := 0
	for ; ok; n++ {
		op := f.take("==", "!=", "<=", ">=", "<", ">")
		if op == "" {
			break
		}
		var right *big.Rat
		if right, ok = f.sum(); !ok {
			break
		}
		order := left.Cmp(right)
		holds = holds && map[string]bool{
			"==": order == 0, "!=": order != 0, "<=": order <= 0, ">=": order >= 0, "<": order < 0, ">": order > 0,
		}[op]
		left = right
	}
	f.blanks()
	return holds, ok && n > 0 && f.text == ""
}

func (f *formula) sum() (*big.Rat, bool) {
	x, ok := f.product()
	for ok {
		op := f.take("+", "-")
		if op == "" {
			break
		}
		var y *big.Rat
		if y, ok = f.product(); !ok {
			break
		}
		if op == "-" {
			y = new(big.Rat).Neg(y)
		}
		x = new(big.Rat).Add(x, y)
	}
	return x, ok
}

func (f *formula) product() (*big.Rat, bool) {
	x, ok := f.operand()
	for ok {
		op := f.take("*", "/")
		if op == "" {
			break
		}
		var y *big.Rat
		if y, ok = f.operand(); !ok || op == "/" && y.Sign() == 0 {
			return nil, false
		}
		if op == "/" {
			y = new(big.Rat).Inv(y)
		}
		x = new(big.Rat).Mul(x, y)
	}
	return x, ok
}

var (
	numeral  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?`)
	nameForm = regexp.MustCompile(`^[A-Za-z_]\w*(\([^()]*\))?`)
)

func (f *formula) operand() (*big.Rat, bool) {
	if f.take("(") != "" {
		x, ok := f.sum()
		return x, ok && f.take(")") != ""
	}
	f.blanks()
	token := numeral.FindString(f.text)
	if token == "" {
		token = nameForm.FindString(f.text)
	}
	f.text = f.text[len(token):]
	if number, known := f.values[token]; known {
		token = number.String()
	}
	return new(big.Rat).SetString(token)
}
