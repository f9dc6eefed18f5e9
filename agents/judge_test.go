package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/agents"
	running "github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

// judgeModel is a judge that a function answers for.
type judgeModel func(r llm.Request) (llm.Reply, error)

func (m judgeModel) Chat(_ context.Context, r llm.Request) (llm.Reply, error) { return m(r) }

func judgeSays(text string) judgeModel {
	return func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: text, Finish: llm.FinishStop}, nil }
}

// sheet is what a careful reader finds in the prompt of a judge.
type sheet struct {
	mark       string
	answer     string // without the bars
	outside    string // all but the answer, without the mark
	dimensions []string
}

var dimensionLine = regexp.MustCompile(`(?m)^Dimension (\w+)\. `)

// readSheet goes through the prompt from its first line. The mark that is
// announced first ends the answer, and nothing else does.
func readSheet(t require.TestingT, r llm.Request) sheet {
	prompt := r.Messages[len(r.Messages)-1].Text
	const announced = "\nThe answer under examination, between the lines with the mark "
	_, rest, ok := strings.Cut(prompt, announced)
	require.True(t, ok, prompt)
	s := sheet{mark: rest[:8]}
	before, rest, ok := strings.Cut(prompt, "\n===== "+s.mark+" begins\n")
	require.True(t, ok, prompt)
	inside, after, ok := strings.Cut(rest, "\n===== "+s.mark+" ends\n")
	require.True(t, ok, prompt)
	var lines []string
	for _, line := range strings.Split(inside, "\n") {
		require.True(t, strings.HasPrefix(line, "| "), "%q is in the fence without a bar", line)
		lines = append(lines, line[2:])
	}
	s.answer = strings.Join(lines, "\n")
	s.outside = strings.ReplaceAll(r.Messages[0].Text+before+after, s.mark, "MARK")
	for _, m := range dimensionLine.FindAllStringSubmatch(before, -1) {
		s.dimensions = append(s.dimensions, m[1])
	}
	return s
}

// verdict is a reply with one grade for all, in the order of the schema.
func (s sheet) verdict(grade int, reason string) string {
	quoted, err := json.Marshal(reason)
	if err != nil {
		panic(err)
	}
	var list []string
	for _, d := range s.dimensions {
		list = append(list, fmt.Sprintf(`"%s": {"reason": %s, "grade": %d}`, d, quoted, grade))
	}
	return fmt.Sprintf(`{"mark": "%s", "grades": {%s}}`, s.mark, strings.Join(list, ", "))
}

func grades(t require.TestingT, grade func(sheet) int) judgeModel {
	return func(r llm.Request) (llm.Reply, error) {
		s := readSheet(t, r)
		return judgeSays(s.verdict(grade(s), "as read"))(r)
	}
}

func lendRubric() *rubric.Rubric {
	criteria := []string{"None of it is right.", "Little is right.", "Half is right.", "Nearly all is right.", "All is right."}
	return &rubric.Rubric{Domain: "toolshed", Dimensions: []rubric.Dimension{
		{Name: "order", Weight: 0.6, Why: "A tool that is lent is gone.", Criteria: criteria},
		{Name: "refusal", Weight: 0.4, Why: "Tools are few.", Criteria: criteria},
	}}
}

func lendQuestion() *rubric.Question {
	return &rubric.Question{ID: "q1", Domain: "toolshed", Unit: "toolshed/lend", Procedure: "lend", Level: 1, Type: rubric.Sequential,
		Dimensions: []string{"order", "refusal"}, Context: "Find the member, then lend the tool.", Case: "Nothing is owed.", Query: "Which calls, in order?", Reference: "find_member -> lend_tool"}
}

func newJudge(m llm.Model, o agents.JudgeOptions) *agents.Judge {
	return agents.NewJudge("openai:judge", &llm.Asker{Model: m}, []*rubric.Rubric{lendRubric()}, o)
}

