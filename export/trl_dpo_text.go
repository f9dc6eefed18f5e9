package export

// trlDPOTextRow is TRL's standard preference with an explicit prompt. The
// texts are joined as they are, so that the prompt ends with a blank line.
type trlDPOTextRow struct {
	ID       string `json:"id" parquet:"id"`
	Prompt   string `json:"prompt" parquet:"prompt"`
	Chosen   string `json:"chosen" parquet:"chosen"`
	Rejected string `json:"rejected" parquet:"rejected"`
}

func trlDPOText(g *Group) (rows []trlDPOTextRow, _ string) {
	for _, n := range g.Wrong {
		rows = append(rows, trlDPOTextRow{g.ID, g.Prompt() + "\n\n", g.Positive.Text, n.Text})
	}
	return rows, ""
}
