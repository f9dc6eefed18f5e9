package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/report"
)

// whole is an agent that was judged on all tasks and passed a share of them.
func whole(agent string, share float64) (rates []report.Rate) {
	for _, d := range report.SOPBench {
		rates = append(rates, report.Rate{Agent: agent, Domain: d.Domain, Passed: int(share * float64(d.Tasks)), Tasks: d.Tasks})
	}
	return rates
}

func row(t *testing.T, table *report.PassTable, agent, part string) *report.PassRow {
	t.Helper()
	i := slices.IndexFunc(table.Rows, func(r report.PassRow) bool { return r.Agent == agent && r.Part == part })
	require.GreaterOrEqual(t, i, 0, "%s %s", agent, part)
	return &table.Rows[i]
}

func twoDecimals(f float64) float64 { return math.Round(100*f) / 100 }

// The Borda counts of the nine models alone are those that are published, to
// both decimals.
func TestPublishedBordaCountsComeOut(t *testing.T) {
	table, err := report.PassRates("official", "", nil)
	require.NoError(t, err)
	counted, published := 0, 0
	for _, r := range table.Rows {
		assert.Equal(t, report.PublishedIn, r.Source)
		assert.Equal(t, r.Borda == nil, r.NoBorda != "", r.Agent)
		if r.Borda != nil {
			counted++
		}
		if r.PublishedBorda != nil {
			published++
			require.NotNil(t, r.Borda, r.Agent)
			assert.Equal(t, *r.PublishedBorda, twoDecimals(*r.Borda), r.Agent)
		}
	}
	assert.Len(t, table.Rows, 21)
	assert.Equal(t, []int{9, 8}, []int{counted, published})
}

// The overall rates that are published are means over the domains in the
// paper's own rows, and rates over all tasks in the others.
func TestPublishedOverallRates(t *testing.T) {
	table, err := report.PassRates("official", "", nil)
	require.NoError(t, err)
	for _, r := range table.Rows {
		if strings.HasPrefix(r.Agent, "FM SO.P") {
			assert.Equal(t, 830, r.Tasks)
			assert.Equal(t, *r.Overall, twoDecimals(*r.Mean), r.Agent)
			continue
		}
		passed := 0.0
		for _, c := range r.Cells {
			passed += math.Round(*c.Rate * float64(c.Tasks) / 100)
		}
		assert.Equal(t, 903, r.Tasks)
		assert.InDelta(t, *r.Overall, 100*passed/903, 0.8, r.Agent)
	}
}

// The denominators of the paper's own rows are the only ones, up to all tasks
// of a domain, of which its three rates are shares to both decimals; in the
// library there are two.
func TestDenominatorsOfThePapersRows(t *testing.T) {
	table, err := report.PassRates("official", "", nil)
	require.NoError(t, err)
	for i, d := range report.SOPBench {
		var rates []float64
		tasks := 0
		for _, r := range table.Rows {
			if strings.HasPrefix(r.Agent, "FM SO.P") {
				rates, tasks = append(rates, *r.Cells[i].Rate), r.Cells[i].Tasks
			}
		}
		require.Len(t, rates, 3)
		var possible []int
		for n := 1; n <= d.Tasks; n++ {
			if !slices.ContainsFunc(rates, func(rate float64) bool {
				return twoDecimals(100*math.Round(rate*float64(n)/100)/float64(n)) != rate
			}) {
				possible = append(possible, n)
			}
		}
		want := []int{tasks}
		if d.Domain == "library" {
			want = []int{33, tasks}
		}
		assert.Equal(t, want, possible, d.Domain)
	}
}

func TestMeasuredRows(t *testing.T) {
	rates := append(whole("perfect", 1), whole("hopeless", 0)...)
	rates = append(rates, report.Rate{Agent: "some", Domain: "bank", Passed: 3, Tasks: 4, Unjudged: 1, Parts: []report.Part{{"goals seen", 3, 3}, {"goals unseen", 0, 1}, {"tasks seen", 0, 0}}},
		report.Rate{Agent: "some", Domain: "moon", Passed: 1, Tasks: 2, Parts: []report.Part{{"goals seen", 0, 0}, {"goals unseen", 1, 2}, {"tasks seen", 0, 0}}})
	short := whole("short", 1)
	short[1].Tasks--
	short[1].Passed--
	rates = append(rates, short...)
	rates = append(rates, whole("lacking", 0.5)[:6]...)
	drawn := whole("drawn", 1)
	drawn[3].Generated = true
	rates = append(rates, drawn...)
	table, err := report.PassRates("official", "data", rates)
	require.NoError(t, err)
	assert.Equal(t, "moon", table.Domains[7])

	perfect := row(t, table, "perfect", "")
	assert.True(t, perfect.Measured())
	assert.Equal(t, []float64{100, 100, 10}, []float64{*perfect.Mean, *perfect.Overall, *perfect.Borda}, "it beats the nine and the other one that is counted")
	assert.Equal(t, 0.0, *row(t, table, "hopeless", "").Borda)
	assert.Equal(t, "114 of the 115 tasks of dmv", row(t, table, "short", "").NoBorda)
	assert.Equal(t, "6 of the 7 domains", row(t, table, "lacking", "").NoBorda)
	assert.Nil(t, row(t, table, "lacking", "").Mean)
	assert.Equal(t, "generated tasks", row(t, table, "drawn", "").NoBorda)

	some := row(t, table, "some", "")
	assert.Nil(t, some.Mean)
	assert.Nil(t, some.Borda)
	assert.Nil(t, some.Overall)
	assert.Equal(t, 6, some.Tasks)
	bank := some.Cells[0]
	assert.Equal(t, []any{75.0, 3, 4, 1}, []any{*bank.Rate, bank.Passed, bank.Tasks, bank.Unjudged})
	assert.Less(t, bank.Interval.Low, 75.0)
	assert.Greater(t, bank.Interval.High, 75.0)
	assert.Equal(t, 100.0, *row(t, table, "some", "goals seen").Cells[0].Rate)
	assert.Equal(t, 50.0, *row(t, table, "some", "goals unseen").Cells[7].Rate)
	assert.Nil(t, row(t, table, "some", "tasks seen").Cells[0].Rate)

	// A count is not disturbed by an agent that only comes close to another.
	fm := row(t, table, "FM SO.P (Qwen-2.5-32B-Instruct)", "")
	assert.Equal(t, []float64{6.86, 7.86}, []float64{*fm.PublishedBorda, twoDecimals(*fm.Borda)}, "it beats the hopeless one everywhere")

	_, err = report.PassRates("official", "", append(whole("twice", 1), whole("twice", 1)[2]))
	assert.EqualError(t, err, "two rates of twice in healthcare")
}

