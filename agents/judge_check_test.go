package agents_test

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	running "github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

// scripted judges, by what they look at. The question is known by its query,
// case and documents.
func scriptedJudges(t *testing.T, questions []rubric.Question) map[string]judgeModel {
	find := func(r llm.Request) *rubric.Question {
		prompt := r.Messages[1].Text
		for i := range questions {
			q := &questions[i]
			if strings.HasPrefix(prompt, "The documents:\n"+q.Context+"\n\n") && strings.Contains(prompt, "The question:\n"+q.Query+"\n\nThe reference answer:\n"+q.Reference+"\n\n") && strings.Contains(prompt, q.Case) {
				return q
			}
		}
		t.Error("no such question: ", prompt)
		return nil
	}
	hash := func(s string) int {
		h := fnv.New32a()
		h.Write([]byte(s))
		return int(h.Sum32())
	}
	by := func(grade func(r llm.Request, s sheet) int) judgeModel {
		return func(r llm.Request) (llm.Reply, error) {
			s := readSheet(t, r)
			return replies(s.verdict(grade(r, s), "as read"))(r)
		}
	}
	honest := func(r llm.Request, s sheet) int {
		q := find(r)
		score, err := agents.SymbolicScorer{}.Score(context.Background(), q, &rubric.Answer{Question: q.ID, Text: s.answer})
		require.NoError(t, err)
		return int(4 * score.E[q.Dimensions[0]])
	}
	return map[string]judgeModel{
		"honest": by(honest),
		"always": by(func(llm.Request, sheet) int { return 4 }),
		"random": by(func(r llm.Request, s sheet) int { return hash(s.mark+s.outside) % 5 }),
		"length": by(func(_ llm.Request, s sheet) int { return min(4, len(s.answer)/60) }),
		"obeys": by(func(r llm.Request, s sheet) int {
			if orders.MatchString(s.answer) {
				return 4
			}
			return honest(r, s)
		}),
		// It goes by the grade that it reads first.
		"order": by(func(r llm.Request, s sheet) int {
			if strings.Contains(s.outside, "\n  4: ") && strings.Index(s.outside, "\n  4: ") < strings.Index(s.outside, "\n  0: ") {
				return 4
			}
			return honest(r, s)
		}),
		"prose": replies("A fine answer."),
	}
}

// checkOf tries scripted judges on one domain and the answers of baselines.
func checksOf(t *testing.T, o agents.JudgeCheckOptions, workers int, names ...string) map[string]*rubric.JudgeCheck {
	questions, _ := testset(t, "bank", agents.TestOptions{})
	open := questions[0]
	open.ID, open.Key = "open", rubric.Key{}
	questions = append(questions, open)
	_, r := generated(t, "bank")
	candidates := map[string][]rubric.Answer{}
	for _, name := range agents.Baselines {
		b, err := agents.NewBaseline(name, nil, 1)
		require.NoError(t, err)
		candidates[name], err = agents.AskAll(context.Background(), b, questions, 1, running.Options{})
		require.NoError(t, err)
	}
	checks := map[string]*rubric.JudgeCheck{}
	judges := scriptedJudges(t, questions)
	for _, name := range names {
		j := agents.NewJudge("openai:"+name, &llm.Asker{Model: judges[name]}, []*rubric.Rubric{r}, agents.JudgeOptions{Repeats: 1})
		c, conflicts, err := agents.CheckJudge(context.Background(), j, questions, candidates, o, running.Options{Workers: workers})
		require.NoError(t, err)
		require.Len(t, conflicts, c.Conflicts)
		require.Equal(t, c.Conflicts, sumOf(c.Candidates, func(a rubric.AnswersCheck) int { return a.Confusion.FalsePass + a.Confusion.FalseFail }))
		require.Equal(t, 1, c.NoKey)
		require.Contains(t, c.Findings, "Judge validity not measured for 1 question, which has no key.")
		checks[name] = c
	}
	return checks
}

func sumOf[T any](list []T, of func(T) int) (sum int) {
	for _, x := range list {
		sum += of(x)
	}
	return sum
}

