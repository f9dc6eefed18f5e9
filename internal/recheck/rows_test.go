package recheck

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

type object = map[string]any

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// baseReference is a desk where an account is looked up, a customer signs in, the balance is read, and money is paid out:
// the account has to be known before the funds are. survey is a call that decides nothing.
func baseReference() object {
	return object{
		"requires": object{
			"check": nil, "login": nil, "survey": nil, "read": "signed_in",
			"pay": object{"all": []any{object{"seq": []any{"known", "funds"}}, "signed_in"}},
		},
		"established_by": object{"known": "check", "signed_in": "login", "funds": "read", "pleased": "survey"},
		"depends_on":     object{"signed_in": "known"},
		"excludes":       []any{[]string{"pleased", "known"}},
		"effects":        object{},
		"facts":          object{"known": true, "signed_in": true, "funds": true, "pleased": false},
		"values":         object{"balance": 1234, "amount": 1200.5},
		"outcomes": []any{
			object{"end": "pay", "tree": object{"all": []any{object{"seq": []any{"known", "funds"}}, "signed_in"}}},
			object{"end": "deny", "tree": nil},
		},
		"goal": "pay", "history": []string{}, "bindings": object{"user": "ann", "sum": 1200.5},
		"parameters": object{
			"check": object{"user": "user"}, "login": object{"user": "user"}, "survey": object{}, "read": object{"user": "user"},
			"pay": object{"user": "user", "sum": "sum"},
		},
	}
}

const baseContext = "check login survey read pay known signed_in pleased\n" +
	"- The test for `funds`: the balance is enough (`balance >= amount`).\n\n---\n\nann asks for $1,200.50.\nBalance: $1,234.00."

func workflowRow(positive []string, negatives ...object) object {
	return object{
		"id": "s2-desk-pay-1", "stage": 2, "task": "sequence", "view": "workflow", "domain": "desk", "procedure": "pay",
		"split": "train", "context": baseContext, "query": "Give one. Format: a single chain name -> name -> …",
		"positive":  object{"text": strings.Join(positive, " -> "), "payload": text(object{"workflow": positive})},
		"negatives": negatives, "reference": baseReference(), "meta": "{}",
	}
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

// kindsOf writes the rows to a folder, checks it, and returns the kinds of problems.
func kindsOf(t *testing.T, rows ...object) ([]string, Report) {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "train_2.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		row = maps.Clone(row)
		row["reference"] = text(row["reference"])
		if list, ok := row["negatives"].([]object); ok {
			var written []object
			for _, n := range list {
				n = maps.Clone(n)
				n["proof"] = text(n["proof"])
				written = append(written, n)
			}
			row["negatives"] = written
		}
		if _, err := z.Write([]byte(text(row) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := Folder(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(report.Kinds)), report
}

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
		wrong("insert", "idle", 3, "survey", "check", "login", "read", "survey", "pay"),
		wrong("omit", "repeated", 1, "check", "check", "check", "login", "deny"),
	} {
		if kinds, report := kindsOf(t, workflowRow(right, n)); len(kinds) != 0 {
			t.Errorf("%s: %v", n["text"], report.Problems)
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
			if kinds, report := kindsOf(t, workflowRow(right, bad)); !slices.Equal(kinds, []string{"violation"}) {
				t.Errorf("%s as %s at %v: found %v, want a violation: %v", bad["text"], bad["violation"], bad["proof"], kinds, report.Problems)
			}
		}
	}
}

func TestRowProblems(t *testing.T) {
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
		{"a positive with waste", workflowRow([]string{"check", "survey", "login", "read", "pay"}, wrongEnd()), "positive"},
		{"a positive without end", workflowRow([]string{"check", "login", "read"}, wrongEnd()), "positive"},
		{"a negative that is right", workflowRow(right, wrong("order", "order", 0, "login", "login", "check", "read", "pay")), "negative"},
		{"waste that is no insertion", workflowRow(right, wrong("omit", "idle", 3, "survey", "check", "login", "read", "survey", "pay")), "negative"},
		{"negatives alike", workflowRow(right, wrongEnd(), wrongEnd()), "distinct"},
		{"a payload of its own", negative(func(n object) { n["payload"] = text(object{"workflow": []string{"deny"}}) }), "payload"},
		{"a text in another format", negative(func(n object) { n["text"] = "1. `check`\n2. `deny`" }), "text"},
		{"an operator that is none", negative(func(n object) { n["operator"] = "rename" }), "row"},
		{"waste said of a fault", negative(func(n object) { n["proof"].(object)["waste"] = true }), "proof"},
		{"missing what is there", negative(func(n object) { n["proof"].(object)["missing"] = []string{"known"} }), "proof"},
		{"another call", negative(func(n object) { n["proof"].(object)["call"] = "pay" }), "proof"},
		{"two formats", edited("query", "A numbered chain."), "query"},
		{"no format", edited("query", "What now?"), "query"},
		{"an unknown key", edited("score", 1), "row"},
		{"no positive", edited("positive", nil), "row"},
		{"a name the text lacks", edited("context", strings.Replace(baseContext, "signed_in", "signed_ink", 1)), "context"},
		{"a value the text lacks", edited("context", strings.Replace(baseContext, "1,234.00", "1,234.10", 1)), "context"},
		{"a binding the text lacks", edited("context", strings.Replace(baseContext, "ann", "bob", 1)), "context"},
		{"no scenario", edited("context", strings.Replace(baseContext, "\n---\n", "\n", 1)), "context"},
		{"a comparison that is false", edited("context", strings.Replace(baseContext, ">=", "<", 1)), "values"},
		{"a history", reference(func(r object) { r["history"] = []string{"check"} }), "reference"},
		{"no fact", reference(func(r object) { delete(r["facts"].(object), "funds") }), "reference"},
		{"a fact of nothing", reference(func(r object) { r["facts"].(object)["rich"] = true }), "facts"},
		{"depends_on broken", reference(func(r object) { r["depends_on"] = object{"known": "pleased"} }), "facts"},
		{"excludes broken", reference(func(r object) { r["excludes"] = []any{[]string{"known", "funds"}} }), "facts"},
		{"a goal that is no call", reference(func(r object) { r["goal"] = "refund" }), "reference"},
		{"an unknown operator", reference(func(r object) { r["requires"].(object)["read"] = object{"xor": []string{"known"}} }), "reference"},
		{"nothing establishes it", reference(func(r object) { delete(r["established_by"].(object), "funds") }), "reference"},
		{"an unknown key of the reference", reference(func(r object) { r["note"] = "" }), "reference"},
		{"a tree of its own", reference(func(r object) { r["outcomes"].([]any)[0].(object)["tree"] = "known" }), "reference"},
	} {
		if kinds, report := kindsOf(t, test.row); !slices.Equal(kinds, []string{test.want}) {
			t.Errorf("%s: found %v, want %s: %v", test.name, kinds, test.want, report.Problems)
		}
	}
}

