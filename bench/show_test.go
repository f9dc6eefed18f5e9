package bench

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop/corpus"
)

// TestShowRecorded lays out every recorded run: each call stands there once, in
// order; the criteria are the verdict; whatever fails has a reason, and nothing
// else has one but the answer of the goal; and the calls, made again as the
// agent made them, lead to the recorded database.
func TestShowRecorded(t *testing.T) {
	for _, file := range readTruth(t).Files {
		runs, err := ReadRuns(filepath.Join(shared(t), "runs", file.File))
		if err != nil {
			t.Fatal(err)
		}
		c, err := corpus.Load(file.Domain)
		if err != nil {
			t.Fatal(err)
		}
		for name, judge := range map[string]*Judge{"official": Official(), "corrected": Corrected()} {
			r := &Replay{Judge: judge}
			for i, item := range runs.Items {
				where := fmt.Sprintf("%s, item %d, %s", file.File, i, name)
				s := &Shown{Outcome: r.item(file.File, i, item, item.Task)[0]}
				if err := s.layOut(judge, c.Domain, item.Task, item.Runs[0], item.Strict); err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				checkShown(t, where, s, item)
			}
		}
	}
}

func checkShown(t *testing.T, where string, s *Shown, item *Item) {
	t.Helper()
	var calls []*ShownCall
	for _, m := range s.Messages {
		if m.Call != nil {
			calls = append(calls, m.Call)
		}
	}
	if len(calls) != len(item.Runs[0].Calls) {
		t.Fatalf("%s: %d calls are shown of %d", where, len(calls), len(item.Runs[0].Calls))
	}
	broken := false
	for i, c := range calls {
		if want := item.Runs[0].Calls[i]; c.Index != i || c.Tool != want.Name || c.Answer != want.Content {
			t.Errorf("%s: call %d is shown as %d, %s", where, i, c.Index, c.Tool)
		}
		broken = broken || len(c.Broken) > 0
		for _, b := range slices.Concat(c.Broken, c.Refused) {
			if strings.Contains(b.Why, "{") || b.Rule == "" || b.State != isFalse && b.State != isUnknown {
				t.Errorf("%s: call %d: %+v", where, i, b)
			}
		}
	}
	for i, holds := range s.Values() {
		c := s.Criteria[i]
		told := len(c.Why) > 0
		always, never := c.Name == "action_successfully_called", c.Name == "success"
		if c.Name != Criteria[i] || c.Holds != holds || told != (always || !holds && !never) {
			t.Errorf("%s: %s is %v, shown as %+v", where, Criteria[i], holds, c)
		}
	}
	if !s.DirgraphSatisfied && !broken {
		t.Errorf("%s: no call breaks a rule, and the graph is not followed", where)
	}
	if s.Differs {
		t.Errorf("%s: executed again, the calls lead to another database", where)
	}
}

