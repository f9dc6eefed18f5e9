// Package export turns the groups of a dataset into the rows that trainers
// read.
//
// Start with Lookup, which finds a Format by name, and Open, which returns an
// Exporter: it turns rows into parts, on any number of goroutines, and a
// Writer appends the parts to the files. A folder of exports holds
//
//	FORMAT/train.jsonl        or .jsonl.zst, .parquet; the training rows of the stages up to K
//	FORMAT/validation.jsonl
//	FORMAT/test.jsonl
//	FORMAT/README.md          the dataset card: what a row is, how to train
//	FORMAT/…                  the trainer's own settings
//	export.json               what was exported from what: see Manifest
//
// A format is a file with its row type, and a line in Formats. Every row of a
// file has the same keys and types. The package does not judge answers and
// trains nothing.
package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Formats are all that can be exported.
var Formats = []Format{
	format("trl-sft", "TRL SFTTrainer: messages", trlSFT).trains("trl sft --config sft.yaml").withChat(trlSFTChat),
	format("trl-sft-completion", "TRL SFTTrainer: prompt and completion", trlCompletion).trains("trl sft --config sft.yaml").withChat(trlCompletionChat),
	format("trl-sft-tools", "TRL SFTTrainer: messages with tool calls", trlTools).withTools().trains("trl sft --config sft.yaml"),
	format("trl-dpo", "TRL DPOTrainer: a conversation, chosen and rejected", trlDPO).trains("trl dpo --config dpo.yaml").withWrong(),
	format("trl-dpo-text", "TRL DPOTrainer: plain text, chosen and rejected", trlDPOText).trains("trl dpo --config dpo.yaml").withWrong(),
	format("trl-kto", "TRL KTOTrainer: an answer and whether it is right", trlKTO).trains("trl kto --config kto.yaml").withWrong(),
	format("trl-reward", "TRL RewardTrainer: two conversations, chosen and rejected", trlReward).trains("trl reward --config reward.yaml").withWrong(),
	format("trl-grpo", "TRL GRPOTrainer: a prompt, and what the reward needs", trlGRPO).trains("trl grpo --config grpo.yaml").withReward(),
	format("trl-prm", "TRL PRMTrainer (up to 1.13): the steps of a workflow, the first wrong one marked", trlPRM).trains("python3 prm.py").withWrong(),
	format("verl", "verl: a prompt, and what the reward needs; Parquet", verl).trains("sh train.sh").withReward().asParquet(),
	format("llamafactory-alpaca", "LLaMA-Factory: alpaca", alpaca).trains("llamafactory-cli train sft.yaml").withChat(alpacaChat),
	format("llamafactory-sharegpt", "LLaMA-Factory: sharegpt, next actions as function calls", sharegpt).withTools().trains("llamafactory-cli train sft.yaml").withChat(sharegptChat),
	format("llamafactory-ranking", "LLaMA-Factory: alpaca, chosen and rejected", alpacaRanking).trains("llamafactory-cli train dpo.yaml").withWrong(),
	format("llamafactory-kto", "LLaMA-Factory: sharegpt, an answer and whether it is right", sharegptKTO).trains("llamafactory-cli train kto.yaml").withWrong(),
	format("axolotl-chat", "Axolotl: chat_template", chat).trains("axolotl train sft.yaml").withChat(chatChat),
	format("axolotl-dpo", "Axolotl: chat_template.default, chosen and rejected", axolotlDPO).trains("axolotl train dpo.yaml").withWrong(),
	format("axolotl-kto", "Axolotl: chatml.ultra, an answer and whether it is right", axolotlKTO).trains("axolotl train kto.yaml").withWrong(),
	format("swift-listwise", "ms-swift: one right answer and a list of wrong ones", swiftListwise).trains("sh train.sh").withWrong(),
	format("openai-chat", "OpenAI fine-tuning: chat", chat).trains(openaiJob).withChat(chatChat),
	format("openai-tools", "OpenAI fine-tuning: chat with tools", openaiTools).withTools().trains(openaiJob),
	format("openai-preference", "OpenAI fine-tuning: preferred and other output", openaiPreference).trains(openaiJob).withWrong(),
}

const openaiJob = `curl https://api.openai.com/v1/fine_tuning/jobs -H "Authorization: Bearer $OPENAI_API_KEY" -H "Content-Type: application/json" -d @job.json`

// Lookup finds formats by name. The error suggests what was probably meant.
func Lookup(names []string) ([]Format, error) {
	var found []Format
	for i, name := range names {
		f, err := lookup(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("format %q is named twice", name)
		}
		found = append(found, f)
	}
	return found, nil
}

func lookup(name string) (Format, error) {
	var known []string
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	near := slices.MinFunc(known, func(a, b string) int {
		return levenshtein.ComputeDistance(name, a) - levenshtein.ComputeDistance(name, b)
	})
	if levenshtein.ComputeDistance(name, near) <= max(1, len(name)/3) {
		return Format{}, fmt.Errorf("unknown format %q, did you mean %q?", name, near)
	}
	return Format{}, fmt.Errorf("unknown format %q, want one of %s", name, strings.Join(known, ", "))
}
