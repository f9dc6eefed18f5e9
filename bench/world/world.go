package world

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
)

// maxSteps bounds one call, conditions and all; a tool of the built-in packs
// takes some hundreds.
const maxSteps = 2_000_000

func newThread() *starlark.Thread {
	t := &starlark.Thread{Name: "call", Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(maxSteps)
	return t
}

// Setup is what a world starts from.
type Setup struct {
	Database *starlark.Dict // copied
	Limits   *starlark.Dict // nil for the domain's own
	// Goal is the tool whose guard is Constraints; "" leaves every guard.
	Goal        string
	Constraints *Tree
	// Mends names the faults of the original that this world does not have:
	// "login", that a failed login counts as one; "cards", that cards which a
	// database stores as a list are not found; "guard", that a rule on what
	// does not exist throws where it should refuse.
	Mends []string
}

// World is a domain in use: one database and one session. It is not safe for
// concurrent use.
type World struct {
	domain        *Domain
	setup         Setup
	db            *starlark.Dict
	strict, plain *layer
	thread        *starlark.Thread
}

// Start makes a world; it shares nothing with others.
func (d *Domain) Start(s Setup) *World {
	if s.Limits == nil {
		s.Limits = d.limits
	}
	w := &World{domain: d, setup: s, db: python.Copy(s.Database).(*starlark.Dict)}
	limits := python.Copy(s.Limits)
	limits.Freeze()
	mends := make([]starlark.Value, len(s.Mends))
	for i, m := range s.Mends {
		mends[i] = starlark.String(m)
	}
	list := starlark.NewList(mends)
	list.Freeze()
	w.strict = &layer{w, limits, list, python.Copy(d.session)}
	w.plain = &layer{w, limits, list, d.session}
	return w
}

// Database is the database as it stands; it changes with the calls.
func (w *World) Database() *starlark.Dict { return w.db }

// ErrAbsent is the answer to a tool that the layer does not have.
var ErrAbsent = errors.New("not a tool of the strict layer")

// Fault is a tool that cannot be judged: it ran too long.
type Fault struct {
	Tool, At string
	Steps    uint64
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: the tool %s has not ended after %d steps, does it loop for ever?", f.At, f.Tool, f.Steps)
}

// Call runs a tool through the strict layer: its guard, the session, its
// innate tree, then the tool. The arguments are copied. An error is an
// *python.Exception that the tool threw, ErrAbsent, or a *Fault.
func (w *World) Call(name string, args *starlark.Dict) (starlark.Value, error) {
	return w.begin(name, args, w.callStrict)
}

// CallPlain runs a tool without its guard, as an agent that is trusted to
// follow the rules does.
func (w *World) CallPlain(name string, args *starlark.Dict) (starlark.Value, error) {
	return w.begin(name, args, w.callPlain)
}

// Permits tells whether the guard of a tool lets a call through as things
// stand; nothing changes. The error is as of Call.
func (w *World) Permits(name string, args *starlark.Dict) (bool, error) {
	v, err := w.begin(name, args, func(t *Tool, given binding) (starlark.Value, error) {
		holds, err := w.guarded(t, given)
		return starlark.Bool(holds), err
	})
	return v == starlark.True, err
}

type binding map[string]starlark.Value

func (w *World) begin(name string, args *starlark.Dict, call func(*Tool, binding) (starlark.Value, error)) (starlark.Value, error) {
	t := w.domain.tools[name]
	if t == nil {
		return nil, &python.Exception{Kind: "AttributeError", Message: fmt.Sprintf("there is no tool %s", python.Repr(starlark.String(name)))}
	}
	given := binding{}
	for _, item := range args.Items() {
		key, ok := starlark.AsString(item[0])
		if !ok {
			return nil, &python.Exception{Kind: "TypeError", Message: "keywords must be strings"}
		}
		given[key] = python.Copy(item[1])
	}
	w.thread = newThread()
	v, err := call(t, given)
	if err == nil || errors.Is(err, ErrAbsent) {
		return v, err
	}
	if steps := w.thread.ExecutionSteps(); steps >= maxSteps {
		return nil, &Fault{name, python.Caught(err).At, steps}
	}
	return nil, python.Caught(err)
}

func (w *World) callStrict(t *Tool, given binding) (starlark.Value, error) {
	if t.absent {
		return nil, ErrAbsent
	}
	var err error
	if o := w.domain.Official; o != nil && o.fixedArguments {
		_, err = bindTo(t.Name, t.run, given)
	}
	if t.begin != nil && err == nil {
		given, err = bindTo(t.Name, t.begin, given)
	}
	if err != nil {
		return nil, err
	}
	holds, err := w.guarded(t, given)
	if err != nil || !holds {
		return starlark.False, err
	}
	if t.begin == nil {
		return w.callPlain(t, given)
	}
	if !w.mended("login") {
		if _, err := w.run(t.begin, w.strict, given); err != nil {
			return nil, err
		}
		return w.callPlain(t, given)
	}
	v, err := w.callPlain(t, given)
	if err == nil && v == starlark.True {
		_, err = w.run(t.begin, w.strict, given)
	}
	return v, err
}

func (w *World) guard(t *Tool) *Tree {
	if t.Name == w.setup.Goal {
		return w.setup.Constraints
	}
	return t.Guard
}

// guarded evaluates the guard of a tool.
func (w *World) guarded(t *Tool, given binding) (bool, error) {
	holds, err := w.strict.holds(w.guard(t), given)
	if err != nil && w.mended("guard") {
		return false, nil
	}
	return holds, err
}

func (w *World) mended(fault string) bool { return slices.Contains(w.setup.Mends, fault) }

func (w *World) callPlain(t *Tool, given binding) (starlark.Value, error) {
	bound, err := bindTo(t.Name, t.run, given)
	if err != nil {
		return nil, err
	}
	holds, err := w.plain.holds(t.Innate, bound)
	if err != nil {
		return nil, err
	}
	if !holds {
		return python.Copy(t.refusal), nil
	}
	return w.run(t.run, w.plain, bound)
}

// run calls a function with arguments that were bound to it.
func (w *World) run(f *starlark.Function, l *layer, bound binding) (starlark.Value, error) {
	args := starlark.Tuple{l}
	n := f.NumParams() - btoi(f.HasKwargs())
	for i := 1; i < n; i++ {
		name, _ := f.Param(i)
		args = append(args, bound[name])
	}
	return starlark.Call(w.thread, f, args, nil)
}

// bindTo fills the defaults of f in, and refuses arguments that are missing
// or surplus in Python's words.
func bindTo(name string, f *starlark.Function, given binding) (binding, error) {
	n := f.NumParams() - btoi(f.HasKwargs())
	bound := make(binding, n)
	used := 0
	var missing []string
	for i := 1; i < n; i++ {
		p, _ := f.Param(i)
		if v, ok := given[p]; ok {
			bound[p] = v
			used++
		} else if v := f.ParamDefault(i); v != nil {
			bound[p] = v
		} else {
			missing = append(missing, "'"+p+"'")
		}
	}
	if !f.HasKwargs() && used < len(given) {
		for _, p := range slices.Sorted(mapKeys(given)) {
			if _, ok := bound[p]; !ok {
				return nil, typeError("%s() got an unexpected keyword argument '%s'", name, p)
			}
		}
	}
	switch k := len(missing); k {
	case 0:
		return bound, nil
	case 1:
		return nil, typeError("%s() missing 1 required positional argument: %s", name, missing[0])
	case 2:
		return nil, typeError("%s() missing 2 required positional arguments: %s and %s", name, missing[0], missing[1])
	default:
		return nil, typeError("%s() missing %d required positional arguments: %s, and %s", name, k, strings.Join(missing[:k-1], ", "), missing[k-1])
	}
}

func typeError(format string, args ...any) error {
	return &python.Exception{Kind: "TypeError", Message: fmt.Sprintf(format, args...)}
}

// Observation is what an agent sees of a result: of a pair its second item, of
// an exception its kind and message.
func Observation(v starlark.Value, err error) string {
	if err != nil {
		return err.Error()
	}
	if t, ok := v.(starlark.Tuple); ok && len(t) == 2 {
		v = t[1]
	}
	return python.Str(v)
}
