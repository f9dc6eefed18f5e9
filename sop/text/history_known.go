package text

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// histTracker follows what calls make known, as the oracles of package sop
// do, but for orders.
type histTracker struct {
	v     *sop.Variant
	made  map[string]bool
	known map[string]bool // present: known, with this truth
}

// histNews is what one call brought: conditions that became known, sorted,
// and those that its effects set.
type histNews struct {
	learnt  []string
	changed map[string]bool
}

func newHistTracker(v *sop.Variant) *histTracker {
	return &histTracker{v: v, made: map[string]bool{}, known: map[string]bool{}}
}

// start takes in what is known before the first call.
func (t *histTracker) start(facts map[string]bool) []string { return t.learn(facts) }

func (t *histTracker) learn(facts map[string]bool) []string {
	var fresh []string
	for _, key := range scnKeys(t.v.EstablishedBy) {
		if _, known := t.known[key]; !known && t.established(t.v.EstablishedBy[key]) {
			t.known[key] = facts[key]
			fresh = append(fresh, key)
		}
	}
	return fresh
}

func (t *histTracker) established(source *sop.Tree) bool {
	if scnFromStart(source) {
		return true
	}
	sets, err := sop.MinimalSets(source)
	return err == nil && slices.ContainsFunc(sets, func(calls []string) bool {
		return !slices.ContainsFunc(calls, func(c string) bool { return !t.made[c] })
	})
}

// call makes a call; an item that v does not have brings nothing.
func (t *histTracker) call(item string, facts map[string]bool) histNews {
	if _, ok := t.v.Requires[item]; !ok {
		return histNews{}
	}
	t.made[item] = true
	n := histNews{learnt: t.learn(facts), changed: map[string]bool{}}
	if t.answers(item, facts) {
		for key, to := range t.v.Effects[item] {
			t.known[key] = to
			n.changed[key] = to
		}
	}
	return n
}

func (t *histTracker) answers(item string, facts map[string]bool) bool {
	if known, ok := t.known[item]; ok {
		return known
	}
	if _, isCondition := t.v.EstablishedBy[item]; isCondition {
		return facts[item]
	}
	return true
}

// ReadKnown reads a request and a history (one text or both joined) and
// returns the truth of every condition that is known after the last call, as
// the text tells it: records, values, and what calls changed. The error names
// a known condition on which the text is silent.
func ReadKnown(text string, v *sop.Variant) (map[string]bool, error) {
	c, err := scnReadCase(text, v)
	if err != nil {
		return nil, err
	}
	log, err := histRead(text, v)
	if err != nil {
		return nil, err
	}
	for key, use := range v.Values {
		if x, ok := c.details[key].(float64); ok && use.Stated {
			c.values[key] = x
		}
	}
	t := newHistTracker(v)
	learn := func(fresh []string) error {
		for _, key := range fresh {
			holds, said := c.facts[key]
			if !said {
				holds, said = c.told.facts[key]
			}
			if compare := v.Conditions[key].Compare; compare != nil && !said {
				holds, _ = compare.Holds(c.numbers())
			} else if !said {
				return fmt.Errorf("the text does not tell whether %q holds, want its record %q", key, c.records.factLine(key, true))
			}
			t.known[key] = holds
		}
		return nil
	}
	if err := learn(t.start(nil)); err != nil {
		return nil, err
	}
	for _, e := range log {
		changed, err := histTake(e, c)
		if err != nil {
			return nil, err
		}
		if err := learn(t.call(e.item, nil).learnt); err != nil {
			return nil, err
		}
		for key, to := range changed {
			t.known[key] = to
		}
	}
	return t.known, nil
}

// histTake reads the results of one call into the case.
func histTake(e histEntry, c *scnCase) (changed map[string]bool, err error) {
	changed = map[string]bool{}
	for _, line := range e.lines {
		if slices.Contains(histDone, line) {
			continue
		}
		if result, ok := readResult(line); ok {
			c.told.add(e.item, result)
			continue
		}
		if key, to, ok := histReadChange(line, c.v); ok {
			changed[key] = to
			continue
		}
		f, err := c.records.read(line)
		if err != nil {
			return nil, fmt.Errorf("result of %s: %w", e.item, err)
		}
		if err := c.add(f); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

func histReadChange(line string, v *sop.Variant) (key string, to, ok bool) {
	rest, ok := strings.CutPrefix(line, "from now on `")
	key, _, closed := strings.Cut(rest, "`")
	use := v.Conditions[key]
	if !ok || !closed || use == nil {
		return "", false, false
	}
	for _, to := range []bool{true, false} {
		if line == histChange(key, use, to) {
			return key, to, true
		}
	}
	return "", false, false
}
