package recheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// apart says what of the lexicon makes a term wrong in the place of another, "" where nothing does: a declared confusable, or
// another type, unless both word one thing. A synonym is never wrong.
func apart(right, other *term) (because, notBecause string) {
	words := func(t *term) []string { return append([]string{strings.ToLower(t.Term)}, lowered(t.Synonyms)...) }
	if right == other || slices.ContainsFunc(words(right), func(w string) bool { return slices.Contains(words(other), w) }) {
		return "", ""
	}
	for _, c := range right.Confusables {
		if c.Term == other.Term {
			return "confusable", c.NotBecause
		}
	}
	if right.Type != other.Type && (right.Of == "" || right.Of != other.Of) {
		return "type", ""
	}
	return "", ""
}

func lowered(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

func (d *domain) term(name string) *term {
	i := slices.IndexFunc(d.Glossary, func(t *term) bool { return t.Term == name })
	if i < 0 {
		return nil
	}
	return d.Glossary[i]
}

// meaning is a definition whichever way it stands: as a sentence, or as a clause within one.
func meaning(definition string) string {
	return strings.ToLower(strings.TrimSuffix(flat(definition), "."))
}

// defined returns the terms that have the definition.
func (d *domain) defined(definition string) []*term { return d.meanings[meaning(definition)] }

// situation is a line of a case file, an instruction or a setting that is about one thing of the domain.
type situation struct {
	of    string
	types []string // of the terms that can word it
	form  *regexp.Regexp
}

// prepare makes what is looked up in the domain.
func (d *domain) prepare() {
	d.meanings = map[string][]*term{}
	for _, t := range d.Glossary {
		d.meanings[meaning(t.Definition)] = append(d.meanings[meaning(t.Definition)], t)
	}
	add := func(of string, types []string, forms ...string) {
		for _, form := range forms {
			if form = plain(form); form == "" {
				continue
			}
			var b strings.Builder
			for rest := form; ; {
				literal, after, open := strings.Cut(rest, "{")
				b.WriteString(regexp.QuoteMeta(literal))
				_, behind, closed := strings.Cut(after, "}")
				if !open || !closed {
					break
				}
				b.WriteString(".+")
				rest = behind
			}
			d.situations = append(d.situations, situation{of, types, regexp.MustCompile("^" + b.String() + "$")})
		}
	}
	for _, name := range sortedKeys(d.Values) {
		v := d.Values[name]
		form := v.Record
		if p := d.Parameters[name]; form == "" && v.Stated {
			form = p.Label + ": {value}"
		}
		add(name, []string{"value"}, form)
	}
	for _, name := range sortedKeys(d.Conditions) {
		c := d.Conditions[name]
		add(name, []string{"condition", "state"}, d.worded(c.Text, name), c.RecordTrue)
	}
	for _, name := range sortedKeys(d.Actions) {
		add(name, []string{"action"}, d.worded(d.Actions[name].Text, name))
	}
	for _, name := range sortedKeys(d.Thresholds) {
		add(name, []string{"threshold"}, d.Thresholds[name].Text+": {value}")
	}
}

// entry of a glossary.
type glossaryEntry struct{ term, definition string }

var (
	entryLine = regexp.MustCompile(`^(?:- |\d+\. |\| )?\*\*([^*]+)\*\*(?:: | – | \| | has the following meaning here\. )(.+?)(?: \|)?$`)
	termLine  = regexp.MustCompile(`^\*\*([^*]+)\*\*$`)
)

// readGlossary reads entries: a term in bold, and its definition behind it or on the next line.
func readGlossary(text string) ([]glossaryEntry, error) {
	var entries []glossaryEntry
	open := ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := termLine.FindStringSubmatch(line); m != nil && open == "" {
			open = m[1]
		} else if definition, is := strings.CutPrefix(line, ": "); is && open != "" {
			entries, open = append(entries, glossaryEntry{open, definition}), ""
		} else if m := entryLine.FindStringSubmatch(line); m != nil && open == "" {
			entries = append(entries, glossaryEntry{m[1], m[2]})
		} else if open != "" || line != "" && len(entries) > 0 {
			return nil, fmt.Errorf("%q is no entry of the glossary", clip(line))
		}
	}
	if open != "" || len(entries) == 0 {
		return nil, fmt.Errorf("the glossary has %d entries, %q without a definition", len(entries), open)
	}
	return entries, nil
}
