package agents_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

func testset(t *testing.T, domain string, o agents.TestOptions) ([]rubric.Question, *agents.Coverage) {
	t.Helper()
	c, r := generated(t, domain)
	questions, coverage, err := agents.GenerateTestset(c, r, o)
	require.NoError(t, err)
	return questions, coverage
}

func TestTestsetsFillTheirQuotas(t *testing.T) {
	const impossible = "level 1 multi_hop"
	for _, domain := range corpus.Builtin() {
		t.Run(domain, func(t *testing.T) {
			t.Parallel()
			questions, coverage := testset(t, domain, agents.TestOptions{PerCell: 8, PerDimension: 8})
			assert.Empty(t, coverage.Shortfalls())
			cells, dimensions := map[string]int{}, map[string]int{}
			for _, q := range questions {
				require.NoError(t, q.Validate())
				cells[fmt.Sprintf("level %d %s", q.Level, q.Type)]++
				for _, d := range q.Dimensions {
					dimensions[d]++
				}
			}
			for _, c := range coverage.Cells {
				assert.Equal(t, c.Name == impossible, c.Impossible != "", "%s: %s", c.Name, c.Impossible)
				assert.GreaterOrEqual(t, cells[c.Name], c.Made)
			}
			for _, c := range coverage.Dimensions {
				assert.GreaterOrEqual(t, dimensions[c.Name], 8, c.Name)
			}
		})
	}
}

// What was asked for and cannot be had is said, with its number.
func TestAShortfallIsNamed(t *testing.T) {
	_, coverage := testset(t, "library", agents.TestOptions{PerCell: 400})
	shortfalls := strings.Join(coverage.Shortfalls(), "\n")
	assert.Contains(t, shortfalls, "library: level 1 sequential has ")
	assert.Contains(t, shortfalls, " questions of 400")
}

func TestTestsetsAreDeterministicAndUnlike(t *testing.T) {
	first, _ := testset(t, "hotel", agents.TestOptions{Seed: 1})
	again, _ := testset(t, "hotel", agents.TestOptions{Seed: 1})
	other, _ := testset(t, "hotel", agents.TestOptions{Seed: 2})
	assert.Equal(t, first, again)
	assert.NotEqual(t, first, other)
	ids, asked := map[string]bool{}, map[string]bool{}
	for _, q := range first {
		assert.False(t, ids[q.ID], "%s stands there twice", q.ID)
		ids[q.ID] = true
		text := q.Context + q.Case + q.Query
		assert.False(t, asked[text], "%s asks what another question asks", q.ID)
		asked[text] = true
		assert.NotContains(t, q.Query, "{call", "a word was not filled in")
	}
}

// Keys with several right answers: the oracle accepts the value given and
// refuses it with its end changed.
func TestKeysAreRight(t *testing.T) {
	for _, domain := range []string{"bank", "university"} {
		questions, _ := testset(t, domain, agents.TestOptions{PerCell: 12})
		checked := 0
		for _, q := range questions {
			if q.Key.Check == "" {
				continue
			}
			checked++
			r, err := stages.ParseReference([]byte(q.Key.Check))
			require.NoError(t, err)
			answer := append(slices.Clone(r.History), q.Key.Value...)
			if q.Key.Kind == rubric.KeySequence {
				found, err := sop.Check(r.Graph(), &sop.Scenario{Facts: r.Facts}, answer)
				require.NoError(t, err)
				assert.Empty(t, found, q.ID)
				last := len(answer) - 1
				answer[last] = map[bool]string{true: r.Goal, false: sop.Deny}[answer[last] == sop.Deny]
				found, err = sop.Check(r.Graph(), &sop.Scenario{Facts: r.Facts}, answer)
				require.NoError(t, err)
				assert.NotEmpty(t, found, q.ID)
				continue
			}
			m, err := sop.Compile(r.Graph())
			require.NoError(t, err)
			assert.Contains(t, m.Next(r.Facts, r.History), q.Key.Value[0], q.ID)
		}
		assert.NotZero(t, checked)
	}
}

// A reader who knows only how often each answer is right must not do well.
func TestAnswersAreBalanced(t *testing.T) {
	var yes, no, goal, deny int
	for _, domain := range corpus.Builtin() {
		questions, _ := testset(t, domain, agents.TestOptions{PerCell: 16})
		for _, q := range questions {
			if q.Key.Kind != rubric.KeyOutcome {
				continue
			}
			switch q.Key.Value[0] {
			case "yes":
				yes++
			case "no":
				no++
			case sop.Deny:
				deny++
			default:
				goal++
			}
		}
	}
	assert.InDelta(t, 0.5, float64(yes)/float64(yes+no), 0.1, "%d yes, %d no", yes, no)
	assert.InDelta(t, 0.5, float64(goal)/float64(goal+deny), 0.1, "%d carried out, %d denied", goal, deny)
}

// The sentences of a test set are its own.
func TestWordingsAreNotThoseOfTraining(t *testing.T) {
	training := map[string]bool{}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, view := range []string{text.WorkflowView, text.NextView} {
		for _, format := range text.Formats(view) {
			for range 200 {
				query, _ := text.Query(view, format, dataset.Train, rng)
				for _, sentence := range strings.SplitAfter(query, ". ") {
					training[strings.TrimSpace(sentence)] = true
				}
			}
		}
	}
	require.Greater(t, len(training), 10)
	questions, _ := testset(t, "bank", agents.TestOptions{})
	for _, q := range questions {
		for _, sentence := range strings.SplitAfter(q.Query, ". ") {
			assert.False(t, training[strings.TrimSpace(sentence)], sentence)
		}
	}
}
