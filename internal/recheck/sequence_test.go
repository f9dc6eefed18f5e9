package recheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func workflowRow(positive []string, negatives ...object) object {
	row := format(deskRow(2, "workflow"), "arrow", "Give one. Format: a single chain name -> name -> …")
	row["context"] = deskText + deskRequest + deskRecords
	row["positive"] = object{"text": strings.Join(positive, " -> "), "payload": text(object{"workflow": positive})}
	row["negatives"] = negatives
	return row
}

func wrong(operator, violation string, position int, call string, calls ...string) object {
	p := object{"violation": violation, "position": position, "edits": []string{}}
	if call != "" {
		p["call"] = call
	}
	if violation == "repeated" || violation == "idle" {
		p["waste"] = true
	}
	return object{
		"text": strings.Join(calls, " -> "), "payload": text(object{"workflow": calls}),
		"operator": operator, "violation": violation, "proof": p, "similarity": 0.5,
	}
}

var right = []string{"check", "login", "read", "pay"}

func wrongEnd() object { return wrong("outcome", "wrong_end", 2, "deny", "check", "login", "deny") }

func TestEachViolationRightAndWrong(t *testing.T) {
	for _, n := range []object{
		wrong("order", "unmet", 0, "read", "read", "check", "login", "pay"),
		wrong("order", "order", 3, "pay", "login", "read", "check", "pay"),
		wrong("outcome", "wrong_end", 2, "deny", "check", "login", "deny"),
		wrong("outcome", "wrong_end", 0, "pay", "pay"),
		wrong("omit", "no_end", 3, "", "check", "login", "read"),
		wrong("order", "after_end", 4, "deny", "check", "login", "read", "pay", "deny"),
		wrong("insert", "outside", 1, "refund", "check", "refund", "login", "read", "pay"),
		wrong("insert", "repeated", 2, "check", "check", "login", "check", "read", "pay"),
		wrong("insert", "idle", 3, "statement", "check", "login", "read", "statement", "pay"),
		wrong("omit", "repeated", 1, "check", "check", "check", "login", "deny"),
	} {
		if kinds, found := check(t, workflowRow(right, n)); len(kinds) != 0 {
			t.Errorf("%s: %v", n["text"], found)
		}
		moved := maps.Clone(n)
		moved["proof"] = maps.Clone(n["proof"].(object))
		moved["proof"].(object)["position"] = n["proof"].(object)["position"].(int) + 1
		renamed := maps.Clone(n)
		renamed["violation"] = "unmet"
		if n["violation"] == "unmet" {
			renamed["violation"] = "order"
		}
		for _, bad := range []object{moved, renamed} {
			if kinds, found := check(t, workflowRow(right, bad)); !slices.Equal(kinds, []string{"violation"}) {
				t.Errorf("%s as %s at %v: found %v, want a violation: %v", bad["text"], bad["violation"], bad["proof"], kinds, found)
			}
		}
	}
}

