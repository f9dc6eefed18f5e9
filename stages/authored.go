package stages

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// Why what a model proposed is not taken.
const (
	RefusedName      = "name"          // no identifier, or one that is taken
	RefusedQuote     = "quote"         // does not stand in the document
	RefusedUnknown   = "unknown"       // names what was not proposed
	RefusedCycle     = "cycle"         // its own dependencies go round
	RefusedTooLarge  = "too_large"     // for the oracle
	RefusedNone      = "no_negative"   // nothing of what it called wrong is
	RefusedRight     = "still_right"   // called wrong, and it is not
	RefusedWasteful  = "only_wasteful" // called wrong, and it is no more than too long
	RefusedTwice     = "duplicate"     // the same again
	RefusedTerm      = "no_such_term"  // not in the document
	RefusedSynonym   = "synonym"       // a distractor that is the term, or a synonym of it
	RefusedGivesAway = "gives_away"    // the definition has the term in it
	RefusedDefined   = "no_definition" // or one that cannot be quoted
	RefusedUndecided = "undecided"     // within the oracle's bounds
)

// The names that stage 1, 2 and 3 have in counts of what was proposed; those of
// negatives add Wrong.
const Wrong = " negatives"

// Finish is the end of a workflow that a model proposed.
const Finish = "finish"

// Authored is a document that a model has read, and where.
type Authored struct {
	Document string // its name
	Domain   string // an identifier
	Text     string // what the model was given: the document or a part of it
	Part     int
	Seed     uint64
	By       dataset.Author
}

// Authorship is what the meta of an authored row says of it.
type Authorship struct {
	dataset.Author
	Document string   `json:"document"`
	Quotes   []string `json:"quotes"` // of the document: what the model's reading goes by
}

// ProposedStep is a step that a model found in a document.
type ProposedStep struct {
	Name  string   `json:"name" jsonschema:"a short identifier in snake_case"`
	Text  string   `json:"text" jsonschema:"what is done, in a few words"`
	Quote string   `json:"quote" jsonschema:"the words of the document that say so, copied exactly"`
	After []string `json:"after" jsonschema:"the names of all that must be done or known before this step"`
}

// ProposedCondition is a precondition that a model found.
type ProposedCondition struct {
	Name    string `json:"name" jsonschema:"a short identifier in snake_case"`
	Text    string `json:"text" jsonschema:"what has to be so"`
	Quote   string `json:"quote" jsonschema:"the words of the document that say so, copied exactly"`
	FoundBy string `json:"found_by" jsonschema:"the name of the step that finds it out, or conversation"`
}

// ProposedEdit makes a graph wrong: what a step needs besides, or no longer.
type ProposedEdit struct {
	Step string   `json:"step"`
	Add  []string `json:"add,omitempty"`
	Drop []string `json:"drop,omitempty"`
}

// ProposedTerm is a term that a model found, and words that could be mistaken
// for it.
type ProposedTerm struct {
	Term        string   `json:"term" jsonschema:"as the document writes it"`
	Definition  string   `json:"definition" jsonschema:"what it means there, without the term itself"`
	Quote       string   `json:"quote" jsonschema:"the words of the document that say so, copied exactly"`
	Synonyms    []string `json:"synonyms" jsonschema:"other words for the same"`
	Distractors []string `json:"distractors" jsonschema:"other terms of the document, that do not mean this"`
}

// Counted is what became of proposals, by stage and for negatives apart.
type Counted map[string]*dataset.Proposals

func (c Counted) add(name, refused string) {
	p := &dataset.Proposals{Asked: 1, Accepted: 1, Refused: map[string]int{}}
	if refused != "" {
		p.Accepted, p.Refused[refused] = 0, 1
	}
	dataset.AddProposals(c, map[string]*dataset.Proposals{name: p})
}

// Quotes tells whether the words stand in the document, however the lines
// break.
func Quotes(document, words string) bool {
	words = strings.Join(strings.Fields(words), " ")
	return words != "" && strings.Contains(strings.Join(strings.Fields(document), " "), words)
}

// graph is what the model's reading means: every step needs what it comes
// after, and the end needs every step.
func (a *Authored) graph(steps []ProposedStep, conditions []ProposedCondition) (g *sop.Graph, quotes []string, refused string) {
	g = &sop.Graph{Goal: Finish, Requires: map[string]*sop.Tree{}, EstablishedBy: map[string]*sop.Tree{},
		DependsOn: map[string]*sop.Tree{}, Excludes: [][]string{}, Effects: map[string]map[string]bool{}}
	free := func(name string) bool {
		_, step := g.Requires[name]
		return sop.IsIdentifier(name) && !step && g.EstablishedBy[name] == nil && !slices.Contains([]string{Finish, sop.Deny, sop.Conversation}, name)
	}
	for _, s := range steps {
		if !free(s.Name) {
			return nil, nil, RefusedName
		}
		g.Requires[s.Name], g.EstablishedBy[s.Name] = nil, sop.L(s.Name)
		quotes = append(quotes, s.Quote)
	}
	for _, c := range conditions {
		if !free(c.Name) {
			return nil, nil, RefusedName
		}
		if _, step := g.Requires[c.FoundBy]; !step && c.FoundBy != sop.Conversation {
			return nil, nil, RefusedUnknown
		}
		g.EstablishedBy[c.Name] = sop.L(c.FoundBy)
		quotes = append(quotes, c.Quote)
	}
	for _, q := range quotes {
		if !Quotes(a.Text, q) {
			return nil, nil, RefusedQuote
		}
	}
	last := map[string]bool{}
	for _, s := range steps {
		last[s.Name] = true
	}
	for _, s := range steps {
		for _, name := range s.After {
			if g.EstablishedBy[name] == nil {
				return nil, nil, RefusedUnknown
			}
			delete(last, name)
		}
		g.Requires[s.Name] = allOf(s.After)
	}
	g.Requires[Finish] = allOf(sortedKeys(last))
	g.Outcomes = []sop.Outcome{{End: Finish, Tree: g.Requires[Finish]}, {End: sop.Deny}}
	switch {
	case g.Cycle() != nil || len(last) == 0:
		return nil, nil, RefusedCycle
	case len(g.EstablishedBy) > mostAuthored:
		return nil, nil, RefusedTooLarge
	}
	return g.Canonical(), quotes, ""
}

// mostAuthored is how many steps and conditions together the oracles take
// whole.
const mostAuthored = 16

// allOf demands all of the names; nil for none.
func allOf(names []string) *sop.Tree {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	var leaves []*sop.Tree
	for _, n := range names {
		leaves = append(leaves, sop.L(n))
	}
	switch len(leaves) {
	case 0:
		return nil
	case 1:
		return leaves[0]
	}
	return sop.T(sop.All, leaves...)
}
