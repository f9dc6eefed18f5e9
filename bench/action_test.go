package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/llm"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bankTools is a conversation that offers a few tools of the bank.
func bankTools(t testing.TB) *Conversation {
	t.Helper()
	d, err := world.Load("bank")
	require.NoError(t, err)
	c := &Conversation{Domain: d}
	for _, name := range []string{"login_user", "get_account_balance", "transfer_funds", "exchange_foreign_currency", "get_bank_maximum_loan_amount", Exit} {
		c.Tools = append(c.Tools, llm.Tool{Name: name})
	}
	return c
}

func TestReadText(t *testing.T) {
	const login = `{"username":"john","identification":"pw 1"}`
	for _, test := range []struct {
		name, reply string
		tool, args  string // "" for no call
		text        string // of the turn
		fault       string // a part of it
	}{
		{"as asked", "Thought: first the sign-in\nAction: login_user\nAction Input: " + login, "login_user", login, "first the sign-in", ""},
		{"without thinking", "Action: login_user\nAction Input: " + login, "login_user", login, "", ""},
		{"in one line", "Thought: sign in Action: login_user Action Input: " + login + " <End Action>", "login_user", login, "sign in", ""},
		{"with an end", "Action: login_user\nAction Input: " + login + "\n<End Action>", "login_user", login, "", ""},
		{"bold", "**Thought:** sign in\n\n**Action:** `login_user`\n\n**Action Input:**\n```json\n" + login + "\n```", "login_user", login, "sign in", ""},
		{"headings", "### Thought:\nsign in\n### Action:\nlogin_user\n### Action Input:\n" + login, "login_user", login, "sign in", ""},
		{"numbered", "Thought 1: sign in\nAction 1: login_user\nAction Input 1: " + login, "login_user", login, "sign in", ""},
		{"lower case, other words", "thought: sign in\ntool: login_user\narguments: " + login, "login_user", login, "sign in", ""},
		{"quoted name", "Action: \"login_user\"\nAction Input: " + login, "login_user", login, "", ""},
		{"prefixed name", "Action: functions.login_user\nAction Input: " + login, "login_user", login, "", ""},
		{"name in other letters", "Action: Login_User\nAction Input: " + login, "login_user", login, "", ""},
		{"name in words", "Action: login user\nAction Input: " + login, "login_user", login, "", ""},
		{"name in a sentence", "Action: Call the tool `login_user` to sign in\nAction Input: " + login, "login_user", login, "", ""},
		{"a colon in the thought", "Thought: what now? Action: none yet, I think; so:\nAction: login_user\nAction Input: " + login, "login_user", login, "what now? Action: none yet, I think; so:", ""},
		{"an observation of its own", "Action: login_user\nAction Input: " + login + "\nObservation: True\nThought: done\nAction: exit_conversation\nAction Input: {}", "login_user", login, "", ""},
		{"two actions", "Action: login_user\nAction Input: " + login + "\nAction: exit_conversation\nAction Input: {}", "login_user", login, "", ""},
		{"no input", "Action: exit_conversation", Exit, `{}`, "", ""},
		{"empty input", "Action: exit_conversation\nAction Input:", Exit, `{}`, "", ""},
		{"input none", "Action: exit_conversation\nAction Input: None", Exit, `{}`, "", ""},
		{"parentheses", "Action: exit_conversation()", Exit, `{}`, "", ""},
		{"unknown tool", "Action: open_vault\nAction Input: {\"code\": 1}", "open_vault", `{"code":1}`, "", ""},

		{"single quotes", "Action: login_user\nAction Input: {'username': 'john', 'identification': 'pw 1',}", "login_user", login, "", ""},
		{"python words", "Action: transfer_funds\nAction Input: {'amount': 20.0, 'ok': True, 'x': None}", "transfer_funds", `{"amount":20.0,"ok":true,"x":null}`, "", ""},
		{"encoded twice", `Action: login_user` + "\n" + `Action Input: "{\"username\": \"john\"}"`, "login_user", `{"username":"john"}`, "", ""},
		{"prose around", "Action: login_user\nAction Input: here it is: " + login + " as they said", "login_user", login, "", ""},
		{"numbers stay", "Action: transfer_funds\nAction Input: {\"amount\": 100.0, \"n\": 12345678901234567890}", "transfer_funds", `{"amount":100.0,"n":12345678901234567890}`, "", ""},
		{"call in the name", "Action: login_user(username=\"john\", identification='pw 1')", "login_user", login, "", ""},
		{"call in the name, positional", "Action: login_user(\"john\", \"pw 1\")", "login_user", login, "", ""},
		{"object in the name", "Action: login_user({\"username\": \"john\"})", "login_user", `{"username":"john"}`, "", ""},
		{"object behind the name", "Action: login_user {\"username\": \"john\"}", "login_user", `{"username":"john"}`, "", ""},
		{"keywords", "Action: transfer_funds\nAction Input: username=\"john\", amount=20.5, unit=dollars", "transfer_funds", `{"username":"john","amount":20.5,"unit":"dollars"}`, "", ""},
		{"lines", "Action: transfer_funds\nAction Input:\n- username: john\n- amount: 20\n", "transfer_funds", `{"username":"john","amount":20}`, "", ""},
		{"the only parameter", "Action: get_account_balance\nAction Input: john", "get_account_balance", `{"username":"john"}`, "", ""},
		{"the only parameter, quoted", "Action: get_account_balance\nAction Input: \"john o'neil, jr\"", "get_account_balance", `{"username":"john o'neil, jr"}`, "", ""},
		{"the call again as input", "Action: login_user\nAction Input: {\"name\": \"login_user\", \"arguments\": " + login + "}", "login_user", login, "", ""},
		{"none as a key", "Action: login_user\nAction Input: {\"none\": 1}", "login_user", `{"none":1}`, "", ""},
		{"nested", "Action: login_user\nAction Input: {\"identification\": {\"a\": [1, {\"b\": \"}\"}]}}", "login_user", `{"identification":{"a":[1,{"b":"}"}]}}`, "", ""},

		{"JSON", `{"name": "login_user", "arguments": ` + login + `}`, "login_user", login, "", ""},
		{"JSON with a thought", "```json\n" + `{"thought": "sign in", "action": "login_user", "action_input": ` + login + "}\n```", "login_user", login, "sign in", ""},
		{"JSON under a label", "Thought: sign in\nAction:\n```json\n" + `{"action": "login_user", "action_input": ` + login + "}\n```", "login_user", login, "sign in", ""},
		{"JSON of OpenAI", `{"type": "function", "function": {"name": "login_user", "arguments": "{\"username\": \"john\"}"}}`, "login_user", `{"username":"john"}`, "", ""},
		{"tag with JSON", "I do so\n<tool_call>\n" + `{"name": "login_user", "arguments": ` + login + "}\n</tool_call>", "login_user", login, "I do so", ""},
		{"tag with the name", "<function=login_user>" + login + "</function>", "login_user", login, "", ""},
		{"JSON behind other JSON", "I know {\"username\": \"john\"}.\n" + `{"name": "login_user", "arguments": ` + login + `}`, "login_user", login, "I know {\"username\": \"john\"}.", ""},
		{"a list of calls", `[{"name": "login_user", "parameters": ` + login + `}]`, "login_user", login, "", ""},
		{"code", "I sign in:\n```python\nresult = login_user(username='john', identification='pw 1')\n```", "login_user", login, "I sign in:", ""},
		{"printed code", "```tool_code\nprint(default_api.exchange_foreign_currency(amount=10, unit='dollars', foreign_currency_type=\"EUR\"))\n```", "exchange_foreign_currency", `{"amount":10,"unit":"dollars","foreign_currency_type":"EUR"}`, "", ""},

		{"words", "I am sorry, that cannot be done.", "", "", "I am sorry, that cannot be done.", ""},
		{"words with a tool's name", "I could use login_user, shall I?", "", "", "I could use login_user, shall I?", ""},
		{"words with JSON", `You told me {"amount": 5}, is that right?`, "", "", `You told me {"amount": 5}, is that right?`, ""},
		{"no action", "Thought: Which currency?\nAction: N/A\nAction Input: N/A", "", "", "Which currency?", ""},
		{"no action, with a reason", "Thought: Which currency?\nAction: N/A (the customer has to say)\nAction Input: N/A", "", "", "Which currency?", ""},
		{"an answer instead", "Thought: it is refused\nAction: None\nFinal Answer: That cannot be done.", "", "", "it is refused\nThat cannot be done.", ""},
		{"thought alone", "Thought: Which account is it?", "", "", "Thought: Which account is it?", ""},

		{"nothing at all", "Action: None", "", "", "Action: None", "names no action"},
		{"prose as action", "Action: I shall tell them so\nAction Input: {}", "", "", "Action: I shall tell them so\nAction Input: {}", `"I shall tell them so" names no tool`},
		{"observation alone", "Observation: True", "", "", "Observation: True", "begins with an observation"},
		{"input is no object", "Action: login_user\nAction Input: the customer's name and password", "", "", "Action: login_user\nAction Input: the customer's name and password", "the action input of login_user cannot be read: found"},
		{"input is broken", "Action: login_user\nAction Input: {\"username\": }", "", "", "Action: login_user\nAction Input: {\"username\": }", "the action input of login_user cannot be read"},
		{"call is not closed", "login_user(username='john'", "", "", "login_user(username='john'", "the call of login_user is not closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			turn := readText(bankTools(t), test.reply, llm.Reply{})
			if test.fault != "" {
				assert.Contains(t, turn.Fault, test.fault)
				assert.Nil(t, turn.Call)
			} else {
				assert.Empty(t, turn.Fault)
			}
			assert.Equal(t, test.text, turn.Text)
			if test.tool == "" {
				assert.Nil(t, turn.Call)
			} else if assert.NotNil(t, turn.Call) {
				assert.Equal(t, Call{Name: test.tool, Arguments: test.args}, *turn.Call)
			}
		})
	}
}

