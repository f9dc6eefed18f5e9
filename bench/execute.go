package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// Execute makes a state in which exactly these facts hold and returns its
// scenario with what every call but the ends answers in it, as an agent sees
// that. A call that throws, or that the user does not know the arguments for,
// has no result. The records are a *State, nil at first. See stages.Executor.
func (r *Realiser) Execute(v *sop.Variant, facts map[string]bool, records any, rng *rand.Rand) (*sop.Scenario, any, error) {
	near, _ := records.(*State)
	state, _, err := r.Realise(v, facts, near, rng)
	if err != nil {
		return nil, nil, err
	}
	scenario, err := r.Read(v, &State{state.Database, r.told(v, state.Known, nil)})
	if err != nil {
		return nil, nil, err
	}
	ends := map[string]bool{}
	for _, o := range v.Outcomes {
		ends[o.End] = true
	}
	scenario.Results = map[string]string{}
	for item, use := range v.Calls {
		tool := r.Domain.Tool(use.Base)
		if ends[item] || tool == nil {
			continue
		}
		args := arguments(tool, use.Args, state.Known)
		if !suffice(tool, args) {
			continue
		}
		w := r.Domain.Start(world.Setup{Database: state.Database, Limits: r.limits(v)})
		answer, err := w.CallPlain(use.Base, args)
		var thrown *python.Exception
		switch {
		case errors.As(err, &thrown):
		case err != nil:
			return nil, nil, fmt.Errorf("%s: %w", item, err)
		default:
			scenario.Results[item] = world.Observation(answer, nil)
		}
	}
	return scenario, state, nil
}

// limits are the domain's own, with the thresholds of a variant where the tools
// read them as numbers.
func (r *Realiser) limits(v *sop.Variant) *starlark.Dict {
	limits := python.Copy(r.Domain.Limits()).(*starlark.Dict)
	for _, name := range limits.Keys() {
		x, ok := v.Thresholds[string(name.(starlark.String))]
		if was, _, _ := limits.Get(name); ok && was.Type() != "string" {
			_ = limits.SetKey(name, world.Number(x)) // the key is there
		}
	}
	return limits
}

// told is what the user can say of what matters: every argument of a call or a
// condition, and what the requests mention.
func (r *Realiser) told(v *sop.Variant, known *starlark.Dict, requests []string) *starlark.Dict {
	matters := map[string]bool{}
	for _, c := range v.Calls {
		for _, source := range c.Args {
			matters[source] = true
		}
		if tool := r.Domain.Tool(c.Base); tool != nil {
			names, _ := tool.Parameters()
			for _, p := range names {
				if _, renamed := c.Args[p]; !renamed {
					matters[p] = true
				}
			}
		}
	}
	for _, c := range v.Conditions {
		for _, source := range c.Args {
			matters[source] = true
		}
	}
	for _, request := range requests {
		for _, m := range placeholder.FindAllStringSubmatch(request, -1) {
			matters[m[1]] = true
		}
	}
	told := new(starlark.Dict)
	for _, item := range known.Items() {
		if matters[string(item[0].(starlark.String))] {
			_ = told.SetKey(item[0], item[1]) // the key was a key before
		}
	}
	return told
}
