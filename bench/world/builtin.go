package world

import (
	"strconv"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
)

// builtins are what a tools.star can use beside Starlark's own functions:
//
//	contains(values, x)      x in values; for a mapping an x that can be no key is an error
//	error(kind, message)     ends the call; the agent sees "kind: message"
//	strptime(text, format)   a moment, as Python's datetime.strptime; otherwise=x for a text that does not fit
//	random(seed)             a Mersenne Twister seeded with a text, as Python's random.Random
//	round(x, digits)         to that many decimals, half to even on the exact binary value
//	sha512(text)             the digest in hexadecimal
//	str(x), repr(x)          as Python prints x
var builtins = starlark.StringDict{
	"contains": starlark.NewBuiltin("contains", contains),
	"error":    starlark.NewBuiltin("error", throw),
	"strptime": starlark.NewBuiltin("strptime", strptime),
	"random":   starlark.NewBuiltin("random", seeded),
	"round":    starlark.NewBuiltin("round", round),
	"sha512":   starlark.NewBuiltin("sha512", sha512Hex),
	"str":      printer("str", python.Str),
	"repr":     printer("repr", python.Repr),
}

func contains(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var values, x starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "values", &values, "x", &x); err != nil {
		return nil, err
	}
	found, err := python.Contains(values, x)
	return starlark.Bool(found), err
}

func throw(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var kind, message string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "kind", &kind, "message", &message); err != nil {
		return nil, err
	}
	return nil, &python.Exception{Kind: kind, Message: message}
}

func seeded(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var seed string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "seed", &seed); err != nil {
		return nil, err
	}
	return newTwister(seed), nil
}

func round(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	var digits int
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "digits", &digits); err != nil {
		return nil, err
	}
	if digits < 0 {
		return nil, valueError("round to %d decimals", digits)
	}
	switch x := x.(type) {
	case starlark.Int:
		return x, nil
	case starlark.Float:
		f, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'f', digits, 64), 64)
		return starlark.Float(f), err
	}
	return nil, &python.Exception{Kind: "TypeError", Message: "type " + typeName(x) + " doesn't define __round__ method"}
}

func printer(name string, print func(starlark.Value) string) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x starlark.Value
		if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x); err != nil {
			return nil, err
		}
		return starlark.String(print(x)), nil
	})
}
