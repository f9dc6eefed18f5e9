package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/internal/run"
)

// Replay judges files of recorded runs.
type Replay struct {
	// Tasks is the folder with the task files; "" takes the copies of the tasks
	// in the run files.
	Tasks string
	Judge *Judge
	// Trained is what the models have seen in training; nil where that is not
	// known.
	Trained *Exposure
	// Compare also judges every run with one fault mended at a time, to tell
	// what each mend changes.
	Compare bool
	Workers int
	// Progress is advanced once for each task; it may be nil.
	Progress *run.Progress
}

// Outcome is the judgement of one run.
type Outcome struct {
	File   string `json:"file"`
	Index  int    `json:"index"` // of the item in the file
	Run    int    `json:"run"`
	Domain string `json:"domain"`
	Goal   string `json:"goal"`
	Task   int    `json:"task"` // its index among the tasks of the domain; -1 without a task file
	Model  string `json:"model"`
	Mode   string `json:"mode"`
	Tools  string `json:"tools,omitempty"` // that were offered: full or oracle
	User   string `json:"user,omitempty"`  // the model that played the user
	// Generated tells of a task that is none of SOPBench.
	Generated bool `json:"generated,omitempty"`
	// Exposure is what training has shown of the task: unknown, unseen, goal or
	// task.
	Exposure string `json:"exposure"`
	*Verdict
	// Error is why there is no verdict.
	Error string `json:"error,omitempty"`
	// Recorded is the evaluation that the file holds.
	Recorded *Verdict `json:"recorded,omitempty"`
	// Mends are those that change the official verdict, each by itself.
	Mends []string `json:"mends,omitempty"`
	// Repeated tells that an earlier item of the file has the same task: the
	// run does not count.
	Repeated bool `json:"repeated,omitempty"`
}

// File judges the runs of a file, in its order, on any number of workers.
func (r *Replay) File(ctx context.Context, path string, sink func(Outcome) error) error {
	runs, err := ReadRuns(path)
	if err != nil {
		return err
	}
	files := taskFiles{dir: r.Tasks}
	tasks := make([]*Task, len(runs.Items))
	unknown := 0
	for i, item := range runs.Items {
		if err := known(path, i, item); err != nil {
			return err
		}
		if tasks[i], err = files.find(item.Task, i); err != nil {
			return err
		}
		if tasks[i] == nil {
			unknown++
		}
	}
	if unknown > 0 && unknown == len(runs.Items) {
		return fmt.Errorf("%s: no task of %s is the one of any item: are they of another version? without --tasks the copies of the tasks in the run file are taken",
			path, filepath.Join(r.Tasks, TaskFile(runs.Items[0].Domain)))
	}
	seen := map[*Task]bool{}
	return run.Ordered(ctx, run.Options{Workers: r.Workers, Progress: r.Progress}, len(runs.Items), func(_ context.Context, i int) ([]Outcome, error) {
		return r.item(path, i, runs.Items[i], tasks[i]), nil
	}, func(i int, outcomes []Outcome) error {
		for _, o := range outcomes {
			o.Repeated = tasks[i] != nil && seen[tasks[i]]
			if err := sink(o); err != nil {
				return err
			}
		}
		seen[tasks[i]] = true
		return nil
	})
}

// known refuses an item of a domain that does not run.
func known(path string, i int, item *Item) error {
	if _, err := world.Load(item.Domain); err != nil {
		return fmt.Errorf("%s: item %d: %w", path, i, err)
	}
	return nil
}

func (r *Replay) item(path string, i int, item *Item, task *Task) []Outcome {
	outcomes := make([]Outcome, len(item.Runs))
	exposure := Unknown
	if task != nil {
		exposure = r.Trained.Of(task)
	}
	for k, recorded := range item.Runs {
		o := Outcome{File: path, Index: i, Run: k, Domain: item.Domain, Goal: item.Task.Goal, Task: -1, Model: item.Model, Mode: item.Mode, Tools: item.Tools, User: item.User, Generated: item.Task.Generated(), Exposure: exposure, Recorded: recorded.Recorded}
		if task == nil {
			o.Error = "no task of the task file is equal to the recorded one"
		} else {
			o.Task = task.Index
			r.judge(&o, task, recorded)
		}
		outcomes[k] = o
	}
	return outcomes
}

func (r *Replay) judge(o *Outcome, task *Task, recorded *Run) {
	d, err := world.Load(task.Domain)
	if err == nil {
		var v Verdict
		if v, err = r.Judge.Judge(d, task, recorded); err == nil {
			o.Verdict = &v
		}
	}
	if err != nil {
		o.Error = err.Error()
		return
	}
	if !r.Compare {
		return
	}
	official, err := Official().Judge(d, task, recorded)
	if err != nil {
		return
	}
	for _, m := range Mends {
		if v, err := With(m).Judge(d, task, recorded); err == nil && v != official {
			o.Mends = append(o.Mends, m.Name)
		}
	}
}

// taskFiles finds the tasks of recorded items in a folder.
type taskFiles struct {
	dir    string
	files  map[string][]*Task
	copies map[string][]*Task // by goal, where there is no folder
}

// find returns the task that the copy is of, nil where there is none. Items
// mostly stand at the index of their task.
func (f *taskFiles) find(copied *Task, index int) (*Task, error) {
	if f.dir == "" {
		copied.Index = -1
		for _, earlier := range f.copies[copied.Goal] {
			if earlier.same(copied) {
				return earlier, nil
			}
		}
		if f.copies == nil {
			f.copies = map[string][]*Task{}
		}
		f.copies[copied.Goal] = append(f.copies[copied.Goal], copied)
		return copied, nil
	}
	tasks, read := f.files[copied.Domain]
	if !read {
		var err error
		if tasks, err = ReadTasks(f.dir, copied.Domain); err != nil {
			return nil, err
		}
		if f.files == nil {
			f.files = map[string][]*Task{}
		}
		f.files[copied.Domain] = tasks
	}
	if index < len(tasks) && tasks[index].same(copied) {
		return tasks[index], nil
	}
	if i := slices.IndexFunc(tasks, func(t *Task) bool { return t.same(copied) }); i >= 0 {
		return tasks[i], nil
	}
	return nil, nil
}

// JudgeNamed returns the judge of that name: official or corrected.
func JudgeNamed(name string) (*Judge, error) {
	switch name {
	case "official":
		return Official(), nil
	case "corrected":
		return Corrected(), nil
	}
	return nil, errors.New("want official or corrected")
}