func TestSequenceProblems(t *testing.T) {
	reference := func(edit func(object)) object {
		row := workflowRow(right, wrongEnd())
		edit(row["reference"].(object))
		return row
	}
	edited := func(key string, value any) object {
		row := workflowRow(right, wrongEnd())
		row[key] = value
		return row
	}
	context := func(old, now string) object {
		row := workflowRow(right, wrongEnd())
		if !strings.Contains(row["context"].(string), old) {
			t.Fatalf("the context has no %q", old)
		}
		row["context"] = strings.Replace(row["context"].(string), old, now, 1)
		return row
	}
	negative := func(edit func(object)) object {
		n := wrongEnd()
		edit(n)
		return workflowRow(right, n)
	}
	for _, test := range []struct {
		name string
		row  object
		want string
	}{
		{"a positive with a fault", workflowRow([]string{"check", "read", "login", "pay"}, wrongEnd()), "positive"},
		{"a positive with waste", workflowRow([]string{"check", "statement", "login", "read", "pay"}, wrongEnd()), "positive"},
		{"a positive without end", workflowRow([]string{"check", "login", "read"}, wrongEnd()), "positive"},
		{"a negative that is right", workflowRow(right, wrong("order", "order", 0, "login", "login", "check", "read", "pay")), "negative"},
		{"waste that is no insertion", workflowRow(right, wrong("omit", "idle", 3, "statement", "check", "login", "read", "statement", "pay")), "negative"},
		{"negatives alike", workflowRow(right, wrongEnd(), wrongEnd()), "distinct"},
		{"a payload of its own", negative(func(n object) { n["payload"] = text(object{"workflow": []string{"deny"}}) }), "payload"},
		{"a text in another format", negative(func(n object) { n["text"] = "1. `check`\n2. `deny`" }), "text"},
		{"an operator that is none", negative(func(n object) { n["operator"] = "rename" }), "row"},
		{"no similarity", negative(func(n object) { delete(n, "similarity") }), "row"},
		{"waste said of a fault", negative(func(n object) { n["proof"].(object)["waste"] = true }), "proof"},
		{"missing what is there", negative(func(n object) { n["proof"].(object)["missing"] = []string{"known"} }), "proof"},
		{"another call", negative(func(n object) { n["proof"].(object)["call"] = "pay" }), "proof"},
		{"two formats", edited("query", "A numbered chain."), "query"},
		{"no format", edited("query", "What now?"), "query"},
		{"a task of another stage", edited("task", "graph"), "row"},
		{"an unknown key", edited("score", 1), "row"},
		{"no positive", edited("positive", nil), "row"},
		{"an unknown domain", edited("domain", "shop"), "lexicon"},
		{"a source that the reference lacks", context("known from check", "known from login"), "context"},
		{"an order that the reference lacks", context("require signed_in", "require in_order(signed_in, known)"), "context"},
		{"a line that is none of a listing", context("needs nothing", "wants nothing"), "context"},
		{"words that the lexicon lacks", context("# the customer is known", "# the customer is well known"), "lexicon"},
		{"a value of another amount", context("Balance of ann: $1,234.00", "Balance of ann: $1,234.10"), "values"},
		{"a value that is missing", context("- Balance of ann: $1,234.00\n", ""), "values"},
		{"a fact told otherwise", context("Directory, ann: found", "Directory, ann: not found"), "case"},
		{"a fact not told", context("- Sign-in of ann: accepted\n", ""), "case"},
		{"a record of nothing", context("Sign-in of ann", "Sign-in of bob"), "case"},
		{"a detail of another", context("(`user`): ann", "(`user`): bob"), "case"},
		{"no scenario", context("\n\n---\n\n", "\n"), "context"},
		{"a history", reference(func(r object) { r["history"] = []string{"check"} }), "reference"},
		{"no fact", reference(func(r object) { delete(r["facts"].(object), "funds") }), "reference"},
		{"a fact of nothing", reference(func(r object) { r["facts"].(object)["rich"] = true }), "facts"},
		{"a goal that is no call", reference(func(r object) { r["goal"] = "refund" }), "reference"},
		{"an unknown operator", reference(func(r object) { r["requires"].(object)["read"] = object{"xor": []string{"known"}} }), "reference"},
		{"nothing establishes it", reference(func(r object) { delete(r["established_by"].(object), "funds") }), "reference"},
		{"an unknown key of the reference", reference(func(r object) { r["note"] = "" }), "reference"},
		{"a tree of its own", reference(func(r object) { r["outcomes"].([]any)[0].(object)["tree"] = "known" }), "reference"},
		{"parameters of its own", reference(func(r object) { r["parameters"].(object)["read"] = object{} }), "reference"},
	} {
		if kinds, found := check(t, test.row); !slices.Contains(kinds, test.want) || test.want != "values" && test.want != "case" && len(kinds) > 1 {
			t.Errorf("%s: found %v, want %s: %v", test.name, kinds, test.want, found)
		}
	}
}

