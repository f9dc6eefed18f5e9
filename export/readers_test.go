package export

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

// found is what can be read back from the records of one group.
type found struct {
	prompt string
	right  string
	wrong  []string // of formats without wrong answers: none
}

// readers read back what a format wrote. One for each format: what went in can
// be found again.
var readers = map[string]func(*testing.T, []object) found{
	"trl-sft": func(t *testing.T, o []object) found {
		m := turns(t, o[0]["messages"], "user", "assistant")
		return found{prompt: m[0], right: m[1]}
	},
	"trl-sft-completion": func(t *testing.T, o []object) found {
		return found{prompt: turns(t, o[0]["prompt"], "user")[0], right: turns(t, o[0]["completion"], "assistant")[0]}
	},
	"trl-dpo": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			f.pair(t, turns(t, o["prompt"], "user")[0], turns(t, o["chosen"], "assistant")[0], turns(t, o["rejected"], "assistant")[0])
		}
		return f
	},
	"trl-dpo-text": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			f.pair(t, strings.TrimSuffix(o["prompt"].(string), "\n\n"), o["chosen"].(string), o["rejected"].(string))
		}
		return f
	},
	"trl-kto": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			f.labelled(t, turns(t, o["prompt"], "user")[0], turns(t, o["completion"], "assistant")[0], o["label"].(bool))
		}
		return f
	},
	"trl-reward": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			chosen, rejected := turns(t, o["chosen"], "user", "assistant"), turns(t, o["rejected"], "user", "assistant")
			assert.Equal(t, chosen[0], rejected[0])
			f.pair(t, chosen[0], chosen[1], rejected[1])
		}
		return f
	},
	"llamafactory-alpaca": func(t *testing.T, o []object) found {
		require.Empty(t, o[0]["input"])
		return found{prompt: o[0]["instruction"].(string), right: o[0]["output"].(string)}
	},
	"llamafactory-ranking": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			f.pair(t, o["instruction"].(string), o["chosen"].(string), o["rejected"].(string))
		}
		return f
	},
	"llamafactory-kto": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			m := shareGPT(t, o["conversations"], "human", "gpt")
			f.labelled(t, m[0], m[1], o["kto_tag"].(bool))
		}
		return f
	},
	"axolotl-chat": func(t *testing.T, o []object) found {
		m := turns(t, o[0]["messages"], "user", "assistant")
		return found{prompt: m[0], right: m[1]}
	},
	"axolotl-dpo": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			f.pair(t, turns(t, o["messages"], "user")[0], turns(t, []any{o["chosen"]}, "assistant")[0], turns(t, []any{o["rejected"]}, "assistant")[0])
		}
		return f
	},
	"axolotl-kto": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			f.labelled(t, o["prompt"].(string), o["completion"].(string), o["label"].(bool))
		}
		return f
	},
	"swift-listwise": func(t *testing.T, o []object) found {
		right := o[0]["positive_messages"].([]any)
		require.Len(t, right, 1)
		f := found{prompt: turns(t, o[0]["messages"], "user")[0], right: turns(t, right[0], "assistant")[0]}
		for _, n := range o[0]["negative_messages"].([]any) {
			f.wrong = append(f.wrong, turns(t, n, "assistant")[0])
		}
		return f
	},
	"openai-chat": func(t *testing.T, o []object) found {
		m := turns(t, o[0]["messages"], "user", "assistant")
		return found{prompt: m[0], right: m[1]}
	},
	"openai-preference": func(t *testing.T, records []object) (f found) {
		for _, o := range records {
			prompt := turns(t, o["input"].(object)["messages"], "user")[0]
			f.pair(t, prompt, turns(t, o["preferred_output"], "assistant")[0], turns(t, o["non_preferred_output"], "assistant")[0])
		}
		return f
	},
}

// shareGPT are the values of turns from these.
func shareGPT(t *testing.T, conversation any, from ...string) []string {
	t.Helper()
	return said(t, conversation, "from", "value", from)
}

// turns returns the contents of messages, which are of these roles.
func turns(t *testing.T, messages any, roles ...string) []string {
	t.Helper()
	return said(t, messages, "role", "content", roles)
}

// said returns what was said in turns of these speakers, and of no others.
func said(t *testing.T, turns any, speaker, text string, speakers []string) (texts []string) {
	t.Helper()
	list := turns.([]any)
	require.Len(t, list, len(speakers))
	for i, m := range list {
		require.Equal(t, speakers[i], m.(object)[speaker])
		texts = append(texts, m.(object)[text].(string))
	}
	return texts
}

func (f *found) same(t *testing.T, prompt string) {
	t.Helper()
	if f.prompt != "" {
		require.Equal(t, f.prompt, prompt)
	}
	f.prompt = prompt
}

