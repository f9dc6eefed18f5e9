package dataset

import (
	"slices"
	"strings"
)

// walker goes through a JSON text and hashes what it meets, without decoding
// it. In a text that is not JSON it may end anywhere, but it does end.
type walker struct {
	rest string
	// unsure is true once there was a string or number that could have been
	// written otherwise: then equal values may have different hashes.
	unsure bool
	// bases, if it is not nil, gives the domain's name for each of a variant's,
	// and makes lists whose order means nothing hash alike in any order.
	bases map[string]string
	// tree, if it is not nil, is told the hash of every tree that joins several.
	tree func(uint64)
}

// shape hashes a JSON text: texts with equal canonical forms have equal shapes.
// It knows only those whose strings and numbers are written in the one way that
// Canonical would choose, and is false for others.
func shape(text string) (uint64, bool) {
	w := walker{rest: text}
	h := w.value(false)
	return h, !w.unsure
}

// members calls use with the keys and values of an object, as they are written,
// the keys without their quotes.
func members(text string, use func(key, value string)) {
	w := walker{rest: text}
	if w.next() != '{' {
		return
	}
	for w.rest = w.rest[1:]; !w.ends('}'); {
		key := w.raw()
		w.next()
		use(unquoted(key), w.raw())
	}
}

// raw takes a value and returns it as it is written, without a look inside.
func (w *walker) raw() string {
	w.next()
	text, depth, i := w.rest, 0, 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:])
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || i+1 < len(text) && !strings.ContainsRune(" \t\r\n,]}", rune(text[i+1])) {
				continue
			}
		}
		if depth <= 0 {
			i++
			break
		}
	}
	i = min(i, len(text))
	w.rest = text[i:]
	return text[:i]
}

// stringEnd is where the string with which the text begins has its last quote,
// or the end of the text.
func stringEnd(text string) int {
	end := 1
	for {
		i := strings.IndexByte(text[end:], '"')
		if i < 0 {
			return len(text)
		}
		end += i
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
		end++
	}
}

// unquoted takes the quotes off a string, and leaves its escapes.
func unquoted(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// The seeds by which things of different kinds that are written alike differ.
const (
	hashScalar = iota
	hashString
	hashList
	hashObject
)

// value hashes the next one. A set is a list whose order does not count.
func (w *walker) value(set bool) uint64 {
	switch w.next() {
	case 0:
		return 0
	case '{':
		return w.object()
	case '[':
		h := uint64(hashList)
		for w.rest = w.rest[1:]; !w.ends(']'); {
			if v := mix(w.value(false)); set {
				h += v
			} else {
				h = mix(h ^ v)
			}
		}
		return mix(h)
	case '"':
		return hash64(hashString, w.name())
	}
	end := strings.IndexAny(w.rest, " \t\r\n,]}")
	switch {
	case end < 0:
		end = len(w.rest)
	case end == 0: // not JSON: go on behind it
		end = 1
	}
	scalar := w.rest[:end]
	w.rest, w.unsure = w.rest[end:], w.unsure || !plainScalar(scalar)
	return hash64(hashScalar, scalar)
}

// object adds its members up, so that their order does not count.
func (w *walker) object() uint64 {
	var few [16]uint64
	keys, sum := few[:0], uint64(hashObject)
	joins := false
	for w.rest = w.rest[1:]; !w.ends('}'); {
		name := ""
		if w.rest[0] == '"' {
			name = w.name()
		} else {
			w.value(false) // not JSON
		}
		key := hash64(hashString, name)
		w.unsure = w.unsure || slices.Contains(keys, key) // the last one of a name counts
		keys = append(keys, key)
		set := w.bases != nil && (name == "all" || name == "any" || name == "edges")
		joins = name == "all" || name == "any" || name == "seq" || name == "first_of"
		sum += mix(key ^ mix(w.value(set)))
	}
	h := mix(sum)
	if joins && len(keys) == 1 && w.tree != nil {
		w.tree(h)
	}
	return h
}

// name takes a string and returns what stands between its quotes, under the
// domain's own name.
func (w *walker) name() string {
	end := stringEnd(w.rest)
	name := w.rest[1:end]
	w.unsure = w.unsure || strings.IndexByte(name, '\\') >= 0
	w.rest = w.rest[min(end+1, len(w.rest)):]
	if w.bases != nil {
		name = baseName(name, w.bases)
	}
	return name
}

// next goes to what follows and returns its first byte, 0 at the end.
func (w *walker) next() byte {
	for i := 0; i < len(w.rest); i++ {
		switch w.rest[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
			continue
		}
		w.rest = w.rest[i:]
		return w.rest[0]
	}
	w.rest = ""
	return 0
}

// ends goes past the end of a list or object that has no more members.
func (w *walker) ends(with byte) bool {
	switch w.next() {
	case with:
		w.rest = w.rest[1:]
		return true
	case 0:
		return true
	}
	return false
}

// plainScalar is true for a literal, and for a number in the one notation
// without an exponent. Up to 15 digits survive a float64.
func plainScalar(s string) bool {
	if s == "true" || s == "false" || s == "null" {
		return true
	}
	whole, fraction, broken := strings.Cut(s, ".")
	switch {
	case strings.ContainsAny(s, "eE"), s == "-0":
		return false
	case broken:
		return len(whole)+len(fraction) <= 15 && !strings.HasSuffix(fraction, "0")
	}
	return true
}
