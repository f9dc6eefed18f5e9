package export

// sharegptRow is LLaMA-Factory's sharegpt format. Human turns and observations
// alternate with answers and function calls, the former first.
type sharegptRow struct {
	Conversations []sharegptTurn `json:"conversations" parquet:"conversations,list"`
	System        string         `json:"system" parquet:"system"`
	Tools         string         `json:"tools" parquet:"tools"` // the text of a JSON list, or empty
}

type sharegptTurn struct {
	From  string `json:"from" parquet:"from"`
	Value string `json:"value" parquet:"value"`
}

// sharegpt makes next actions conversations with function calls, and the others
// a question with its answer.
func sharegpt(g *Group) ([]sharegptRow, string) {
	e, why := g.episode()
	switch {
	case why == notNextAction:
		return []sharegptRow{{Conversations: []sharegptTurn{{"human", g.Prompt()}, {"gpt", g.Positive.Text}}}}, ""
	case e == nil:
		return nil, why
	}
	r := sharegptRow{System: e.procedure, Tools: compact(e.tools), Conversations: []sharegptTurn{{"human", e.request}}}
	for i, c := range e.history {
		r.Conversations = append(r.Conversations, sharegptTurn{"function_call", c.JSON()}, sharegptTurn{"observation", e.results[i]})
	}
	r.Conversations = append(r.Conversations, sharegptTurn{"function_call", e.next.JSON()})
	return []sharegptRow{r}, ""
}

// sharegptChat takes a chat whose turns alternate.
func sharegptChat(c Chat) (any, bool) {
	var r sharegptRow
	messages := c.Messages
	if messages[0].Role == "system" {
		r.System, messages = messages[0].Content, messages[1:]
	}
	for i, m := range messages {
		from, role := "human", "user"
		if i%2 == 1 {
			from, role = "gpt", "assistant"
		}
		if m.Role != role {
			return nil, false
		}
		r.Conversations = append(r.Conversations, sharegptTurn{from, m.Content})
	}
	return r, true
}
