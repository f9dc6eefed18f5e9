package world

import (
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/sop"
	"go.starlark.net/starlark"
)

// Refusal is a leaf of a guard by which a call is not let through.
type Refusal struct {
	Name    string
	Negated bool
	Args    *starlark.Dict // what it was asked for
	Err     error          // why it cannot be told; nil where it is false
}

// String is the leaf with its arguments: not on_hold(username='ann').
func (r *Refusal) String() string {
	text := r.Name + Arguments(r.Args)
	if r.Negated {
		text = "not " + text
	}
	return text
}

// Arguments writes the arguments of a call: (username='ann', amount=20).
func Arguments(args *starlark.Dict) string {
	list := make([]string, 0, args.Len())
	for _, item := range args.Items() {
		list = append(list, python.Str(item[0])+"="+python.Repr(item[1]))
	}
	return "(" + strings.Join(list, ", ") + ")"
}

// Refusals tells by which leaves the guard of a tool does not let a call
// through as things stand: the one that decides, or every alternative that
// fails. There are none where it permits the call, or where there is no such
// tool. Nothing changes.
func (w *World) Refusals(name string, args *starlark.Dict) (list []*Refusal) {
	_, _ = w.begin(name, args, func(t *Tool, given binding) (starlark.Value, error) {
		if !t.absent {
			list, _ = w.strict.refusals(w.guard(t), given)
		}
		return starlark.None, nil
	})
	return list
}

// refusals also tells whether the tree lets a call through: an "or" without
// parts does not, and has no leaves.
func (l *layer) refusals(t *Tree, args binding) (list []*Refusal, permitted bool) {
	if t == nil {
		return nil, true
	}
	switch t.Op {
	case "":
		return l.refusal(t, args)
	case "and", "chain":
		for _, p := range t.Parts {
			if list, permitted := l.refusals(p, args); !permitted {
				return list, false
			}
		}
		return nil, true
	default:
		for _, p := range t.Parts {
			part, permitted := l.refusals(p, args)
			if permitted {
				return nil, true
			}
			list = append(list, part...)
			if n := len(part); n > 0 && part[n-1].Err != nil {
				break // what is thrown ends the evaluation
			}
		}
		return list, false
	}
}

func (l *layer) refusal(t *Tree, args binding) ([]*Refusal, bool) {
	r := &Refusal{Name: t.Name, Negated: t.Negated, Args: new(starlark.Dict)}
	given, err := t.given(args)
	holds := false
	if err == nil {
		for _, a := range t.Args {
			if v, ok := given[a.Parameter]; ok {
				_ = r.Args.SetKey(starlark.String(a.Parameter), v) // a new dict takes any text as a key
			}
		}
		holds, err = l.decide(t, given)
	}
	if r.Err = err; err != nil || !holds {
		return []*Refusal{r}, false
	}
	return nil, true
}

// operatorWords name the operators of a tree for a person.
var operatorWords = map[string]string{"and": "all of", "or": "any of", "chain": "all of, in this order", "gate": "any of, in this order"}

// Lines writes the tree for a person, a leaf or an operator a line, parts
// under their operator. A leaf is written as in the formal model:
// check_user_exists(username=payee).
func (t *Tree) Lines() []string {
	if t == nil {
		return nil
	}
	if t.Op == "" {
		n := sop.Name{Base: t.Name, Args: map[string]string{}}
		for _, a := range t.Args {
			n.Args[a.Parameter] = a.Source
		}
		if t.Negated {
			return []string{fmt.Sprintf("not %s", n)}
		}
		return []string{n.String()}
	}
	lines := []string{operatorWords[t.Op]}
	for _, p := range t.Parts {
		for _, line := range p.Lines() {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}
