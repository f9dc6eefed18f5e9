package bench

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/fmsop/fmsop/bench/world"
)

// shared is the folder of recorded runs and tasks that stands beside the
// checkout and is not part of the project.
func shared(t testing.TB) string {
	t.Helper()
	dir := "../../shared/sopbench"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && os.Getenv("FMSOP_NO_SHARED") != "" && os.Getenv("CI") == "" {
		t.Skipf("%s is missing, and FMSOP_NO_SHARED is set", dir)
	} else if err != nil {
		t.Fatal(err)
	}
	return dir
}

// truth is what the official evaluator says of every recorded run.
type truth struct {
	Keys  []string `json:"keys"`
	Files []struct {
		File   string `json:"file"`
		Domain string `json:"domain"`
		Passed int    `json:"passed"`
		Tasks  []struct {
			I          int       `json:"i"`
			Index      int       `json:"task_index_in_data"`
			Goal       string    `json:"goal"`
			Calls      []int     `json:"ncalls"`
			Recomputed [][7]bool `json:"recomputed"`
		} `json:"tasks"`
	} `json:"files"`
}

func readTruth(t testing.TB) truth {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared(t), "runs/truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all truth
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestOfficial replays the recorded runs: every criterion of every task is as
// the official evaluator has it.
func TestOfficial(t *testing.T) {
	all := readTruth(t)
	order := [7]int{}
	for i, key := range all.Keys {
		for k, name := range Criteria {
			if name == key {
				order[i] = k
			}
		}
	}
	for _, file := range all.Files {
		d, err := world.Load(file.Domain)
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := ReadTasks(filepath.Join(shared(t), "tasks"), file.Domain)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := ReadRuns(filepath.Join(shared(t), "runs", file.File))
		if err != nil {
			t.Fatal(err)
		}
		var differ [7]int
		passed := 0
		for _, want := range file.Tasks {
			item := runs.Items[want.I]
			task := tasks[want.Index]
			if !task.same(item.Task) {
				t.Errorf("%s: item %d is no copy of task %d", file.File, want.I, want.Index)
			}
			for r, run := range item.Runs {
				got, err := Official().Judge(d, task, run)
				if err != nil {
					t.Errorf("%s: item %d run %d: %v", file.File, want.I, r, err)
					continue
				}
				if len(run.Calls) != want.Calls[r] {
					t.Errorf("%s: item %d run %d: %d calls, want %d", file.File, want.I, r, len(run.Calls), want.Calls[r])
				}
				if got.Success {
					passed++
				}
				for i, k := range order {
					if got.Values()[k] != want.Recomputed[r][i] {
						differ[k]++
						t.Logf("%s: item %d run %d (%s): %s is %v", file.File, want.I, r, want.Goal, Criteria[k], got.Values()[k])
					}
				}
			}
		}
		if differ != [7]int{} || passed != file.Passed {
			t.Errorf("%s: %d tasks, criteria that differ %v, passed %d, want %d", file.File, len(file.Tasks), differ, passed, file.Passed)
		}
	}
}
