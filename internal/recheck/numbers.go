package recheck

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// demand is a comparison that has to hold, or not.
type demand struct {
	formula string
	holds   bool
}

// maxNumbers is how many values two comparisons may read together for all their numbers to be tried.
const maxNumbers = 3

// realizable looks for two comparisons that cannot both come out as the facts say. The numbers tried are what lies at, just
// below and just above the bounds of each value and each number that a comparison names.
func (c *rowCheck) realizable(facts map[string]bool) error {
	var demands []demand
	for _, name := range sortedKeys(facts) {
		in := c.names.Conditions[c.names.base(name)]
		formula := c.doc.measures[name]
		if formula == "" && in.Compare != "" {
			formula = strings.Join(c.compare(in.Compare, name), " ")
		}
		if formula != "" && (facts[name] || c.needed(name, facts)) {
			demands = append(demands, demand{formula, facts[name]})
		}
	}
	for i, a := range demands {
		for _, b := range demands[:i] {
			if shareValue(a.formula, b.formula) && !c.solved(a, b) {
				return fmt.Errorf("no numbers make %q %v and %q %v", a.formula, a.holds, b.formula, b.holds)
			}
		}
	}
	return nil
}

// needed says whether what a condition depends on holds: else it is false whatever the numbers are.
func (c *rowCheck) needed(name string, facts map[string]bool) bool {
	in := c.names.Conditions[c.names.base(name)]
	t := in.DependsOn.rename(func(leaf string) string {
		base, _, _ := cutCall(leaf)
		return c.names.written(passed(leaf, name, c.names.Conditions[base].Parameters))
	})
	has := func(leaf string) bool { _, has := facts[leaf]; return has }
	return t == nil || project(t, has) != nil && project(t, has).String() == t.String() && t.holds(facts)
}

func shareValue(a, b string) bool {
	names := formulaNames(b)
	return slices.ContainsFunc(formulaNames(a), func(name string) bool { return slices.Contains(names, name) })
}

// solved tries the numbers; what it finds depends on the domain and the two demands alone.
func (c *rowCheck) solved(group ...demand) bool {
	key := c.r.Domain + fmt.Sprint(group)
	done, known := c.numbers[key]
	if !known {
		if len(c.numbers) >= maxEntries {
			clear(c.numbers)
		}
		done = c.solve(group)
		c.numbers[key] = done
	}
	return done
}

func (c *rowCheck) solve(group []demand) bool {
	var names []string
	tried := map[string]bool{}
	for _, d := range group {
		for _, name := range formulaNames(d.formula) {
			if !slices.Contains(names, name) {
				names = append(names, name)
				base, _, _ := cutCall(name)
				v := c.names.Values[base]
				tried[rational(v.Min).RatString()], tried[rational(v.Max).RatString()] = true, true
			}
		}
		for _, token := range tokens(d.formula, func(string) string { return "" }) {
			if x, ok := new(big.Rat).SetString(token); ok {
				tried[x.RatString()] = true
			}
		}
	}
	if len(names) > maxNumbers {
		return true
	}
	values := map[string]json.Number{}
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(names) {
			return !slices.ContainsFunc(group, func(d demand) bool {
				holds, ok := measured(d.formula, values)
				return !ok || holds != d.holds
			})
		}
		base, _, _ := cutCall(names[i])
		for _, x := range around(c.names.Values[base], tried) {
			values[names[i]] = x
			if try(i + 1) {
				return true
			}
		}
		return false
	}
	return try(0)
}

// around lists numbers at and beside the given ones, a step of the value away.
func around(v quantity, at map[string]bool) []json.Number {
	step := rational(v.Step)
	seen := map[string]bool{}
	for text := range at {
		x := rational(json.Number(text))
		for _, y := range []*big.Rat{x, new(big.Rat).Add(x, step), new(big.Rat).Sub(x, step)} {
			seen[y.FloatString(4)] = true
		}
	}
	var list []json.Number
	for _, text := range sortedKeys(seen) {
		list = append(list, json.Number(text))
	}
	return list
}

// rational is 0 for what is no number.
func rational(n json.Number) *big.Rat {
	if x, ok := new(big.Rat).SetString(n.String()); ok {
		return x
	}
	return new(big.Rat)
}
