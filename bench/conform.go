package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/starlark"
)

// Conformance is what [Conform] found.
type Conformance struct {
	Domain    string   `json:"domain"`
	Tools     int      `json:"tools"`
	Calls     int      `json:"calls"`     // made with good and with bad arguments
	Workflows int      `json:"workflows"` // held against the formal domain
	Tasks     int      `json:"tasks"`     // carried out
	Findings  []string `json:"findings"`
}

// workflowsEach is how many scenarios are tried for each procedure.
const workflowsEach = 20

// Conform checks an executable pack: every tool takes the arguments that the
// pack declares; missing, surplus and mistyped ones give an observation; a
// world that is started again is fresh and shares nothing; what the rules
// allow is let through and the goal that they forbid is not, on sampled
// scenarios; and tasks, where there are any, end as they want when their own
// graphs are carried out. The error says that the pack cannot be read.
func Conform(name string, tasks []*Task, seed uint64) (*Conformance, error) {
	d, err := world.Load(name)
	if err != nil {
		return nil, err
	}
	c, err := corpus.Load(name)
	if err != nil {
		return nil, err
	}
	s := &conformer{
		Conformance: &Conformance{Domain: c.Domain.Name, Tools: len(d.Tools), Findings: []string{}},
		domain:      d, corpus: c, rng: rand.New(rand.NewPCG(seed, 0)),
	}
	s.declared()
	s.database, s.known = d.Example()
	if s.database == nil || s.known == nil {
		s.find("there is no example = {…} (a database) or no known = {…} (arguments), so nothing can be tried")
	} else {
		s.arguments()
		s.fresh()
		s.formal()
	}
	s.carryOut(tasks)
	return s.Conformance, nil
}

type conformer struct {
	*Conformance
	domain          *world.Domain
	corpus          *corpus.Corpus
	database, known *starlark.Dict
	rng             *rand.Rand
}

func (s *conformer) find(format string, args ...any) {
	text := s.domain.File() + ": " + fmt.Sprintf(format, args...)
	if !slices.Contains(s.Findings, text) {
		s.Findings = append(s.Findings, text)
	}
}

// declared holds the arguments of tools against those of the pack's actions.
func (s *conformer) declared() {
	for _, t := range s.domain.Tools {
		action := s.corpus.Domain.Actions[t.Name]
		if action == nil {
			continue // a tool that no procedure mentions
		}
		names, _ := t.Parameters()
		for _, p := range action.Parameters {
			if !slices.Contains(names, p) {
				s.find("the tool %s takes no %q, which the action of that name declares", t.Name, p)
			}
		}
	}
	for name := range s.corpus.Domain.Actions {
		if s.domain.Tool(name) == nil {
			s.find("there is no tool %s, which the pack declares as an action", name)
		}
	}
}

func (s *conformer) world(mends ...string) *world.World {
	return s.domain.Start(world.Setup{Database: s.database, Mends: mends})
}

// good are arguments of a tool as the example has them.
func (s *conformer) good(t *world.Tool) *starlark.Dict {
	args := new(starlark.Dict)
	names, required := t.Parameters()
	for i, name := range names {
		v, found, _ := s.known.Get(starlark.String(name))
		if found {
			_ = args.SetKey(starlark.String(name), v) // a new dict takes any text as a key
		} else if i < required {
			s.find("known has no argument %q, which %s needs", name, t.Name)
		}
	}
	return args
}

// mistyped are values that hardly any parameter wants.
var mistyped = []string{"None", "True", "-1", "0", "2.5", "''", "'no such thing'", "[]", "['a', 1]", "{}", "{'a': [None]}"}

