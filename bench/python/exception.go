package python

import (
	"errors"
	"regexp"

	"go.starlark.net/starlark"
)

// Exception is what a tool throws.
type Exception struct {
	Kind    string // KeyError, TypeError, …
	Message string
	At      string // file:line:column where the tool's own text is at fault; may be empty
}

// Error is the text that an agent gets to see.
func (e *Exception) Error() string { return e.Kind + ": " + e.Message }

// phrases tell the kind of exception of an error that the Starlark interpreter
// finds; the first that fits counts.
var phrases = []struct {
	kind string
	*regexp.Regexp
}{
	{"KeyError", regexp.MustCompile(`^key (.*) not in dict$`)},
	{"KeyError", regexp.MustCompile(`^(?:pop|popitem): (.*)$`)},
	{"IndexError", regexp.MustCompile(`index .* out of range|^pop: index`)},
	{"ZeroDivisionError", regexp.MustCompile(`division by zero|modulo by zero`)},
	{"AttributeError", regexp.MustCompile(`has no \.`)},
	{"UnboundLocalError", regexp.MustCompile(`referenced before assignment`)},
	{"ValueError", regexp.MustCompile(`^remove: |^index: |invalid literal|not found in (?:list|string)|^too (?:many|few) values to unpack`)},
}

// Caught turns what stopped a Starlark function into the exception that
// Python would have thrown: one that a built-in function threw stays as it is.
func Caught(err error) *Exception {
	var thrown *Exception
	if errors.As(err, &thrown) {
		return thrown
	}
	e := &Exception{Kind: "TypeError", Message: err.Error()}
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		e.Message = eval.Msg
		for i := range eval.CallStack {
			if pos := eval.CallStack.At(i).Pos; pos.Line > 0 {
				e.At = pos.String()
				break
			}
		}
	}
	for _, p := range phrases {
		if m := p.FindStringSubmatch(e.Message); m != nil {
			e.Kind = p.kind
			if len(m) > 1 {
				e.Message = requote(m[1])
			}
			break
		}
	}
	return e
}

// requote prints a key as Python does: Starlark quotes texts with double
// quotes.
func requote(key string) string {
	if x, err := Eval(key); err == nil {
		return Repr(x)
	}
	return key
}
