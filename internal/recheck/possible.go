package recheck

import (
	"fmt"
	"maps"
	"slices"
)

// strictness is what a case has to agree with to be possible: the procedure's text and what it shows itself, the lexicon's
// other conditions, and numbers for all comparisons. Each is stricter than the one before.
type strictness int

const (
	byText strictness = iota
	byDomain
	byNumbers
)

func (s strictness) String() string { return [...]string{"", "_domain", "_numbers"}[s] }

// possible says what speaks against facts, with those that the case has shown, and how strict one has to be to say so.
func (d *diagramCheck) possible(facts map[string]bool, most strictness) (strictness, error) {
	for _, name := range sortedKeys(facts) {
		if shown, is := d.known[name]; is && shown != facts[name] {
			return byText, fmt.Errorf("the case has shown that %q is %v", name, shown)
		}
	}
	all := maps.Clone(d.known)
	maps.Copy(all, facts)
	err := d.right.possible(all)
	at := byText
	if err == nil && most >= byDomain {
		err, at = d.inDomain(all), byDomain
	}
	if err == nil && most >= byNumbers {
		err, at = d.realizable(all), byNumbers
	}
	return at, err
}

// worlds calls do with every possible assignment of facts to the names until it returns false.
func (d *diagramCheck) worlds(names []string, most strictness, do func(facts map[string]bool) bool) error {
	shown := maps.Clone(d.known)
	maps.DeleteFunc(shown, func(name string, _ bool) bool { return !slices.Contains(names, name) })
	open := slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, is := shown[name]; return is })
	if len(open) > maxFacts {
		return fmt.Errorf("%d conditions; this check tries every assignment of up to %d", len(open), maxFacts)
	}
	for world := range 1 << len(open) {
		facts := maps.Clone(shown)
		for i, name := range open {
			facts[name] = world&(1<<i) == 0 || d.always(name)
		}
		if _, err := d.possible(facts, most); err == nil && !do(facts) {
			return nil
		}
	}
	return nil
}

// tellApart looks for a witness by itself.
func (d *diagramCheck) tellApart(r *rules, most strictness) (found map[string]bool, path []string) {
	err := d.worlds(eitherKeys(d.right.established, r.established), most, func(facts map[string]bool) bool {
		g, err := d.compile(r, facts)
		if err == nil {
			found, path = facts, tellApart(d.g, g, facts)
		}
		return err == nil && path == nil
	})
	if err != nil {
		d.add("witness", "%v", err)
	}
	return found, path
}

// impossible reports a witness that cannot be. Where a possible one exists the negative is wrong all the same; where there is
// none the kind says how strict one has to be for that.
func (d *diagramCheck) impossible(who string, r *rules, at strictness, err error) {
	if facts, path := d.tellApart(r, byNumbers); path != nil {
		d.add("witness"+at.String(), "%s: %v; possible is %q with %v", who, err, path, facts)
		return
	}
	at = byNumbers
	for least := byNumbers - 1; least >= byText; least-- {
		if _, path := d.tellApart(r, least); path != nil {
			break
		}
		at = least
	}
	d.add("no_case"+at.String(), "%s: %v; no possible case tells the two graphs apart", who, err)
}

// inDomain holds facts against what the lexicon says of their conditions, as far as there are facts of both sides.
func (d *diagramCheck) inDomain(all map[string]bool) error {
	has := func(name string) bool { _, has := all[name]; return has }
	renamed := func(t *tree, from string) *tree {
		return t.rename(func(leaf string) string {
			base, _, _ := cutCall(leaf)
			return d.names.written(passed(leaf, from, d.names.Conditions[base].Parameters))
		})
	}
	for _, name := range sortedKeys(all) {
		if !all[name] {
			continue
		}
		base := d.names.base(name)
		if t := renamed(d.names.Conditions[base].DependsOn, name); !project(t, has).holds(all) {
			return fmt.Errorf("%q is true, but depends on %s", name, t)
		}
		// An action that checks nothing answers yes whatever its tool enforces.
		_, checks := d.names.Conditions[base]
		if t := renamed(d.names.Actions[base].Innate, name); checks && !project(t, has).holds(all) {
			return fmt.Errorf("the call %q answers yes, but enforces %s", name, t)
		}
		for _, group := range d.names.Excludes {
			if !slices.Contains(group, base) {
				continue
			}
			for _, member := range group {
				if other := renamed(leafOf(member), name).leaf; other != name && all[other] {
					return fmt.Errorf("%q and %q exclude each other", name, other)
				}
			}
		}
	}
	return nil
}