// What is written as a model is to write it is read as it was meant.
func TestReadTextReadsWriteCall(t *testing.T) {
	c := bankTools(t)
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringMatching(`[a-z_]{1,8}`)
		value := rapid.OneOf(rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "?") }),
			rapid.Map(rapid.Float64Range(-1e9, 1e9), func(f float64) any { return f }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }),
			rapid.Map(rapid.SliceOfN(word, 0, 3), func(s []string) any { return s }))
		args, err := json.Marshal(rapid.MapOfN(word, value, 0, 4).Draw(rt, "arguments"))
		require.NoError(rt, err)
		spelt, err := callArguments(string(args))
		require.NoError(rt, err)
		want := Turn{Text: rapid.StringMatching(`([a-z]{1,9}[ ,]){0,6}[a-z]{1,9}`).Draw(rt, "thought"), Call: &Call{Name: rapid.SampledFrom(c.Tools).Draw(rt, "tool").Name, Arguments: spelt}}
		got := readText(c, writeCall(want, true), llm.Reply{})
		assert.Equal(rt, want, got)
	})
}

func FuzzReadText(f *testing.F) {
	for _, s := range []string{
		"Thought: x\nAction: login_user\nAction Input: {\"username\": \"a\"}", "Action: login_user(username='a', b=[1, (2,)])",
		"```json\n{\"action\": \"login_user\", \"action_input\": {}}\n```", "<function=login_user>{}</function>", "Action:\nAction Input:\nObservation:",
		"action: none", "login_user(\"a\", 'b\\'')", "Action: transfer_funds\nAction Input: username: a\namount: 1_0\nunit: ((((", "{\"name\":\"login_user\",\"name\":1}",
	} {
		f.Add(s)
	}
	c := bankTools(f)
	f.Fuzz(func(t *testing.T, s string) {
		turn := readText(c, strings.ToValidUTF8(s, "?"), llm.Reply{})
		if turn.Call == nil {
			return
		}
		require.Empty(t, turn.Fault)
		require.True(t, identifierOnly(turn.Call.Name), turn.Call.Name)
		again, err := callArguments(turn.Call.Arguments)
		require.NoError(t, err)
		require.Equal(t, turn.Call.Arguments, again)
		require.Equal(t, turn.Call, readText(c, writeCall(turn, false), llm.Reply{}).Call)
	})
}
