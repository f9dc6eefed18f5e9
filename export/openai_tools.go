package export

import "fmt"

// openaiToolsRow is a row of OpenAI's chat fine-tuning with tools.
type openaiToolsRow struct {
	Messages          []openaiMessage `json:"messages" parquet:"messages,list"`
	Tools             []function      `json:"tools" parquet:"tools,list"`
	ParallelToolCalls bool            `json:"parallel_tool_calls" parquet:"parallel_tool_calls"`
}

type openaiMessage struct {
	Role       string           `json:"role" parquet:"role"`
	Content    string           `json:"content,omitempty" parquet:"content,optional"`
	ToolCalls  []openaiToolCall `json:"tool_calls,omitempty" parquet:"tool_calls,list"`
	ToolCallID string           `json:"tool_call_id,omitempty" parquet:"tool_call_id,optional"`
}

type openaiToolCall struct {
	ID       string         `json:"id" parquet:"id"`
	Type     string         `json:"type" parquet:"type"`
	Function openaiFunction `json:"function" parquet:"function"`
}

type openaiFunction struct {
	Name      string `json:"name" parquet:"name"`
	Arguments string `json:"arguments" parquet:"arguments"` // the text of a JSON object
}

func openaiTools(g *Group) ([]openaiToolsRow, string) {
	e, why := g.episode()
	if e == nil {
		return nil, why
	}
	r := openaiToolsRow{Messages: []openaiMessage{{Role: "system", Content: e.procedure}, {Role: "user", Content: e.request}}, Tools: functions(e.tools)}
	for i, c := range append(e.history, e.next) {
		id := fmt.Sprintf("call_%d", i)
		r.Messages = append(r.Messages, openaiMessage{Role: "assistant", ToolCalls: []openaiToolCall{{id, "function", openaiFunction{c.Name, compact(c.Arguments)}}}})
		if i < len(e.results) {
			r.Messages = append(r.Messages, openaiMessage{Role: "tool", Content: e.results[i], ToolCallID: id})
		}
	}
	return []openaiToolsRow{r}, ""
}
