package bench

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/starlark"
)

// TestFacts holds every condition as it runs against what the pack's
// records.star says of the same database, on databases that are changed at
// random. Conditions on the session are not in the database.
func TestFacts(t *testing.T) {
	const rounds = 100
	session := []string{"logged_in_user", "authenticated_admin_password"}
	for _, name := range corpus.Builtin() {
		d, err := world.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := corpus.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(7, 7))
		example, known := d.Example()
		compared, truths := 0, 0
		seen := map[string]int{}
		for range rounds {
			database := mutated(example, rng)
			for _, p := range c.Domain.Procedures {
				v, err := c.Domain.Variant(p, sop.Choice{})
				if err != nil {
					t.Fatal(err)
				}
				scenario, err := c.Scenario(v, database, goValue(known).(map[string]any))
				if err != nil {
					continue
				}
				for condition, use := range v.Conditions {
					if slices.Contains(session, use.Base) {
						continue
					}
					one := *v
					one.Requires = map[string]*sop.Tree{v.Goal: sop.L(condition)}
					guard, err := d.Guard(&one)
					if err != nil {
						t.Fatal(err)
					}
					w := d.Start(world.Setup{Database: database, Goal: p.Goal, Constraints: guard, Mends: []string{"cards"}})
					holds, err := w.Permits(p.Goal, known)
					compared++
					if holds {
						truths++
					}
					if holds != scenario.Facts[condition] && seen[condition] < 2 {
						seen[condition]++
						t.Errorf("%s: %s is %v (%v), records.star says %v, in %s", name, condition, holds, err, scenario.Facts[condition], python.Repr(database))
					}
				}
			}
		}
		if compared < 2000 || truths == 0 || truths == compared {
			t.Errorf("%s: %d conditions compared, %d hold", name, compared, truths)
		}
	}
}

// mutated changes a few values of a database: numbers, dates, texts, flags, and
// what there is in lists and objects.
func mutated(x *starlark.Dict, rng *rand.Rand) *starlark.Dict {
	out := python.Copy(x).(*starlark.Dict)
	for range 1 + rng.IntN(4) {
		change(out, rng)
	}
	return out
}

func change(x starlark.Value, rng *rand.Rand) {
	switch x := x.(type) {
	case *starlark.Dict:
		if x.Len() == 0 {
			return
		}
		key := x.Keys()[rng.IntN(x.Len())]
		v, _, _ := x.Get(key)
		if next := changed(v, rng); next != nil {
			_ = x.SetKey(key, next)
		} else {
			change(v, rng)
		}
	case *starlark.List:
		if x.Len() == 0 {
			return
		}
		i := rng.IntN(x.Len())
		if next := changed(x.Index(i), rng); next != nil {
			_ = x.SetIndex(i, next)
		} else {
			change(x.Index(i), rng)
		}
	}
}

// changed returns another value of the same kind, nil for what has parts.
func changed(v starlark.Value, rng *rand.Rand) starlark.Value {
	switch v := v.(type) {
	case starlark.Bool:
		return !v
	case starlark.Int:
		n, _ := v.Int64()
		return starlark.MakeInt64(max(0, n+[]int64{-1000, -50, -3, -1, 1, 3, 50, 1000}[rng.IntN(8)]))
	case starlark.Float:
		return max(0, v+starlark.Float([]float64{-500, -10, -0.5, 0.5, 10, 500}[rng.IntN(6)]))
	case starlark.String:
		for _, word := range words {
			if slices.Contains(word, string(v)) {
				return starlark.String(word[rng.IntN(len(word))])
			}
		}
		digits := strings.IndexAny(string(v), "0123456789")
		if digits < 0 {
			return v
		}
		b := []byte(v)
		at := digits + rng.IntN(len(b)-digits)
		if b[at] >= '0' && b[at] <= '9' {
			b[at] = byte('0' + rng.IntN(10))
		}
		for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02"} {
			_, was := time.Parse(layout, string(v))
			if _, is := time.Parse(layout, string(b)); was == nil && is != nil {
				return v // what no calendar has stops more than the condition that needs it
			}
		}
		return starlark.String(b)
	}
	return nil
}

var words = [][]string{
	{"valid", "expired"}, {"passed", "scheduled", "not scheduled"}, {"Available", "available", "Unavailable"},
	{"Dental", "Health", "Inactive"}, {"denied", "pending", "approved"}, {"Good", "Probation", "probation"},
	{"in-state", "public", "out-of-state"}, {"lower", "upper"}, {"normal", "excellent", "suspended", "restricted"},
	{"Delivered", "Processing", "Shipped"}, {"confirmed", "checked-in"}, {"silver", "gold", "platinum"},
}
