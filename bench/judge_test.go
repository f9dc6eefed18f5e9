package bench

import (
	"bytes"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/starlark"
)

// parse evaluates a Python literal.
func parse(t testing.TB, text string) starlark.Value {
	t.Helper()
	v, err := python.Eval(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// TestMends holds every mend against a run that the official evaluator judges
// amiss. Criteria are written T or F, in their order.
func TestMends(t *testing.T) {
	const enter = `login_user {"username": "petra_holm", "identification": "mossy-gate-41"} -> True`
	for _, c := range []struct {
		mend, domain, goal string
		constraints, graph string
		edit               string // of the example, at the end: PATH = value
		calls              string
		official, mended   string
	}{
		{
			"json", "dmv", "update_test_status", `["single", "logged_in_user", {"username": "username"}]`,
			`{"nodes": [["update_test_status", {"username": "username"}], ["login_user", {"username": "username"}]], "connections": [[0, 1]]}`,
			`accounts/petra_holm/tests/knowledge = {"status": "not scheduled", "scheduled_time": None, "attempts": 2}`,
			enter + "\n" + `update_test_status {"username": "petra_holm", "test_type": "knowledge", "passed": false} -> True`,
			"FTFFFTF", "TTTTTTT",
		},
		{
			"content", "dmv", "get_dl_status", `None`, `{"nodes": [["get_dl_status", {}]], "connections": []}`,
			`accounts/petra_holm/driver_license/exp_date = "2025-11-30"`,
			`get_dl_status {"username": "petra_holm"} -> 2025-11-30`,
			"TFTFFTF", "TTTFFTF",
		},
		{
			"result", "dmv", "get_dl_status", `None`, `{"nodes": [["get_dl_status", {}]], "connections": []}`, "",
			`get_dl_status {"username": "petra_holm"} -> 2025-04-30`,
			"TTTFFTF", "TTTTTTT",
		},
		{
			"unoffered", "bank", "deposit_funds", `None`, `{"nodes": [["deposit_funds", {}]], "connections": []}`,
			`accounts/petra/balance = 813.5`,
			`pay_bill_with_credit_card {"username": "petra", "amount": 5, "card_number": "4"} -> Error: Tool pay_bill_with_credit_card not found.` + "\n" +
				`deposit_funds {"username": "petra", "amount": 1, "unit": "dollars", "deposit_form": "cash"} -> True`,
			"FTTTTTF", "TTTTTTT",
		},
		{
			"login", "bank", "close_account", `["single", "logged_in_user", {"username": "username"}]`,
			`{"nodes": [["close_account", {"username": "username"}], ["login_user", {"username": "username"}]], "connections": [[0, 1]]}`,
			`accounts/omar = None`,
			`login_user {"username": "omar", "identification": "wrong"} -> False` + "\n" + `close_account {"username": "omar"} -> True`,
			"TTTTTTT", "TFFTTTF",
		},
		{
			"guard", "dmv", "show_available_test_slots", `None`, `{"nodes": [["show_available_test_slots", {}]], "connections": []}`, "",
			`login_user {"username": "nobody", "identification": "x"} -> False` + "\n" +
				`cancel_test {"username": "nobody", "test_type": "drive"} -> False` + "\n" +
				`show_available_test_slots {"username": "petra_holm", "test_type": "drive"} -> (True, ['2025-03-05T13:30:00'])`,
			"FTTTTTF", "TTTTTFF",
		},
		{
			"cards", "bank", "get_credit_card_info", `["single", "internal_check_username_exist", {"username": "username"}]`,
			`{"nodes": [["get_credit_card_info", {"username": "username"}]], "connections": []}`,
			`accounts/petra/credit_cards = [{"card_number": "4", "credit_limit": 5.0, "credit_balance": 0.0}]`,
			`get_credit_card_info {"username": "petra", "card_number": "4"} -> (True, {'card_number': '4', 'credit_limit': 5.0, 'credit_balance': 0.0})`,
			"TFTTTTF", "TTTTTTT",
		},
		{
			"format", "dmv", "update_test_status", `None`, `{"nodes": [["update_test_status", {}]], "connections": []}`,
			`accounts/tom_lind/tests/drive/status = "passed"
			accounts/tom_lind/driver_license = {"dl_number": "D  12345678", "legal_name": "tom_lind", "exp_date": "2030-02-01", "address": "2 Mill Road"}`,
			`update_test_status {"username": "tom_lind", "test_type": "drive", "passed": True} -> True`,
			"TTFTTTF", "TTTTTTT",
		},
		{
			"binding", "online_market", "exchange_product", `None`,
			`{"nodes": [["exchange_product", {"new_product_id": "new_product_id", "order_id": "order_id"}], ["get_product_details", {"product_id": "new_product_id"}]], "connections": [[0, 1]]}`,
			`products/Kettle/stock = 13
			products/Lamp/stock = 4
			accounts/noor/order_history = [{"order_id": "ORD-1", "items": [{"product_id": "Kettle", "quantity": 1, "price": 29.5}], "status": "Delivered", "total_amount": 29.5, "shipping_address": "8 Quay Rd, Northport", "order_placed_date": "2031-02-10", "number_of_exchanges": 1, "coupons_used": ["LIGHT5"]}]`,
			`get_product_details {"product_id": "Lamp"} -> {'price': 42.5, 'stock': 3, 'description': 'Desk lamp', 'reviews': [], 'average_rating': 0}` + "\n" +
				`exchange_product {"username": "noor", "order_id": "ORD-1", "old_product_id": "Lamp", "new_product_id": "Kettle", "quantity": 1} -> True`,
			"TTTTTTT", "TTTTTFF",
		},
	} {
		d, err := world.Load(c.domain)
		if err != nil {
			t.Fatal(err)
		}
		example, _ := d.Example()
		task := &Task{Domain: c.domain, Goal: c.goal, Database: python.Copy(example).(*starlark.Dict), ShouldSucceed: true}
		if task.Constraints, err = world.ReadTree(parse(t, c.constraints)); err != nil {
			t.Fatal(err)
		}
		if task.Graph, err = world.ReadGraph(parse(t, c.graph)); err != nil {
			t.Fatal(err)
		}
		run := &Run{}
		for _, line := range strings.Split(c.calls, "\n") {
			call, content, _ := strings.Cut(line, " -> ")
			name, args, _ := strings.Cut(call, " ")
			run.Calls = append(run.Calls, Call{name, args, content})
			run.Whole = run.Whole || strings.HasPrefix(content, "(")
		}
		final := python.Copy(example).(*starlark.Dict)
		for _, line := range strings.Split(c.edit, "\n") {
			set(t, final, strings.TrimSpace(line))
		}
		if c.mend == "cards" || c.mend == "content" { // not an effect of the calls, but there from the start
			set(t, task.Database, c.edit)
		}
		run.Database = final
		if got := letters(t, Official(), d, task, run); got != c.official {
			t.Errorf("%s: the official judge says %s, want %s", c.mend, got, c.official)
		}
		for _, m := range Mends {
			if m.Name == c.mend {
				if got := letters(t, With(m), d, task, run); got != c.mended {
					t.Errorf("%s: mended %s, want %s", c.mend, got, c.mended)
				}
			}
		}
	}
}

// set changes a database: PATH = value, where None takes the key away.
func set(t *testing.T, database *starlark.Dict, edit string) {
	t.Helper()
	path, text, ok := strings.Cut(edit, " = ")
	if !ok {
		return
	}
	keys := strings.Split(path, "/")
	at := database
	for _, key := range keys[:len(keys)-1] {
		next, _, _ := at.Get(starlark.String(key))
		at = next.(*starlark.Dict)
	}
	last := starlark.String(keys[len(keys)-1])
	v := parse(t, text)
	if v == starlark.None {
		_, _, _ = at.Delete(last)
	} else if err := at.SetKey(last, v); err != nil {
		t.Fatal(err)
	}
}

func letters(t *testing.T, j *Judge, d *world.Domain, task *Task, run *Run) string {
	t.Helper()
	v, err := j.Judge(d, task, run)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, holds := range v.Values() {
		b.WriteByte(map[bool]byte{true: 'T', false: 'F'}[holds])
	}
	return b.String()
}

// TestMendsOnRecords counts the recorded tasks that each mend changes, and
// what then passes.
func TestMendsOnRecords(t *testing.T) {
	for file, want := range map[string]struct {
		passed  int
		changed map[string]int
	}{
		"bank.claude-3-5-sonnet-20241022.react.json.zst":    {98, map[string]int{"unoffered": 3, "result": 15, "guard": 2, "cards": 13}},
		"bank.gemini-2.0-flash-thinking-exp.react.json.zst": {119, map[string]int{"unoffered": 2, "result": 8, "cards": 12}},
		"bank.gpt-4o-mini.fc.json.zst":                      {53, map[string]int{"result": 38, "cards": 5}},
		"dmv.gpt-4.1.fc.json.zst":                           {100, map[string]int{"json": 1, "content": 2, "result": 17}},
		"dmv.llama3.1-70b-it-fireworks.react.json.zst":      {56, map[string]int{"json": 2, "unoffered": 3, "result": 26, "login": 1}},
		"dmv.o4-mini-high.fc.json.zst":                      {99, map[string]int{"json": 1, "content": 1, "result": 14}},
	} {
		r := &Replay{Tasks: filepath.Join(shared(t), "tasks"), Judge: Corrected(), Compare: true}
		var tally Tally
		err := r.File(t.Context(), filepath.Join(shared(t), "runs", file), func(o Outcome) error { tally.Add(o); return nil })
		if err != nil {
			t.Fatal(err)
		}
		changed := map[string]int{}
		for m, items := range tally.Changed {
			changed[m] = len(items)
		}
		if tally.Passed[0] != want.passed || !maps.Equal(changed, want.changed) {
			t.Errorf("%s: passed %d, changed %v; want %d, %v", file, tally.Passed[0], changed, want.passed, want.changed)
		}
	}
}

func FuzzRuns(f *testing.F) {
	f.Add([]byte(`[{"domain":"bank","task":{"user_goal":"pay_bill","initial_database":{},"constraint_parameters":{},"constraints":null,"action_should_succeed":true,"directed_action_graph":{"nodes":[["pay_bill",{}]],"connections":[]}},"interactions":[{"interaction":[{"tool_calls":[{"function":{"name":"pay_bill","arguments":"{}"}}]},{"tool_name":"pay_bill","content":"True"},{}],"database":{}}]}]`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`[{"domain":"dmv","task":{"user_goal":1}}]`))
	bank, err := corpus.Load("bank")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		runs, err := decodeRuns(bytes.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of several lines: %q", err)
			}
			return
		}
		for _, item := range runs.Items {
			d, err := world.Load("bank")
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range item.Runs {
				_, _ = Official().Judge(d, item.Task, run)
				_, _ = Corrected().Judge(d, item.Task, run)
				item.Task.Domain = d.Name
				if err := new(Shown).layOut(Official(), bank.Domain, item.Task, run, false); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	d, err := world.Load("dmv")
	if err != nil {
		b.Fatal(err)
	}
	runs, err := ReadRuns(filepath.Join(shared(b), "runs/dmv.gpt-4.1.fc.json.zst"))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		item := runs.Items[i%len(runs.Items)]
		if _, err := Official().Judge(d, item.Task, item.Runs[0]); err != nil {
			b.Fatal(err)
		}
	}
}
