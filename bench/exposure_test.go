package bench

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/starlark"
)

// TestExposure reads task files as a corpus, which is what training sees of
// them, and as tasks: each task that the corpus took is seen, and no other.
func TestExposure(t *testing.T) {
	for _, domain := range []string{"bank", "dmv", "healthcare", "hotel", "online_market"} {
		dir := filepath.Join(shared(t), "tasks")
		c, err := corpus.Load(filepath.Join(dir, TaskFile(domain)))
		if err != nil {
			t.Fatal(err)
		}
		e := &Exposure{}
		taken := 0
		for _, p := range c.Domain.Procedures {
			taken += len(p.Cases)
			for _, k := range p.Cases {
				e.Add(c.Domain.Name, p.Goal, k.Source)
			}
		}
		tasks, err := ReadTasks(dir, domain)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, task := range tasks {
			if e.Of(task) == SeenTask {
				seen++
			}
		}
		if taken == 0 || seen != taken {
			t.Errorf("%s: training took %d tasks, of which %d are recognised", domain, taken, seen)
		}
	}
}

// TestExposureOfCopies finds the tasks of recorded runs that were trained on,
// with what recording adds to them.
func TestExposureOfCopies(t *testing.T) {
	for _, file := range []string{"bank.gpt-4o-mini.fc.json.zst", "dmv.o4-mini-high.fc.json.zst"} {
		runs, err := ReadRuns(filepath.Join(shared(t), "runs", file))
		if err != nil {
			t.Fatal(err)
		}
		tasks, err := ReadTasks(filepath.Join(shared(t), "tasks"), runs.Items[0].Domain)
		if err != nil {
			t.Fatal(err)
		}
		e := &Exposure{}
		for _, task := range tasks {
			if task.Index%3 == 0 {
				e.Add(task.Domain, task.Goal, corpus.TaskHash(goValue(task.fields).(map[string]any)))
			}
		}
		for i, item := range runs.Items {
			if got := e.Of(item.Task); (got == SeenTask) != (i%3 == 0) {
				t.Errorf("%s: item %d counts as %s", file, i, got)
			}
		}
	}
}

func TestExposureOf(t *testing.T) {
	task := func(goal, text string) *Task {
		v, err := world.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return &Task{Domain: "bank", Goal: goal, fields: v.(*starlark.Dict)}
	}
	trained := map[string]any{"user_prompt": "Pay.", "initial_database": map[string]any{"a": true}}
	e := &Exposure{}
	e.Add("bank", "pay_bill", corpus.TaskHash(trained))
	e.Add("bank", "close_account", "")
	for _, c := range []struct {
		goal, task string
		e          *Exposure
		want       string
		parts      []string
	}{
		{"pay_bill", `{"initial_database": {"a": true}, "user_prompt": "Pay."}`, e, SeenTask, []string{"goals seen", "tasks seen"}},
		{"pay_bill", `{"initial_database": {"a": true}, "user_prompt": "Pay.", "user_goal": "pay_bill", "assistant_prompt": "…"}`, e, SeenTask, []string{"goals seen", "tasks seen"}},
		{"pay_bill", `{"initial_database": {"a": 1}, "user_prompt": "Pay."}`, e, SeenGoal, []string{"goals seen", "tasks unseen"}},
		{"pay_bill", `{"initial_database": {"a": true}, "user_prompt": "Pay.", "note": ""}`, e, SeenGoal, []string{"goals seen", "tasks unseen"}},
		{"close_account", `{}`, e, SeenGoal, []string{"goals seen", "tasks unseen"}},
		{"open_account", `{}`, e, Unseen, []string{"goals unseen", "tasks unseen"}},
		{"open_account", `{}`, &Exposure{}, Unseen, []string{"goals unseen", "tasks unseen"}},
		{"pay_bill", `{}`, nil, Unknown, nil},
	} {
		got := c.e.Of(task(c.goal, c.task))
		var parts []string
		for _, p := range Parts {
			if p.Has(got) {
				parts = append(parts, p.Name)
			}
		}
		if got != c.want || !slices.Equal(parts, c.parts) {
			t.Errorf("%s %s: %s, in %v; want %s, %v", c.goal, c.task, got, parts, c.want, c.parts)
		}
	}
}

// TestTallyParts holds the counts of the parts against those of all tasks.
func TestTallyParts(t *testing.T) {
	e := &Exposure{}
	e.Add("dmv", "renew_vehicle", "")
	e.Add("dmv", "validate_vehicle_insurance", "")
	r := &Replay{Judge: Official(), Trained: e}
	var tally Tally
	err := r.File(t.Context(), filepath.Join(shared(t), "runs/dmv.gpt-4.1.fc.json.zst"), func(o Outcome) error { tally.Add(o); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(tally.Parts) != len(Parts) {
		t.Fatalf("%d parts, want %d", len(tally.Parts), len(Parts))
	}
	for i := 0; i < len(Parts); i += 2 {
		seen, unseen := tally.Parts[i], tally.Parts[i+1]
		passedSeen, ofSeen := seen.First()
		passedUnseen, ofUnseen := unseen.First()
		passed, of := tally.First()
		if passedSeen+passedUnseen != passed || ofSeen+ofUnseen != of || seen.Judged+unseen.Judged != tally.Judged {
			t.Errorf("%s: %d of %d and %d of %d are not %d of %d", Parts[i].Name, passedSeen, ofSeen, passedUnseen, ofUnseen, passed, of)
		}
		for k := range Criteria {
			if seen.True[k]+unseen.True[k] != tally.True[k] {
				t.Errorf("%s: %s holds %d and %d times, of %d", Parts[i].Name, Criteria[k], seen.True[k], unseen.True[k], tally.True[k])
			}
		}
	}
	if goals := tally.Parts[0].Judged; goals == 0 || goals == tally.Judged || tally.Parts[2].Judged != 0 {
		t.Errorf("%d goals seen and %d tasks seen of %d", goals, tally.Parts[2].Judged, tally.Judged)
	}
}

// TestExposureOfPack knows a pack by its name, wherever its folder is.
func TestExposureOfPack(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../data/bank")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "sopbench.json")); err != nil { // a pack of one's own has none
		t.Fatal(err)
	}
	c, err := corpus.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	e := &Exposure{}
	e.Add(c.Domain.Name, "pay_bill", "")
	if got := e.Of(&Task{Domain: dir, Goal: "pay_bill", fields: new(starlark.Dict)}); got != SeenGoal {
		t.Errorf("a goal that was trained on counts as %s", got)
	}
}
