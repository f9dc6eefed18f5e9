package bench

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
)

// tree is a state as one object, so that every place in it is a path. It is never
// changed; a changed one shares with it what is the same.
type tree struct{ root *starlark.Dict }

const (
	databasePart = starlark.String("database")
	knownPart    = starlark.String("known")
)

func treeOf(s *State) *tree {
	root := starlark.NewDict(2)
	_ = root.SetKey(databasePart, s.Database) // a new dict takes any text as a key
	_ = root.SetKey(knownPart, s.Known)
	return &tree{root}
}

func (t *tree) state() *State {
	database, _, _ := t.root.Get(databasePart)
	known, _, _ := t.root.Get(knownPart)
	return &State{database.(*starlark.Dict), known.(*starlark.Dict)}
}

// place is a value and the keys and indices that lead to it.
type place struct {
	path  []starlark.Value
	value starlark.Value
}

func (p place) key() starlark.Value { return p.path[len(p.path)-1] }

// beside tells whether two places are under the same name, or in the same
// object or list.
func (p place) beside(o place) bool {
	if python.Equal(p.key(), o.key()) {
		return true
	}
	return len(p.path) == len(o.path) && slices.EqualFunc(p.path[:len(p.path)-1], o.path[:len(o.path)-1], python.Equal)
}

// places lists everything in database and known.
func (t *tree) places() (list []place) {
	var walk func(path []starlark.Value, v starlark.Value)
	walk = func(path []starlark.Value, v starlark.Value) {
		if len(path) > 1 {
			list = append(list, place{path, v})
		}
		switch v := v.(type) {
		case *starlark.Dict:
			for _, item := range v.Items() {
				walk(append(slices.Clone(path), item[0]), item[1])
			}
		case *starlark.List:
			for i := range v.Len() {
				walk(append(slices.Clone(path), starlark.MakeInt(i)), v.Index(i))
			}
		}
	}
	walk(nil, t.root)
	return list
}

// at is what stands at a path; nil where there is nothing.
func (t *tree) at(path []starlark.Value) (v starlark.Value) {
	v = t.root
	for _, key := range path {
		switch in := v.(type) {
		case *starlark.Dict:
			v, _, _ = in.Get(key)
		case *starlark.List:
			i, err := starlark.AsInt32(key)
			if err != nil || i >= in.Len() {
				return nil
			}
			v = in.Index(i)
		default:
			return nil
		}
	}
	return v
}

// with is the tree with a value at a path, in an object under a key that may be
// new; nil takes away what stands there.
func (t *tree) with(path []starlark.Value, v starlark.Value) *tree {
	root, _ := replaced(t.root, path, v).(*starlark.Dict)
	return &tree{root}
}

func replaced(in starlark.Value, path []starlark.Value, v starlark.Value) starlark.Value {
	if len(path) == 0 {
		return v
	}
	switch in := in.(type) {
	case *starlark.Dict:
		out := starlark.NewDict(in.Len())
		for _, item := range in.Items() {
			_ = out.SetKey(item[0], item[1]) // the key was a key before
		}
		was, _, _ := in.Get(path[0])
		if is := replaced(was, path[1:], v); is != nil {
			_ = out.SetKey(path[0], is) // as above, or a text
		} else {
			_, _, _ = out.Delete(path[0])
		}
		return out
	case *starlark.List:
		var items []starlark.Value
		at, _ := starlark.AsInt32(path[0])
		for i := range in.Len() {
			x := in.Index(i)
			if i == at {
				x = replaced(x, path[1:], v)
			}
			if x != nil {
				items = append(items, x)
			}
		}
		return starlark.NewList(items)
	}
	return in
}

// renamed is the tree with one value in place of another wherever it stands,
// keys included.
func (t *tree) renamed(was, is starlark.Value) *tree {
	return t.mapped(func(v starlark.Value) starlark.Value {
		if python.Equal(v, was) {
			return python.Copy(is)
		}
		return v
	})
}

// shifted is the tree with every date some days later.
func (t *tree) shifted(days int) *tree {
	return t.mapped(func(v starlark.Value) starlark.Value {
		if s, ok := v.(starlark.String); ok {
			if layout, at := dateOf(string(s)); layout != "" {
				return starlark.String(writeDate(layout, at.AddDate(0, 0, days)))
			}
		}
		return v
	})
}

// mapped is the tree with f applied to everything in database and known, what
// has parts first.
func (t *tree) mapped(f func(starlark.Value) starlark.Value) *tree {
	var walk func(v starlark.Value) starlark.Value
	walk = func(v starlark.Value) starlark.Value {
		switch x := f(v).(type) {
		case *starlark.Dict:
			out := starlark.NewDict(x.Len())
			for _, item := range x.Items() {
				key := item[0]
				if k, ok := f(key).(starlark.String); ok {
					key = k
				}
				_ = out.SetKey(key, walk(item[1])) // the key was a key, or is a text
			}
			return out
		case *starlark.List:
			items := make([]starlark.Value, x.Len())
			for i := range items {
				items[i] = walk(x.Index(i))
			}
			return starlark.NewList(items)
		default:
			return x
		}
	}
	s := t.state()
	database, _ := walk(s.Database).(*starlark.Dict)
	// What a parameter is called stays as it is.
	known := starlark.NewDict(s.Known.Len())
	for _, item := range s.Known.Items() {
		_ = known.SetKey(item[0], walk(item[1])) // the key was a key before
	}
	return treeOf(&State{database, known})
}

// scaled is a number times a factor, whole where it was.
func scaled(v starlark.Value, factor float64) starlark.Value {
	f, _ := starlark.AsFloat(v)
	return numberLike(v, f*factor)
}

// numberLike is x as a number of the kind of v, with cents at most.
func numberLike(v starlark.Value, x float64) starlark.Value {
	if _, whole := v.(starlark.Int); whole {
		return starlark.MakeInt64(int64(math.Round(x)))
	}
	return starlark.Float(math.Round(x*100) / 100)
}

// The layouts of dates in databases; in the last the day has its ending.
var layouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", ordinal}

const ordinal = "January 2, 2006" // March 3rd, 2031

// dateOf reads a date; the layout of what is none is "".
func dateOf(text string) (layout string, at time.Time) {
	if len(text) < len("2006-01-02") {
		return "", time.Time{}
	}
	for _, layout := range layouts {
		plain := text
		if layout == ordinal {
			for _, ending := range []string{"st,", "nd,", "rd,", "th,"} {
				plain = strings.Replace(plain, ending, ",", 1)
			}
		}
		if at, err := time.Parse(layout, plain); err == nil {
			return layout, at
		}
	}
	return "", time.Time{}
}

func writeDate(layout string, at time.Time) string {
	if layout != ordinal {
		return at.Format(layout)
	}
	ending := "th"
	if day := at.Day(); day/10 != 1 {
		switch day % 10 {
		case 1:
			ending = "st"
		case 2:
			ending = "nd"
		case 3:
			ending = "rd"
		}
	}
	return at.Format("January 2") + ending + at.Format(", 2006")
}
