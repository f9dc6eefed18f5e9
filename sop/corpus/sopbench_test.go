package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
)

// disagreements are the public tasks of which no case is made, because the
// model's outcome is not the task's own verdict.
var disagreements = map[string][]string{
	"bank": {
		"10 of 153 tasks left out: its rules permit the goal, but the calls that would show it are not permitted with what the user knows: " +
			"cancel_credit_card[3], get_loan[0], get_loan[5], pay_bill[0], pay_bill_with_credit_card[0] and 5 more",
		"1 of 153 tasks left out: its rules permit the goal, but the task says that the tool itself refuses it: transfer_funds[1]",
		"1 of 153 tasks left out: nothing tells how the condition \"call_get_database\" becomes known: get_bank_maximum_loan_amount[0]",
		"3 of 153 tasks have rules that contradict themselves and are always denied: open_account[2], open_account[3], open_account[4]",
	},
	"healthcare": {
		"3 of 130 tasks left out: its rules permit the goal, but the task says that the tool itself refuses it: " +
			"add_authorized_provider[1], get_claim_details[1], reactivate_policy[1]",
	},
	"online_market": {
		"4 of 187 tasks left out: its rules permit the goal, but the task says that the tool itself refuses it: " +
			"add_review[1], exchange_product[1], exchange_product[2], exchange_product[3]",
	},
}

