package agents_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
)

func TestBaselinesAnswerEveryQuestion(t *testing.T) {
	questions, _ := testset(t, "library", agents.TestOptions{})
	learn, _ := testset(t, "library", agents.TestOptions{Seed: 99})
	for _, name := range agents.Baselines {
		b, err := agents.NewBaseline(name, learn, 1)
		require.NoError(t, err)
		said := map[string]bool{}
		for i := range questions {
			a, err := b.Answer(context.Background(), &questions[i], 0)
			require.NoError(t, err)
			assert.NotEmpty(t, a.Text, "%s to %s", name, questions[i].ID)
			assert.Equal(t, name, a.Model)
			said[a.Text] = true
			again, err := b.Answer(context.Background(), &questions[i], 0)
			require.NoError(t, err)
			assert.Equal(t, a, again)
		}
		assert.Greater(t, len(said), 10, "%s says the same to everything", name)
	}
	_, err := agents.NewBaseline("baseline:orcale", nil, 1)
	assert.ErrorContains(t, err, "want one of baseline:oracle")
}
