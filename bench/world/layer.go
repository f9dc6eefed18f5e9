package world

import (
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
)

// layer is the world as the functions of a tools.star see it: that of the
// plain layer has a session in which nothing ever happened.
type layer struct {
	world   *World
	limits  starlark.Value
	mends   starlark.Value
	session starlark.Value
}

func (l *layer) String() string        { return "world" }
func (l *layer) Type() string          { return "world" }
func (l *layer) Freeze()               {}
func (l *layer) Truth() starlark.Bool  { return true }
func (l *layer) Hash() (uint32, error) { return 0, typeError("unhashable type: 'world'") }
func (l *layer) AttrNames() []string   { return []string{"call", "db", "limits", "mends", "session"} }

func (l *layer) Attr(name string) (starlark.Value, error) {
	switch name {
	case "db":
		return l.world.db, nil
	case "limits":
		return l.limits, nil
	case "mends":
		return l.mends, nil
	case "session":
		return l.session, nil
	case "call":
		return starlark.NewBuiltin(name, l.call), nil
	}
	return nil, nil
}

// call is a call of the plain layer from inside a tool or a condition.
func (l *layer) call(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, nil, 1, &name); err != nil {
		return nil, err
	}
	t := l.world.domain.tools[name]
	if t == nil {
		return nil, &python.Exception{Kind: "AttributeError", Message: "there is no tool " + name}
	}
	given := binding{}
	for _, item := range kwargs {
		given[string(item[0].(starlark.String))] = item[1]
	}
	return l.world.callPlain(t, given)
}

// holds evaluates a tree on the arguments of a call.
func (l *layer) holds(t *Tree, args binding) (bool, error) {
	if t == nil {
		return true, nil
	}
	switch t.Op {
	case "":
		return l.leaf(t, args)
	case "and", "chain":
		for _, p := range t.Parts {
			if holds, err := l.holds(p, args); err != nil || !holds {
				return false, err
			}
		}
		return true, nil
	default:
		for _, p := range t.Parts {
			if holds, err := l.holds(p, args); err != nil || holds {
				return holds, err
			}
		}
		return false, nil
	}
}

func (l *layer) leaf(t *Tree, args binding) (bool, error) {
	given, err := t.given(args)
	if err != nil {
		return false, err
	}
	return l.decide(t, given)
}

// given fills the parameters of a leaf from the arguments of a call.
func (t *Tree) given(args binding) (binding, error) {
	given := make(binding, len(t.Args))
	for _, a := range t.Args {
		v, ok := args[a.Source]
		if strings.Contains(a.Source, "value ") { // a literal
			literal, err := python.Eval(strings.ReplaceAll(a.Source, "value ", ""))
			if err != nil {
				return nil, typeError("%s", err)
			}
			v, ok = literal, true
		}
		if !ok && a.Optional {
			continue
		}
		if !ok {
			return nil, &python.Exception{Kind: "KeyError", Message: python.Repr(starlark.String(a.Source))}
		}
		given[a.Parameter] = v
	}
	return given, nil
}

// decide asks for a leaf.
func (l *layer) decide(t *Tree, given binding) (bool, error) {
	v, err := l.ask(t.Name, given)
	if err != nil {
		return false, err
	}
	if _, ok := v.(starlark.Bool); !ok {
		if v, err = second(v); err != nil {
			return false, err
		}
	}
	return python.Equal(v, starlark.Bool(!t.Negated)), nil
}

// ask evaluates a condition, or calls the tool of that name.
func (l *layer) ask(name string, given binding) (starlark.Value, error) {
	f := l.world.domain.conditions[name]
	if f == nil {
		t := l.world.domain.tools[name]
		if t == nil {
			return nil, &python.Exception{Kind: "AttributeError", Message: "there is no condition " + name}
		}
		return l.world.callPlain(t, given)
	}
	bound, err := bindTo(name, f, given)
	if err != nil {
		return nil, err
	}
	return l.world.run(f, l, bound)
}

// second is v[1] of Python.
func second(v starlark.Value) (starlark.Value, error) {
	switch v := v.(type) {
	case starlark.Indexable: // lists, pairs, texts
		if v.Len() < 2 {
			return nil, &python.Exception{Kind: "IndexError", Message: "index out of range"}
		}
		return v.Index(1), nil
	case *starlark.Dict:
		if x, found, _ := v.Get(starlark.MakeInt(1)); found {
			return x, nil
		}
		return nil, &python.Exception{Kind: "KeyError", Message: "1"}
	}
	return nil, typeError("'%s' object is not subscriptable", typeName(v))
}
