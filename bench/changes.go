package bench

import (
	"fmt"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
)

// Change is one difference between two databases. Values are written as Python
// prints them; nil where there was none, or is none any more.
type Change struct {
	Path string  `json:"path"` // accounts/ann/orders[2]
	From *string `json:"from"`
	To   *string `json:"to"`
}

// Changes compares two values by their parts, in the order of the keys. Of a
// list that has grown or shrunk, what both begin and end with is left out.
func Changes(from, to starlark.Value) []Change { return changes(nil, "", from, to) }

func changes(list []Change, path string, from, to starlark.Value) []Change {
	if python.Equal(from, to) {
		return list
	}
	switch was := from.(type) {
	case *starlark.Dict:
		if is, ok := to.(*starlark.Dict); ok {
			return changedKeys(list, path, was, is)
		}
	case *starlark.List:
		if is, ok := to.(*starlark.List); ok {
			return changedItems(list, path, was, is)
		}
	}
	return append(list, Change{path, printed(from), printed(to)})
}

func changedKeys(list []Change, path string, was, is *starlark.Dict) []Change {
	under := func(key starlark.Value) string {
		if path == "" {
			return python.Str(key)
		}
		return path + "/" + python.Str(key)
	}
	for _, item := range was.Items() {
		if v, found, _ := is.Get(item[0]); found {
			list = changes(list, under(item[0]), item[1], v)
		} else {
			list = append(list, Change{Path: under(item[0]), From: printed(item[1])})
		}
	}
	for _, item := range is.Items() {
		if _, found, _ := was.Get(item[0]); !found {
			list = append(list, Change{Path: under(item[0]), To: printed(item[1])})
		}
	}
	return list
}

func changedItems(list []Change, path string, was, is *starlark.List) []Change {
	least := min(was.Len(), is.Len())
	start, end := 0, 0
	for start < least && python.Equal(was.Index(start), is.Index(start)) {
		start++
	}
	for end < least-start && python.Equal(was.Index(was.Len()-1-end), is.Index(is.Len()-1-end)) {
		end++
	}
	at := func(i int) string { return fmt.Sprintf("%s[%d]", path, i) }
	if was.Len() == is.Len() {
		for i := start; i < is.Len()-end; i++ {
			list = changes(list, at(i), was.Index(i), is.Index(i))
		}
		return list
	}
	for i := start; i < was.Len()-end; i++ {
		list = append(list, Change{Path: at(i), From: printed(was.Index(i))})
	}
	for i := start; i < is.Len()-end; i++ {
		list = append(list, Change{Path: at(i), To: printed(is.Index(i))})
	}
	return list
}

func printed(v starlark.Value) *string { return new(python.Repr(v)) }
