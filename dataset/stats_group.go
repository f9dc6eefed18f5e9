package dataset

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// statsGroup is what the measures see of a row.
type statsGroup struct {
	order     uint64 // by id: where the group stands in the sample, and in which half
	procedure string
	context   uint64
	answers   []statsAnswer // the positive first
	workflow  bool
}

type statsAnswer struct {
	text    string
	length  int      // characters
	items   []string // as Items gives them
	payload uint64   // as it is written
	// base is the payload under the domain's own names, with lists whose
	// order means nothing sorted; of a next action, the item alone. baseItems
	// are its items: a next action and a term are one each.
	base                uint64
	baseItems           []string
	operator, violation string
}

func newStatsGroup(r *Row, seed uint64) *statsGroup {
	g := &statsGroup{
		order: hash64(seed, r.ID), procedure: cmp.Or(r.procedure(), r.Domain), context: hash64(seed, r.Context),
		workflow: r.View == ViewWorkflow,
	}
	bases := baseNames(r.Meta)
	g.answers = append(g.answers, g.answer(seed, r.Positive.Text, r.Positive.Payload, bases))
	for _, n := range r.Negatives {
		a := g.answer(seed, n.Text, n.Payload, bases)
		a.operator, a.violation = n.Operator, n.Violation
		g.answers = append(g.answers, a)
	}
	return g
}

// answer hashes payloads together with the procedure: what is right for one
// says nothing about another.
func (g *statsGroup) answer(seed uint64, text, payload string, bases map[string]string) statsAnswer {
	written, base, items := readPayload(payload, bases)
	return statsAnswer{
		text: text, length: utf8.RuneCountInString(text), items: Items(payload),
		payload: hash64(seed, g.procedure, written), base: hash64(seed, g.procedure, base), baseItems: items,
	}
}

func (g *statsGroup) positive() *statsAnswer { return &g.answers[0] }

// baseNames reads meta.names, which gives the variant's name for each of the
// domain's, the other way round. A meta column without it renames nothing.
func baseNames(meta string) map[string]string {
	var m struct {
		Names map[string]string `json:"names"`
	}
	if json.Unmarshal([]byte(meta), &m) != nil {
		return nil
	}
	bases := map[string]string{}
	for base, alias := range m.Names {
		bases[alias] = base
	}
	return bases
}

// readPayload returns the payload in its canonical form, under the domain's
// own names, and the items of the latter. What is not JSON stays as it is.
func readPayload(payload string, bases map[string]string) (written, base string, items []string) {
	v, err := decodeJSON(payload)
	if err != nil {
		return payload, payload, words(payload)
	}
	v = normalize(v)
	written = compactJSON(v)
	if object, ok := v.(map[string]any); ok {
		for _, key := range []string{"next", "term"} {
			if one, ok := object[key].(string); ok {
				one = baseName(one, bases)
				return written, one, []string{one}
			}
		}
	}
	base = compactJSON(rename(v, bases))
	return written, base, Items(base)
}

// rename replaces the variant's names everywhere, keys included, and sorts
// the lists that are sets.
func rename(v any, bases map[string]string) any {
	switch v := v.(type) {
	case string:
		return baseName(v, bases)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = rename(v[i], bases)
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(v))
		for key, value := range v {
			value = rename(value, bases)
			if list, ok := value.([]any); ok && (key == "all" || key == "any" || key == "edges") {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(compactJSON(a), compactJSON(b)) })
			}
			object[baseName(key, bases)] = value
		}
		return object
	}
	return v
}

// baseName keeps the arguments: only what stands before them is renamed.
func baseName(name string, bases map[string]string) string {
	head, _, _ := strings.Cut(name, "(")
	if base, ok := bases[head]; ok {
		return base + name[len(head):]
	}
	return name
}

// compactJSON is for values that were decoded from JSON, which cannot fail.
func compactJSON(v any) string {
	line, _ := appendLine(nil, v)
	return string(line)
}

// editDistance is distance, but quick where most of both is the same.
func editDistance(a, b []string) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return distance(a, b)
}

// hash64 is FNV-1a, mixed so that every bit depends on every byte. It is the
// same on every machine.
func hash64(seed uint64, parts ...string) uint64 {
	h := seed ^ 0xcbf29ce484222325
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * 0x100000001b3
		}
		h = (h ^ 0xff) * 0x100000001b3 // no byte of UTF-8
	}
	return mix(h)
}

// mix is the finalizer of splitmix64: every bit depends on every other.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
