package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// Task is one task of SOPBench. It is read only.
type Task struct {
	Domain string
	Goal   string
	Index  int // among all tasks of the file, in the file's order
	// Database is how the records stand at first, Limits the thresholds.
	Database, Limits *starlark.Dict
	// Constraints guard the goal in this task.
	Constraints   *world.Tree
	ShouldSucceed bool
	// Graph tells what has to be called before what.
	Graph *world.Graph

	fields *starlark.Dict
}

// Generated tells of a task that was drawn from a pack, and is none of SOPBench.
func (t *Task) Generated() bool {
	_, has, _ := t.fields.Get(starlark.String("solution"))
	return has
}

// TaskFile is the name of the file of tasks of a domain, be it a pack folder.
func TaskFile(domain string) string { return filepath.Base(domain) + "_tasks.json" }

// ReadTasks reads the tasks of a domain from a folder, in the file's order.
func ReadTasks(dir, domain string) ([]*Task, error) {
	path := filepath.Join(dir, TaskFile(domain))
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file; without --tasks the copies of the tasks in the run files are taken", path)
	}
	if err != nil {
		return nil, err
	}
	return decodeTasks(path, domain, text)
}

func decodeTasks(path, domain string, text []byte) ([]*Task, error) {
	v, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	goals, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("%s: found %s, want an object {goal: [task, …]}", path, kind(v))
	}
	var tasks []*Task
	for _, item := range goals.Items() {
		goal := string(item[0].(starlark.String))
		list, ok := item[1].(*starlark.List)
		if !ok {
			return nil, fmt.Errorf("%s: %s: found %s, want a list of tasks", path, goal, kind(item[1]))
		}
		for i := range list.Len() {
			t, err := readTask(domain, goal, list.Index(i))
			if err != nil {
				return nil, fmt.Errorf("%s: %s[%d]: %w", path, goal, i, err)
			}
			t.Index = len(tasks)
			tasks = append(tasks, t)
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("%s: there are no tasks, want an object {goal: [task, …]}", path)
	}
	return tasks, nil
}

// otherVersion is the reason of a task that lacks what every task has.
const otherVersion = "is it of another version? want the task files of SOPBench of June 2025"

func readTask(domain, goal string, v starlark.Value) (*Task, error) {
	fields, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("found %s, want a task", kind(v))
	}
	t := &Task{Domain: domain, Goal: goal, fields: fields}
	var err error
	if t.Database, err = objectField(fields, "initial_database"); err != nil {
		return nil, err
	}
	if t.Limits, err = objectField(fields, "constraint_parameters"); err != nil {
		return nil, err
	}
	constraints, err := field(fields, "constraints")
	if err != nil {
		return nil, err
	}
	if t.Constraints, err = world.ReadTree(constraints); err != nil {
		return nil, fmt.Errorf("constraints: %w", err)
	}
	graph, err := field(fields, "directed_action_graph")
	if err != nil {
		return nil, err
	}
	if t.Graph, err = world.ReadGraph(graph); err != nil {
		return nil, fmt.Errorf("directed_action_graph: %w", err)
	}
	succeeds, err := field(fields, "action_should_succeed")
	if err != nil {
		return nil, err
	}
	if _, ok := succeeds.(starlark.Bool); !ok {
		return nil, fmt.Errorf("action_should_succeed: found %s, want true or false", kind(succeeds))
	}
	t.ShouldSucceed = succeeds == starlark.True
	return t, nil
}

func field(fields *starlark.Dict, name string) (starlark.Value, error) {
	v, found, _ := fields.Get(starlark.String(name))
	if !found {
		return nil, fmt.Errorf("the field %q is missing, %s", name, otherVersion)
	}
	return v, nil
}

func objectField(fields *starlark.Dict, name string) (*starlark.Dict, error) {
	v, err := field(fields, name)
	if err != nil {
		return nil, err
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("%s: found %s, want an object", name, kind(v))
	}
	return d, nil
}

// added are the fields that a recorded copy has beside those of the file.
var added = []string{"user_goal", "assistant_prompt"}

// same tells whether a recorded task is a copy of t.
func (t *Task) same(copied *Task) bool {
	if t.Goal != copied.Goal {
		return false
	}
	n := copied.fields.Len()
	for _, name := range added {
		_, has, _ := t.fields.Get(starlark.String(name))
		if _, extra, _ := copied.fields.Get(starlark.String(name)); extra && !has {
			n--
		}
	}
	if n != t.fields.Len() {
		return false
	}
	for _, item := range t.fields.Items() {
		v, found, _ := copied.fields.Get(item[0])
		if !found || !python.Equal(item[1], v) {
			return false
		}
	}
	return true
}

// kind describes a value for a message.
func kind(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.NoneType:
		return "null"
	case *starlark.Dict:
		return "an object"
	case *starlark.List:
		return "a list"
	case starlark.String:
		if len(v) > 40 {
			v = v[:40] + "…"
		}
		return fmt.Sprintf("the text %q", string(v))
	}
	return strings.ToLower(v.String())
}
