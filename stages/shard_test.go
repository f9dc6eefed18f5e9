package stages_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/stages"
)

func TestShardsAreThePlan(t *testing.T) {
	corpora := load(t, "bank")
	newPlan := func() *stages.Plan {
		p, err := stages.NewPlan(stages.Options{Groups: 400, Seed: 2}, corpora)
		require.NoError(t, err)
		return p
	}
	whole := newPlan()
	for _, n := range []int{1, 2, 3, 7, len(whole.Jobs), len(whole.Jobs) + 3} {
		var jobs []*stages.Job
		for i := 1; i <= n; i++ {
			p := newPlan()
			require.NoError(t, p.Shard(i, n))
			require.Equal(t, whole.Split, p.Split)
			require.Equal(t, whole.Exposure(), p.Exposure())
			require.InDelta(t, float64(len(whole.Jobs))/float64(n), len(p.Jobs), 1, "jobs of shard %d/%d", i, n)
			jobs = append(jobs, p.Jobs...)
		}
		require.Equal(t, whole.Jobs, jobs, "%d shards", n)
	}

	p := newPlan()
	for _, bad := range [][2]int{{0, 4}, {5, 4}, {-1, 4}, {1, 0}} {
		require.EqualError(t, p.Shard(bad[0], bad[1]), fmt.Sprintf(`shard "%d/%d", want i/n with 1 ≤ i ≤ n`, bad[0], bad[1]))
	}
	require.NoError(t, p.Shard(math.MaxInt, math.MaxInt)) // does not overflow
	require.Len(t, p.Jobs, 1)
	require.EqualError(t, p.Shard(1, 2), fmt.Sprintf("shard 1/2 of a plan that is already shard %[1]d/%[1]d", math.MaxInt))
}

func TestMergedShardsAreTheWhole(t *testing.T) {
	corpora := load(t, "bank", "healthcare")
	parent := t.TempDir()
	o := stages.Options{Groups: 150, Stages: stages.Implemented, Seed: 4}
	generate := func(name string, i, n int) (string, stages.Result) {
		p, err := stages.NewPlan(o, corpora)
		require.NoError(t, err)
		if n > 0 {
			require.NoError(t, p.Shard(i, n))
		}
		dir := filepath.Join(parent, name)
		result, err := p.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: 2})
		require.NoError(t, err)
		if n > 0 {
			groups := 0
			for _, j := range p.Jobs {
				groups += j.Groups
			}
			require.Equal(t, groups, result.Asked)
		}
		return dir, result
	}
	dir, whole := generate("whole", 0, 0)
	var dirs []string
	made := 0
	for i := range 3 {
		d, result := generate(fmt.Sprint("shard", i), i+1, 3)
		require.NotZero(t, result.Made)
		dirs = append([]string{d}, dirs...)
		made += result.Made
	}
	require.Equal(t, whole.Made, made)
	merged := filepath.Join(parent, "merged")
	_, err := dataset.Merge(context.Background(), dirs, merged, dataset.Options{})
	require.NoError(t, err)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(merged, f.Name()))
		require.NoError(t, err)
		require.True(t, string(want) == string(got), "%s differs", f.Name())
	}
}
