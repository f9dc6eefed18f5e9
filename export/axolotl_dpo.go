package export

// axolotlDPORow is Axolotl's type chat_template.default for DPO (docs/rlhf.qmd).
type axolotlDPORow struct {
	Messages []Message `json:"messages" parquet:"messages,list"`
	Chosen   Message   `json:"chosen" parquet:"chosen"`
	Rejected Message   `json:"rejected" parquet:"rejected"`
}

func axolotlDPO(g *Group) (rows []axolotlDPORow, _ string) {
	for _, n := range g.Wrong {
		rows = append(rows, axolotlDPORow{g.user(), Message{"assistant", g.Positive.Text}, Message{"assistant", n.Text}})
	}
	return rows, ""
}
