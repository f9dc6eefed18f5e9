package export

// trlRewardRow is TRL's conversational preference with an implicit prompt, the
// type that is recommended for reward models.
type trlRewardRow struct {
	ID       string    `json:"id" parquet:"id"`
	Chosen   []Message `json:"chosen" parquet:"chosen,list"`
	Rejected []Message `json:"rejected" parquet:"rejected,list"`
}

func trlReward(g *Group) (rows []trlRewardRow, _ string) {
	for _, n := range g.Wrong {
		rows = append(rows, trlRewardRow{g.ID, append(g.user(), assistant(g.Positive.Text)...), append(g.user(), assistant(n.Text)...)})
	}
	return rows, ""
}
