package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoTasks are one that is to be carried out and one that is to be refused.
const twoTasks = `{"pay_bill": [` + paidTask + `, ` + refusedTask + `]}`

const (
	paidTask = `{"initial_database": {"accounts": {"ann": {"identification": "pw", "admin_password": "x", "balance": 100, "owed_balance": 0.0, "credit_score": 600, "safety_box": "", "credit_cards": []}}, "foreign_exchange": {}, "interaction_time": "2025-02-03T09:15:00"},
` + taskRules + `
"user_known": {"username": "ann", "identification": "pw", "amount": 20, "unit": "dollars"},
"action_should_succeed": true, "user_instruction": "You want your bill of 20 dollars paid.", "user_prompt": "Hello, I am ann; please pay my bill of 20 dollars."}`
	refusedTask = `{"initial_database": {"accounts": {"bob": {"identification": "qw", "admin_password": "x", "balance": 10, "owed_balance": 0.0, "credit_score": 600, "safety_box": "", "credit_cards": []}}, "foreign_exchange": {}, "interaction_time": "2025-02-03T09:15:00"},
` + taskRules + `
"user_known": {"username": "bob", "identification": "qw", "amount": 20, "unit": "dollars"},
"action_should_succeed": false, "user_instruction": "You want your bill of 20 dollars paid.", "user_prompt": "Good day, bob here; I want my bill of 20 dollars paid."}`
	taskRules = `"constraint_parameters": {"maximum_owed_balance": 500, "maximum_exchange": 3000, "minimum_credit_score": 600, "minimum_account_balance_safety_box": 300, "maximum_deposit": 10000},
"constraints_original": ["and", [["single", "internal_check_username_exist", {"username": "username"}], ["single", "sufficient_account_balance", {"username": "username", "amount": "amount"}], ["single", "logged_in_user", {"username": "username"}]]],
"constraints": ["and", [["chain", [["single", "internal_check_username_exist", {"username": "username"}], ["single", "sufficient_account_balance", {"username": "username", "amount": "amount"}]]], ["single", "logged_in_user", {"username": "username"}]]],
"directed_action_graph": {"nodes": [["pay_bill", {"username": "username", "amount": "amount", "unit": "unit"}], "and", ["login_user", {"username": "username", "identification": "identification"}], ["get_account_balance", {"username": "username"}]], "connections": [[0, 1], [1, 2], [1, 3], [3, 2]]},`
)

// readTwo reads twoTasks, and what a live run of them needs.
func readTwo(t *testing.T) ([]*Task, *Desk) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tasks.json")
	require.NoError(t, os.WriteFile(path, []byte(twoTasks), 0o600))
	tasks, _, err := ReadTaskFile(path, "bank")
	require.NoError(t, err)
	desk, err := NewDesk("bank", tasks)
	require.NoError(t, err)
	return tasks, desk
}

// turns is an agent that takes these turns, in each conversation from the
// first.
type turns []Turn

func (turns) Name() string { return "turns" }

func (s turns) Next(_ context.Context, c *Conversation) (Turn, error) {
	n := 0
	for _, t := range c.Turns {
		if t.From == FromAgent {
			n++
		}
	}
	turn := s[min(n, len(s)-1)]
	if turn.Call != nil {
		call := *turn.Call
		turn.Call = &call
	}
	return turn, nil
}

func makes(name, arguments string) Turn { return Turn{Call: &Call{Name: name, Arguments: arguments}} }

