package report

import (
	_ "embed"
	"html/template"
	"slices"

	"github.com/fmsop/fmsop/rubric"
)

//go:embed judge.html
var judgeHTML string

// The template "judges" takes a Summary.
var _ = template.Must(page.New("judge.html").Funcs(template.FuncMap{"share": share}).Parse(judgeHTML))

// symbolic is the scorer that needs no check.
const symbolic = "symbolic"

// Unmeasured tells whether the scores are those of a judge that was not held
// against what is known.
func (s *Summary) Unmeasured() bool {
	return s.Scorer != symbolic && !slices.ContainsFunc(s.JudgeChecks, func(c *rubric.JudgeCheck) bool { return c.Judge == s.Scorer })
}

// share is a bar: right answers that pass and wrong ones that do have two
// colours.
func share(o rubric.OperatorCheck) template.HTML {
	colour := 1
	if o.Right {
		colour = 2
	}
	return bar(colour, rubric.Mean{Value: o.Passed.Value, Interval: o.Passed.Interval})
}
