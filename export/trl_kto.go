package export

// trlKTORow is TRL's unpaired preference. A group gives one row for its
// positive and one for each negative.
type trlKTORow struct {
	ID         string    `json:"id" parquet:"id"`
	Prompt     []Message `json:"prompt" parquet:"prompt,list"`
	Completion []Message `json:"completion" parquet:"completion,list"`
	Label      bool      `json:"label" parquet:"label"`
}

func trlKTO(g *Group) ([]trlKTORow, string) {
	rows := []trlKTORow{{g.ID, g.user(), assistant(g.Positive.Text), true}}
	for _, n := range g.Wrong {
		rows = append(rows, trlKTORow{g.ID, g.user(), assistant(n.Text), false})
	}
	return rows, ""
}
