package bench

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	soptext "github.com/fmsop/fmsop/sop/text"
	"go.starlark.net/starlark"
)

// Case is what a new task is about: how a goal ends, and the condition that
// decides it, which alone would have it end otherwise; "" where nothing does.
type Case struct {
	Goal     string `json:"goal"`
	Deciding string `json:"deciding_condition"`
	Succeeds bool   `json:"action_should_succeed"`
}

// Sampled is a new task.
type Sampled struct {
	Case
	Task     *Task
	Solution []Step // of the oracle; the goal is not among them where it is refused
	Official bool   // the official judge passes the solution, too
}

// The reasons for which no task comes of a draw.
const (
	DropVariant   = "the variant has no case that this condition decides"
	DropDatabase  = "no database was found in which the facts hold"
	DropCalls     = "no workflow of calls that an agent can make"
	DropLimits    = "the solution has more calls than an agent may make"
	DropInnate    = "the rules permit the goal, the tool refuses it"
	DropArguments = "a rule of the goal leans on what its tool is not given"
	dropCriterion = "the solution fails: "
)

// sampler draws tasks of one domain.
type sampler struct {
	*Realiser
	seed uint64
	pack string // digest
}

// goals are the procedures that tasks are drawn of, and of the others why not.
func (s *sampler) goals() (goals []*sop.Procedure, notes []string) {
	for _, p := range s.Corpus.Domain.Procedures {
		tool := s.Domain.Tool(p.Goal)
		switch {
		case tool == nil || !tool.Offered:
			notes = append(notes, p.Goal+": the tool is not offered to agents")
		case len(p.Outcomes) > 0:
			notes = append(notes, p.Goal+": a task tells success from refusal, and knows no other outcomes")
		default:
			goals = append(goals, p)
		}
	}
	return goals, notes
}

// cases are those of a procedure, by condition; each is there with both ends,
// but where nothing is decided.
func (s *sampler) cases(p *sop.Procedure) ([]Case, error) {
	v, err := s.Corpus.Domain.Variant(p, sop.Choice{})
	if err != nil {
		return nil, err
	}
	worlds, err := sop.NewSampler(v)
	if err != nil {
		return nil, err
	}
	deciding := map[string]bool{}
	for _, pair := range plainPairs(worlds) {
		for _, name := range worlds.Differs(pair[0], pair[1]) {
			deciding[name] = true
		}
	}
	if len(deciding) == 0 {
		return []Case{{p.Goal, "", true}}, nil
	}
	var list []Case
	for _, name := range slices.Sorted(maps.Keys(deciding)) {
		list = append(list, Case{p.Goal, name, true}, Case{p.Goal, name, false})
	}
	return list, nil
}

// drawsOfATask bounds the draws that are made for one task; in the last ones
// the variant has all rules.
const (
	drawsOfATask = 6
	drawsOfRules = 4
)

// draw makes a task of the case for a job; nil where no draw gives one. It counts
// what was dropped meanwhile, by reason.
func (s *sampler) draw(c Case, j job, dropped map[string]int) (*Sampled, error) {
	p := s.Corpus.Domain.Procedure(c.Goal)
	for i := range drawsOfATask {
		rng := s.rand(c, j, i)
		task, err := s.try(c, s.choice(p, i < drawsOfRules, rng), rng)
		var drop *dropError
		switch {
		case errors.As(err, &drop):
			dropped[drop.reason]++
		case err != nil:
			return nil, fmt.Errorf("%s: %w", c.Goal, err)
		default:
			return task, nil
		}
	}
	return nil, nil
}

// choice draws a variant: in parts some of the rules that may be left out, and
// other thresholds, as far as the tools read them as numbers.
func (s *sampler) choice(p *sop.Procedure, parts bool, rng *rand.Rand) sop.Choice {
	c := sop.Choice{Rules: append([]*sop.Tree{}, p.Required...), Thresholds: map[string]float64{}} // nil rules would stand for all
	for _, rule := range p.Customizable {
		if !parts || rng.IntN(3) > 0 {
			c.Rules = append(c.Rules, rule)
		}
	}
	thresholds := s.Corpus.Domain.Thresholds
	for _, name := range slices.Sorted(maps.Keys(thresholds)) {
		limit, found, _ := s.Domain.Limits().Get(starlark.String(name))
		_, isNumber := starlark.AsFloat(limit)
		if choices := thresholds[name].Choices; found && isNumber && len(choices) > 0 && rng.IntN(2) == 0 {
			c.Thresholds[name] = choices[rng.IntN(len(choices))]
		}
	}
	return c
}

