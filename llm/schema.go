package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the JSON Schema of a reply.
type Schema struct {
	name     string
	text     json.RawMessage
	kind     byte // what its values begin with: { or [, or 0
	resolved *jsonschema.Resolved
}

// SchemaFor derives the schema of a Go type: names and descriptions are those
// of the tags json and jsonschema; what has no omitempty is required; nothing
// else is allowed, and null only where a custom schema says so. The type's own
// constraints (ranges, enums) are added by refine, which may be nil.
func SchemaFor[T any](name string, refine func(*jsonschema.Schema)) (*Schema, error) {
	s, err := jsonschema.ForType(reflect.TypeFor[T](), &jsonschema.ForOptions{})
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	withoutNull(s)
	if refine != nil {
		refine(s)
	}
	return NewSchema(name, s)
}

// NewSchema takes a schema as it is. Servers that show the name want letters,
// digits, _ and - in it.
func NewSchema(name string, s *jsonschema.Schema) (*Schema, error) {
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("schema %s: %w", name, err)
	}
	made := &Schema{name: name, text: text, resolved: resolved}
	switch s.Type {
	case "object":
		made.kind = '{'
	case "array":
		made.kind = '['
	}
	return made, nil
}

// MarshalJSON gives the schema without its name.
func (s *Schema) MarshalJSON() ([]byte, error) { return s.text, nil }

// Check says in one line what is wrong with a JSON value, as a model can be
// told.
func (s *Schema) Check(value []byte) error {
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	if err := unique(json.NewDecoder(bytes.NewReader(value))); err != nil {
		return err
	}
	if err := s.resolved.Validate(v); err != nil {
		return errors.New(plainer.Replace(oneLine(err.Error())))
	}
	return nil
}

// unique refuses a key that an object has twice: readers differ about which
// of the two counts.
func unique(d *json.Decoder) error {
	begin, err := d.Token()
	if err != nil || begin != json.Delim('{') && begin != json.Delim('[') {
		return err
	}
	keys := map[json.Token]bool{}
	for d.More() {
		if begin == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if keys[key] {
				return fmt.Errorf("the key %q is there twice", key)
			}
			keys[key] = true
		}
		if err := unique(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// plainer makes the library's errors readable for a model.
var plainer = strings.NewReplacer("validating root: ", "", "validating /properties/", "", "/1 is", " is", ".000000", "", "<invalid reflect.Value>", "it")

// withoutNull drops null from what is a pointer, map or list in Go only.
func withoutNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if i := slices.Index(s.Types, "null"); i >= 0 {
		s.Types = slices.Delete(s.Types, i, i+1)
		if len(s.Types) == 1 {
			s.Type, s.Types = s.Types[0], nil
		}
	}
	for _, p := range s.Properties {
		withoutNull(p)
	}
	withoutNull(s.Items)
	withoutNull(s.AdditionalProperties)
}
