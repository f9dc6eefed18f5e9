package dataset

import (
	"bytes"
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
	v, err := decodeJSON(payload)
	if err != nil {
		return "", err
	}
	line, err := appendLine(nil, normalize(v))
	return string(line), err
}

func appendLine(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return b.Bytes()[:b.Len()-1], nil
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
