package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// task is a record of a SOPBench task file, as far as it is used.
type task struct {
	where      string // pay_bill[3]
	goal       string
	database   map[string]any
	parameters map[string]float64 // constraint_parameters that are numbers
	known      map[string]any     // user_known
	tree       *sop.Tree          // constraints; nil where there is none
	succeeds   bool
	functions  []function // of directed_action_graph
	source     string     // TaskHash
}

// function is a node of a task's action graph.
type function struct {
	name       string
	parameters []string
}

// decodeTasks reads {goal: [task, …]}, goals in alphabetical order.
func decodeTasks(file string, text []byte) ([]*task, Problems) {
	if line := invalidUTF8(text); line > 0 {
		return nil, Problems{{file, line, "the text is not UTF-8, want UTF-8"}}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, Problems{{file, 1, "the file is empty, want an object {goal: [task, …]}"}}
	}
	top, problem := decodeJSON(file, text)
	if problem != nil {
		return nil, Problems{*problem}
	}
	r := &taskReader{file: file}
	return r.tasks(top), r.problems
}

func decodeJSON(file string, text []byte) (any, *Problem) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var top any
	err := dec.Decode(&top)
	at := dec.InputOffset()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &Problem{file, lineAt(text, len(text)), "the file ends in the middle of a value, it is cut short"}
	case errors.As(err, &syntax):
		return nil, &Problem{file, lineAt(text, int(syntax.Offset)), "not JSON: " + oneLine(syntax.Error())}
	case err != nil:
		return nil, &Problem{file, lineAt(text, int(at)), "not JSON: " + oneLine(err.Error())}
	}
	if rest := bytes.TrimSpace(text[at:]); len(rest) > 0 {
		return nil, &Problem{file, lineAt(text, len(text)-len(rest)), "there is more after the end of the object, want one object"}
	}
	return top, nil
}

func lineAt(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(max(offset, 0), len(text))], []byte("\n"))
}

type taskReader struct {
	file     string
	problems Problems
}

func (r *taskReader) problem(where, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if where != "" {
		text = where + ": " + text
	}
	r.problems = append(r.problems, Problem{File: r.file, Text: text})
}

func (r *taskReader) tasks(top any) []*task {
	goals, ok := top.(map[string]any)
	if !ok {
		r.problem("", "found %s, want an object {goal: [task, …]}", kindOf(top))
		return nil
	}
	if len(goals) == 0 {
		r.problem("", "there are no goals, want an object {goal: [task, …]}")
	}
	var tasks []*task
	for _, goal := range sortedKeys(goals) {
		list, ok := goals[goal].([]any)
		switch {
		case !sop.IsIdentifier(goal):
			r.problem("", "the goal %s is not a name, want letters, digits and _", quote(goal))
			continue
		case !ok:
			r.problem(goal, "found %s, want a list of tasks", kindOf(goals[goal]))
			continue
		}
		for i, x := range list {
			if t := r.task(fmt.Sprintf("%s[%d]", goal, i), goal, x); t != nil {
				tasks = append(tasks, t)
			}
		}
	}
	if len(tasks) == 0 && len(r.problems) == 0 {
		r.problem("", "there are no tasks, want an object {goal: [task, …]}")
	}
	return tasks
}

func (r *taskReader) task(where, goal string, x any) *task {
	fields, ok := x.(map[string]any)
	if !ok {
		r.problem(where, "found %s, want an object", kindOf(x))
		return nil
	}
	before := len(r.problems)
	t := &task{where: where, goal: goal, parameters: map[string]float64{}}
	t.database = r.object(where, fields, "initial_database")
	t.known = r.object(where, fields, "user_known")
	if _, has := fields["constraint_parameters"]; has {
		for name, x := range r.object(where, fields, "constraint_parameters") {
			if f, ok := number(x); ok {
				t.parameters[name] = f
			}
		}
	}
	if t.succeeds, ok = fields["action_should_succeed"].(bool); !ok {
		r.wrong(where, fields, "action_should_succeed", "true or false")
	}
	if g, has := fields["user_goal"]; has && g != goal {
		r.problem(where+".user_goal", "found %s, want %q as the key of the list says", kindOf(g), goal)
	}
	constraints, has := fields["constraints"]
	if !has {
		r.wrong(where, fields, "constraints", "a constraint tree or null")
	}
	t.tree = r.tree(where+".constraints", constraints, 0)
	if g, has := fields["directed_action_graph"]; has {
		t.functions = r.functions(where+".directed_action_graph", g)
	}
	t.source = TaskHash(fields)
	if len(r.problems) > before {
		return nil
	}
	return t
}

