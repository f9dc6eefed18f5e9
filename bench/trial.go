package bench

import (
	"errors"
	"strings"

	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// trial is a run that is executed again and judged, call by call.
type trial struct {
	*Judge
	domain  *world.Domain
	task    *Task
	run     *Run
	world   *world.World
	graph   *prepared
	verdict Verdict
}

func (j *Judge) begin(d *world.Domain, t *Task, r *Run) *trial {
	return &trial{
		Judge: j, domain: d, task: t, run: r,
		world:   d.Start(world.Setup{Database: t.Database, Limits: t.Limits, Goal: t.Goal, Constraints: t.Constraints, Mends: j.mendsFor(r)}),
		graph:   newPrepared(d, t, j.mended("binding")),
		verdict: Verdict{NoToolCallError: true, ConstraintNotViolated: true, DirgraphSatisfied: true},
	}
}

// status of a call that is executed again
type status int

const (
	executed status = iota
	absent          // not a tool of the strict layer: recorded answer accepted
	failed          // no such tool, or it threw
	left            // a tool that was not offered, which the judge leaves out
)

// judged is what became of a call.
type judged struct {
	status status
	result starlark.Value // where it was executed
	thrown error          // why it failed
	// agrees: the answer is the recorded one. succeeded: it is a yes of the goal.
	// ready: before it stood what the graphs demand.
	agrees, succeeded, ready bool
}

// call executes a call and takes it into the verdict. The error is that of
// Judge.
func (x *trial) call(c Call) (judged, error) {
	if x.mended("unoffered") && notOffered(c) {
		return judged{status: left, agrees: true, ready: true}, nil
	}
	args := x.arguments(c)
	out, err := x.repeat(c.Name, args)
	if err != nil {
		return out, err
	}
	out.agrees, out.ready = true, true
	content := evaluate(c.Content)
	switch out.status {
	case failed:
		x.verdict.NoToolCallError = false
		return out, nil
	case executed:
		if out.agrees = x.agrees(x.domain, content, c.Content, out.result); !out.agrees {
			x.verdict.ConstraintNotViolated = false
		}
	}
	if x.domain.Tool(c.Name) == nil {
		return out, nil
	}
	if c.Name == x.task.Goal {
		answer := content
		if x.mended("result") {
			answer = out.result
		}
		if out.succeeded, err = succeeded(answer); err != nil {
			return out, err
		}
		x.verdict.ActionSuccessfullyCalled = x.verdict.ActionSuccessfullyCalled || out.succeeded
	}
	if out.ready, err = x.graph.call(c.Name, args); err != nil {
		return out, err
	}
	x.verdict.DirgraphSatisfied = x.verdict.DirgraphSatisfied && out.ready
	return out, nil
}

var (
	errNoTool   = errors.New("there is no such tool")
	errNoObject = errors.New("the arguments are no object")
)

func (x *trial) repeat(name string, args starlark.Value) (judged, error) {
	d := x.domain
	object, isObject := args.(*starlark.Dict)
	switch {
	case d.Tool(name) == nil && d.Official != nil && d.Official.PlainOnly[name]:
		return judged{status: absent}, nil
	case d.Tool(name) == nil && d.Official != nil && d.Official.Other[name] && isObject && object.Len() == 0 && strings.HasPrefix(name, "evaluation_"):
		return judged{status: executed}, nil // a method of the evaluator, whose answer no tool gives
	case d.Tool(name) == nil:
		return judged{status: failed, thrown: errNoTool}, nil
	case !isObject && !d.Absent(name):
		return judged{status: failed, thrown: errNoObject}, nil
	case !isObject:
		object = new(starlark.Dict)
	}
	v, err := x.world.Call(name, object)
	var fault *world.Fault
	switch {
	case err == nil:
		return judged{status: executed, result: v}, nil
	case errors.Is(err, world.ErrAbsent):
		return judged{status: absent}, nil
	case errors.As(err, &fault):
		return judged{status: failed, thrown: err}, err
	}
	return judged{status: failed, thrown: err}, nil
}

// conclude compares what is left when all calls have been made.
func (x *trial) conclude() Verdict {
	x.verdict.DatabaseMatch = x.sameDatabase(x.domain, x.world.Database(), x.run.Database)
	x.verdict.conclude(x.task.ShouldSucceed)
	return x.verdict
}
