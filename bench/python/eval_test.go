package python

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"go.starlark.net/starlark"
)

// beyond are texts that Python evaluates and [Eval] leaves alone: no answer of
// a tool looks like them.
var beyond = map[string]bool{
	"b'x'": true, "f'x'": true, `'\N{BULLET}'`: true, "[x for x in [1]]": true, "1 .real": true, "'a'.upper()": true, "[1][0]": true, "{**{}}": true,
}

// TestEval holds the evaluation of many texts against what CPython 3.11 makes
// of them: testdata/eval.jsonl holds a pair [text, repr] a line, null where
// Python throws.
func TestEval(t *testing.T) {
	f, err := os.Open("testdata/eval.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var pair [2]*string
		if err := json.Unmarshal(lines.Bytes(), &pair); err != nil {
			t.Fatal(err)
		}
		text, want := *pair[0], pair[1]
		v, err := Eval(text)
		switch {
		case beyond[text]:
			if err == nil {
				t.Errorf("Eval(%q) = %s, want it left alone", text, Repr(v))
			}
		case err != nil && want != nil:
			t.Errorf("Eval(%q): %v, want %s", text, err, *want)
		case err == nil && want == nil:
			t.Errorf("Eval(%q) = %s, want an error", text, Repr(v))
		case err == nil && Repr(v) != *want:
			t.Errorf("Eval(%q) = %s, want %s", text, Repr(v), *want)
		}
	}
	if n < 1400 {
		t.Errorf("only %d texts", n)
	}
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"True", "1", true}, {"1", "1.0", true}, {"0", "False", true}, {"True", "'True'", false},
		{"[1, True]", "[1.0, 1]", true}, {"[1]", "(1,)", false}, {"(1, 2)", "(1, 2)", true},
		{"{'a': 1, 'b': 2}", "{'b': 2.0, 'a': True}", true}, {"{'a': 1}", "{'b': 1}", false},
		{"None", "None", true}, {"None", "False", false}, {"'a'", "'A'", false}, {"[]", "{}", false},
	} {
		x, err := Eval(c.x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := Eval(c.y)
		if err != nil {
			t.Fatal(err)
		}
		if Equal(x, y) != c.want || Equal(y, x) != c.want {
			t.Errorf("Equal(%s, %s) is %v", c.x, c.y, !c.want)
		}
		if !Equal(Copy(x), x) || !Equal(Lists(x), Lists(Copy(x))) {
			t.Errorf("a copy of %s differs", c.x)
		}
	}
}

func FuzzEval(f *testing.F) {
	for _, text := range []string{"(True, {'a': [1, 2.5, None]})", "2024-10-9", `{"a": "\ud83d"}`, "1 if 2 else 3", "not -~1", "((((1))))", "9**9", "'a'*3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Eval(text)
		if err != nil {
			return
		}
		if _, isSet := v.(*starlark.Set); isSet || v == nil {
			return
		}
		_ = Repr(v)
	})
}
