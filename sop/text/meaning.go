package text

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// SameMeaning returns nil where a and b mean the same: equal in canonical
// form, the order of all and any and of the sets of Excludes aside. Otherwise
// the error says the first difference.
func SameMeaning(a, b *sop.Graph) error {
	if a.Goal != b.Goal {
		return fmt.Errorf("the goal is %q and %q", a.Goal, b.Goal)
	}
	for _, m := range []struct {
		what string
		a, b map[string]*sop.Tree
	}{
		{"the requirement of %q", a.Requires, b.Requires},
		{"the source of %q", a.EstablishedBy, b.EstablishedBy},
		{"the dependence of %q", meaningTrees(a.DependsOn), meaningTrees(b.DependsOn)},
	} {
		if err := treesDiffer(m.what, m.a, m.b); err != nil {
			return err
		}
	}
	if err := effectsDiffer(a.Effects, b.Effects); err != nil {
		return err
	}
	if x, y := meaningExcludes(a), meaningExcludes(b); !slices.Equal(x, y) {
		return fmt.Errorf("the sets that exclude each other are %v and %v", x, y)
	}
	if len(a.Outcomes) != len(b.Outcomes) {
		return fmt.Errorf("there are %d and %d outcomes", len(a.Outcomes), len(b.Outcomes))
	}
	for i, o := range a.Outcomes {
		p := b.Outcomes[i]
		if o.End != p.End {
			return fmt.Errorf("outcome %d ends with %q and %q", i, o.End, p.End)
		}
		if x, y := o.Tree.Canonical(), p.Tree.Canonical(); !x.Equal(y) {
			return fmt.Errorf("the tree of outcome %d, %q, is %s and %s", i, o.End, x, y)
		}
	}
	return nil
}

func treesDiffer(what string, a, b map[string]*sop.Tree) error {
	for _, n := range meaningNames(a, b) {
		x, inA := a[n]
		y, inB := b[n]
		if inA != inB {
			return fmt.Errorf(what+" is stated in one only", n)
		}
		if x.Equal(y) {
			continue
		}
		if x, y := x.Canonical(), y.Canonical(); !x.Equal(y) {
			return fmt.Errorf(what+" is %s and %s", n, x, y)
		}
	}
	return nil
}

func effectsDiffer(a, b map[string]map[string]bool) error {
	for _, call := range meaningNames(a, b) {
		for _, c := range meaningNames(a[call], b[call]) {
			x, inA := a[call][c]
			y, inB := b[call][c]
			if inA != inB {
				return fmt.Errorf("the effect of %q on %q is stated in one only", call, c)
			}
			if x != y {
				return fmt.Errorf("the effect of %q on %q is %t and %t", call, c, x, y)
			}
		}
	}
	return nil
}

func meaningTrees(m map[string]*sop.Tree) map[string]*sop.Tree {
	out := map[string]*sop.Tree{}
	for n, t := range m {
		if t != nil {
			out[n] = t
		}
	}
	return out
}

func meaningExcludes(g *sop.Graph) []string {
	var sets []string
	for _, s := range g.Excludes {
		s = slices.Clone(s)
		sort.Strings(s)
		sets = append(sets, strings.Join(slices.Compact(s), " | "))
	}
	sort.Strings(sets)
	return slices.Compact(sets)
}

func meaningNames[V any](a, b map[string]V) []string {
	all := map[string]bool{}
	for n := range a {
		all[n] = true
	}
	for n := range b {
		all[n] = true
	}
	return sopNames(all)
}
