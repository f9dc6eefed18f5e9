package export

// trlCompletionRow is TRL's conversational prompt-completion: only the
// completion is learnt.
type trlCompletionRow struct {
	ID         string    `json:"id" parquet:"id"`
	Prompt     []Message `json:"prompt" parquet:"prompt,list"`
	Completion []Message `json:"completion" parquet:"completion,list"`
}

func trlCompletion(g *Group) ([]trlCompletionRow, string) {
	return []trlCompletionRow{{g.ID, g.user(), assistant(g.Positive.Text)}}, ""
}

func trlCompletionChat(c Chat) (any, bool) {
	before, answer, ok := c.last()
	return trlCompletionRow{"", before, assistant(answer)}, ok
}
