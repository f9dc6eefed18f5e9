package export

// sharegptKTORow is LLaMA-Factory's sharegpt format for KTO.
type sharegptKTORow struct {
	Conversations []sharegptTurn `json:"conversations" parquet:"conversations,list"`
	Tag           bool           `json:"kto_tag" parquet:"kto_tag"`
}

func sharegptKTO(g *Group) ([]sharegptKTORow, string) {
	row := func(answer string, right bool) sharegptKTORow {
		return sharegptKTORow{[]sharegptTurn{{"human", g.Prompt()}, {"gpt", answer}}, right}
	}
	rows := []sharegptKTORow{row(g.Positive.Text, true)}
	for _, n := range g.Wrong {
		rows = append(rows, row(n.Text, false))
	}
	return rows, ""
}