func (f *found) pair(t *testing.T, prompt, right, wrong string) {
	t.Helper()
	f.same(t, prompt)
	f.labelled(t, prompt, right, true)
	f.labelled(t, prompt, wrong, false)
}

func (f *found) labelled(t *testing.T, prompt, answer string, right bool) {
	t.Helper()
	f.same(t, prompt)
	if !right {
		f.wrong = append(f.wrong, answer)
		return
	}
	if f.right != "" {
		require.Equal(t, f.right, answer)
	}
	f.right = answer
}

// special formats are not simply a prompt with answers.
var special = map[string]func(t *testing.T, x *Exporter, row *dataset.Row, records []object, leftOut string){
	"trl-sft-tools": func(t *testing.T, x *Exporter, row *dataset.Row, records []object, leftOut string) {
		if !isEpisode(t, row, leftOut) {
			return
		}
		o := records[0]
		e := conversation{}
		for i, m := range o["messages"].([]any) {
			m := m.(object)
			switch m["role"] {
			case "system":
				e.procedure = m["content"].(string)
			case "user":
				e.request = m["content"].(string)
			case "assistant":
				f := m["tool_calls"].([]any)[0].(object)["function"].(object)
				e.calls = append(e.calls, call{f["name"].(string), f["arguments"].(object)})
			case "tool":
				require.Equal(t, e.calls[len(e.calls)-1].Name, m["name"], "message %d", i)
				e.results = append(e.results, m["content"].(string))
			}
		}
		var tools []function
		require.NoError(t, json.Unmarshal([]byte(o["tools"].(string)), &tools))
		for _, f := range tools {
			e.tools = append(e.tools, f.Function)
		}
		e.check(t, row)
	},
	"llamafactory-sharegpt": func(t *testing.T, _ *Exporter, row *dataset.Row, records []object, leftOut string) {
		o := records[0]
		require.Empty(t, leftOut)
		if row.View != dataset.ViewNextAction {
			require.Equal(t, []string{row.Context + "\n\n" + row.Query, row.Positive.Text}, shareGPT(t, o["conversations"], "human", "gpt"))
			require.Empty(t, o["tools"].(string)+o["system"].(string))
			return
		}
		e := conversation{procedure: o["system"].(string)}
		for i, m := range o["conversations"].([]any) {
			m := m.(object)
			require.Equal(t, i%2 == 1, m["from"] == "function_call", "what the model says stands at odd places")
			switch value := m["value"].(string); m["from"] {
			case "human":
				e.request = value
			case "function_call":
				var c call
				require.NoError(t, json.Unmarshal([]byte(value), &c))
				e.calls = append(e.calls, c)
			case "observation":
				e.results = append(e.results, value)
			}
		}
		require.NoError(t, json.Unmarshal([]byte(o["tools"].(string)), &e.tools))
		e.check(t, row)
	},
	"openai-tools": func(t *testing.T, _ *Exporter, row *dataset.Row, records []object, leftOut string) {
		if !isEpisode(t, row, leftOut) {
			return
		}
		var e conversation
		id := ""
		for _, m := range records[0]["messages"].([]any) {
			m := m.(object)
			switch m["role"] {
			case "system":
				e.procedure = m["content"].(string)
			case "user":
				e.request = m["content"].(string)
			case "assistant":
				made := m["tool_calls"].([]any)[0].(object)
				id = made["id"].(string)
				f := made["function"].(object)
				c := call{Name: f["name"].(string)}
				require.NoError(t, json.Unmarshal([]byte(f["arguments"].(string)), &c.Arguments))
				e.calls = append(e.calls, c)
			case "tool":
				require.Equal(t, id, m["tool_call_id"])
				e.results = append(e.results, m["content"].(string))
			}
		}
		var tools []function
		require.NoError(t, json.Unmarshal([]byte(compact(records[0]["tools"])), &tools))
		for _, f := range tools {
			e.tools = append(e.tools, f.Function)
		}
		e.check(t, row)
	},
	"trl-grpo": func(t *testing.T, _ *Exporter, row *dataset.Row, records []object, leftOut string) {
		require.Empty(t, leftOut)
		o := records[0]
		require.Equal(t, row.Context+"\n\n"+row.Query, turns(t, o["prompt"], "user")[0])
		judged(t, row, o["reference"].(string), o["view"].(string))
	},
	"verl": func(t *testing.T, _ *Exporter, row *dataset.Row, records []object, leftOut string) {
		require.Empty(t, leftOut)
		o := records[0]
		require.Equal(t, row.Context+"\n\n"+row.Query, turns(t, o["prompt"], "user")[0])
		judged(t, row, o["reward_model"].(object)["ground_truth"].(string), o["extra_info"].(object)["view"].(string))
	},
	"trl-prm": func(t *testing.T, x *Exporter, row *dataset.Row, records []object, leftOut string) {
		if row.View != dataset.ViewWorkflow {
			require.Equal(t, notWorkflow, leftOut)
			return
		}
		require.Empty(t, leftOut)
		var prefixes []string
		for i, o := range records {
			require.Equal(t, row.Context+"\n\n"+row.Query+"\n\n", o["prompt"])
			steps, labels := o["completions"].([]any), o["labels"].([]any)
			require.Len(t, labels, len(steps))
			text := ""
			for k, step := range steps {
				require.Equal(t, i == 0 || k < len(steps)-1, labels[k], "only the last step of a wrong answer is wrong")
				text += step.(string)
			}
			if i == 0 {
				require.Equal(t, row.Positive.Text, text)
				var p struct{ Workflow []string }
				require.NoError(t, json.Unmarshal([]byte(row.Positive.Payload), &p))
				require.Len(t, steps, len(p.Workflow))
			} else {
				prefixes = append(prefixes, text)
			}
		}
		// Every wrong answer with a wrong step is there, up to that step.
		for _, n := range x.Pairs.pick(row.Negatives) {
			var proof struct{ Position int }
			require.NoError(t, json.Unmarshal([]byte(n.Proof), &proof))
			var p struct{ Workflow []string }
			require.NoError(t, json.Unmarshal([]byte(n.Payload), &p))
			if proof.Position == len(p.Workflow) {
				continue
			}
			require.NotEmpty(t, prefixes)
			require.True(t, strings.HasPrefix(n.Text, prefixes[0]), "%q of %q", prefixes[0], n.Text)
			require.Equal(t, proof.Position+1, len(records[len(records)-len(prefixes)]["labels"].([]any)))
			prefixes = prefixes[1:]
		}
		require.Empty(t, prefixes)
	},
}

