package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Canonical returns the JSON in one fixed form: keys sorted, no blanks,
// numbers in their shortest notation. Two payloads with equal canonical forms
// are the same answer; lists keep their order.
func Canonical(payload string) (string, error) {
	v, err := decodeJSON(payload)
	if err != nil {
		return "", err
	}
	line, err := appendLine(nil, normalize(v))
	return string(line), err
}

// decodeJSON reads exactly one JSON value and keeps numbers as written.
func decodeJSON(s string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("%s is not JSON", quote(s))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is more than one JSON value", quote(s))
	}
	return v, nil
}

func normalize(v any) any {
	switch v := v.(type) {
	case json.Number:
		return normalizeNumber(v)
	case []any:
		for i := range v {
			v[i] = normalize(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = normalize(v[k])
		}
	}
	return v
}

// normalizeNumber leaves whole numbers as they are, so that large ones which
// no float64 can tell apart stay different.
func normalizeNumber(n json.Number) json.Number {
	s := string(n)
	if strings.ContainsAny(s, ".eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return n
		}
		format := byte('f')
		if math.Abs(f) >= 1e21 || f != 0 && math.Abs(f) < 1e-9 {
			format = 'e'
		}
		s = strconv.FormatFloat(f, format, -1, 64)
	}
	if s == "-0" {
		s = "0"
	}
	return json.Number(s)
}

// shape hashes a valid JSON text: those with equal canonical forms have equal
// shapes. It knows only texts whose strings and numbers are written in the one
// way that Canonical would choose, and is false for others.
func shape(text string) (uint64, bool) {
	s := shaper{rest: text}
	h := s.value()
	return h, !s.unsure
}

type shaper struct {
	rest   string
	unsure bool
}

func (s *shaper) value() uint64 {
	if s.unsure {
		return 0
	}
	switch s.rest = strings.TrimLeft(s.rest, " \t\r\n,:"); s.rest[0] {
	case '{':
		return s.object()
	case '[':
		h := uint64(1)
		for s.rest = s.rest[1:]; !s.ends(']'); {
			h = mix(h ^ s.value())
		}
		return mix(h)
	case '"':
		end := 1 + strings.IndexByte(s.rest[1:], '"')
		return s.scalar(end+1, strings.IndexByte(s.rest[:end], '\\') >= 0)
	}
	end := strings.IndexAny(s.rest, " \t\r\n,]}")
	if end < 0 {
		end = len(s.rest)
	}
	return s.scalar(end, !plainScalar(s.rest[:end]))
}

// object adds its members up, so that their order does not count.
func (s *shaper) object() uint64 {
	var few [16]uint64
	keys, sum := few[:0], uint64(2)
	for s.rest = s.rest[1:]; !s.ends('}') && !s.unsure; {
		key := s.value()
		s.unsure = s.unsure || slices.Contains(keys, key) // the last one of a name counts
		keys = append(keys, key)
		sum += mix(key ^ mix(s.value()))
	}
	return mix(sum)
}

// ends goes past the end of a list or object that has no more members.
func (s *shaper) ends(with byte) bool {
	if s.unsure {
		return true
	}
	s.rest = strings.TrimLeft(s.rest, " \t\r\n,")
	if s.rest[0] != with {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *shaper) scalar(end int, unsure bool) uint64 {
	h := hash64(0, s.rest[:end])
	s.rest, s.unsure = s.rest[end:], s.unsure || unsure
	return h
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

// mix is the finalizer of splitmix64: every bit depends on every other.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
