package stages

import (
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
	named    map[*cell][]text.Named
	asked    map[string]int // rows by view and subject
	ahead    int            // rows under authored meanings more than under exchanged ones
}

// mirrored is how many rows of a family are kept. If all were, the one that is
// still to be right could be told from the others.
const mirrored = 2

// runConcept fills the batch with the job's stage-1 rows and drops.
func (j *Job) runConcept(o Options, g *glossary, batch *dataset.Batch) error {
	rng := newRand(o.Seed, "job", j.Stage, j.Domain.Name, j.Procedure.Goal, j.Index)
	w := &conceptJob{
		worker:   &worker{Job: j, opts: o, rng: rng, batch: batch, judge: newJudge(), seen: map[string]bool{}, drops: map[string]int{}},
		glossary: g, pool: newPool(j.Domain, j.Procedure, o.Seed),
		used: map[*sop.Term]bool{}, own: map[*sop.Term]bool{}, named: map[*cell][]text.Named{}, asked: map[string]int{},
	}
	for i := range max(variantsPerJob, j.Groups/12) {
		w.variants = append(w.variants, j.Index+i*j.Of)
	}
	for _, t := range j.Domain.Glossary {
		if slices.Contains(t.UsedIn, j.Procedure.Goal) {
			w.terms, w.used[t] = append(w.terms, t), true
			w.own[t] = j.Split == "" || w.splitOfTerm(t) == j.Split
		}
	}
	views := text.ConceptViews
	for i := range max(4*len(views), j.Groups*attemptsPerGroup/mirrored) {
		if w.made >= j.Groups {
			break
		}
		if i%len(views) == 0 {
			views = shuffledOf(rng, views)
		}
		var err error
		switch view := views[i%len(views)]; view {
		case text.ConditionWordingView, text.ToolChoiceView:
			err = w.nameFamily(view)
		default:
			err = w.termFamily(view)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", j.Name(), err)
		}
	}
	return w.report()
}

func shuffledOf[T any](rng *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	return list
}

// splitOfTerm keeps the rows of a term in one split, whichever procedures use
// it: that of one of them, drawn from the seed, or one of its own where each
// scenario decides.
func (w *conceptJob) splitOfTerm(t *sop.Term) string {
	if w.Split == "" {
		return scenarioSplit(w.opts.Seed, w.Domain, "", "term "+t.Term)
	}
	owner, least := "", 2.0
	for _, goal := range t.UsedIn {
		if x := fraction(w.opts.Seed, "term", w.Domain.Name, t.Term, goal); x < least && w.Domain.Procedure(goal) != nil {
			owner, least = goal, x
		}
	}
	if split, ok := w.Splits[w.Domain.Name+"/"+owner]; ok {
		return split
	}
	return w.Split // all of the domain are in one
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

// chain gives each of a list the next one, the last the first; a list of one
// stays as it is.
func chain[T comparable](m map[T]T, list []T) {
	for i, x := range list {
		m[x] = list[(i+1)%len(list)]
	}
}
