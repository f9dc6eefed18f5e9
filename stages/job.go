package stages

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
)

// Reasons for which something was not made into a row.
const (
	DropVariant   = "variant_undefined"   // the variant cannot be built
	DropScenario  = "no_scenario"         // it has no consistent scenario
	DropPositive  = "no_positive"         // a scenario has no workflow without fault and waste
	DropAtOnce    = "denied_at_once"      // enough groups are refused without a call
	DropNegatives = "too_few_negatives"   // fewer provably wrong answers than the ratio wants
	DropAmbiguous = "ambiguous_arguments" // two calls are bound alike: an answer would not tell them apart
	DropOften     = "right_too_often"     // the answer, or the outcome, was right more often than others
	DropDuplicate = "duplicate"           // the same context, query and positive again
	DropRecords   = "no_records"          // of a running domain in which the facts hold
	DropThrows    = "tool_throws"         // a right workflow has a call that the running domain cannot make
	DropTooLong   = "too_long"            // more tokens than a row may have, whatever rules are left out
	DropShortfall = "shortfall"           // groups asked for and not made

	// A survey of naive edits, evenly drawn; nothing is lost by them. Detail is
	// operator/how.
	SurveyCorrect  = "naive_edit_correct"  // the result is right: it would be a false negative
	SurveyWasteful = "naive_edit_wasteful" // the result is only needlessly long
	SurveyWrong    = "naive_edit_wrong"
)

const (
	attemptsPerGroup = 12 // after that many in vain a job gives up
	longPerGroup     = 6  // after that many that are too long it does, too
	repeatsPerGroup  = 6  // after that many tasks that differ by names alone they are taken
	variantsPerJob   = 8
	// groupsPerVariant is how many groups stage 2 draws around a variant: a
	// variant and its neighbours cost more than the cases that are drawn of them.
	groupsPerVariant = 40
	// Stages 1 and 3 ask about the variant itself.
	groupsPerConceptVariant = 4
	groupsPerGraphVariant   = 8
)

// worker makes the rows of one job.
type worker struct {
	*Job
	opts     Options
	units    *units
	foreign  []*sop.Tree // rules of other procedures that a row may have
	judge    *judge
	refusals int // among right workflows, beyond those that are none
	records  any // of the last scenario of the exchange that was executed
	offered  map[string]offered
	rng      *rand.Rand
	batch    *dataset.Batch
	seen     map[string]bool // rows
	tasks    map[string]bool // that have a row
	patience int             // see repeats
	drops    map[string]int
	made     int
}

func (j *Job) worker(o Options, batch *dataset.Batch) *worker {
	return &worker{
		Job: j, opts: o, rng: newRand(o.Seed, "job", j.Stage, j.Domain.Name, j.Procedure.Goal, j.Index), batch: batch,
		judge: newJudge(), seen: map[string]bool{}, tasks: map[string]bool{}, drops: map[string]int{}, offered: map[string]offered{},
		patience: j.Groups * repeatsPerGroup,
	}
}

// run fills the batch with the rows and drops of a job of stage 2 or 3.
func (j *Job) run(o Options, batch *dataset.Batch) error {
	if j.Stage == 3 {
		return j.runGraph(o, batch)
	}
	w := j.sequences(o, batch)
	begin := 0 // which view comes first, so that small jobs together have both
	if fraction(o.Seed, "view", j.Name()) < 0.5 {
		begin = 1
	}
	for i := begin; i < begin+j.Groups*attemptsPerGroup && w.wants(); i++ {
		u, reason := w.units.draw()
		if u == nil {
			w.drops[reason]++
			continue
		}
		var err error
		if i%2 == 0 {
			err = w.workflowRows(u)
		} else {
			err = w.nextRows(u)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", j.Name(), err)
		}
	}
	return w.report()
}

// wants tells whether to go on.
func (w *worker) wants() bool {
	return w.made < w.Groups && w.drops[DropTooLong] < w.Groups*longPerGroup
}

