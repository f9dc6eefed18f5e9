package export

// alpacaRankingRow is LLaMA-Factory's alpaca format for DPO, ORPO, SimPO and
// reward models. A list of rejected answers is read as none, so it takes one a
// row.
type alpacaRankingRow struct {
	Instruction string `json:"instruction" parquet:"instruction"`
	Input       string `json:"input" parquet:"input"`
	Chosen      string `json:"chosen" parquet:"chosen"`
	Rejected    string `json:"rejected" parquet:"rejected"`
}

func alpacaRanking(g *Group) (rows []alpacaRankingRow, _ string) {
	for _, n := range g.Wrong {
		rows = append(rows, alpacaRankingRow{Instruction: g.Prompt(), Chosen: g.Positive.Text, Rejected: n.Text})
	}
	return rows, ""
}
