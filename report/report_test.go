package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"regexp"
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
func example() *report.Run {
	r := &report.Run{Scorer: "symbolic", Repeats: 1, Seed: 1}
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
			c.Answers = append(c.Answers, rubric.Answer{Question: q.ID, Model: m.name, Text: injection})
			s := rubric.Score{Question: q.ID, Scorer: "symbolic", Outcome: rubric.Scored, E: map[string]float64{q.Dimensions[0]: 0}, Reason: "the end is wrong " + injection}
			if rng.Float64() < m.good {
				s.E[q.Dimensions[0]] = 1
			}
			if m.name == "ollama:gone" && (i < 4 || q.Domain == "hotel" && q.Dimensions[0] == "time") {
				s = rubric.Score{Question: q.ID, Scorer: "symbolic", Outcome: rubric.Unscored, Reason: "server gone"}
			}
			c.Scores = append(c.Scores, s)
		}
		r.Models = append(r.Models, c)
	}
	return r
}

func TestSummary(t *testing.T) {
	s, err := report.Summarise(example())
	require.NoError(t, err)
	var names []string
	for _, m := range s.Models {
		names = append(names, m.Name)
	}
	assert.Equal(t, []string{"ollama:good", "ollama:poor", "ollama:gone", "baseline:random"}, names, "best first, unscored after scored, baselines last")
	gone := s.Models[2]
	assert.Nil(t, gone.Overall, "a dimension of one domain is unscored")
	assert.Equal(t, []string{"time"}, gone.Results[1].Missing)
	assert.Equal(t, "no Borda count: ollama:gone is unscored in hotel", s.NoBorda)
	assert.Len(t, s.Comparisons, 4, "three pairs of models, and the best against the baseline")
	for _, f := range s.Failures {
		assert.False(t, strings.HasPrefix(f.Model, report.BaselinePrefix))
		assert.Less(t, f.Value, 0.5)
	}
	again, err := report.Summarise(example())
	require.NoError(t, err)
	assert.Equal(t, s, again)
}

func TestScoresOfAnotherTestSetAreNamed(t *testing.T) {
	r := example()
	r.Models[0].Scores[0].Question = "elsewhere"
	_, err := report.Summarise(r)
	assert.ErrorContains(t, err, "ollama:good: score of question elsewhere")
	r = example()
	r.Rubrics = r.Rubrics[:1]
	_, err = report.Summarise(r)
	assert.ErrorContains(t, err, `domain "hotel", of which there is no rubric`)
}

func TestThePageHasNothingFromOutsideAndNothingUnescaped(t *testing.T) {
	s, err := report.Summarise(example())
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.HTML(&b, s))
	page := b.String()
	assert.NotContains(t, page, injection)
	assert.NotContains(t, page, "<script")
	assert.Contains(t, page, "&lt;script&gt;")
	assert.NotRegexp(t, regexp.MustCompile(`(src|href)=|url\(|@import|https?:`), page)
	assert.NotContains(t, page, "ZgotmplZ", "the template refused a value")
	for _, want := range []string{"ollama:good", `class="tag">baseline`, "unscored", "server gone", `class="radar"`, "no Borda count"} {
		assert.Contains(t, page, want)
	}
}

func TestCSVHasALineForEachMean(t *testing.T) {
	s, err := report.Summarise(example())
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.CSV(&b, s))
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	assert.Len(t, lines, 1+4*2*(1+4+4+4))
}
