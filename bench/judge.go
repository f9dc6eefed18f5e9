package bench

import (
	"slices"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// Mend is a fault of the official evaluator that a judge does not share.
type Mend struct{ Name, Text string }

// Mends are all of them.
var Mends = []Mend{
	{"json", "arguments with true, false or null are read, although they are no Python"},
	{"content", "an answer is compared as the text that it was recorded as: 2024-10-9 is a date, no subtraction"},
	{"unoffered", "a call of a tool that was not offered has no effect"},
	{"result", "whether the goal succeeded is taken from its whole answer, of which newer records keep the second item only"},
	{"login", "only a login or an administrative password that is right counts"},
	{"guard", "a rule on what does not exist refuses, where it threw"},
	{"cards", "credit cards that the tasks store as a list are found, where the recorded environment found them"},
	{"format", "what differs with every process is compared by its format"},
	{"binding", "a renamed argument of an earlier call is compared, also where it is 0, false or empty"},
}

// Judge decides on recorded runs. It is safe for concurrent use.
type Judge struct{ mends []string }

// Official judges as the evaluator of SOPBench does.
func Official() *Judge { return &Judge{} }

// Corrected judges with every fault mended.
func Corrected() *Judge {
	j := &Judge{}
	for _, m := range Mends {
		j.mends = append(j.mends, m.Name)
	}
	return j
}

// With judges as the official evaluator does, but for one fault.
func With(m Mend) *Judge { return &Judge{[]string{m.Name}} }

func (j *Judge) mended(fault string) bool { return slices.Contains(j.mends, fault) }

// ErrStops is a run at which the official evaluator stops.
type ErrStops struct{ Reason string }

func (e *ErrStops) Error() string { return "the official evaluator stops here: " + e.Reason }

// Judge executes every call of a run again and decides. The error is a
// *world.Fault or an *ErrStops.
func (j *Judge) Judge(d *world.Domain, t *Task, r *Run) (Verdict, error) {
	if r.Stops != "" {
		return Verdict{}, &ErrStops{r.Stops}
	}
	x := j.begin(d, t, r)
	for _, c := range r.Calls {
		if _, err := x.call(c); err != nil {
			return Verdict{}, err
		}
	}
	return x.conclude(), nil
}

// mendsFor leaves out the mend of the cards where the agent's environment did
// not find them: the older one, which recorded pairs whole, did, and ours does.
func (j *Judge) mendsFor(r *Run) []string {
	if r.Whole || slices.Contains(r.Mends, "cards") {
		return j.mends
	}
	return slices.DeleteFunc(slices.Clone(j.mends), func(m string) bool { return m == "cards" })
}

func (j *Judge) arguments(c Call) starlark.Value {
	v := evaluate(c.Arguments)
	if _, unread := v.(starlark.String); unread && j.mended("json") {
		if object, err := decode([]byte(c.Arguments)); err == nil {
			return object
		}
	}
	return v
}

func notOffered(c Call) bool {
	return c.Content == "Error: Tool "+c.Name+" not found."
}

// agrees compares what was recorded with what the call answers now: with the
// whole answer, or with the second item of a pair that begins with true.
func (j *Judge) agrees(d *world.Domain, content starlark.Value, recorded string, result starlark.Value) bool {
	if result == nil {
		return false
	}
	was, is := python.Lists(content), python.Lists(result)
	if j.mended("format") {
		was, is = d.Masked(was), d.Masked(is)
	}
	if python.Equal(was, is) || python.Equal(starlark.NewList([]starlark.Value{starlark.True, was}), is) {
		return true
	}
	return j.mended("content") && (recorded == python.Str(result) || recorded == world.Observation(result, nil))
}

// succeeded tells whether an answer of the goal is a yes.
func succeeded(answer starlark.Value) (bool, error) {
	switch x := answer.(type) {
	case starlark.Bool:
		return bool(x), nil
	case *starlark.List:
		return first(x)
	case starlark.Tuple:
		return first(x)
	}
	return false, nil
}

func first(list starlark.Indexable) (bool, error) {
	if list.Len() == 0 {
		return false, &ErrStops{"the goal answered with an empty list"}
	}
	return python.Truth(list.Index(0)), nil
}

func (j *Judge) sameDatabase(d *world.Domain, is *starlark.Dict, was starlark.Value) bool {
	if python.Equal(was, is) {
		return true
	}
	if !j.mended("format") {
		return false
	}
	return python.Equal(d.Masked(was), d.Masked(is))
}
