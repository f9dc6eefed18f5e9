package recheck

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// manifest is the parts of manifest.json that this package holds against the files.
type manifest struct {
	Shard   string                    `json:"shard"`
	Stages  []int                     `json:"stages"`
	Files   map[string]file           `json:"files"`
	Counts  map[string]map[string]int `json:"counts"`
	Lengths map[string]length         `json:"lengths"`
	Drops   map[string]int            `json:"drops"`
	Split   struct {
		Unit        string            `json:"unit"`
		Assignments map[string]string `json:"assignments"`
	} `json:"split"`
	Exposure []exposure `json:"exposure"`
	Config   struct {
		Groups int   `json:"groups"`
		Ratio  []int `json:"ratio"` // negatives of a row, by stage
	} `json:"config"`
	Lexicon map[string]*domain `json:"lexicon"`
}

type file struct {
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

type length struct {
	Min    int `json:"min"`
	Median int `json:"median"`
	Max    int `json:"max"`
}

type exposure struct {
	Domain string `json:"domain"`
	Goal   string `json:"goal"`
	Source string `json:"source"`
}

func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	if len(m.Stages) == 0 || len(m.Lexicon) == 0 {
		return nil, fmt.Errorf("manifest.json has no stages, or no lexicon")
	}
	for _, d := range m.Lexicon {
		d.prepare()
	}
	return m, nil
}

func trainFile(stage int) string { return fmt.Sprintf("train_%d.jsonl.zst", stage) }

// rowFiles names the files whose rows are proven, the largest train file first, and the smaller ones, which it has to hold.
func (m *manifest) rowFiles() (largest, smaller []string) {
	last := len(m.Stages) - 1
	largest = []string{trainFile(m.Stages[last])}
	for _, name := range []string{"validation.jsonl.zst", "test.jsonl.zst", "unreviewed.jsonl.zst", "unproven.jsonl.zst"} {
		if _, listed := m.Files[name]; listed {
			largest = append(largest, name)
		}
	}
	for _, stage := range m.Stages[:last] {
		smaller = append(smaller, trainFile(stage))
	}
	return largest, smaller
}