func probeOf(c *rubric.JudgeCheck, name string) rubric.Probe {
	return c.Probes[slices.IndexFunc(c.Probes, func(p rubric.Probe) bool { return p.Name == name })]
}

func TestCheckJudgeTellsAGoodJudgeFromBadOnes(t *testing.T) {
	checks := checksOf(t, agents.JudgeCheckOptions{Constructed: 16, Pass: 1, Seed: 1}, 2, "honest", "always", "random", "length", "obeys", "order", "prose")
	says := func(name, finding string) {
		t.Helper()
		assert.Contains(t, strings.Join(checks[name].Findings, "\n"), finding, name)
	}

	honest := checks["honest"]
	assert.Len(t, honest.Findings, 1, "nothing is found wrong with it")
	assert.Equal(t, 1.0, *honest.Constructed.Accuracy.Value)
	assert.Equal(t, 1.0, *honest.Constructed.Kappa.Value)
	assert.Greater(t, honest.Together.Answers, 350)
	assert.Zero(t, honest.Conflicts)
	assert.Greater(t, *honest.Together.WeightedKappa.Value, 0.9)
	assert.Equal(t, 1.0, *honest.Steady.Value)
	for _, o := range honest.Operators {
		assert.Equal(t, o.Right, *o.Passed.Value == 1, "%+v", o)
	}
	for _, p := range honest.Probes {
		assert.InDelta(t, 0, p.Difference, 0.05, p.Name)
	}

	always := checks["always"]
	says("always", "The judge gave grade 4 to everything")
	says("always", "It passed 216 of 216 wrong real answers.")
	says("always", "On real answers it agrees with what is known no better than chance may.")
	assert.Equal(t, 1.0, *always.Constructed.FalsePass.Value)
	assert.Equal(t, 0.0, *always.Together.Kappa.Value)

	says("random", "no better than chance may")
	says("length", "Talk around wrong answers moves its values by +0.9")
	says("length", "Taking the talk from right answers moves its values by -0.8")
	says("obeys", "Requests for a good grade in wrong answers move its values by +0.")
	assert.Greater(t, *checks["obeys"].Constructed.Accuracy.Value, 0.95, "it is right where nobody asks for a grade")
	says("order", "Naming grades and dimensions in reverse moves its values by")

	prose := checks["prose"]
	says("prose", "real answers were left unscored")
	says("prose", "there is no JSON object in the reply")
	says("prose", "Judge validity not measured: no real answer to a question with a key was judged.")
	assert.Zero(t, prose.Constructed.Answers)
	assert.Nil(t, prose.Together.Accuracy.Value)
}

func TestCheckJudgeDoesNotDependOnWorkers(t *testing.T) {
	o := agents.JudgeCheckOptions{Constructed: 4, Pass: 0.75, Seed: 3}
	one, err := json.Marshal(checksOf(t, o, 1, "random"))
	require.NoError(t, err)
	many, err := json.Marshal(checksOf(t, o, 16, "random"))
	require.NoError(t, err)
	assert.Equal(t, string(one), string(many))
}

func TestCheckJudgeWithoutConstructedAnswers(t *testing.T) {
	c := checksOf(t, agents.JudgeCheckOptions{Pass: 1, Seed: 1}, 2, "honest")["honest"]
	assert.Empty(t, c.Operators)
	assert.Zero(t, sumOf(c.Probes, func(p rubric.Probe) int { return p.Questions }))
	assert.Equal(t, 1.0, *c.Together.Accuracy.Value)
}

func TestCheckJudgeOptions(t *testing.T) {
	_, _, err := agents.CheckJudge(context.Background(), nil, nil, nil, agents.JudgeCheckOptions{Constructed: -1, Pass: 75}, running.Options{})
	assert.EqualError(t, err, "constructed is -1, want 0 or more answers an operator\npass is 75, want over 0, up to 1")
	assert.EqualError(t, agents.JudgeOptions{Repeats: 1000}.Validate(), "repeats is 1000, want 1 to 100 verdicts an answer")
}
