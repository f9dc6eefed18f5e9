package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/fmsop/fmsop/rubric"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"radar": radar, "bars": bars, "mean": mean, "interval": interval, "percent": percent, "heat": heat, "plain": plain,
	"add": func(a, b int) int { return a + b }, "colour": func(k int) int { return k % palette },
	"p": func(f float64) string { return fmt.Sprintf("%.3f", f) }, "pvalue": pvalue, "signed": func(f float64) string { return fmt.Sprintf("%+.3f", f) },
	"overall": overall, "join": strings.Join,
}).Parse(pageHTML))

// HTML writes one self-contained page: no script, no network. Text of corpora
// and models is escaped. The same summary gives the same bytes.
func HTML(w io.Writer, s *Summary) error {
	return page.Execute(w, map[string]any{"S": s, "Rubrics": s.rubrics})
}

func mean(m rubric.Mean) string {
	if m.Value == nil {
		return "unscored"
	}
	return fmt.Sprintf("%.2f", *m.Value)
}

func overall(m ModelSummary) string {
	if m.Overall == nil {
		return "unscored"
	}
	return fmt.Sprintf("%.3f", *m.Overall)
}

func pvalue(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// interval is a mean's interval, or why it has none.
func interval(m rubric.Mean) string {
	if m.Interval == nil {
		return m.NoInterval
	}
	return fmt.Sprintf("%.2f to %.2f", m.Interval.Low, m.Interval.High)
}

func percent(part, rest int) string {
	if part+rest == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(part+rest))
}

// heatSteps is the number of shades of the heat map.
const heatSteps = 10

// heat is the class of a cell's shade.
func heat(m rubric.Mean) string {
	if m.Value == nil {
		return "none"
	}
	return fmt.Sprintf("h%d", int(math.Min(heatSteps-1, *m.Value*heatSteps)))
}

// plain writes a name in snake_case as words.
func plain(s string) string { return strings.ReplaceAll(s, "_", " ") }

// Palette numbers the colours of models.
func (s *Summary) Palette() []int {
	list := make([]int, palette)
	for i := range list {
		list[i] = i
	}
	return list
}

// Shades are the opacities of the heat map, from low to high. They stay light
// enough for text over them to be read.
func (s *Summary) Shades() []string {
	list := make([]string, heatSteps)
	for i := range list {
		list[i] = fmt.Sprintf("%.2f", 0.04+0.5*float64(i)/float64(heatSteps-1))
	}
	return list
}

// UnscoredReason counts the answers of one model that were unscored for one
// reason.
type UnscoredReason struct {
	Model string
	rubric.Reason
}

// Unscored lists why answers are unscored, by model.
func (s *Summary) Unscored() (list []UnscoredReason) {
	for _, m := range s.Models {
		for _, res := range m.Results {
			for _, r := range res.Unscored {
				r.Reason = res.Domain + ": " + r.Reason
				list = append(list, UnscoredReason{m.Name, r})
			}
		}
	}
	return list
}
