package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// records is a pack's records.star: how a SOPBench database says the facts
// and the values of the domain.
type records struct {
	file    string
	globals starlark.StringDict
}

// recordSteps bounds one evaluation; the built-in functions take some
// hundreds of steps.
const recordSteps = 2_000_000

func recordThread() *starlark.Thread {
	t := &starlark.Thread{Name: "records", Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(recordSteps)
	return t
}

func readRecords(file string, text []byte) (*records, Problems) {
	if line := invalidUTF8(text); line > 0 {
		return nil, Problems{{file, line, "the text is not UTF-8, want UTF-8"}}
	}
	globals, err := starlark.ExecFileOptions(&syntax.FileOptions{}, recordThread(), file, text, nil)
	if err != nil {
		return nil, starlarkProblems(file, err)
	}
	globals.Freeze()
	return &records{file, globals}, nil
}

func starlarkProblems(file string, err error) (problems Problems) {
	add := func(line int32, message string) {
		problems = append(problems, Problem{file, int(line), "not Starlark: " + oneLine(message)})
	}
	var parse syntax.Error
	var names resolve.ErrorList
	var eval *starlark.EvalError
	switch {
	case errors.As(err, &parse):
		add(parse.Pos.Line, parse.Msg)
	case errors.As(err, &names):
		for _, e := range names {
			add(e.Pos.Line, e.Msg)
		}
	case errors.As(err, &eval) && len(eval.CallStack) > 0:
		add(eval.CallStack.At(0).Pos.Line, eval.Msg)
	default:
		add(1, err.Error())
	}
	return problems
}

// function returns the function of that name, or nil.
func (r *records) function(name string) *starlark.Function {
	if r == nil {
		return nil
	}
	f, _ := r.globals[name].(*starlark.Function)
	return f
}

// call evaluates a function on a database; its other arguments are asked for
// by parameter name.
func (r *records) call(name string, db starlark.Value, argument func(parameter string) starlark.Value) (starlark.Value, error) {
	f := r.function(name)
	if f == nil {
		return nil, fmt.Errorf("%s has no function %q", r.file, name)
	}
	args := starlark.Tuple{db}
	for i := 1; i < f.NumParams(); i++ {
		parameter, _ := f.Param(i)
		args = append(args, argument(parameter))
	}
	return starlark.Call(recordThread(), f, args, nil)
}

// starlarkOf converts decoded JSON, with numbers as json.Number, to a frozen
// value.
func starlarkOf(v any) starlark.Value {
	x := starlarkValue(v)
	x.Freeze()
	return x
}

func starlarkValue(v any) starlark.Value {
	switch v := v.(type) {
	case bool:
		return starlark.Bool(v)
	case string:
		return starlark.String(v)
	case float64:
		return starlark.Float(v)
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return starlark.MakeInt64(i)
		}
		f, _ := v.Float64()
		return starlark.Float(f)
	case []any:
		list := make([]starlark.Value, len(v))
		for i, x := range v {
			list[i] = starlarkValue(x)
		}
		return starlark.NewList(list)
	case map[string]any:
		dict := starlark.NewDict(len(v))
		for _, k := range sortedKeys(v) {
			_ = dict.SetKey(starlark.String(k), starlarkValue(v[k])) // strings hash, and the dict is not frozen yet
		}
		return dict
	}
	return starlark.None
}
