package sop

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Op is the operator at the root of a Tree.
type Op string

// The operators of a Tree. Leaf has no word in text: a leaf is its name.
const (
	Leaf    Op = ""
	Not     Op = "not"
	All     Op = "all"
	Any     Op = "any"
	Seq     Op = "seq"
	FirstOf Op = "first_of"
)

// Reserved names: Deny ends a workflow by refusing the request, Conversation
// is the source of conditions that are known before the first call.
const (
	Deny         = "deny"
	Conversation = "conversation"
)

// Tree is a formula over names: conditions in requirements and outcomes,
// actions in established_by. A nil Tree is "no rule" and always true. An
// empty All or Seq is true, an empty Any or FirstOf false. A tree is never
// changed once built, so that several may share their parts.
type Tree struct {
	Op    Op
	Name  string // of a Leaf: a canonical name, see Name
	Parts []*Tree
}

// L returns the leaf of that name.
func L(name string) *Tree { return &Tree{Name: name} }

// T returns an inner node.
func T(op Op, parts ...*Tree) *Tree { return &Tree{Op: op, Parts: parts} }

// Ordered reports whether the order in which the parts are settled matters.
func (o Op) Ordered() bool { return o == Seq || o == FirstOf }

// Conjunctive reports whether every part has to hold.
func (o Op) Conjunctive() bool { return o == All || o == Seq }

// Names returns the distinct leaf names of t, sorted.
func (t *Tree) Names() []string {
	names := t.leaves(make([]string, 0, 4))
	slices.Sort(names)
	return slices.Compact(names)
}

func (t *Tree) leaves(names []string) []string {
	if t == nil {
		return names
	}
	if t.Op == Leaf {
		return append(names, t.Name)
	}
	for _, p := range t.Parts {
		names = p.leaves(names)
	}
	return names
}

// Walk calls f on every node, parents first. It does nothing on nil.
func (t *Tree) Walk(f func(*Tree)) {
	if t == nil {
		return
	}
	f(t)
	for _, p := range t.Parts {
		p.Walk(f)
	}
}

// Map returns t with every leaf name replaced by f(name), and t itself where that
// changes none.
func (t *Tree) Map(f func(string) string) *Tree {
	if t == nil {
		return nil
	}
	if t.Op == Leaf {
		if to := f(t.Name); to != t.Name {
			return L(to)
		}
		return t
	}
	out := t
	for i, p := range t.Parts {
		q := p.Map(f)
		if q != p && out == t {
			out = &Tree{Op: t.Op, Parts: slices.Clone(t.Parts)}
		}
		if out != t {
			out.Parts[i] = q
		}
	}
	return out
}

// Equal reports structural equality.
func (t *Tree) Equal(u *Tree) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Op == u.Op && t.Name == u.Name && slices.EqualFunc(t.Parts, u.Parts, (*Tree).Equal)
}

// Canonical returns a tree of the same meaning in one fixed form: nested
// nodes of the same operator are merged (not those whose order matters),
// nodes of one part become that part, doubled negations vanish, and the parts
// of all and any are sorted with repetitions dropped. Two trees that differ
// only in the order of rules have equal canonical forms.
func (t *Tree) Canonical() *Tree {
	if t == nil || t.Op == Leaf {
		return t
	}
	if t.Op == Not {
		inner := t.Parts[0].Canonical()
		if inner != nil && inner.Op == Not {
			return inner.Parts[0]
		}
		return T(Not, inner)
	}
	parts := make([]*Tree, 0, len(t.Parts))
	for _, p := range t.Parts {
		c := p.Canonical()
		if c != nil && c.Op == t.Op && !t.Op.Ordered() {
			parts = append(parts, c.Parts...)
		} else {
			parts = append(parts, c)
		}
	}
	if !t.Op.Ordered() {
		slices.SortFunc(parts, (*Tree).compare)
		parts = slices.CompactFunc(parts, (*Tree).Equal)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return T(t.Op, parts...)
}

// compare orders trees as their JSON is ordered.
func (t *Tree) compare(u *Tree) int {
	switch {
	case t == nil || u == nil:
	case t.Op == Leaf && u.Op == Leaf:
		if verbatim(t.Name) && verbatim(u.Name) {
			return compareQuoted(t.Name, u.Name)
		}
	case t.Op == Leaf:
		return -1
	case u.Op == Leaf:
		return 1
	case t.Op != u.Op:
		return strings.Compare(string(t.Op), string(u.Op))
	case len(t.Parts) > 0 && len(u.Parts) > 0:
		return compareParts(t.Parts, u.Parts)
	}
	return strings.Compare(t.String(), u.String())
}

func compareParts(a, b []*Tree) int {
	for i := range min(len(a), len(b)) {
		if c := a[i].compare(b[i]); c != 0 {
			return c
		}
	}
	return len(b) - len(a) // a comma comes before a bracket
}

// compareQuoted orders a and b as they are ordered with a quote behind them.
func compareQuoted(a, b string) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 || len(a) == len(b) {
		return c
	}
	return strings.Compare(a[n:]+`"`, b[n:]+`"`)
}

