package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/bench/world"
)

// solve carries out the tasks as their own graphs say, and returns those that
// do not end as they want.
func solve(t *testing.T, d *world.Domain, tasks []*Task, j *Judge) (otherwise []string) {
	t.Helper()
	for _, task := range tasks {
		outcome, err := j.solve(d, task)
		if err != nil {
			t.Fatal(err)
		}
		if outcome != task.ShouldSucceed {
			otherwise = append(otherwise, fmt.Sprintf("%s %d wants %v", task.Goal, task.Index, task.ShouldSucceed))
		}
	}
	return otherwise
}

// TestSolutions carries out every public task. With the faults mended each
// ends as it wants; without, a few cannot succeed, and where the user knows a
// wrong password the goal succeeds nevertheless.
func TestSolutions(t *testing.T) {
	for name, want := range map[string]struct{ tasks, succeed int }{
		"bank": {153, 30}, "dmv": {115, 23}, "healthcare": {130, 6}, "online_market": {187, 10}, "hotel": {196, 0},
	} {
		tasks, err := ReadTasks(filepath.Join(shared(t), "tasks"), name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := world.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if otherwise := solve(t, d, tasks, Corrected()); len(otherwise) > 0 || len(tasks) != want.tasks {
			t.Errorf("%s: of %d tasks these end otherwise: %q", name, len(tasks), otherwise)
		}
		var cannot []string
		succeed := 0
		for _, x := range solve(t, d, tasks, Official()) {
			if _, fails := strings.CutSuffix(x, " wants true"); fails {
				cannot = append(cannot, x)
			} else {
				succeed++
			}
		}
		if succeed != want.succeed {
			t.Errorf("%s: %d tasks succeed after all, want %d", name, succeed, want.succeed)
		}
		if stuck := cannotSucceed[name]; !slices.Equal(cannot, stuck) {
			t.Errorf("%s: cannot succeed: %q, want %q", name, cannot, stuck)
		}
	}
}

// cannotSucceed are tasks that fail in the original whatever an agent does:
// their cards are stored as a list.
var cannotSucceed = map[string][]string{"bank": {
	"cancel_credit_card 12 wants true", "cancel_credit_card 15 wants true", "cancel_credit_card 17 wants true",
	"cancel_credit_card 19 wants true", "cancel_credit_card 22 wants true", "cancel_credit_card 26 wants true",
	"get_credit_card_info 45 wants true",
	"pay_bill_with_credit_card 76 wants true", "pay_bill_with_credit_card 78 wants true",
}}
