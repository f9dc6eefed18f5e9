package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
)

// Files of the folder of a live run, beside RunFile.
const (
	ManifestFile = "manifest.json"
	LedgerFolder = "ledger" // replies of the models, for a run that goes on
)

// LiveManifest says how a live run was made, and what came of it.
type LiveManifest struct {
	Version  int           `json:"version"`
	Domain   string        `json:"domain"`
	Model    string        `json:"model"`
	Mode     string        `json:"mode"`
	Tools    string        `json:"tools"`
	User     string        `json:"user"`
	Judge    string        `json:"judge"`
	Limits   Limits        `json:"limits"`
	Sampling *llm.Sampling `json:"sampling"` // nil where no model is asked
	Prompts  string        `json:"prompts"`  // PromptsVersion
	Tasks    TaskSource    `json:"tasks"`
	Results  *LiveResults  `json:"results"` // nil before the end
}

// TaskSource is where the tasks come from.
type TaskSource struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
	Count  int    `json:"count"`
	// Seed is what they were drawn from for this run; nil where they were given.
	Seed *uint64 `json:"seed"`
}

// LiveResults count the outcomes of tasks.
type LiveResults struct {
	Passed   int            `json:"passed"`
	Failed   int            `json:"failed"`
	Errors   int            `json:"errors"`
	Broken   map[string]int `json:"broken"` // of those that failed, by criterion
	Ends     map[End]int    `json:"ends"`   // how conversations ended
	Messages int            `json:"messages"`
	Calls    int            `json:"calls"`
	Unusable int            `json:"unusable"` // replies that were sent back
}

// Add counts an outcome.
func (r *LiveResults) Add(o LiveOutcome) {
	switch o.Result {
	case Passed:
		r.Passed++
	case Failed:
		r.Failed++
	default:
		r.Errors++
	}
	if r.Broken == nil {
		r.Broken, r.Ends = map[string]int{}, map[End]int{}
	}
	for _, name := range o.Broken {
		r.Broken[name]++
	}
	if o.End != "" {
		r.Ends[o.End]++
	}
	r.Messages += o.Messages
	r.Calls += o.Calls
	r.Unusable += o.Unusable
}

const liveVersion = 1

// Begin makes the folder of a run, or opens the one that was begun with the same
// settings.
func (m *LiveManifest) Begin(dir string) error {
	m.Version, m.Limits, m.Prompts = liveVersion, OfficialLimits, PromptsVersion
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(entries) == 0:
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		return m.Write(dir)
	}
	before, err := ReadLiveManifest(dir)
	if err != nil {
		return err
	}
	was, is := before.settings(), m.settings()
	for i, s := range is {
		if was[i] != s {
			return fmt.Errorf("%s was begun with the %s, not with the %s; want a folder of its own", dir, was[i], s)
		}
	}
	return nil
}

// settings are what has to be the same for a run to go on.
func (m *LiveManifest) settings() []string {
	sampling := "none"
	if m.Sampling != nil {
		text, err := json.Marshal(m.Sampling)
		if err != nil {
			panic(err) // plain data
		}
		sampling = string(text)
	}
	return []string{
		"domain " + m.Domain, "model " + m.Model, "mode " + cmp.Or(m.Mode, "none"), "tools " + m.Tools, "user " + m.User, "judge " + m.Judge,
		fmt.Sprintf("limits %d messages and %d calls", m.Limits.Messages, m.Limits.Calls), "sampling " + sampling,
		"prompts " + m.Prompts, "tasks of sha256 " + m.Tasks.SHA256,
	}
}

// Write keeps the manifest in the folder of its run.
func (m *LiveManifest) Write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return keep(dir, ManifestFile, append(text, '\n'))
}

// KeepTasks writes the tasks that were drawn for a run into its folder.
func KeepTasks(dir string, text []byte) error { return keep(dir, TasksFile, text) }

func keep(dir, name string, text []byte) error {
	return run.AtomicFile(filepath.Join(dir, name), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// ReadLiveManifest reads that of a run's folder.
func ReadLiveManifest(dir string) (*LiveManifest, error) {
	path := filepath.Join(dir, ManifestFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no folder of a live run: it has no %s", dir, ManifestFile)
	}
	if err != nil {
		return nil, err
	}
	var m LiveManifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if m.Version != liveVersion || m.Tasks.SHA256 == "" {
		return nil, fmt.Errorf("%s is no manifest of a live run of version %d", path, liveVersion)
	}
	return &m, nil
}

// LedgerFile is where the replies of the model of a side are kept; its folder is
// made.
func LedgerFile(dir string, side Side) (string, error) {
	folder := filepath.Join(dir, LedgerFolder)
	return filepath.Join(folder, string(side)+".jsonl"), os.MkdirAll(folder, 0o777)
}
