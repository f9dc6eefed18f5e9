package dataset

import (
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
	if c := (canonicalScan{rest: payload, items: make([]string, 0, 64)}); c.value(0) && c.rest == "" && c.members > 1 {
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
