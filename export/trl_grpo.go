package export

// trlGRPORow is TRL's conversational prompt-only type. The other columns are
// handed to the reward function by name; the reward beside the file judges an
// answer by reference and view.
type trlGRPORow struct {
	ID        string    `json:"id" parquet:"id"`
	Prompt    []Message `json:"prompt" parquet:"prompt,list"`
	Reference string    `json:"reference" parquet:"reference"`
	View      string    `json:"view" parquet:"view"`
}

func trlGRPO(g *Group) ([]trlGRPORow, string) {
	return []trlGRPORow{{g.ID, g.user(), g.Reference, g.View}}, ""
}
