// Package soptest draws small random domains, variants, facts and workflows
// for property tests, and holds a second interpreter of package sop's
// semantics (Oracle) that is slow and written from the definitions alone.
package soptest

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
	"pgregory.net/rapid"
)

// renamedArgs are those of the second instance of one condition in a random
// domain, and of its checking action.
const renamedArgs = "(username=payee)"

// Domain draws a small domain that is sound and complete in its wording.
//
// It has 2 or 3 procedures, sorted by goal. Every procedure and every choice
// of its rules, thresholds and names resolves (Domain.Variant succeeds), to a
// graph without cycles of at most 6 calls and 6 conditions. Trees use all
// operators, nested; conditions are found out by the conversation, by the
// action of their name, or by explicit trees with all and any; one condition
// may occur twice, for username and for payee; comparisons read a drawn value,
// a stated value (amount) and a threshold (ceiling); depends_on, excludes and
// effects occur. The last procedure has three outcomes, the others the usual
// two. Every Text, Negated, Noun, Label, Record line, request, title and
// definition is plain English, set, and distinct from all others; every
// {parameter} in them is declared; no record line begins another one.
func Domain(t *rapid.T) *sop.Domain {
	goals := rapid.IntRange(2, 3).Draw(t, "procedures")
	helpers := helperNames[:rapid.IntRange(1, 5-goals).Draw(t, "helpers")]
	b := &builder{t: t, actions: append(slices.Clone(helpers), goalNames[:goals]...), helpers: len(helpers), level: map[string]int{}}
	b.d = &sop.Domain{
		Name: "random", Title: "Northside Service Desk", Summary: "The service desk of a small lender.",
		Parameters: parameters(), Thresholds: thresholds(), Values: values(),
		Conditions: map[string]*sop.Condition{}, Actions: map[string]*sop.Action{},
	}
	for _, a := range b.actions {
		b.d.Actions[a] = &sop.Action{Parameters: actionTexts[a].parameters, Text: actionTexts[a].text}
	}
	b.drawConditions()
	b.drawHelpers()
	b.drawProcedures()
	b.drawEffects()
	b.d.Glossary = glossary(b.d)
	return b.d
}

// Variant draws a domain, one of its procedures and a choice for it: all
// required rules and some customizable ones in any order, a ceiling of its
// own, and sometimes other names for actions and conditions.
func Variant(t *rapid.T) *sop.Variant {
	d := Domain(t)
	p := rapid.SampledFrom(d.Procedures).Draw(t, "procedure")
	rules := slices.Clone(p.Required)
	for _, r := range p.Customizable {
		if rapid.Bool().Draw(t, "keep rule") {
			rules = append(rules, r)
		}
	}
	choice := sop.Choice{
		Rules:      rapid.Permutation(rules).Draw(t, "rules"),
		Thresholds: map[string]float64{"ceiling": rapid.SampledFrom(d.Thresholds["ceiling"].Choices).Draw(t, "ceiling")},
	}
	if rapid.Bool().Draw(t, "rename") {
		choice.Names = map[string]string{}
		for _, n := range append(slices.Clone(helperNames), "member_active", "transfer") {
			choice.Names[n] = n + "_2"
		}
	}
	v, err := d.Variant(p, choice)
	if err != nil {
		t.Fatalf("a domain of soptest has a variant that does not resolve: %v", err)
	}
	return v
}

// builder draws the parts of a domain so that no call is needed, through any
// chain, for itself: actions stand in an order, a condition's level is the
// number of actions up to the last one of its source, and an action requires
// conditions of at most its own place only.
type builder struct {
	t       *rapid.T
	d       *sop.Domain
	actions []string // helpers, then goals
	helpers int
	conds   []string
	level   map[string]int
	renamed string // the condition that is also used for the payee
}

func (b *builder) chance(percent int, what string) bool {
	return rapid.IntRange(1, 100).Draw(b.t, what) > 100-percent
}

