package stages

import (
	"slices"
	"strings"
	"sync"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// glossary is what stage 1 needs of a domain. Nothing else decides it, so it is
// made once for all jobs of a plan, or all rows of a folder, and only read then.
type glossary struct {
	*augment.Substitutions
	domain     *sop.Domain
	situations *text.Situations
	byName     map[string]*sop.Term
	byMeaning  map[string][]*sop.Term // under plainDefinition, in the glossary's order
}

func newGlossary(d *sop.Domain) *glossary {
	g := &glossary{
		Substitutions: augment.NewSubstitutions(d.Glossary), domain: d, situations: text.NewSituations(d),
		byName: map[string]*sop.Term{}, byMeaning: map[string][]*sop.Term{},
	}
	for _, t := range d.Glossary {
		g.byName[t.Term] = t
		means := plainDefinition(t.Definition)
		g.byMeaning[means] = append(g.byMeaning[means], t)
	}
	return g
}

// glossaries makes those of several domains, each when it is first asked for.
type glossaries map[*sop.Domain]func() *glossary

func (all glossaries) add(d *sop.Domain) {
	if all[d] == nil {
		all[d] = sync.OnceValue(func() *glossary { return newGlossary(d) })
	}
}

// meant returns the terms whose meaning a query describes.
func (g *glossary) meant(q text.Concept) []*sop.Term {
	if q.Kind == "meaning" {
		return g.byMeaning[plainDefinition(q.Phrase)]
	}
	var list []*sop.Term
	things := g.situations.Of(q.Kind, q.Phrase)
	for _, t := range g.domain.Glossary {
		kind := t.Type
		if q.View == text.DiscriminationView && kind == "state" {
			kind = "condition"
		}
		if kind == q.Kind && t.Of != "" && slices.Contains(things, t.Of) {
			list = append(list, t)
		}
	}
	return list
}

// means returns the first term whose definition an entry has, nil for none.
func (g *glossary) means(e text.Entry) *sop.Term {
	if list := g.byMeaning[plainDefinition(e.Definition)]; len(list) > 0 {
		return list[0]
	}
	return nil
}

// plainDefinition is the same whether a definition stands as it is or as a
// clause: see definition.
func plainDefinition(s string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Join(strings.Fields(s), " "), "."))
}

// sameDefinition compares two of them, whichever way they stand.
func sameDefinition(a, b string) bool { return a == b || plainDefinition(a) == plainDefinition(b) }
