package export

// axolotlKTORow is Axolotl's type chatml.ultra, or llama3.ultra, for KTO
// (docs/rlhf.qmd).
type axolotlKTORow struct {
	Prompt     string `json:"prompt" parquet:"prompt"`
	Completion string `json:"completion" parquet:"completion"`
	Label      bool   `json:"label" parquet:"label"`
}

func axolotlKTO(g *Group) ([]axolotlKTORow, string) {
	rows := []axolotlKTORow{{g.Prompt(), g.Positive.Text, true}}
	for _, n := range g.Wrong {
		rows = append(rows, axolotlKTORow{g.Prompt(), n.Text, false})
	}
	return rows, ""
}
