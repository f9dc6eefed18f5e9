package export

// trlToolsRow is TRL's tool calling. Arguments are objects, as chat templates
// want them, and tools are the text of a JSON list, which TRL takes too: lists
// of schemas whose keys differ from row to row have no type of their own.
type trlToolsRow struct {
	ID       string           `json:"id" parquet:"id"`
	Messages []trlToolMessage `json:"messages" parquet:"messages,list"`
	Tools    string           `json:"tools" parquet:"tools"`
}

type trlToolMessage struct {
	Role      string        `json:"role" parquet:"role"`
	Content   string        `json:"content" parquet:"content"`
	ToolCalls []trlToolCall `json:"tool_calls,omitempty" parquet:"tool_calls,list"`
	Name      string        `json:"name,omitempty" parquet:"name,optional"` // of the tool that answers
}

type trlToolCall struct {
	Type     string `json:"type" parquet:"type"`
	Function call   `json:"function" parquet:"function"`
}

func trlTools(g *Group) ([]trlToolsRow, string) {
	e, leftOut := g.episode()
	if e == nil {
		return nil, leftOut
	}
	calls := func(c call) trlToolMessage {
		return trlToolMessage{Role: "assistant", ToolCalls: []trlToolCall{{"function", c}}}
	}
	messages := []trlToolMessage{{Role: "system", Content: e.procedure}, {Role: "user", Content: e.request}}
	for i, c := range e.history {
		messages = append(messages, calls(c), trlToolMessage{Role: "tool", Content: e.results[i], Name: c.Name})
	}
	return []trlToolsRow{{g.ID, append(messages, calls(e.next)), compact(functions(e.tools))}}, ""
}

// function is a tool as the OpenAI interface writes it.
type function struct {
	Type     string `json:"type" parquet:"type"`
	Function tool   `json:"function" parquet:"function"`
}

func functions(tools []tool) (list []function) {
	for _, t := range tools {
		list = append(list, function{"function", t})
	}
	return list
}