// dropError is why a draw gave no task.
type dropError struct{ reason string }

func (e *dropError) Error() string { return e.reason }

func (s *sampler) try(c Case, choice sop.Choice, rng *rand.Rand) (*Sampled, error) {
	v, err := s.Corpus.Domain.Variant(s.Corpus.Domain.Procedure(c.Goal), choice)
	if err != nil {
		return nil, err
	}
	worlds, err := sop.NewSampler(v)
	if err != nil {
		return nil, err
	}
	facts := c.facts(worlds, rng)
	if facts == nil {
		return nil, &dropError{DropVariant}
	}
	state, scenario, err := s.Realise(v, facts, nil, rng)
	if errors.Is(err, ErrUnrealised) {
		return nil, &dropError{DropDatabase}
	}
	if err != nil {
		return nil, err
	}
	var drop error = &dropError{DropCalls}
	for range workflowsTried {
		workflow, err := worlds.M.Positive(scenario.Facts, rng)
		if err != nil {
			break
		}
		t := &Sampled{Case: c}
		if t.Solution = stepsOf(s.Domain, v, workflow, state.Known); t.Solution == nil {
			continue
		}
		if len(t.Solution) > OfficialLimits.Calls {
			drop = &dropError{DropLimits}
			continue
		}
		fields, err := s.fields(t, v, state, scenario, rng)
		if err != nil {
			return nil, err
		}
		if t.Task, err = readTask(s.Corpus.Domain.Name, c.Goal, fields); err != nil {
			return nil, err
		}
		if drop = s.prove(t); drop == nil {
			return t, nil
		}
		if !errors.As(drop, new(*dropError)) {
			return nil, drop
		}
	}
	return nil, drop
}

// workflowsTried bounds the right workflows of one scenario that are tried: a
// tool may throw where the procedure lets it be called.
const workflowsTried = 4

// stepsOf are the calls of a workflow, the refusal left out; nil where one is
// not offered to agents. Who refuses in the end leaves out what cannot be called
// with what the user knows: a login without a password has failed already.
func stepsOf(d *world.Domain, v *sop.Variant, workflow sop.Workflow, known *starlark.Dict) []Step {
	steps := []Step{}
	for _, item := range workflow {
		use := v.Calls[item]
		if use == nil {
			break // the refusal
		}
		tool := d.Tool(use.Base)
		if tool == nil || !tool.Offered {
			return nil
		}
		args := arguments(tool, use.Args, known)
		if workflow[len(workflow)-1] != v.Goal && !suffice(tool, args) {
			continue
		}
		steps = append(steps, Step{use.Base, args})
	}
	return steps
}

// suffice tells whether every argument that the tool needs is there.
func suffice(t *world.Tool, args *starlark.Dict) bool {
	names, required := t.Parameters()
	return !slices.ContainsFunc(names[:required], func(name string) bool {
		_, given, _ := args.Get(starlark.String(name))
		return !given
	})
}

