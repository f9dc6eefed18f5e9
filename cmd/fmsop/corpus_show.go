package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

// one loads a single corpus.
func (a *app) one(name string) (*corpus.Corpus, error) {
	loaded, err := a.corpora([]string{name})
	if err != nil {
		return nil, err
	}
	return loaded[0], nil
}

func goals(d *sop.Domain) []string {
	var names []string
	for _, p := range d.Procedures {
		names = append(names, p.Goal)
	}
	return names
}

// procedureOf finds a procedure by its goal.
func procedureOf(c *corpus.Corpus, goal string) (*sop.Procedure, error) {
	if p := c.Domain.Procedure(goal); p != nil {
		return p, nil
	}
	err := usagef("corpus %s has no procedure %q", c.Domain.Name, goal)
	if near := closest(goal, goals(c.Domain)); near != "" {
		return nil, hint(err, "did you mean %s?", near)
	}
	return nil, hint(err, "procedures are %s", strings.Join(goals(c.Domain), ", "))
}

func (a *app) showCorpus(args []string) error {
	c, err := a.one(args[0])
	if err != nil {
		return err
	}
	if len(args) == 1 {
		if a.json {
			return a.emit(struct {
				*sop.Domain
				Procedures []*sop.Procedure `json:"procedures"`
			}{c.Domain, c.Domain.Procedures})
		}
		a.showDomain(c)
		return nil
	}
	p, err := procedureOf(c, args[1])
	if err != nil {
		return err
	}
	v, err := c.Domain.Variant(p, plainChoice(p))
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(struct {
			*sop.Procedure
			Graph sop.Graph `json:"graph"`
		}{p, v.Graph})
	}
	a.showProcedure(p, v)
	return nil
}

// plainChoice is the variant with every rule: that of the first case where
// the corpus has cases.
func plainChoice(p *sop.Procedure) sop.Choice {
	if len(p.Cases) > 0 {
		return caseChoice(p.Cases[0])
	}
	return sop.Choice{}
}

// caseChoice makes no rules of a case mean none, where nil would mean all.
func caseChoice(c *sop.Case) sop.Choice {
	return sop.Choice{Rules: append([]*sop.Tree{}, c.Rules...), Thresholds: c.Thresholds}
}

func (a *app) showDomain(c *corpus.Corpus) {
	d := c.Domain
	a.printf("%s (%s)\n%s\n\n", a.paint.bold(d.Title), c.Source, fold(d.Summary, ""))
	a.printf("%s\n", a.paint.heading(count(len(d.Procedures), "procedure")))
	rows := [][]string{}
	for _, p := range d.Procedures {
		rules := fmt.Sprintf("%d required, %d customizable", len(p.Required), len(p.Customizable))
		if len(p.Cases) > 0 {
			rules = count(len(p.Cases), "case")
		}
		rows = append(rows, []string{"  " + p.Goal, rules, p.Title})
	}
	a.printf("%s", columns(rows))
	if len(d.Thresholds) > 0 {
		a.printf("\n%s\n%s", a.paint.heading(count(len(d.Thresholds), "threshold")), columns(thresholdRows(d, slices.Collect(maps.Keys(d.Thresholds)), nil)))
	}
	if len(d.Values) > 0 {
		a.printf("\n%s\n", a.paint.heading(count(len(d.Values), "value")))
		rows = rows[:0]
		for _, name := range slices.Sorted(maps.Keys(d.Values)) {
			v := d.Values[name]
			rows = append(rows, []string{"  " + name, fmt.Sprintf("%s to %s %s", sop.Number(v.Min), sop.Number(v.Max), v.Unit), v.Text})
		}
		a.printf("%s", columns(rows))
	}
	a.printf("\n%s, %s, %s\n", count(len(d.Conditions), "condition"), count(len(d.Actions), "action"), count(len(d.Glossary), "glossary term"))
	for _, n := range c.Notes {
		a.printf("note: %s\n", n)
	}
}

// thresholdRows lists thresholds, with the numbers of a variant if there is
// one.
func thresholdRows(d *sop.Domain, names []string, set map[string]float64) (rows [][]string) {
	slices.Sort(names)
	for _, name := range names {
		t := d.Thresholds[name]
		x := t.Default
		if y, ok := set[name]; ok {
			x = y
		}
		var choices []string
		for _, c := range t.Choices {
			choices = append(choices, sop.Number(c))
		}
		also := ""
		if len(choices) > 0 {
			also = "drawn from " + strings.Join(choices, ", ")
		}
		rows = append(rows, []string{"  " + name, sop.Number(x), t.Unit, also, t.Text})
	}
	return rows
}

