package report

import (
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
)

//go:embed passrates.html
var passRatesHTML string

var passRates = template.Must(template.Must(template.New("passrates").Funcs(template.FuncMap{
	"palette": colours, "shades": shades, "plain": plain, "join": strings.Join, "warm": warm,
	"rate":  func(f *float64) string { return fmt.Sprintf("%.2f", *f) },
	"tasks": tasksOf, "all": allTasks, "own": func() int { return sum(ownTasks[:]) }, "ownShares": ownShares,
}).Parse(styleHTML)).Parse(passRatesHTML))

// PassRatesHTML writes one self-contained page, as HTML does.
func PassRatesHTML(w io.Writer, t *PassTable) error { return passRates.Execute(w, t) }

// PassRatesJSON writes the table as one indented object.
func PassRatesJSON(w io.Writer, t *PassTable) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(t)
}

// PassRatesCSV writes one line for each rate of a row: by domain, the mean, the
// overall rate, and the Borda counts. What there is not is left out.
func PassRatesCSV(w io.Writer, t *PassTable) error {
	lines := [][]string{{"agent", "source", "part", "domain", "by", "value", "interval_low", "interval_high", "passed", "tasks", "unjudged"}}
	for _, r := range t.Rows {
		line := func(domain, by string, value *float64, rest ...string) {
			if value != nil {
				rest = append(rest, make([]string, 5-len(rest))...)
				lines = append(lines, append([]string{r.Agent, r.Source, r.Part, domain, by, number(*value)}, rest...))
			}
		}
		for i, c := range r.Cells {
			low, high, passed := "", "", ""
			if c.Interval != nil {
				low, high, passed = number(c.Interval.Low), number(c.Interval.High), strconv.Itoa(c.Passed)
			}
			line(t.Domains[i], "rate", c.Rate, low, high, passed, strconv.Itoa(c.Tasks), strconv.Itoa(c.Unjudged))
		}
		line("", "mean", r.Mean)
		line("", "overall", r.Overall, "", "", "", strconv.Itoa(r.Tasks))
		line("", "borda", r.Borda)
		line("", "borda published", r.PublishedBorda)
	}
	out := csv.NewWriter(w)
	if err := out.WriteAll(lines); err != nil {
		return err
	}
	return out.Error()
}

// Source is where the published rows are from.
func (t *PassTable) Source() string { return PublishedIn }

// Whole are the rows over all tasks, Parted those over a part of them.
func (t *PassTable) Whole() []*PassRow  { return t.rows(false) }
func (t *PassTable) Parted() []*PassRow { return t.rows(true) }

func (t *PassTable) rows(parted bool) (rows []*PassRow) {
	for i := range t.Rows {
		if r := &t.Rows[i]; (r.Part != "") == parted {
			rows = append(rows, r)
		}
	}
	return rows
}

// Counted are the measured agents that have a Borda count.
func (t *PassTable) Counted() (agents []string) {
	for _, r := range t.Rows {
		if r.Measured() && r.Borda != nil {
			agents = append(agents, r.Agent)
		}
	}
	return agents
}

// Uncounted are the measured agents that have none.
func (t *PassTable) Uncounted() (rows []*PassRow) {
	for _, r := range t.Whole() {
		if r.Measured() && r.Borda == nil {
			rows = append(rows, r)
		}
	}
	return rows
}

// Partial tells of a published row that is over some of the tasks.
func (r *PassRow) Partial() bool { return r.Tasks != allTasks() }

// warm is the class of a rate's shade.
func warm(rate *float64) string {
	if rate == nil {
		return "none"
	}
	return fmt.Sprintf("h%d", min(heatSteps-1, int(*rate*heatSteps/100)))
}

// tasksOf counts the tasks of SOPBench in a domain; 0 in others.
func tasksOf(domain string) int {
	for _, d := range SOPBench {
		if d.Domain == domain {
			return d.Tasks
		}
	}
	return 0
}

func allTasks() (n int) {
	for _, d := range SOPBench {
		n += d.Tasks
	}
	return n
}

// ownShares lists the denominators of the paper's own rows.
func ownShares() string {
	list := make([]string, len(ownTasks))
	for i, n := range ownTasks {
		list[i] = fmt.Sprintf("%d %s", n, plain(SOPBench[i].Domain))
	}
	return strings.Join(list, ", ")
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}
