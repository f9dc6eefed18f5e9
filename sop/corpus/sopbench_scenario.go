package corpus

import (
	"encoding/json"
	"math/bits"

	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// scenario tells how things stand in a task for every condition of the
// variant, or why that cannot be told.
func (b *taskCorpus) scenario(t *task, v *sop.Variant) (*sop.Scenario, string) {
	s := &taskScenario{t: t, v: v, records: b.records, db: starlarkOf(t.database)}
	s.bind()
	s.readValues()
	s.readFacts()
	s.close(s.facts)
	if len(s.unknown) > 0 {
		if !s.imply() {
			return nil, "no facts of what the pack does not know fit the task's own verdict"
		}
		b.implied = append(b.implied, t.where)
	}
	s.dropValues()
	if !v.Consistent(s.facts) {
		return nil, "its facts exclude each other"
	}
	return &sop.Scenario{Facts: s.facts, Values: s.numbers, Bindings: s.bindings}, ""
}

type taskScenario struct {
	t       *task
	v       *sop.Variant
	records *records
	db      starlark.Value

	bindings map[string]any
	numbers  map[string]float64
	facts    map[string]bool
	unknown  []string // conditions that no record function tells
}

// bind takes over what the user can say. A parameter that the user does not
// know stays unbound.
func (s *taskScenario) bind() {
	s.bindings = map[string]any{}
	for name, x := range s.t.known {
		if x != nil {
			s.bindings[name] = plainNumbers(x)
		}
	}
}

func plainNumbers(x any) any {
	switch x := x.(type) {
	case json.Number:
		f, _ := x.Float64()
		return f
	case []any:
		list := make([]any, len(x))
		for i := range x {
			list[i] = plainNumbers(x[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(x))
		for k := range x {
			m[k] = plainNumbers(x[k])
		}
		return m
	}
	return x
}

// call evaluates a record function for an instance with these arguments.
func (s *taskScenario) call(name string, args map[string]string) (starlark.Value, error) {
	return s.records.call(name, s.db, func(parameter string) starlark.Value {
		if source, ok := args[parameter]; ok {
			parameter = source
		}
		return starlarkOf(s.t.known[parameter])
	})
}

func (s *taskScenario) readValues() {
	s.numbers = map[string]float64{}
	for _, name := range sortedKeys(s.v.Values) {
		use := s.v.Values[name]
		if use.Stated {
			if f, ok := number(s.t.known[name]); ok {
				s.numbers[name] = f
			}
			continue
		}
		x, err := s.call("value_"+use.Base, use.Args)
		if err != nil {
			continue
		}
		if f, ok := starlark.AsFloat(x); ok {
			s.numbers[name] = f
		}
	}
}

func (s *taskScenario) readFacts() {
	s.facts = map[string]bool{}
	for _, name := range sortedKeys(s.v.Conditions) {
		use := s.v.Conditions[name]
		switch {
		case use.Compare != nil:
			s.facts[name], _ = use.Compare.Holds(s.numbers)
		case s.records.function(use.Base) == nil:
			s.unknown = append(s.unknown, name)
		default:
			x, err := s.call(use.Base, use.Args)
			s.facts[name] = err == nil && x == starlark.True
		}
	}
}

// close makes conditions false until none holds without what it depends on.
func (s *taskScenario) close(facts map[string]bool) {
	for range len(facts) + 1 {
		changed := false
		for _, name := range sortedKeys(s.v.DependsOn) {
			if facts[name] && !s.v.DependsOn[name].Holds(facts) {
				facts[name], changed = false, true
			}
		}
		if !changed {
			return
		}
	}
}

// dropValues leaves out the numbers of what does not exist in this case.
func (s *taskScenario) dropValues() {
	for name, use := range s.v.Values {
		if !use.DependsOn.Holds(s.facts) {
			delete(s.numbers, name)
		}
	}
}

const maxUnknown = 10

// imply gives the conditions that the pack does not know the facts that the
// task's verdict needs: as few false ones as possible.
func (s *taskScenario) imply() bool {
	n := len(s.unknown)
	if n > maxUnknown {
		return false
	}
	for falses := range n + 1 {
		for mask := range 1 << n {
			if bits.OnesCount(uint(mask)) != falses {
				continue
			}
			facts := make(map[string]bool, len(s.facts)+n)
			for name, x := range s.facts {
				facts[name] = x
			}
			for i, name := range s.unknown {
				facts[name] = mask>>i&1 == 0
			}
			if s.v.Consistent(facts) && s.v.Requires[s.v.Goal].Holds(facts) == s.t.succeeds {
				s.facts = facts
				return true
			}
		}
	}
	return false
}