func TestConverse(t *testing.T) {
	tasks, desk := readTwo(t)
	login := makes("login_user", `{"username":"ann","identification":"pw"}`)
	exit := makes(Exit, "{}")
	pay := makes("pay_bill", `{"username":"ann","amount":20,"unit":"dollars"}`)
	says := Turn{Text: "What for?"}
	unusable := Turn{Text: "Action:", Fault: "it names no tool"}
	for _, test := range []struct {
		name     string
		agent    turns
		end      End
		turns    int // the opening too
		observed []string
		balance  string
	}{
		{"pays", turns{login, pay, exit}, EndExit, 4, []string{"True", "True", ""}, "80"},
		{"nothing but the agent follows the rules", turns{pay, exit}, EndExit, 3, []string{"True", ""}, "80"},
		{"talks", turns{says}, EndMessages, 21, nil, "100"},
		{"talks between", turns{says, login, exit}, EndExit, 5, []string{"True", ""}, "100"},
		{"calls for ever", turns{login}, EndCalls, 11, []string{"True", "True", "True", "True", "True", "True", "True", "True", "True", "True"}, "100"},
		{"cannot be read for ever", turns{unusable}, EndMessages, 11, nil, "100"},
		{"a tool that is not offered", turns{makes("cancel_credit_card", `{}`), makes("internal_get_database", `{}`), exit}, EndExit, 4,
			[]string{"Error: Tool cancel_credit_card not found.", "Error: Tool internal_get_database not found.", ""}, "100"},
		{"arguments that are wrong", turns{makes("login_user", `{"user":"ann"}`), exit}, EndExit, 3,
			[]string{"TypeError: login_user() got an unexpected keyword argument 'user'", ""}, "100"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &Live{Desk: desk, Agent: test.agent, User: FixedUser{}, Tools: "full", Judge: Corrected()}
			c, err := desk.Open(tasks[0], l.Tools, true)
			require.NoError(t, err)
			database, end, err := l.converse(t.Context(), t.Context(), c)
			require.NoError(t, err)
			assert.Equal(t, test.end, end)
			assert.Len(t, c.Turns, test.turns)
			var observed []string
			for _, turn := range c.Turns {
				if turn.Call != nil {
					observed = append(observed, turn.Call.Content)
				}
			}
			assert.Equal(t, test.observed, observed)
			left, err := world.Encode(database)
			require.NoError(t, err)
			assert.Contains(t, string(left), `"balance":`+test.balance+`,`)
		})
	}
}

// typist is a model that does as the rules of twoTasks demand, in a text.
type typist struct {
	asked atomic.Int64
	after func(n int64) // each request; may be nil
}

func (*typist) Name() string { return "openai:typist" }

var customerName = regexp.MustCompile(`(ann|bob)[0-9]*`)

func (m *typist) Chat(_ context.Context, q llm.Request) (llm.Reply, error) {
	if n := m.asked.Add(1); m.after != nil {
		m.after(n)
	}
	user := customerName.FindString(q.Messages[1].Text)
	secret := map[string]string{"ann": "pw", "bob": "qw"}[user[:3]]
	steps := []string{
		fmt.Sprintf("login_user\nAction Input: {'username': %q, 'identification': %q}", user, secret),
		fmt.Sprintf("get_account_balance(username=%q)", user),
		fmt.Sprintf("pay_bill\nAction Input: {\"username\": %q, \"amount\": 20, \"unit\": \"dollars\"}", user),
		Exit,
	}
	if user[:3] == "bob" {
		steps = slices.Delete(steps, 2, 3)
	}
	done := 0
	for _, x := range q.Messages {
		done += strings.Count(x.Text, "Observation: ")
	}
	return llm.Reply{Text: "Thought: go on\nAction: " + steps[done], Finish: llm.FinishStop}, nil
}

