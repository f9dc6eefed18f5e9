package stages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/stages"
)

// The reward is what verify proves: every right answer of a dataset is worth
// 1, no wrong one is, in whatever format it is written, and a fault is worth
// nothing.
func TestJudgeAgreesWithTheDataset(t *testing.T) {
	_, rows := generate(t, stages.Options{Groups: 1500, Seed: 11}, 2, load(t, "bank", "healthcare", "hotel")...)
	for _, row := range rows {
		r, err := stages.ParseReference([]byte(row.Reference))
		require.NoError(t, err)
		v, err := stages.Judge(r, row.View, row.Positive.Text)
		require.NoError(t, err)
		require.True(t, v.Valid, "%s: %q: %+v", row.ID, row.Positive.Text, v)
		for _, n := range row.Negatives {
			v, err := stages.Judge(r, row.View, n.Text)
			require.NoError(t, err)
			require.Empty(t, v.Unreadable, "%s: %q", row.ID, n.Text)
			require.False(t, v.Valid, "%s: %q", row.ID, n.Text)
			if len(v.Violations) > 0 && row.View == "workflow" {
				require.Equal(t, n.Violation, string(v.Violations[0].Kind), "%s: %q", row.ID, n.Text)
			}
		}
	}
}