func nextRow(history []string, positive object, negatives ...object) object {
	row := format(deskRow(2, "next_action"), "call", "Format: one call, name(parameter=value, …)")
	row["reference"].(object)["history"] = history
	row["context"] = deskText + deskRequest + deskLog(history)
	row["positive"], row["negatives"] = positive, negatives
	return row
}

// deskLog tells what each call made known.
func deskLog(history []string) string {
	log := "\n\n---\n\nSo far:"
	results := map[string]string{"check": "Directory, ann: found", "login": "Sign-in of ann: accepted", "read": "Balance of ann: $1,234.00", "statement": "Balance of ann: $1,234.00"}
	for i, call := range history {
		arguments := `user="ann"`
		if call == "statement" {
			arguments = ""
		}
		log += fmt.Sprintf("\n%d. `%s(%s)`\n   Result: %s", i+1, call, arguments, results[call])
	}
	return log + "\n"
}

func nextAnswer(said, name string, arguments object) object {
	return object{"text": said, "payload": text(object{"next": name, "arguments": arguments})}
}

func TestNextAction(t *testing.T) {
	user := object{"user": "ann"}
	check1 := nextAnswer(`check(user="ann")`, "check", user)
	read := nextAnswer(`read(user="ann")`, "read", user)
	early := func(deadEnd bool) object {
		n := maps.Clone(read)
		p := object{"violation": "order", "position": 1, "call": "read", "edits": []string{}}
		if deadEnd {
			p["dead_end"] = true
		}
		n["operator"], n["violation"], n["similarity"], n["proof"] = "order", "order", 0.5, p
		return n
	}
	stranger := nextAnswer(`check(user="bob")`, "check", object{"user": "bob"})
	edited := func(row object, old, now string) object {
		row["context"] = strings.Replace(row["context"].(string), old, now, 1)
		return row
	}
	poor := nextRow([]string{"login"}, check1, early(true))
	poor["reference"].(object)["facts"].(object)["funds"] = false
	poor["reference"].(object)["values"].(object)["balance"] = 3
	for _, test := range []struct {
		name string
		row  object
		want []string
	}{
		// The funds become known before the account: pay can no longer be reached, and deny never is due.
		{"a dead end", nextRow([]string{"login"}, check1, early(true)), nil},
		{"a dead end not said", nextRow([]string{"login"}, check1, early(false)), []string{"proof"}},
		{"a dead end as positive", nextRow([]string{"login"}, read, early(true)), []string{"distinct", "positive"}},
		{"no dead end where deny is due", poor, []string{"negative"}},
		{"no dead end after the account", nextRow([]string{"login", "check"}, read, early(true)), []string{"distinct", "negative"}},
		{"values of another", nextRow([]string{"login"}, stranger, early(true)), []string{"positive"}},
		{"a history with a fault", nextRow([]string{"read", "login"}, check1, early(true)), []string{"history", "positive", "violation"}},
		{"a history with waste", nextRow([]string{"check", "login", "check"}, read, early(true)), []string{"distinct", "history", "negative"}},
		{"a history with an end", nextRow([]string{"pay"}, check1, early(true)), []string{"case"}},
		{"a history the text does not tell", edited(nextRow([]string{"login"}, check1, early(true)), "1. `login", "1. `check"), []string{"case", "history", "leak"}},
		{"a result told too early", edited(nextRow([]string{"login"}, check1, early(true)), "Result: Sign-in of ann: accepted",
			"Result: Sign-in of ann: accepted\n   Result: Directory, ann: found"), []string{"leak"}},
		{"a record told with the request", edited(nextRow([]string{"login"}, check1, early(true)), "- User", "- Directory, ann: found\n- User"), []string{"leak"}},
		{"a result not told", edited(nextRow([]string{"login"}, check1, early(true)), "Sign-in of ann: accepted", "done"), []string{"case"}},
		{"a result told otherwise", edited(nextRow([]string{"login"}, check1, early(true)), "accepted", "rejected"), []string{"case"}},
	} {
		if kinds, found := check(t, test.row); !slices.Equal(kinds, test.want) {
			t.Errorf("%s: found %v, want %v: %v", test.name, kinds, test.want, found)
		}
	}
}
