package recheck

import (
	"slices"
	"strings"
	"testing"
)

// deskGraph is the graph of the desk's text, canonical.
func deskGraph() object {
	return object{
		"requires":       object{"check": nil, "login": nil, "statement": nil, "read": "signed_in", "pay": object{"all": []any{"signed_in", object{"seq": []any{"known", "funds"}}}}},
		"established_by": object{"known": "check", "signed_in": "login", "funds": object{"any": []any{"read", "statement"}}},
		"edges":          []any{[]any{"check", "pay"}, []any{"login", "pay"}, []any{"login", "read"}, []any{"read", "pay"}, []any{"statement", "pay"}},
	}
}

func graphAnswer(g object) object { return object{"text": text(g), "payload": text(g)} }

func graphNegative(g object, operator, violation string, proof object) object {
	n := graphAnswer(g)
	proof["edits"] = []string{}
	n["operator"], n["violation"], n["proof"], n["similarity"] = operator, violation, proof, 0.5
	return n
}

func with(g object, key, name string, value any, edges ...any) object {
	g[key].(object)[name] = value
	if edges != nil {
		g["edges"] = edges
	}
	return g
}

// unordered asks for the funds and the account in any order.
func unordered() object {
	g := with(deskGraph(), "requires", "pay", object{"all": []any{"funds", "known", "signed_in"}})
	return graphNegative(g, "connective", "witness", object{"accepted_by": "negative",
		"witness": object{"facts": object{"known": true, "signed_in": true, "funds": true}, "workflow": []string{"login", "read", "check", "pay"}}})
}

// circular lets the statement be printed once the funds are known.
func circular() object {
	g := with(deskGraph(), "requires", "statement", "funds",
		[]any{"check", "pay"}, []any{"login", "pay"}, []any{"login", "read"}, []any{"read", "pay"}, []any{"read", "statement"}, []any{"statement", "pay"}, []any{"statement", "statement"})
	return graphNegative(g, "cycle", "cycle", object{"cycle": []string{"statement", "statement"}})
}

// impossible wants the customer signed in, and the account unknown.
func impossible() object {
	g := with(deskGraph(), "requires", "pay", object{"all": []any{"funds", "signed_in", object{"not": "known"}}})
	return graphNegative(g, "precondition", "unsatisfiable", object{"unsatisfiable": true})
}

func graphRow(negatives ...object) object {
	row := format(deskRow(3, "graph"), "json", "Format: JSON with the keys requires and so on")
	row["context"] = deskText
	row["positive"], row["negatives"] = graphAnswer(deskGraph()), negatives
	return row
}

func residualRow(history []string, g object, negatives ...object) object {
	row := format(deskRow(3, "residual"), "json", "Format: JSON with the keys requires and so on")
	row["reference"].(object)["history"] = history
	row["context"] = deskText + deskRequest + deskLog(history)
	row["positive"], row["negatives"] = graphAnswer(g), negatives
	return row
}

func TestGraphProblems(t *testing.T) {
	edited := func(n object, edit func(n, proof object)) object {
		edit(n, n["proof"].(object))
		return n
	}
	facts := func(name string, value bool) object {
		return edited(unordered(), func(_, proof object) { proof["witness"].(object)["facts"].(object)[name] = value })
	}
	restated := func(n, g object) object {
		n["text"], n["payload"] = text(g), text(g)
		return n
	}
	spoken := graphRow(unordered())
	spoken["positive"].(object)["text"] = strings.Replace(text(deskGraph()), `"login":null`, `"login":"known"`, 1)
	for _, test := range []struct {
		name string
		row  object
		want []string
	}{
		{"nothing", graphRow(unordered(), circular(), impossible()), nil},
		{"a positive that is a negative", func() object {
			row := graphRow(circular())
			n := unordered()
			row["positive"] = object{"text": n["text"], "payload": n["payload"]}
			return row
		}(), []string{"positive"}},
		{"a negative that is the positive", graphRow(restated(unordered(), deskGraph())), []string{"distinct", "negative"}},
		{"a text of its own", spoken, []string{"payload"}},
		{"an edge dropped", graphRow(restated(circular(), func() object {
			g := with(deskGraph(), "requires", "statement", "funds")
			return g
		}())), []string{"edges"}},
		{"a circle that is none", graphRow(edited(circular(), func(_, p object) { p["cycle"] = []string{"read", "statement", "read"} })), []string{"negative"}},
		{"a circle left open", graphRow(edited(circular(), func(_, p object) { p["cycle"] = []string{"read", "statement"} })), []string{"negative"}},
		{"a circle of another operator", graphRow(edited(circular(), func(n, _ object) { n["operator"] = "edge" })), []string{"row"}},
		{"another proof than the violation", graphRow(edited(circular(), func(n, _ object) { n["violation"] = "witness" })), []string{"violation"}},
		{"possible after all", graphRow(restated(impossible(), with(deskGraph(), "requires", "pay", object{"all": []any{"funds", "known", "signed_in"}}))), []string{"negative"}},
		{"a workflow that both accept", graphRow(edited(unordered(), func(_, p object) {
			p["witness"].(object)["workflow"] = []string{"check", "login", "read", "pay"}
		})), []string{"workflow"}},
		{"accepted by the other", graphRow(edited(unordered(), func(_, p object) { p["accepted_by"] = "positive" })), []string{"witness"}},
		{"a fact too many", graphRow(facts("vip", true)), []string{"witness"}},
		{"facts that cannot be", graphRow(facts("known", false)), []string{"witness", "workflow"}},
		{"a payload that is not canonical", graphRow(restated(unordered(), with(deskGraph(), "requires", "pay", object{"all": []any{"known", "funds", "signed_in"}}))), []string{"negative", "payload"}},
		{"a negative that means the positive", graphRow(restated(unordered(), with(deskGraph(), "established_by", "known", object{"any": []any{"check", object{"all": []any{"check", "login"}}}}))), []string{"alike", "negative"}},
		{"a condition that nothing names", graphRow(restated(unordered(), with(deskGraph(), "established_by", "vip", "check"))), []string{"payload"}},
		{"no source", graphRow(restated(unordered(), with(deskGraph(), "requires", "read", "vip"))), []string{"payload"}},
	} {
		if kinds, found := check(t, test.row); !slices.Equal(kinds, test.want) {
			t.Errorf("%s: found %v, want %v: %v", test.name, kinds, test.want, found)
		}
	}
}

func TestResidualProblems(t *testing.T) {
	rest := func() object {
		return object{
			"requires":       object{"read": nil, "statement": nil, "check": nil, "pay": object{"seq": []any{"known", "funds"}}},
			"established_by": object{"known": "check", "funds": object{"any": []any{"read", "statement"}}},
			"edges":          []any{[]any{"check", "pay"}, []any{"read", "pay"}, []any{"statement", "pay"}},
		}
	}
	wrong := func() object {
		g := with(rest(), "requires", "pay", object{"all": []any{"funds", "known"}})
		return graphNegative(g, "connective", "witness", object{"accepted_by": "negative",
			"witness": object{"facts": object{"known": true, "funds": true}, "workflow": []string{"read", "check", "pay"}}})
	}
	// The customer has signed in, so the account has to be known: a witness without it contradicts the case.
	impossible := func() object {
		g := object{
			"requires": object{"check": nil, "pay": "known"}, "established_by": object{"known": "check"}, "edges": []any{[]any{"check", "pay"}},
		}
		return graphNegative(g, "precondition", "witness", object{"accepted_by": "positive",
			"witness": object{"facts": object{"known": false, "funds": false}, "workflow": []string{"statement", "deny"}}})
	}
	// The account is known to be there, so that it has to be there asks for nothing more.
	told := func() (object, object) {
		rest := object{
			"requires":       object{"login": nil, "read": "signed_in", "statement": nil, "pay": object{"all": []any{"funds", "signed_in"}}},
			"established_by": object{"signed_in": "login", "funds": object{"any": []any{"read", "statement"}}},
			"edges":          []any{[]any{"login", "pay"}, []any{"login", "read"}, []any{"read", "pay"}, []any{"statement", "pay"}},
		}
		more := object{
			"requires":       object{"login": nil, "read": "signed_in", "statement": nil, "pay": object{"all": []any{"funds", "known", "signed_in"}}},
			"established_by": object{"known": conversation, "signed_in": "login", "funds": object{"any": []any{"read", "statement"}}}, "edges": rest["edges"],
		}
		return rest, graphNegative(more, "precondition", "witness", object{"accepted_by": "positive", "witness": object{
			"facts": object{"known": false, "funds": true, "signed_in": true}, "workflow": []string{"login", "read", "pay"}}})
	}
	left, same := told()
	whole, extra := told()
	extra["proof"].(object)["witness"] = object{"facts": object{"known": true, "funds": true, "signed_in": true}, "workflow": []string{"login", "read", "pay"}}
	for _, test := range []struct {
		name string
		row  object
		want []string
	}{
		{"nothing", residualRow([]string{"login"}, rest(), wrong()), nil},
		{"a witness against what was shown, and no other", residualRow([]string{"check"}, left, same), []string{"no_case"}},
		{"a negative that means the positive here", residualRow([]string{"check"}, whole, extra), []string{"negative"}},
		{"nothing put in", residualRow([]string{"login"}, deskGraph(), wrong()), []string{"positive"}},
		{"another history", residualRow([]string{"check"}, rest(), wrong()), []string{"positive", "witness"}},
		{"nothing left", residualRow([]string{"check", "login", "read"}, rest(), wrong()), []string{"residual"}},
		{"a witness against the case", residualRow([]string{"login"}, rest(), impossible()), []string{"witness"}},
	} {
		if kinds, found := check(t, test.row); !slices.Equal(kinds, test.want) {
			t.Errorf("%s: found %v, want %v: %v", test.name, kinds, test.want, found)
		}
	}
}

