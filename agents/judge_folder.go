package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/fmsop/fmsop/rubric"
)

const judgeCheckPrefix = "judge-check."

// JudgeCheckFile is where the check of a judge is kept.
func (e *Evaluation) JudgeCheckFile(judge string) string {
	return e.Path(judgeCheckPrefix + FileName(judge) + ".json")
}

// ConflictsFile is where the answers are listed that a judge and the keys
// disagree on.
func (e *Evaluation) ConflictsFile(judge string) string {
	return e.Path("conflicts." + FileName(judge) + ".jsonl")
}

// WriteJudgeCheck keeps the check of a judge, and its conflicts.
func (e *Evaluation) WriteJudgeCheck(c *rubric.JudgeCheck, conflicts []Conflict) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := WriteLines(e.ConflictsFile(c.Judge), conflicts); err != nil {
		return err
	}
	return writeWhole(e.JudgeCheckFile(c.Judge), append(data, '\n'))
}

// JudgeChecks reads the checks that are kept, in the order of their judges.
func (e *Evaluation) JudgeChecks() ([]*rubric.JudgeCheck, error) {
	paths, err := filepath.Glob(e.Path(judgeCheckPrefix + "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	var list []*rubric.JudgeCheck
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		c := &rubric.JudgeCheck{}
		if err := json.Unmarshal(data, c); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, c)
	}
	return list, nil
}
