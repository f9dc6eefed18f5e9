package export

// swiftListwiseRow is ms-swift's reranker format (BestPractices/Reranker.md):
// with the loss listwise_reranker, the softmax over one positive and all
// negatives of Eq. 7 of FM SO.P.
type swiftListwiseRow struct {
	Messages []Message   `json:"messages" parquet:"messages,list"`
	Positive [][]Message `json:"positive_messages" parquet:"positive_messages,list"`
	Negative [][]Message `json:"negative_messages" parquet:"negative_messages,list"`
}

func swiftListwise(g *Group) ([]swiftListwiseRow, string) {
	r := swiftListwiseRow{Messages: g.user(), Positive: [][]Message{assistant(g.Positive.Text)}}
	for _, n := range g.Wrong {
		r.Negative = append(r.Negative, assistant(n.Text))
	}
	return []swiftListwiseRow{r}, ""
}
