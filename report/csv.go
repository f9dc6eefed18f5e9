package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/fmsop/fmsop/rubric"
)

// CSV writes one line for each mean: of a domain as a whole, of each of its
// dimensions, levels and types.
func CSV(w io.Writer, s *Summary) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"model", "scorer", "domain", "by", "name", "weight", "value", "low_bound", "high_bound",
		"interval_low", "interval_high", "no_interval", "questions", "scored", "unscored"}}
	for _, m := range s.Models {
		for _, res := range m.Results {
			line := func(by, name string, weight float64, mean rubric.Mean) {
				low, high := "", ""
				if mean.Interval != nil {
					low, high = number(mean.Interval.Low), number(mean.Interval.High)
				}
				value := ""
				if mean.Value != nil {
					value = number(*mean.Value)
				}
				lines = append(lines, []string{m.Name, s.Scorer, res.Domain, by, name, number(weight), value, number(mean.Low), number(mean.High),
					low, high, mean.NoInterval, strconv.Itoa(mean.Questions), strconv.Itoa(mean.Scored), strconv.Itoa(mean.Unscored)})
			}
			line("domain", res.Domain, 1, res.Final)
			for _, group := range []struct {
				by    string
				cells []rubric.Cell
			}{{"dimension", res.Dimensions}, {"level", res.Levels}, {"type", res.Types}} {
				for _, c := range group.cells {
					line(group.by, c.Name, c.Weight, c.Mean)
				}
			}
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return err
	}
	return out.Error()
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }
