package recheck

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// desk compiles a graph from calls ("name: tree", an empty tree for no rule) and what establishes each condition.
func desk(t *testing.T, goal string, calls, established, effects map[string]string, facts map[string]bool) *graph {
	t.Helper()
	join := func(m map[string]string, empty string) json.RawMessage {
		var parts []string
		for name, tree := range m {
			if tree == "" {
				tree = empty
			}
			parts = append(parts, fmt.Sprintf("%q:%s", name, tree))
		}
		return json.RawMessage("{" + strings.Join(parts, ",") + "}")
	}
	tree := calls[goal]
	ref := &reference{
		Requires: join(calls, "null"), EstablishedBy: join(established, "null"), Effects: join(effects, "{}"),
		DependsOn: json.RawMessage("{}"), Excludes: json.RawMessage("[]"), Facts: facts, Goal: goal,
		Outcomes: json.RawMessage(fmt.Sprintf(`[{"end":%q,"tree":%s},{"end":"deny","tree":null}]`, goal, tree)),
	}
	r, err := ref.rules()
	if err != nil {
		t.Fatal(err)
	}
	g, err := compile(r, facts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func first(g *graph, facts map[string]bool, workflow string) string {
	found := g.run(strings.Fields(workflow), facts)
	if len(found) == 0 {
		return "right"
	}
	return fmt.Sprintf("%s@%d", found[0].name, found[0].position)
}

func TestSemantics(t *testing.T) {
	type m = map[string]string
	type f = map[string]bool
	for _, test := range []struct {
		name                        string
		calls, established, effects m
		facts                       f
		workflows                   m
	}{
		{"a false part makes deny due, in any order",
			m{"a": "", "b": "", "go": `{"seq":["A","B"]}`}, m{"A": `"a"`, "B": `"b"`}, nil, f{"A": true, "B": false},
			m{"b deny": "right", "a b deny": "right", "a deny": "wrong_end@1", "b a deny": "idle@1", "deny": "wrong_end@0"}},
		{"an order broken by oneself blocks nothing",
			m{"a": "", "b": "", "go": `{"seq":["A","B"]}`}, m{"A": `"a"`, "B": `"b"`}, nil, f{"A": true, "B": true},
			m{"a b go": "right", "b a go": "order@2", "b a deny": "wrong_end@2", "b deny": "wrong_end@1"}},
		{"nor an order around the broken one",
			m{"a": "", "b": "", "c": "", "go": `{"seq":[{"seq":["A","B"]},{"seq":["A","C"]}]}`},
			m{"A": `"a"`, "B": `"b"`, "C": `"c"`}, nil, f{"A": true, "B": true, "C": true},
			m{"a b c go": "right", "c deny": "wrong_end@1", "c a b deny": "wrong_end@3", "c a b go": "order@3", "a c b go": "order@3"}},
		{"an order that no continuation can keep blocks",
			m{"a": `"B"`, "b": "", "go": `{"seq":["A","B"]}`}, m{"A": `"a"`, "B": `"b"`}, nil, f{"A": true, "B": true},
			m{"deny": "right", "b deny": "idle@0", "b a go": "idle@0"}},
		{"the same call settles in order",
			m{"a": "", "go": `{"seq":["A","B"]}`}, m{"A": `"a"`, "B": `"a"`}, nil, f{"A": true, "B": true}, m{"a go": "right"}},
		{"known from the start is in order",
			m{"a": "", "go": `{"seq":["A","B"]}`}, m{"A": `"a"`, "B": `"conversation"`}, nil, f{"A": true, "B": true},
			m{"a go": "right", "go": "wrong_end@0"}},
		{"an any may hold by another branch",
			m{"a": "", "b": "", "c": "", "go": `{"any":[{"seq":["A","B"]},"C"]}`}, m{"A": `"a"`, "B": `"b"`, "C": `"c"`}, nil,
			f{"A": true, "B": true, "C": true}, m{"b a go": "order@2", "b a c go": "idle@2", "b c go": "right", "c go": "right"}},
		{"first_of asks for the first alternative first",
			m{"a": "", "b": "", "go": `{"first_of":["A","B"]}`}, m{"A": `"a"`, "B": `"b"`}, nil, f{"A": false, "B": true},
			m{"a b go": "right", "b go": "order@1", "a deny": "wrong_end@1", "b a go": "idle@1"}},
		{"a call that may never be made blocks",
			m{"login": "", "read": `"In"`, "go": `{"all":["In","Funds"]}`}, m{"In": `"login"`, "Funds": `"read"`}, nil,
			f{"In": false, "Funds": true}, m{"login deny": "right", "login read deny": "unmet@1"}},
		{"blocked through two calls",
			m{"login": "", "read": `"In"`, "see": `"Read"`, "x": "", "go": `{"all":["Seen","X"]}`},
			m{"In": `"login"`, "Read": `"read"`, "Seen": `"see"`, "X": `"x"`}, nil,
			f{"In": false, "Read": true, "Seen": true, "X": true},
			m{"login deny": "right", "x login deny": "right", "login x deny": "idle@1", "x deny": "wrong_end@1"}},
		{"unknown facts are taken jointly",
			m{"c": "", "go": `{"all":["C",{"not":"C"}]}`}, m{"C": `"c"`}, nil, f{"C": true}, m{"deny": "right", "c deny": "idle@0"}},
		{"an action's name is unknown before the call, also under not",
			m{"look": "", "go": `{"not":"look"}`}, nil, nil, f{"look": false}, m{"look go": "right", "go": "wrong_end@0", "look deny": "wrong_end@1"}},
		{"an action that checks nothing answers true",
			m{"note": "", "go": `"note"`}, nil, nil, f{}, m{"note go": "right", "deny": "wrong_end@0", "go": "wrong_end@0"}},
		{"not of such an action can never hold",
			m{"note": "", "go": `{"not":"note"}`}, nil, nil, f{}, m{"deny": "right", "note deny": "idle@0"}},
		{"an explicit established_by wins over the action of the same name",
			m{"look": "", "call": "", "go": `"look"`}, m{"look": `"call"`}, nil, f{"look": true},
			m{"call go": "right", "look call go": "idle@0"}},
		{"all the calls of one minimal set",
			m{"a": "", "b": "", "c": "", "go": `"X"`}, m{"X": `{"all":["a",{"any":["b","c"]}]}`}, nil, f{"X": true},
			m{"a b go": "right", "c a go": "right", "a go": "wrong_end@1", "b c a go": "idle@1"}},
		{"a set with an impossible member helps nobody",
			m{"a": "", "b": `"No"`, "n": "", "go": `{"all":["No2","X"]}`},
			m{"X": `{"any":[{"all":["a","b"]},"n"]}`, "No": `"n"`, "No2": `"n"`}, nil, f{"X": true, "No": false, "No2": true},
			m{"n go": "right", "n a go": "idle@1", "a n go": "right"}},
		{"a branch that can no longer hold needs nothing",
			m{"a": "", "b": "", "c": "", "go": `{"any":[{"all":["A","B"]},"C"]}`}, m{"A": `"a"`, "B": `"b"`, "C": `"c"`}, nil,
			f{"A": false, "B": true, "C": true}, m{"a c go": "right", "a b c go": "idle@1", "b a c go": "right"}},
		{"effects hold once the call succeeded",
			m{"a": "", "b": "", "go": `"A"`}, m{"A": `"a"`}, m{"b": `{"A":true}`}, f{"A": false, "b": true},
			m{"b go": "right", "a deny": "right", "b deny": "wrong_end@1", "b a go": "idle@1"}},
		{"and not if it answered no",
			m{"a": "", "b": "", "go": `"A"`}, m{"A": `"a"`}, m{"b": `{"A":true}`}, f{"A": false, "b": false},
			m{"b go": "wrong_end@1", "a deny": "right", "b a deny": "right"}},
		{"a fault goes before waste",
			m{"a": "", "b": `"A"`, "go": `"A"`}, m{"A": `"a"`, "B": `"b"`}, nil, f{"A": false, "B": true},
			m{"a b deny": "unmet@1", "a a deny": "repeated@1", "a deny a": "after_end@2", "a x deny": "outside@1", "a": "no_end@1"}},
	} {
		g := desk(t, "go", test.calls, test.established, test.effects, test.facts)
		for workflow, want := range test.workflows {
			if got := first(g, test.facts, workflow); got != want {
				t.Errorf("%s: %q is %s, want %s", test.name, workflow, got, want)
			}
		}
	}
}
