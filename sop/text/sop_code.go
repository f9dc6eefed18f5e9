package text

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// The pseudo-code style: a listing within a fence. What follows " # " (or
// " // ") is a comment; every other line is a keyword and its arguments:
//
//	procedure GOAL
//	require TREE                    a rule of the goal
//	when TREE: end NAME             an outcome; "otherwise: end NAME" the last
//	when all rules hold: end GOAL
//	when rules can no longer all hold: end NAME
//	fact NAME                       then, indented in any order:
//	  known from TREE|request         over calls
//	  measured as FORMULA
//	  possible if TREE
//	call NAME                       then, indented:
//	  needs TREE|nothing|all rules
//	  then sets NAME = true|false, …
//	value NAME in UNIT
//	exclusive NAME, NAME, …
//
// Trees are written with operators (a and b, a or b, not a, parentheses) or as
// functions (all(a, b), any(a, b)); in_order(a, b) and first_of(a, b) always
// as functions. A name in backticks is never a keyword.
const (
	codeRulesHold = "all rules hold"
	codeRulesFail = "rules can no longer all hold"
)

var codeWords = []string{"and", "or", "not", "all", "any", "in_order", "first_of", "request", "nothing", "in"}

type codeWriter struct {
	*sopWriter
	mark  string // of a comment
	infix bool
}

func (w *sopWriter) code() {
	c := &codeWriter{sopWriter: w, mark: sopPick(w.rng, []string{"#", "//"}), infix: w.rng.IntN(2) == 0}
	w.number = false
	w.opening("Procedure listing: {}", "{} as pseudo-code", "Listing: {}")
	w.heading("Listing", "Procedure")
	w.line("```")
	c.put("", "procedure "+c.name(w.v.Goal), w.gloss(w.v.Goal))
	w.line("")
	for _, n := range w.notes() {
		w.line(c.mark + " " + n)
	}
	w.line("")
	c.endings()
	w.line("")
	parts := []func(){c.facts, c.callList}
	w.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, part := range parts {
		part()
	}
	for _, value := range w.values() {
		c.put("", "value "+c.name(value)+" in "+sopUnit(w.v.Values[value].Unit), w.valueWords(value))
	}
	for _, set := range w.v.Excludes {
		names := make([]string, len(set))
		for i, n := range set {
			names[i] = c.name(n)
		}
		c.put("", "exclusive "+strings.Join(names, ", "), "at most one of them is true")
	}
	w.line("```")
}

// put writes a line of code with a comment.
func (c *codeWriter) put(indent, code, comment string) {
	s := indent + code
	if comment = sopPlainWords(comment); comment != "" {
		s += strings.Repeat(" ", max(2, 44-len(s))) + c.mark + " " + comment
	}
	c.line(s)
}

func (c *codeWriter) endings() {
	if !c.plain {
		for _, o := range c.v.Outcomes {
			if o.Tree == nil {
				c.put("", "otherwise: end "+c.name(o.End), "")
			} else {
				c.put("", "when "+c.tree(o.Tree)+": end "+c.name(o.End), "")
			}
		}
		return
	}
	for _, r := range c.rules {
		comment := ""
		if treeLiteral(treeTidy(r)) {
			comment = c.words(treeTidy(r))
		}
		c.put("", "require "+c.tree(r), comment)
	}
	c.put("", "when "+codeRulesHold+": end "+c.name(c.v.Goal), "")
	c.put("", "when "+codeRulesFail+": end "+c.name(c.v.Outcomes[1].End), "")
}

func (c *codeWriter) words(t *sop.Tree) string {
	name := t.Name
	if t.Op == sop.Not {
		name = t.Parts[0].Name
	}
	use := c.v.Conditions[name]
	switch {
	case use == nil:
		return ""
	case t.Op == sop.Not:
		return use.Negated
	}
	return use.Text
}

func (c *codeWriter) facts() {
	for _, name := range c.conds {
		c.put("", "fact "+c.name(name), c.words(sop.L(name)))
		if t := c.v.EstablishedBy[name]; t.Op == sop.Leaf && t.Name == sop.Conversation {
			c.put("  ", "known from request", "")
		} else {
			c.put("  ", "known from "+c.tree(t), "")
		}
		if use := c.v.Conditions[name]; use != nil && use.Compare != nil {
			c.put("  ", "measured as "+use.Compare.String(), sopMeasure(c.v, name))
		}
		if t := c.v.DependsOn[name]; t != nil {
			c.put("  ", "possible if "+c.tree(t), "")
		}
	}
	c.line("")
}

func (c *codeWriter) callList() {
	for _, name := range c.calls {
		c.put("", "call "+c.name(name), c.gloss(name))
		switch t := c.v.Requires[name]; {
		case c.plain && name == c.v.Goal:
			c.put("  ", "needs all rules", "")
		case t == nil:
			c.put("  ", "needs nothing", "")
		default:
			c.put("  ", "needs "+c.tree(t), "")
		}
		var sets []string
		for _, cond := range sopNames(c.v.Effects[name]) {
			to := "false"
			if c.v.Effects[name][cond] {
				to = "true"
			}
			sets = append(sets, c.name(cond)+" = "+to)
		}
		if len(sets) > 0 {
			c.put("  ", "then sets "+strings.Join(sets, ", "), "")
		}
	}
	c.line("")
}

// name quotes a name that would be read as a word of the listing.
func (c *codeWriter) name(name string) string {
	base, _, _ := strings.Cut(name, "(")
	if slices.Contains(codeWords, base) {
		return "`" + name + "`"
	}
	return name
}

func (c *codeWriter) tree(t *sop.Tree) string { return c.expr(treeTidy(t), false) }

func (c *codeWriter) expr(t *sop.Tree, inner bool) string {
	switch {
	case t.Op == sop.Leaf:
		return c.name(t.Name)
	case t.Op == sop.Not:
		return "not " + c.expr(t.Parts[0], true)
	}
	parts := make([]string, len(t.Parts))
	infix := c.infix && !t.Op.Ordered() && len(parts) > 1
	for i, p := range t.Parts {
		parts[i] = c.expr(p, infix)
	}
	if infix {
		s := strings.Join(parts, map[sop.Op]string{sop.All: " and ", sop.Any: " or "}[t.Op])
		if inner {
			return "(" + s + ")"
		}
		return s
	}
	name := map[sop.Op]string{sop.All: "all", sop.Any: "any", sop.Seq: "in_order", sop.FirstOf: "first_of"}[t.Op]
	return name + "(" + strings.Join(parts, ", ") + ")"
}
