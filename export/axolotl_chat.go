package export

// chatRow is a conversation and nothing else: Axolotl's type chat_template
// (docs/dataset-formats) and OpenAI's chat fine-tuning.
type chatRow struct {
	Messages []Message `json:"messages" parquet:"messages,list"`
}

func chat(g *Group) ([]chatRow, string) {
	return []chatRow{{append(g.user(), assistant(g.Positive.Text)...)}}, ""
}

func chatChat(c Chat) (any, bool) { return chatRow(c), true }
