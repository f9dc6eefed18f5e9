package bench

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
	"pgregory.net/rapid"
)

func TestChanges(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     []string
	}{
		{"{'a': 1}", "{'a': 1.0}", nil},
		{"{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", nil},
		{"{'a': {'b': 100}}", "{'a': {'b': 80}}", []string{"a/b: 100 → 80"}},
		{"{'a': 1}", "{'b': None}", []string{"a: 1 → nothing", "b: nothing → None"}},
		{"{'a': [1, 2]}", "{'a': [1, 2, 'x']}", []string{"a[2]: nothing → 'x'"}},
		{"{'a': [1, 2, 3]}", "{'a': [1, 3]}", []string{"a[1]: 2 → nothing"}},
		{"{'a': [1, 2, 3]}", "{'a': [1, {'b': 1}, 3]}", []string{"a[1]: 2 → {'b': 1}"}},
		{"{'a': [{'b': 1}, 3]}", "{'a': [{'b': 2}, 3]}", []string{"a[0]/b: 1 → 2"}},
		{"{'a': [1, 1]}", "{'a': [1]}", []string{"a[1]: 1 → nothing"}},
		{"{'a': [1]}", "{'a': {'b': 1}}", []string{"a: [1] → {'b': 1}"}},
		{"{'a': (1, 2)}", "{'a': (1, 3)}", []string{"a: (1, 2) → (1, 3)"}},
	} {
		var got []string
		for _, x := range Changes(parse(t, c.from), parse(t, c.to)) {
			got = append(got, changeText(x))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s → %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func changeText(c Change) string {
	value := func(s *string) string {
		if s == nil {
			return "nothing"
		}
		return *s
	}
	return fmt.Sprintf("%s: %s → %s", c.Path, value(c.From), value(c.To))
}

// TestChangesAreAll holds that nothing changed exactly where the values are
// equal, that the changes back are the same turned round, and that no path
// stands there for two kinds of change.
func TestChangesAreAll(t *testing.T) {
	value := rapid.Custom(func(t *rapid.T) starlark.Value { return anyValue(t, 3) })
	rapid.Check(t, func(t *rapid.T) {
		from, to := value.Draw(t, "from"), value.Draw(t, "to")
		there, back := Changes(from, to), Changes(to, from)
		if (len(there) == 0) != python.Equal(from, to) {
			t.Fatalf("%s → %s: %v", python.Repr(from), python.Repr(to), there)
		}
		var turned []string
		for _, c := range back {
			turned = append(turned, changeText(Change{c.Path, c.To, c.From}))
		}
		var list []string
		for _, c := range there {
			list = append(list, changeText(c))
			if c.From == nil && c.To == nil {
				t.Fatalf("nothing became nothing: %v", c)
			}
		}
		slices.Sort(list)
		slices.Sort(turned)
		if !slices.Equal(list, turned) {
			t.Fatalf("%q is not %q turned round", list, turned)
		}
		if len(Changes(from, python.Copy(from))) > 0 {
			t.Fatalf("%s differs from its copy", python.Repr(from))
		}
	})
}

func anyValue(t *rapid.T, depth int) starlark.Value {
	kinds := 3
	if depth > 0 {
		kinds = 5
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return starlark.MakeInt(rapid.IntRange(0, 2).Draw(t, "number"))
	case 1:
		return starlark.String(rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "text"))
	case 2:
		return starlark.None
	case 3:
		list := make([]starlark.Value, rapid.IntRange(0, 3).Draw(t, "length"))
		for i := range list {
			list[i] = anyValue(t, depth-1)
		}
		return starlark.NewList(list)
	}
	d := new(starlark.Dict)
	for _, key := range []string{"x", "y"} {
		if rapid.Bool().Draw(t, key) {
			_ = d.SetKey(starlark.String(key), anyValue(t, depth-1))
		}
	}
	return d
}
