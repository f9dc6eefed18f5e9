package stages

import (
	"maps"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// identifier is a name of an SOP that can be asked for.
type identifier struct {
	text.Named
	base  string   // the name under the domain's own names
	uses  []string // what it takes, for likeness
	extra bool     // a call that the procedure does not need
}

func identifierKey(n identifier) string { return n.Kind + " " + n.base }

// bare is the domain's name of what is renamed.
func (n identifier) bare() string {
	name, _, _ := strings.Cut(n.base, "(")
	return name
}

// naming is one way to name what a procedure speaks of: the document written
// with it and what its identifiers stand for.
type naming struct {
	variant     *sop.Variant
	named       []text.Named      // of the variant
	names       map[string]string // the domain's name -> the one written
	document    string
	tools       []text.Entry
	identifiers map[string]identifier // by identifierKey
}

// nameFamily makes the rows of one family of a view over an SOP: which
// identifier a clause speaks of, or which call does what is asked. Its
// candidates are identifiers of one document; half are asked for in that
// document, half in the same with names exchanged.
func (w *conceptJob) nameFamily(view string) error {
	m := w.opts.Ratio[0]
	c, err := w.pool.variant(w.variants[w.rng.IntN(len(w.variants))])
	if err != nil {
		w.drops[DropVariant]++
		return nil
	}
	style, seed := text.Styles[w.rng.IntN(len(text.Styles))], w.termStyle()
	tools := w.tools(view, c, m)
	if w.named[c] == nil {
		w.named[c] = text.NamedOf(c.V)
	}
	before := w.naming(c.V, w.named[c], c.choice.Names, style, tools, seed)
	candidates := w.identifiers(view, before, m)
	if candidates == nil {
		w.drops[DropNoTerm]++
		return nil
	}
	plain, moved := w.divide(candidates, m+1)
	var after *naming
	kept := 0
	for _, right := range shuffledOf(w.rng, candidates) {
		if kept == mirrored {
			break
		}
		n, how := before, authored
		if slices.ContainsFunc(moved, func(x identifier) bool { return identifierKey(x) == identifierKey(right) }) {
			if after == nil {
				choice := c.choice
				choice.Names = exchangeNames(w, before, plain, moved)
				v, err := w.Domain.Variant(w.Procedure, choice)
				if err != nil {
					return err
				}
				after = w.naming(v, text.NamedOf(v), choice.Names, style, tools, seed)
			}
			n, how = after, exchanged
		}
		d, reason := w.nameRow(view, n, right, candidates, string(style), seed)
		if d == nil {
			w.drops[reason]++
			continue
		}
		asked := w.complete(d, view, c, n, right, tools)
		if w.repeats(asked) {
			w.drops[DropDuplicate]++
			continue
		}
		kept++
		w.count(view, identifierKey(right), how)
		// A rule matters where it speaks of a candidate.
		shorter := func(yield func(*draft, task) bool) {
			var d *draft
			var left *naming
			keep := func(smaller *cell) bool {
				choice := smaller.choice
				choice.Names = n.names
				v, err := w.Domain.Variant(w.Procedure, choice)
				if err != nil {
					return false
				}
				left = w.naming(v, text.NamedOf(v), n.names, style, tools, seed)
				d, _ = w.nameRow(view, left, right, candidates, string(style), seed)
				return d != nil
			}
			for smaller := range w.pool.without(c, keep) {
				if !yield(d, w.complete(d, view, smaller, left, right, tools)) {
					return
				}
			}
		}
		if err := w.add(d, asked, how, false, shorter); err != nil {
			return err
		}
	}
	return nil
}

// complete says in a row's meta which variant it is of, and returns its task.
func (w *conceptJob) complete(d *draft, view string, c *cell, n *naming, right identifier, tools []string) task {
	shown := shownNames(n.variant, n.names, tools...)
	d.meta.Rules, d.meta.Borrowed = c.choice.Rules, w.borrowedOf(c)
	d.meta.Names, d.meta.Thresholds = shown, c.choice.Thresholds
	return task{c.task(view, identifierKey(right)).undone, namesKey(shown)}
}

// tools are calls of the domain that the variant does not need: as many as a
// small procedure lacks, and a few more. A job takes them in one order, so that
// its families share them.
func (w *conceptJob) tools(view string, c *cell, m int) []string {
	if view != text.ToolChoiceView {
		return nil
	}
	needed := map[string]bool{}
	for _, call := range c.V.Calls {
		needed[call.Base] = true
	}
	for _, condition := range c.V.Conditions {
		needed[condition.Base] = true
	}
	others := slices.DeleteFunc(slices.Clone(w.calls), func(base string) bool { return needed[base] })
	return others[:min(len(others), max(0, m+1-len(c.V.Calls))+w.rng.IntN(4))]
}

// naming writes the variant, which has the names, and the further calls.
func (w *conceptJob) naming(v *sop.Variant, named []text.Named, names map[string]string, style text.Style, tools []string, st termStyle) *naming {
	n := &naming{variant: v, named: named, names: map[string]string{}, identifiers: map[string]identifier{}}
	maps.Copy(n.names, names)
	n.document = text.RenderSOP(style, v, st.rand(1))
	list := slices.Clone(named)
	for _, base := range tools {
		written := base
		if alias, ok := names[base]; ok {
			written = alias
		}
		does := text.CallWords(w.Domain, base)
		n.tools = append(n.tools, text.Entry{Term: written, Definition: does})
		list = append(list, text.Named{Name: written, Kind: "call", Clauses: []string{does}})
	}
	explained := text.NewExplanations(n.document)
	own := map[string]string{}
	for base, alias := range names {
		own[alias] = base
	}
	for i, x := range list {
		id := identifier{Named: x, base: baseOf(x.Name, own), extra: i >= len(list)-len(tools)}
		switch {
		case id.Kind == "fact":
			id.uses = v.Conditions[x.Name].Parameters
		case id.Kind == "call":
			id.uses = w.Domain.Actions[id.bare()].Parameters
		}
		if id.extra || explained.Has(x) {
			n.identifiers[identifierKey(id)] = id
		}
	}
	if len(n.tools) > 0 {
		n.document += ContextBreak + text.RenderTools(st.glossary, n.tools, st.rand(2))
	}
	return n
}

// baseOf undoes a renaming, own being the domain's name for each written one.
func baseOf(name string, own map[string]string) string {
	head, _, _ := strings.Cut(name, "(")
	if base, ok := own[head]; ok {
		return base + name[len(head):]
	}
	return name
}

// identifiers returns a subject and m others of the document, those most like
// it first, or nil.
func (w *conceptJob) identifiers(view string, n *naming, m int) []identifier {
	var all []identifier
	for _, key := range sortedKeys(n.identifiers) {
		if id := n.identifiers[key]; view == text.ConditionWordingView || id.Kind == "call" {
			all = append(all, id)
		}
	}
	if len(all) <= m {
		return nil
	}
	first, inner := drawSubject(w, view, all, identifierKey)
	chosen := []identifier{first}
	alike := make([]float64, len(all))
	for i, id := range all {
		alike[i] = likeness(first, id).Mean()
		if inner && w.circle[view][identifierKey(id)] {
			alike[i] += weighCircle
		}
	}
	for len(chosen) <= m {
		best, top := -1, -1.0
		for i, id := range all {
			if slices.ContainsFunc(chosen, func(c identifier) bool { return c.Name == id.Name }) {
				continue
			}
			score := alike[i] + weighChance*w.rng.Float64()
			if score > top {
				best, top = i, score
			}
		}
		if best < 0 {
			return nil
		}
		chosen = append(chosen, all[best])
	}
	for _, id := range chosen {
		w.enter(view, identifierKey(id))
	}
	return chosen
}

func likeness(a, b identifier) augment.Similarity {
	return augment.Alike(strings.ReplaceAll(a.Name, "_", " "), strings.ReplaceAll(b.Name, "_", " "), a.uses, b.uses)
}

// divide says which candidates are asked for under the document's own names
// and which under exchanged ones: the latter exchange names among themselves,
// so there are none or at least two, and none whose name cannot be exchanged.
func (w *conceptJob) divide(candidates []identifier, n int) (plain, moved []identifier) {
	want := n - w.plain(n)
	for _, id := range shuffledOf(w.rng, candidates) {
		twice := slices.ContainsFunc(candidates, func(c identifier) bool { return c.bare() == id.bare() && c.base != id.base })
		if len(moved) < want && id.Kind != "quantity" && !twice {
			moved = append(moved, id)
		} else {
			plain = append(plain, id)
		}
	}
	if len(moved) < 2 {
		return candidates, nil
	}
	return plain, moved
}

// exchangeNames gives each name of the moved candidates to another of them,
// and the other names of the document to each other too.
func exchangeNames(w *conceptJob, n *naming, plain, moved []identifier) map[string]string {
	groups := make([][]string, 3)
	placed := map[string]bool{}
	place := func(g int, id identifier) {
		if id.Kind != "quantity" && !placed[id.bare()] {
			groups[g], placed[id.bare()] = append(groups[g], id.bare()), true
		}
	}
	for _, id := range moved {
		place(0, id)
	}
	for _, id := range plain {
		place(1, id)
	}
	for _, key := range sortedKeys(n.identifiers) {
		place(2, n.identifiers[key])
	}
	if len(groups[1]) == 1 || len(groups[2]) == 1 {
		groups[1], groups[2] = append(groups[1], groups[2]...), nil
	}
	names := map[string]string{}
	maps.Copy(names, n.names)
	for _, g := range groups {
		takes := map[string]string{}
		chain(takes, shuffledOf(w.rng, g))
		for base, other := range takes {
			name := other
			if alias, ok := n.names[other]; ok {
				name = alias
			}
			if delete(names, base); name != base {
				names[base] = name
			}
		}
	}
	return names
}

// nameRow writes one row; nil and the reason where its words would speak of
// two candidates or an identifier is not explained.
func (w *conceptJob) nameRow(view string, n *naming, right identifier, candidates []identifier, style string, st termStyle) (*draft, string) {
	subject, ok := n.identifiers[identifierKey(right)]
	if !ok {
		return nil, DropSeveral
	}
	q := text.Concept{View: view, Kind: subject.Kind, Format: st.format, Phrase: subject.Clauses[w.rng.IntN(len(subject.Clauses))]}
	if view == text.ToolChoiceView {
		q.Kind = "do"
		if found := finds(n.variant, n.named, subject.Name); len(found) > 0 && w.rng.IntN(3) == 0 {
			q.Kind, q.Phrase = "find", found[w.rng.IntN(len(found))]
		}
	}
	answers := named(n.variant, n.named, n.tools, q)
	if !slices.Contains(answers, subject.Name) {
		return nil, DropSeveral
	}
	split := w.Split
	if split == "" {
		split = scenarioSplit(w.opts.Seed, w.Domain, w.Procedure.Goal, "name "+identifierKey(right))
	}
	d := w.conceptDraft(view, split, style)
	d.row.Context = n.document
	d.row.Query, d.meta.Query = text.ConceptQuery(q, split, w.rng)
	d.meta.Format = st.format
	d.row.Positive = st.answer(subject.Name)
	for _, other := range shuffledOf(w.rng, candidates) {
		if identifierKey(other) == identifierKey(right) {
			continue
		}
		x, ok := n.identifiers[identifierKey(other)]
		if !ok || slices.Contains(answers, x.Name) {
			return nil, DropSeveral
		}
		d.row.Negatives = append(d.row.Negatives, nameNegative(n, q, subject, x, st))
	}
	d.row.Reference = encode(ConceptReference{
		Relation: conceptRelations[view], Subject: right.base, Answers: answers, Synonyms: []string{},
		Source: map[string]string{"fact": "conditions:", "call": "actions:", "quantity": "values:"}[right.Kind] + w.Domain.Name + "/" + right.bare(),
	})
	return d, ""
}

func nameNegative(n *naming, q text.Concept, right, x identifier, st termStyle) dataset.Negative {
	proof := ConceptProof{Because: byContext, Means: x.Clauses[0]}
	if q.View == text.ConditionWordingView && !slices.Contains(kindsOf(n.variant, x.Name), q.Kind) {
		proof.Because, proof.Types = augment.OtherType, []string{q.Kind, x.Kind}
	}
	alike := likeness(right, x)
	proof.alike(alike)
	a := st.answer(x.Name)
	return dataset.Negative{
		Text: a.Text, Payload: a.Payload, Operator: string(augment.Substitute), Violation: proof.Because,
		Proof: encode(proof), Similarity: alike.Mean(),
	}
}

// kindsOf are the kinds of things for which a variant has the identifier.
func kindsOf(v *sop.Variant, name string) []string {
	var kinds []string
	if _, ok := v.Requires[name]; ok {
		kinds = append(kinds, "call")
	}
	if v.EstablishedBy[name] != nil {
		kinds = append(kinds, "fact")
	}
	if v.Values[name] != nil {
		kinds = append(kinds, "quantity")
	}
	return kinds
}

// finds returns the statements whose truth the call alone makes known.
func finds(v *sop.Variant, identifiers []text.Named, call string) []string {
	var list []string
	for _, x := range identifiers {
		if x.Kind == "fact" && len(x.Clauses) > 0 && slices.Contains(sources(v.EstablishedBy[x.Name]), call) {
			list = append(list, x.Clauses[0])
		}
	}
	return list
}

// sources are the calls of which each alone makes a condition known.
func sources(t *sop.Tree) []string {
	if sets, err := sop.MinimalSets(t); err == nil && t.Op != sop.Not {
		var list []string
		for _, set := range sets {
			if len(set) == 1 && set[0] != sop.Conversation {
				list = append(list, set[0])
			}
		}
		return list
	}
	return nil
}

// named returns every identifier that a query is about, sorted.
func named(v *sop.Variant, identifiers []text.Named, tools []text.Entry, q text.Concept) []string {
	var list []string
	for _, x := range identifiers {
		switch {
		case q.Kind == "find" && x.Kind == "fact" && x.Clauses[0] == q.Phrase:
			list = append(list, sources(v.EstablishedBy[x.Name])...)
		case (x.Kind == q.Kind || q.Kind == "do" && x.Kind == "call") && slices.Contains(x.Clauses, q.Phrase):
			list = append(list, x.Name)
		}
	}
	for _, e := range tools {
		if q.Kind == "do" && e.Definition == q.Phrase {
			list = append(list, e.Term)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
