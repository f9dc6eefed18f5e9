package stages_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

// Groups differ in their variant, scenario or answer: nearly all of them, though
// the jobs do not know of each other, and even if names are undone.
func TestGroupsAreDistinct(t *testing.T) {
	const groups = 3000
	for stage := 1; stage <= 3; stage++ {
		p, err := stages.NewPlan(stages.Options{Groups: groups, Stages: []int{stage}, Seed: 3}, load(t, corpus.Builtin()...))
		require.NoError(t, err)
		res, err := p.Generate(context.Background(), filepath.Join(t.TempDir(), "d"), dataset.Options{}, run.Options{Workers: 2})
		require.NoError(t, err)
		require.Equal(t, groups, res.Made)
		d := res.Manifest.Distinct[fmt.Sprint(stage)]
		require.False(t, d.Estimated)
		require.GreaterOrEqual(t, d.Tasks, d.NamesUndone, "names tell further tasks apart")
		require.Greater(t, d.NamesUndone, groups*99/100, "stage %d with names undone", stage)
	}
}