func nextRow(history []string, positive object, negatives ...object) object {
	row := workflowRow(nil)
	row["view"], row["query"] = "next_action", "Format: one call, name(parameter=value, …)"
	row["reference"].(object)["history"] = history
	log := "\n\n---\n\nSo far:"
	for i, call := range history {
		arguments := `user="ann"`
		if call == "survey" {
			arguments = ""
		}
		log += fmt.Sprintf("\n%d. `%s(%s)`\n   Result: accepted", i+1, call, arguments)
	}
	row["context"] = baseContext + log
	row["positive"], row["negatives"] = positive, negatives
	return row
}

func nextAnswer(said, name string, arguments object) object {
	return object{"text": said, "payload": text(object{"next": name, "arguments": arguments})}
}

func TestNextAction(t *testing.T) {
	user := object{"user": "ann"}
	check := nextAnswer(`check(user="ann")`, "check", user)
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
	funds := func(row object, name string, value bool) object {
		row["reference"].(object)["facts"].(object)[name] = value
		if name == "funds" {
			row["context"] = strings.Replace(row["context"].(string), ">=", "<", 1)
		}
		return row
	}
	untold := nextRow([]string{"login"}, check, early(true))
	untold["context"] = strings.Replace(untold["context"].(string), "1. `login", "1. `check", 1)
	for _, test := range []struct {
		name string
		row  object
		want []string
	}{
		// The funds become known before the account: pay can no longer be reached, and deny never is due.
		{"a dead end", nextRow([]string{"login"}, check, early(true)), nil},
		{"a dead end not said", nextRow([]string{"login"}, check, early(false)), []string{"proof"}},
		{"a dead end as positive", nextRow([]string{"login"}, read, early(true)), []string{"distinct", "positive"}},
		{"no dead end where deny is due", funds(nextRow([]string{"login"}, check, early(true)), "funds", false), []string{"negative"}},
		{"no dead end after the account", nextRow([]string{"login", "check"}, read, early(true)), []string{"distinct", "negative"}},
		{"values of another", nextRow([]string{"login"}, stranger, early(true)), []string{"positive"}},
		{"a history with a fault", nextRow([]string{"read", "login"}, check, early(true)), []string{"history", "positive", "violation"}},
		{"a history with waste", nextRow([]string{"check", "survey", "login"}, read, early(true)), []string{"distinct", "history", "negative"}},
		{"a history with an end", nextRow([]string{"pay"}, check, early(true)), []string{"context", "reference"}},
		{"a history the text does not tell", untold, []string{"context"}},
	} {
		if kinds, report := kindsOf(t, test.row); !slices.Equal(kinds, test.want) {
			t.Errorf("%s: found %v, want %v: %v", test.name, kinds, test.want, report.Problems)
		}
	}
}

func TestFolderReadsCumulativeFilesOnce(t *testing.T) {
	rows := make([]object, 300)
	for i := range rows {
		rows[i] = workflowRow([]string{"deny"}, wrongEnd())
	}
	rows[7] = workflowRow(right, wrongEnd())
	rows[8] = workflowRow(right, wrongEnd())
	rows[8]["stage"] = 1
	_, report := kindsOf(t, rows...)
	if report.Rows != 300 || report.Other != 1 || report.Positives != 299 || report.Negatives != 299 || report.Count != 298 || len(report.Problems) != maxProblems {
		t.Errorf("report %+v", report)
	}
	for i, p := range report.Problems {
		want := i + 1
		if want >= 8 {
			want += 2
		}
		if p.Line != want {
			t.Fatalf("problem %d is of line %d, want %d", i, p.Line, want)
		}
	}
	dir := t.TempDir()
	if _, err := Folder(dir, 1); err == nil {
		t.Error("an empty folder is no error")
	}
	for _, name := range []string{"train_2.jsonl.zst", "train_3.jsonl.zst", "test.jsonl.zst", "drops.jsonl.zst"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := rowFiles(dir)
	if err != nil || !slices.Equal(files, []string{"train_3.jsonl.zst", "test.jsonl.zst"}) {
		t.Errorf("files %q, %v", files, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "test.jsonl.zst"), []byte("no zstd"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Folder(dir, 1); err == nil {
		t.Error("a damaged file is no error")
	}
}
