package corpus

import (
	"errors"
	"fmt"

	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// ErrNoRecords is a pack that does not tell how a database says its facts.
var ErrNoRecords = errors.New("there is no " + recordsFile)

// Scenario tells how things stand for every condition of a variant of this
// corpus's domain, in a database as the pack's records.star reads it, for a
// user who knows these arguments (numbers as json.Number). The error is
// ErrNoRecords, or says what records.star does not tell, or that the facts
// exclude each other.
func (c *Corpus) Scenario(v *sop.Variant, database starlark.Value, known map[string]any) (*sop.Scenario, error) {
	if c.records == nil {
		return nil, fmt.Errorf("%w in %s, which tells how the database says the facts", ErrNoRecords, c.Source)
	}
	s := &taskScenario{t: &task{known: known}, v: v, records: c.records, db: database}
	s.bind()
	s.readValues()
	s.readFacts()
	s.close(s.facts)
	s.dropValues()
	switch {
	case len(s.unknown) > 0:
		return nil, fmt.Errorf("%s: there is no function %s", c.records.file, s.unknown[0])
	case !v.Consistent(s.facts):
		return nil, fmt.Errorf("the facts of the database exclude each other")
	}
	return &sop.Scenario{Facts: s.facts, Values: s.numbers, Bindings: s.bindings}, nil
}