// sequences is the worker of a stage-2 job.
func (j *Job) sequences(o Options, batch *dataset.Batch) *worker {
	w := j.worker(o, batch)
	w.units = &units{pool: newPool(j.Domain, j.Procedure, o.Seed), rng: w.rng}
	loan := j.borrows()
	w.units.pool.borrow(loan, loan.most)
	w.foreign = w.units.pool.lent
	for i := range 2 + j.Groups/groupsPerVariant {
		w.units.variants = append(w.units.variants, j.Index+i*j.Of)
	}
	return w
}

// task is what is asked for and what is right, however they are worded: under the
// domain's own names, and the names that it has.
type task struct{ undone, names string }

func (t task) written() string { return t.undone + "\x00" + t.names }

// repeats tells whether the job has a row of the task, or of one that differs by
// names alone, unless there were too many of these.
func (w *worker) repeats(t task) bool {
	if w.tasks[t.undone] && w.patience > 0 {
		w.patience--
		return true
	}
	return w.tasks[t.written()]
}

// report adds what the job dropped, in a fixed order.
func (w *worker) report() error {
	add := func(reason, detail string, n int) error {
		if n == 0 {
			return nil
		}
		return w.batch.Drop(dataset.Drop{Job: w.Name(), Reason: reason, Detail: detail, Count: n})
	}
	for _, reason := range sortedKeys(w.drops) {
		if err := add(reason, "", w.drops[reason]); err != nil {
			return err
		}
	}
	if err := add(DropShortfall, w.shortfall(), w.Groups-w.made); err != nil {
		return err
	}
	keys := slices.SortedFunc(maps.Keys(w.judge.survey), func(a, b surveyKey) int {
		return strings.Compare(a.detail(), b.detail())
	})
	for _, k := range keys {
		n := w.judge.survey[k]
		for _, err := range []error{
			add(SurveyCorrect, k.detail(), n.correct), add(SurveyWasteful, k.detail(), n.wasteful),
			add(SurveyWrong, k.detail(), n.tried-n.correct-n.wasteful),
		} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// shortfall says what kept the job from its groups most often.
func (w *worker) shortfall() string {
	detail := fmt.Sprintf("%d of %d groups made", w.made, w.Groups)
	reason := ""
	for _, r := range sortedKeys(w.drops) {
		if w.drops[r] > w.drops[reason] {
			reason = r
		}
	}
	if reason != "" {
		detail += ", limited by " + reason
	}
	return detail
}

// add takes the draft of a task if it is no duplicate and still wanted. Where it
// has too many tokens, the first of the shorter ones that has not takes its
// place.
func (w *worker) add(d *draft, t task, how string, around bool, shorter shorter) error {
	err := w.take(d, t, how, around)
	if !errors.Is(err, dataset.ErrTooLong) {
		return err
	}
	if shorter == nil {
		shorter = func(func(*draft, task) bool) {}
	}
	for d, t := range shorter {
		if err := w.take(d, t, how, around); !errors.Is(err, dataset.ErrTooLong) {
			return err
		}
	}
	w.drops[DropTooLong]++
	return nil
}

func (w *worker) take(d *draft, t task, how string, around bool) error {
	if w.made >= w.Groups {
		return nil
	}
	row := d.row
	key := digest(row.Context, row.Query, row.Positive.Payload)
	if w.seen[key] {
		w.drops[DropDuplicate]++
		return nil
	}
	d.meta.Unit, d.meta.Centred = how, around
	d.meta.Job = w.Name()
	row.Meta = encode(d.meta)
	row.ID = fmt.Sprintf("s%d-%s-%s-%s", row.Stage, row.Domain, row.Procedure, key)
	if err := w.batch.Add(row); err != nil {
		return err
	}
	w.seen[key], w.tasks[t.undone], w.tasks[t.written()] = true, true, true
	w.made++
	return nil
}
