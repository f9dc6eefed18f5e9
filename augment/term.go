package augment

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/fmsop/fmsop/sop"
)

// Substitute puts another term in the place of the right one (paper, Eq. 6).
// It is the one operator of stage 1.
const Substitute Operator = "substitution"

// Reasons for which a term is wrong in the place of another. Undecided means
// that nothing says so: such a substitution is no negative.
const (
	Confusable = "confusable" // declared so, with the authored reason
	OtherType  = "type"       // terms of two types do not name one thing
	Undecided  = ""
)

// Substitution is a term in the place of another one.
type Substitution struct {
	Term    *sop.Term
	Because string // Confusable, OtherType or Undecided
	// NotBecause is the authored reason of a declared confusable.
	NotBecause string
	Similarity
}

// Similarity says how alike two terms are, each from 0 to 1.
type Similarity struct {
	ByName float64 // one minus the normalised edit distance of the two names
	ByUse  float64 // what they are used in: both, of either
}

// Mean of the two.
func (s Similarity) Mean() float64 { return (s.ByName + s.ByUse) / 2 }

// Substitutions lists every other term of the glossary in the place of t, but
// none that means the same: declared confusables first, then terms of another
// type, then what is undecided; each by falling similarity.
func Substitutions(t *sop.Term, glossary []*sop.Term) []Substitution {
	var list []Substitution
	for _, other := range glossary {
		if other == t || Synonymous(t, other) {
			continue
		}
		s := Substitution{Term: other, Similarity: Alike(t.Term, other.Term, t.UsedIn, other.UsedIn)}
		s.Because, s.NotBecause = because(t, other)
		list = append(list, s)
	}
	rank := map[string]int{Confusable: 0, OtherType: 1, Undecided: 2}
	slices.SortStableFunc(list, func(a, b Substitution) int {
		return cmp.Or(cmp.Compare(rank[a.Because], rank[b.Because]), cmp.Compare(b.Mean(), a.Mean()), strings.Compare(a.Term.Term, b.Term.Term))
	})
	return list
}

// because decides from what is declared alone. Two terms that word the same
// thing of the domain are never told apart by their types.
func because(t, other *sop.Term) (reason, notBecause string) {
	for _, c := range t.Confusables {
		if c.Term == other.Term {
			return Confusable, c.NotBecause
		}
	}
	if t.Type != other.Type && (t.Of == "" || t.Of != other.Of) {
		return OtherType, ""
	}
	return Undecided, ""
}

// Synonymous tells whether a word of one term stands for the other too.
func Synonymous(a, b *sop.Term) bool {
	words := append([]string{a.Term}, a.Synonyms...)
	return slices.ContainsFunc(append([]string{b.Term}, b.Synonyms...), func(w string) bool {
		return slices.ContainsFunc(words, func(v string) bool { return strings.EqualFold(v, w) })
	})
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
