package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/fmsop/fmsop/bench"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/rubric"
)

func trainedFlag(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, "trained-on", "", "`DIR`, the dataset that the models were trained on")
}

// exposure is what the training part of a dataset folder shows; nil without a
// folder.
func exposure(dir string) (*bench.Exposure, error) {
	if dir == "" {
		return nil, nil
	}
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	e := &bench.Exposure{}
	for _, x := range m.Exposure {
		e.Add(x.Domain, x.Goal, x.Source)
	}
	return e, nil
}

func (a *app) printTally(path string, t *bench.Tally, mends bool) {
	if t.Judged == 0 {
		a.printf("%s: no runs\n\n", path)
		return
	}
	a.printf("%s\n  %s, %s, %s: %d runs", path, t.Domain, cmp.Or(t.Model, "no model"), cmp.Or(t.Mode, "no mode"), t.Judged)
	if t.Repeated > 0 {
		a.printf(", %d of tasks that stand there twice are left out", t.Repeated)
	}
	if t.Parts == nil {
		a.printf(", exposure unknown")
	}
	a.printf("\n")
	for k := range t.Runs {
		label := "pass rate"
		if len(t.Runs) > 1 {
			label = fmt.Sprintf("pass rate, run %d", k)
		}
		a.printPassRate(label, &t.Counts, k)
		for i, part := range bench.Parts[:len(t.Parts)] {
			a.printPassRate("  "+part.Name, &t.Parts[i], k)
		}
	}
	a.printCriteria(t)
	if t.Compared < t.Judged {
		a.printf("  %d of the runs hold no recorded evaluation\n", t.Judged-t.Compared)
	}
	for _, m := range bench.Mends {
		if items := t.Changed[m.Name]; mends && len(items) > 0 {
			a.printf("  mend %-10s %s\n    changes %d: items %s\n", m.Name, m.Text, len(items), firstItems(items))
		}
	}
	a.printf("\n")
}

func (a *app) printPassRate(label string, c *bench.Counts, run int) {
	if run >= len(c.Runs) {
		a.printf("  %-27s no runs\n", label)
		return
	}
	passed, n := c.Passed[run], c.Runs[run]
	i := rubric.Wilson(passed, n)
	a.printf("  %-27s %5.1f %%  %d of %d, between %.1f and %.1f %%\n", label, inHundred(passed, n), passed, n, 100*i.Low, 100*i.High)
}

func (a *app) printCriteria(t *bench.Tally) {
	parts := bench.Parts[:len(t.Parts)]
	if len(parts) > 0 {
		a.printf("  %-27s %7s", "", "all")
		for _, part := range parts {
			a.printf("  %s", part.Name)
		}
		a.printf("\n")
	}
	for i, name := range bench.Criteria {
		a.printf("  %-27s %5.1f %%", strings.ReplaceAll(name, "_", " "), inHundred(t.True[i], t.Judged))
		for k, part := range parts {
			share := "–"
			if n := t.Parts[k].Judged; n > 0 {
				share = fmt.Sprintf("%.1f %%", inHundred(t.Parts[k].True[i], n))
			}
			a.printf("  %*s", len(part.Name), share)
		}
		if n := len(t.Differ[i]); n > 0 {
			a.printf("  %d of %d not as recorded: items %s", n, t.Compared, firstItems(t.Differ[i]))
		}
		a.printf("\n")
	}
}

func inHundred(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// firstItems lists some of the items and counts the rest.
func firstItems(items []int) string {
	const few = 12
	var b strings.Builder
	for i, x := range items[:min(few, len(items))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, x)
	}
	if len(items) > few {
		fmt.Fprintf(&b, " and %d more", len(items)-few)
	}
	return b.String()
}
