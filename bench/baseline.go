package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/starlark"
)

// Baselines are the scripted agents, by name. They see the task, which a model
// does not.
//
//   - baseline:oracle makes the calls of a proven workflow: those of the solution
//     that a generated task has; else of a right workflow of the task's rules and
//     records, or where these do not end as the task wants, of the task's graph.
//   - baseline:nothing makes no call. No criterion asks a call of one who refuses,
//     so it passes exactly the tasks that want a refusal.
//   - baseline:at-once calls the goal with what the user knows.
var Baselines = []string{"baseline:oracle", "baseline:nothing", "baseline:at-once"}

// NewBaseline returns the scripted agent of that name; nil where there is none.
func NewBaseline(name string) Agent {
	switch name {
	case "baseline:oracle":
		return &scripted{name: name, script: new(oracle).script}
	case "baseline:nothing":
		return &scripted{name: name, script: func(*Conversation) ([]Step, error) { return nil, nil }}
	case "baseline:at-once":
		return &scripted{name: name, script: atOnce}
	}
	return nil
}

// scripted is an agent that makes calls which it knows beforehand, and ends.
type scripted struct {
	name   string
	script func(*Conversation) ([]Step, error)
	steps  sync.Map // of each task: func() ([]Step, error)
}

func (a *scripted) Name() string { return a.name }

func (a *scripted) Next(_ context.Context, c *Conversation) (Turn, error) {
	once, _ := a.steps.LoadOrStore(c.Task, sync.OnceValues(func() ([]Step, error) { return a.script(c) }))
	steps, err := once.(func() ([]Step, error))()
	if err != nil {
		return Turn{}, fmt.Errorf("%s: task %d (%s): %w", a.name, c.Task.Index, c.Task.Goal, err)
	}
	made := 0
	for _, t := range c.Turns {
		if t.From == FromAgent && t.Call != nil {
			made++
		}
	}
	switch {
	case made < len(steps):
		return callOf(steps[made])
	case c.offers(Exit):
		return callOf(Step{Exit, new(starlark.Dict)})
	}
	return Turn{Text: "That is all that I can do for you."}, nil
}

func callOf(s Step) (Turn, error) {
	args, err := world.Encode(s.Arguments)
	if err != nil {
		return Turn{}, fmt.Errorf("arguments of %s: %w", s.Tool, err)
	}
	return Turn{Call: &Call{Name: s.Tool, Arguments: string(args)}}, nil
}

func atOnce(c *Conversation) ([]Step, error) {
	sources := map[string]string{}
	for _, a := range c.Task.Graph.Nodes[0].Args {
		sources[a.Parameter] = a.Source
	}
	return []Step{{c.Task.Goal, arguments(c.Domain.Tool(c.Task.Goal), sources, c.Task.known())}}, nil
}

// oracle keeps the domains that it has read.
type oracle struct {
	corpora sync.Map // by domain: func() (*corpus.Corpus, error)
}

func (o *oracle) script(c *Conversation) ([]Step, error) {
	if v, has, _ := c.Task.fields.Get(starlark.String("solution")); has {
		return readSteps(v)
	}
	var first []Step
	if v, scenario := o.formal(c); v != nil {
		for i := range workflowsOfOracle {
			steps := proven(c, v, scenario, i)
			if steps == nil {
				break
			}
			if i == 0 {
				first = steps
			}
			if passes(c, steps) {
				return steps, nil
			}
		}
	}
	steps := c.Task.Solution(c.Domain)
	if !c.Task.ShouldSucceed {
		steps = steps[:len(steps)-1] // all but the goal
	}
	if first == nil || passes(c, steps) {
		return steps, nil
	}
	return first, nil
}

// workflowsOfOracle bounds the right workflows of a task that are tried: a tool
// may throw where the procedure lets it be called.
const workflowsOfOracle = 8

// formal is the task as the formal domain has it; nil where it knows less than
// the task.
func (o *oracle) formal(c *Conversation) (*sop.Variant, *sop.Scenario) {
	once, _ := o.corpora.LoadOrStore(c.Domain.Name, sync.OnceValues(func() (*corpus.Corpus, error) { return corpus.Load(c.Domain.Name) }))
	known, err := once.(func() (*corpus.Corpus, error))()
	if err != nil {
		return nil, nil
	}
	v, err := c.Task.variant(known.Domain)
	if err != nil {
		return nil, nil
	}
	scenario, err := (&Realiser{c.Domain, known}).Read(v, &State{c.Task.Database, c.Task.known()})
	if err != nil {
		return nil, nil
	}
	return v, scenario
}

// proven is one of the right workflows, as the number tells; nil where there is
// none, or where it ends otherwise than the task wants.
func proven(c *Conversation, v *sop.Variant, s *sop.Scenario, number int) []Step {
	m, err := sop.Compile(&v.Graph)
	if err != nil {
		return nil
	}
	workflow, err := m.Positive(s.Facts, rand.New(rand.NewPCG(uint64(c.Task.Index), uint64(number))))
	if err != nil || (workflow[len(workflow)-1] == v.Goal) != c.Task.ShouldSucceed {
		return nil
	}
	return stepsOf(c.Domain, v, workflow, c.Task.known())
}

// passes tells whether calls pass the task, with the known faults mended.
func passes(c *Conversation, steps []Step) bool {
	run, err := play(c.Domain, c.Task, steps)
	if err != nil {
		return false
	}
	verdict, err := Corrected().Judge(c.Domain, c.Task, run)
	return err == nil && verdict.Success
}

// readSteps reads [{"name": …, "arguments": {…}}, …].
func readSteps(v starlark.Value) ([]Step, error) {
	list, ok := v.(*starlark.List)
	if !ok {
		return nil, fmt.Errorf("solution: found %s, want a list of calls", kind(v))
	}
	steps := make([]Step, list.Len())
	for i := range steps {
		object, _ := list.Index(i).(*starlark.Dict)
		if object == nil {
			return nil, fmt.Errorf("solution[%d]: found %s, want a call {name, arguments}", i, kind(list.Index(i)))
		}
		name, _, _ := object.Get(starlark.String("name"))
		args, err := objectField(object, "arguments")
		text, ok := name.(starlark.String)
		if !ok || err != nil {
			return nil, fmt.Errorf("solution[%d]: found %.60s, want a call {name, arguments}", i, python.Repr(object))
		}
		steps[i] = Step{string(text), args}
	}
	return steps, nil
}
