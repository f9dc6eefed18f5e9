package tokens

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// dict is a message as a template reads it, with the keys in their order.
func (m Message) dict() (*exec.Dict, error) {
	d := exec.NewDict()
	add := func(key string, value any) {
		d.Pairs = append(d.Pairs, &exec.Pair{Key: exec.AsValue(key), Value: exec.AsValue(value)})
	}
	add("role", m.Role)
	add("content", m.Content)
	if len(m.ToolCalls) > 0 {
		calls, err := plain(m.ToolCalls)
		if err != nil {
			return nil, err
		}
		add("tool_calls", calls)
	}
	if m.ToolCallID != "" {
		add("tool_call_id", m.ToolCallID)
	}
	if m.Name != "" {
		add("name", m.Name)
	}
	return d, nil
}

// plain reads JSON with the keys of objects in their order.
func plain(list []json.RawMessage) (values []any, err error) {
	for _, text := range list {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		v, err := ordered(d)
		if err != nil {
			return nil, fmt.Errorf("%.80s: %w", text, err)
		}
		values = append(values, v)
	}
	return values, nil
}

func ordered(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return int(n), nil
		}
		return t.Float64()
	case json.Delim:
		list, dict := []any{}, exec.NewDict()
		for d.More() {
			var key any
			if t == '{' {
				if key, err = d.Token(); err != nil {
					return nil, err
				}
			}
			value, err := ordered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
			dict.Pairs = append(dict.Pairs, &exec.Pair{Key: exec.AsValue(key), Value: exec.AsValue(value)})
		}
		_, err := d.Token()
		if t == '{' {
			return dict, err
		}
		return list, err
	}
	return t, nil
}

// items is what the method of that name gives in Python.
func items(_ *exec.Evaluator, in *exec.Value, _ *exec.VarArgs) *exec.Value {
	d, ok := in.Interface().(*exec.Dict)
	if !ok {
		return exec.AsValue(fmt.Errorf("items of %.40s, want an object", in.String()))
	}
	list := []any{}
	for _, p := range d.Pairs {
		list = append(list, []any{p.Key.String(), p.Value.Interface()})
	}
	return exec.AsValue(list)
}

// toJSON is the filter of the transformers library: Python's json.dumps without
// escapes.
func toJSON(_ *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
	var b strings.Builder
	indent := 0
	if v, ok := params.KwArgs["indent"]; ok && !v.IsNil() {
		indent = v.Integer()
	}
	if err := writeJSON(&b, in.Interface(), indent, 0); err != nil {
		return exec.AsValue(err)
	}
	return exec.AsSafeValue(b.String())
}

func writeJSON(b *strings.Builder, v any, indent, depth int) error {
	line := func(depth int) {
		if indent > 0 {
			b.WriteString("\n" + strings.Repeat(" ", indent*depth))
		}
	}
	comma := ", "
	if indent > 0 {
		comma = ","
	}
	switch v := v.(type) {
	case *exec.Value:
		return writeJSON(b, v.Interface(), indent, depth)
	case *exec.Dict:
		b.WriteByte('{')
		for i, p := range v.Pairs {
			if i > 0 {
				b.WriteString(comma)
			}
			line(depth + 1)
			if err := writeJSON(b, p.Key.String(), indent, depth+1); err != nil {
				return err
			}
			b.WriteString(": ")
			if err := writeJSON(b, p.Value.Interface(), indent, depth+1); err != nil {
				return err
			}
		}
		if len(v.Pairs) > 0 {
			line(depth)
		}
		b.WriteByte('}')
		return nil
	}
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice {
		b.WriteByte('[')
		for i := range list.Len() {
			if i > 0 {
				b.WriteString(comma)
			}
			line(depth + 1)
			if err := writeJSON(b, list.Index(i).Interface(), indent, depth+1); err != nil {
				return err
			}
		}
		if list.Len() > 0 {
			line(depth)
		}
		b.WriteByte(']')
		return nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("tojson: %w", err)
	}
	b.WriteString(strings.TrimSuffix(text.String(), "\n"))
	return nil
}
