package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
)

//go:embed page.html
var pageHTML string

// The template "style" takes nothing; every page has it.
//
//go:embed style.html
var styleHTML string

var page = template.Must(template.Must(template.New("page").Funcs(template.FuncMap{
	"palette": colours, "shades": shades,
	"radar": radar, "bar": bar, "mean": mean, "interval": interval, "heat": heat, "plain": plain, "pvalue": pvalue,
	"colour": func(k int) int { return k % palette }, "signed": func(f float64) string { return fmt.Sprintf("%+.3f", f) },
	"join": strings.Join, "count": count, "two": func(f *float64) string { return fmt.Sprintf("%.2f", *f) },
}).Parse(styleHTML)).Parse(pageHTML))

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
	return fmt.Sprintf("%.2f–%.2f", m.Interval.Low, m.Interval.High)
}

// count writes 1 domain, 2 domains.
func count(n int, singular string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %ss", n, singular)
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

// colours numbers those of models.
func colours() []int {
	list := make([]int, palette)
	for i := range list {
		list[i] = i
	}
	return list
}

// shades are the opacities of the heat map, from low to high. They stay light
// enough for text over them to be read.
func shades() []string {
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

// AnyUnscored tells whether some answer is unscored.
func (s *Summary) AnyUnscored() bool {
	return slices.ContainsFunc(s.Models, func(m ModelSummary) bool { return m.Overall.Unscored > 0 })
}