// Rates that round to the same two decimals tie, as published ones do.
func TestEqualSharesTie(t *testing.T) {
	rates := whole("same", 0)
	for i := range rates {
		rates[i].Passed = 0
	}
	rates[2].Passed = 52 // 40.00 of 130: under the 41.13 of two rows
	rates[6].Passed = 28 // 14.29 of 196, as two rows have it
	table, err := report.PassRates("official", "", rates)
	require.NoError(t, err)
	// healthcare: 4 of the nine have less than 40.00; hotel: 2 have less than 14.29.
	assert.Equal(t, twoDecimals((4+2)/7.0), twoDecimals(*row(t, table, "same", "").Borda))
}

func TestPassRatePages(t *testing.T) {
	rates := whole("<script>alert(1)</script>", 0.5)
	rates[0].Unjudged = 2
	rates[0].Tasks -= 2
	table, err := report.PassRates("corrected", `<b>"data"</b>`, append(rates, report.Rate{Agent: "b", Domain: "<i>", Passed: 1, Tasks: 3, Parts: []report.Part{{"goals seen", 1, 2}}}))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.PassRatesHTML(&b, table))
	page := b.String()
	for _, not := range []string{"<script", "<b>", "<i>", "ZgotmplZ", "%!"} {
		assert.NotContains(t, page, not)
	}
	assert.NotRegexp(t, regexp.MustCompile(`(src|href)=|url\(|@import|https?:`), page)
	for _, want := range []string{"&lt;script&gt;", "2 not judged", "Not counted: ", "over 830 of the 903 tasks", "published 6.86", "Seen in training, and not", "the corrected judge", "goals seen", `class="tag">published`, "134 bank, 97 dmv"} {
		assert.Contains(t, page, want)
	}
	assert.Equal(t, 21, strings.Count(page, `class="tag">published`))
	assert.Equal(t, 3, strings.Count(page, "over 830 of the 903 tasks</span>"))
	unknown, err := report.PassRates("official", "", whole("a", 1))
	require.NoError(t, err)
	b.Reset()
	require.NoError(t, report.PassRatesHTML(&b, unknown))
	assert.Contains(t, b.String(), "Exposure unknown")
	assert.NotContains(t, b.String(), "mends known faults")
	assert.Contains(t, b.String(), "that the paper counts, and a.")
}

// CSV and JSON hold the same numbers.
func TestPassRatesCSVAndJSON(t *testing.T) {
	rates := whole("a", 0.5)
	rates[0].Parts = []report.Part{{"goals seen", 1, 2}, {"goals unseen", 0, 0}}
	table, err := report.PassRates("official", "data", append(rates, report.Rate{Agent: "a", Domain: "moon", Passed: 1, Tasks: 3}))
	require.NoError(t, err)
	var b, j bytes.Buffer
	require.NoError(t, report.PassRatesCSV(&b, table))
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	values := map[string]string{}
	for _, line := range lines[1:] {
		key := strings.Join(line[:5], "|")
		assert.NotContains(t, values, key)
		values[key] = line[5]
	}
	require.NoError(t, report.PassRatesJSON(&j, table))
	var read report.PassTable
	require.NoError(t, json.Unmarshal(j.Bytes(), &read))
	n := 0
	for _, r := range read.Rows {
		holds := func(domain, by string, value *float64) {
			if value == nil {
				return
			}
			n++
			got, err := strconv.ParseFloat(values[strings.Join([]string{r.Agent, r.Source, r.Part, domain, by}, "|")], 64)
			assert.NoError(t, err)
			assert.InDelta(t, *value, got, 1e-4)
		}
		for i, c := range r.Cells {
			holds(read.Domains[i], "rate", c.Rate)
		}
		holds("", "mean", r.Mean)
		holds("", "overall", r.Overall)
		holds("", "borda", r.Borda)
		holds("", "borda published", r.PublishedBorda)
	}
	assert.Len(t, values, n)
}