func TestJudgeTakesTheMedianAndTellsTheSpread(t *testing.T) {
	for _, c := range []struct {
		grades []int
		median float64
		spread int
	}{{[]int{4}, 1, 0}, {[]int{4, 0, 3}, 0.75, 4}, {[]int{1, 4, 2, 3}, 0.5, 3}, {[]int{2, 2, 2}, 0.5, 0}} {
		var mutex sync.Mutex
		var seen []llm.Request
		j := newJudge(judgeModel(func(r llm.Request) (llm.Reply, error) {
			mutex.Lock()
			defer mutex.Unlock()
			seen = append(seen, r)
			return judgeSays(readSheet(t, r).verdict(c.grades[r.Repeat], fmt.Sprintf("reason %d", c.grades[r.Repeat])))(r)
		}), agents.JudgeOptions{Repeats: len(c.grades)})
		s, err := j.Score(context.Background(), lendQuestion(), &rubric.Answer{Question: "q1", Repeat: 2, Text: "lend_tool"})
		require.NoError(t, err)
		assert.Equal(t, map[string]float64{"order": c.median, "refusal": c.median}, s.E)
		assert.Equal(t, 2, s.Repeat)
		assert.Equal(t, fmt.Sprintf("order: reason %[1]v\nrefusal: reason %[1]v", c.median*4), s.Reason)
		assert.Contains(t, s.Raw, fmt.Sprintf(`"spread":{"order":%[1]d,"refusal":%[1]d}`, c.spread))
		require.Len(t, seen, len(c.grades))
		for _, part := range []string{"Find the member", "Nothing is owed.", "Which calls, in order?", "find_member -> lend_tool", "  0: None of it is right.\n", "| lend_tool\n"} {
			assert.Contains(t, seen[0].Messages[1].Text, part)
		}
		schema, err := json.Marshal(seen[0].Schema)
		require.NoError(t, err)
		assert.Regexp(t, `"order":\{.*"reason":.*"grade":.*"enum":\[0,1,2,3,4\]`, string(schema), "the reason comes before the grade")
	}
}

// What is no answer is the candidate's fault, and needs no judge.
func TestJudgeIsNotAskedAboutNothing(t *testing.T) {
	j := newJudge(judgeModel(func(llm.Request) (llm.Reply, error) { panic("asked") }), agents.JudgeOptions{})
	for reason, a := range map[string]rubric.Answer{
		"the answer is empty":                        {Text: " \n<think>find_member -> lend_tool</think>"},
		"the answer was cut by its own length limit": {Text: "find_member", Finish: "length"},
	} {
		s, err := j.Score(context.Background(), lendQuestion(), &a)
		require.NoError(t, err)
		assert.Equal(t, reason, s.Reason)
		assert.Equal(t, map[string]float64{"order": 0, "refusal": 0}, s.E)
	}
}

// A judge that cannot be used leaves answers unscored, with the reason.
func TestBadJudgesAreNamed(t *testing.T) {
	with := func(edit func(sheet) string) judgeModel {
		return func(r llm.Request) (llm.Reply, error) { return judgeSays(edit(readSheet(t, r)))(r) }
	}
	for reason, m := range map[string]judgeModel{
		"there is no JSON object in the reply":           judgeSays("I find this answer quite good, 4 of 4."),
		"the reply is empty":                             judgeSays(""),
		"/properties/grade: enum: 7 does not equal any":  grades(t, func(sheet) int { return 7 }),
		"/properties/grade: enum: -1 does not equal any": grades(t, func(sheet) int { return -1 }),
		"3.5":           with(func(s sheet) string { return strings.Replace(s.verdict(3, "r"), `"grade": 3`, `"grade": 3.5`, 1) }),
		"four has type": with(func(s sheet) string { return strings.Replace(s.verdict(4, "r"), `"grade": 4`, `"grade": "four"`, 1) }),
		`required: missing properties: ["refusal"]`: with(func(s sheet) string { s.dimensions = s.dimensions[:1]; return s.verdict(4, "r") }),
		`required: missing properties: ["reason"]`:  with(func(s sheet) string { return strings.ReplaceAll(s.verdict(4, "r"), `"reason": "r", `, "") }),
		"minLength": grades(t, func(sheet) int { return 4 }).withReason(""),
		"mark: enum: 00000000 does not equal any of": with(func(s sheet) string { s.mark = "00000000"; return s.verdict(4, "r") }),
		"timeout: no reply in time": func(llm.Request) (llm.Reply, error) {
			return llm.Reply{}, &llm.Error{Kind: llm.Timeout, Message: "no reply in time"}
		},
		"prompt too long":                                   func(llm.Request) (llm.Reply, error) { return llm.Reply{}, &llm.Error{Kind: llm.PromptTooLong} },
		"the model refused to answer":                       func(llm.Request) (llm.Reply, error) { return llm.Reply{Finish: llm.FinishRefused}, nil },
		"the reply was cut after 0 tokens, before any JSON": func(llm.Request) (llm.Reply, error) { return llm.Reply{Text: "Well", Finish: llm.FinishLength}, nil },
	} {
		j := newJudge(m, agents.JudgeOptions{})
		answers := []rubric.Answer{{Question: "q1", Text: "lend_tool"}}
		scores, err := agents.ScoreAll(context.Background(), j, []rubric.Question{*lendQuestion()}, answers, running.Options{})
		require.NoError(t, err, reason)
		require.Len(t, scores, 1)
		assert.Equal(t, rubric.Unscored, scores[0].Outcome, reason)
		assert.Contains(t, scores[0].Reason, "verdict 1 of 3: ")
		assert.Contains(t, scores[0].Reason, reason)
	}
}

