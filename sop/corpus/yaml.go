package corpus

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fmsop/fmsop/sop"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// source is a decoded YAML file: where each of its parts stands. Paths are
// keys and indices joined by "/", as conditions/logged_in_user/text.
type source struct {
	file   string
	lines  map[string]int
	leaves map[*sop.Tree]int
	broken map[string]bool // items with problems in themselves; "" for the file as a whole
}

// sound tells whether what stands at the path was read without a problem.
func (s *source) sound(path []string) bool {
	return !s.broken[""] && !s.broken[item(path[:min(1, len(path))])] && !s.broken[item(path)]
}

// at returns the line of the path, or of the closest enclosing one that the
// file has.
func (s *source) at(path ...string) int {
	for n := len(path); n > 0; n-- {
		if line, ok := s.lines[strings.Join(path[:n], "/")]; ok {
			return line
		}
	}
	return 1
}

// DecodeYAML reads a file into out, a pointer to plain data with yaml tags. It
// reports every problem with its line, unknown keys with what was probably
// meant. line tells where a part stands, by keys and indices: 0, domain.
func DecodeYAML(file string, text []byte, out any) (line func(path ...string) int, problems Problems) {
	s, problems := decodeYAML(file, text, out)
	problems.sort()
	return s.at, problems
}

// decodeYAML reads a file into out, a pointer to plain data with yaml tags.
// Unlike the YAML library's decoder it goes on after a problem, and it tells
// where everything stands.
func decodeYAML(file string, text []byte, out any) (*source, Problems) {
	d := &yamlDecoder{
		source: &source{file: file, lines: map[string]int{}, leaves: map[*sop.Tree]int{}, broken: map[string]bool{}},
		anchor: map[string]ast.Node{}, budget: maxNodes,
	}
	if body := d.parse(text); body != nil {
		d.value(body, reflect.ValueOf(out).Elem(), "", 0)
	}
	return d.source, d.problems
}

const (
	maxNodes = 1 << 20 // nodes visited, aliases counted each time they are followed
	maxDepth = 100
)

type yamlDecoder struct {
	*source
	problems Problems
	anchor   map[string]ast.Node
	budget   int
	// exhausted: one problem about the budget is enough.
	exhausted bool
}

// problem reports what is wrong with the part at path.
func (d *yamlDecoder) problem(line int, path, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if path != "" {
		text = strings.ReplaceAll(path, "/", ".") + ": " + text
	}
	d.problems = append(d.problems, Problem{d.file, line, text})
	d.broken[item(strings.Split(path, "/"))] = true
}

// item is the declaration that a path leads into: conditions/logged_in_user.
func item(path []string) string { return strings.Join(path[:min(2, len(path))], "/") }

// parse returns the only document of the file, or nil after a problem.
func (d *yamlDecoder) parse(text []byte) ast.Node {
	if line := invalidUTF8(text); line > 0 {
		d.problem(line, "", "the text is not UTF-8, want UTF-8")
		return nil
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		line, message := 1, err.Error()
		if syntax, ok := err.(*yaml.SyntaxError); ok {
			message = syntax.Message
			if syntax.Token != nil {
				line = syntax.Token.Position.Line
			}
		}
		d.problem(line, "", "not YAML: %s", oneLine(message))
		return nil
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		d.problem(1, "", "the file is empty, want a mapping of keys")
		return nil
	case 1:
		return bodies[0]
	}
	d.problem(lineOf(bodies[1]), "", "a second document begins, want one document a file")
	return nil
}

// invalidUTF8 returns the first line that is not UTF-8, or 0.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return 0
	}
	line := 1
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		text = text[n:]
	}
	return line
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 1
}

// resolve follows anchors, aliases and tags; nil after a problem.
func (d *yamlDecoder) resolve(n ast.Node, path string, depth int) ast.Node {
	for range maxDepth {
		if d.budget--; d.budget <= 0 || depth > maxDepth {
			if !d.exhausted {
				d.exhausted, d.budget = true, 0
				d.broken[""] = true
				d.problem(lineOf(n), path, "the file nests too deep or repeats its aliases too often")
			}
			return nil
		}
		switch x := n.(type) {
		case *ast.AnchorNode:
			d.anchor[tokenText(x.Name)] = x.Value
			n = x.Value
		case *ast.AliasNode:
			name := tokenText(x.Value)
			target := d.anchor[name]
			if target == nil {
				d.problem(lineOf(n), path, "the alias *%s has no anchor before it", name)
				return nil
			}
			n = target
		case *ast.TagNode:
			n = x.Value
		default:
			return n
		}
		if n == nil {
			return nil
		}
	}
	return nil
}

func tokenText(n ast.Node) string {
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}

var treeType = reflect.TypeFor[*sop.Tree]()

// value decodes n into v; null leaves v as it is.
func (d *yamlDecoder) value(n ast.Node, v reflect.Value, path string, depth int) {
	n = d.resolve(n, path, depth)
	if n == nil || n.Type() == ast.NullType {
		return
	}
	if v.Type() == treeType {
		d.tree(n, v, path, depth)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), path, depth)
	case reflect.Struct:
		d.structure(n, v, path, depth)
	case reflect.Map:
		d.mapping(n, v, path, depth)
	case reflect.Slice:
		d.list(n, v, path, depth)
	case reflect.Interface:
		if x := d.plain(n, path, depth); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	default:
		d.scalar(n, v, path)
	}
}

