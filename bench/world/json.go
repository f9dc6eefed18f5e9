package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
)

// Encode writes a value as JSON that [Decode] reads back to an equal one.
// Objects keep the order of their keys, and of floats with a whole value the
// point, both of which the standard encoders lose. A tuple is a list; a key
// that is no text is printed as Python prints it. What JSON does not know, as
// infinity, is an error.
func Encode(v starlark.Value) ([]byte, error) {
	var b bytes.Buffer
	if err := encode(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func encode(b *bytes.Buffer, v starlark.Value) error {
	switch v := v.(type) {
	case starlark.NoneType:
		b.WriteString("null")
	case starlark.Bool:
		fmt.Fprint(b, bool(v))
	case starlark.Int:
		b.WriteString(v.String())
	case starlark.Float:
		if f := float64(v); math.IsInf(f, 0) || math.IsNaN(f) {
			return fmt.Errorf("%v is no number of JSON", f)
		}
		b.WriteString(python.Repr(v))
	case starlark.String:
		return encodeText(b, string(v))
	case *starlark.Dict:
		b.WriteByte('{')
		for i, item := range v.Items() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := encodeText(b, python.Str(item[0])); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := encode(b, item[1]); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case *starlark.List, starlark.Tuple:
		b.WriteByte('[')
		list := v.(starlark.Indexable)
		for i := range list.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := encode(b, list.Index(i)); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		return fmt.Errorf("a %s has no JSON", v.Type())
	}
	return nil
}

func encodeText(b *bytes.Buffer, s string) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line break
	return nil
}