func TestTaskFiles(t *testing.T) {
	for name, cases := range map[string]int{"bank": 153 - 12, "healthcare": 130 - 3, "dmv": 115, "online_market": 187 - 4, "hotel": 196} {
		path := "sopbench/tasks/" + name + taskFileSuffix
		text := readShared(t, path)
		if text == nil {
			return
		}
		c, err := Load(shared(t, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, note := range c.Notes {
			t.Log(name + ": " + note)
		}
		if !slices.Equal(c.Notes, disagreements[name]) {
			t.Errorf("%s: the notes are (-want +got)\n-%s\n+%s", name, strings.Join(disagreements[name], "\n-"), strings.Join(c.Notes, "\n+"))
		}
		if c.Domain.Name != name || c.Split != "scenario" {
			t.Errorf("%s: domain %s, split %s", name, c.Domain.Name, c.Split)
		}
		if n := checkCases(t, c, verdicts(t, path, text)); n != cases {
			t.Errorf("%s: %d cases, want %d", name, n, cases)
		}
	}
}

// verdicts returns what the tasks say, by their hash.
func verdicts(t *testing.T, path string, text []byte) map[string]bool {
	t.Helper()
	tasks, problems := decodeTasks(path, text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	says := map[string]bool{}
	for _, task := range tasks {
		says[task.source] = task.succeeds
	}
	return says
}

// checkCases holds every case against the task that it was made from.
func checkCases(t *testing.T, c *Corpus, says map[string]bool) (cases int) {
	t.Helper()
	for _, p := range c.Domain.Procedures {
		for i, k := range p.Cases {
			cases++
			v, err := c.Domain.Variant(p, sop.Choice{Rules: k.Rules, Thresholds: k.Thresholds})
			if err != nil {
				t.Fatal(err)
			}
			m, err := sop.Compile(&v.Graph)
			if err != nil {
				t.Fatal(err)
			}
			succeeds, known := says[k.Source]
			outcome, ok := m.FinalOutcome(k.Scenario.Facts)
			if !known || !ok || (outcome == 0) != succeeds {
				t.Errorf("%s case %d ends in outcome %d, the task says that it succeeds: %v", p.Goal, i, outcome, succeeds)
			}
			if !v.Consistent(k.Scenario.Facts) || len(k.Scenario.Facts) != len(v.Conditions) {
				t.Errorf("%s case %d: facts %v", p.Goal, i, k.Scenario.Facts)
			}
			for name, use := range v.Values {
				if _, has := k.Scenario.Values[name]; has != use.DependsOn.Holds(k.Scenario.Facts) {
					t.Errorf("%s case %d: the value %s is there: %v", p.Goal, i, name, has)
				}
			}
		}
	}
	return cases
}

// taskText is a task file with one task of goal, changed.
func taskText(t testing.TB, goal string, change func(task map[string]any)) []byte {
	t.Helper()
	var task map[string]any
	if err := json.Unmarshal([]byte(`{
		"initial_database": {"accounts": {"ann": {"identification": "pw", "admin_password": "x", "balance": 100, "owed_balance": 0, "credit_cards": []}}},
		"constraint_parameters": {"maximum_deposit": 50, "unheard_of": 1},
		"user_known": {"username": "ann", "identification": "pw", "amount": 20, "unit": "dollars", "bill_description": "rent"},
		"constraints": ["and", [["single", "logged_in_user", {"username": "username"}], ["chain", [
			["single", "internal_check_username_exist", {"username": "username"}],
			["single", "sufficient_account_balance", {"username": "username", "amount": "amount"}]]]]],
		"action_should_succeed": true,
		"directed_action_graph": {"nodes": [["pay_bill", {"username": "username"}]], "connections": []}
	}`), &task); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(task)
	}
	text, err := json.MarshalIndent(map[string]any{goal: []any{task}}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTask(t *testing.T) {
	c, err := readTaskFile("bank_tasks.json", taskText(t, "pay_bill", nil))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Domain.Procedures) != 1 || c.Domain.Requirement("get_account_balance") == nil {
		t.Fatalf("procedures %v, get_account_balance requires %v", c.Domain.Procedures, c.Domain.Requirement("get_account_balance"))
	}
	k := c.Domain.Procedures[0].Cases[0]
	if got, want := fmt.Sprint(k.Rules), `["logged_in_user" {"seq":["internal_check_username_exist","sufficient_account_balance"]}]`; got != want {
		t.Errorf("rules %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(k.Thresholds), "map[maximum_deposit:50]"; got != want {
		t.Errorf("thresholds %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(k.Scenario.Values), "map[amount:20 balance:100]"; got != want {
		t.Errorf("values %s, want %s", got, want)
	}
	for name, fact := range k.Scenario.Facts {
		if !fact {
			t.Errorf("%s is false", name)
		}
	}
	same, err := readTaskFile("bank_tasks.json", bytes.ReplaceAll(taskText(t, "pay_bill", nil), []byte("\n"), nil))
	if err != nil || same.Domain.Procedures[0].Cases[0].Source != k.Source {
		t.Errorf("the layout of the file changes the hash of the task (%v)", err)
	}
}

// TestUnknownNames reads a task of a goal and a condition that no pack has.
func TestUnknownNames(t *testing.T) {
	text := taskText(t, "freeze_card", func(task map[string]any) {
		task["constraints"] = []any{"and", []any{task["constraints"], []any{"single", "internal_check_card_exist", map[string]any{"card_id": "card_id"}}}}
		task["user_known"].(map[string]any)["card_id"] = "C-1"
		task["directed_action_graph"].(map[string]any)["nodes"] = []any{
			[]any{"freeze_card", map[string]any{"card_id": "card_id", "username": "username"}}, "and",
			[]any{"internal_check_card_exist", map[string]any{"card_id": "card_id"}},
		}
	})
	c, err := readTaskFile("bank_tasks.json", text)
	if err != nil {
		t.Fatal(err)
	}
	d := c.Domain
	p := d.Procedure("freeze_card")
	if p == nil || len(p.Cases) != 1 || len(p.Requests) == 0 {
		t.Fatalf("procedure %+v, notes %q", p, c.Notes)
	}
	if got, want := d.Conditions["internal_check_card_exist"].Text, "the internal check finds that the card exists for {card_id}"; got != want {
		t.Errorf("condition %q, want %q", got, want)
	}
	if got, want := d.Actions["freeze_card"].Text, "freeze card for {card_id} and {username}"; got != want {
		t.Errorf("action %q, want %q", got, want)
	}
	if !p.Cases[0].Scenario.Facts["internal_check_card_exist"] {
		t.Error("the task succeeds, so the card has to exist")
	}
	if builtin, err := Load("bank"); err != nil || builtin.Domain.Actions["freeze_card"] != nil {
		t.Errorf("the built-in pack was changed (%v)", err)
	}

	hidden := taskText(t, "pay_bill", func(task map[string]any) { task["constraints"] = []any{"single", "moon_is_full", nil} })
	want := `bank_tasks.json: no task can be used: 1 of 1 tasks left out: nothing tells how the condition "moon_is_full" becomes known: pay_bill[0]`
	if _, err := readTaskFile("bank_tasks.json", hidden); err == nil || err.Error() != want {
		t.Errorf("a condition that nothing establishes: %v\nwant %s", err, want)
	}
}

func TestTaskProblems(t *testing.T) {
	set := func(key string, x any) []byte {
		return taskText(t, "pay_bill", func(task map[string]any) { task[key] = x })
	}
	leaf := []any{"single", "logged_in_user", map[string]any{"username": "value 3"}}
	deep := any(leaf)
	for range 80 {
		deep = []any{"and", []any{deep}}
	}
	good := taskText(t, "pay_bill", nil)
	for _, c := range []struct {
		name, text, want string
	}{
		{"empty", " \n", "f.json:1: the file is empty, want an object {goal: [task, …]}"},
		{"truncated", string(good[:len(good)/2]), "the file ends in the middle of a value, it is cut short"},
		{"not JSON", "{\n\"pay_bill\": nope}", "f.json:2: not JSON: invalid character 'o' in literal null (expecting 'u')"},
		{"not UTF-8", "{\n\"pay\xff\": []}", "f.json:2: the text is not UTF-8, want UTF-8"},
		{"two objects", "{\"a\": []}\n{}", "f.json:2: there is more after the end of the object, want one object"},
		{"a list", "[]", "f.json: found a list, want an object {goal: [task, …]}"},
		{"no goals", "{}", "f.json: there are no goals, want an object {goal: [task, …]}"},
		{"no tasks", `{"pay_bill": []}`, "f.json: there are no tasks, want an object {goal: [task, …]}"},
		{"tasks of one goal", `{"pay_bill": {}}`, "f.json: pay_bill: found an object, want a list of tasks"},
		{"task", `{"pay_bill": [3]}`, "f.json: pay_bill[0]: found the number 3, want an object"},
		{"goal", `{"pay bill": [3]}`, `f.json: the goal "pay bill" is not a name, want letters, digits and _`},
		{"database", string(set("initial_database", nil)), "f.json: pay_bill[0].initial_database: found null, want an object"},
		{"verdict", string(set("action_should_succeed", "yes")), `f.json: pay_bill[0].action_should_succeed: found the text "yes", want true or false`},
		{"user_goal", string(set("user_goal", "pay_loan")), `f.json: pay_bill[0].user_goal: found the text "pay_loan", want "pay_bill" as the key of the list says`},
		{"operator", string(set("constraints", []any{"nand", []any{}})), `f.json: pay_bill[0].constraints: unknown operator "nand", did you mean "and"`},
		{"tree", string(set("constraints", "x")), `f.json: pay_bill[0].constraints: found the text "x", want ["single", name, {parameter: source}] or ["and", [tree, …]]`},
		{"literal source", string(set("constraints", []any{"or", []any{leaf}})), `f.json: pay_bill[0].constraints[1][0][2]: "username" is filled from the text "value 3", want a parameter's name`},
		{"depth", string(set("constraints", deep)), ": the tree is nested deeper than 64"},
		{"node", string(set("directed_action_graph", map[string]any{"nodes": []any{3}})), `f.json: pay_bill[0].directed_action_graph.nodes[0]: found the number 3, want "and", "or" or [name, {parameter: variable}]`},
		{"other domain", strings.Replace(string(good), `"pay_bill": [`, `"milk_cow": [`, 1), "f.json: no built-in domain knows more than half of the 1 goals (milk_cow), want a task file of " + strings.Join(Builtin(), ", ")},
	} {
		_, err := readTaskFile("f.json", []byte(c.text))
		if err == nil || !strings.HasSuffix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v\nwant %s", c.name, err, c.want)
		}
	}
}

func FuzzTasks(f *testing.F) {
	f.Add(taskText(f, "pay_bill", nil))
	f.Add(taskText(f, "freeze_card", func(task map[string]any) { task["constraints"] = nil }))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := readTaskFile("bank_tasks.json", text)
		if (c == nil) == (err == nil) {
			t.Fatalf("corpus %v and error %v", c, err)
		}
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Fatal("an error without a text")
		}
	})
}

func FuzzYAML(f *testing.F) {
	archive, err := os.ReadFile("testdata/pack.txtar")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(archive[bytes.IndexByte(archive, '\n'):])
	f.Add([]byte("conditions: {a: &a [*a, {not: b}]}\n"))
	f.Add([]byte("? [a]\n: !!str b\n<<: *c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := &sop.Domain{}
		source, problems := decodeYAML("f", text, d)
		if !source.broken[""] {
			v := newValidator(&pack{domain: d, source: source})
			v.words()
			problems = append(problems, v.problems...)
		}
		for _, p := range problems {
			if strings.ContainsAny(p.String(), "\n\r") {
				t.Fatalf("a problem of several lines: %q", p)
			}
		}
	})
}
