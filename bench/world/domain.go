// Package world makes a domain pack executable: a database, the tools that
// read and change it, a session, and the constraints that guard a call.
//
// A pack's tools.star holds a function for each tool and for each condition,
// by its name; the first parameter is the world, the others are the arguments.
// A tool answers with a boolean, or with a pair (boolean, value). What else
// the file may hold:
//
//	begin_T(world, …)   what tool T changes in the session, once it is let through
//	session = {…}       the facts of a session, as it starts
//	refusals = {…}      what a tool answers when its innate tree refuses, where that is not False
//	example = {…}       a small database to try the tools on
//	known = {…}         what a user of it can say, an argument for every parameter
//	formats = {…}       fields whose values differ with every process, and their pattern
//	_name               helpers
//
// The world has the attributes db (the database), limits (the thresholds),
// session, mends (names of faults of the original that are mended), and the
// method call(tool, argument=…) for a tool of the plain layer. Built-in
// functions beside Starlark's own: error(kind, message), contains, strptime, random,
// round, sha512, str and repr; they act as Python's of the same names.
//
// A call goes through two layers. The strict one first evaluates the tool's
// guard, which is its rules with what they depend on; the plain one evaluates
// the innate tree and then runs the tool. Everything is deterministic, nothing
// is shared between worlds, and a call ends after a fixed number of steps.
package world

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fmsop/fmsop/data"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const (
	toolsFile    = "tools.star"
	officialFile = "sopbench.json"
)

// Domain is an executable pack. It is immutable and safe for concurrent use.
type Domain struct {
	Name  string
	Tools []*Tool // by name
	// Official is what the evaluator of SOPBench holds about the domain; nil
	// for a pack that SOPBench does not know.
	Official *Official
	// Digest is the SHA-256 of the pack's files, in hex.
	Digest string

	file       string
	tools      map[string]*Tool
	conditions map[string]*starlark.Function
	functions  map[string]*starlark.Function // tools, conditions and begin_ functions
	session    *starlark.Dict
	limits     *starlark.Dict
	example    *starlark.Dict // nil where there is none
	known      *starlark.Dict // the same
	formats    map[string]*regexp.Regexp
	words      []string
}

// Tool is a function that an agent may call.
type Tool struct {
	Name string
	// Offered tells whether an agent gets to see the tool.
	Offered bool
	// Innate is what the tool itself enforces, Guard what the strict layer does.
	Innate, Guard *Tree

	run, begin *starlark.Function // begin is nil but for session tools
	absent     bool               // from the strict layer
	refusal    starlark.Value
}

// Parameters are the names of a tool's arguments; those after the first
// required ones may be left out.
func (t *Tool) Parameters() (names []string, required int) {
	for i := 1; i < t.run.NumParams()-btoi(t.run.HasKwargs()); i++ {
		name, _ := t.run.Param(i)
		names = append(names, name)
		if t.run.ParamDefault(i) == nil {
			required++
		}
	}
	return names, required
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Tool returns the tool of that name, or nil.
func (d *Domain) Tool(name string) *Tool { return d.tools[name] }

// Example is the pack's own small database and what a user of it can say, an
// argument for every parameter; nil where there is none. They are frozen.
func (d *Domain) Example() (database, known *starlark.Dict) { return d.example, d.known }

// Words are the texts that the tools and conditions compare with, sorted: what
// fields of the database may hold. They are not to be changed.
func (d *Domain) Words() []string { return d.words }

// Limits are the domain's own thresholds, as the tools read them. They are not
// to be changed.
func (d *Domain) Limits() *starlark.Dict { return d.limits }

// File names the pack's tools.star.
func (d *Domain) File() string { return d.file }

var builtin sync.Map // name -> func() (*Domain, error)

// Load makes a pack executable: a built-in domain by its name, or a folder.
// Built-in domains are read once.
func Load(name string) (*Domain, error) {
	if !slices.Contains(corpus.Builtin(), name) {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			if _, err := corpus.Load(name); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("%s is no domain that runs, want a pack folder or one of %s", name, strings.Join(corpus.Builtin(), ", "))
		}
		return load(os.DirFS(name), ".", name)
	}
	once, _ := builtin.LoadOrStore(name, sync.OnceValues(func() (*Domain, error) {
		return load(data.FS, name, "data/"+name)
	}))
	return once.(func() (*Domain, error))()
}