func (b *builder) drawConditions() {
	about := []string{"check_account", "account_exists", "enough_balance"}
	b.renamed = rapid.SampledFrom(about).Draw(b.t, "renamed condition")
	pool := slices.DeleteFunc(slices.Clone(conditionNames), func(c string) bool {
		return c == b.renamed || b.d.Actions[c] == nil && slices.Contains(actionConditions, c)
	})
	others := rapid.Permutation(pool).Draw(b.t, "conditions")
	b.conds = append([]string{b.renamed}, others[:rapid.IntRange(1, 4).Draw(b.t, "number of conditions")]...)
	for i, name := range b.conds {
		text := conditionTexts[name]
		c := &sop.Condition{Kind: text.kind, Parameters: text.parameters, Text: text.text, Negated: text.negated, RecordTrue: text.yes, RecordFalse: text.no}
		switch name {
		case "enough_balance":
			c.Compare = rapid.SampledFrom([]string{"balance >= amount", "balance - amount > 2 * ceiling", "(balance + 10) / 2 >= amount"}).Draw(b.t, "compare")
		case "below_ceiling":
			c.Compare = rapid.SampledFrom([]string{"amount <= ceiling", "amount < ceiling - 100", "amount != ceiling"}).Draw(b.t, "compare")
		}
		c.EstablishedBy = b.source(name)
		b.level[name] = b.levelOf(name, c.EstablishedBy)
		if i > 0 && b.chance(35, "depends on") {
			c.DependsOn = b.tree(b.conds[:i], 1)
		}
		b.d.Conditions[name] = c
	}
	if len(b.conds) > 2 && b.chance(35, "excludes") {
		b.d.Excludes = [][]string{{b.conds[1], b.conds[2]}}
	}
}

// source draws what establishes the condition. That of the renamed one is
// kept to calls that do not draw further conditions into the second instance.
func (b *builder) source(name string) *sop.Tree {
	if b.d.Actions[name] != nil {
		return nil
	}
	check := sop.L("check_account")
	if name == b.renamed {
		if b.d.Actions["open_file"] != nil && b.chance(40, "two ways to learn it") {
			return sop.T(rapid.SampledFrom([]sop.Op{sop.Any, sop.All}).Draw(b.t, "source"), check, sop.L("open_file"))
		}
		return check
	}
	if name == "below_ceiling" || b.chance(25, "known from the conversation") {
		return sop.L(sop.Conversation)
	}
	known := b.actions[:b.helpers]
	if b.chance(15, "learnt by a procedure") {
		known = b.actions[:b.helpers+1]
	}
	leaves := rapid.Permutation(known).Draw(b.t, "sources")
	parts := make([]*sop.Tree, len(leaves))
	for i, l := range leaves {
		parts[i] = sop.L(l)
	}
	op, other := sop.Any, sop.All
	if rapid.Bool().Draw(b.t, "all at the root") {
		op, other = other, op
	}
	switch n := rapid.IntRange(1, len(parts)).Draw(b.t, "number of sources"); n {
	case 1:
		return parts[0]
	case 2:
		return sop.T(op, parts[0], parts[1])
	default:
		return sop.T(op, parts[0], sop.T(other, parts[1], parts[2]))
	}
}

func (b *builder) levelOf(name string, source *sop.Tree) int {
	if source == nil {
		source = sop.L(name)
	}
	level := 0
	for _, a := range source.Names() {
		level = max(level, 1+slices.Index(b.actions, a))
	}
	return level
}

// usable returns the conditions that the action at that place may require.
func (b *builder) usable(place int) []string {
	var out []string
	for _, c := range b.conds {
		// What check_account requires is renamed with it: nothing about a person.
		if b.level[c] <= place && (place > 0 || !slices.Contains(conditionTexts[c].parameters, "username")) {
			out = append(out, c)
		}
	}
	return out
}

