package agents_test

import (
	"encoding/json"
	"fmt"
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
	"github.com/fmsop/fmsop/sop/corpus"
)

type writtenQuestion struct {
	Quotes   []string `json:"quotes"`
	Question string   `json:"question"`
}

func questionnaire(list ...writtenQuestion) string {
	text, err := json.Marshal(map[string]any{"questions": list})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// documents of a prompt, as lists of lines of several words.
func documents(user string) (list [][]string) {
	parts := strings.Split(user, "=====")
	for i := 1; i < len(parts); i += 2 {
		var lines []string
		for line := range strings.Lines(parts[i]) {
			if len(strings.Fields(line)) > 4 && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "- ") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		list = append(list, lines)
	}
	return list
}

// good is a question about a line of the first document, which depends on the
// prompt, with another line of it, and one of the second procedure if there is
// one.
func good(user string) writtenQuestion {
	h := fnv.New32a()
	h.Write([]byte(user))
	all := documents(user)
	k := int(h.Sum32() % uint32(len(all[0])))
	quotes := []string{all[0][k], all[0][(k+1)%len(all[0])]}
	if strings.Contains(user, "Level 4") {
		quotes = append(quotes, all[1]...)
	}
	return writtenQuestion{quotes, "What follows for the desk from this: " + quotes[0] + "?"}
}

// author writes what change makes of a good question.
func author(change func(q *writtenQuestion)) *model {
	return &model{name: "ollama:author", reply: func(_, user string) (string, error) {
		q := good(user)
		change(&q)
		return questionnaire(q), nil
	}}
}

func unchanged(*writtenQuestion) {}

// reference answers with a line of the document, as change has it.
func reference(change func(map[string]any)) *model {
	return &model{name: "ollama:reference", reply: func(_, user string) (string, error) {
		line := documents(user)[0][0]
		r := map[string]any{"quotes": []string{line}, "answerable": true, "answer": "This follows: " + line}
		change(r)
		text, err := json.Marshal(r)
		return string(text), err
	}}
}

func same(map[string]any) {}

func writeTestset(t *testing.T, c *corpus.Corpus, r *rubric.Rubric, have []rubric.Question, questions, references *model, o agents.TestOptions, workers int) ([]rubric.Question, *agents.Coverage, []agents.Drop) {
	t.Helper()
	list, coverage, drops, err := agents.WriteTestset(t.Context(), c, r, have,
		agents.WriteOptions{PerCell: o.PerCell, PerDimension: o.PerDimension, Seed: o.Seed, Questions: questions.writer(), References: references.writer()}, running.Options{Workers: workers})
	require.NoError(t, err)
	return list, coverage, drops
}

func TestWrittenTestsetsFillTheirQuotas(t *testing.T) {
	c, r := generated(t, "library")
	o := agents.TestOptions{PerCell: 2, PerDimension: 5, Seed: 3}
	list, coverage, _ := writeTestset(t, c, r, nil, author(unchanged), reference(same), o, 1)
	assert.Empty(t, coverage.Shortfalls())
	cells, dimensions := map[string]int{}, map[string]int{}
	for _, q := range list {
		require.NoError(t, q.Validate())
		cells[fmt.Sprintf("level %d %s, written", q.Level, q.Type)]++
		dimensions[q.Dimensions[0]]++
		assert.Equal(t, rubric.KeyNone, q.Key.Kind)
		assert.Equal(t, []string{"ollama:author", "ollama:reference"}, []string{q.Author, q.ReferenceAuthor})
		procedures := map[string]bool{}
		for _, s := range q.Source {
			source, quote, _ := strings.Cut(s, ": ")
			procedures[source] = true
			assert.Contains(t, strings.Join(strings.Fields(q.Context), " "), quote)
		}
		assert.Equal(t, q.Level == rubric.SeveralSteps, len(procedures) > 1, "%v", q.Source)
	}
	for _, cell := range coverage.Written {
		assert.Equal(t, cell.Name == "level 1 multi_hop, written", cell.Impossible != "", cell.Name)
		if cell.Impossible == "" {
			assert.GreaterOrEqual(t, cells[cell.Name], 2, cell.Name)
		}
	}
	for _, d := range r.Dimensions {
		assert.GreaterOrEqual(t, dimensions[d.Name], 5, d.Name)
	}
	_, err := agents.SymbolicScorer{}.Score(t.Context(), &list[0], &rubric.Answer{Question: list[0].ID, Text: "?"})
	assert.EqualError(t, err, "no key", "only a judge can score it")

	again, _, _ := writeTestset(t, c, r, nil, author(unchanged), reference(same), o, 16)
	assert.Equal(t, list, again, "whatever the number of workers")
	other, _, _ := writeTestset(t, c, r, nil, author(unchanged), reference(same), agents.TestOptions{PerCell: 2, PerDimension: 5, Seed: 4}, 1)
	assert.NotEqual(t, list, other)
}

// A dimension that nothing can be computed for gets its questions from the
// model; those that have enough get no more.
func TestWrittenQuestionsTopUpComputedOnes(t *testing.T) {
	c, r := generated(t, "library")
	r.Dimensions[0].Covers = rubric.Covers{}
	computed, before, err := agents.GenerateTestset(c, r, agents.TestOptions{PerCell: 8, PerDimension: 8})
	require.NoError(t, err)
	require.NotEmpty(t, before.Dimensions[0].Impossible)

	list, coverage, _ := writeTestset(t, c, r, computed, author(unchanged), reference(same), agents.TestOptions{PerCell: 1, PerDimension: 10}, 0)
	assert.Empty(t, coverage.Shortfalls())
	count := 0
	for _, q := range list {
		if q.Dimensions[0] == r.Dimensions[0].Name {
			count++
		}
	}
	assert.GreaterOrEqual(t, count, 10)
	for i, d := range coverage.Dimensions {
		if i > 0 {
			assert.Less(t, d.Made, before.Dimensions[i].Made+len(list))
		}
	}
}

// What a model does wrong is counted with its reason, and missing afterwards.
func TestFaultsOfWrittenQuestions(t *testing.T) {
	c, r := generated(t, "library")
	for name, tt := range map[string]struct {
		question  func(q *writtenQuestion)
		reference func(r map[string]any)
		reason    string
		detail    string
	}{
		"no question":               {func(q *writtenQuestion) { q.Question = "Why?" }, same, "no question", `"Why?"`},
		"a quote astray":            {func(q *writtenQuestion) { q.Quotes[0] = "Patrons have to smile." }, same, "a quote does not stand in the SOP", "Patrons have to smile."},
		"a quote of a word":         {func(q *writtenQuestion) { q.Quotes = []string{"desk", "desk"} }, same, "a quote does not stand in the SOP", `"desk"`},
		"a call of its own":         {func(q *writtenQuestion) { q.Question += " And `smile_at_patron`?" }, same, "names what the SOP does not have", "smile_at_patron"},
		"not answerable":            {unchanged, func(r map[string]any) { r["answerable"], r["answer"] = false, "It does not say." }, "the model of the references finds no answer", "It does not say."},
		"an empty reference":        {unchanged, func(r map[string]any) { r["answer"] = " " }, "no usable reference", "the answer is empty"},
		"a reference astray":        {unchanged, func(r map[string]any) { r["quotes"] = []string{"All patrons are nice."} }, "the reference's quote does not stand in the SOP", "All patrons are nice."},
		"a reference without quote": {unchanged, func(r map[string]any) { r["quotes"] = []string{} }, "the reference's quote does not stand in the SOP", ""},
		"a reference's own call":    {unchanged, func(r map[string]any) { r["answer"] = "Call smile_at_patron first." }, "the reference names what the SOP does not have", "smile_at_patron"},
	} {
		t.Run(name, func(t *testing.T) {
			list, coverage, drops := writeTestset(t, c, r, nil, author(tt.question), reference(tt.reference), agents.TestOptions{PerCell: 1, PerDimension: 1}, 0)
			assert.Empty(t, list)
			assert.Contains(t, coverage.Shortfalls(), "library: level 2 factual, written has 0 questions of 1")
			require.NotEmpty(t, drops)
			assert.Contains(t, drops[0].Detail, tt.detail)
			reasons := agents.CountDrops(drops)
			assert.Equal(t, []rubric.Reason{{Reason: tt.reason, Count: len(drops)}}, reasons)
		})
	}
}

func TestRepliesThatAreNoQuestions(t *testing.T) {
	c, r := generated(t, "library")
	o := agents.TestOptions{PerCell: 1, PerDimension: 1}
	for name, tt := range map[string]struct {
		questions, references *model
		reason                string
	}{
		"prose":                 {always("I would ask about the loan period."), reference(same), "no usable reply"},
		"invalid JSON":          {always(`{"questions": [`), reference(same), "no usable reply"},
		"prose for a reference": {author(unchanged), always("Fourteen days."), "no usable reference"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.questions.name = "ollama:author"
			list, _, drops := writeTestset(t, c, r, nil, tt.questions, tt.references, o, 0)
			assert.Empty(t, list)
			require.Len(t, agents.CountDrops(drops), 1)
			assert.Equal(t, tt.reason, agents.CountDrops(drops)[0].Reason)
		})
	}

	// What is left when some of it is right: a fault costs its question alone.
	m := &model{name: "ollama:author", reply: func(_, user string) (string, error) {
		q := good(user)
		bad := writtenQuestion{q.Quotes, q.Question + " And `smile_at_patron`?"}
		return questionnaire(bad, q, q), nil
	}}
	list, _, drops := writeTestset(t, c, r, nil, m, reference(same), agents.TestOptions{PerCell: 2, PerDimension: 1}, 0)
	assert.NotEmpty(t, list)
	reasons := map[string]bool{}
	for _, d := range drops {
		reasons[d.Reason] = true
	}
	assert.True(t, reasons["names what the SOP does not have"] && reasons["more questions than were asked for"], "%v", reasons)
}

