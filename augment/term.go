package augment

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/fmsop/fmsop/sop"
)

// Substitute puts another term in the place of the right one (paper, Eq. 6).
// It is the one operator of stage 1.
const Substitute Operator = "substitution"

// What speaks for or against a term in the place of another one. Undecided
// means that nothing does: such a substitution is no negative.
const (
	Confusable = "confusable" // wrong, declared so with the authored reason
	OtherType  = "type"       // wrong: terms of two types do not name one thing
	Synonym    = "synonym"    // right: a word of one stands for the other too
	Undecided  = ""
)

// Substitution is a term in the place of another one.
type Substitution struct {
	Term    *sop.Term
	Because string // Confusable, OtherType, Synonym or Undecided
	// NotBecause is the authored reason of a declared confusable.
	NotBecause string
	Similarity
}

// Wrong tells whether the term is known to be wrong there.
func (s *Substitution) Wrong() bool { return s.Because == Confusable || s.Because == OtherType }

// Similarity says how alike two terms are, each from 0 to 1.
type Similarity struct {
	ByName float64 // one minus the normalised edit distance of the two names
	ByUse  float64 // what they are used in: both, of either
}

// Mean of the two.
func (s Similarity) Mean() float64 { return (s.ByName + s.ByUse) / 2 }

// Substitutions holds every term of a glossary in the place of every other. It
// is only read once it is made.
type Substitutions struct {
	place map[*sop.Term]int
	all   [][]Substitution
}

// NewSubstitutions compares all terms of a glossary with each other.
func NewSubstitutions(glossary []*sop.Term) *Substitutions {
	s := &Substitutions{place: map[*sop.Term]int{}, all: make([][]Substitution, len(glossary))}
	for i, t := range glossary {
		s.place[t] = i
		s.all[i] = make([]Substitution, len(glossary))
	}
	for i, t := range glossary {
		for j, other := range glossary[:i+1] {
			alike := Alike(t.Term, other.Term, t.UsedIn, other.UsedIn)
			s.all[i][j], s.all[j][i] = substitution(t, other, alike), substitution(other, t, alike)
		}
	}
	for _, same := range namesakes(glossary) {
		for _, i := range same {
			for _, j := range same {
				s.all[i][j].Because, s.all[i][j].NotBecause = Synonym, ""
			}
		}
	}
	return s
}

// All returns the terms in the place of t, in the order of the glossary; t
// itself is there as a synonym. It is nil for a term of another glossary.
func (s *Substitutions) All(t *sop.Term) []Substitution {
	i, ok := s.place[t]
	if !ok {
		return nil
	}
	return s.all[i]
}

// For returns the other term in the place of t. Both are of the glossary.
func (s *Substitutions) For(t, other *sop.Term) *Substitution {
	return s.At(s.place[t], s.place[other])
}

// At is For, by where the terms stand in the glossary.
func (s *Substitutions) At(t, other int) *Substitution { return &s.all[t][other] }

// Place says where a term of the glossary stands in it.
func (s *Substitutions) Place(t *sop.Term) int { return s.place[t] }

// substitution decides from what is declared alone. Two terms that word the
// same thing of the domain are never told apart by their types.
func substitution(t, other *sop.Term, alike Similarity) Substitution {
	s := Substitution{Term: other, Similarity: alike}
	for _, c := range t.Confusables {
		if c.Term == other.Term {
			s.Because, s.NotBecause = Confusable, c.NotBecause
			return s
		}
	}
	if t.Type != other.Type && (t.Of == "" || t.Of != other.Of) {
		s.Because = OtherType
	}
	return s
}

// namesakes lists the places of the terms that have a word in common, by the
// word.
func namesakes(glossary []*sop.Term) map[string][]int {
	words := map[string][]int{}
	for i, t := range glossary {
		for _, w := range append([]string{t.Term}, t.Synonyms...) {
			w = strings.ToLower(w)
			if have := words[w]; !slices.Contains(have, i) {
				words[w] = append(have, i)
			}
		}
	}
	return words
}

// Alike compares two names and the places in which the two are used.
func Alike(a, b string, usedA, usedB []string) Similarity {
	s := Similarity{ByName: 1}
	x, y := strings.ToLower(a), strings.ToLower(b)
	if longer := max(utf8.RuneCountInString(x), utf8.RuneCountInString(y)); longer > 0 {
		s.ByName = 1 - float64(levenshtein.ComputeDistance(x, y))/float64(longer)
	}
	both := 0
	for _, u := range usedA {
		if slices.Contains(usedB, u) {
			both++
		}
	}
	if either := len(usedA) + len(usedB) - both; either > 0 {
		s.ByUse = float64(both) / float64(either)
	}
	return s
}
