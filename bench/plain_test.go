package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"go.starlark.net/starlark"
)

// TestPlainLayer makes the recorded calls in the plain layer, which is where
// the agents made them: every answer prints as the recorded text, an exception
// is of the recorded class, and the final database is the recorded one.
func TestPlainLayer(t *testing.T) {
	calls, drawn := 0, 0
	for _, file := range readTruth(t).Files {
		d, err := world.Load(file.Domain)
		if err != nil {
			t.Fatal(err)
		}
		runs, err := ReadRuns(filepath.Join(shared(t), "runs", file.File))
		if err != nil {
			t.Fatal(err)
		}
		whole := 0
		for _, item := range runs.Items {
			for _, r := range item.Runs {
				if r.Whole {
					whole++
				}
			}
		}
		older := whole > len(runs.Items)/4
		mends := []string{}
		if older {
			mends = []string{"cards"}
		}
		for i, item := range runs.Items {
			for _, r := range item.Runs {
				w := d.Start(world.Setup{Database: item.Task.Database, Limits: item.Task.Limits, Mends: mends})
				for _, c := range r.Calls {
					if notOffered(c) {
						continue
					}
					args, ok := Corrected().arguments(c).(*starlark.Dict)
					if !ok {
						continue
					}
					v, err := w.CallPlain(c.Name, args)
					calls++
					content := evaluate(c.Content)
					switch {
					case err != nil && strings.HasPrefix(c.Content, python.Caught(err).Kind+": "):
					case err == nil && (c.Content == world.Observation(v, nil) || c.Content == python.Str(v) && older):
					case err == nil && python.Equal(d.Masked(python.Lists(content)), d.Masked(python.Lists(v))):
						drawn++
					default:
						t.Errorf("%s item %d: %s %s gives %.150s (%v), recorded %.150s", file.File, i, c.Name, c.Arguments, v, err, c.Content)
					}
				}
				if !python.Equal(d.Masked(w.Database()), d.Masked(r.Database)) {
					t.Errorf("%s item %d: the final database differs", file.File, i)
				}
			}
		}
	}
	if calls < 2000 || drawn > 1 { // one answer holds a number that the original drew
		t.Errorf("%d calls, %d with a drawn number", calls, drawn)
	}
}