func (s *conformer) arguments() {
	for _, t := range s.domain.Tools {
		good := s.good(t)
		for _, call := range []func(*world.World, *starlark.Dict) (starlark.Value, error){
			func(w *world.World, args *starlark.Dict) (starlark.Value, error) { return w.Call(t.Name, args) },
			func(w *world.World, args *starlark.Dict) (starlark.Value, error) { return w.CallPlain(t.Name, args) },
		} {
			s.try(t.Name, call, good, ofExample)
			extra := python.Copy(good).(*starlark.Dict)
			_ = extra.SetKey(starlark.String("no_such_parameter"), starlark.True)
			s.try(t.Name, call, extra, "a surplus argument")
			for _, name := range good.Keys() {
				missing := python.Copy(good).(*starlark.Dict)
				_, _, _ = missing.Delete(name)
				s.try(t.Name, call, missing, "no "+string(name.(starlark.String)))
				for _, text := range mistyped {
					wrong := python.Copy(good).(*starlark.Dict)
					v, _ := python.Eval(text)
					_ = wrong.SetKey(name, v)
					s.try(t.Name, call, wrong, fmt.Sprintf("%s = %s", string(name.(starlark.String)), text))
				}
			}
		}
	}
}

const ofExample = "the arguments of the example"

// try makes a call in a world of its own, twice: both give the same answer and
// leave the same database, and neither ends but in a value or an exception.
func (s *conformer) try(tool string, call func(*world.World, *starlark.Dict) (starlark.Value, error), args *starlark.Dict, what string) {
	defer func() {
		if p := recover(); p != nil {
			s.find("the tool %s panics with %s: %v", tool, what, p)
		}
	}()
	var seen [2]string
	for i := range seen {
		w := s.world()
		s.Calls++
		v, err := call(w, args)
		var thrown *python.Exception
		switch {
		case errors.Is(err, world.ErrAbsent):
			return
		case err != nil && !errors.As(err, &thrown):
			s.find("with %s: %v", what, err)
			return
		case err != nil && what == ofExample:
			s.find("the tool %s throws %s with %s, at %s", tool, thrown, what, cmp.Or(thrown.At, "a built-in function"))
		case err == nil && !answers(v):
			s.find("the tool %s answers %s with %s, want True, False or a pair that begins with one", tool, python.Repr(v), what)
		}
		seen[i] = world.Observation(v, err) + python.Repr(w.Database())
	}
	if seen[0] != seen[1] {
		s.find("the tool %s does not do the same twice with %s", tool, what)
	}
}

// answers tells whether v is what a tool may answer; one that hands out the
// whole database without a pair is let pass.
func answers(v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.Bool, *starlark.Dict:
		return true
	case starlark.Tuple:
		if len(v) != 2 {
			return false
		}
		_, ok := v[0].(starlark.Bool)
		return ok
	}
	return false
}

// fresh makes every call in one world while another stands by.
func (s *conformer) fresh() {
	before, busy := s.world(), s.world()
	for _, t := range s.domain.Tools {
		_, _ = busy.Call(t.Name, s.good(t))
		_, _ = busy.CallPlain(t.Name, s.good(t))
		s.Calls += 2
	}
	for _, w := range []*world.World{before, s.world()} {
		if !python.Equal(w.Database(), s.database) {
			s.find("a fresh world is not as the example: calls in another one have changed it")
		}
	}
}

// formal holds the guards against the procedures' own meaning.
func (s *conformer) formal() {
	for _, p := range s.corpus.Domain.Procedures {
		for range workflowsEach {
			err := s.workflow(p)
			if errors.Is(err, corpus.ErrNoRecords) {
				s.find("%v; so the guards cannot be held against the rules", err)
				return
			}
			if err != nil {
				s.find("%s: %v", p.Goal, err)
				break // the others of this procedure say much the same
			}
		}
	}
}

