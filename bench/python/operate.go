package python

import (
	"errors"
	"math"
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxBits bounds the integers that ** and << make, and the length of a text or
// list that * makes.
const maxBits = 1 << 20

var comparisons = map[string]syntax.Token{"<": syntax.LT, "<=": syntax.LE, ">": syntax.GT, ">=": syntax.GE}

func compare(op string, x, y starlark.Value) (bool, error) {
	switch op {
	case "==":
		return Equal(x, y), nil
	case "!=":
		return !Equal(x, y), nil
	case "in", "not in":
		v, err := Contains(y, x)
		return err == nil && v == (op == "in"), err
	}
	if a, b := number(x), number(y); a != nil && b != nil {
		x, y = a, b
	}
	return starlark.Compare(comparisons[op], x, y)
}

func operate(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	if a := number(x); a != nil {
		x = a
	}
	if b := number(y); b != nil {
		y = b
	}
	switch op {
	case syntax.STAR:
		if size(x)*size(y) > maxBits {
			return nil, errors.New("MemoryError: ")
		}
	case syntax.LTLT:
		if n, err := starlark.AsInt32(y); err != nil || n > maxBits {
			return nil, errors.New("MemoryError: ")
		}
	}
	return starlark.Binary(op, x, y)
}

// size is how much x makes of what it is multiplied with.
func size(x starlark.Value) int {
	switch x := x.(type) {
	case starlark.Int:
		if n, err := starlark.AsInt32(x); err == nil && n < maxBits {
			return max(1, n)
		}
		return 1 + x.BigInt().BitLen()
	case starlark.Sequence:
		return max(1, x.Len())
	case starlark.String:
		return max(1, x.Len())
	}
	return 1
}

func power(x, y starlark.Value) (starlark.Value, error) {
	a, isInt := x.(starlark.Int)
	b, alsoInt := y.(starlark.Int)
	if isInt && alsoInt && b.Sign() >= 0 {
		n, err := starlark.AsInt32(b)
		if err != nil || n*a.BigInt().BitLen() > maxBits {
			return nil, errors.New("MemoryError: ")
		}
		return starlark.MakeBigInt(new(big.Int).Exp(a.BigInt(), big.NewInt(int64(n)), nil)), nil
	}
	f, ok := asFloat(x)
	g, also := asFloat(y)
	if !ok || !also {
		return nil, errors.New("TypeError: unsupported operand types for **")
	}
	result := math.Pow(f, g)
	if math.IsNaN(result) || math.IsInf(result, 0) {
		return nil, errors.New("OverflowError: result too large")
	}
	return starlark.Float(result), nil
}

func asFloat(x starlark.Value) (float64, bool) {
	if x == nil {
		return 0, false
	}
	return starlark.AsFloat(x)
}
