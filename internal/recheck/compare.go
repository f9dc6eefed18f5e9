package recheck

import (
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

func (c *rowCheck) comparison(name, text string) {
	fact, has := c.ref.Facts[name]
	where := comparator.FindStringSubmatchIndex(text)
	if !has || where == nil {
		return
	}
	depends := c.g.depends[name]
	void := !fact && depends != nil && !depends.holds(c.ref.Facts) // no card, no balance on it
	left, ok1 := c.amount(text[:where[0]])
	right, ok2 := c.amount(text[where[1]:])
	if !ok1 || !ok2 {
		if void {
			return
		}
		c.add("values", "%q is measured by %q, which the reference's values do not settle", name, text)
		return
	}
	order, holds := left.Cmp(right), false
	switch text[where[2]:where[3]] {
	case "==":
		holds = order == 0
	case "!=":
		holds = order != 0
	case "<=":
		holds = order <= 0
	case ">=":
		holds = order >= 0
	case "<":
		holds = order < 0
	case ">":
		holds = order > 0
	}
	c.compared++
	if fact == holds || void {
		return
	}
	c.add("values", "fact %q is %v, but %q is %v with %v", name, fact, text, holds, c.ref.Values)
}

// amount reads sums and products, left to right, products first.
func (c *rowCheck) amount(text string) (*big.Rat, bool) {
	tokens := strings.Fields(text)
	if len(tokens)%2 == 0 {
		return nil, false
	}
	operand := func(token string) (*big.Rat, bool) {
		if number, known := c.ref.Values[token]; known {
			token = number.String()
		}
		return new(big.Rat).SetString(token)
	}
	sum := new(big.Rat)
	term, ok := operand(tokens[0])
	if !ok {
		return nil, false
	}
	for i := 1; i < len(tokens); i += 2 {
		next, ok := operand(tokens[i+1])
		if !ok {
			return nil, false
		}
		switch tokens[i] {
		case "*":
			term = new(big.Rat).Mul(term, next)
		case "/":
			if next.Sign() == 0 {
				return nil, false
			}
			term = new(big.Rat).Quo(term, next)
		case "+":
			sum.Add(sum, term)
			term = next
		case "-":
			sum.Add(sum, term)
			term = next.Neg(next)
		default:
			return nil, false
		}
	}
	return sum.Add(sum, term), true
}
