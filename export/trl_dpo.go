package export

// trlDPORow is TRL's conversational preference with an explicit prompt, the
// type that is recommended for DPO.
type trlDPORow struct {
	ID       string    `json:"id" parquet:"id"`
	Prompt   []Message `json:"prompt" parquet:"prompt,list"`
	Chosen   []Message `json:"chosen" parquet:"chosen,list"`
	Rejected []Message `json:"rejected" parquet:"rejected,list"`
}

func trlDPO(g *Group) (rows []trlDPORow, _ string) {
	for _, n := range g.Wrong {
		rows = append(rows, trlDPORow{g.ID, g.user(), assistant(g.Positive.Text), assistant(n.Text)})
	}
	return rows, ""
}
