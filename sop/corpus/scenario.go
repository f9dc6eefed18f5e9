package corpus

import (
	"fmt"

	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// Scenario tells how things stand for every condition of a variant of this
// corpus's domain, in a database as the pack's records.star reads it, for a
// user who knows these arguments (numbers as json.Number). It is an error if
// the pack has no records.star, if that does not tell a condition, or if the
// facts exclude each other.
func (c *Corpus) Scenario(v *sop.Variant, database starlark.Value, known map[string]any) (*sop.Scenario, error) {
	if c.records == nil {
		return nil, fmt.Errorf("%s has no %s, which tells how the database says the facts", c.Source, recordsFile)
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