// judged holds the row's answers against the reference as the reward does.
func judged(t *testing.T, row *dataset.Row, reference, view string) {
	t.Helper()
	v, err := stages.Judge([]byte(reference), view, row.Positive.Text)
	require.NoError(t, err)
	require.True(t, v.Valid)
	v, err = stages.Judge([]byte(reference), view, row.Negatives[0].Text)
	require.NoError(t, err)
	require.False(t, v.Valid)
}

// conversation is what a format with tool calls says of a next action.
type conversation struct {
	procedure, request string
	calls              []call
	results            []string
	tools              []tool
}

func isEpisode(t *testing.T, row *dataset.Row, leftOut string) bool {
	t.Helper()
	if row.View != dataset.ViewNextAction {
		require.Equal(t, notNextAction, leftOut)
		return false
	}
	require.Empty(t, leftOut)
	return true
}

// check holds a conversation against the texts of the row: every call of the
// log with its arguments, every result, the payload, and tools for all of them.
func (c *conversation) check(t *testing.T, row *dataset.Row) {
	t.Helper()
	parts := strings.Split(row.Context, contextBreak)
	require.Len(t, parts, 3)
	assert.Equal(t, strings.TrimSpace(parts[0]), c.procedure)
	assert.Equal(t, strings.TrimSpace(parts[1]), c.request)
	var next nextPayload
	require.NoError(t, json.Unmarshal([]byte(row.Positive.Payload), &next))
	last := len(c.calls) - 1
	assert.Equal(t, next.call(), c.calls[last])
	require.Len(t, c.results, last)
	log := parts[2]
	for i, made := range c.calls[:last] {
		before, after, ok := strings.Cut(log, "`"+made.Name+"(")
		require.True(t, ok, "%s of %s", made.Name, log)
		require.NotContains(t, before, "`")
		arguments, after, ok := strings.Cut(after, ")`")
		require.True(t, ok)
		for name, value := range made.Arguments {
			assert.Contains(t, arguments, name+"="+compact(value))
		}
		assert.Len(t, made.Arguments, strings.Count(arguments, "=")-strings.Count(strings.Join(values(made), " "), "="))
		for _, line := range strings.Split(c.results[i], "\n") {
			_, after, ok = strings.Cut(after, line+"\n")
			require.True(t, ok, "%q of %s", line, row.Context)
		}
		log = after
	}
	offered := map[string]tool{}
	for _, o := range c.tools {
		require.NotEmpty(t, o.Description)
		require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, o.Name)
		offered[o.Name] = o
	}
	for _, made := range c.calls {
		require.Contains(t, offered, made.Name)
		for name := range made.Arguments {
			require.Contains(t, offered[made.Name].Parameters.Properties, name)
		}
	}
	for _, n := range row.Negatives {
		var p nextPayload
		require.NoError(t, json.Unmarshal([]byte(n.Payload), &p))
		require.Contains(t, offered, base(p.Next))
	}
}

func values(c call) (list []string) {
	for _, v := range c.Arguments {
		list = append(list, compact(v))
	}
	return list
}