func (d *yamlDecoder) scalar(n ast.Node, v reflect.Value, path string) {
	want := map[reflect.Kind]string{reflect.String: "text", reflect.Float64: "a number", reflect.Bool: "true or false"}[v.Kind()]
	var found any
	if _, isScalar := n.(ast.ScalarNode); isScalar {
		found = d.plain(n, path, 0)
	}
	switch x := found.(type) {
	case string:
		if v.Kind() == reflect.String {
			v.SetString(x)
			return
		}
	case float64:
		if v.Kind() == reflect.Float64 {
			v.SetFloat(x)
			return
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(x)
			return
		}
	}
	d.problem(lineOf(n), path, "found %s, want %s", describe(n), want)
}

// describe quotes a scalar and names anything else.
func describe(n ast.Node) string {
	switch n.(type) {
	case ast.MapNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.StringNode, *ast.LiteralNode:
		return "the text " + strconv.Quote(shorten(scalarText(n)))
	}
	return tokenText(n)
}

func scalarText(n ast.Node) string {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value
	case *ast.LiteralNode:
		return x.Value.Value
	}
	return tokenText(n)
}

// entry is a key of a mapping with what stands under it.
type entry struct {
	key   string
	line  int
	value ast.Node
}

// entries returns the keys of a mapping in their order; ok is false after a
// problem.
func (d *yamlDecoder) entries(n ast.Node, path string) (list []entry, ok bool) {
	m, isMap := n.(ast.MapNode)
	if !isMap {
		d.problem(lineOf(n), path, "found %s, want a mapping of keys", describe(n))
		return nil, false
	}
	seen := map[string]bool{}
	for it := m.MapRange(); it.Next(); {
		pair := it.KeyValue()
		key := tokenText(pair.Key)
		line := lineOf(pair.Key)
		switch {
		case pair.Key.IsMergeKey():
			d.problem(line, path, "the merge key << is not supported, want the keys written out")
		case seen[key]:
			d.problem(line, path, "the key %q stands twice", key)
		default:
			seen[key] = true
			list = append(list, entry{key, line, pair.Value})
		}
	}
	return list, true
}

func (d *yamlDecoder) structure(n ast.Node, v reflect.Value, path string, depth int) {
	entries, ok := d.entries(n, path)
	if !ok {
		return
	}
	fields := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if name != "" && name != "-" {
			fields[name] = i
			names = append(names, name)
		}
	}
	for _, e := range entries {
		i, known := fields[e.key]
		if !known {
			d.problem(e.line, path, "unknown key %q%s", e.key, want(e.key, names))
			continue
		}
		d.entry(e, v.Field(i), path, depth)
	}
}

func (d *yamlDecoder) entry(e entry, v reflect.Value, path string, depth int) {
	path = strings.TrimPrefix(path+"/"+e.key, "/")
	d.lines[path] = e.line
	d.value(e.value, v, path, depth+1)
}

func (d *yamlDecoder) mapping(n ast.Node, v reflect.Value, path string, depth int) {
	entries, ok := d.entries(n, path)
	if !ok {
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(entries)))
	for _, e := range entries {
		item := reflect.New(v.Type().Elem()).Elem()
		if item.Kind() == reflect.Pointer { // an entry without keys is an empty one
			item.Set(reflect.New(item.Type().Elem()))
		}
		d.entry(e, item, path, depth)
		v.SetMapIndex(reflect.ValueOf(e.key), item)
	}
}

func (d *yamlDecoder) list(n ast.Node, v reflect.Value, path string, depth int) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.problem(lineOf(n), path, "found %s, want a list", describe(n))
		return
	}
	for i, item := range seq.Values {
		p := strings.TrimPrefix(path+"/"+strconv.Itoa(i), "/")
		d.lines[p] = lineOf(item)
		x := reflect.New(v.Type().Elem()).Elem()
		before := len(d.problems)
		d.value(item, x, p, depth+1)
		switch {
		case len(d.problems) > before:
		case x.Kind() == reflect.Pointer && x.IsNil() || x.Kind() == reflect.Interface && x.IsNil():
			d.problem(lineOf(item), p, "the item is empty")
		default:
			v.Set(reflect.Append(v, x))
		}
	}
}

// plain decodes n as JSON would be: numbers are float64.
func (d *yamlDecoder) plain(n ast.Node, path string, depth int) any {
	if n = d.resolve(n, path, depth); n == nil {
		return nil
	}
	switch x := n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		return scalarText(x)
	case *ast.BoolNode:
		return x.Value
	case *ast.IntegerNode, *ast.FloatNode:
		// The library has checked the notation; Go reads 0o17, 0x1f and 1_000 too.
		text := strings.ReplaceAll(tokenText(n), "_", "")
		if i, err := strconv.ParseInt(text, 0, 64); err == nil && n.Type() == ast.IntegerType {
			return float64(i)
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			d.problem(lineOf(n), path, "found %s, want a number", text)
		}
		return f
	case *ast.SequenceNode:
		list := make([]any, 0, len(x.Values))
		for _, item := range x.Values {
			list = append(list, d.plain(item, path, depth+1))
		}
		return list
	case ast.MapNode:
		entries, _ := d.entries(n, path)
		m := make(map[string]any, len(entries))
		for _, e := range entries {
			m[e.key] = d.plain(e.value, path, depth+1)
		}
		return m
	}
	return nil
}