// A question that quotes one rule is none on several, and one that quotes one
// document none over two.
func TestALevelHasToBeBorneOut(t *testing.T) {
	c, r := generated(t, "library")
	one := author(func(q *writtenQuestion) { q.Quotes = q.Quotes[:1] })
	list, coverage, drops := writeTestset(t, c, r, nil, one, reference(same), agents.TestOptions{PerCell: 1, PerDimension: 1}, 0)
	require.NotEmpty(t, list)
	for _, q := range list {
		assert.Less(t, q.Level, rubric.SeveralRules)
		assert.NotEqual(t, rubric.MultiHop, q.Type)
	}
	assert.Contains(t, coverage.Shortfalls(), "library: level 3 sequential, written has 0 questions of 1")
	assert.Equal(t, "fewer quotes than its level or type takes", agents.CountDrops(drops)[0].Reason)

	both := &model{name: "ollama:author", reply: func(_, user string) (string, error) {
		lines := documents(user)[0]
		return questionnaire(writtenQuestion{[]string{lines[0], lines[1]}, "What follows for the desk from this: " + lines[0]}), nil
	}}
	list, _, _ = writeTestset(t, c, r, nil, both, reference(same), agents.TestOptions{PerCell: 1, PerDimension: 1}, 0)
	for _, q := range list {
		assert.Less(t, q.Level, rubric.SeveralSteps)
	}
}

