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

// edit changes one place of a tree for something that may stand there.
type edit struct {
	*tree
	domain     *sop.Domain
	words      []string           // that the tools compare with
	thresholds map[string]float64 // of the variant
	rng        *rand.Rand
}

// draw changes the tree and returns it, or nil where this draw changes nothing.
func (e *edit) draw() *tree {
	all := e.places()
	if len(all) == 0 || !e.change(all[e.rng.IntN(len(all))], all) {
		return nil
	}
	return e.tree
}

func (e *edit) change(p place, all []place) bool {
	switch v := p.value.(type) {
	case *starlark.Dict:
		return e.record(p, v, all)
	case *starlark.List:
		return e.list(v, all)
	}
	if e.rng.IntN(3) == 0 {
		if like := e.like(p, all); like != nil {
			return e.put(p.path, like)
		}
	}
	switch v := p.value.(type) {
	case starlark.Bool:
		return e.put(p.path, !v)
	case starlark.Int, starlark.Float:
		return e.put(p.path, e.number(v, all))
	case starlark.String:
		if layout, at := dateOf(string(v)); layout != "" && e.rng.IntN(4) > 0 {
			return e.put(p.path, starlark.String(writeDate(layout, e.date(at, all))))
		}
		return e.put(p.path, e.text(p, all))
	}
	// There is nothing here so far.
	if e.rng.IntN(2) == 0 {
		return e.put(p.path, e.scalar(all))
	}
	return e.put(p.path, e.text(p, all))
}

// record takes a record away, has it under another name too, or makes it the
// same as another one.
func (e *edit) record(p place, v *starlark.Dict, all []place) bool {
	if in, ok := e.parent(p.path).(*starlark.Dict); ok && p.path[0] == databasePart && len(p.path) > 2 && e.rng.IntN(2) == 0 {
		if e.rng.IntN(2) == 0 {
			_, found, _ := in.Delete(p.key())
			return found
		}
		name, ok := e.text(p, all).(starlark.String)
		return ok && in.SetKey(name, python.Copy(v)) == nil
	}
	return e.put(p.path, e.like(p, all))
}

func (e *edit) list(v *starlark.List, all []place) bool {
	if v.Len() > 0 {
		switch i := e.rng.IntN(v.Len()); e.rng.IntN(4) {
		case 0:
			var rest []starlark.Value
			for k := range v.Len() {
				if k != i {
					rest = append(rest, v.Index(k))
				}
			}
			return v.Clear() == nil && appendAll(v, rest)
		case 1:
			return v.Clear() == nil
		case 2:
			return v.Append(python.Copy(v.Index(i))) == nil
		}
	}
	x := e.scalar(all)
	return x != nil && v.Append(x) == nil
}

func appendAll(list *starlark.List, items []starlark.Value) bool {
	for _, x := range items {
		if list.Append(x) != nil {
			return false
		}
	}
	return true
}

// like is another value of the same type that stands beside the place; nil
// where there is none.
func (e *edit) like(p place, all []place) starlark.Value {
	var found []starlark.Value
	for _, o := range all {
		if o.value.Type() == p.value.Type() && p.beside(o) && !python.Equal(o.value, p.value) {
			found = append(found, o.value)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return python.Copy(found[e.rng.IntN(len(found))])
}

// drawsOfAPlace bounds the places that are drawn to find one that fits.
const drawsOfAPlace = 10

// scalar is some text or number of the tree.
func (e *edit) scalar(all []place) starlark.Value {
	for range drawsOfAPlace {
		switch v := all[e.rng.IntN(len(all))].value.(type) {
		case starlark.String, starlark.Int, starlark.Float:
			return v
		}
	}
	return nil
}

// text is an example of the parameter of that name, a word that the tools
// compare with, or a text or key that stands elsewhere.
func (e *edit) text(p place, all []place) starlark.Value {
	name, _ := starlark.AsString(p.key())
	if parameter := e.domain.Parameters[name]; parameter != nil && len(parameter.Examples) > 0 && e.rng.IntN(3) == 0 {
		return example(parameter, e.rng)
	}
	if len(e.words) > 0 && e.rng.IntN(3) == 0 {
		return starlark.String(e.words[e.rng.IntN(len(e.words))])
	}
	for range drawsOfAPlace {
		o := all[e.rng.IntN(len(all))]
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
func (e *edit) number(v starlark.Value, all []place) starlark.Value {
	was, _ := starlark.AsFloat(v)
	x := was
	switch e.rng.IntN(4) {
	case 0:
		var others []float64
		for _, o := range all {
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
func (e *edit) date(at time.Time, all []place) time.Time {
	if e.rng.IntN(2) == 0 {
		var others []time.Time
		for _, o := range all {
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