// facts draws facts in which the case ends as it should, and which differ in
// few facts, the deciding one among them, from some that end otherwise.
func (c Case) facts(worlds *sop.Sampler, rng *rand.Rand) map[string]bool {
	end := 1
	if c.Succeeds {
		end = 0
	}
	if c.Deciding == "" {
		if worlds.Count(end) == 0 {
			return nil
		}
		return worlds.Facts(worlds.Worlds()[end][rng.IntN(worlds.Count(end))])
	}
	var pairs [][2]sop.World
	for _, pair := range plainPairs(worlds) {
		if slices.Contains(worlds.Differs(pair[0], pair[1]), c.Deciding) {
			pairs = append(pairs, pair)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	return worlds.Facts(pairs[rng.IntN(len(pairs))][end])
}

// plainPairs are the minimal pairs in which the rules hold on one side and not
// on the other. Where they hold on both, and the calls that would show it are
// not permitted on one, a task would have to be refused though its rules hold.
func plainPairs(worlds *sop.Sampler) [][2]sop.World {
	rules := worlds.V.Requires[worlds.V.Goal]
	return slices.DeleteFunc(slices.Clone(worlds.Pairs()), func(pair [2]sop.World) bool {
		return !rules.Holds(worlds.Facts(pair[0])) || rules.Holds(worlds.Facts(pair[1]))
	})
}

// prove executes the solution and judges it: with the known faults mended every
// criterion has to hold, the goal having succeeded where it should.
func (s *sampler) prove(t *Sampled) error {
	run, err := play(s.Domain, t.Task, t.Solution)
	if err != nil {
		return err
	}
	verdict, err := Corrected().Judge(s.Domain, t.Task, run)
	if err != nil {
		return err
	}
	switch {
	case verdict.Success:
	case !verdict.NoToolCallError && !t.permits(s.Domain):
		return &dropError{DropArguments}
	case t.Succeeds && !verdict.ActionSuccessfullyCalled && verdict.ConstraintNotViolated && verdict.DirgraphSatisfied:
		return &dropError{DropInnate}
	default:
		for i, holds := range verdict.Values() {
			if !holds && Criteria[i] != "action_successfully_called" {
				return &dropError{dropCriterion + Criteria[i]}
			}
		}
	}
	official, err := Official().Judge(s.Domain, t.Task, run)
	var stops *ErrStops
	if err != nil && !errors.As(err, &stops) {
		return err
	}
	t.Official = official.Success
	return nil
}

// permits tells whether the guard of the goal can be evaluated on what the tool
// is given.
func (t *Sampled) permits(d *world.Domain) bool {
	w := d.Start(world.Setup{Database: t.Task.Database, Limits: t.Task.Limits, Goal: t.Goal, Constraints: t.Task.Constraints})
	_, err := w.Permits(t.Goal, t.Solution[len(t.Solution)-1].Arguments)
	return err == nil
}

// play makes the calls as an agent does, in the plain layer, and records them.
func play(d *world.Domain, t *Task, steps []Step) (*Run, error) {
	run := &Run{Mends: []string{"cards"}}
	w := d.Start(world.Setup{Database: t.Database, Limits: t.Limits, Mends: run.Mends})
	for _, step := range steps {
		args, err := world.Encode(step.Arguments)
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", step.Tool, err)
		}
		v, err := w.CallPlain(step.Tool, step.Arguments)
		var thrown *python.Exception
		if err != nil && !errors.As(err, &thrown) {
			return nil, err
		}
		run.Calls = append(run.Calls, Call{step.Tool, string(args), world.Observation(v, err)})
	}
	run.Database = w.Database()
	return run, nil
}

// fields are the task as a file of SOPBench has it, and what else is known of
// it: the oracle's solution, the deciding condition, and what it was drawn from.
func (s *sampler) fields(t *Sampled, v *sop.Variant, state *State, scenario *sop.Scenario, rng *rand.Rand) (*starlark.Dict, error) {
	original, err := s.Domain.Original(v)
	if err != nil {
		return nil, err
	}
	guard, err := s.Domain.Guard(v)
	if err != nil {
		return nil, err
	}
	known := s.told(v, state.Known, v.Procedure.Requests)
	goal := arguments(s.Domain.Tool(t.Goal), v.Calls[v.Goal].Args, state.Known)
	f := &objectBuilder{starlark.NewDict(16)}
	f.set("initial_database", state.Database)
	f.set("constraint_parameters", s.limits(v))
	f.set("user_known", known)
	f.set("constraints", guard.Value(goal))
	f.set("constraints_original", original.Value(goal))
	f.set("action_should_succeed", starlark.Bool(t.Succeeds))
	f.set("user_instruction", starlark.String("You want this done, and know what it takes: "+v.Procedure.Title+". "+v.Procedure.Purpose))
	f.set("user_prompt", starlark.String(soptext.RenderMessage(v, scenario, rng)))
	f.set("directed_action_graph", actionGraph(v).Value())
	f.set("user_goal", starlark.String(t.Goal))
	f.set("deciding_condition", starlark.String(t.Deciding))
	f.set("solution", stepsValue(t.Solution))
	f.set("pack", starlark.String(s.pack))
	f.set("seed", starlark.MakeUint64(s.seed))
	return f.object, nil
}

var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// objectBuilder is an object whose keys are set in order.
type objectBuilder struct{ object *starlark.Dict }

func (b *objectBuilder) set(name string, v starlark.Value) {
	_ = b.object.SetKey(starlark.String(name), v) // a new dict takes any text as a key
}

// stepsValue is [{"name": …, "arguments": {…}}, …].
func stepsValue(steps []Step) starlark.Value {
	list := make([]starlark.Value, len(steps))
	for i, step := range steps {
		b := &objectBuilder{starlark.NewDict(2)}
		b.set("name", starlark.String(step.Tool))
		b.set("arguments", step.Arguments)
		list[i] = b.object
	}
	return starlark.NewList(list)
}
