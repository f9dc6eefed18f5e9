package stages

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// The entries of a context that are no candidates.
const (
	minOthers = 2
	maxOthers = 6
)

func termName(t *sop.Term) string { return t.Term }

// termFamily makes the rows of one family of a view over the glossary. Its
// candidates are a subject and what stands in for it: declared confusables,
// and terms of another type that are alike by name or use.
func (w *conceptJob) termFamily(view string) error {
	m := w.opts.Ratio[0]
	var subjects []*sop.Term
	for _, t := range w.terms {
		if w.askable(view, t) {
			subjects = append(subjects, t)
		}
	}
	if len(subjects) == 0 {
		w.drops[DropNoTerm]++
		return nil
	}
	t, inner := drawSubject(w, view, subjects, termName)
	candidates := w.candidates(view, t, inner, m)
	if candidates == nil {
		w.drops[DropNegatives]++
		return nil
	}
	for _, t := range candidates {
		w.enter(view, t.Term)
	}
	// Only of those that are told apart from all others can be asked.
	var known []*sop.Term
	for _, t := range candidates {
		if w.askable(view, t) && w.decided(t, candidates) {
			known = append(known, t)
		}
	}
	excerpt := shuffledOf(w.rng, append(w.others(candidates), candidates...))
	plain := shuffledOf(w.rng, known)
	plain = plain[:min(len(plain), w.plain(m+1))]
	style := w.termStyle()
	kept := 0
	for _, right := range shuffledOf(w.rng, candidates) {
		if kept == mirrored {
			break
		}
		r := termRow{view: view, candidates: candidates, excerpt: excerpt, right: right, subject: right, how: authored, stands: map[*sop.Term]*sop.Term{}}
		for _, t := range excerpt {
			r.stands[t] = t
		}
		if !slices.Contains(plain, right) {
			others := slices.DeleteFunc(slices.Clone(known), func(t *sop.Term) bool { return t == right })
			if len(others) == 0 {
				continue
			}
			r.subject, r.how = leastAsked(w, view, others, termName), exchanged
			w.exchange(&r)
		}
		d, reason := w.termRow(&r, style)
		if d == nil {
			w.drops[reason]++
			continue
		}
		asked := task{undone: view + "\x00" + namesKey(d.meta.Glossary) + r.subject.Term + " " + right.Term}
		if w.tasks[asked.undone] {
			w.drops[DropDuplicate]++
			continue
		}
		kept++
		w.count(view, r.subject.Term, r.how)
		if err := w.add(d, asked, r.how, false, nil); err != nil {
			return err
		}
	}
	return nil
}

// askable says whether the job may ask for what the term names.
func (w *conceptJob) askable(view string, t *sop.Term) bool {
	return w.own[t] && (view != text.ApplicationView || w.situations.Has(t))
}

// decided says whether every candidate is known to be wrong in t's place.
func (w *conceptJob) decided(t *sop.Term, candidates []*sop.Term) bool {
	return !slices.ContainsFunc(candidates, func(c *sop.Term) bool { return c != t && !w.For(t, c).Wrong() })
}

// Weights by which candidates are chosen; likeness counts from 0 to 1.
const (
	weighCircle   = 2    // it has been a candidate of the view before
	weighDeclared = 2    // it is a declared confusable
	weighDecided  = 0.75 // it and those chosen so far are told apart both ways
	weighAskable  = 1    // it can be asked for too
	weighUsed     = 0.5  // the procedure uses it
	weighChance   = 0.4
)

// rival is a term that is wrong in a subject's place.
type rival struct {
	place  int // in the glossary
	weight float64
	apart  bool // from all that are chosen
	chosen bool
}

// candidates returns t and m terms that are wrong in its place, or nil. Those
// of an inner subject are of the circle, as far as that goes.
func (w *conceptJob) candidates(view string, t *sop.Term, inner bool, m int) []*sop.Term {
	var rivals []rival
	all := w.All(t)
	for i := range all {
		s := &all[i]
		if s.Because == augment.Undecided {
			w.drops[DropUndecided]++
		}
		if !s.Wrong() {
			continue
		}
		r := rival{place: i, weight: s.Mean(), apart: true}
		for _, more := range []struct {
			is     bool
			weight float64
		}{
			{s.Because == augment.Confusable, weighDeclared}, {w.askable(view, s.Term), weighAskable}, {w.used[s.Term], weighUsed},
			{inner && w.circle[view][s.Term.Term], weighCircle},
		} {
			if more.is {
				r.weight += more.weight
			}
		}
		rivals = append(rivals, r)
	}
	chosen := []*sop.Term{t}
	for len(chosen) <= m {
		best, top := -1, -1.0
		for i := range rivals {
			r := &rivals[i]
			if r.chosen {
				continue
			}
			score := r.weight + weighChance*w.rng.Float64()
			if r.apart {
				score += weighDecided
			}
			if score > top {
				best, top = i, score
			}
		}
		if best < 0 {
			return nil
		}
		place := rivals[best].place
		rivals[best].chosen = true
		chosen = append(chosen, all[place].Term)
		for i := range rivals {
			r := &rivals[i]
			r.apart = r.apart && (r.place == place || w.At(r.place, place).Wrong())
		}
	}
	return chosen
}

// others draws further entries, about half of them among the procedure's terms:
// none that words what a candidate words, and not one alone, whose meaning could
// not be exchanged.
func (w *conceptJob) others(candidates []*sop.Term) []*sop.Term {
	var list []*sop.Term
	want := minOthers + w.rng.IntN(maxOthers-minOthers+1)
	draw := func(from []*sop.Term, upTo int) {
		for _, t := range shuffledOf(w.rng, from) {
			same := slices.ContainsFunc(candidates, func(c *sop.Term) bool {
				return c == t || w.For(c, t).Because == augment.Synonym || c.Of != "" && c.Of == t.Of
			})
			if !same && len(list) < upTo && !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	draw(w.terms, want/2)
	draw(w.Domain.Glossary, want)
	if len(list) == 1 {
		return nil
	}
	return list
}

// exchange gives every entry the meaning of another one, the right answer that
// of the subject. Candidates exchange among themselves, so that none comes to
// mean something undecided.
func (w *conceptJob) exchange(r *termRow) {
	order := []*sop.Term{r.right, r.subject}
	for _, t := range shuffledOf(w.rng, r.candidates) {
		if t != r.right && t != r.subject {
			order = append(order, t)
		}
	}
	chain(r.stands, order)
	var rest []*sop.Term
	for _, t := range r.excerpt {
		if !slices.Contains(r.candidates, t) {
			rest = append(rest, t)
		}
	}
	chain(r.stands, shuffledOf(w.rng, rest))
}

// partner is the term that a discrimination sets against the right one: the
// one whose meaning is asked for, or a declared confusable, else the one most
// alike.
func (w *conceptJob) partner(r *termRow) *sop.Term {
	if r.subject != r.right {
		return r.subject
	}
	var best *sop.Term
	top := -1.0
	for _, t := range r.candidates {
		if t == r.right {
			continue
		}
		s := w.For(r.right, t)
		score := s.Mean()
		if s.Because == augment.Confusable {
			score += 1 + w.rng.Float64()
		}
		if score > top {
			best, top = t, score
		}
	}
	return best
}

// definition is a definition in the middle of a text: as it stands, or as a
// clause.
func definition(t *sop.Term, rng *rand.Rand) string {
	s := strings.Join(strings.Fields(t.Definition), " ")
	if rng.IntN(2) == 0 {
		return s
	}
	r := []rune(strings.TrimSuffix(s, "."))
	if len(r) > 1 && !unicode.IsUpper(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}
