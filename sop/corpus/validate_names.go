package corpus

import (
	"slices"

	"github.com/fmsop/fmsop/sop"
)

// conditionName checks a condition's name that stands outside of a tree.
func (v *validator) conditionName(path []string, name string) {
	n, err := sop.ParseName(name)
	if err != nil {
		v.in(path, "%v", err)
		return
	}
	v.conditionTree(v.source, path, sop.L(n.String()))
}

// conditionTree checks every leaf of a tree over conditions.
func (v *validator) conditionTree(s *source, path []string, t *sop.Tree) {
	t.Walk(func(n *sop.Tree) {
		if n.Op == sop.Leaf {
			v.name(s, path, n, sortedKeys(v.d.Conditions), "condition", func(base string) ([]string, bool) {
				c := v.d.Conditions[base]
				if c == nil {
					return nil, false
				}
				return c.Parameters, true
			})
		}
	})
}

// name checks one leaf: that it is declared, and its arguments.
func (v *validator) name(s *source, path []string, leaf *sop.Tree, accepted []string, what string, parameters func(string) ([]string, bool)) {
	line, ok := s.leaves[leaf]
	if !ok {
		line = s.at(path...)
	}
	n, err := sop.ParseName(leaf.Name)
	if err != nil {
		v.report(s, line, path, "%v", err)
		return
	}
	have, declared := parameters(n.Base)
	if !declared {
		v.report(s, line, path, "%s %q is not declared%s", what, n.Base, want(n.Base, accepted))
		return
	}
	v.arguments(s, line, path, n, have)
}

func (v *validator) arguments(s *source, line int, path []string, n sop.Name, parameters []string) {
	for _, p := range sortedKeys(n.Args) {
		if !slices.Contains(parameters, p) {
			v.report(s, line, path, "%s has no parameter %q%s", n.Base, p, want(p, parameters))
		}
		if source := n.Args[p]; v.d.Parameters[source] == nil {
			v.report(s, line, path, "parameter %q is not declared%s", source, want(source, sortedKeys(v.d.Parameters)))
		}
	}
}
