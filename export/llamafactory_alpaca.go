package export

// alpacaRow is LLaMA-Factory's alpaca format; see its data/README.md, as for
// the other formats of LLaMA-Factory.
type alpacaRow struct {
	Instruction string `json:"instruction" parquet:"instruction"`
	Input       string `json:"input" parquet:"input"`
	Output      string `json:"output" parquet:"output"`
	System      string `json:"system" parquet:"system"`
}

func alpaca(g *Group) ([]alpacaRow, string) {
	return []alpacaRow{{Instruction: g.Prompt(), Output: g.Positive.Text}}, ""
}

// alpacaChat takes a chat of one question.
func alpacaChat(c Chat) (any, bool) {
	before, answer, ok := c.last()
	r := alpacaRow{Output: answer}
	if ok && before[0].Role == "system" {
		r.System, before = before[0].Content, before[1:]
	}
	if !ok || len(before) != 1 || before[0].Role != "user" {
		return nil, false
	}
	r.Instruction = before[0].Content
	return r, true
}
