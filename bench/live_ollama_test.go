package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/llm/tinymodel"
)

// clerks are models that write calls in this way: careful follows the rules for
// both of twoTasks, hasty pays at once.
func clerks(call func(tool string, args any) tinymodel.Reply) (careful, hasty tinymodel.Script) {
	args := func(pairs ...any) json.RawMessage { // an object keeps its order
		text := "{"
		for i := 0; i < len(pairs); i += 2 {
			value, err := json.Marshal(pairs[i+1])
			if err != nil {
				panic(err)
			}
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf("%q:%s", pairs[i], value)
		}
		return json.RawMessage(text + "}")
	}
	pay := func(user string) tinymodel.Reply {
		return call("pay_bill", args("username", user, "amount", 20, "unit", "dollars"))
	}
	leave := call(Exit, args())
	careful = tinymodel.Script{
		"":                   leave,
		"I am ann":           call("login_user", args("username", "ann", "identification", "pw")),
		`"pw"`:               call("get_account_balance", args("username", "ann")),
		`{"username":"ann"}`: pay("ann"),
		`"dollars"`:          leave,
		"bob here":           call("login_user", args("username", "bob", "identification", "qw")),
		`"qw"`:               call("get_account_balance", args("username", "bob")),
		`{"username":"bob"}`: leave,
	}
	hasty = tinymodel.Script{"": leave, "I am ann": pay("ann"), "bob here": pay("bob"), `"dollars"`: leave}
	return careful, hasty
}

// In every mode one model passes both tasks, on the real server, and one fails.
func TestLiveOverOllama(t *testing.T) {
	server := ollamatest.Start(t)
	tasks, desk := readTwo(t)
	sampling := llm.Sampling{Temperature: new(0.0), Seed: new(1), MaxTokens: 300, Context: 16384}
	open := func(name, dir string) *llm.Runner {
		options := llm.Options{Sampling: sampling, Concurrency: 2}
		client, err := llm.Open("ollama:"+server.URL+"#"+name, options)
		require.NoError(t, err)
		model, err := llm.NewRunner(client, options, llm.Files{Ledger: filepath.Join(dir, name+".jsonl")}, nil)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, model.Close()) })
		return model
	}
	work := func(name string, mode *Mode, user User, tasks []*Task) (outcomes []LiveOutcome, dir string, err error) {
		dir = t.TempDir()
		model := open(name, dir)
		l := &Live{Desk: desk, Agent: NewModelAgent(model.Name(), model, mode, sampling), User: user, Mode: mode.Name, Tools: "oracle", Judge: Corrected(), Sampling: sampling}
		err = l.Run(t.Context(), tasks, dir, run.Options{Workers: 2}, func(o LiveOutcome) error {
			outcomes = append(outcomes, o)
			return nil
		})
		return outcomes, dir, err
	}
	inText := func(lead string) func(string, any) tinymodel.Reply {
		return func(tool string, args any) tinymodel.Reply {
			text, err := json.Marshal(args)
			require.NoError(t, err)
			return tinymodel.Says(fmt.Sprintf("%sAction: %s\nAction Input: %s", lead, tool, text))
		}
	}
	calls := map[string]func(string, any) tinymodel.Reply{
		"fc":       func(tool string, args any) tinymodel.Reply { return tinymodel.Says(tinymodel.Call(tool, args)) },
		"react":    inText("Thought: this comes next\n"),
		"act-only": inText(""),
	}
	for _, mode := range Modes {
		t.Run(mode.Name, func(t *testing.T) {
			careful, hasty := clerks(calls[mode.Name])
			server.Scripted("careful-"+mode.Name, careful)
			server.Scripted("hasty-"+mode.Name, hasty)

			outcomes, dir, err := work("careful-"+mode.Name, mode, FixedUser{}, tasks)
			require.NoError(t, err)
			require.Len(t, outcomes, 2)
			for i, o := range outcomes {
				assert.Equal(t, Passed, o.Result, "%+v %+v", o, o.Verdict)
				assert.Equal(t, EndExit, o.End)
				assert.Equal(t, 3-i, o.Calls, "the second is refused")
			}
			replayed(t, dir, true, true)

			outcomes, dir, err = work("hasty-"+mode.Name, mode, FixedUser{}, tasks)
			require.NoError(t, err)
			for _, o := range outcomes {
				assert.Equal(t, Failed, o.Result)
				assert.Contains(t, o.Broken, "constraint_not_violated")
				assert.Contains(t, o.Broken, "dirgraph_satisfied")
			}
			replayed(t, dir, false, false)
		})
	}
	t.Run("a customer played by a model", func(t *testing.T) {
		careful, _ := clerks(calls["fc"])
		careful[`"dollars"`] = tinymodel.Says("Your bill is paid.")
		server.Scripted("polite", careful)
		server.Scripted("customer", tinymodel.Script{"": tinymodel.Says("I am ann, pay my bill."), "Your bill is paid.": tinymodel.Says(farewell)})
		customer := open("customer", t.TempDir())
		outcomes, _, err := work("polite", functionCalling, NewModelUser(customer.Name(), customer, sampling), tasks[:1])
		require.NoError(t, err)
		require.Len(t, outcomes, 1)
		assert.Equal(t, Passed, outcomes[0].Result, outcomes[0].Broken)
		assert.Equal(t, EndUser, outcomes[0].End)
	})
	t.Run("no tools", func(t *testing.T) {
		gguf, err := tinymodel.Script{"": tinymodel.Says("yes")}.Model()
		require.NoError(t, err)
		server.Create("mute", gguf, tinymodel.Template{Ollama: "{{ range .Messages }}{{ .Content }}\n{{ end }}"})
		_, _, err = work("mute", functionCalling, FixedUser{}, tasks)
		var noTools *NoToolsError
		require.ErrorAs(t, err, &noTools)
		assert.ErrorContains(t, err, "does not support tools")
	})
}

// replayed judges a run's record again and wants these successes, as recorded.
func replayed(t *testing.T, dir string, want ...bool) {
	t.Helper()
	var got []bool
	r := &Replay{Judge: Corrected(), Workers: 1}
	require.NoError(t, r.File(context.Background(), dir, func(o Outcome) error {
		require.NotNil(t, o.Verdict, o.Error)
		assert.Equal(t, o.Recorded, o.Verdict)
		got = append(got, o.Success)
		return nil
	}))
	assert.Equal(t, want, got)
}
