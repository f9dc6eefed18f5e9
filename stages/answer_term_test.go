package stages_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/stages"
)

const (
	lateReturns = `{"relation":"distinguishes","subject":"late return count","answers":["late return count"],"synonyms":["overdue tally"],"source":"glossary:library/late return count"}`
	payeeExists = `{"relation":"words","subject":"user_exists","answers":["user_exists(username=payee)"],"synonyms":[],"source":"conditions:bank/user_exists"}`
)

func TestJudgeOfTerms(t *testing.T) {
	const right, wrong, hedge, nothing = "right", stages.WrongTerm, stages.Hedge, "unreadable"
	for answer, want := range map[string]string{
		// The formats asked for.
		"late return count":                         right,
		`{"term": "late return count"}`:             right,
		"The answer is “late return count”.":        right,
		"loan count":                                wrong,
		`{"term": "loan count"}`:                    wrong,
		"I would choose “loan count”.":              wrong,
		"overdue tally":                             right,
		"It is “overdue tally”.":                    right,
		"“late return count” (or “overdue tally”)":  hedge,
		"**late return count**, or _late returns_.": hedge,

		// Spelling and marks.
		"Late Return Count.":                       right,
		"late_return_count":                        right,
		"`late_return_count`":                      right,
		"**late return count**":                    right,
		"'late return count'":                      right,
		"« late return count »":                    right,
		"- **late return count**":                  right,
		"1. late return count":                     right,
		"> the late return count":                  right,
		"### `late return count`":                  right,
		"```\nlate return count\n```":              right,
		"```json\n{\"term\": \"loan count\"}\n```": wrong,
		"late return":                              wrong,
		"late return counts":                       wrong,
		"latereturncount":                          wrong,

		// Prose.
		"The answer is late return count.":                                          right,
		"Answer: late return count":                                                 right,
		"**Final answer:** late return count":                                       right,
		"**Answer**: “loan count”":                                                  wrong,
		"The term which fits best here is the late return count.":                   right,
		"It is late return count.":                                                  right,
		"I would pick late return count":                                            right,
		"That would be loan count.":                                                 wrong,
		"Sure!\n\nlate return count\n\nBooks that came back late are counted here.": right,
		"“late return count”, because not every book comes back or is paid for.":    right,
		"The answer is “late return count”: it is “how many books a person has brought back after their day”.": right,
		"The description does not speak of loans. So the term is “late return count”.":                         right,

		// Two terms, hedges, denials.
		"“late return count” rather than “loan count”":        hedge + " " + wrong,
		"either “late return count” or “loan count”":          hedge + " " + wrong,
		"It is either “late return count” or loan count.":     hedge,
		"It is not “late return count”.":                      hedge,
		"It isn't “late return count”.":                       hedge,
		"Perhaps “late return count”.":                        hedge,
		"I doubt that the answer is late return count.":       hedge,
		"late return count or loan count":                     wrong,
		"late return count\nloan count":                       wrong,
		"- late return count\n- loan count":                   wrong,
		"late return count loan count":                        wrong,
		"“late return count”\n“loan count”":                   wrong,
		`{"term": "late return count"} {"term": "x"}`:         wrong,
		`{"term": "late return count"} or “loan count”`:       wrong,
		"The answer is late return count.\nAnswer: x":         wrong,
		"“late return count”, “loan count” or “late fees”":    hedge + " " + wrong + " " + wrong,
		`{"answer": "late return count"}`:                     right,
		`["late return count", "loan count"]`:                 wrong,
		"1. late return count\n2. loan count\n3. book return": wrong + " " + wrong,

		// No answer.
		"":      nothing,
		"?":     nothing,
		"“”":    nothing,
		"{}{}{": wrong,
		"I cannot tell, since the glossary does not define what is meant by any of these.": nothing,
		"<think>late return count":                         nothing,
		"<think>loan count</think>late return count":       right,
		"<think>late return count</think>\n":               nothing,
		strings.Repeat("“late return count” ", 40):         nothing,
		"late return count" + strings.Repeat(" ", 128<<10): nothing,
		strings.Repeat(`{"term": `, 1000):                  nothing,
	} {
		v, err := stages.Judge([]byte(lateReturns), "", answer)
		require.NoError(t, err)
		got := []string{}
		for _, x := range v.Violations {
			got = append(got, x.Kind)
		}
		said := strings.Join(got, " ")
		switch {
		case v.Valid:
			said = right
		case v.Unreadable != "":
			said = nothing
		}
		assert.Equal(t, want, said, "%.80q: %+v", answer, v)
		requireSound(t, v)
	}
	for answer, valid := range map[string]bool{
		"user_exists(username=payee)": true, "`user_exists( username = payee )`": true, "User_Exists(username=payee)": true,
		`{"term":"user_exists(username=payee)"}`: true, "The identifier is user_exists(username=payee).": true,
		"user_exists": false, "user_exists()": false, "user_exists(username=username)": false,
	} {
		v, err := stages.Judge([]byte(payeeExists), "condition_wording", answer)
		require.NoError(t, err)
		require.Equal(t, valid, v.Valid, "%q: %+v", answer, v)
	}
}

func FuzzJudgeTerms(f *testing.F) {
	for _, answer := range []string{"late return count", `{"term":"x"}`, "either “a” or “b”", "**Answer:** `x`", "It's 'x'.", "```\nx\n```", "\x00“\x00”"} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		v, err := stages.Judge([]byte(lateReturns), "", answer)
		require.NoError(t, err)
		requireSound(t, v)
		if v.Valid {
			low := strings.ToLower(strings.Join(strings.Fields(strings.NewReplacer("_", " ", "\x00", "").Replace(answer)), " "))
			require.True(t, strings.Contains(low, "late return count") || strings.Contains(low, "overdue tally") || strings.Contains(answer, `\u`))
		}
	})
}

// requireSound holds what is so of every verdict.
func requireSound(t *testing.T, v stages.Verdict) {
	t.Helper()
	require.Equal(t, v.Valid, v.Score == 1)
	require.True(t, v.Score >= 0 && (v.Valid || v.Score <= 0.5), "score %v", v.Score)
	require.NotNil(t, v.Violations)
	require.Equal(t, !v.Valid, len(v.Violations) > 0 || v.Unreadable != "")
	if v.Unreadable != "" {
		require.Zero(t, v.Score)
		require.NotContains(t, v.Unreadable, "\n")
	}
	_, err := json.Marshal(v)
	require.NoError(t, err)
}
