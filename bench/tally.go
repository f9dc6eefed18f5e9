package bench

import "fmt"

// Tally adds up the outcomes of one file.
type Tally struct {
	File, Domain, Model, Mode string
	Counts
	// Parts are the counts of the tasks of each of [Parts]; nil where nothing is
	// known of the training.
	Parts []Counts
	// Errors counts the runs without a verdict, Unjudged those of them that are
	// run 0; Repeated those that are left out since an earlier item has the same
	// task.
	Errors, Unjudged, Repeated int
	// Differ lists by criterion the items where it is not as recorded, of Compared
	// that hold an evaluation.
	Compared int
	Differ   [7][]int
	// Changed lists by the name of a mend the items that it changes.
	Changed map[string][]int
	// FirstError is one of the Errors.
	FirstError string
}

// Counts adds up verdicts.
type Counts struct {
	Judged int
	// Passed and Runs count by the number of the run; the published pass rate
	// is that of run 0.
	Passed, Runs []int
	// True counts the verdicts in which a criterion holds, in the order of
	// [Criteria].
	True [7]int
}

func (c *Counts) add(run int, v *Verdict) {
	c.Judged++
	for len(c.Runs) <= run {
		c.Runs, c.Passed = append(c.Runs, 0), append(c.Passed, 0)
	}
	c.Runs[run]++
	if v.Success {
		c.Passed[run]++
	}
	for i, holds := range v.Values() {
		if holds {
			c.True[i]++
		}
	}
}

// First returns how many of the tasks passed in run 0.
func (c *Counts) First() (passed, of int) {
	if len(c.Runs) == 0 {
		return 0, 0
	}
	return c.Passed[0], c.Runs[0]
}

// Add counts an outcome.
func (t *Tally) Add(o Outcome) {
	t.File, t.Domain, t.Model, t.Mode = o.File, o.Domain, o.Model, o.Mode
	switch {
	case o.Repeated:
		t.Repeated++
		return
	case o.Verdict == nil:
		if o.Run == 0 {
			t.Unjudged++
		}
		if t.Errors++; t.FirstError == "" {
			t.FirstError = fmt.Sprintf("item %d run %d: %s", o.Index, o.Run, o.Error)
		}
		return
	}
	t.Counts.add(o.Run, o.Verdict)
	if o.Exposure != Unknown {
		if t.Parts == nil {
			t.Parts = make([]Counts, len(Parts))
		}
		for i, part := range Parts {
			if part.Has(o.Exposure) {
				t.Parts[i].add(o.Run, o.Verdict)
			}
		}
	}
	t.compare(&o)
}

// compare notes where a verdict is not the recorded one, and which mends made
// it.
func (t *Tally) compare(o *Outcome) {
	if o.Recorded != nil {
		t.Compared++
		for i, holds := range o.Values() {
			if o.Recorded.Values()[i] != holds {
				t.Differ[i] = append(t.Differ[i], o.Index)
			}
		}
	}
	for _, m := range o.Mends {
		if t.Changed == nil {
			t.Changed = map[string][]int{}
		}
		if list := t.Changed[m]; len(list) == 0 || list[len(list)-1] != o.Index {
			t.Changed[m] = append(list, o.Index)
		}
	}
}