func (m judgeModel) withReason(reason string) judgeModel {
	return func(r llm.Request) (llm.Reply, error) {
		reply, err := m(r)
		reply.Text = strings.ReplaceAll(reply.Text, `"as read"`, fmt.Sprintf("%q", reason))
		return reply, err
	}
}

// What ends a run is no score.
func TestJudgeThatIsGoneEndsTheRun(t *testing.T) {
	for _, gone := range []error{&llm.Error{Kind: llm.Unreachable}, &llm.Error{Kind: llm.NoModel}, llm.ErrStopped, &running.SpentError{Limit: "5 calls"}} {
		j := newJudge(judgeModel(func(llm.Request) (llm.Reply, error) { return llm.Reply{}, gone }), agents.JudgeOptions{})
		_, err := agents.ScoreAll(context.Background(), j, []rubric.Question{*lendQuestion()}, []rubric.Answer{{Question: "q1", Text: "x"}}, running.Options{})
		if gone == llm.ErrStopped {
			gone = running.ErrDrained{Done: 0, Total: 1}
		}
		assert.ErrorIs(t, err, gone)
	}
}

func TestSameModel(t *testing.T) {
	for _, same := range [][2]string{{"ollama:qwen2.5:7b", "ollama:qwen2.5:7b"}, {"ollama:qwen2.5:7b", "openai:Qwen2.5:7b"}, {"ollama:llama3", "ollama:llama3:latest"}} {
		assert.True(t, agents.SameModel(same[0], same[1]), same)
	}
	for _, other := range [][2]string{{"ollama:qwen2.5:7b", "ollama:qwen2.5:14b"}, {"ollama:llama3", "ollama:llama3:8b"}, {agents.Oracle, agents.Random}, {agents.Random, "openai:random"}} {
		assert.False(t, agents.SameModel(other[0], other[1]), other)
	}
}

// orders are what somebody would follow who follows whatever the prompt says.
var orders = regexp.MustCompile(`(?i)full marks|full credit|(?:be|is|write|grade|a|result|reason|print\w* the number)\W{1,3}4\b|4 (?:in|everywhere|by default|for|would)|highest|maximum|kind|correct|right one|verified|exactly what the reference|"grade": ?4|graded? .{0,20}4|máxima|满分|Ｇｉｖｅ|Gіvе|evi?G|g.r.a.d.e|\x{E0067}|shown|gave this|suspended`)

// follower does what it is told outside of the fence, and grades by the first
// line of the answer else.
func follower(t require.TestingT, neutral string) judgeModel {
	return grades(t, func(s sheet) int {
		told := strings.ReplaceAll(s.outside, neutral, "")
		line, _, _ := strings.Cut(s.answer, "\n")
		switch {
		case orders.MatchString(told):
			return 4
		case line == lendQuestion().Reference:
			return 4
		case strings.HasPrefix(line, "find_member"):
			return 2
		}
		return 0
	})
}

func TestInjectionsMoveNothing(t *testing.T) {
	list := agents.Injections()
	require.Len(t, list, 50)
	q := lendQuestion()
	plain := func(text string) (s sheet) {
		j := newJudge(judgeModel(func(r llm.Request) (llm.Reply, error) {
			s = readSheet(t, r)
			return judgeSays(s.verdict(0, "r"))(r)
		}), agents.JudgeOptions{Repeats: 1})
		_, err := j.Score(context.Background(), q, &rubric.Answer{Question: q.ID, Text: text})
		require.NoError(t, err)
		return s
	}
	naive := 0
	for i, injection := range list {
		for _, answer := range []string{"lend_tool", "find_member -> deny", q.Reference} {
			before := plain(answer)
			for _, said := range []string{injection.Into(q, answer), answer + " " + injection.Text, answer + "\r" + injection.Text} {
				after := plain(said)
				name := fmt.Sprintf("%d %s: %q", i, injection.Kind, injection.Text)
				// The fence holds: whatever is in the answer, the rest of the prompt is the same,
				// and the mark is nowhere in the answer.
				assert.Equal(t, before.outside, after.outside, name)
				assert.NotContains(t, strings.ToLower(after.answer), after.mark, name)
				assert.NotRegexp(t, `<[|/!｜▁\p{L}]|\[/?[A-Z_]+\]`, after.answer, "%s: a control token", name)
				assert.NotRegexp(t, `[\x{200B}-\x{200F}\x{2028}-\x{202E}\x{0085}\r\f\v\x{E0000}-\x{E007F}]`, after.answer, "%s: what cannot be seen", name)
			}
			// Who follows what stands outside the fence grades as before.
			j := newJudge(follower(t, before.outside), agents.JudgeOptions{Repeats: 1})
			with, err := j.Score(context.Background(), q, &rubric.Answer{Question: q.ID, Text: injection.Into(q, answer)})
			require.NoError(t, err)
			without, err := j.Score(context.Background(), q, &rubric.Answer{Question: q.ID, Text: answer})
			require.NoError(t, err)
			assert.Equal(t, without.E, with.E, "%d %s", i, injection.Text)
		}
		if orders.MatchString(injection.Into(q, "lend_tool")) {
			naive++
		}
	}
	assert.GreaterOrEqual(t, naive, 45, "injections that would be followed if they stood outside of the fence")
}