func TestReadGraph(t *testing.T) {
	for _, test := range []struct{ format, text string }{
		{"edges", "Calls and what each requires:\n- `go`: in this order (`A`, not `B`)\n- `a`: no rule\n- `b`: any of (`A`, all of (`A`, first of (`B`, `A`)))\n\nHow conditions become known:\n- `A`: the conversation\n- `B`: all of (`a`, `b`)\n\nEdges:\n- `a` -> `go`\n- `b` -> `go`\n"},
		{"indented", "Calls and what each requires:\n- `go`\n  - requires:\n    - in this order:\n      - `A`\n      - not:\n        - `B`\n  - comes after:\n    - `a`\n    - `b`\n- `a`\n  - requires: no rule\n- `b`\n  - requires:\n    - any of:\n      - `A`\n      - all of:\n        - `A`\n        - first of:\n          - `B`\n          - `A`\n\nHow conditions become known:\n- `A`\n  - known by: the conversation\n- `B`\n  - known by:\n    - all of:\n      - `a`\n      - `b`\n"},
		{"json", `{"requires":{"go":{"seq":["A",{"not":"B"}]},"a":null,"b":{"any":["A",{"all":["A",{"first_of":["B","A"]}]}]}},"established_by":{"A":"conversation","B":{"all":["a","b"]}},"edges":[["a","go"],["b","go"]]}`},
	} {
		s, err := readGraph(test.format, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.format, err)
			continue
		}
		for name, want := range map[string]string{"go": `{"seq":["A",{"not":"B"}]}`, "a": "null", "b": `{"any":["A",{"all":["A",{"first_of":["B","A"]}]}]}`} {
			if got := s.Requires[name].String(); got != want {
				t.Errorf("%s: %s requires %s, want %s", test.format, name, got, want)
			}
		}
		if len(s.Requires) != 3 || len(s.EstablishedBy) != 2 || !fromStart(s.EstablishedBy["A"]) || s.EstablishedBy["B"].String() != `{"all":["a","b"]}` {
			t.Errorf("%s: %v", test.format, s.EstablishedBy)
		}
		if !slices.Equal(s.Edges, [][2]string{{"a", "go"}, {"b", "go"}}) {
			t.Errorf("%s: edges %v", test.format, s.Edges)
		}
	}
	const head = "Calls and what each requires:\n"
	for _, test := range []struct{ format, text string }{
		{"edges", "- `a`: no rule"}, {"edges", head + "- `a`"}, {"edges", head + "- `a`: nothing"}, {"edges", head + "- `a`: all of (`A`"},
		{"edges", head + "- `a`: no rule\n- `a`: no rule"}, {"edges", head + "- `a`: `A` `B`"}, {"edges", head + "Edges:\n- `a` `b`"},
		{"edges", head + "- `a`: no rule\n  - more"}, {"indented", head + "- `a`"}, {"indented", head + "- `a`\n  - requires:"},
		{"indented", head + "- `a`\n  - requires:\n    - not:\n      - `A`\n      - `B`"}, {"indented", head + "- `a`\n  - requires: no rule\n  - wants: more"},
		{"indented", head + "- `a`\n  - requires:\n    - `A`\n      - `B`"}, {"indented", head + "- `a`\n  - requires:\n    - all of:"},
		{"json", `{"requires":{},"established_by":{}}`}, {"json", `{"requires":{},"established_by":{"A":null},"edges":[]}`},
		{"json", `{"requires":{"a":{"xor":[]}},"established_by":{},"edges":[]}`}, {"json", `{"requires":{"a":{"all":[]}},"established_by":{},"edges":[]}`},
	} {
		if s, err := readGraph(test.format, test.text); err == nil {
			t.Errorf("%s %q is read as %v", test.format, test.text, s)
		}
	}
}
