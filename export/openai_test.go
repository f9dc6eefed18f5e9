package export

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
)

// openaiMessageKeys is what OpenAI lets a message of a job have, by role, as far
// as we know.
var openaiMessageKeys = map[string][]string{
	"system": {"content", "name"}, "user": {"content", "name"}, "assistant": {"content", "name", "tool_calls", "weight"},
	"tool": {"content", "tool_call_id"},
}

// functionName is that of OpenAI's reference: letters, digits, _ and -, 64 at most.
var functionName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// What OpenAI asks of the data of a job, as far as we know: the roles and keys of
// messages, an answer in each row, calls of the tools that the row lists with
// arguments that are the text of an object, a result for each call but the last,
// and in preferences one message of the assistant on each side.
func TestOpenAIRowsPassItsChecks(t *testing.T) {
	x, rows := groups(t, "bank", "healthcare")
	formats, err := Lookup([]string{"openai-chat", "openai-tools", "openai-preference"})
	require.NoError(t, err)
	for _, f := range formats {
		checked := 0
		for _, record := range openaiRecords(t, x, f, rows) {
			var row struct {
				Messages []map[string]any
				Tools    []struct {
					Type     string
					Function struct {
						Name       string
						Parameters any
					}
				}
				Input        struct{ Messages []map[string]any }
				Preferred    []map[string]any `json:"preferred_output"`
				NonPreferred []map[string]any `json:"non_preferred_output"`
			}
			require.NoError(t, json.Unmarshal(record, &row))
			var tools []string
			for _, tool := range row.Tools {
				require.Equal(t, "function", tool.Type)
				require.Regexp(t, functionName, tool.Function.Name)
				tools = append(tools, tool.Function.Name)
			}
			if f.Name == "openai-preference" {
				require.NotEmpty(t, row.Input.Messages)
				require.NotEqual(t, "assistant", row.Input.Messages[len(row.Input.Messages)-1]["role"])
				require.Len(t, row.Preferred, 1)
				require.Len(t, row.NonPreferred, 1)
				require.NotEqual(t, row.Preferred, row.NonPreferred)
				row.Messages = slices.Concat(row.Input.Messages, row.Preferred)
				openaiConversation(t, slices.Concat(row.Input.Messages, row.NonPreferred), tools)
			}
			openaiConversation(t, row.Messages, tools)
			checked++
		}
		require.NotZero(t, checked, f.Name)
	}
}

func openaiRecords(t *testing.T, x *Exporter, f Format, rows []dataset.Row) (records []json.RawMessage) {
	for i := range rows {
		objects, _ := x.objects(t, f, &rows[i])
		for _, o := range objects {
			record, err := json.Marshal(o)
			require.NoError(t, err)
			records = append(records, record)
		}
	}
	return records
}

func openaiConversation(t *testing.T, messages []map[string]any, tools []string) {
	t.Helper()
	require.NotEmpty(t, messages)
	require.Equal(t, "assistant", messages[len(messages)-1]["role"], "a row without an answer")
	open := map[string]bool{} // calls without a result
	for i, m := range messages {
		role, _ := m["role"].(string)
		keys, known := openaiMessageKeys[role]
		require.True(t, known, "role %q", role)
		for key := range m {
			require.True(t, key == "role" || slices.Contains(keys, key), "a message of %s has %q", role, key)
		}
		calls, _ := m["tool_calls"].([]any)
		content, _ := m["content"].(string)
		require.True(t, strings.TrimSpace(content) != "" || len(calls) > 0, "message %d says nothing", i)
		if role == "tool" {
			id, _ := m["tool_call_id"].(string)
			require.True(t, open[id], "a result of no call: %q", id)
			delete(open, id)
			continue
		}
		require.Empty(t, open, "a call has no result")
		for _, c := range calls {
			call := c.(map[string]any)
			require.Equal(t, "function", call["type"])
			require.NotEmpty(t, call["id"])
			function := call["function"].(map[string]any)
			require.Contains(t, tools, function["name"])
			var arguments map[string]any
			require.NoError(t, json.Unmarshal([]byte(function["arguments"].(string)), &arguments))
			open[call["id"].(string)] = true
		}
	}
}
