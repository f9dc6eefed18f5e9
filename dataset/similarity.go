package dataset

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// Similarity compares two payloads item by item (see Items): 1 for equal
// ones, 0 where nothing is shared. Text that is not JSON is compared word by
// word.
func Similarity(a, b string) float64 { return ItemSimilarity(Items(a), Items(b)) }

// ItemSimilarity is one minus the Levenshtein distance over whole items,
// divided by the length of the longer list. Two empty lists are equal: 1.
func ItemSimilarity(a, b []string) float64 {
	longer := max(len(a), len(b))
	if longer == 0 {
		return 1
	}
	return 1 - float64(distance(a, b))/float64(longer)
}

// Items are the parts of a payload that an edit can touch. Of an object with
// one key, the value alone counts: a list of strings gives its elements (the
// calls of a workflow), a string its words (a term, a next action). Any other
// value gives its keys and scalars, depth first with the keys sorted, so a
// changed operator, leaf or edge of a graph is a changed item.
func Items(payload string) []string {
	if c := (scan{rest: payload, items: make([]string, 0, 64)}); c.value(0) && c.rest == "" && c.members > 1 {
		return c.items
	}
	v, err := decodeJSON(payload)
	if err != nil {
		return words(payload)
	}
	if object, ok := v.(map[string]any); ok && len(object) == 1 {
		for _, only := range object {
			v = only
		}
	}
	if s, ok := v.(string); ok {
		return words(s)
	}
	return appendItems(nil, v)
}

// scan lists the keys and scalars of JSON without decoding it. It knows only texts
// without blanks, of strings those of ASCII without escapes, and of numbers those
// in the notation that Canonical would choose, as payloads are written.
type scan struct {
	rest    string
	items   []string
	members int // of the object that the whole is
}

func (c *scan) skip(prefix string) (ok bool) {
	c.rest, ok = strings.CutPrefix(c.rest, prefix)
	return ok
}

func (c *scan) value(depth int) bool {
	switch {
	case depth > 100 || c.rest == "":
		return false
	case c.skip("["):
		for first := true; ; first = false {
			if c.skip("]") {
				return true
			}
			if !first && !c.skip(",") || !c.value(depth+1) {
				return false
			}
		}
	case c.skip("{"):
		return c.object(depth)
	case c.rest[0] == '"':
		_, ok := c.text()
		return ok
	}
	end := strings.IndexAny(c.rest, " \t\r\n,]}")
	if end < 0 {
		end = len(c.rest)
	}
	scalar := c.rest[:end]
	if !plainScalar(scalar) || !json.Valid([]byte(scalar)) {
		return false
	}
	c.items, c.rest = append(c.items, scalar), c.rest[end:]
	return true
}

// object lists the members by their keys.
func (c *scan) object(depth int) bool {
	type member struct {
		key        string
		begin, end int // of its items
	}
	var few [16]member
	members, begin := few[:0], len(c.items)
	for first := true; !c.skip("}"); first = false {
		if !first && !c.skip(",") {
			return false
		}
		at := len(c.items)
		key, ok := c.text()
		if !ok || !c.skip(":") || !c.value(depth+1) {
			return false
		}
		members = append(members, member{key, at, len(c.items)})
	}
	if depth == 0 {
		c.members = len(members)
	}
	byKey := func(a, b member) int { return strings.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(members, byKey) {
		slices.SortFunc(members, byKey)
		written := slices.Clone(c.items[begin:])
		c.items = c.items[:begin]
		for _, m := range members {
			c.items = append(c.items, written[m.begin-begin:m.end-begin]...)
		}
	}
	for i := 1; i < len(members); i++ {
		if members[i-1].key == members[i].key {
			return false
		}
	}
	return true
}

func (c *scan) text() (s string, ok bool) {
	if !c.skip(`"`) {
		return "", false
	}
	for i := 0; i < len(c.rest); i++ {
		switch b := c.rest[i]; {
		case b == '"':
			s, c.rest = c.rest[:i], c.rest[i+1:]
			c.items = append(c.items, s)
			return s, true
		case b == '\\' || b < ' ' || b >= 0x7f:
			return "", false
		}
	}
	return "", false
}

func appendItems(items []string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			items = appendItems(append(items, k), v[k])
		}
	case []any:
		for _, part := range v {
			items = appendItems(items, part)
		}
	case string:
		items = append(items, v)
	default: // a number, a truth value or null
		line, err := appendLine(nil, normalize(v))
		if err == nil {
			items = append(items, string(line))
		}
	}
	return items
}

// words splits at everything that is neither letter nor digit, so that
// check_user_exists and "check payee exists" share two words.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// distance is the Levenshtein distance over whole items, in one row of the table.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
