package bench

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// edit draws changes of a tree: one place for something that may stand there.
type edit struct {
	*tree
	all        []place // of the tree
	domain     *sop.Domain
	words      []string           // that the tools compare with
	thresholds map[string]float64 // of the variant
	rng        *rand.Rand
}

// draw returns the tree with a change, or nil where this draw changes nothing.
func (e *edit) draw() *tree {
	if len(e.all) == 0 {
		return nil
	}
	p := e.all[e.rng.IntN(len(e.all))]
	switch v := p.value.(type) {
	case *starlark.Dict:
		return e.record(p, v)
	case *starlark.List:
		return e.put(p.path, e.list(v))
	}
	return e.put(p.path, e.other(p))
}

// put returns the tree with the value at the path, nil for no value.
func (e *edit) put(path []starlark.Value, v starlark.Value) *tree {
	if v == nil {
		return nil
	}
	return e.with(path, v)
}

// other is another value in the place of one without parts.
func (e *edit) other(p place) starlark.Value {
	if e.rng.IntN(3) == 0 {
		if like := e.like(p); like != nil {
			return like
		}
	}
	switch v := p.value.(type) {
	case starlark.Bool:
		return !v
	case starlark.Int, starlark.Float:
		return e.number(v)
	case starlark.String:
		if layout, at := dateOf(string(v)); layout != "" && e.rng.IntN(4) > 0 {
			return starlark.String(writeDate(layout, e.date(at)))
		}
	default: // there is nothing so far
		if e.rng.IntN(2) == 0 {
			return e.scalar()
		}
	}
	return e.text(p)
}

// record takes a record away, has it under another name too, or makes it the
// same as another one.
func (e *edit) record(p place, v *starlark.Dict) *tree {
	above := p.path[:len(p.path)-1]
	if _, ok := e.at(above).(*starlark.Dict); ok && p.path[0] == databasePart && len(above) > 1 && e.rng.IntN(2) == 0 {
		if e.rng.IntN(2) == 0 {
			return e.with(p.path, nil)
		}
		if name, ok := e.text(p).(starlark.String); ok {
			return e.with(append(slices.Clone(above), name), v)
		}
		return nil
	}
	return e.put(p.path, e.like(p))
}

// list is the list with an item fewer, without any, or with one more.
func (e *edit) list(v *starlark.List) starlark.Value {
	var items []starlark.Value
	for i := range v.Len() {
		items = append(items, v.Index(i))
	}
	if len(items) > 0 {
		switch i := e.rng.IntN(len(items)); e.rng.IntN(4) {
		case 0:
			return starlark.NewList(slices.Delete(items, i, i+1))
		case 1:
			return starlark.NewList(nil)
		case 2:
			return starlark.NewList(append(items, items[i]))
		}
	}
	x := e.scalar()
	if x == nil {
		return nil
	}
	return starlark.NewList(append(items, x))
}

// like is another value of the same type that stands beside the place; nil
// where there is none.
func (e *edit) like(p place) starlark.Value {
	var found []starlark.Value
	for _, o := range e.all {
		if o.value.Type() == p.value.Type() && p.beside(o) && !python.Equal(o.value, p.value) {
			found = append(found, o.value)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found[e.rng.IntN(len(found))]
}

// drawsOfAPlace bounds the places that are drawn to find one that fits.
const drawsOfAPlace = 10

// scalar is some text or number of the tree.
func (e *edit) scalar() starlark.Value {
	for range drawsOfAPlace {
		switch v := e.all[e.rng.IntN(len(e.all))].value.(type) {
		case starlark.String, starlark.Int, starlark.Float:
			return v
		}
	}
	return nil
}

// text is an example of the parameter of that name, a word that the tools
// compare with, or a text or key that stands elsewhere.
func (e *edit) text(p place) starlark.Value {
	name, _ := starlark.AsString(p.key())
	if parameter := e.domain.Parameters[name]; parameter != nil && len(parameter.Examples) > 0 && e.rng.IntN(3) == 0 {
		return example(parameter, e.rng)
	}
	if len(e.words) > 0 && e.rng.IntN(3) == 0 {
		return starlark.String(e.words[e.rng.IntN(len(e.words))])
	}
	for range drawsOfAPlace {
		o := e.all[e.rng.IntN(len(e.all))]
		if text, ok := o.value.(starlark.String); ok {
			return text
		}
		if key, ok := o.key().(starlark.String); ok && len(o.path) > 2 && e.rng.IntN(2) == 0 {
			return key
		}
	}
	return nil
}

// number is one near a number that counts: the one that is there, another one
// of the tree, or a threshold.
func (e *edit) number(v starlark.Value) starlark.Value {
	was, _ := starlark.AsFloat(v)
	x := was
	switch e.rng.IntN(4) {
	case 0:
		var others []float64
		for _, o := range e.all {
			if f, ok := starlark.AsFloat(o.value); ok {
				others = append(others, f)
			}
		}
		x = others[e.rng.IntN(len(others))]
	case 1:
		if names := slices.Sorted(maps.Keys(e.thresholds)); len(names) > 0 {
			x = e.thresholds[names[e.rng.IntN(len(names))]]
		}
	}
	switch e.rng.IntN(8) {
	case 0:
		x++
	case 1:
		x--
	case 2:
		x *= 2
	case 3:
		x /= 2
	case 4:
		x *= 1 + 9*e.rng.Float64()
	case 5:
		x *= e.rng.Float64()
	case 6:
		x = 0
	}
	if was >= 0 {
		x = max(x, 0)
	}
	return numberLike(v, x)
}

// daysAway are how far a date is moved.
var daysAway = []int{0, 1, 2, 3, 7, 14, 30, 60, 100, 200, 400}

// date is one near a date of the tree.
func (e *edit) date(at time.Time) time.Time {
	if e.rng.IntN(2) == 0 {
		var others []time.Time
		for _, o := range e.all {
			if text, ok := o.value.(starlark.String); ok {
				if layout, t := dateOf(string(text)); layout != "" {
					others = append(others, t)
				}
			}
		}
		at = others[e.rng.IntN(len(others))]
	}
	days := daysAway[e.rng.IntN(len(daysAway))]
	if e.rng.IntN(2) == 0 {
		days = -days
	}
	at = at.AddDate(0, 0, days)
	if e.rng.IntN(3) == 0 {
		at = at.Add(time.Duration(e.rng.IntN(24)) * time.Hour)
	}
	return at
}
