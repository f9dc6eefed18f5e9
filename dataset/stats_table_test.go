package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTableFits(t *testing.T) {
	long := strings.Repeat("check_the_owner_of_the_account_", 5)
	var rows []Row
	for i := range 40 {
		r := of(long, choice(i, long+" deny", "a "+long, "b deny", "c", "d"))
		for j := range r.Negatives {
			r.Negatives[j].Operator, r.Negatives[j].Violation = fmt.Sprint(long, j%7), fmt.Sprint("kind_of_fault_", i)
		}
		rows = append(rows, r)
	}
	next := choice(50, "x", "y")
	next.View = ViewNextAction
	s := NewStats(1)
	for _, r := range append(rows, next) {
		s.Add(&r)
	}
	s.AddDrop(Drop{Reason: ReasonEditWrong, Detail: long, Count: 1 << 30})
	table := s.Report().Table(false)
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		if n := utf8.RuneCountInString(line); n > tableWidth {
			t.Errorf("line %q has %d columns, want at most %d", line, n, tableWidth)
		}
	}
	for _, want := range []string{"stage 2\n", "stage 2, workflow\n", "stage 2, next_action\n", "naive edits\n", "–", "LEAK"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	colored := s.Report().Table(true)
	for _, code := range slices.Sorted(maps.Values(markColors)) {
		colored = strings.ReplaceAll(colored, code, "")
	}
	if strings.ReplaceAll(colored, "\x1b[0m", "") != table {
		t.Errorf("the table differs in more than its colours:\n%s", colored)
	}
}
