package corpus

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/fmsop/fmsop/sop"
	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON Schemas of domain.yaml and of a procedure file, so
// that an editor completes and checks them.
func Schema() (domain, procedure []byte, err error) {
	d, err := schemaOf(reflect.TypeFor[sop.Domain](), "fmsop domain pack: "+domainFile)
	if err != nil {
		return nil, nil, err
	}
	d.Properties["conditions"].AdditionalProperties.Properties["kind"].Enum = anys(sop.Kinds)
	d.Properties["glossary"].Items.Properties["type"].Enum = anys(TermTypes)
	p, err := schemaOf(reflect.TypeFor[sop.Procedure](), "fmsop domain pack: "+procedureFolder+"/<goal>.yaml")
	if err != nil {
		return nil, nil, err
	}
	outcome := p.Properties["outcomes"].Items
	outcome.Required = slices.DeleteFunc(outcome.Required, func(key string) bool { return key == "tree" }) // the last has none
	if domain, err = json.MarshalIndent(d, "", "  "); err != nil {
		return nil, nil, err
	}
	procedure, err = json.MarshalIndent(p, "", "  ")
	return domain, procedure, err
}

func schemaOf(t reflect.Type, title string) (*jsonschema.Schema, error) {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[sop.Tree](): {Ref: "#/$defs/tree"},
	}})
	if err != nil {
		return nil, err
	}
	nullToObject(s)
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", title
	s.Defs = map[string]*jsonschema.Schema{"tree": treeSchema()}
	return s, nil
}

// nullToObject drops null from what is a pointer, map or list in Go only.
func nullToObject(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	switch i := slices.Index(s.Types, "null"); {
	case i >= 0 && len(s.Types) == 2:
		s.Type, s.Types = s.Types[1-i], nil
	case s.Ref != "":
		s.Types = nil
	}
	for _, p := range s.Properties {
		nullToObject(p)
	}
	nullToObject(s.Items)
	nullToObject(s.AdditionalProperties)
}

// treeSchema is a name, or an object with one operator.
func treeSchema() *jsonschema.Schema {
	tree := func() *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/tree"} }
	one := func(op sop.Op, parts *jsonschema.Schema) *jsonschema.Schema {
		return &jsonschema.Schema{
			Type: "object", Properties: map[string]*jsonschema.Schema{string(op): parts}, Required: []string{string(op)},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
		}
	}
	s := &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, one(sop.Not, tree())}}
	for _, op := range []sop.Op{sop.All, sop.Any, sop.Seq, sop.FirstOf} {
		s.OneOf = append(s.OneOf, one(op, &jsonschema.Schema{Type: "array", Items: tree()}))
	}
	return s
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}
