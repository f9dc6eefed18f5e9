package bench

import (
	"errors"

	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// Solution returns the calls that a task's graph asks for, the goal last: of
// alternatives the first that an agent can call, every argument as the user
// knows it.
func (t *Task) Solution(d *world.Domain) []Step {
	s := solver{t: t, d: d, seen: map[int]bool{}, callable: map[int]bool{}}
	known, _ := objectField(t.fields, "user_known")
	s.known = known
	s.visit(0)
	return s.steps
}

// Step is a call to make.
type Step struct {
	Tool      string
	Arguments *starlark.Dict
}

type solver struct {
	t        *Task
	d        *world.Domain
	known    *starlark.Dict
	seen     map[int]bool
	callable map[int]bool // operators all of whose needed calls an agent can make
	steps    []Step
}

func (s *solver) visit(at int) {
	if s.seen[at] {
		return
	}
	s.seen[at] = true
	node := &s.t.Graph.Nodes[at]
	for _, to := range node.To {
		if node.Op == "or" && !s.possible(to) {
			continue
		}
		s.visit(to)
		if node.Op == "or" {
			break
		}
	}
	if node.Op != "" {
		return
	}
	args := new(starlark.Dict)
	for _, a := range node.Args {
		if s.known == nil {
			continue
		}
		if v, found, _ := s.known.Get(starlark.String(a.Source)); found {
			_ = args.SetKey(starlark.String(a.Parameter), v) // a new dict takes any text as a key
		}
	}
	s.steps = append(s.steps, Step{node.Name, args})
}

// possible tells whether an agent can call all that a node asks for.
func (s *solver) possible(at int) bool {
	node := &s.t.Graph.Nodes[at]
	if node.Op == "" {
		tool := s.d.Tool(node.Name)
		return tool != nil && tool.Offered
	}
	if possible, known := s.callable[at]; known {
		return possible
	}
	all := node.Op == "and"
	possible := all
	for _, to := range node.To {
		if possible = s.possible(to); possible != all {
			break
		}
	}
	s.callable[at] = possible
	return possible
}

// solve carries out a task in a fresh world and tells whether the goal
// succeeded. The error is a *world.Fault.
func (j *Judge) solve(d *world.Domain, t *Task) (bool, error) {
	w := d.Start(world.Setup{Database: t.Database, Limits: t.Limits, Goal: t.Goal, Constraints: t.Constraints, Mends: j.mends})
	succeededLast := false
	for _, step := range t.Solution(d) {
		v, err := w.Call(step.Tool, step.Arguments)
		if errors.Is(err, world.ErrAbsent) {
			v, err = w.CallPlain(step.Tool, step.Arguments)
		}
		var fault *world.Fault
		if errors.As(err, &fault) {
			return false, err
		}
		if succeededLast = err == nil; succeededLast {
			succeededLast, _ = succeeded(v) // an empty list is no yes
		}
	}
	return succeededLast, nil
}
