package recheck

import (
	"regexp"
	"slices"
	"strings"
)

// named is a name of a document and what can be said of it: Of says what the text itself says beside it.
type named struct {
	name, kind string
	clauses    []string
	explained  bool // the text says beside the name what it is
	extra      bool // a call of the list below the document
}

var kindNouns = map[string]*regexp.Regexp{
	"fact": regexp.MustCompile(`\bcondition\b`), "call": regexp.MustCompile(`\bcall\b`), "quantity": regexp.MustCompile(`\bquantity\b`),
}

var findWords = regexp.MustCompile(`(?:find out|learn|settle|get to know) whether $`)

// identifiers decides by what the document says beside its names.
func (k *conceptCheck) identifiers() {
	document, tools, further := strings.Cut(k.r.Context, contextBreak)
	var err error
	if k.doc, err = k.document(strings.TrimSuffix(document, "\n")); err != nil {
		k.add("context", "%v", err)
		return
	}
	k.faithful()
	list := k.list()
	if further {
		extra, err := readGlossary(tools)
		if err != nil {
			k.add("context", "the further calls: %v", err)
			return
		}
		for _, e := range extra {
			in, known := k.names.Actions[k.names.base(e.term)]
			does := plain(k.names.worded(in.Text, k.names.base(e.term)))
			if _, own := k.doc.requires[e.term]; !known || own || does != e.definition {
				k.add("context", "the further call %q does %q, in the lexicon %q", e.term, e.definition, does)
			}
			list = append(list, named{e.term, "call", []string{e.definition}, true, true})
		}
	}
	if len(k.spans) != 1 {
		k.add("query", "it has %d phrases, want one", len(k.spans))
		return
	}
	phrase := k.spans[0]
	before, after, _ := strings.Cut(k.question, "“"+phrase+"”")
	kind := "call"
	if k.r.View == "condition_wording" {
		kind = ""
		for noun, pattern := range kindNouns {
			if pattern.MatchString(before + " " + after) {
				kind += noun
			}
		}
	}
	finds := k.r.View == "tool_choice" && findWords.MatchString(before)
	for _, x := range list {
		switch {
		case finds && x.kind == "fact" && len(x.clauses) > 0 && x.clauses[0] == phrase:
			if !x.explained {
				k.add("context", "the text does not say what %q is", x.name)
			}
			sets, err := k.doc.established[x.name].sets()
			for _, set := range sets {
				if err == nil && len(set) == 1 && set[0] != conversation && !slices.Contains(k.answers, set[0]) {
					k.answers = append(k.answers, set[0])
				}
			}
		case !finds && x.kind == kind && slices.Contains(x.clauses, phrase):
			if !x.explained {
				k.add("context", "the text does not say what %q is", x.name)
			}
			k.answers = append(k.answers, x.name)
		}
	}
	k.source(list)
	k.judge(func(who, said string, _ *negative, p *conceptProof) {
		var kinds []string
		means := false
		for _, x := range list {
			if x.name == said {
				kinds = append(kinds, x.kind)
				means = means || x.explained && slices.Contains(x.clauses, p.Means)
			}
		}
		because := "context"
		if !slices.Contains(kinds, kind) {
			because = "type"
		}
		switch {
		case len(kinds) == 0:
			k.add("negative", "%s: %q is no name of the context", who, said)
		case !means:
			k.add("proof", "%s: the context does not say of %q that it is about %q", who, said, p.Means)
		case because != p.Because || p.NotBecause != "":
			k.add("proof", "%s: %q is %q, asked is for a %s; the proof says %s", who, said, kinds, kind, p.Because)
		case because == "type" && (len(p.Types) != 2 || p.Types[0] != kind || !slices.Contains(kinds, p.Types[1])) || because != "type" && p.Types != nil:
			k.add("proof", "%s: the types are %q and %q, in the proof %q", who, kind, kinds, p.Types)
		}
	})
}

// list is every name of the document.
func (k *conceptCheck) list() []named {
	var list []named
	add := func(name, kind string, clauses ...string) {
		x := named{name: name, kind: kind}
		for _, words := range clauses {
			if words = plain(words); words != "" && !slices.Contains(x.clauses, words) {
				x.clauses = append(x.clauses, words)
			}
		}
		x.explained = slices.ContainsFunc(k.doc.says[name], func(g gloss) bool { return g.kind == kind })
		list = append(list, x)
	}
	for _, name := range sortedKeys(k.doc.requires) {
		add(name, "call", k.names.worded(k.names.Actions[k.names.base(name)].Text, name))
	}
	for _, name := range sortedKeys(k.doc.established) {
		in := k.names.Conditions[k.names.base(name)]
		add(name, "fact", k.names.worded(in.Text, name), k.names.worded(in.Negated, name),
			k.names.worded(in.RecordTrue, name), k.names.worded(in.RecordFalse, name))
	}
	for _, name := range sortedKeys(k.doc.units) {
		base, _, _ := cutCall(name)
		add(name, "quantity", k.names.worded(k.names.Values[base].Text, name))
	}
	return list
}

// source holds the subject, which is under the domain's own name, against what the question is about.
func (k *conceptCheck) source(list []named) {
	if len(k.ref.Synonyms) > 0 {
		k.add("reference", "a name has the synonyms %q", k.ref.Synonyms)
	}
	for _, a := range k.answers {
		if k.names.domainName(a) != k.ref.Subject {
			continue
		}
		for _, x := range list {
			group := map[string]string{"fact": "conditions:", "call": "actions:", "quantity": "values:"}[x.kind]
			if x.name == a && k.ref.Source == group+k.r.Domain+"/"+k.names.base(a) {
				return
			}
		}
		k.add("reference", "the source of %q is %q", k.ref.Subject, k.ref.Source)
		return
	}
	k.add("reference", "the subject is %q, the answers are %q", k.ref.Subject, k.answers)
}
