package python

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Equal tells whether x == y in Python: numbers and booleans by value, lists
// item by item, mappings whatever the order of their keys. A list never equals
// a tuple.
func Equal(x, y starlark.Value) bool {
	switch x := x.(type) {
	case starlark.String:
		y, ok := y.(starlark.String)
		return ok && x == y
	case starlark.NoneType:
		return y == starlark.None
	case *starlark.List:
		y, ok := y.(*starlark.List)
		return ok && equalItems(x, y)
	case starlark.Tuple:
		y, ok := y.(starlark.Tuple)
		return ok && equalItems(x, y)
	case *starlark.Dict:
		y, ok := y.(*starlark.Dict)
		return ok && equalDicts(x, y)
	case starlark.Bool, starlark.Int, starlark.Float:
		return equalNumbers(number(x), number(y))
	}
	same, err := starlark.Equal(x, y)
	return err == nil && same
}

func equalNumbers(x, y starlark.Value) bool {
	if y == nil {
		return false
	}
	same, err := starlark.Equal(x, y)
	return err == nil && same
}

// number returns x with a boolean as 0 or 1, and nil for what is no number.
func number(x starlark.Value) starlark.Value {
	switch x := x.(type) {
	case starlark.Bool:
		if x {
			return starlark.MakeInt(1)
		}
		return starlark.MakeInt(0)
	case starlark.Int, starlark.Float:
		return x
	}
	return nil
}

func equalItems(x, y starlark.Indexable) bool {
	if x.Len() != y.Len() {
		return false
	}
	for i := range x.Len() {
		if !Equal(x.Index(i), y.Index(i)) {
			return false
		}
	}
	return true
}

func equalDicts(x, y *starlark.Dict) bool {
	if x.Len() != y.Len() {
		return false
	}
	for _, k := range x.Keys() {
		a, _, _ := x.Get(k)
		b, found, err := y.Get(k)
		if err != nil || !found || !Equal(a, b) {
			return false
		}
	}
	return true
}

// Contains is x in collection. In Starlark a list is simply in no mapping; here
// it is an error to ask, as in Python.
func Contains(collection, x starlark.Value) (bool, error) {
	switch collection.(type) {
	case *starlark.Dict, *starlark.Set:
		if _, err := x.Hash(); err != nil {
			return false, &Exception{Kind: "TypeError", Message: "unhashable type: '" + x.Type() + "'"}
		}
	case *starlark.List, starlark.Tuple:
		list := collection.(starlark.Indexable)
		for i := range list.Len() {
			if Equal(list.Index(i), x) {
				return true, nil
			}
		}
		return false, nil
	}
	v, err := starlark.Binary(syntax.IN, x, collection)
	return err == nil && Truth(v), err
}

// Truth is bool(x) of Python.
func Truth(x starlark.Value) bool { return bool(x.Truth()) }

// Lists returns x with every tuple in it a list.
func Lists(x starlark.Value) starlark.Value {
	switch x := x.(type) {
	case starlark.Tuple:
		return listOf(x)
	case *starlark.List:
		return listOf(x)
	case *starlark.Dict:
		d := starlark.NewDict(x.Len())
		for _, item := range x.Items() {
			_ = d.SetKey(item[0], Lists(item[1])) // the key was a key before
		}
		return d
	}
	return x
}

func listOf(x starlark.Indexable) *starlark.List {
	items := make([]starlark.Value, x.Len())
	for i := range items {
		items[i] = Lists(x.Index(i))
	}
	return starlark.NewList(items)
}

// Copy is copy.deepcopy(x) for the values that JSON knows. One object met in
// two places becomes two.
func Copy(x starlark.Value) starlark.Value {
	switch x := x.(type) {
	case starlark.Tuple:
		t := make(starlark.Tuple, len(x))
		for i := range x {
			t[i] = Copy(x[i])
		}
		return t
	case *starlark.List:
		items := make([]starlark.Value, x.Len())
		for i := range items {
			items[i] = Copy(x.Index(i))
		}
		return starlark.NewList(items)
	case *starlark.Dict:
		d := starlark.NewDict(x.Len())
		for _, item := range x.Items() {
			_ = d.SetKey(item[0], Copy(item[1])) // the key was a key before
		}
		return d
	}
	return x
}
