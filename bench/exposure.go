package bench

import (
	"maps"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop/corpus"
)

// What training has shown of a task.
const (
	Unknown  = "unknown" // nothing is known of the training
	Unseen   = "unseen"  // neither the task nor its goal
	SeenGoal = "goal"    // the goal, not the task
	SeenTask = "task"
)

// Exposure is what a model has seen in training.
type Exposure struct {
	goals map[[2]string]bool
	tasks map[string]bool
}

// Add notes a goal, and the task of that goal that has this hash
// ([corpus.TaskHash]); "" where training had its cases from no task.
func (e *Exposure) Add(domain, goal, task string) {
	if e.goals == nil {
		e.goals, e.tasks = map[[2]string]bool{}, map[string]bool{}
	}
	e.goals[[2]string{domain, goal}] = true
	if task != "" {
		e.tasks[task] = true
	}
}

// Of tells what was seen of a task; of a nil Exposure nothing is known.
func (e *Exposure) Of(t *Task) string {
	switch {
	case e == nil:
		return Unknown
	case len(e.tasks) > 0 && e.seen(t):
		return SeenTask
	case e.goals[[2]string{packName(t.Domain), t.Goal}]:
		return SeenGoal
	}
	return Unseen
}

// packName is the name by which training knows a domain, which may be the
// folder of a pack.
func packName(domain string) string {
	if d, err := world.Load(domain); err == nil {
		return d.Name
	}
	return domain
}

// seen looks a task up as it stands, and without the fields that recording may
// have added to a copy.
func (e *Exposure) seen(t *Task) bool {
	fields := goValue(t.fields).(map[string]any)
	for drop := range 1 << len(added) {
		original := maps.Clone(fields)
		for i, name := range added {
			if drop&(1<<i) != 0 {
				delete(original, name)
			}
		}
		if e.tasks[corpus.TaskHash(original)] {
			return true
		}
	}
	return false
}

// Parts are the tasks that figures are given of beside those of all, by what
// training has shown of them.
var Parts = []struct {
	Name string
	Has  func(exposure string) bool
}{
	{"goals seen", func(e string) bool { return e == SeenGoal || e == SeenTask }},
	{"goals unseen", func(e string) bool { return e == Unseen }},
	{"tasks seen", func(e string) bool { return e == SeenTask }},
	{"tasks unseen", func(e string) bool { return e == SeenGoal || e == Unseen }},
}
