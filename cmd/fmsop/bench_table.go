package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/fmsop/fmsop/bench"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/report"
)

// passRates collects the rates of a page from outcomes; nil collects nothing.
type passRates struct {
	page, judge, trained string

	order   []agentDomain
	tallies map[agentDomain]*bench.Tally
}

type agentDomain struct {
	agent, domain string
	generated     bool // the tasks are none of SOPBench
}

// add counts an outcome; two files on the same domain by the same agent have no
// place in one table.
func (r *passRates) add(o bench.Outcome) error {
	if r == nil {
		return nil
	}
	key := agentDomain{agentOf(&o), o.Domain, o.Generated}
	t := r.tallies[key]
	if t == nil {
		t = &bench.Tally{File: o.File}
		r.tallies[key] = t
		r.order = append(r.order, key)
	}
	if t.File != o.File {
		return fmt.Errorf("%s and %s are both of %s in %s, so one table cannot hold them: leave one out", t.File, o.File, key.agent, key.domain)
	}
	t.Add(o)
	return nil
}

// agentOf names a model with all that its rate depends on.
func agentOf(o *bench.Outcome) string {
	how := []string{cmp.Or(o.Mode, "no mode")}
	if o.Tools != "" && o.Tools != "full" {
		how = append(how, o.Tools+" tools")
	}
	if o.User != "" {
		how = append(how, "customer "+o.User)
	}
	if o.Generated {
		how = append(how, "generated tasks")
	}
	return fmt.Sprintf("%s (%s)", cmp.Or(o.Model, "no model"), strings.Join(how, ", "))
}

// writeRates writes the page, and beside it the same numbers.
func (a *app) writeRates(r *passRates) error {
	table, err := r.table()
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(r.page, filepath.Ext(r.page))
	for _, f := range []struct {
		path  string
		write func(io.Writer, *report.PassTable) error
	}{{r.page, report.PassRatesHTML}, {base + ".csv", report.PassRatesCSV}, {base + ".json", report.PassRatesJSON}} {
		if err := run.AtomicFile(f.path, func(w io.Writer) error { return f.write(w, table) }); err != nil {
			return err
		}
	}
	if !a.json {
		a.printf("report: %s\n", r.page)
	}
	return nil
}

func (r *passRates) table() (*report.PassTable, error) {
	var rates []report.Rate
	for _, key := range r.order {
		t := r.tallies[key]
		rate := report.Rate{Agent: key.agent, Domain: key.domain, Unjudged: t.Unjudged, Generated: key.generated}
		rate.Passed, rate.Tasks = t.First()
		for i := range t.Parts {
			passed, of := t.Parts[i].First()
			rate.Parts = append(rate.Parts, report.Part{Name: bench.Parts[i].Name, Passed: passed, Tasks: of})
		}
		rates = append(rates, rate)
	}
	return report.PassRates(r.judge, r.trained, rates)
}
