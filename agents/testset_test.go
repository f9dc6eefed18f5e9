package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	jobs "github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
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

// Two questions about a procedure with the same answer are not nearly the same.
func TestNearDuplicatesAreLeftOut(t *testing.T) {
	pairs := 0
	for _, domain := range []string{"bank", "hotel"} {
		questions, _ := testset(t, domain, agents.TestOptions{PerCell: 24})
		for i, a := range questions {
			for _, b := range questions[:i] {
				if a.Procedure != b.Procedure || !slices.Equal(a.Key.Value, b.Key.Value) {
					continue
				}
				pairs++
				near := dataset.Similarity(a.Case+"\n"+a.Query, b.Case+"\n"+b.Query)
				assert.Less(t, near, 0.8, "%s and %s\n%s\n%s", a.ID, b.ID, a.Query, b.Query)
			}
		}
	}
	assert.Greater(t, pairs, 100)
}

// n_min holds of every level, type and dimension, whatever is asked of a cell.
func TestTheLeastOfLevelsAndTypesIsToppedUp(t *testing.T) {
	o := agents.TestOptions{PerCell: 1, PerDimension: 3, PerLevel: 9, PerType: 11}
	questions, coverage := testset(t, "university", o)
	assert.Empty(t, coverage.Shortfalls())
	levels, types := map[int]int{}, map[string]int{}
	for _, q := range questions {
		levels[q.Level]++
		types[q.Type]++
	}
	for _, c := range coverage.Levels {
		assert.GreaterOrEqual(t, c.Made, o.PerLevel, c.Name)
		assert.Equal(t, levels[c.Level], c.Made, c.Name)
	}
	for _, c := range coverage.Types {
		assert.GreaterOrEqual(t, c.Made, o.PerType, c.Name)
		assert.Equal(t, types[c.Type], c.Made, c.Name)
	}
	assert.Less(t, len(questions), 80, "no more than it takes")
	_, coverage = testset(t, "university", agents.TestOptions{PerCell: 1, PerType: 900})
	assert.Contains(t, strings.Join(coverage.Shortfalls(), "\n"), "university: sequential has ")
}

// phrase is so many words of a wording that no training row may have one of
// them in its query.
const phrase = 6

// No query of training has a phrase of a wording, of its fixed words. Rows are
// generated of every stage and domain.
func TestWordingsAreNotThoseOfTraining(t *testing.T) {
	var corpora []*corpus.Corpus
	for _, name := range corpus.Builtin() {
		c, err := corpus.Load(name)
		require.NoError(t, err)
		corpora = append(corpora, c)
	}
	plan, err := stages.NewPlan(stages.Options{Seed: 1, Groups: 700, Stages: []int{1, 2, 3}}.WithDefaults(), corpora)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "data")
	_, err = plan.Generate(t.Context(), dir, dataset.Options{}, jobs.Options{})
	require.NoError(t, err)
	read, err := dataset.Open(dir)
	require.NoError(t, err)
	training, rows := map[string]bool{}, 0
	for row, err := range read.Rows("train_3.jsonl.zst") {
		require.NoError(t, err)
		rows++
		for _, p := range phrases(row.Query) {
			training[p] = true
		}
	}
	require.Greater(t, rows, 1000)

	text, err := os.ReadFile("testset.yaml")
	require.NoError(t, err)
	var wordings map[string][]string
	require.NoError(t, yaml.Unmarshal(text, &wordings))
	compared := 0
	for maker, list := range wordings {
		for _, w := range list {
			for _, fixed := range regexp.MustCompile(`\{[a-z]+\}`).Split(w, -1) {
				for _, p := range phrases(fixed) {
					compared++
					assert.False(t, training[p], "%s: %q is a phrase of training queries", maker, p)
				}
			}
		}
	}
	assert.Greater(t, compared, 200)
}

func phrases(s string) (list []string) {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	for i := phrase; i <= len(words); i++ {
		list = append(list, strings.Join(words[i-phrase:i], " "))
	}
	return list
}
