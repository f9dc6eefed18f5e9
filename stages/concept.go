package stages

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

// Reasons for which stage 1 leaves something out.
const (
	DropUndecided = "undecided" // a substitution of which nothing says that it is wrong
	DropNoTerm    = "no_term"   // the procedure has no term, or too few names, for the view
	DropSeveral   = "ambiguous" // the words of a query speak of two candidates
)

// How the context of a concept row gives its names their meanings.
const (
	authored  = "authored"  // as the domain does
	exchanged = "exchanged" // each has that of another one
)

// conceptJob makes the stage-1 rows of one job.
//
// Rows come in families: m+1 candidates, each of which would be the right
// answer to one row and wrong in the others, about half of them where names
// have their authored meanings, the others where meanings are exchanged. Of
// each family some rows, drawn evenly, are kept: mirrors of each other. So every
// candidate is as likely to be right, and neither the answer by itself nor its
// length nor its likeness to the other answers tells anything.
type conceptJob struct {
	*worker
	*glossary
	pool     *pool
	variants []int
	terms    []*sop.Term        // used in the procedure
	used     map[*sop.Term]bool // the same
	own      map[*sop.Term]bool // those whose rows belong to the job's split
	calls    []string           // of the domain, in the job's order
	named    map[*cell][]text.Named
	asked    map[string]int             // rows by view and subject
	rows     map[string]int             // by view
	vain     map[string]int             // families of a view without a row, since the last with one
	circle   map[string]map[string]bool // all that have been candidates, by view
	ahead    int                        // rows under authored meanings more than under exchanged ones
}

// mirrored is how many rows of a family are kept. If all were, the one that is
// still to be right could be told from the others.
const mirrored = 2

// runConcept fills the batch with the job's stage-1 rows and drops.
func (j *Job) runConcept(o Options, g *glossary, batch *dataset.Batch) error {
	w := &conceptJob{
		worker: j.worker(o, batch), glossary: g, pool: newPool(j.Domain, j.Procedure, o.Seed),
		used: map[*sop.Term]bool{}, own: map[*sop.Term]bool{}, named: map[*cell][]text.Named{}, asked: map[string]int{},
		rows: map[string]int{}, vain: map[string]int{}, circle: map[string]map[string]bool{},
	}
	w.pool.borrow(j.borrows(), maxLent)
	w.foreign = w.pool.lent
	for i := range max(variantsPerJob, j.Groups/groupsPerConceptVariant) {
		w.variants = append(w.variants, j.Index+i*j.Of)
	}
	for _, t := range j.Domain.Glossary {
		if slices.Contains(t.UsedIn, j.Procedure.Goal) {
			w.terms, w.used[t] = append(w.terms, t), true
			w.own[t] = j.Split == "" || w.splitOfTerm(t) == j.Split
		}
	}
	w.calls = shuffledOf(w.rng, sortedKeys(j.Domain.Actions))
	for range max(4*len(text.ConceptViews), j.Groups*attemptsPerGroup/mirrored) {
		if !w.wants() {
			break
		}
		view, before := w.nextView(), w.made
		var err error
		switch view {
		case text.ConditionWordingView, text.ToolChoiceView:
			err = w.nameFamily(view)
		default:
			err = w.termFamily(view)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", j.Name(), err)
		}
		if w.vain[view]++; w.made > before {
			w.vain[view] = 0
		}
	}
	return w.report()
}

func shuffledOf[T any](rng *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	return list
}

// inVain is how often a view may fail in a row before the others take over.
const inVain = 4

// nextView draws a view: one that the plan still wants rows of, else one that
// can be made.
func (w *conceptJob) nextView() string {
	var wanted, possible []string
	for _, v := range text.ConceptViews {
		if w.vain[v] < inVain {
			possible = append(possible, v)
			if w.rows[v] < w.Views[v] {
				wanted = append(wanted, v)
			}
		}
	}
	for _, list := range [][]string{wanted, possible, text.ConceptViews} {
		if len(list) > 0 {
			return list[w.rng.IntN(len(list))]
		}
	}
	panic("no view")
}

// splitOfTerm is one of the job's units, or a split of the term's own where
// each scenario decides.
func (w *conceptJob) splitOfTerm(t *sop.Term) string {
	if w.Split == "" {
		return scenarioSplit(w.opts.Seed, w.Domain, "", "term "+t.Term)
	}
	return cmp.Or(splitOfTerm(w.opts.Seed, w.Domain, t, w.Splits), w.Split) // all of the domain may be in one
}

// plain says how many of n rows are asked under authored meanings, so that in
// the long run half of them are.
func (w *conceptJob) plain(n int) int {
	if w.ahead > 0 {
		return n / 2
	}
	return (n + 1) / 2
}

func (w *conceptJob) count(view, subject, how string) {
	w.rows[view]++
	w.asked[view+"/"+subject]++
	if how == authored {
		w.ahead++
	} else {
		w.ahead--
	}
}

// leastAsked returns the subject that has had the fewest rows in a view; of
// several, one at random. The list must not be empty.
func leastAsked[T any](w *conceptJob, view string, list []T, name func(T) string) T {
	list = shuffledOf(w.rng, list)
	return slices.MinFunc(list, func(a, b T) int { return w.asked[view+"/"+name(a)] - w.asked[view+"/"+name(b)] })
}

// rowsEach is how many rows a view has for each candidate in its circle before
// the circle grows.
const rowsEach = 2

// drawSubject draws the subject of a family: one of the view's circle, those that
// have been candidates, until there are rows enough to widen it. An inner subject
// is set against others of the circle. So few rows have few candidates, and most
// of those that are wrong in one row are right in another. The list must not be
// empty.
func drawSubject[T any](w *conceptJob, view string, list []T, name func(T) string) (x T, inner bool) {
	var inside, outside []T
	circle := w.circle[view]
	for _, x := range list {
		if circle[name(x)] {
			inside = append(inside, x)
		} else {
			outside = append(outside, x)
		}
	}
	inner = len(outside) == 0 || len(inside) > 1 && len(circle)*rowsEach > w.rows[view]
	if inner {
		outside = inside
	}
	return leastAsked(w, view, outside, name), inner
}

// enter takes a candidate into the circle of a view.
func (w *conceptJob) enter(view, name string) {
	if w.circle[view] == nil {
		w.circle[view] = map[string]bool{}
	}
	w.circle[view][name] = true
}

// chain gives each of a list the next one, the last the first; a list of one
// stays as it is.
func chain[T comparable](m map[T]T, list []T) {
	for i, x := range list {
		m[x] = list[(i+1)%len(list)]
	}
}