func TestNearDuplicatesAreDropped(t *testing.T) {
	c, r := generated(t, "library")
	fixed := author(func(q *writtenQuestion) { q.Question = "What does the desk have to do before it may act for a patron?" })
	list, _, drops := writeTestset(t, c, r, nil, fixed, reference(same), agents.TestOptions{PerCell: 2, PerDimension: 1}, 0)
	procedures := map[string]bool{}
	for _, q := range list {
		assert.False(t, procedures[q.Procedure], "%s is asked twice", q.Procedure)
		procedures[q.Procedure] = true
	}
	assert.Equal(t, "asks what another question asks", agents.CountDrops(drops)[0].Reason)

	// One that was computed is a question too.
	asked := slices.Clone(list)
	for i := range asked {
		asked[i].Query = strings.Replace(asked[i].Query, "a patron", "the patron", 1)
	}
	list, _, _ = writeTestset(t, c, r, asked, fixed, reference(same), agents.TestOptions{PerCell: 2, PerDimension: 1}, 0)
	for _, q := range list {
		assert.False(t, procedures[q.Procedure], "%s is asked about again", q.Procedure)
	}
}

func TestTheReferencesAreAnotherModels(t *testing.T) {
	c, r := generated(t, "library")
	write := func(r *rubric.Rubric, questions, references string, force bool) error {
		q, a := author(unchanged), reference(same)
		q.name, a.name = questions, references
		_, _, _, err := agents.WriteTestset(t.Context(), c, r, nil, agents.WriteOptions{
			PerCell: 1, PerDimension: 1, Questions: q.writer(), References: a.writer(), Force: force}, running.Options{})
		return err
	}
	require.NoError(t, write(r, "ollama:qwen2.5:7b", "ollama:qwen2.5:32b", false))
	for _, same := range []string{"ollama:qwen2.5:7b", "openai:qwen2.5:7b", "ollama:qwen2.5:7b:latest"} {
		assert.ErrorContains(t, write(r, "ollama:qwen2.5:7b", same, false), "want another model for one of them")
		assert.NoError(t, write(r, "ollama:qwen2.5:7b", same, true))
	}
	drafted := *r
	drafted.Generator = "ollama:qwen2.5:32b"
	assert.EqualError(t, write(&drafted, "ollama:qwen2.5:7b", "ollama:qwen2.5:32b", false),
		"ollama:qwen2.5:32b wrote the rubric of library and would write references too, want another model")
	assert.NoError(t, write(&drafted, "ollama:qwen2.5:7b", "ollama:qwen2.5:14b", false))
	assert.NoError(t, write(&drafted, "ollama:qwen2.5:32b", "ollama:qwen2.5:14b", false), "the rubric and the questions may be by one model")
}

func TestAServersFaultEndsTheWriting(t *testing.T) {
	c, r := generated(t, "library")
	broken := author(unchanged)
	broken.reply = func(string, string) (string, error) {
		return "", &llm.Error{Kind: llm.ServerFault, Message: "out of memory"}
	}
	_, _, _, err := agents.WriteTestset(t.Context(), c, r, nil, agents.WriteOptions{Questions: broken.writer(), References: reference(same).writer()}, running.Options{Workers: 1})
	assert.ErrorContains(t, err, "questions of level 1 factual on ")
	assert.ErrorContains(t, err, "out of memory")
}

func TestQuestionPrompts(t *testing.T) {
	c := small(t)
	r, _, err := agents.DraftRubric(t.Context(), c, drafter(t, 6).writer(), running.Options{Workers: 1})
	require.NoError(t, err)
	questions, references := author(unchanged), reference(same)
	writeTestset(t, c, r, nil, questions, references, agents.TestOptions{PerCell: 1, PerDimension: 1}, 1)
	golden(t, "question.txt", questions.requests[len(questions.requests)-1])
	golden(t, "reference.txt", references.requests[0])
}
