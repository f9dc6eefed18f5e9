package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
	running "github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
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
			return judgeSays(s.verdict(grade(r, s), "as read"))(r)
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
		"prose": judgeSays("A fine answer."),
	}
}

// checkOf tries scripted judges on one domain and the answers of baselines.
func checksOf(t *testing.T, rows []dataset.Row, o agents.JudgeCheckOptions, workers int, names ...string) map[string]*rubric.JudgeCheck {
	questions, _ := testset(t, "bank", agents.TestOptions{PerCell: 4, PerDimension: 4})
	open := questions[0]
	open.ID, open.Key = "open", rubric.Key{}
	questions = append(questions, open)
	_, r := generated(t, "bank")
	candidates := map[string][]rubric.Answer{}
	for _, name := range []string{agents.Oracle, agents.Random} {
		b, err := agents.NewBaseline(name, nil, 1)
		require.NoError(t, err)
		candidates[name], err = agents.AskAll(context.Background(), b, questions, 1, running.Options{})
		require.NoError(t, err)
	}
	checks := map[string]*rubric.JudgeCheck{}
	judges := scriptedJudges(t, questions)
	for _, name := range names {
		j := agents.NewJudge("openai:"+name, &llm.Asker{Model: judges[name]}, []*rubric.Rubric{r}, agents.JudgeOptions{Repeats: 1})
		c, conflicts, err := agents.CheckJudge(context.Background(), j, agents.JudgeCheckMaterial{Questions: questions, Candidates: candidates, Rows: rows}, o, running.Options{Workers: workers})
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

func TestCheckJudgeTellsAGoodJudgeFromBadOnes(t *testing.T) {
	checks := checksOf(t, nil, agents.JudgeCheckOptions{Constructed: 10, Pass: 1, Seed: 1}, 2, "honest", "always", "random", "length", "obeys", "order", "prose")
	says := func(name, finding string) {
		t.Helper()
		assert.Contains(t, strings.Join(checks[name].Findings, "\n"), finding, name)
	}

	honest := checks["honest"]
	assert.Len(t, honest.Findings, 1, "nothing is found wrong with it")
	assert.Equal(t, 1.0, *honest.Constructed.Accuracy.Value)
	assert.Equal(t, 1.0, *honest.Constructed.Kappa.Value)
	assert.Greater(t, honest.Together.Answers, 100)
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
	wrong := sumOf(always.Candidates, func(a rubric.AnswersCheck) int { return a.Confusion.FalsePass })
	assert.Greater(t, wrong, 40)
	says("always", fmt.Sprintf("It passed %[1]d of %[1]d wrong real answers.", wrong))
	says("always", "On real answers it agrees with what is known no better than chance may.")
	assert.Equal(t, 1.0, *always.Constructed.FalsePass.Value)
	assert.Equal(t, 0.0, *always.Together.Kappa.Value)

	says("random", "no better than chance may")
	says("length", "Talk around wrong answers moves its values by +0.9")
	says("length", "Taking the talk from right answers moves its values by -0.")
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

// Rows of a dataset bring in graphs, and terms that are taken for each other.
// Whoever goes by their references is right about all of them.
func TestCheckJudgeOnRows(t *testing.T) {
	c, err := corpus.Load("bank")
	require.NoError(t, err)
	plan, err := stages.NewPlan(stages.Options{Groups: 40, Seed: 5, Stages: []int{1, 2, 3}}.WithDefaults(), []*corpus.Corpus{c})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "data")
	_, err = plan.Generate(context.Background(), dir, dataset.Options{Stages: []int{1, 2, 3}}, running.Options{})
	require.NoError(t, err)
	var rows []dataset.Row
	index := map[string]*dataset.Row{}
	for row, err := range dataset.ReadRows(filepath.Join(dir, "train_3.jsonl.zst")) {
		require.NoError(t, err)
		rows = append(rows, row)
		index[row.Context+row.Query] = &row
	}
	judge := judgeModel(func(r llm.Request) (llm.Reply, error) {
		s := readSheet(t, r)
		_, prompt, _ := strings.Cut(r.Messages[1].Text, "The documents:\n")
		prompt, _, _ = strings.Cut(prompt, "\n\nThe reference answer:\n")
		row := index[strings.Replace(prompt, "\n\nThe question:\n", "", 1)]
		v, err := stages.Judge([]byte(row.Reference), row.View, s.answer)
		require.NoError(t, err)
		grade := 0
		if v.Valid {
			grade = 4
		}
		return judgeSays(s.verdict(grade, "as read"))(r)
	})
	_, r := generated(t, "bank")
	j := agents.NewJudge("openai:rows", &llm.Asker{Model: judge}, []*rubric.Rubric{r}, agents.JudgeOptions{Repeats: 1})
	check, _, err := agents.CheckJudge(context.Background(), j, agents.JudgeCheckMaterial{Rows: rows}, agents.JudgeCheckOptions{Constructed: 5, Pass: 1, Seed: 1}, running.Options{})
	require.NoError(t, err)
	seen := map[string]int{}
	for _, o := range check.Operators {
		assert.Equal(t, o.Right, *o.Passed.Value == 1, "%+v", o)
		assert.LessOrEqual(t, o.Passed.N, 5, "%+v", o)
		seen[o.Operator]++
	}
	assert.Equal(t, map[string]int{"reference": 2, "substitution": 2, "order": 2, "omit": 2, "insert": 2, "outcome": 2, "cycle": 2, "precondition": 2, "edge": 2, "connective": 2}, seen)
	assert.Equal(t, 1.0, *check.Constructed.Accuracy.Value)
}

func TestCheckJudgeDoesNotDependOnWorkers(t *testing.T) {
	o := agents.JudgeCheckOptions{Constructed: 4, Pass: 0.75, Seed: 3}
	one, err := json.Marshal(checksOf(t, nil, o, 1, "random"))
	require.NoError(t, err)
	many, err := json.Marshal(checksOf(t, nil, o, 16, "random"))
	require.NoError(t, err)
	assert.Equal(t, string(one), string(many))
}

// named gives a fake the name that a ledger needs, and counts what it is asked.
type named struct {
	judgeModel
	asked *atomic.Int32
}

func (named) Name() string { return "openai:judge" }

func (n named) Chat(ctx context.Context, r llm.Request) (llm.Reply, error) {
	n.asked.Add(1)
	return n.judgeModel.Chat(ctx, r)
}

// A check that was stopped goes on from its ledger: nothing is asked twice, and
// what comes out is the same.
func TestCheckJudgeGoesOn(t *testing.T) {
	questions, _ := testset(t, "bank", agents.TestOptions{PerCell: 1, PerDimension: 1})
	_, r := generated(t, "bank")
	m := agents.JudgeCheckMaterial{Questions: questions}
	check := func(ledger string, stopAt int32) (*rubric.JudgeCheck, int32, error) {
		_, cancel := context.WithCancel(context.Background())
		defer cancel()
		drain := running.NewDrain(cancel)
		var asked atomic.Int32
		model := named{judgeModel: func(r llm.Request) (llm.Reply, error) {
			if asked.Load() == stopAt {
				drain.Signal()
			}
			s := readSheet(t, r)
			return judgeSays(s.verdict(len(s.answer)%5, "by length"))(r)
		}, asked: &asked}
		runner, err := llm.NewRunner(model, llm.Options{Concurrency: 4}, llm.Files{Ledger: ledger}, drain)
		require.NoError(t, err)
		defer runner.Close()
		j := agents.NewJudge(runner.Name(), &llm.Asker{Model: runner}, []*rubric.Rubric{r}, agents.JudgeOptions{Repeats: 2})
		c, _, err := agents.CheckJudge(context.Background(), j, m, agents.JudgeCheckOptions{Constructed: 2, Pass: 1, Seed: 1}, running.Options{Workers: 4, Drain: drain})
		return c, asked.Load(), err
	}
	dir := t.TempDir()
	whole, all, err := check(filepath.Join(dir, "whole.jsonl"), -1)
	require.NoError(t, err)

	_, first, err := check(filepath.Join(dir, "ledger.jsonl"), 20)
	assert.ErrorAs(t, err, new(running.ErrDrained))
	assert.GreaterOrEqual(t, first, int32(20))
	assert.Less(t, first, all)
	resumed, rest, err := check(filepath.Join(dir, "ledger.jsonl"), -1)
	require.NoError(t, err)
	assert.Equal(t, all, first+rest, "nothing is asked twice")
	assert.Equal(t, whole, resumed)
}

func TestCheckJudgeWithoutConstructedAnswers(t *testing.T) {
	c := checksOf(t, nil, agents.JudgeCheckOptions{Pass: 1, Seed: 1}, 2, "honest")["honest"]
	assert.Empty(t, c.Operators)
	assert.Zero(t, sumOf(c.Probes, func(p rubric.Probe) int { return p.Questions }))
	assert.Equal(t, 1.0, *c.Together.Accuracy.Value)
}

func TestCheckJudgeOptions(t *testing.T) {
	_, _, err := agents.CheckJudge(context.Background(), nil, agents.JudgeCheckMaterial{}, agents.JudgeCheckOptions{Constructed: -1, Pass: 75}, running.Options{})
	assert.EqualError(t, err, "constructed is -1, want 0 or more answers an operator\npass is 75, want over 0, up to 1")
	assert.EqualError(t, agents.JudgeOptions{Repeats: 1000}.Validate(), "repeats is 1000, want 1 to 100 verdicts an answer")
}
