package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/fmsop/fmsop/rubric"
)

// Rate is how many tasks of a domain an agent passed, in the first run of each.
type Rate struct {
	Agent     string // the model, and how it worked
	Domain    string
	Passed    int
	Tasks     int
	Generated bool // the tasks are none of SOPBench
	Unjudged  int  // tasks without a verdict, which Tasks leaves out
	// Parts are the tasks apart by what training has shown, all agents' in the
	// same order; nil where that is not known.
	Parts []Part
}

// Part is some of the tasks.
type Part struct {
	Name          string
	Passed, Tasks int
}

// PassTable is pass rates by agent and domain, in %, those that were measured
// first, then those that are published.
type PassTable struct {
	Judge string `json:"judge"`
	// Trained is the dataset that the agents were trained on; "" where that is
	// not known.
	Trained string    `json:"trained_on"`
	Domains []string  `json:"domains"`
	Rows    []PassRow `json:"rows"`
}

// PassRow is an agent, or a part of its tasks.
type PassRow struct {
	Agent string `json:"agent"`
	// Source is where a published row is from; "" for one that was measured.
	Source string     `json:"source"`
	Part   string     `json:"part"`  // "" for all tasks
	Tasks  int        `json:"tasks"` // that the rates are over; of all domains
	Cells  []PassCell `json:"cells"` // by domain, as in PassTable.Domains
	// Mean is that over the seven domains of SOPBench, Overall the rate over all
	// tasks, of a published row what is published; null where a domain is missing.
	Mean    *float64 `json:"mean"`
	Overall *float64 `json:"overall"`
	// Borda is the count (rubric.Borda) among the nine models of the paper and
	// the measured ones that were judged on all tasks; NoBorda says why there is
	// none. PublishedBorda is the count among the nine alone, as published.
	Borda          *float64 `json:"borda"`
	NoBorda        string   `json:"no_borda,omitempty"`
	PublishedBorda *float64 `json:"published_borda"`
}

// PassCell is one rate; null where there is none.
type PassCell struct {
	Rate     *float64         `json:"rate"`     // in %
	Interval *rubric.Interval `json:"interval"` // of the rate in %; none of published ones
	Passed   int              `json:"passed"`
	Tasks    int              `json:"tasks"`
	Unjudged int              `json:"unjudged"`
}

// Measured tells whether the row is ours.
func (r *PassRow) Measured() bool { return r.Source == "" }

// PassRates lays rates out beside the published ones. Agents stand in the
// order in which they come; it is an error if one comes twice in a domain.
func PassRates(judge, trained string, rates []Rate) (*PassTable, error) {
	t := &PassTable{Judge: judge, Trained: trained}
	for _, d := range SOPBench {
		t.Domains = append(t.Domains, d.Domain)
	}
	var agents []string
	for _, r := range rates {
		if !slices.Contains(t.Domains, r.Domain) {
			t.Domains = append(t.Domains, r.Domain)
		}
		if !slices.Contains(agents, r.Agent) {
			agents = append(agents, r.Agent)
		}
	}
	for _, agent := range agents {
		rows, err := t.measured(agent, rates)
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, rows...)
	}
	t.publish()
	return t, t.count()
}

// measured are the rows of an agent: all tasks, then the parts.
func (t *PassTable) measured(agent string, rates []Rate) ([]PassRow, error) {
	row := func(part string) PassRow {
		return PassRow{Agent: agent, Part: part, Cells: make([]PassCell, len(t.Domains))}
	}
	rows, generated := []PassRow{row("")}, false
	for _, r := range rates {
		if r.Agent != agent {
			continue
		}
		at := slices.Index(t.Domains, r.Domain)
		if c := rows[0].Cells[at]; c.Tasks+c.Unjudged > 0 {
			return nil, fmt.Errorf("two rates of %s in %s", agent, r.Domain)
		}
		generated = generated || r.Generated
		rows[0].Cells[at] = cell(r.Passed, r.Tasks, r.Unjudged)
		for i, p := range r.Parts {
			if len(rows) <= i+1 {
				rows = append(rows, row(p.Name))
			}
			rows[i+1].Cells[at] = cell(p.Passed, p.Tasks, 0)
		}
	}
	for i := range rows {
		if rows[i].conclude(); generated {
			rows[i].NoBorda = "generated tasks"
		}
	}
	return rows, nil
}

func cell(passed, tasks, unjudged int) PassCell {
	c := PassCell{Passed: passed, Tasks: tasks, Unjudged: unjudged}
	if tasks > 0 {
		i := rubric.Wilson(passed, tasks)
		c.Rate, c.Interval = new(percent(passed, tasks)), &rubric.Interval{Low: 100 * i.Low, High: 100 * i.High}
	}
	return c
}

// percent keeps two decimals, as published rates do, so that equal shares tie.
func percent(passed, tasks int) float64 {
	return math.Round(10000*float64(passed)/float64(tasks)) / 100
}

// conclude adds what is over all domains.
func (r *PassRow) conclude() {
	passed, sum, whole := 0, 0.0, true
	for i, c := range r.Cells {
		passed += c.Passed
		r.Tasks += c.Tasks
		switch {
		case i >= len(SOPBench):
		case c.Rate == nil:
			whole = false
		default:
			sum += *c.Rate
		}
	}
	if whole {
		r.Mean, r.Overall = new(sum/float64(len(SOPBench))), new(percent(passed, r.Tasks))
	}
}

func (t *PassTable) publish() {
	for _, p := range published {
		r := PassRow{Agent: p.model, Source: PublishedIn, Cells: make([]PassCell, len(t.Domains))}
		if p.mode != "" {
			r.Agent += " (" + p.mode + ")"
		}
		for i, rate := range p.rates {
			tasks := SOPBench[i].Tasks
			if p.own {
				tasks = ownTasks[i]
			}
			r.Cells[i] = PassCell{Rate: new(rate), Tasks: tasks}
		}
		r.conclude()
		r.Overall = new(p.overall)
		if p.borda > 0 {
			r.PublishedBorda = new(p.borda)
		}
		if !p.counted {
			r.NoBorda = "not among the nine models that the paper counts"
		}
		t.Rows = append(t.Rows, r)
	}
}

// count fills in the Borda counts.
func (t *PassTable) count() error {
	rates := map[string]map[string]float64{}
	key := func(r *PassRow) string { return r.Source + "\x00" + r.Agent }
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Measured() && r.NoBorda == "" {
			r.NoBorda = r.incomplete()
		}
		if r.NoBorda == "" {
			rates[key(r)] = map[string]float64{}
			for k, d := range SOPBench {
				rates[key(r)][d.Domain] = *r.Cells[k].Rate
			}
		}
	}
	counts, err := rubric.Borda(rates)
	if err != nil {
		return err
	}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.NoBorda == "" {
			r.Borda = new(counts[key(r)])
		}
	}
	return nil
}

// incomplete is why a measured row is not counted; "" where it is.
func (r *PassRow) incomplete() string {
	if r.Part != "" {
		return "only of all tasks"
	}
	domains := 0
	for i, d := range SOPBench {
		switch c := r.Cells[i]; c.Tasks {
		case d.Tasks:
			domains++
		case 0:
		default:
			return fmt.Sprintf("%d of the %d tasks of %s", c.Tasks, d.Tasks, d.Domain)
		}
	}
	if domains < len(SOPBench) {
		return fmt.Sprintf("%d of the %d domains", domains, len(SOPBench))
	}
	return ""
}
