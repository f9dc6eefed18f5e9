package export

// verlRow is that of verl's docs/preparation/prepare_data.rst. The reward
// function gets data_source, ground_truth and extra_info.
type verlRow struct {
	DataSource  string          `json:"data_source" parquet:"data_source"`
	Prompt      []Message       `json:"prompt" parquet:"prompt,list"`
	Ability     string          `json:"ability" parquet:"ability"` // the row's task
	RewardModel verlRewardModel `json:"reward_model" parquet:"reward_model"`
	ExtraInfo   verlExtraInfo   `json:"extra_info" parquet:"extra_info"`
}

type verlRewardModel struct {
	Style       string `json:"style" parquet:"style"`
	GroundTruth string `json:"ground_truth" parquet:"ground_truth"` // the row's reference
}

type verlExtraInfo struct {
	ID    string `json:"id" parquet:"id"`
	Split string `json:"split" parquet:"split"`
	View  string `json:"view" parquet:"view"`
}

func verl(g *Group) ([]verlRow, string) {
	return []verlRow{{"fmsop/" + g.Domain, g.user(), g.Task, verlRewardModel{"rule", g.Reference}, verlExtraInfo{g.ID, g.Split, g.View}}}, ""
}
