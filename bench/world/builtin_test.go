package world

import (
	"strings"
	"testing"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

func evalStarlark(expr string) (starlark.Value, error) {
	v, err := starlark.EvalOptions(&syntax.FileOptions{}, newThread(), "test", expr, builtins)
	if err != nil {
		return nil, python.Caught(err)
	}
	return v, nil
}

// TestBuiltins holds the built-in functions against what CPython 3.11 answers.
func TestBuiltins(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`strptime("2024-2-9", "%Y-%m-%d").strftime("%Y-%m-%d")`, "'2024-02-09'"},
		{`strptime("2024-02-09T7:5:3", "%Y-%m-%dT%H:%M:%S").strftime("%d.%m.%Y %H:%M:%S")`, "'09.02.2024 07:05:03'"},
		{`strptime("march 3, 2031", "%B %d, %Y").strftime("%B")`, "'March'"},
		{`strptime("march   3,  2031", "%B %d, %Y").day`, "3"},
		{`strptime("8:00", "%H:%M").year`, "1900"},
		{`strptime("2024-01-31", "%Y-%m-%d").plus(days = 30).strftime("%Y-%m-%d")`, "'2024-03-01'"},
		{`strptime("2023-03-01", "%Y-%m-%d").plus(days = 365).strftime("%Y-%m-%d")`, "'2024-02-29'"},
		{`strptime("2024-03-01", "%Y-%m-%d").plus(days = -1, hours = 1.5).strftime("%Y-%m-%dT%H:%M")`, "'2024-02-29T01:30'"},
		{`strptime("1600-01-01", "%Y-%m-%d").plus(days = 200000).strftime("%Y-%m-%d")`, "'2147-08-01'"},
		{`strptime("9999-12-31", "%Y-%m-%d").plus(days = 1)`, "OverflowError: date value out of range"},
		{`round(1.5, -1)`, "ValueError: round to -1 decimals"},
		{`strptime("2024-01-02", "%Y-%m-%d") - strptime("2023-12-31T12:00:00", "%Y-%m-%dT%H:%M:%S")`, "129600"},
		{`strptime("2024-01-02", "%Y-%m-%d") < strptime("2024-1-3", "%Y-%m-%d")`, "True"},
		{`strptime("2024-01-02T03:04:05", "%Y-%m-%dT%H:%M:%S").date == strptime("2024-01-02", "%Y-%m-%d")`, "True"},
		{`strptime("x", "%Y-%m-%d", otherwise = None)`, "None"},
		{`strptime("24-01-02", "%Y-%m-%d")`, "ValueError: time data '24-01-02' does not match format '%Y-%m-%d'"},
		{`strptime("2024-01-02T00:00:00", "%Y-%m-%d")`, "ValueError: unconverted data remains: T00:00:00"},
		{`strptime("2023-02-29", "%Y-%m-%d")`, "ValueError: day is out of range for month"},
		{`strptime("", "%Y-%m-%d")`, "ValueError: time data '' does not match format '%Y-%m-%d'"},
		{`strptime(None, "%Y-%m-%d", otherwise = 1)`, "TypeError: strptime() argument 1 must be str, not NoneType"},
		{`strptime("2024-02-29", "%Y-%m-%d").replace(year = 2029)`, "ValueError: day is out of range for month"},
		{`round(2.675, 2)`, "2.67"},
		{`round(0.125, 2)`, "0.12"},
		{`round(0.375, 2)`, "0.38"},
		{`round(50, 2)`, "50"},
		{`round(5.0, 2)`, "5.0"},
		{`round(1e20, 2)`, "1e+20"},
		{`str(4500.0) + str("a") + str(None)`, "'4500.0aNone'"},
		{`repr({"a": ["it's", True, 0.1]})`, `'{\'a\': ["it\'s", True, 0.1]}'`},
		{`sha512("")[:16]`, "'cf83e1357eefb8bd'"},
		{`contains({"a": 1}, "a")`, "True"},
		{`contains([1, {"b": 2}], {"b": 2.0})`, "True"},
		{`contains({"a": 1}, ["a"])`, "TypeError: unhashable type: 'list'"},
		{`error("StopIteration", "")`, "StopIteration: "},
		{`{}["x"]`, "KeyError: 'x'"},
		{`None["x"]`, "TypeError: unhandled index operation NoneType[string]"},
		{`None.get`, "AttributeError: NoneType has no .get field or method"},
		{`[][3]`, "IndexError: index 3 out of range: empty list"},
		{`1 / 0`, "ZeroDivisionError: floating-point division by zero"},
		{`"a" > 1`, "TypeError: string > int not implemented"},
	} {
		v, err := evalStarlark(c.expr)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = python.Repr(v)
		}
		if got != c.want {
			t.Errorf("%s gives %s, want %s", c.expr, got, c.want)
		}
	}
}

// TestRandom draws what Python draws.
func TestRandom(t *testing.T) {
	member := `"HTL%d%s" % (lambda r: (r.randint(1000, 9999), r.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ")))(random("NAME"))`
	title := `(lambda r: "".join(["ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[int(r.random() * 36)] for _ in range(7)]))(random("NAME"))`
	for _, c := range []struct{ expr, name, want string }{
		{member, "Tomas Lind", "HTL3772J"}, {member, "Wen Li", "HTL2579P"}, {member, "Mira Kovač", "HTL5242T"}, {member, "Ruth Okafor", "HTL7182N"},
		{title, "Tidewater Almanac", "LQA2AI4"}, {title, "Zinc & Marrow", "VPYBSJ4"}, {title, "Übersee", "KXFIKUM"}, {title, "x", "WVR1NQQ"},
	} {
		v, err := evalStarlark(strings.Replace(c.expr, "NAME", c.name, 1))
		if err != nil || v != starlark.String(c.want) {
			t.Errorf("%s: %v (%v), want %s", c.name, v, err, c.want)
		}
	}
}
