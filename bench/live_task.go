package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// TasksFile is the file of tasks in the folder of a live run that drew its own.
const TasksFile = "tasks.json"

// ReadTaskFile reads tasks for a live run: a file, or a folder with the file of
// the domain (a name, or the folder of a pack). What a run needs beyond a replay
// is checked.
func ReadTaskFile(path, domain string) ([]*Task, TaskSource, error) {
	d, err := world.Load(domain)
	if err != nil {
		return nil, TaskSource{}, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, TaskFile(domain))
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, TaskSource{}, fmt.Errorf("%s: there is no such file, want tasks as SOPBench or fmsop bench tasks write them", path)
	}
	if err != nil {
		return nil, TaskSource{}, err
	}
	return parseTaskFile(d, path, domain, text)
}

// DrawTaskFile samples the tasks of a live run, and returns the file that holds
// them too.
func DrawTaskFile(ctx context.Context, s *Sampling) ([]*Task, TaskSource, []byte, error) {
	d, err := world.Load(s.Domain)
	if err != nil {
		return nil, TaskSource{}, nil, err
	}
	var b bytes.Buffer
	if _, err := s.Write(ctx, &b); err != nil {
		return nil, TaskSource{}, nil, err
	}
	tasks, source, err := parseTaskFile(d, TasksFile, s.Domain, b.Bytes())
	source.Seed = &s.Seed
	return tasks, source, b.Bytes(), err
}

func parseTaskFile(d *world.Domain, path, domain string, text []byte) ([]*Task, TaskSource, error) {
	tasks, err := decodeTasks(path, domain, text)
	if err != nil {
		return nil, TaskSource{}, err
	}
	for _, t := range tasks {
		if err := t.fitsLive(d); err != nil {
			return nil, TaskSource{}, fmt.Errorf("%s: task %d (%s): %w", path, t.Index, t.Goal, err)
		}
	}
	sum := sha256.Sum256(text)
	return tasks, TaskSource{File: path, SHA256: hex.EncodeToString(sum[:]), Count: len(tasks)}, nil
}

func (t *Task) fitsLive(d *world.Domain) error {
	if d.Tool(t.Goal) == nil {
		return fmt.Errorf("%s has no tool %s, are these tasks of another domain?", d.Name, t.Goal)
	}
	if _, err := objectField(t.fields, "user_known"); err != nil {
		return err
	}
	for _, name := range []string{"user_prompt", "user_instruction"} {
		v, err := field(t.fields, name)
		if err != nil {
			return err
		}
		if _, ok := v.(starlark.String); !ok {
			return fmt.Errorf("%s: found %s, want a text", name, kind(v))
		}
	}
	v, err := field(t.fields, "constraints_original")
	if err != nil {
		return err
	}
	if _, err := world.ReadTree(v); err != nil {
		return fmt.Errorf("constraints_original: %w", err)
	}
	return nil
}

// mentions tells whether a function is in the task's graph.
func (t *Task) mentions(function string) bool {
	return slices.ContainsFunc(t.Graph.Nodes, func(n world.Node) bool { return n.Name == function })
}

// known is what the user knows.
func (t *Task) known() *starlark.Dict {
	known, err := objectField(t.fields, "user_known")
	if err != nil {
		return new(starlark.Dict)
	}
	return known
}

// knownText is the same as indented JSON.
func (t *Task) knownText() string {
	text, err := world.Encode(t.known())
	if err != nil {
		return python.Repr(t.known())
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		panic(err) // it was just encoded
	}
	return b.String()
}

// said is a text of the task.
func (t *Task) said(name string) string {
	v, _, _ := t.fields.Get(starlark.String(name))
	s, _ := starlark.AsString(v)
	return s
}

// variant is the goal's procedure with the rules and the thresholds of the task.
// A condition that the pack does not know is worded by its name.
func (t *Task) variant(d *sop.Domain) (*sop.Variant, error) {
	p := d.Procedure(t.Goal)
	if p == nil {
		p = &sop.Procedure{Goal: t.Goal}
	}
	v, err := field(t.fields, "constraints_original")
	if err != nil {
		return nil, err
	}
	tree, err := world.ReadTree(v)
	if err != nil {
		return nil, fmt.Errorf("constraints_original: %w", err)
	}
	rules := []*sop.Tree{} // nil would stand for all rules
	if tree != nil {
		rules = append(rules, formal(tree))
		d = declared(d, rules[0])
	}
	thresholds := map[string]float64{}
	for _, item := range t.Limits.Items() {
		name, _ := starlark.AsString(item[0])
		if x, ok := starlark.AsFloat(item[1]); ok && d.Thresholds[name] != nil {
			thresholds[name] = x
		}
	}
	return d.Variant(p, sop.Choice{Rules: rules, Thresholds: thresholds})
}

// declared returns d with a condition for every leaf that it does not know.
func declared(d *sop.Domain, tree *sop.Tree) *sop.Domain {
	open := *d
	open.Conditions = maps.Clone(d.Conditions)
	for _, leaf := range tree.Names() {
		n, err := sop.ParseName(leaf)
		if err == nil && open.Conditions[n.Base] == nil {
			said := strings.ReplaceAll(n.Base, "_", " ")
			open.Conditions[n.Base] = &sop.Condition{
				Parameters: slices.Sorted(maps.Keys(n.Args)), EstablishedBy: sop.L(sop.Conversation),
				Text: "“" + said + "” is the case", Negated: "“" + said + "” is not the case",
			}
		}
	}
	return &open
}

// formal is a constraint tree in the formal model.
func formal(t *world.Tree) *sop.Tree {
	if t.Op == "" {
		n := sop.Name{Base: t.Name, Args: map[string]string{}}
		for _, a := range t.Args {
			n.Args[a.Parameter] = a.Source
		}
		if t.Negated {
			return sop.T(sop.Not, sop.L(n.String()))
		}
		return sop.L(n.String())
	}
	out := sop.T(formalOps[t.Op])
	for _, p := range t.Parts {
		if p != nil {
			out.Parts = append(out.Parts, formal(p))
		}
	}
	return out
}

var formalOps = map[string]sop.Op{"and": sop.All, "or": sop.Any, "chain": sop.Seq, "gate": sop.FirstOf}
