package stages

import (
	"math/rand/v2"

	"github.com/fmsop/fmsop/sop"
)

// How the scenarios of a generation come about.
const (
	ScenariosDrawn    = "drawn"    // facts and numbers, as the procedures allow them
	ScenariosExecuted = "executed" // what stands in the records of a running domain, with its tools' own answers
)

// Scenarios are these, the default first.
var Scenarios = []string{ScenariosDrawn, ScenariosExecuted}

// Executor carries scenarios out in a running domain. It is safe for concurrent
// use.
type Executor interface {
	// Execute makes records in which exactly these facts of v hold, and returns
	// the scenario that they are, with the Results of the calls that can be made.
	// Records is nil, or those of an earlier scenario, from which the new ones
	// then differ little. The same arguments and the same state of rng give the
	// same result. The error says that no such records were found.
	Execute(v *sop.Variant, facts map[string]bool, records any, rng *rand.Rand) (s *sop.Scenario, made any, err error)
}

// Execute has the scenarios of each domain carried out by its executor. Every
// domain of the plan needs one.
func (p *Plan) Execute(by map[*sop.Domain]Executor) {
	p.Options.Scenarios = ScenariosExecuted
	for _, j := range p.Jobs {
		j.executor = by[j.Domain]
	}
}

// execute puts what stands in records of the running domain in the place of a
// scenario that was drawn. It tells where there are none, or where a call of the
// right workflow cannot be made in them.
func (w *worker) execute(s *side) bool {
	if w.executor == nil || s.scenario.Results != nil {
		return true
	}
	executed, records, err := w.executor.Execute(s.V, s.scenario.Facts, w.records, w.rng)
	if err != nil {
		w.drops[DropRecords]++
		return false
	}
	for _, item := range s.positive[:len(s.positive)-1] {
		if _, answered := executed.Results[item]; !answered {
			w.drops[DropThrows]++
			return false
		}
	}
	s.scenario, w.records = executed, records
	return true
}

// settle draws the rest of a scenario that has no more than facts, and has it
// executed where the plan wants that; or it says that there is none.
func (w *worker) settle(s *side) bool { return w.units.settle(s) && w.execute(s) }
