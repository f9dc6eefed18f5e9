package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/fmsop/fmsop/rubric"
)

// CSV writes one line for each mean: over all domains, of each domain, of its
// dimensions, levels and types, and the pass rates.
func CSV(w io.Writer, s *Summary) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"model", "scorer", "domain", "by", "name", "weight", "value", "low_bound", "high_bound",
		"interval_low", "interval_high", "no_interval", "questions", "scored", "unscored"}}
	for _, m := range s.Models {
		line := func(domain, by, name string, weight float64, mean rubric.Mean) {
			value, low, high := "", "", ""
			if mean.Value != nil {
				value = number(*mean.Value)
			}
			if mean.Interval != nil {
				low, high = number(mean.Interval.Low), number(mean.Interval.High)
			}
			lines = append(lines, []string{m.Name, s.Scorer, domain, by, name, number(weight), value, number(mean.Low), number(mean.High),
				low, high, mean.NoInterval, strconv.Itoa(mean.Questions), strconv.Itoa(mean.Scored), strconv.Itoa(mean.Unscored)})
		}
		passes := func(domain string, rates []rubric.PassRate) {
			for _, p := range rates {
				line(domain, "pass@k", strconv.Itoa(p.K), 0, p.At)
				line(domain, "pass^k", strconv.Itoa(p.K), 0, p.All)
			}
		}
		line("", "overall", "", 1, m.Overall)
		passes("", m.Passes)
		for _, res := range m.Results {
			line(res.Domain, "domain", res.Domain, 1, res.Final)
			for _, group := range []struct {
				by    string
				cells []rubric.Cell
			}{{"dimension", res.Dimensions}, {"level", res.Levels}, {"type", res.Types}} {
				for _, c := range group.cells {
					line(res.Domain, group.by, c.Name, c.Weight, c.Mean)
				}
			}
			passes(res.Domain, res.Passes)
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return err
	}
	return out.Error()
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
