package configs

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/goccy/go-yaml/ast"

	"github.com/fmsop/fmsop/stages"
)

// unknownKeys reports every key of the file that no setting has, with what was
// probably meant, a line each. The YAML library stops at the first.
func unknownKeys(file string, tree *ast.File, c *Config) error {
	var bad []error
	for i, doc := range tree.Docs {
		switch {
		case !hasBody(doc):
		case i > 0:
			bad = append(bad, fmt.Errorf("%s:%d: a second document begins, want one document a file", file, lineOf(doc.Body)))
		case !isMapping(doc.Body):
			bad = append(bad, fmt.Errorf("%s:%d: %s, want a mapping with the keys %s", file, lineOf(doc.Body),
				oneLine(doc.Body.String()), strings.Join(keysOf(reflect.TypeOf(*c)), ", ")))
		default:
			bad = append(bad, walk(file, doc.Body, reflect.TypeOf(*c), "")...)
		}
	}
	return errors.Join(bad...)
}

func hasBody(doc *ast.DocumentNode) bool {
	return doc.Body != nil && doc.Body.Type() != ast.CommentType && doc.Body.Type() != ast.NullType
}

func walk(file string, node ast.Node, t reflect.Type, path string) (bad []error) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for _, entry := range entries(node) {
		key := entry.Key.GetToken().Value
		field, ok := fieldOf(t, key)
		if !ok {
			bad = append(bad, fmt.Errorf("%s:%d: unknown key %q, %s", file, lineOf(entry.Key), path+key, instead(key, keysOf(t))))
			continue
		}
		if field.Type == reflect.TypeFor[Runs]() {
			bad = append(bad, walkRuns(file, entry)...)
			continue
		}
		if field.Type.Kind() == reflect.Struct && !isMapping(entry.Value) {
			bad = append(bad, fmt.Errorf("%s:%d: %s is %s, want a mapping with the keys %s", file, lineOf(entry.Key), path+key,
				oneLine(entry.Value.String()), strings.Join(keysOf(field.Type), ", ")))
			continue
		}
		bad = append(bad, walk(file, entry.Value, field.Type, path+key+".")...)
	}
	return bad
}

// walkRuns looks at the keys of each run, which are those of generate.
func walkRuns(file string, runs *ast.MappingValueNode) (bad []error) {
	options := reflect.TypeFor[stages.Options]()
	for _, run := range entries(runs.Value) {
		name := run.Key.GetToken().Value
		switch {
		case !isMapping(run.Value):
			bad = append(bad, fmt.Errorf("%s:%d: runs.%s is %s, want a mapping with the keys %s", file, lineOf(run.Key), name,
				oneLine(run.Value.String()), strings.Join(keysOf(options), ", ")))
		case !runName.MatchString(name):
			bad = append(bad, fmt.Errorf("%s:%d: run %q, want a name of letters, digits, - and _", file, lineOf(run.Key), name))
		}
		bad = append(bad, walk(file, run.Value, options, "runs."+name+".")...)
	}
	if len(entries(runs.Value)) == 0 {
		bad = append(bad, fmt.Errorf("%s:%d: runs is %s, want a name for each, with what it has of its own", file, lineOf(runs.Key), oneLine(runs.Value.String())))
	}
	return bad
}

// runName is also that of a folder.
var runName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func isMapping(n ast.Node) bool {
	return n.Type() == ast.MappingType || n.Type() == ast.MappingValueType
}

func entries(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func lineOf(n ast.Node) int { return n.GetToken().Position.Line }

func keysOf(t reflect.Type) (keys []string) {
	for i := range t.NumField() {
		keys = append(keys, t.Field(i).Tag.Get("yaml"))
	}
	return keys
}

func fieldOf(t reflect.Type, key string) (reflect.StructField, bool) {
	i := slices.Index(keysOf(t), key)
	if i < 0 {
		return reflect.StructField{}, false
	}
	return t.Field(i), true
}

func instead(key string, known []string) string {
	for _, k := range known {
		if levenshtein.ComputeDistance(key, k) <= max(1, len(key)/3) {
			return fmt.Sprintf("did you mean %q?", k)
		}
	}
	return "want one of " + strings.Join(known, ", ")
}
