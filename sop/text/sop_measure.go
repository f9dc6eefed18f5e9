package text

import (
	"strings"

	"github.com/fmsop/fmsop/sop"
)

var sopOpWords = map[string]string{
	"<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least", "==": "equals", "!=": "differs from",
}

// sopTurnedWords say the same of the right side.
var sopTurnedWords = map[string]string{
	"<": "is more than", "<=": "is at least", ">": "is less than", ">=": "is at most", "==": "equals", "!=": "differs from",
}

// sopMeasure says the comparison of a condition in words, thresholds by name
// and number. Readers go by the formula that follows it.
func sopMeasure(v *sop.Variant, condition string) string {
	use := v.Conditions[condition]
	m := sopMeasurer{v: v}
	if named, err := sop.ParseComparison(use.Condition.Compare); err == nil {
		m.name(named.Left, use.Compare.Left)
		m.name(named.Right, use.Compare.Right)
		if named.And != nil && use.Compare.And != nil {
			m.name(named.And.Right, use.Compare.And.Right)
		}
	}
	unit := m.unit(use.Compare)
	if and := use.Compare.And; and != nil {
		return sopPlainWords(m.words(use.Compare.Right, unit, false) + " " + sopTurnedWords[use.Compare.Op] + " " + m.words(use.Compare.Left, unit, false) +
			" and " + strings.TrimPrefix(sopOpWords[and.Op], "is ") + " " + m.words(and.Right, unit, false))
	}
	return sopPlainWords(m.words(use.Compare.Left, unit, false) + " " + sopOpWords[use.Compare.Op] + " " + m.words(use.Compare.Right, unit, false))
}

type sopMeasurer struct {
	v          *sop.Variant
	thresholds map[*sop.Expr]*sop.Threshold
}

// name walks the comparison as declared beside the resolved one, to learn
// which numbers are thresholds.
func (m *sopMeasurer) name(named, e *sop.Expr) {
	switch {
	case named == nil || e == nil:
	case named.Op == 'v' && e.Op == 'n':
		if t := m.v.Domain.Thresholds[named.Name]; t != nil {
			if m.thresholds == nil {
				m.thresholds = map[*sop.Expr]*sop.Threshold{}
			}
			m.thresholds[e] = t
		}
	case named.Op == e.Op:
		m.name(named.L, e.L)
		m.name(named.R, e.R)
	}
}

// unit is what both sides are counted in: that of the values, where they
// agree and nothing is multiplied or divided.
func (m *sopMeasurer) unit(c *sop.Comparison) string {
	unit, first := "", true
	for _, n := range c.Names() {
		use := m.v.Values[n]
		if use == nil || !first && use.Unit != unit {
			return ""
		}
		unit, first = use.Unit, false
	}
	if strings.ContainsAny(c.String(), "*/") {
		return ""
	}
	return unit
}

func (m *sopMeasurer) words(e *sop.Expr, unit string, inner bool) string {
	switch e.Op {
	case 'n':
		s := sop.Number(e.Num)
		if t := m.thresholds[e]; t != nil {
			if t.Unit != "" {
				s += " " + t.Unit
			}
			return t.Text + ", " + s
		}
		if unit != "" && e.Num != 0 {
			s += " " + unit
		}
		return s
	case 'v':
		if use := m.v.Values[e.Name]; use != nil {
			return use.Text
		}
		return e.Name
	}
	op := map[byte]string{'+': " plus ", '-': " minus ", '*': " times ", '/': " divided by "}[e.Op]
	s := m.words(e.L, unit, true) + op + m.words(e.R, unit, true)
	if inner {
		return "[" + s + "]"
	}
	return s
}

const sopNoUnit = "no unit"

func sopUnit(unit string) string {
	if unit = sopPlainWords(unit); unit == "" {
		return sopNoUnit
	}
	return unit
}

func sopReadUnit(s string) string {
	if s == sopNoUnit {
		return ""
	}
	return s
}