func (b *builder) drawHelpers() {
	for i, a := range b.actions[:b.helpers] {
		if conds := b.usable(i); len(conds) > 0 && b.chance(60, "helper has a rule") {
			b.d.Actions[a].Requires = b.tree(conds, 1)
		}
	}
}

func (b *builder) drawProcedures() {
	goals := b.actions[b.helpers:]
	for i, goal := range goals {
		p := &sop.Procedure{Goal: goal, Title: goalTexts[goal].title, Purpose: goalTexts[goal].purpose, Requests: goalTexts[goal].requests}
		conds := b.usable(b.helpers + i)
		for range rapid.IntRange(1, 2).Draw(b.t, "required rules") {
			p.Required = append(p.Required, b.tree(conds, 2))
		}
		for range rapid.IntRange(0, 2).Draw(b.t, "customizable rules") {
			p.Customizable = append(p.Customizable, b.tree(conds, 2))
		}
		if i == len(goals)-1 {
			p.Outcomes = b.outcomes(p, goals[:i], conds)
		}
		b.d.Procedures = append(b.d.Procedures, p)
	}
}

func (b *builder) outcomes(p *sop.Procedure, others, conds []string) []sop.Outcome {
	goal := sop.Outcome{End: p.Goal, Tree: sop.Conjunction(p.AllRules())}
	second := sop.Outcome{End: "escalate", Tree: b.tree(conds, 1)}
	if rapid.Bool().Draw(b.t, "second outcome is an act") {
		other := b.d.Procedures[len(others)-1]
		second = sop.Outcome{End: other.Goal, Tree: sop.Conjunction(other.AllRules())}
	}
	if b.chance(25, "goal comes second") {
		goal, second = second, goal
	}
	return []sop.Outcome{goal, second, {End: sop.Deny}}
}

// drawEffects gives some actions an effect on a condition that only later
// actions read, so that graphs stay free of cycles.
func (b *builder) drawEffects() {
	for i, a := range b.actions {
		if !b.chance(40, "has effects") {
			continue
		}
		free := slices.DeleteFunc(slices.Clone(b.conds), func(c string) bool {
			if b.level[c] > 0 && c == a {
				return true
			}
			for _, earlier := range b.actions[:i+1] {
				if reads(b.d.Requirement(earlier), c) {
					return true
				}
			}
			return false
		})
		if len(free) > 0 {
			c := rapid.SampledFrom(free).Draw(b.t, "effect on")
			b.d.Actions[a].Effects = map[string]bool{c: rapid.Bool().Draw(b.t, "effect")}
		}
	}
}

func reads(t *sop.Tree, base string) bool {
	return slices.ContainsFunc(t.Names(), func(n string) bool { return n == base || strings.HasPrefix(n, base+"(") })
}

// operators, in the proportion in which trees get them.
var operators = []sop.Op{sop.Seq, sop.All, sop.Any, sop.FirstOf, sop.Leaf, sop.Leaf, sop.Not}

// tree draws a tree over the conditions, of at most that depth below its root
// (negations aside); sibling leaves differ.
func (b *builder) tree(conds []string, depth int) *sop.Tree {
	op := rapid.SampledFrom(operators).Draw(b.t, "operator")
	if depth < 0 || op == sop.Leaf {
		return b.leaf(rapid.SampledFrom(conds).Draw(b.t, "leaf"))
	}
	if op == sop.Not {
		return sop.T(sop.Not, b.tree(conds, depth-1))
	}
	first := b.tree(conds, depth-1)
	parts := []*sop.Tree{first}
	for range rapid.IntRange(1, 2).Draw(b.t, "further parts") {
		if p := b.tree(conds, depth-1); !slices.ContainsFunc(parts, p.Equal) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 {
		return first
	}
	return sop.T(op, parts...)
}

func (b *builder) leaf(name string) *sop.Tree {
	if name == b.renamed && b.chance(35, "for the payee") {
		name += renamedArgs
	}
	return sop.L(name)
}