func load(fsys fs.FS, dir, shown string) (*Domain, error) {
	d := &Domain{Name: path.Base(shown), file: shown + "/" + toolsFile, tools: map[string]*Tool{}, conditions: map[string]*starlark.Function{}}
	text, err := fs.ReadFile(fsys, path.Join(dir, toolsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: a domain runs when that file holds a function for each tool and condition", shown, toolsFile)
	}
	if err != nil {
		return nil, err
	}
	globals, err := execute(d.file, text)
	if err != nil {
		return nil, err
	}
	d.words = wordsOf(d.file, text)
	d.functions = map[string]*starlark.Function{}
	for name, v := range globals {
		if f, ok := v.(*starlark.Function); ok && !strings.HasPrefix(name, "_") {
			d.functions[name] = f
		}
	}
	official, err := fs.ReadFile(fsys, path.Join(dir, officialFile))
	switch {
	case err == nil:
		err = d.adopt(shown+"/"+officialFile, official)
	case errors.Is(err, fs.ErrNotExist):
		err = d.derive(shown)
	}
	if err != nil {
		return nil, err
	}
	if err := d.bind(globals); err != nil {
		return nil, err
	}
	for _, t := range d.tools {
		d.Tools = append(d.Tools, t)
	}
	if d.Digest, err = digest(fsys, dir); err != nil {
		return nil, err
	}
	slices.SortFunc(d.Tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return d, nil
}

// digest is over the names and bytes of all files, in the order of the names.
func digest(fsys fs.FS, dir string) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		fmt.Fprintf(h, "%s %d\n%s", strings.TrimPrefix(name, dir), len(text), text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// execute runs the top level of a tools.star.
func execute(file string, text []byte) (starlark.StringDict, error) {
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, newThread(), file, text, builtins)
	if err != nil {
		return nil, located(file, err)
	}
	globals.Freeze()
	return globals, nil
}

// located puts the file and the line in front of what Starlark found wrong.
func located(file string, err error) error {
	var names resolve.ErrorList
	var eval *starlark.EvalError
	switch {
	case errors.As(err, &names):
		var list []error
		for _, e := range names {
			list = append(list, fmt.Errorf("%s:%d: not Starlark: %s", file, e.Pos.Line, e.Msg))
		}
		return errors.Join(list...)
	case errors.As(err, &eval) && len(eval.CallStack) > 0:
		return fmt.Errorf("%s: %s", eval.CallStack.At(0).Pos, eval.Msg)
	}
	return err // a syntax error names the file
}

// bind finds the function of every tool and condition.
func (d *Domain) bind(globals starlark.StringDict) error {
	var problems []error
	d.session, _ = globals["session"].(*starlark.Dict)
	if d.session == nil {
		d.session = new(starlark.Dict)
	}
	d.example, _ = globals["example"].(*starlark.Dict)
	d.known, _ = globals["known"].(*starlark.Dict)
	d.formats = map[string]*regexp.Regexp{}
	for field, v := range entries(globals["formats"]) {
		pattern, _ := starlark.AsString(v)
		format, err := regexp.Compile(pattern)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: formats: %s: %w", d.file, field, err))
			continue
		}
		d.formats[field] = format
	}
	refusals, _ := globals["refusals"].(*starlark.Dict)
	for _, name := range slices.Sorted(mapKeys(d.functions)) {
		f := d.functions[name]
		if f.NumParams() == 0 {
			problems = append(problems, fmt.Errorf("%s: the function %s has no parameter, want the world as the first", d.file, name))
			continue
		}
		if of, begins := strings.CutPrefix(name, "begin_"); begins && d.tools[of] != nil {
			d.tools[of].begin = f
		} else if t := d.tools[name]; t != nil {
			t.run = f
		} else {
			d.conditions[name] = f
		}
	}
	for _, name := range slices.Sorted(mapKeys(d.tools)) {
		t := d.tools[name]
		if t.run == nil {
			problems = append(problems, fmt.Errorf("%s: there is no function %s, want one for every tool", d.file, name))
			continue
		}
		t.refusal = starlark.False
		if refusals != nil {
			if v, found, _ := refusals.Get(starlark.String(name)); found {
				t.refusal = v
			}
		}
		for _, tree := range []*Tree{t.Innate, t.Guard} {
			problems = append(problems, d.unknown(name, tree)...)
		}
	}
	return errors.Join(problems...)
}

// unknown lists the leaves that nothing answers.
func (d *Domain) unknown(tool string, t *Tree) (problems []error) {
	if t == nil {
		return nil
	}
	for _, p := range t.Parts {
		problems = append(problems, d.unknown(tool, p)...)
	}
	if t.Op == "" && d.tools[t.Name] == nil && d.conditions[t.Name] == nil {
		problems = append(problems, fmt.Errorf("%s: there is no function %s, which %s is guarded by", d.file, t.Name, tool))
	}
	return problems
}

// derive takes tools, innate trees and guards from the pack's own YAML.
func (d *Domain) derive(shown string) error {
	c, err := corpus.Load(shown)
	if err != nil {
		return err
	}
	from := c.Domain
	d.Name = from.Name
	for name, action := range from.Actions {
		t := &Tool{Name: name, Offered: true}
		if t.Innate, err = d.treeOf(action.Innate, false); err != nil {
			return err
		}
		rules := behind(from.Requirement(name), func(condition string) *sop.Tree { return dependency(from, condition) })
		if t.Guard, err = d.treeOf(rules, false); err != nil {
			return err
		}
		d.tools[name] = t
	}
	d.limits = starlark.NewDict(len(from.Thresholds))
	for _, name := range slices.Sorted(mapKeys(from.Thresholds)) {
		_ = d.limits.SetKey(starlark.String(name), Number(from.Thresholds[name].Default))
	}
	return nil
}

// Number is f, whole where it is.
func Number(f float64) starlark.Value {
	if f == float64(int64(f)) {
		return starlark.MakeInt64(int64(f))
	}
	return starlark.Float(f)
}

// Absent tells whether the strict layer lacks the tool.
func (d *Domain) Absent(name string) bool { return d.tools[name] != nil && d.tools[name].absent }

// Masked returns a database with every text that the original draws anew in
// every process, and that has the right format, replaced by that format.
func (d *Domain) Masked(v starlark.Value) starlark.Value {
	switch v := v.(type) {
	case *starlark.List:
		items := make([]starlark.Value, v.Len())
		for i := range items {
			items[i] = d.Masked(v.Index(i))
		}
		return starlark.NewList(items)
	case *starlark.Dict:
		out := starlark.NewDict(v.Len())
		for _, item := range v.Items() {
			x := d.Masked(item[1])
			name, _ := starlark.AsString(item[0])
			text, isText := x.(starlark.String)
			if format := d.formats[name]; isText && format != nil && format.MatchString(string(text)) {
				x = starlark.String(format.String())
			}
			_ = out.SetKey(item[0], x) // the key was a key before
		}
		return out
	}
	return v
}
