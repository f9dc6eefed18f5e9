package export

// trlSFTRow is TRL's conversational language modelling; see its
// docs/source/dataset_formats.md, as for the other formats of TRL.
type trlSFTRow struct {
	ID       string    `json:"id" parquet:"id"`
	Messages []Message `json:"messages" parquet:"messages,list"`
}

func trlSFT(g *Group) ([]trlSFTRow, string) {
	return []trlSFTRow{{g.ID, append(g.user(), assistant(g.Positive.Text)...)}}, ""
}

func trlSFTChat(c Chat) (any, bool) { return trlSFTRow{"", c.Messages}, true }