func (r *taskReader) wrong(where string, fields map[string]any, key, want string) {
	x, has := fields[key]
	if !has {
		r.problem(where+"."+key, "the field is missing, want %s", want)
		return
	}
	r.problem(where+"."+key, "found %s, want %s", kindOf(x), want)
}

func (r *taskReader) object(where string, fields map[string]any, key string) map[string]any {
	m, ok := fields[key].(map[string]any)
	if !ok {
		r.wrong(where, fields, key, "an object")
	}
	return m
}

// operators are the words of SOPBench for ours.
var operators = map[string]sop.Op{"and": sop.All, "or": sop.Any, "chain": sop.Seq, "gate": sop.FirstOf}

const maxConstraintDepth = 64

// tree reads null, ["single", name, mapping] or [operator, [tree, …]].
func (r *taskReader) tree(where string, x any, depth int) *sop.Tree {
	if x == nil {
		return nil
	}
	list, _ := x.([]any)
	var op string
	if len(list) > 0 {
		op, _ = list[0].(string)
	}
	switch {
	case depth > maxConstraintDepth:
		r.problem(where, "the tree is nested deeper than %d", maxConstraintDepth)
	case op == "":
		r.problem(where, "found %s, want [\"single\", name, {parameter: source}] or [\"and\", [tree, …]]", kindOf(x))
	case op == "single":
		return r.leaf(where, list)
	case operators[op] == "":
		r.problem(where, "unknown operator %q%s", shorten(op), want(op, []string{"and", "chain", "gate", "or", "single"}))
	case len(list) != 2:
		r.problem(where, "%q has %d parts, want one list of trees", op, len(list)-1)
	default:
		parts, ok := list[1].([]any)
		if !ok {
			r.problem(where+"[1]", "found %s, want a list of trees", kindOf(list[1]))
			return nil
		}
		t := sop.T(operators[op])
		for i, p := range parts {
			if part := r.tree(fmt.Sprintf("%s[1][%d]", where, i), p, depth+1); part != nil {
				t.Parts = append(t.Parts, part)
			}
		}
		return t
	}
	return nil
}

func (r *taskReader) leaf(where string, list []any) *sop.Tree {
	name, ok := "", len(list) == 3
	if ok {
		name, ok = list[1].(string)
	}
	if !ok {
		r.problem(where, "found %d parts, want [\"single\", name, {parameter: source}]", len(list))
		return nil
	}
	n := sop.Name{Base: strings.TrimPrefix(name, "not "), Args: map[string]string{}}
	if !sop.IsIdentifier(n.Base) {
		r.problem(where+"[1]", "%s is not a name, want letters, digits and _", quote(name))
		return nil
	}
	mapping, ok := list[2].(map[string]any)
	if !ok && list[2] != nil {
		r.problem(where+"[2]", "found %s, want {parameter: source} or null", kindOf(list[2]))
		return nil
	}
	for _, parameter := range sortedKeys(mapping) {
		source, ok := mapping[parameter].(string)
		if !ok || !sop.IsIdentifier(source) || !sop.IsIdentifier(parameter) {
			r.problem(where+"[2]", "%s is filled from %s, want a parameter's name", quote(parameter), kindOf(mapping[parameter]))
			return nil
		}
		n.Args[parameter] = source
	}
	leaf := sop.L(n.String())
	if n.Base != name {
		return sop.T(sop.Not, leaf)
	}
	return leaf
}

// functions reads the nodes of a graph: "and", "or" or [name, {parameter:
// variable}].
func (r *taskReader) functions(where string, x any) []function {
	graph, _ := x.(map[string]any)
	nodes, ok := graph["nodes"].([]any)
	if !ok {
		r.problem(where+".nodes", "want a list of nodes")
		return nil
	}
	var list []function
	for i, node := range nodes {
		if _, isOperator := node.(string); isOperator {
			continue
		}
		pair, _ := node.([]any)
		var name string
		var mapping map[string]any
		if len(pair) == 2 {
			name, _ = pair[0].(string)
			mapping, _ = pair[1].(map[string]any)
		}
		if !sop.IsIdentifier(name) {
			r.problem(fmt.Sprintf("%s.nodes[%d]", where, i), "found %s, want \"and\", \"or\" or [name, {parameter: variable}]", kindOf(node))
			continue
		}
		parameters := slices.DeleteFunc(sortedKeys(mapping), func(p string) bool { return !sop.IsIdentifier(p) })
		list = append(list, function{name, parameters})
	}
	return list
}

func number(x any) (float64, bool) {
	n, ok := x.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func kindOf(x any) string {
	switch x := x.(type) {
	case nil:
		return "null"
	case string:
		return "the text " + quote(x)
	case json.Number:
		return "the number " + x.String()
	case bool:
		return fmt.Sprint(x)
	case []any:
		return "a list"
	}
	return "an object"
}
