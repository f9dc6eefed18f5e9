package bench

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Each mode's first request, with the tools of the task's own solution.
func TestFirstRequests(t *testing.T) {
	tasks, desk := readTwo(t)
	for _, mode := range Modes {
		c, err := desk.Open(tasks[0], "oracle", true)
		require.NoError(t, err)
		opening, _, err := FixedUser{}.Say(t.Context(), c)
		require.NoError(t, err)
		c.Turns = append(c.Turns, Turn{From: FromUser, Text: opening},
			Turn{From: FromAgent, Text: "I sign you in.", Call: &Call{Name: "login_user", Arguments: `{"username":"ann","identification":"pw"}`, Content: "True"}},
			Turn{From: FromAgent, Text: "Action: hm", Fault: `"hm" names no tool`},
			Turn{From: FromAgent, Text: "Which bill?"})
		repeated, _, err := FixedUser{}.Say(t.Context(), c)
		require.NoError(t, err)
		c.Turns = append(c.Turns, Turn{From: FromUser, Text: repeated})
		var b strings.Builder
		for _, m := range mode.request(c).Messages {
			b.WriteString("== " + m.Role + "\n" + m.Text + "\n")
			for _, call := range m.ToolCalls {
				b.WriteString("calls " + call.ID + " " + call.Name + " " + call.Arguments + "\n")
			}
		}
		for _, tool := range mode.request(c).Tools {
			b.WriteString("== tool " + tool.Name + "\n" + tool.Description + "\n" + string(tool.Parameters) + "\n")
		}
		golden := filepath.Join("testdata", "request."+mode.Name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o666))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), b.String())
	}
}

func TestOpen(t *testing.T) {
	tasks, desk := readTwo(t)
	for _, test := range []struct {
		list  string
		exits bool
		tools int
	}{{"oracle", true, 4}, {"oracle", false, 3}, {"full", true, 26}} {
		c, err := desk.Open(tasks[0], test.list, test.exits)
		require.NoError(t, err)
		assert.Equal(t, test.tools, len(c.Tools))
		assert.Equal(t, test.exits, c.offers(Exit))
		assert.Equal(t, test.exits, strings.Contains(c.Prompt, Exit))
		assert.Equal(t, test.list == "full", strings.Contains(c.Prompt, "transfer_funds"))
		for _, tool := range c.Tools {
			assert.True(t, json.Valid(tool.Parameters), tool.Name)
			if tool.Name != Exit {
				assert.Equal(t, 1, strings.Count(c.Prompt, "`"+tool.Name+"`"), tool.Name)
			}
		}
	}
}

// Every task at hand can be put to an agent, and its rules are told.
func TestOpenTasksOfSOPBench(t *testing.T) {
	dir := filepath.Join(shared(t), "tasks")
	files, err := filepath.Glob(filepath.Join(dir, "*_tasks.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		domain := strings.TrimSuffix(filepath.Base(file), "_tasks.json")
		tasks, _, err := ReadTaskFile(dir, domain)
		require.NoError(t, err)
		desk, err := NewDesk(domain, tasks)
		require.NoError(t, err)
		for _, task := range tasks {
			for _, list := range ToolLists {
				c, err := desk.Open(task, list, true)
				require.NoError(t, err, "%s: task %d", domain, task.Index)
				ruled := strings.Contains(c.Prompt, "`"+task.Goal+"`\n")
				assert.Equal(t, c.offers(task.Goal) && task.Constraints != nil, ruled, "%s: task %d", domain, task.Index)
				assert.Equal(t, desk.world.Tool(task.Goal).Offered, c.offers(task.Goal))
			}
		}
	}
}

// The goal is ruled by the task, with the task's thresholds; the other tools by
// the domain, with its own.
func TestPromptHasTheRulesOfTheTask(t *testing.T) {
	text := strings.NewReplacer(`"minimum_credit_score": 600`, `"minimum_credit_score": 720`, `"sufficient_account_balance", {"username": "username", "amount": "amount"}`, `"not minimal_elgibile_credit_score", {"username": "username"}`).Replace(paidTask)
	path := filepath.Join(t.TempDir(), "bank_tasks.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"pay_bill": [`+text+`]}`), 0o600))
	tasks, _, err := ReadTaskFile(path, "bank")
	require.NoError(t, err)
	desk, err := NewDesk("bank", tasks)
	require.NoError(t, err)
	c, err := desk.Open(tasks[0], "full", true)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(c.Prompt, "`pay_bill`\n")
	rules, _, _ := strings.Cut(rest, "\n\n")
	assert.Equal(t, `all of these must hold:
- the customer has an account on record
- the credit score of the customer does not rise above the credit score floor (measured as the opposite of: the credit score of the customer is more than the credit score floor, 720 points)
- the customer has signed in`, rules)
	assert.Contains(t, c.Prompt, "credit score floor, 600 points")
}

// TestSchemas holds the arguments of tools against the facts of the domains.
func TestSchemas(t *testing.T) {
	dir := shared(t)
	checked := 0
	for _, name := range corpus.Builtin() {
		text, err := os.ReadFile(filepath.Join(dir, "facts", name+".facts.yaml"))
		require.NoError(t, err)
		var facts struct {
			Tools []struct {
				Name   string
				Params []struct {
					Name, Type string
					Required   bool
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(text, &facts))
		tasks, err := ReadTasks(filepath.Join(dir, "tasks"), name)
		if err != nil {
			tasks = nil // library and university have none at hand
		}
		desk, err := NewDesk(name, tasks)
		require.NoError(t, err)
		for _, tool := range facts.Tools {
			runs := desk.world.Tool(tool.Name)
			if runs == nil || !runs.Offered || desk.formal.Actions[tool.Name] == nil {
				continue
			}
			offered, err := desk.tool(runs)
			require.NoError(t, err)
			var schema struct {
				Properties map[string]json.RawMessage
				Required   []string
			}
			require.NoError(t, json.Unmarshal(offered.Parameters, &schema))
			for _, p := range tool.Params {
				assert.Equal(t, p.Required, slices.Contains(schema.Required, p.Name), "%s: %s of %s", name, p.Name, tool.Name)
				says := string(schema.Properties[p.Name])
				if says == "" && !p.Required {
					continue // not of the pack
				}
				checked++
				for _, kind := range []string{"string", "number", "boolean", "array", "object"} {
					if p.Type == kind || strings.HasPrefix(p.Type, kind+" |") || strings.HasPrefix(p.Type, kind+" {") || strings.HasPrefix(p.Type, kind+"<") || strings.HasPrefix(p.Type, kind+" of") {
						assert.Contains(t, says, `"type":"`+kind+`"`, "%s: %s of %s, which is %s", name, p.Name, tool.Name, p.Type)
					}
				}
			}
		}
	}
	assert.Greater(t, checked, 250)
}
