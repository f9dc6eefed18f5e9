package recheck

import (
	"maps"
	"slices"
	"strings"
)

// faithful holds the procedure's text against the lexicon under the row's names: sources, comparisons, what depends on what,
// effects, exclusions, and the words beside the names.
func (c *rowCheck) faithful() {
	n, d := c.names, c.doc
	is := func(name string) bool { return d.established[name] != nil }
	renamed := func(t *tree, from string) *tree {
		return t.rename(func(name string) string {
			if name == conversation {
				return name
			}
			base, _, _ := cutCall(name)
			parameters := n.Actions[base].Parameters
			if known, isCondition := n.Conditions[base]; isCondition {
				parameters = known.Parameters
			}
			return n.written(passed(name, from, parameters))
		})
	}
	for _, name := range sortedKeys(d.established) {
		base := n.base(name)
		in, known := n.Conditions[base]
		if !known {
			c.add("lexicon", "there is no condition %q", base)
			continue
		}
		source := in.EstablishedBy
		if source == nil {
			source = leafOf(base)
		}
		if want, got := sourceText(renamed(source, name)), sourceText(d.established[name]); want != got {
			c.add("lexicon", "%q becomes known by %s, in the lexicon by %s", name, got, want)
		}
		want := project(renamed(in.DependsOn, name), is).canonical().String()
		if got := d.depends[name].canonical().String(); got != want {
			c.add("lexicon", "%q depends on %s, in the lexicon on %s", name, got, want)
		}
		if want, got := c.compare(in.Compare, name), tokens(d.measures[name], func(s string) string { return s }); !slices.Equal(want, got) {
			c.add("lexicon", "%q is measured by %q, in the lexicon by %q", name, got, want)
		}
		for _, words := range c.measureWords(in.Compare, name) {
			if !says(d.worded[name], words) {
				c.add("lexicon", "%q is measured by the words %q, want %q in them", name, d.worded[name], words)
			}
		}
		c.glossed(name, "fact", plain(n.worded(in.Text, name)), plain(n.worded(in.Negated, name)))
	}
	for _, name := range sortedKeys(d.requires) {
		in, known := n.Actions[n.base(name)]
		if !known {
			c.add("lexicon", "there is no call %q", n.base(name))
			continue
		}
		effects := map[string]bool{}
		for condition, to := range in.Effects {
			if on := renamed(leafOf(condition), name).leaf; is(on) {
				effects[on] = to
			}
		}
		if !maps.Equal(effects, d.effects[name]) {
			c.add("lexicon", "%q has the effects %v, in the lexicon %v", name, d.effects[name], effects)
		}
		c.glossed(name, "call", plain(n.worded(in.Text, name)), "")
	}
	for _, name := range sortedKeys(d.units) {
		base, _, _ := cutCall(name)
		v := n.Values[base]
		unit := v.Unit
		if unit == "" {
			unit = "no unit"
		}
		if d.units[name] != unit {
			c.add("lexicon", "%q is counted in %q, in the lexicon in %q", name, d.units[name], unit)
		}
		c.glossed(name, "quantity", plain(n.worded(v.Text, name)), "")
	}
	c.exclusions()
}

// exclusions of the lexicon hold for instances with the same details.
func (c *rowCheck) exclusions() {
	var want [][]string
	for _, group := range c.names.Excludes {
		for _, name := range sortedKeys(c.doc.established) {
			if !slices.ContainsFunc(group, func(g string) bool { base, _, _ := cutCall(g); return base == c.names.base(name) }) {
				continue
			}
			var set []string
			for _, member := range group {
				base, _, _ := cutCall(member)
				on := c.names.written(passed(member, name, c.names.Conditions[base].Parameters))
				if c.doc.established[on] != nil {
					set = append(set, on)
				}
			}
			if len(set) > 1 {
				want = append(want, set)
			}
		}
	}
	if want, got := exclusions(want), exclusions(c.doc.excludes); !slices.Equal(want, got) {
		c.add("lexicon", "the exclusions are %v, in the lexicon %v", got, want)
	}
}

// compare is a comparison of the lexicon as the row has to write it.
func (c *rowCheck) compare(formula, condition string) []string {
	return tokens(formula, func(name string) string {
		base, _, _ := cutCall(name)
		if t, isThreshold := c.names.Thresholds[base]; isThreshold {
			if number, set := c.meta.Thresholds[base]; set {
				return spoken(number)
			}
			return spoken(t.Default)
		}
		v := c.names.Values[base]
		if v.Stated {
			return detailOf(condition, base)
		}
		return passed(name, condition, v.Parameters)
	})
}

var (
	comparatorWords = map[string]string{"<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least", "==": "equals", "!=": "differs from"}
	turned          = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
)

// says looks for words; a number at their end must not go on.
func says(text, words string) bool {
	_, after, found := strings.Cut(text, words)
	return found && !(isDigit(words[len(words)-1]) && after != "" && isDigit(after[0]))
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// measureWords are what the words for a comparison of the lexicon have to contain: what is compared, how, and every number.
func (c *rowCheck) measureWords(formula, condition string) (want []string) {
	var comparators []string
	tokens(formula, func(name string) string {
		base, _, _ := cutCall(name)
		if t, isThreshold := c.names.Thresholds[base]; isThreshold {
			number, set := c.meta.Thresholds[base]
			if !set {
				number = t.Default
			}
			want = append(want, plain(strings.TrimSpace(t.Text+", "+spoken(number)+" "+t.Unit)))
		} else if v := c.names.Values[base]; v.Stated {
			want = append(want, plain(c.names.worded(c.names.Values[detailOf(condition, base)].Text, name)))
		} else {
			want = append(want, plain(c.names.worded(v.Text, passed(name, condition, v.Parameters))))
		}
		return name
	})
	for _, m := range comparator.FindAllStringSubmatch(formula, -1) {
		comparators = append(comparators, m[1])
	}
	switch len(comparators) {
	case 1:
		want = append(want, " "+comparatorWords[comparators[0]]+" ")
	case 2: // the middle is what is spoken of: at least the first, and at most the last
		want = append(want, " "+comparatorWords[turned[comparators[0]]]+" ", " and "+strings.TrimPrefix(comparatorWords[comparators[1]], "is ")+" ")
	}
	return want
}

// glossed holds the words beside a name against those of the lexicon.
func (c *rowCheck) glossed(name, kind, affirmed, denied string) {
	for _, g := range c.doc.says[name] {
		want := affirmed
		if g.not {
			want = denied
		}
		if g.kind == kind && g.words != want {
			c.add("lexicon", "%s %q is said to be %q, in the lexicon %q", kind, name, g.words, want)
		}
	}
}

// project leaves out what a procedure does not speak of: a part of all, else the whole.
func project(t *tree, is func(string) bool) *tree {
	if t == nil || t.kind == kindLeaf {
		if t != nil && !is(t.leaf) {
			return nil
		}
		return t
	}
	out := &tree{kind: t.kind}
	for _, kid := range t.kids {
		part := project(kid, is)
		if part != nil {
			out.kids = append(out.kids, part)
		} else if !t.kind.conjunctive() {
			return nil
		}
	}
	if len(out.kids) == 0 {
		return nil
	}
	return out
}
