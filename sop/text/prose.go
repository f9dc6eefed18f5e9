package text

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fmsop/fmsop/sop"
)

// Why a rewording is refused, besides the kinds of marks.
const (
	RefusedLayout   = "layout"    // no single line of plain text
	RefusedLength   = "length"    // much longer than what it rewords
	RefusedAdded    = "added"     // more new words than went for them
	RefusedNearCopy = "near_copy" // hardly another wording
	RefusedSequence = "sequence"  // the same marks in another order
	RefusedReading  = "reading"   // the reader of the style reads something else
	RefusedWording  = "wording"   // a query that is nearer to another wording
)

// NearCopy is the similarity, see Similarity, over which a rewording is a
// near-copy.
const NearCopy = 0.8

// Refusal is why a rewording is not taken.
type Refusal struct {
	Reason string // one of the constants, or the kind of the mark that differs
	Detail string
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Detail }

// Prose decides whether free prose about a domain was reworded without loss. It
// reads out of a text its marks: names, numbers, the domain's terms, actions,
// and the words that carry logic (negations, exceptions, conditions, bounds,
// orders and so on). A rewording has to have the same marks in the same order.
// What it does not know are the other words, so that it errs on the side of
// refusing: many a good rewording is refused, no mark is lost.
type Prose struct {
	terms map[string]bool // by stem
	names []string        // the longest first
}

// NewProse takes the words of the domain and the examples of its parameters.
func NewProse(d *sop.Domain) *Prose {
	p := &Prose{terms: map[string]bool{}}
	words := func(texts ...string) {
		for _, t := range texts {
			for _, w := range proseTermWords.FindAllString(strings.ToLower(t), -1) {
				if stem := proseStem(w); len(w) > 2 && !proseStop[w] && !proseStop[stem] && proseOperators[w] == (proseMark{}) {
					p.terms[stem] = true
				}
			}
		}
	}
	words(d.Title)
	for key, v := range d.Parameters {
		words(key, v.Noun, v.Label)
		for _, e := range v.Examples {
			p.names = append(p.names, scnPlain(e))
		}
	}
	for key, v := range d.Values {
		words(key, v.Text, v.Record)
	}
	for key, v := range d.Thresholds {
		words(key, v.Text)
	}
	for key, c := range d.Conditions {
		words(key, c.Text, c.Negated, c.RecordTrue, c.RecordFalse)
	}
	for key, a := range d.Actions {
		words(key, a.Text)
	}
	for _, t := range d.Glossary {
		words(t.Term)
		words(t.Synonyms...)
	}
	for _, proc := range d.Procedures {
		words(proc.Title)
	}
	p.names = proseNames(p.names)
	return p
}

var proseTermWords = regexp.MustCompile(`[a-z]+`)

// proseNames are those that have to be looked for, the longest first. Plain
// numbers are read as such, with their units.
func proseNames(list []string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(n string) bool { return strings.TrimSpace(n) == "" || scnDigits.MatchString(n) })
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(list)
}

// Kept returns nil where the rewording says the same as far as marks tell, is
// one line, not much longer, and no near-copy. Bindings are those of the case
// that the text is about, if it is: their values are names too.
func (p *Prose) Kept(original, rewording string, bindings map[string]any) *Refusal {
	if why := proseLayout(rewording); why != "" {
		return &Refusal{RefusedLayout, why}
	}
	was, now := proseWords(original), proseWords(rewording)
	if most := len(was) + len(was)/2 + 4; len(now) > most {
		return &Refusal{RefusedLength, fmt.Sprintf("%d words for %d, want at most %d", len(now), len(was), most)}
	}
	names := p.names
	if len(bindings) > 0 {
		names = slices.Clone(names)
		for _, value := range bindings {
			names = append(names, scnPlain(value))
		}
		names = proseNames(names)
	}
	a, b := proseTokens(original, names), proseTokens(rewording, names)
	known := proseStemsOf(a, b)
	if r := proseCompare(p.marks(a, known), p.marks(b, known)); r != nil {
		return r
	}
	if words := p.added(a, b); words != "" {
		return &Refusal{RefusedAdded, words + " has nothing in the original that went for it"}
	}
	if s := Similarity(original, rewording); s > NearCopy {
		return &Refusal{RefusedNearCopy, fmt.Sprintf("similarity %.2f, want at most %.2f", s, NearCopy)}
	}
	return nil
}

// added lists the words of the second text that are new, where they are more
// than those of the first that are gone: then some of them say more than it
// did.
func (p *Prose) added(was, now []proseToken) string {
	before, after := p.free(was), p.free(now)
	gone := 0
	for stem := range before {
		if !after[stem] {
			gone++
		}
	}
	var fresh []string
	for stem := range after {
		if !before[stem] {
			fresh = append(fresh, strconv.Quote(stem))
		}
	}
	if len(fresh) <= gone {
		return ""
	}
	slices.Sort(fresh)
	return strings.Join(fresh, ", ")
}

// proseLayout is why the text cannot stand in the place of prose.
func proseLayout(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "it is not UTF-8"
	case strings.TrimSpace(s) == "":
		return "it is empty"
	case s != strings.TrimSpace(s):
		return "it begins or ends with a blank"
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "it has a line break or a control character"
	case proseStart.MatchString(s):
		return "it begins like a heading, a list or a table"
	case strings.Count(s, "`")%2 == 1 || strings.Count(s, "“") != strings.Count(s, "”"):
		return "a quotation is not closed"
	}
	return ""
}

var proseStart = regexp.MustCompile("^(?:[#|>*•]|- |---|```|\\[[ x]\\]|R?\\d+[.):])")

// Similarity is 2·l/(n+m) for two texts of n and m words whose longest common
// subsequence has l: 1 for equal words, 0 for none in common. Case and
// punctuation do not count.
func Similarity(a, b string) float64 {
	x, y := proseWords(a), proseWords(b)
	if len(x)+len(y) == 0 {
		return 1
	}
	row := make([]int, len(y)+1)
	for i := range x {
		diagonal := 0
		for j := range y {
			above := row[j+1]
			if x[i] == y[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return 2 * float64(row[len(y)]) / float64(len(x)+len(y))
}

func proseWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// proseCompare says what the second list lacks or has too much.
func proseCompare(was, now []proseMark) *Refusal {
	if slices.Equal(was, now) {
		return nil
	}
	left := map[proseMark]int{}
	for _, m := range was {
		left[m]++
	}
	for _, m := range now {
		left[m]--
	}
	var worst proseMark
	for m, n := range left {
		if n != 0 && (worst.kind == "" || proseRank(m) < proseRank(worst) || proseRank(m) == proseRank(worst) && m.word < worst.word) {
			worst = m
		}
	}
	switch n := left[worst]; {
	case worst.kind == "":
		return &Refusal{RefusedSequence, "what is named stands in another order"}
	case n > 0:
		return &Refusal{worst.kind, fmt.Sprintf("%q is missing", worst.word)}
	default:
		return &Refusal{worst.kind, fmt.Sprintf("%q was added", worst.word)}
	}
}

func proseRank(m proseMark) int { return slices.Index(MarkKinds, m.kind) }