func (a *app) showProcedure(p *sop.Procedure, v *sop.Variant) {
	a.printf("%s (%s)\n%s\n", a.paint.bold(p.Title), p.Goal, fold(p.Purpose, ""))
	if len(p.Requests) > 0 {
		a.printf("\n%s\n%s\n", a.paint.heading("a request"), fold(p.Requests[0], "  "))
	}
	if len(p.Cases) > 0 {
		a.printf("\n%s\n", a.paint.heading(fmt.Sprintf("rules of the first of %s", count(len(p.Cases), "case"))))
		a.rules(v.Rules)
	} else {
		a.printf("\n%s\n", a.paint.heading("required rules"))
		a.rules(p.Required)
		a.printf("\n%s\n", a.paint.heading("customizable rules (a variant may leave them out)"))
		a.rules(p.Customizable)
	}
	a.printf("\n%s\n", a.paint.heading("outcomes, tried in order"))
	for _, o := range v.Outcomes {
		if o.Tree == nil {
			a.printf("  %s otherwise\n", o.End)
			continue
		}
		a.printf("  %s when\n%s", o.End, treeText(o.Tree, "    "))
	}
	a.showConditions(v)
	a.printf("\n%s\n", a.paint.heading("calls"))
	for _, name := range slices.Sorted(maps.Keys(v.Requires)) {
		if c := v.Calls[name]; c != nil {
			a.printf("  %s: %s\n", a.paint.bold(name), c.Text)
		} else {
			a.printf("  %s\n", a.paint.bold(name))
		}
		switch tree := v.Requires[name]; {
		case tree == nil:
			a.printf("    requires nothing\n")
		case name == v.Goal:
			a.printf("    requires the rules above\n")
		default:
			a.printf("    requires\n%s", treeText(tree, "      "))
		}
		for _, c := range slices.Sorted(maps.Keys(v.Effects[name])) {
			a.printf("    makes %s %v\n", c, v.Effects[name][c])
		}
	}
	if len(p.Unmodelled) > 0 {
		a.printf("\n%s\n", a.paint.heading("said, but not modelled"))
		for _, s := range p.Unmodelled {
			a.printf("%s\n", fold(s, "  "))
		}
	}
}

func (a *app) showConditions(v *sop.Variant) {
	a.printf("\n%s\n", a.paint.heading("conditions"))
	used := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(v.EstablishedBy)) {
		c := v.Conditions[name]
		a.printf("  %s (%s): %s\n", a.paint.bold(name), c.Kind, c.Text)
		if c.Compare != nil {
			a.printf("    is true when %s\n", c.Compare)
		}
		if read, err := sop.ParseComparison(c.Condition.Compare); err == nil {
			for _, n := range read.Names() {
				used[n] = v.Domain.Thresholds[n] != nil
			}
		}
		a.printf("    established by %s\n", inline(v.EstablishedBy[name]))
		if t := v.DependsOn[name]; t != nil {
			a.printf("    only where %s\n", inline(t))
		}
	}
	for _, set := range v.Excludes {
		a.printf("  at most one of %s\n", strings.Join(set, ", "))
	}
	var names []string
	for n, isThreshold := range used {
		if isThreshold {
			names = append(names, n)
		}
	}
	if len(names) > 0 {
		a.printf("\n%s\n%s", a.paint.heading("thresholds"), columns(thresholdRows(v.Domain, names, v.Thresholds)))
	}
}

func (a *app) rules(rules []*sop.Tree) {
	if len(rules) == 0 {
		a.printf("  none\n")
	}
	for i, t := range rules {
		lines := treeText(t, "     ")
		a.printf("  %d. %s", i+1, strings.TrimPrefix(lines, "     "))
	}
}

// operatorWords say what each operator asks of the parts below it.
var operatorWords = map[sop.Op]string{
	sop.Not: "not", sop.All: "all of", sop.Any: "any of", sop.Seq: "all of, settled in this order", sop.FirstOf: "any of, settled in this order",
}

// treeText writes a tree, a node a line.
func treeText(t *sop.Tree, indent string) string {
	if t.Op == sop.Leaf {
		return indent + t.Name + "\n"
	}
	if t.Op == sop.Not && t.Parts[0].Op == sop.Leaf {
		return indent + "not " + t.Parts[0].Name + "\n"
	}
	s := indent + operatorWords[t.Op] + "\n"
	for _, p := range t.Parts {
		s += treeText(p, indent+"  ")
	}
	return s
}

// inline writes a tree within a sentence.
func inline(t *sop.Tree) string {
	switch {
	case t.Op == sop.Leaf:
		return t.Name
	case t.Op == sop.Not:
		return "not " + inline(t.Parts[0])
	}
	var parts []string
	for _, p := range t.Parts {
		if p.Op != sop.Leaf && p.Op != sop.Not {
			parts = append(parts, "("+inline(p)+")")
		} else {
			parts = append(parts, inline(p))
		}
	}
	join := map[sop.Op]string{sop.All: " and ", sop.Any: " or ", sop.Seq: ", then ", sop.FirstOf: ", else then "}[t.Op]
	return strings.Join(parts, join)
}

// fold breaks text into lines of at most 78 characters.
func fold(s, indent string) string {
	var lines []string
	line := indent
	for _, word := range strings.Fields(s) {
		if len([]rune(line))+len([]rune(word)) > 78 && strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, " "))
			line = indent
		}
		line += word + " "
	}
	return strings.Join(append(lines, strings.TrimRight(line, " ")), "\n")
}
