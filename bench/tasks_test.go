package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

// attempt has a scripted agent do the tasks and returns the verdicts.
func attempt(t *testing.T, domain string, tasks []*Task, agent string) (verdicts []Verdict) {
	t.Helper()
	desk, err := NewDesk(domain, tasks)
	if err != nil {
		t.Fatal(err)
	}
	live := &Live{Desk: desk, Agent: NewBaseline(agent), User: FixedUser{}, Tools: "full", Judge: Corrected()}
	err = live.Run(context.Background(), tasks, t.TempDir(), run.Options{}, func(o LiveOutcome) error {
		if o.Verdict == nil {
			t.Fatalf("%s: task %d: %s", domain, o.Index, o.Error)
		}
		verdicts = append(verdicts, *o.Verdict)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

func passed(verdicts []Verdict) (n int) {
	for _, v := range verdicts {
		if v.Success {
			n++
		}
	}
	return n
}

// TestSampledTasks draws tasks of every domain: they are read by all who read
// task files; the oracle passes each, who does nothing exactly those that want a
// refusal, and who calls the goal at once few.
func TestSampledTasks(t *testing.T) {
	const n = 14
	for _, name := range corpus.Builtin() {
		var file bytes.Buffer
		found, err := (&Sampling{Domain: name, N: n, Seed: 11}).Write(context.Background(), &file)
		if err != nil {
			t.Fatal(err)
		}
		if found.Tasks != n || found.Succeed+found.Refuse != n || found.Succeed < found.Refuse-4 || found.Refuse < found.Succeed-8 {
			t.Errorf("%s: %+v", name, found)
		}
		path := filepath.Join(t.TempDir(), TaskFile(name))
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		tasks, _, err := ReadTaskFile(path, name)
		if err != nil || len(tasks) != n {
			t.Fatalf("%s: %d tasks: %v", name, len(tasks), err)
		}
		for i, task := range tasks {
			for _, other := range tasks[:i] {
				if task.same(other) {
					t.Errorf("%s: tasks %d and %d are the same", name, other.Index, i)
				}
			}
		}
		c, err := corpus.Load(path)
		if err != nil || len(c.Notes) > 0 {
			t.Errorf("%s: not all tasks make a corpus: %v %v", name, c, err)
		}

		if p := passed(attempt(t, name, tasks, "baseline:oracle")); p != n {
			t.Errorf("%s: the oracle passes %d of %d", name, p, n)
		}
		for i, v := range attempt(t, name, tasks, "baseline:nothing") {
			if v.Success == tasks[i].ShouldSucceed {
				t.Errorf("%s: doing nothing passes task %d (%s), which should succeed: %v", name, i, tasks[i].Goal, v.Success)
			}
		}
		atOnce := passed(attempt(t, name, tasks, "baseline:at-once"))
		t.Logf("%s: at once %d of %d", name, atOnce, n)
		if atOnce > n/4 {
			t.Errorf("%s: calling the goal at once passes %d of %d", name, atOnce, n)
		}
	}
}

func TestSamplingIsDeterministic(t *testing.T) {
	draw := func(seed uint64, workers int) string {
		var file bytes.Buffer
		if _, err := (&Sampling{Domain: "healthcare", N: 12, Seed: seed, Workers: workers}).Write(context.Background(), &file); err != nil {
			t.Fatal(err)
		}
		return file.String()
	}
	one := draw(5, 1)
	if draw(5, 16) != one {
		t.Error("16 workers draw other tasks than one")
	}
	if draw(6, 1) == one {
		t.Error("another seed draws the same tasks")
	}
}

// TestRealise holds the states that are found against the facts that were
// wanted, and sees that they differ.
func TestRealise(t *testing.T) {
	r, err := NewRealiser("library")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	var last *State
	drawn, unrealised := 0, 0
	for _, p := range r.Corpus.Domain.Procedures {
		v, err := r.Corpus.Domain.Variant(p, sop.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		worlds, err := sop.NewSampler(v)
		if err != nil {
			t.Fatal(err)
		}
		for k := range worlds.Worlds() {
			if worlds.Count(k) == 0 {
				continue
			}
			facts := worlds.Facts(worlds.Worlds()[k][rng.IntN(worlds.Count(k))])
			drawn++
			state, _, err := r.Realise(v, facts, nil, rng)
			if errors.Is(err, ErrUnrealised) {
				unrealised++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			scenario, err := r.Read(v, state)
			if err != nil {
				t.Fatal(err)
			}
			for name, fact := range facts {
				if scenario.Facts[name] != fact {
					t.Errorf("%s: %s is %v, want %v", p.Goal, name, scenario.Facts[name], fact)
				}
			}
			if last != nil && python.Equal(state.Database, last.Database) {
				t.Errorf("%s: the same database twice", p.Goal)
			}
			last = state
		}
	}
	if drawn < 20 || unrealised > drawn/10 {
		t.Errorf("of %d assignments of facts %d have no database", drawn, unrealised)
	}
	if _, err := NewRealiser("../examples"); err == nil {
		t.Error("a folder without tools.star has a realiser")
	}
}

// TestActionGraph writes one graph by hand.
func TestActionGraph(t *testing.T) {
	c, err := corpus.Load("bank")
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Domain.Variant(c.Domain.Procedure("pay_bill"), sop.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := world.Encode(actionGraph(v).Value())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"nodes":[["pay_bill",{"amount":"amount","unit":"unit","username":"username"}],"and",` +
		`"and",["internal_check_username_exist",{"username":"username"}],["get_account_balance",{"username":"username"}],` +
		`"and",["login_user",{"identification":"identification","username":"username"}]],` +
		`"connections":[[0,1],[1,2],[1,6],[2,3],[2,4],[4,5],[5,3],[5,6]]}`
	if string(text) != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, text)
	}
}

// TestBaselines has the scripted agents do the public tasks.
func TestBaselines(t *testing.T) {
	for name, want := range oracleFails {
		tasks, err := ReadTasks(filepath.Join(shared(t), "tasks"), name)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range attempt(t, name, tasks, "baseline:nothing") {
			if v.Success == tasks[i].ShouldSucceed {
				t.Errorf("%s: doing nothing passes task %d (%s), which should succeed: %v", name, i, tasks[i].Goal, v.Success)
			}
		}
		atOnce := passed(attempt(t, name, tasks, "baseline:at-once"))
		if atOnce > len(tasks)/8 {
			t.Errorf("%s: calling the goal at once passes %d of %d", name, atOnce, len(tasks))
		}
		var fails []string
		verdicts := attempt(t, name, tasks, "baseline:oracle")
		for i, v := range verdicts {
			if !v.Success {
				fails = append(fails, fmt.Sprint(tasks[i].Goal, " ", i))
			}
		}
		t.Logf("%s: the oracle passes %d of %d, at once %d", name, passed(verdicts), len(tasks), atOnce)
		if !slices.Equal(fails, want) {
			t.Errorf("%s: the oracle fails %q, want %q", name, fails, want)
		}
	}
}

// oracleFails are public tasks that the oracle does not pass, all of the bank and
// all to succeed: cards are cancelled and pay bills by tools that no agent is
// offered, the loan limit asks for the whole database, which is not offered
// either, and in the others balances have to be read, which takes a login, while
// the user knows no identification: the original counts a login without one.
var oracleFails = map[string][]string{
	"bank": {
		"cancel_credit_card 12", "cancel_credit_card 15", "cancel_credit_card 17", "cancel_credit_card 19", "cancel_credit_card 22",
		"cancel_credit_card 26", "get_bank_maximum_loan_amount 44", "get_loan 49", "get_loan 54", "pay_bill 71",
		"pay_bill_with_credit_card 76", "pay_bill_with_credit_card 78", "pay_loan 81", "pay_loan 82", "set_safety_box 95",
		"set_safety_box 108", "transfer_funds 139",
	},
	"dmv": nil, "healthcare": nil, "online_market": nil, "hotel": nil,
}

// TestExecute holds executed scenarios against the facts that were wanted and,
// where a tool says one by itself, against what it answers.
func TestExecute(t *testing.T) {
	r, err := NewRealiser("dmv")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	answers := 0
	for _, p := range r.Corpus.Domain.Procedures {
		v, err := r.Corpus.Domain.Variant(p, sop.Choice{Names: map[string]string{"internal_has_vehicle": "owns_vehicle"}})
		if err != nil {
			t.Fatal(err)
		}
		worlds, err := sop.NewSampler(v)
		if err != nil {
			t.Fatal(err)
		}
		var records any
		for k := range worlds.Worlds() {
			if worlds.Count(k) == 0 {
				continue
			}
			facts := worlds.Facts(worlds.Worlds()[k][rng.IntN(worlds.Count(k))])
			scenario, made, err := r.Execute(v, facts, records, rng)
			if errors.Is(err, ErrUnrealised) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			records = made
			for name, fact := range facts {
				if scenario.Facts[name] != fact {
					t.Errorf("%s: %s is %v, want %v", p.Goal, name, scenario.Facts[name], fact)
				}
				if answer, executed := scenario.Results[name]; executed && (answer == "True" || answer == "False") {
					answers++
					if (answer == "True") != fact {
						t.Errorf("%s: %s answers %s, the fact is %v", p.Goal, name, answer, fact)
					}
				}
			}
			if _, called := scenario.Results[v.Goal]; called {
				t.Errorf("%s: the goal was called", p.Goal)
			}
		}
	}
	if answers < 20 {
		t.Errorf("only %d answers are facts", answers)
	}
}