// workflow draws a variant and a scenario and follows a right workflow: every
// call in it is let through, and at its end the goal is, exactly if it is due.
func (s *conformer) workflow(p *sop.Procedure) error {
	rules := append([]*sop.Tree{}, p.Required...) // nil would stand for all rules
	for _, rule := range p.Customizable {
		if s.rng.IntN(3) > 0 {
			rules = append(rules, rule)
		}
	}
	v, err := s.corpus.Domain.Variant(p, sop.Choice{Rules: rules})
	if err != nil {
		return err
	}
	guard, err := s.domain.Guard(v)
	if err != nil {
		return err
	}
	m, err := sop.Compile(&v.Graph)
	if err != nil {
		return err
	}
	known := s.sample()
	scenario, err := s.corpus.Scenario(v, s.database, goValue(known).(map[string]any))
	if err != nil {
		return err
	}
	workflow, err := m.Positive(scenario.Facts, s.rng)
	if err != nil {
		return nil // no calls lead to a decision in this scenario
	}
	s.Workflows++
	w := s.domain.Start(world.Setup{Database: s.database, Goal: p.Goal, Constraints: guard, Mends: []string{"login"}})
	end := len(workflow) - 1
	for i, item := range workflow {
		permit, wanted := item, true
		if i == end {
			permit, wanted = v.Goal, item == v.Goal
			if !wanted && v.Requires[v.Goal].Holds(scenario.Facts) {
				return nil // denied for what cannot be found out, which no guard knows
			}
		}
		use := v.Calls[permit]
		args := arguments(s.domain.Tool(use.Base), use.Args, known)
		// An exception of a guard lets nothing through either.
		if permitted, err := w.Permits(use.Base, over(known, args)); permitted != wanted {
			return fmt.Errorf("%v: after %s the rules permit %s: %v, the guard: %v (%v), for %s",
				v.Requires[v.Goal], strings.Join(workflow[:i], ", "), permit, wanted, permitted, err, python.Repr(known))
		}
		if i < end {
			_, _ = w.Call(use.Base, args) // what it answers is a fact of the scenario
		}
	}
	return nil
}

// arguments fills the parameters of a tool from what the user knows.
func arguments(t *world.Tool, sources map[string]string, known *starlark.Dict) *starlark.Dict {
	args := new(starlark.Dict)
	names, _ := t.Parameters()
	for _, p := range names {
		source := p
		if from, renamed := sources[p]; renamed {
			source = from
		}
		if v, found, _ := known.Get(starlark.String(source)); found {
			_ = args.SetKey(starlark.String(p), v) // a new dict takes any text as a key
		}
	}
	return args
}

// over returns what the user knows, with the arguments of a call in front: a
// rule may lean on more than the tool is given.
func over(known, args *starlark.Dict) *starlark.Dict {
	all := python.Copy(known).(*starlark.Dict)
	for _, item := range args.Items() {
		_ = all.SetKey(item[0], item[1]) // a copy can be changed
	}
	return all
}

// sample changes a few of the arguments of the example for others that the
// pack or the example knows.
func (s *conformer) sample() *starlark.Dict {
	known := python.Copy(s.known).(*starlark.Dict)
	for _, name := range known.Keys() {
		parameter := s.corpus.Domain.Parameters[string(name.(starlark.String))]
		if s.rng.IntN(5) > 0 || parameter == nil || len(parameter.Examples) == 0 {
			continue
		}
		if v := example(parameter, s.rng); v != nil {
			_ = known.SetKey(name, v) // the key is there
		}
	}
	return known
}

// example draws one of a parameter's examples.
func example(p *sop.Parameter, rng *rand.Rand) starlark.Value {
	text, err := json.Marshal(p.Examples[rng.IntN(len(p.Examples))])
	if err != nil {
		return nil
	}
	v, err := world.Decode(text)
	if err != nil {
		return nil
	}
	return v
}

// goValue converts to what encoding/json would decode, numbers as json.Number.
func goValue(v starlark.Value) any {
	switch v := v.(type) {
	case starlark.Bool:
		return bool(v)
	case starlark.String:
		return string(v)
	case starlark.Int, starlark.Float:
		return json.Number(python.Repr(v))
	case *starlark.List:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = goValue(v.Index(i))
		}
		return list
	case *starlark.Dict:
		m := map[string]any{}
		for _, item := range v.Items() {
			m[python.Str(item[0])] = goValue(item[1])
		}
		return m
	}
	return nil
}

func (s *conformer) carryOut(tasks []*Task) {
	for _, t := range tasks {
		s.Tasks++
		outcome, err := Corrected().solve(s.domain, t)
		if err != nil {
			s.find("task %d (%s): %v", t.Index, t.Goal, err)
		} else if outcome != t.ShouldSucceed {
			s.find("task %d (%s): the goal succeeds: %v, the task wants %v", t.Index, t.Goal, outcome, t.ShouldSucceed)
		}
	}
}
