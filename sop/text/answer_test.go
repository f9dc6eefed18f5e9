package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fmsop/fmsop/sop"
	"pgregory.net/rapid"
)

var someItems = []string{"login_user", "get_balance", "exists(username=payee)", "match(a=x, b=y)", "transfer", "deny", "not_here", "or"}

func TestWorkflowReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := sop.Workflow(rapid.SliceOfN(rapid.SampledFrom(someItems), 0, 9).Draw(t, "workflow"))
		format := rapid.SampledFrom(WorkflowFormats).Draw(t, "format")
		text := RenderWorkflow(format, w, drawRng(t))
		got, err := ReadWorkflow(format, text)
		if err != nil || !slices.Equal(got, w) {
			t.Fatalf("%s: %q, %v, want %q\n%s", format, got, err, w, text)
		}
	})
}

func TestReadWorkflow(t *testing.T) {
	for _, c := range []struct{ name, format, text, want string }{
		{"fence", "steps", "```\n1. login_user\n2. deny\n```", "login_user deny"},
		{"chatter before", "steps", "Sure! Here is the `plan`:\n\n1. `login_user`\n2. `deny`", "login_user deny"},
		{"chatter after", "steps", "1. `login_user`\n2. `deny`\n\nThis settles the request.", "login_user deny"},
		{"bold and remarks", "steps", "**1. `login_user`** – sign the customer in\n**2. Deny with `deny`.**", "login_user deny"},
		{"step headings", "steps", "### Step 1: `a_b`\nsome words\n### Step 2: `deny`", "a_b deny"},
		{"bare with remark", "steps", "1. login_user: sign in\n2. Call get_it.\n3. End with deny.", "login_user get_it deny"},
		{"bullets", "steps", "- `login_user`\n- `deny`", "login_user deny"},
		{"plain lines", "steps", "login_user\ndeny", "login_user deny"},
		{"one", "steps", "`deny`", "deny"},
		{"identity argument", "steps", "1. `f( b=x, a=a )`", "f(b=x)"},
		{"unknown kept", "steps", "1. `dance`", "dance"},
		{"unicode arrow", "arrow", "login_user → `f(username=payee)` → **deny**.", "login_user f(username=payee) deny"},
		{"label", "arrow", "Here you go.\nWorkflow: a -> b -> deny\nGood luck", "a b deny"},
		{"wrapped", "arrow", "a ->\nb -> c\n-> deny", "a b c deny"},
		{"fat arrow", "arrow", "a => b --> deny", "a b deny"},
		{"one item", "arrow", "```text\ndeny\n```", "deny"},
		{"json", "json", "Here:\n```json\n[{\"name\":\"f\",\"arguments\":{\"username\":\"payee\"}},{\"name\":\"deny\",\"arguments\":{}}]\n```", "f(username=payee) deny"},
		{"no arguments", "json", `[{"name":"a"},{"name":"deny","arguments":null}]`, "a deny"},
		{"server's shape", "json", `[{"type":"function","function":{"name":"f","arguments":"{\"x\":\"y\"}"}}]`, "f(x=y)"},
		{"wrapped array", "json", `{"workflow":[{"name":"a"},"deny"]}`, "a deny"},
		{"same twice", "json", `["a","deny"] that is ["a","deny"]`, "a deny"},
		{"brackets around", "json", `see [1]: ["deny"]`, "deny"},
		{"prose", "prose", "First, call `a`. After that **`b`** and then, to finish, `deny`.", "a b deny"},
	} {
		w, err := ReadWorkflow(c.format, c.text)
		if got := strings.Join(w, " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestReadWorkflowNeverGuesses(t *testing.T) {
	for _, c := range []struct{ name, format, text, err string }{
		{"empty", "steps", "", "has no step"},
		{"words", "steps", "I would rather not say.", "is no call"},
		{"two calls", "steps", "1. `a` or `b`", "both"},
		{"ruled out", "steps", "1. do not call `a`", "rule its call out"},
		{"two plans", "steps", "1. `a`\n2. `deny`\nAlternatively:\n1. `b`\n2. `deny`", "another number"},
		{"step without number", "steps", "1. `a`\n`b`\n2. `deny`", "stands among the steps"},
		{"unclosed step", "steps", "1. sign the customer in", "is no call"},
		{"two chains", "arrow", "a -> deny\nb -> deny", "second chain"},
		{"open chain", "arrow", "a -> b ->", "ends in an arrow"},
		{"words in chain", "arrow", "log in -> deny", `the chain has "log in"`},
		{"no chain", "arrow", "I refuse.", "the chain has"},
		{"two arrays", "json", `["a"] or ["b"]`, "2 different arrays"},
		{"values", "json", `[{"name":"a","arguments":{"username":"ann lee"}}]`, "no parameter"},
		{"no array", "json", "a -> deny", "no JSON array"},
		{"cut short", "json", `[{"name":"a"},{"name":`, "no JSON array"},
		{"either", "prose", "Call `a` or `b`.", "leaves open"},
		{"before", "prose", "Before `b`, call `a`.", "leaves open"},
		{"negation", "prose", "Call `a`, but do not call `b`.", "leaves open"},
		{"no backticks", "prose", "Call a, then deny.", "no calls in backticks"},
		{"other backticks", "prose", "Call `a` with `x = 1`.", "in backticks"},
		{"unknown format", "tree", "a", "want one of steps, arrow, json, prose"},
	} {
		w, err := ReadWorkflow(c.format, c.text)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, %v, want one line with %q", c.name, w, err, c.err)
		}
	}
}

var nextCalls = map[string]map[string]string{
	"sign_in":                {"username": "username", "code": "code"},
	"exists":                 {"username": "username"},
	"exists(username=payee)": {"username": "payee"},
	"pay":                    {"amount": "amount", "payee": "payee"},
	"now":                    {},
}

var nextBindings = map[string]any{"username": "ann", "payee": "cid `x`, y=\"z\"", "amount": 200, "code": map[string]any{"id": "D1", "state": "CA"}}

func TestNextReadsBack(t *testing.T) {
	items := append(scnKeys(nextCalls), "deny", "escalate")
	rapid.Check(t, func(t *rapid.T) {
		bindings := map[string]any{"username": "ann"}
		for p, x := range nextBindings {
			if rapid.IntRange(0, 9).Draw(t, p) > 0 {
				bindings[p] = x
			}
		}
		if rapid.Bool().Draw(t, "hostile") {
			bindings["payee"] = rapid.OneOf(rapid.SampledFrom(hostile), rapid.Map(rapid.String(), func(s string) any { return s + "!" })).Draw(t, "payee")
		}
		if bindings["payee"] == "ann" {
			return
		}
		item := rapid.SampledFrom(items).Draw(t, "item")
		format := rapid.SampledFrom(NextFormats).Draw(t, "format")
		text := RenderNext(format, item, nextCalls, bindings, drawRng(t))
		got, err := ReadNext(format, text, nextCalls, bindings)
		if err != nil || got != item {
			t.Fatalf("%s: %q, %v, want %q\n%s", format, got, err, item, text)
		}
	})
}

func TestReadNext(t *testing.T) {
	bindings := map[string]any{"username": "ann", "payee": "cid", "amount": 200, "code": "K-1"}
	for _, c := range []struct{ name, format, text, want string }{
		{"plain", "call", `sign_in(username="ann", code="K-1")`, "sign_in"},
		{"other order, python", "call", "```python\nsign_in(code='K-1', username='ann')\n```", "sign_in"},
		{"chatter", "call", "The next action is:\n\n`exists(username=\"cid\")`.", "exists(username=payee)"},
		{"label", "call", `Next action: pay(payee: "cid", amount: 200.00)`, "pay"},
		{"in a sentence", "call", "I would call `now()` at this point.", "now"},
		{"deny", "call", "**deny**", "deny"},
		{"deny as a call", "call", "deny()", "deny"},
		{"wrong value", "call", `sign_in(username="bob", code="K-1")`, "sign_in(?)"},
		{"missing argument", "call", `pay(amount=200)`, "pay(?)"},
		{"extra argument", "call", `now(username="ann")`, "now(?)"},
		{"string for a number", "call", `pay(payee="cid", amount="200")`, "pay(?)"},
		{"unknown", "call", `dance()`, "dance"},
		{"deny with a reason", "call", `deny(reason="no")`, "deny(?)"},
		{"json", "json", "Answer:\n```json\n{\"name\": \"pay\", \"arguments\": {\"payee\": \"cid\", \"amount\": 2e2}}\n```", "pay"},
		{"json without arguments", "json", `{"name":"deny"}`, "deny"},
		{"json in a list", "json", `[{"name":"now","arguments":{}}]`, "now"},
		{"json of a server", "json", `{"function":{"name":"exists","arguments":"{\"username\":\"ann\"}"}}`, "exists"},
		{"sentence", "sentence", "Call `pay` with payee = \"cid\" and amount = 200.", "pay"},
		{"sentence, ticks", "sentence", "Next, call `sign_in` with `username` = `\"ann\"`, and `code` = \"K-1\".", "sign_in"},
		{"sentence, call syntax", "sentence", "Call `exists(username=\"ann\")`.", "exists"},
		{"sentence, no arguments", "sentence", "Call `now`.", "now"},
		{"sentence, end", "sentence", "End with `deny`.", "deny"},
		{"sentence, more words", "sentence", "Call `exists` with username = \"ann\" and see what comes back.", "exists"},
	} {
		got, err := ReadNext(c.format, c.text, nextCalls, bindings)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	for _, c := range []struct{ name, format, text, err string }{
		{"two", "call", "`now()` and `deny`", "names both now and deny"},
		{"none", "call", "I cannot help with that.", "has no call"},
		{"negated", "call", "Do not call `now()`.", "rule the call out"},
		{"bare string", "call", "exists(username=ann)", "has no call"},
		{"two objects", "json", `{"name":"now"} {"name":"deny"}`, "names both"},
		{"no object", "json", "deny", "has no call"},
		{"no ticks", "sentence", "Call now.", "no call in backticks"},
		{"two in a sentence", "sentence", "Call `now`, then `deny`.", "more in backticks"},
		{"negated sentence", "sentence", "Never call `now`.", "rule the call out"},
		{"value without quotes", "sentence", "Call `exists` with username = ann.", "is not JSON"},
		{"twice", "sentence", "Call `exists` with username = \"a\", username = \"b\".", "username twice"},
		{"format", "xml", "deny", "want one of call, json, sentence"},
	} {
		got, err := ReadNext(c.format, c.text, nextCalls, bindings)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, %v, want one line with %q", c.name, got, err, c.err)
		}
	}
	bindings["payee"] = "ann"
	if got, err := ReadNext("call", `exists(username="ann")`, nextCalls, bindings); err == nil {
		t.Errorf("two instances bound alike: %q, want an error", got)
	}
}

// A reward reads whatever a model emits: long nonsense must not take long.
func TestReadersAreFastOnNonsense(t *testing.T) {
	v := bankVariant(t)
	for _, piece := range []string{"[", "{", "`", "a", "a=", "a -> ", "1. ", "- ", "(", "not ", "all of (", "f(x=", "\"", "\\", "[{\"name\":", "`f(a=1, ", "'", "**", ": ", "\n - a"} {
		text := strings.Repeat(piece, 200_000/len(piece))
		start := time.Now()
		for _, format := range WorkflowFormats {
			_, _ = ReadWorkflow(format, text)
		}
		for _, format := range NextFormats {
			_, _ = ReadNext(format, text, nextCalls, nextBindings)
		}
		for _, format := range GraphFormats {
			_, _, _, _ = ReadGraph(format, text)
			_, _, _, _ = ReadGraph(format, graphCallsHeading+":\n- `a`: "+text)
		}
		_, _ = ReadScenario("Findings:\n- "+text, v)
		_, _ = ReadHistory(text, v)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q repeated: the readers took %v", piece, took)
		}
	}
}

func FuzzReadAnswers(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, format := range WorkflowFormats {
		f.Add(RenderWorkflow(format, sop.Workflow(someItems), rng))
	}
	for _, format := range NextFormats {
		f.Add(RenderNext(format, "pay", nextCalls, nextBindings, rng))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range WorkflowFormats {
			w, err := ReadWorkflow(format, text)
			if err != nil {
				continue
			}
			if again, err := ReadWorkflow(format, RenderWorkflow(format, w, rng)); err != nil || !slices.Equal(again, w) {
				t.Fatalf("%s: read %q, then %q, %v", format, w, again, err)
			}
		}
		for _, format := range NextFormats {
			_, _ = ReadNext(format, text, nextCalls, nextBindings)
		}
	})
}