// TestShowFindsTheRule holds what is said of a call against rules that were
// broken on purpose.
func TestShowFindsTheRule(t *testing.T) {
	pack, err := corpus.Load("dmv")
	if err != nil {
		t.Fatal(err)
	}
	const login = `login_user {"username": "petra_holm", "identification": "mossy-gate-41"} -> True`
	for _, c := range []struct {
		constraints, graph, calls string
		want                      []string // of the last call
	}{
		{
			`["single", "logged_in_user", {"username": "username"}]`, `[["get_dl_status", {}]]`,
			`get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			[]string{"logged_in_user(username='petra_holm') false"},
		},
		{
			`["and", [["single", "internal_check_username_exist", {"username": "username"}], ["or", [["single", "logged_in_user", {"username": "username"}], ["single", "not internal_has_dl", {"username": "username"}]]]]]`,
			`[["get_dl_status", {}]]`,
			`get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			[]string{"logged_in_user(username='petra_holm') false", "not internal_has_dl(username='petra_holm') false"},
		},
		{
			`["or", [["single", "logged_in_user", {"username": "username"}], ["single", "internal_has_dl", {"username": "username"}]]]`, `[["get_dl_status", {}]]`,
			`get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			nil,
		},
		{
			`["single", "internal_has_vehicle", {"username": "username", "plate_num": "plate"}]`, `[["get_dl_status", {}]]`,
			`get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			[]string{"internal_has_vehicle() unknown"},
		},
		{
			`None`, `[["get_dl_status", {"username": "username"}], ["login_user", {"username": "username"}]], "connections": [[0, 1]]`,
			`get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			[]string{"login_user(username='petra_holm') unknown"},
		},
		{
			`None`, `[["get_dl_status", {"username": "username"}], ["login_user", {"username": "username"}]], "connections": [[0, 1]]`,
			login + "\n" + `get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			nil,
		},
		{
			`None`, `[["get_dl_status", {"username": "username"}], "or", "and", ["login_user", {"username": "username"}], ["internal_has_dl", {"username": "username"}], ["internal_get_database", {}], "or", ["get_reg_status", {}]], "connections": [[0, 1], [1, 2], [1, 5], [1, 6], [2, 3], [2, 4], [6, 7]]`,
			login + "\n" + `get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			[]string{"internal_has_dl(username='petra_holm') or get_reg_status() unknown"},
		},
		{
			`None`, `[["get_dl_status", {"username": "username"}], ["internal_has_dl", {"username": "username"}], ["login_user", {"username": "username"}]], "connections": [[0, 1], [1, 2]]`,
			`internal_has_dl {"username": "petra_holm"} -> (True, True)` + "\n" + `get_dl_status {"username": "petra_holm"} -> (True, '2025-04-30')`,
			[]string{"internal_has_dl(username='petra_holm'), which was called too early itself unknown"},
		},
	} {
		task, run := byHand(t, "dmv", "get_dl_status", c.constraints, c.graph, c.calls)
		s := &Shown{}
		if err := s.layOut(Corrected(), pack.Domain, task, run, false); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range s.Messages[len(s.Messages)-1].Call.Broken {
			got = append(got, b.Rule+" "+b.State)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %s:\n%s\n got %q\nwant %q", c.constraints, c.graph, c.calls, got, c.want)
		}
	}
}

// byHand is a task on the example of a domain, and a run with a message a call.
func byHand(t *testing.T, domain, goal, constraints, graph, calls string) (*Task, *Run) {
	t.Helper()
	d, err := world.Load(domain)
	if err != nil {
		t.Fatal(err)
	}
	task := &Task{Domain: domain, Goal: goal, ShouldSucceed: true}
	task.Database, _ = d.Example()
	if task.Constraints, err = world.ReadTree(parse(t, constraints)); err != nil {
		t.Fatal(err)
	}
	if task.Graph, err = world.ReadGraph(parse(t, `{"nodes": `+graph+`}`)); err != nil {
		t.Fatal(err)
	}
	run := &Run{Database: task.Database}
	for i, line := range strings.Split(calls, "\n") {
		call, content, _ := strings.Cut(line, " -> ")
		name, args, _ := strings.Cut(call, " ")
		run.Calls = append(run.Calls, Call{name, args, content})
		run.calledAt = append(run.calledAt, i)
		run.messages = append(run.messages, messageJSON{})
	}
	return task, run
}

func TestFind(t *testing.T) {
	runs := &Runs{}
	for _, goal := range []string{"pay_bill", "login_user", "pay_bill"} {
		runs.Items = append(runs.Items, &Item{Task: &Task{Goal: goal}})
	}
	for _, c := range []struct {
		task string
		at   int
		err  string
	}{
		{"0", 0, ""},
		{"2", 2, ""},
		{"pay_bill/0", 0, ""},
		{"pay_bill/1", 2, ""},
		{"login_user/0", 1, ""},
		{"3", 0, "there is no item 3, want 0 to 2"},
		{"-1", 0, "there is no item -1, want 0 to 2"},
		{"pay_bill/2", 0, "there is no item pay_bill/2, want pay_bill/0 to pay_bill/1"},
		{"login_user/x", 0, "there is no item login_user/x, want login_user/0"},
		{"pay_bill", 0, "pay_bill is a goal, want pay_bill/0 to pay_bill/1"},
		{"pay_bil/0", 0, `no item has the goal "pay_bil"`},
		{"", 0, `no item has the goal ""`},
		{"/1", 0, `no item has the goal ""`},
	} {
		at, err := runs.Find(c.task)
		if c.err == "" && (err != nil || at != c.at) || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s: %d, %v; want %d, %s", c.task, at, err, c.at, c.err)
		}
	}
	_, err := runs.Find("pay_bil/0")
	var none *NoGoalError
	if !errors.As(err, &none) || !slices.Equal(none.Goals, []string{"pay_bill", "login_user"}) {
		t.Errorf("%v names the goals %v", err, none)
	}
	if _, err := new(Runs).Find("0"); err == nil {
		t.Error("an item of an empty file is found")
	}
}
