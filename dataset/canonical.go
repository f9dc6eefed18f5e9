package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Canonical returns the JSON in one fixed form: keys sorted, no blanks,
// numbers in their shortest notation. Two payloads with equal canonical forms
// are the same answer; lists keep their order.
func Canonical(payload string) (string, error) {
	if c := (canonicalScan{rest: payload}); c.value(0) && c.rest == "" {
		return payload, nil
	}
	v, err := decodeJSON(payload)
	if err != nil {
		return "", err
	}
	line, err := appendLine(nil, normalize(v))
	return string(line), err
}

// canonicalScan recognizes JSON that is in canonical form already, as payloads
// are: of strings it knows those of ASCII without escapes, of numbers none.
type canonicalScan struct {
	rest    string
	items   []string // keys and scalars as they come, which is the order of Items; nil where they are not wanted
	members int      // of the object that the whole is
}

func (c *canonicalScan) skip(prefix string) (ok bool) {
	c.rest, ok = strings.CutPrefix(c.rest, prefix)
	return ok
}

func (c *canonicalScan) value(depth int) bool {
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
		before := ""
		for first := true; ; first = false {
			if c.skip("}") {
				return true
			}
			if !first && !c.skip(",") {
				return false
			}
			key, ok := c.text()
			if !ok || !first && key <= before || !c.skip(":") || !c.value(depth+1) {
				return false
			}
			before = key
			if depth == 0 {
				c.members++
			}
		}
	case c.rest[0] == '"':
		_, ok := c.text()
		return ok
	}
	for _, word := range []string{"null", "true", "false"} {
		if c.skip(word) {
			c.item(word)
			return true
		}
	}
	return false
}

func (c *canonicalScan) item(s string) {
	if c.items != nil {
		c.items = append(c.items, s)
	}
}

func (c *canonicalScan) text() (s string, ok bool) {
	if !c.skip(`"`) {
		return "", false
	}
	for i := 0; i < len(c.rest); i++ {
		switch b := c.rest[i]; {
		case b == '"':
			s, c.rest = c.rest[:i], c.rest[i+1:]
			c.item(s)
			return s, true
		case b == '\\' || b < ' ' || b >= 0x7f:
			return "", false
		}
	}
	return "", false
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
