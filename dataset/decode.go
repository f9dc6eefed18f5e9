package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// ParseRow reads one line of a file of rows. It has to have exactly the keys
// of a row, with their types; their order and the blanks between are free.
// What the values may be is for Row.Validate to say.
func ParseRow(line []byte) (Row, error) {
	var r Row
	if err := parse(line, &r); err != nil {
		return Row{}, err
	}
	// A line that this package wrote is told by writing it again, which is
	// faster than looking at its keys.
	if again, err := r.AppendJSON(nil); err == nil && bytes.Equal(again, line) {
		return r, nil
	}
	if err := checkKeys(line); err != nil {
		return Row{}, err
	}
	return r, nil
}

// ParseDrop reads one line of drops.jsonl.zst.
func ParseDrop(line []byte) (Drop, error) {
	var d Drop
	if err := parse(line, &d); err != nil {
		return Drop{}, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return Drop{}, jsonError(err)
	}
	if err := exactKeys("", object, dropKeys); err != nil {
		return Drop{}, err
	}
	return d, nil
}

func parse(line []byte, into any) error {
	if !utf8.Valid(line) {
		return fmt.Errorf("not UTF-8 at byte %d", invalidAt(line)+1)
	}
	if err := json.Unmarshal(line, into); err != nil {
		return jsonError(err)
	}
	return nil
}

func invalidAt(line []byte) int {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(line)
}

// jsonError words the errors of encoding/json for somebody who looks at a
// file, not at a Go type.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("invalid JSON at byte %d: %s", syntax.Offset, syntax.Error())
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		name, want := wrong.Field, typeWord(wrong.Type)
		if name == "" {
			name = "the value"
		}
		return fmt.Errorf("%s is of type %s, want %s", name, wrong.Value, want)
	}
	return err
}

func typeWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}

// The keys that encoding/json itself is lax about: it takes other cases and
// lets keys be missing or null.
var (
	rowKeys      = keysOf[Row]()
	answerKeys   = keysOf[Answer]()
	negativeKeys = keysOf[Negative]()
	dropKeys     = keysOf[Drop]()
)

func keysOf[T any]() []string {
	var keys []string
	for f := range reflect.TypeFor[T]().Fields() {
		keys = append(keys, f.Tag.Get("json"))
	}
	return keys
}

func checkKeys(line []byte) error {
	var row map[string]json.RawMessage
	if err := json.Unmarshal(line, &row); err != nil {
		return jsonError(err)
	}
	if err := exactKeys("", row, rowKeys); err != nil {
		return err
	}
	var positive map[string]json.RawMessage
	if err := json.Unmarshal(row["positive"], &positive); err != nil {
		return jsonError(err)
	}
	if err := exactKeys("positive: ", positive, answerKeys); err != nil {
		return err
	}
	var negatives []map[string]json.RawMessage
	if err := json.Unmarshal(row["negatives"], &negatives); err != nil {
		return jsonError(err)
	}
	for i, n := range negatives {
		if err := exactKeys(fmt.Sprintf("negative %d: ", i), n, negativeKeys); err != nil {
			return err
		}
	}
	return nil
}

func exactKeys(where string, object map[string]json.RawMessage, want []string) error {
	var unknown []string
	for key := range object {
		if !slices.Contains(want, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("%sunknown key %s, want %s", where, quote(slices.Min(unknown)), strings.Join(want, ", "))
	}
	for _, key := range want {
		value, ok := object[key]
		if !ok {
			return fmt.Errorf("%skey %q is missing", where, key)
		}
		if string(value) == "null" {
			return fmt.Errorf("%s%s is null", where, key)
		}
	}
	return nil
}