// many are twoTasks for n customers of each kind.
func many(t *testing.T, n int) ([]*Task, *Desk) {
	t.Helper()
	var list []string
	for i := range n {
		two := paidTask + ", " + refusedTask
		list = append(list, customerName.ReplaceAllString(two, fmt.Sprintf("${1}%d", i)))
	}
	path := filepath.Join(t.TempDir(), "bank_tasks.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"pay_bill": [`+strings.Join(list, ",")+`]}`), 0o600))
	tasks, _, err := ReadTaskFile(path, "bank")
	require.NoError(t, err)
	desk, err := NewDesk("bank", tasks)
	require.NoError(t, err)
	return tasks, desk
}

// A run that is stopped goes on, asks nothing twice, and ends with the same
// bytes, whatever the number of workers.
func TestLiveGoesOn(t *testing.T) {
	tasks, desk := many(t, 10)
	live := func(dir string, workers int, m *typist, drain *run.Drain) error {
		options := llm.Options{Concurrency: workers}
		model, err := llm.NewRunner(m, options, llm.Files{Ledger: filepath.Join(dir, "ledger.jsonl")}, drain)
		require.NoError(t, err)
		defer model.Close()
		l := &Live{Desk: desk, Agent: NewModelAgent(m.Name(), model, react, llm.Sampling{}), User: FixedUser{}, Mode: react.Name, Tools: "oracle", Judge: Corrected()}
		at := 0
		return l.Run(t.Context(), tasks, dir, run.Options{Workers: workers, Drain: drain}, func(o LiveOutcome) error {
			assert.Equal(t, at, o.Index)
			assert.Equal(t, Passed, o.Result, "%v %s", o.Broken, o.Error)
			at++
			return nil
		})
	}
	alone, crowd, stopped := t.TempDir(), t.TempDir(), t.TempDir()
	whole := &typist{}
	require.NoError(t, live(alone, 1, whole, nil))
	want, err := os.ReadFile(filepath.Join(alone, RunFile))
	require.NoError(t, err)
	require.NoError(t, live(crowd, 16, &typist{}, nil))
	same, err := os.ReadFile(filepath.Join(crowd, RunFile))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(same))

	drain := run.NewDrain(func() {})
	first := &typist{after: func(n int64) {
		if n == 21 {
			drain.Signal()
		}
	}}
	err = live(stopped, 3, first, drain)
	require.ErrorAs(t, err, new(run.ErrDrained))
	assert.NoFileExists(t, filepath.Join(stopped, RunFile))
	second := &typist{}
	require.NoError(t, live(stopped, 3, second, nil))
	assert.Equal(t, whole.asked.Load(), first.asked.Load()+second.asked.Load(), "nothing is asked twice")
	again, err := os.ReadFile(filepath.Join(stopped, RunFile))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(again))
}

// What a server fails to answer is no failure of the agent.
func TestLiveErrors(t *testing.T) {
	tasks, desk := readTwo(t)
	for _, test := range []struct {
		err  error
		want string // of the outcome; "" where it ends the run
	}{
		{&llm.Error{Kind: llm.Timeout, Message: "no reply in time"}, "timeout: no reply in time"},
		{&llm.Error{Kind: llm.ServerFault, Message: "out of memory"}, "server fault: out of memory"},
		{&llm.Error{Kind: llm.PromptTooLong, Message: "8193 tokens"}, "prompt too long: 8193 tokens"},
		{&llm.Error{Kind: llm.Unreachable, Message: "connection refused"}, ""},
		{errors.New("disk full"), ""},
	} {
		l := &Live{Desk: desk, Agent: failing{test.err}, User: FixedUser{}, Tools: "full", Judge: Corrected()}
		results := &LiveResults{}
		dir := t.TempDir()
		err := l.Run(t.Context(), tasks, dir, run.Options{Workers: 1}, func(o LiveOutcome) error {
			results.Add(o)
			assert.Equal(t, test.want, o.Error)
			assert.Nil(t, o.Verdict)
			return nil
		})
		if test.want == "" {
			assert.ErrorIs(t, err, test.err)
			assert.NoFileExists(t, filepath.Join(dir, RunFile))
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, LiveResults{Errors: 2, Broken: map[string]int{}, Ends: map[End]int{}, Messages: 2}, *results)
	}
}

// A model can make a balance infinite; that ends its own task alone.
func TestLiveCannotRecord(t *testing.T) {
	tasks, desk := readTwo(t)
	huge := makes("deposit_funds", `{"username":"ann","amount":1.7e308,"unit":"dollars","deposit_form":"cash"}`)
	l := &Live{Desk: desk, Agent: turns{huge, huge, makes(Exit, "{}")}, User: FixedUser{}, Tools: "full", Judge: Corrected()}
	var results []string
	require.NoError(t, l.Run(t.Context(), tasks, t.TempDir(), run.Options{Workers: 1}, func(o LiveOutcome) error {
		results = append(results, o.Result+" "+o.Error)
		return nil
	}))
	assert.Equal(t, []string{"error the database at the end cannot be recorded: +Inf is no number of JSON", "failed "}, results)
}

type failing struct{ err error }

func (failing) Name() string { return "failing" }

func (f failing) Next(context.Context, *Conversation) (Turn, error) { return Turn{}, f.err }
