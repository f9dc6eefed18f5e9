package recheck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type kind uint8

const (
	kindLeaf kind = iota
	kindNot
	kindAll
	kindAny
	kindSeq
	kindFirstOf
)

var (
	kindWords = []string{kindNot: "not", kindAll: "all", kindAny: "any", kindSeq: "seq", kindFirstOf: "first_of"}
	kinds     = map[string]kind{"not": kindNot, "all": kindAll, "any": kindAny, "seq": kindSeq, "first_of": kindFirstOf}
)

func (k kind) ordered() bool     { return k == kindSeq || k == kindFirstOf }
func (k kind) conjunctive() bool { return k == kindAll || k == kindSeq }

// tree is the shape as read, before it is compiled. A nil tree is no rule.
type tree struct {
	kind kind
	leaf string
	kids []*tree
}

func leafOf(name string) *tree           { return &tree{leaf: name} }
func treeOf(k kind, kids ...*tree) *tree { return &tree{kind: k, kids: kids} }
func (t *tree) UnmarshalJSON(b []byte) error {
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		return err
	}
	read, err := treeFrom(value, 0)
	if err == nil {
		*t = *read
	}
	return err
}

// maxDepth bounds how deep the trees of a hostile file may go.
const maxDepth = 64

func treeFrom(value any, depth int) (*tree, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("a tree is nested deeper than %d", maxDepth)
	}
	switch value := value.(type) {
	case string:
		canonical, err := canonicalCall(value)
		if err != nil {
			return nil, err
		}
		if canonical != value {
			return nil, fmt.Errorf("name %q, want %q", value, canonical)
		}
		return leafOf(value), nil
	case map[string]any:
		if len(value) != 1 {
			return nil, fmt.Errorf("a tree has %d keys, want one", len(value))
		}
		for key, inner := range value {
			k, known := kinds[key]
			if !known {
				return nil, fmt.Errorf("tree has the key %q, want not, all, any, seq or first_of", key)
			}
			parts := []any{inner}
			if k != kindNot {
				if parts, known = inner.([]any); !known || len(parts) == 0 {
					return nil, fmt.Errorf("%q has no parts", key)
				}
			}
			t := treeOf(k)
			for _, part := range parts {
				kid, err := treeFrom(part, depth+1)
				if err != nil {
					return nil, err
				}
				t.kids = append(t.kids, kid)
			}
			return t, nil
		}
	}
	return nil, fmt.Errorf("a tree is %T, want a name or an object", value)
}

func (t *tree) eachLeaf(do func(string)) {
	if t == nil {
		return
	}
	if t.kind == kindLeaf {
		do(t.leaf)
	}
	for _, kid := range t.kids {
		kid.eachLeaf(do)
	}
}

// holds is the plain two-valued reading over facts.
func (t *tree) holds(facts map[string]bool) bool {
	if t == nil {
		return true
	}
	switch t.kind {
	case kindLeaf:
		return facts[t.leaf]
	case kindNot:
		return !t.kids[0].holds(facts)
	case kindAny, kindFirstOf:
		return slices.ContainsFunc(t.kids, func(kid *tree) bool { return kid.holds(facts) })
	}
	return !slices.ContainsFunc(t.kids, func(kid *tree) bool { return !kid.holds(facts) })
}

// rename returns the tree with other names.
func (t *tree) rename(to func(string) string) *tree {
	if t == nil {
		return nil
	}
	out := &tree{kind: t.kind}
	if t.kind == kindLeaf {
		out.leaf = to(t.leaf)
	}
	for _, kid := range t.kids {
		out.kids = append(out.kids, kid.rename(to))
	}
	return out
}

// String is the compact JSON of the tree, null for none.
func (t *tree) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *tree) write(b *strings.Builder) {
	switch {
	case t == nil:
		b.WriteString("null")
	case t.kind == kindLeaf:
		b.WriteString(strconv.Quote(t.leaf))
	case t.kind == kindNot:
		b.WriteString(`{"not":`)
		t.kids[0].write(b)
		b.WriteByte('}')
	default:
		b.WriteString(`{"` + kindWords[t.kind] + `":[`)
		for i, kid := range t.kids {
			if i > 0 {
				b.WriteByte(',')
			}
			kid.write(b)
		}
		b.WriteString("]}")
	}
}

// canonical is the one form of all trees that differ only in what never matters: an all inside an all, an any inside an any,
// the order and the repetition of their parts, a list of one, a double negation. The parts of seq and first_of stay as they
// are: when an inner one is settled is not when its parts are.
func (t *tree) canonical() *tree {
	if t == nil || t.kind == kindLeaf {
		return t
	}
	var kids []*tree
	for _, kid := range t.kids {
		kid = kid.canonical()
		if kid.kind == t.kind && !t.kind.ordered() && t.kind != kindNot {
			kids = append(kids, kid.kids...)
		} else {
			kids = append(kids, kid)
		}
	}
	if t.kind == kindNot {
		if kids[0].kind == kindNot {
			return kids[0].kids[0]
		}
		return treeOf(kindNot, kids[0])
	}
	if !t.kind.ordered() {
		texts := map[*tree]string{}
		for _, kid := range kids {
			texts[kid] = kid.String()
		}
		slices.SortStableFunc(kids, func(a, b *tree) int { return strings.Compare(texts[a], texts[b]) })
		kids = slices.CompactFunc(kids, func(a, b *tree) bool { return texts[a] == texts[b] })
	}
	if len(kids) == 1 {
		return kids[0]
	}
	return treeOf(t.kind, kids...)
}

// sets reduces a tree over calls to its minimal sets, each sorted, in the order of their texts: all and seq want every part,
// any and first_of one of them.
func (t *tree) sets() ([][]string, error) {
	all, err := t.ways()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b []string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return slices.Compare(a, b)
	})
	var minimal [][]string
	for _, set := range all {
		if !slices.ContainsFunc(minimal, func(small []string) bool { return within(small, set) }) {
			minimal = append(minimal, set)
		}
	}
	return minimal, nil
}

func within(small, large []string) bool {
	return !slices.ContainsFunc(small, func(name string) bool { return !slices.Contains(large, name) })
}

// maxSets is what brute force can bear; the built-in domains stay far below.
const maxSets = 4096

func (t *tree) ways() ([][]string, error) {
	switch t.kind {
	case kindLeaf:
		return [][]string{{t.leaf}}, nil
	case kindNot:
		return nil, fmt.Errorf("not makes nothing known")
	case kindAny, kindFirstOf:
		var all [][]string
		for _, kid := range t.kids {
			more, err := kid.ways()
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
		return all, nil
	}
	all := [][]string{nil}
	for _, kid := range t.kids {
		more, err := kid.ways()
		if err != nil {
			return nil, err
		}
		var product [][]string
		for _, a := range all {
			for _, b := range more {
				set := slices.Concat(a, b)
				slices.Sort(set)
				product = append(product, slices.Compact(set))
			}
		}
		if all = product; len(all) > maxSets {
			return nil, fmt.Errorf("more than %d sets of calls", maxSets)
		}
	}
	return all, nil
}
