package export

// openaiPreferenceRow is a row of OpenAI's preference fine-tuning, which
// Together and Fireworks take too.
type openaiPreferenceRow struct {
	Input        openaiInput `json:"input" parquet:"input"`
	Preferred    []Message   `json:"preferred_output" parquet:"preferred_output,list"`
	NonPreferred []Message   `json:"non_preferred_output" parquet:"non_preferred_output,list"`
}

type openaiInput struct {
	Messages []Message `json:"messages" parquet:"messages,list"`
}

func openaiPreference(g *Group) (rows []openaiPreferenceRow, _ string) {
	for _, n := range g.Wrong {
		rows = append(rows, openaiPreferenceRow{openaiInput{g.user()}, assistant(g.Positive.Text), assistant(n.Text)})
	}
	return rows, ""
}
