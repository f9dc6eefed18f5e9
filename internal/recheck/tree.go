package recheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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

var kinds = map[string]kind{"not": kindNot, "all": kindAll, "any": kindAny, "seq": kindSeq, "first_of": kindFirstOf}

// tree is the shape as read, before it is compiled.
type tree struct {
	kind kind
	leaf string
	kids []*tree
}

func readTree(raw []byte) (*tree, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var name string
		if err := strict(raw, &name); err != nil {
			return nil, err
		}
		canonical, err := canonicalCall(name)
		if err != nil {
			return nil, err
		}
		if canonical != name {
			return nil, fmt.Errorf("name %q, want %q", name, canonical)
		}
		return &tree{leaf: name}, nil
	}
	var object map[string]json.RawMessage
	if err := strict(raw, &object); err != nil {
		return nil, fmt.Errorf("tree %s: %w", raw, err)
	}
	if len(object) != 1 {
		return nil, fmt.Errorf("tree %s has %d keys, want one", raw, len(object))
	}
	for key, inner := range object {
		kind, known := kinds[key]
		if !known {
			return nil, fmt.Errorf("tree has the key %q, want not, all, any, seq or first_of", key)
		}
		parts := []json.RawMessage{inner}
		if kind != kindNot {
			parts = nil
			if err := strict(inner, &parts); err != nil {
				return nil, err
			}
			if len(parts) == 0 {
				return nil, fmt.Errorf("tree %s is empty", raw)
			}
		}
		t := &tree{kind: kind}
		for _, part := range parts {
			kid, err := readTree(part)
			if err != nil {
				return nil, err
			}
			t.kids = append(t.kids, kid)
		}
		return t, nil
	}
	return nil, nil
}

func isNull(raw []byte) bool { return len(raw) == 0 || string(bytes.TrimSpace(raw)) == "null" }

func (t *tree) eachLeaf(do func(string)) {
	if t.kind == kindLeaf {
		do(t.leaf)
	}
	for _, kid := range t.kids {
		kid.eachLeaf(do)
	}
}

// holds is the plain two-valued reading over facts.
func (t *tree) holds(facts map[string]bool) bool {
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
