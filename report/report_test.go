package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/report"
	"github.com/fmsop/fmsop/rubric"
)

const injection = `<script>alert("full marks")</script>`

// example is a run over two domains: a good model, a poor one whose answers are
// hostile, one that a server failed, and a baseline.
func example(repeats int) *report.Run {
	r := &report.Run{Scorer: "symbolic", Repeats: repeats, Seed: 1}
	for _, domain := range []string{"bank", "hotel"} {
		rub := &rubric.Rubric{Domain: domain, Generator: "symbolic"}
		for i, name := range []string{"order", "money", "time", "refusal"} {
			rub.Dimensions = append(rub.Dimensions, rubric.Dimension{Name: name, Weight: []float64{0.4, 0.3, 0.2, 0.1}[i], Why: "It matters.", Criteria: []string{"a", "b", "c", "d", "e"}})
		}
		r.Rubrics = append(r.Rubrics, rub)
		for i := range 48 {
			r.Questions = append(r.Questions, rubric.Question{
				ID: fmt.Sprintf("%s-%d", domain, i), Domain: domain, Unit: fmt.Sprintf("%s/%d", domain, i%12), Procedure: "pay_bill",
				Level: i%4 + 1, Type: rubric.Types[i/4%4], Dimensions: []string{rub.Dimensions[i%4].Name}, Query: "What next?", Reference: "deny",
			})
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, m := range []struct {
		name string
		good float64
	}{{"ollama:good", 0.9}, {"ollama:poor", 0.3}, {"ollama:gone", 0.5}, {"baseline:random", 0.2}} {
		c := report.Candidate{Name: m.name}
		for i, q := range r.Questions {
			for k := range repeats {
				c.Answers = append(c.Answers, rubric.Answer{Question: q.ID, Repeat: k, Model: m.name, Text: injection})
				s := rubric.Score{Question: q.ID, Repeat: k, Scorer: "symbolic", Outcome: rubric.Scored, E: map[string]float64{q.Dimensions[0]: 0}, Reason: "the end is wrong " + injection}
				if rng.Float64() < m.good {
					s.E[q.Dimensions[0]] = 1
				}
				if m.name == "ollama:gone" && (i < 4 || q.Domain == "hotel" && q.Dimensions[0] == "time") {
					s = rubric.Score{Question: q.ID, Repeat: k, Scorer: "symbolic", Outcome: rubric.Unscored, Reason: "server gone"}
				}
				c.Scores = append(c.Scores, s)
			}
		}
		r.Models = append(r.Models, c)
	}
	return r
}

func TestSummary(t *testing.T) {
	s, err := report.Summarise(example(1))
	require.NoError(t, err)
	var names []string
	for _, m := range s.Models {
		names = append(names, m.Name)
	}
	assert.Equal(t, []string{"ollama:good", "ollama:poor", "ollama:gone", "baseline:random"}, names, "best first, unscored after scored, baselines last")
	gone := s.Models[2]
	assert.Nil(t, gone.Overall.Value, "a dimension of one domain is unscored")
	assert.Equal(t, []string{"time"}, gone.Results[1].Missing)
	assert.Equal(t, "no Borda count: ollama:gone is unscored in hotel", s.NoBorda)
	assert.Len(t, s.Comparisons, 4, "three pairs of models, and the best against the baseline")
	for _, f := range s.Failures {
		assert.False(t, strings.HasPrefix(f.Model, report.BaselinePrefix))
		assert.Less(t, f.Value, 0.5)
	}
	again, err := report.Summarise(example(1))
	require.NoError(t, err)
	assert.Equal(t, s, again)
}

func TestScoresOfAnotherTestSetAreNamed(t *testing.T) {
	r := example(1)
	r.Models[0].Scores[0].Question = "elsewhere"
	_, err := report.Summarise(r)
	assert.ErrorContains(t, err, "ollama:good: score of question elsewhere")
	r = example(1)
	r.Rubrics = r.Rubrics[:1]
	_, err = report.Summarise(r)
	assert.ErrorContains(t, err, `domain "hotel", of which there is no rubric`)
}

func TestThePageHasNothingFromOutsideAndNothingUnescaped(t *testing.T) {
	s, err := report.Summarise(example(1))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.HTML(&b, s))
	page := b.String()
	assert.NotContains(t, page, injection)
	assert.NotContains(t, page, "<script")
	assert.Contains(t, page, "&lt;script&gt;")
	assert.NotRegexp(t, regexp.MustCompile(`(src|href)=|url\(|@import|https?:`), page)
	assert.NotContains(t, page, "ZgotmplZ", "the template refused a value")
	assert.NotContains(t, page, "%!", "a verb does not fit its value")
	for _, want := range []string{"ollama:good", `class="tag">baseline`, "unscored", "server gone", `class="radar"`, "no Borda count"} {
		assert.Contains(t, page, want)
	}
}

// What the page, the CSV and the JSON say of a mean is the same.
func TestCSVAndJSONHoldTheSameNumbers(t *testing.T) {
	s, err := report.Summarise(example(2))
	require.NoError(t, err)
	var b, j bytes.Buffer
	require.NoError(t, report.CSV(&b, s))
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	const rates = 2 * 2 // pass@k and pass^k of k = 1, 2
	assert.Len(t, lines, 1+4*(1+rates+2*(1+4+4+4+rates)))

	require.NoError(t, report.JSON(&j, s))
	var read report.Summary
	require.NoError(t, json.Unmarshal(j.Bytes(), &read))
	means := map[string]rubric.Mean{}
	for _, m := range read.Models {
		add := func(domain, by, name string, mean rubric.Mean) {
			means[strings.Join([]string{m.Name, domain, by, name}, "|")] = mean
		}
		addRates := func(domain string, list []rubric.PassRate) {
			for _, p := range list {
				add(domain, "pass@k", strconv.Itoa(p.K), p.At)
				add(domain, "pass^k", strconv.Itoa(p.K), p.All)
			}
		}
		add("", "overall", "", m.Overall)
		addRates("", m.Passes)
		for _, res := range m.Results {
			add(res.Domain, "domain", res.Domain, res.Final)
			addRates(res.Domain, res.Passes)
			for by, cells := range map[string][]rubric.Cell{"dimension": res.Dimensions, "level": res.Levels, "type": res.Types} {
				for _, c := range cells {
					add(res.Domain, by, c.Name, c.Mean)
				}
			}
		}
	}
	for _, line := range lines[1:] {
		mean, ok := means[strings.Join([]string{line[0], line[2], line[3], line[4]}, "|")]
		require.True(t, ok, line)
		assert.Equal(t, strconv.Itoa(mean.Scored), line[13])
		assert.Equal(t, strconv.Itoa(mean.Unscored), line[14])
		if mean.Value == nil {
			assert.Empty(t, line[6])
			continue
		}
		value, err := strconv.ParseFloat(line[6], 64)
		require.NoError(t, err)
		assert.InDelta(t, *mean.Value, value, 1e-5)
	}
}

func TestPassRatesAreShownOfRepeats(t *testing.T) {
	s, err := report.Summarise(example(2))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.HTML(&b, s))
	assert.Contains(t, b.String(), "pass^2")
	s, err = report.Summarise(example(1))
	require.NoError(t, err)
	b.Reset()
	require.NoError(t, report.HTML(&b, s))
	assert.NotContains(t, b.String(), "pass^")
}

// Of several repeats the worst is shown, with its own answer and reason.
func TestAFailureShowsTheWorstRepeat(t *testing.T) {
	r := example(2)
	good, bad := &r.Models[0], &r.Models[1]
	q := r.Questions[7]
	for _, m := range []*report.Candidate{good, bad} {
		for i := range m.Scores {
			e := 1.0
			if m == bad && m.Scores[i].Question == q.ID {
				e = 0.4 * float64(1-m.Scores[i].Repeat)
				m.Scores[i].Reason = fmt.Sprint("reason ", m.Scores[i].Repeat)
				m.Answers[i].Text = fmt.Sprint("answer ", m.Answers[i].Repeat)
			}
			m.Scores[i].E = map[string]float64{questionOf(r, m.Scores[i].Question).Dimensions[0]: e}
		}
	}
	r.Models = r.Models[:2]
	s, err := report.Summarise(r)
	require.NoError(t, err)
	require.Len(t, s.Failures, 1)
	f := s.Failures[0]
	assert.Equal(t, []any{bad.Name, q.ID, "answer 1", "reason 1", 1.0}, []any{f.Model, f.Question.ID, f.Answer, f.Reason, *f.Elsewhere})
	assert.InDelta(t, 0.2, f.Value, 1e-12)
}

func questionOf(r *report.Run, id string) *rubric.Question {
	for i := range r.Questions {
		if r.Questions[i].ID == id {
			return &r.Questions[i]
		}
	}
	return nil
}

func TestTheJudgesAreShown(t *testing.T) {
	r := example(1)
	render := func() string {
		s, err := report.Summarise(r)
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, report.HTML(&b, s))
		require.NotContains(t, b.String(), injection)
		require.NotContains(t, b.String(), "ZgotmplZ")
		require.NotContains(t, b.String(), "%!")
		return b.String()
	}
	assert.NotContains(t, render(), "Whether the judge is right", "scores from keys need none")
	r.Scorer = "ollama:judge"
	assert.Contains(t, render(), "Judge validity not measured: no check of ollama:judge")
	half := 0.5
	share := rubric.Share{Hits: 5, N: 10, Estimate: rubric.Estimate{Value: &half, Interval: &rubric.Interval{Low: 0.25, High: 0.75}}}
	r.JudgeChecks = []*rubric.JudgeCheck{{Judge: "ollama:judge", Repeats: 3, Pass: 1, Findings: []string{"It passed " + injection},
		Operators:  []rubric.OperatorCheck{{Operator: "omit", Form: "prose", Passed: share}},
		Probes:     []rubric.Probe{{Name: rubric.ProbePadding, Comparison: rubric.Comparison{Questions: 7, Difference: 0.25, NoInterval: "no interval: 3 SOPs"}}},
		Candidates: []rubric.AnswersCheck{{Name: injection}, {Name: "ollama:bad"}},
		Together:   rubric.AnswersCheck{Name: "all models", Agreement: rubric.Agreement{Answers: 10, Accuracy: share}, Unscored: 3}}}
	page := render()
	assert.NotContains(t, page, "Judge validity not measured")
	assert.NotContains(t, page, "Nothing is found")
	for _, want := range []string{"Whether the judge is right", "<td>omit, wrong</td>", "5 of 10", "<strong>0.50</strong>", "0.25 to 0.75", "0.250</strong>", "no interval: 3 SOPs", "10 / 3"} {
		assert.Contains(t, page, want)
	}
}
