package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

const tableWidth = 80

var markColors = map[string]string{MarkOK: "\x1b[32m", MarkWeak: "\x1b[33m", MarkLeak: "\x1b[31m", MarkFew: "\x1b[2m"}

// Table writes the report for a terminal of 80 columns: a block for every
// view, a stage with several views first as a whole. Where there is no chance
// to hold a value against, a dash stands for it.
func (r StatsReport) Table(color bool) string {
	t := &table{color: color}
	for _, stage := range r.Stages {
		if len(stage.Views) > 1 {
			t.scope(fmt.Sprintf("stage %d", stage.Stage), stage.All)
		}
		for _, v := range stage.Views {
			t.scope(fmt.Sprintf("stage %d, %s", stage.Stage, v.View), v)
		}
	}
	if len(r.Stages) == 0 {
		t.line("no rows")
	} else {
		t.line("LEAK: the right answer can be told without context in %.2f more of the groups", gainLeak)
		t.line("than by chance; weak: in %.2f more; few: too few groups to tell.", gainWeak)
		t.line("")
	}
	t.overlap(r.Overlap)
	t.edits(r.Edits)
	return t.b.String()
}

// overlap has a line for each kind of thing that the training split may have
// too.
func (t *table) overlap(o map[string]Overlap) {
	if len(o) == 0 {
		return
	}
	test, validation := o[Test], o[Validation]
	t.line("  %-32s %20s %20s", "also in train", "of test", "of validation")
	for _, k := range []struct {
		name             string
		test, validation Shared
	}{
		{"query wordings", test.Wordings, validation.Wordings}, {"subtrees of rules", test.Subtrees, validation.Subtrees},
		{"fact assignments", test.Facts, validation.Facts},
	} {
		t.line("  %-32s %20s %20s", k.name, k.test, k.validation)
	}
	t.line("")
}

type table struct {
	b     strings.Builder
	color bool
}

func (t *table) line(format string, args ...any) {
	t.b.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (t *table) scope(title string, s StatsScope) {
	about := ""
	if s.Estimated {
		about = "about "
	}
	t.line("%s", cut(title, tableWidth))
	t.list("groups", []string{
		fmt.Sprint(s.Groups), fmt.Sprintf("distinct right answers %s%d", about, s.DistinctPositives),
		fmt.Sprintf("with context %s%d", about, s.DistinctTasks),
	})
	p := s.PositivesPerProcedure
	t.list("right answers per procedure", []string{fmt.Sprintf("%d to %d", p.Min, p.Max), fmt.Sprintf("median %d", p.Median)})
	t.line("  %-48s %7s %7s %8s", "measure", "value", "chance", "groups")
	for _, m := range s.Measures {
		t.measure(s, m)
	}
	t.list("operators", shares(s.Operators))
	t.list("violations", shares(s.Violations))
	var elsewhere []string
	for _, e := range s.Elsewhere {
		elsewhere = append(elsewhere, fmt.Sprintf("%s %.0f %%", e.Operator, 100*e.Share))
	}
	t.list("right elsewhere", elsewhere)
	t.line("")
}

func (t *table) measure(s StatsScope, m Measure) {
	label, chance, mark := m.Name, "–", m.Mark
	for _, about := range measures {
		if about.name == m.Name {
			label = about.label
		}
	}
	switch m.Name {
	case measures[frequent].name:
		if s.FrequentItem != "" {
			label += ": " + s.FrequentItem
		}
	case measures[largestProcedure].name:
		label += ": " + s.LargestProcedure
	}
	if m.Chance != nil {
		chance = fmt.Sprintf("%.3f", *m.Chance)
	}
	if t.color && mark != MarkNone {
		mark = markColors[mark] + mark + "\x1b[0m"
	}
	t.line("  %-48s %7.3f %7s %8d %s", cut(label, 48), m.Value, chance, m.Groups, mark)
}

func (t *table) edits(edits []EditStats) {
	if len(edits) == 0 {
		return
	}
	t.line("naive edits")
	t.line("  %-34s %8s %14s %14s", "operator", "edits", "still correct", "only wasteful")
	for _, e := range edits {
		t.line("  %-34s %8d %12.1f %% %12.1f %%", cut(e.Operator, 34), e.Edits, 100*e.StillCorrect, 100*e.OnlyWasteful)
	}
}

// list writes the parts after the name, broken where the line is full.
func (t *table) list(name string, parts []string) {
	if len(parts) == 0 {
		return
	}
	line := "  " + name + ": "
	for i, p := range parts {
		if i < len(parts)-1 {
			p += ","
		}
		p = cut(p, tableWidth-4)
		if utf8.RuneCountInString(line)+utf8.RuneCountInString(p) > tableWidth {
			t.line("%s", line)
			line = "    "
		}
		line += p + " "
	}
	t.line("%s", line)
}

func shares(counts map[string]int) []string {
	total := 0
	for _, n := range counts {
		total += n
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%s %.0f %%", name, 100*float64(counts[name])/float64(total)))
	}
	return list
}

// cut shortens a text to the width, on one line.
func cut(s string, width int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}
