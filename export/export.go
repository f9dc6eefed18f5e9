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
	format("trl-sft", "TRL SFTTrainer: messages", trlSFT).withChat(trlSFTChat),
	format("trl-sft-completion", "TRL SFTTrainer: prompt and completion", trlCompletion).withChat(trlCompletionChat),
	format("trl-sft-tools", "TRL SFTTrainer: messages with tool calls", trlTools),
	format("trl-dpo", "TRL DPOTrainer: a conversation, chosen and rejected", trlDPO),
	format("trl-dpo-text", "TRL DPOTrainer: plain text, chosen and rejected", trlDPOText),
	format("trl-kto", "TRL KTOTrainer: an answer and whether it is right", trlKTO),
	format("trl-reward", "TRL RewardTrainer: two conversations, chosen and rejected", trlReward),
}

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
