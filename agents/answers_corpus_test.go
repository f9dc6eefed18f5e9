package agents_test

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

// scoredAnswer is one of testdata/answers, whose README says what stands there.
type scoredAnswer struct {
	ID        string          `json:"id"`
	Question  string          `json:"question"`
	Run       *recordedReply  `json:"run"`
	Text      string          `json:"text"`
	ToolCalls json.RawMessage `json:"tool_calls"`
	Finish    string          `json:"finish"`
	Score     float64         `json:"score"`
	Why       string          `json:"why"`
}

type recordedReply struct {
	File    string `json:"file"`
	Task    int    `json:"task"`
	Message int    `json:"message"`
	Calls   bool   `json:"calls"` // the calls up to the message, not its text
}

// heldOut answers are those that the scorer was not made to fit; the README
// says which.
func (a *scoredAnswer) heldOut(t *testing.T) bool {
	n, err := strconv.Atoi(a.ID[1:])
	require.NoError(t, err)
	return n%5 == 0 || a.ID[0] == 't'
}

// run is a recorded run of SOPBench.
type run []struct {
	Interactions []struct {
		Interaction []struct {
			Content   string
			ToolCalls []struct {
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
}

// readRun returns nil where the runs are missing and FMSOP_NO_SHARED allows it.
func readRun(t *testing.T, name string) run {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "shared", "sopbench", "runs", name+".json.zst"))
	if errors.Is(err, os.ErrNotExist) && os.Getenv("FMSOP_NO_SHARED") != "" && os.Getenv("CI") == "" {
		t.Logf("%s is missing, and FMSOP_NO_SHARED is set", name)
		return nil
	}
	require.NoError(t, err)
	defer f.Close()
	z, err := zstd.NewReader(f)
	require.NoError(t, err)
	defer z.Close()
	var r run
	require.NoError(t, json.NewDecoder(z).Decode(&r))
	return r
}

// scoredCorpus reads the questions and the answers, texts of recorded runs
// included.
func scoredCorpus(t *testing.T) (map[string]*rubric.Question, []scoredAnswer) {
	t.Helper()
	questions, err := agents.ReadTestset("testdata/answers/questions.jsonl")
	require.NoError(t, err)
	index := map[string]*rubric.Question{}
	for i := range questions {
		index[questions[i].ID] = &questions[i]
	}
	all, err := agents.ReadLines[scoredAnswer]("testdata/answers/answers.jsonl")
	require.NoError(t, err)
	runs := map[string]run{}
	var list []scoredAnswer
	for _, a := range all {
		require.NotNil(t, index[a.Question], a.ID)
		if a.Run != nil {
			if _, there := runs[a.Run.File]; !there {
				runs[a.Run.File] = readRun(t, a.Run.File)
			}
			if runs[a.Run.File] == nil {
				continue
			}
			fromRun(t, &a, runs[a.Run.File])
		}
		list = append(list, a)
	}
	return index, list
}

func fromRun(t *testing.T, a *scoredAnswer, r run) {
	t.Helper()
	messages := r[a.Run.Task].Interactions[0].Interaction
	if !a.Run.Calls {
		a.Text = messages[a.Run.Message].Content
		require.NotEmpty(t, a.Text, a.ID)
		return
	}
	calls := []llm.ToolCall{}
	for _, m := range messages[:a.Run.Message+1] {
		for _, c := range m.ToolCalls {
			if c.Function.Name != "exit_conversation" {
				calls = append(calls, llm.ToolCall{Name: c.Function.Name, Arguments: c.Function.Arguments})
			}
		}
	}
	var err error
	a.ToolCalls, err = json.Marshal(calls)
	require.NoError(t, err)
}

// Scores that differ by no more agree.
const near = 0.1

// agreement of the scorer with the scores set by hand.
type agreement struct {
	n, exact, near int
	sum            float64
	confusion      rubric.Confusion // at 0.5
}

func (g *agreement) add(byHand, scored float64) {
	off := math.Abs(byHand - scored)
	g.n++
	g.sum += off
	if off < 0.001 {
		g.exact++
	}
	if off <= near {
		g.near++
	}
	g.confusion.Add(byHand >= 0.5, scored >= 0.5)
}

func TestSymbolicScorerAgreesWithHand(t *testing.T) {
	questions, answers := scoredCorpus(t)
	const all = "all"
	fitted, heldOut := map[string]*agreement{all: {}}, map[string]*agreement{all: {}}
	for i := range answers {
		a := &answers[i]
		q := questions[a.Question]
		kind := q.Key.Kind
		if kind == rubric.KeyValue && q.Key.Check != "" {
			kind = "next action"
		}
		if a.Run != nil {
			kind += ", real"
		}
		part := fitted
		if a.heldOut(t) {
			part = heldOut
		}
		s := scored(t, q, rubric.Answer{Text: a.Text, ToolCalls: a.ToolCalls, Finish: a.Finish})
		for _, name := range []string{all, kind} {
			if part[name] == nil {
				part[name] = &agreement{}
			}
			part[name].add(a.Score, s.E["d"])
		}
		if math.Abs(a.Score-s.E["d"]) > near {
			t.Logf("%s: %.2f by hand (%s), %.2f scored (%s) %s", a.ID, a.Score, a.Why, s.E["d"], s.Reason, s.Raw)
		}
	}
	for title, part := range map[string]map[string]*agreement{"fitted": fitted, "held out": heldOut} {
		for _, name := range slices.Sorted(maps.Keys(part)) {
			g := part[name]
			t.Logf("%-8s %-14s n %3d, exact %3d, within a tenth %3d, mean error %.3f, at 0.5 %+v", title, name, g.n, g.exact, g.near, g.sum/float64(g.n), g.confusion)
		}
		assert.GreaterOrEqual(t, float64(part[all].near), 0.95*float64(part[all].n), title)
	}
}
