package recheck

import (
	"slices"
	"testing"
)

func TestReadWorkflow(t *testing.T) {
	want := []string{"f", "g(user=payee)", "deny"}
	for _, test := range []struct{ format, text string }{
		{"steps", "1. `f`\n2. `g(user=payee)`\n3. End with `deny`."},
		{"steps", "Step 1: `f`\nStep 2: `g(user=payee)`\nStep 3: `deny`"},
		{"arrow", "f -> g(user=payee) -> deny"},
		{"arrow", "`f` → `g(user=payee, sum=sum)` → `deny`"},
		{"json", `[{"name":"f","arguments":{}},{"name":"g","arguments":{"user":"payee","sum":"sum"}},{"name":"deny","arguments":{}}]`},
		{"prose", "Start with `f`, then `g(user=payee)`. End with `deny`."},
	} {
		if got, err := readWorkflow(test.format, test.text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s %q: %q, %v", test.format, test.text, got, err)
		}
	}
	for _, test := range []struct{ format, text string }{
		{"steps", "1. `f`\n3. `deny`"}, {"steps", "1. `f` and `g`"}, {"steps", "1. f"}, {"steps", "f"}, {"steps", "1. `f"},
		{"arrow", "f -> -> g"}, {"arrow", "f\n-> g"}, {"arrow", "f -> g(user)"}, {"arrow", "f -> g(user=payee"},
		{"arrow", "f -> g(user=a, user=b)"}, {"json", `[{"name":"f"}]`}, {"json", `[{"name":"f","arguments":{},"id":1}]`},
		{"json", `[] []`}, {"json", `{}`}, {"prose", "Start with `f."}, {"prose", "Start with `f g`."}, {"verse", "f"},
	} {
		if got, err := readWorkflow(test.format, test.text); err == nil {
			t.Errorf("%s %q is read as %q", test.format, test.text, got)
		}
	}
}

func TestReadNext(t *testing.T) {
	for _, test := range []struct{ format, text, want string }{
		{"call", `f(a="x, y", b=1500.0)`, `f {"a":"x, y","b":1500}`},
		{"call", `f()`, `f {}`},
		{"call", `deny`, `deny {}`},
		{"json", `{"name":"f","arguments":{"b":1.5e3}}`, `f {"b":1500}`},
		{"sentence", "Call `f` with a = \"x and `y`\", c = true and b = 1500.", "f {\"a\":\"x and `y`\",\"b\":1500,\"c\":true}"},
		{"sentence", "Call `f` with b = 12.5.", `f {"b":12.5}`},
		{"sentence", "End with `deny`.", `deny {}`},
	} {
		got, err := readNext(test.format, test.text)
		if err != nil || got.key() != test.want {
			t.Errorf("%s %q: %s, %v; want %s", test.format, test.text, got.key(), err, test.want)
		}
	}
	for _, test := range []struct{ format, text string }{
		{"call", "f"}, {"call", "f(a=x)"}, {"call", `f(a="x"`}, {"call", `f(a=1, a=2)`}, {"call", `f(a=1, )`}, {"call", `f(a=1) now`},
		{"json", `{"name":"f"}`}, {"json", `{"name":"f g","arguments":{}}`}, {"sentence", "Call f."}, {"sentence", "Call `f` and `g`."},
		{"sentence", "Call `f` with a = x."}, {"song", "f"},
	} {
		if got, err := readNext(test.format, test.text); err == nil {
			t.Errorf("%s %q is read as %s", test.format, test.text, got.key())
		}
	}
}