// String returns the compact JSON form, "null" for nil.
func (t *Tree) String() string {
	var b strings.Builder
	b.Grow(t.size())
	t.append(&b)
	return b.String()
}

// size is about the length of the JSON form.
func (t *Tree) size() int {
	if t == nil {
		return len("null")
	}
	n := len(t.Op) + len(t.Name) + len(`{"":[]}`)
	for _, p := range t.Parts {
		n += p.size() + 1
	}
	return n
}

func (t *Tree) append(b *strings.Builder) {
	switch {
	case t == nil:
		b.WriteString("null")
	case t.Op == Leaf:
		quote(b, t.Name)
	case t.Op == Not:
		b.WriteString(`{"not":`)
		t.Parts[0].append(b)
		b.WriteByte('}')
	default:
		b.WriteString(`{"`)
		b.WriteString(string(t.Op))
		b.WriteString(`":[`)
		for i, p := range t.Parts {
			if i > 0 {
				b.WriteByte(',')
			}
			p.append(b)
		}
		b.WriteString("]}")
	}
}

func quote(b *strings.Builder, s string) {
	if verbatim(s) {
		b.WriteByte('"')
		b.WriteString(s)
		b.WriteByte('"')
		return
	}
	q, _ := json.Marshal(s) // a string cannot fail
	b.Write(q)
}

// verbatim tells that JSON writes s as it is, between quotes.
func verbatim(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// MarshalJSON writes a string for a leaf, else an object with the operator as
// its only key.
func (t *Tree) MarshalJSON() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Tree) UnmarshalJSON(data []byte) error {
	if n := len(data) - 1; n > 0 && data[0] == '"' && verbatim(string(data[1:n])) {
		name, err := ParseName(string(data[1:n]))
		*t = Tree{Name: name.String()}
		return err
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	tree, err := TreeOf(v)
	if err != nil {
		return err
	}
	if tree == nil {
		return fmt.Errorf("a tree cannot be null here")
	}
	*t = *tree
	return nil
}

// UnmarshalYAML reads the same shapes from YAML.
func (t *Tree) UnmarshalYAML(unmarshal func(any) error) error {
	var v any
	if err := unmarshal(&v); err != nil {
		return err
	}
	tree, err := TreeOf(v)
	if err != nil {
		return err
	}
	if tree != nil {
		*t = *tree
	}
	return nil
}

// MarshalYAML writes the shapes that UnmarshalYAML reads.
func (t *Tree) MarshalYAML() (any, error) {
	var v any
	err := json.Unmarshal([]byte(t.String()), &v)
	return v, err
}

// TreeOf builds a tree from decoded JSON or YAML: nil, a string, or a map
// with one key of not, all, any, seq, first_of. Leaf names are put into
// canonical form.
func TreeOf(v any) (*Tree, error) { return treeOf(v, 0) }

const maxTreeDepth = 64

func treeOf(v any, depth int) (*Tree, error) {
	if depth > maxTreeDepth {
		return nil, fmt.Errorf("a tree is nested deeper than %d", maxTreeDepth)
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		name, err := ParseName(v)
		if err != nil {
			return nil, err
		}
		return L(name.String()), nil
	case map[string]any:
		if len(v) != 1 {
			return nil, fmt.Errorf("a tree node has the keys %s, want exactly one of not, all, any, seq, first_of", keyList(v))
		}
		for key, parts := range v {
			return nodeOf(Op(key), parts, depth)
		}
	}
	return nil, fmt.Errorf("a tree is %T, want a name or one of not, all, any, seq, first_of", v)
}

func nodeOf(op Op, parts any, depth int) (*Tree, error) {
	switch op {
	case Not:
		part, err := treeOf(parts, depth+1)
		if err != nil {
			return nil, err
		}
		if part == nil {
			return nil, fmt.Errorf("not has no part")
		}
		return T(Not, part), nil
	case All, Any, Seq, FirstOf:
		list, ok := parts.([]any)
		if !ok {
			return nil, fmt.Errorf("%s has %T, want a list of trees", op, parts)
		}
		node := &Tree{Op: op, Parts: make([]*Tree, 0, len(list))}
		for _, p := range list {
			part, err := treeOf(p, depth+1)
			if err != nil {
				return nil, err
			}
			if part == nil {
				return nil, fmt.Errorf("%s has an empty part", op)
			}
			node.Parts = append(node.Parts, part)
		}
		return node, nil
	}
	return nil, fmt.Errorf("unknown operator %q, want one of not, all, any, seq, first_of", string(op))
}

func keyList(m map[string]any) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	if len(keys) == 0 {
		return "{}"
	}
	return strings.Join(keys, ", ")
}