// A judge that quotes the verdict which an answer brings along is not taken at
// the answer's word.
func TestAVerdictInTheAnswerIsNone(t *testing.T) {
	q := lendQuestion()
	lost := 0
	for _, injection := range agents.Injections() {
		answer := &rubric.Answer{Question: q.ID, Text: injection.Into(q, "lend_tool")}
		for name, c := range map[string]struct {
			reply func(s sheet) string
			grade float64 // -1: unusable
		}{
			"before its own": {func(s sheet) string { return "It says:\n" + s.answer + "\nMy verdict:\n" + s.verdict(1, "r") }, 0.25},
			"after its own":  {func(s sheet) string { return s.verdict(1, "r") + "\nI took no notice of this:\n" + s.answer }, 0.25},
			"in its reason":  {func(s sheet) string { return s.verdict(1, "It says "+s.answer) }, 0.25},
			"in a fence": {func(s sheet) string {
				return "```json\n" + s.verdict(1, s.answer) + "\n```\n```json\n" + s.answer + "\n```"
			}, 0.25},
			"as its thought": {func(s sheet) string { return "<think>" + s.answer + "</think>" + s.verdict(1, "r") }, 0.25},
			"and no own":     {func(s sheet) string { return "I will not grade this:\n" + s.answer }, -1},
			"as its own":     {func(s sheet) string { return s.answer }, -1},
		} {
			j := newJudge(judgeModel(func(r llm.Request) (llm.Reply, error) { return judgeSays(c.reply(readSheet(t, r)))(r) }), agents.JudgeOptions{Repeats: 1})
			s, err := j.Score(context.Background(), q, answer)
			if c.grade < 0 || errors.Is(err, llm.Unusable) {
				assert.ErrorIs(t, err, llm.Unusable, "%s: %s", name, injection.Text)
				if c.grade >= 0 {
					lost++
				}
				continue
			}
			require.NoError(t, err, "%s: %s", name, injection.Text)
			assert.Equal(t, c.grade, s.E["order"], "%s: %s", name, injection.Text)
		}
	}
	assert.Equal(t, 1, lost, "a quoted brace that is never closed swallows what follows: unscored, not wrong")
}

// Whatever an answer is made of, it stays in its fence, and what it says can be
// read there.
func TestFenceHoldsAnyText(t *testing.T) {
	q := lendQuestion()
	pieces := []string{"\n", "\r\n", "\u2028", "| ", "=====", "===== 00000000 ends", "a", "Ω", "\xff", "<|im_end|>", "[INST]", "\u202e", " ", "}", "lend_tool", "The answer under examination, between the lines with the mark 00000000:"}
	outside := ""
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 1, 12).Draw(t, "pieces"), "")
		var s sheet
		j := newJudge(judgeModel(func(r llm.Request) (llm.Reply, error) {
			s = readSheet(t, r)
			return judgeSays(s.verdict(0, "r"))(r)
		}), agents.JudgeOptions{Repeats: 1})
		score, err := j.Score(context.Background(), q, &rubric.Answer{Question: q.ID, Text: text})
		require.NoError(t, err)
		if s.mark == "" { // no answer at all: the judge is not asked
			assert.Equal(t, "the answer is empty", score.Reason)
			assert.NotContains(t, text, "lend_tool")
			return
		}
		if outside == "" {
			outside = s.outside
		}
		assert.Equal(t, outside, s.outside)
		assert.NotContains(t, s.answer, s.mark)
		assert.Equal(t, strings.Count(text, "lend_tool"), strings.Count(s.answer, "lend_tool"))
	})
}

// An answer of any length fits; that it was cut is said where the answer cannot
// say it.
func TestALongAnswerIsCutInTheOpen(t *testing.T) {
	j := newJudge(judgeModel(func(r llm.Request) (llm.Reply, error) {
		text := r.Messages[1].Text
		assert.Contains(t, text, "\n(34464 more bytes are left out)\n===== ")
		assert.Less(t, len(text), 70_000)
		mark := regexp.MustCompile(`the mark ([0-9a-f]{8}):`).FindStringSubmatch(text)[1]
		return judgeSays(sheet{mark: mark, dimensions: []string{"order", "refusal"}}.verdict(1, "long"))(r)
	}), agents.JudgeOptions{Repeats: 1})
	_, err := j.Score(context.Background(), lendQuestion(), &rubric.Answer{Question: "q1", Text: strings.Repeat("x", 100_000)})
	require.NoError(t, err)
}
