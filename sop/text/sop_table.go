package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// A column of the table style has one meaning under several headings.
var sopColumns = map[string][]string{
	"no":        {"No.", "#"},
	"rule":      {"Required of the request", "Must hold"},
	"end":       {"End with", "Closing call"},
	"when":      {"As soon as", "Due when"},
	"condition": {"Condition", "Fact"},
	"meaning":   {"Meaning", "In words"},
	"source":    {"Found out with", "Established by"},
	"depends":   {"Possible only where", "Presupposes"},
	"measure":   {"Measure", "Exact test"},
	"call":      {"Call", "System call"},
	"does":      {"What it does", "Purpose of the call"},
	"takes":     {"Takes", "Parameters"},
	"requires":  {"Allowed only if", "Requirement"},
	"effect":    {"True once it has succeeded", "After success"},
	"value":     {"Figure", "Value"},
	"unit":      {"Unit", "Counted in"},
	"stands":    {"Stands for", "Description"},
	"excludes":  {"Never true together", "At most one is true"},
}

// sopColumnOf is the column of every heading.
var sopColumnOf = func() map[string]string {
	of := map[string]string{}
	for column, headings := range sopColumns {
		for _, h := range headings {
			of[h] = column
		}
	}
	return of
}()

const (
	cellNone    = "–"
	cellRequest = "the request itself, no call"
	cellMet     = "all requirements of the request are met"
	cellUnmet   = "they can no longer all be met"
	cellElse    = "every outcome listed before it is ruled out"
)

func (w *sopWriter) tables() {
	w.opening("Decision table: {}", "{} in tables", "Procedure tables: {}")
	w.scope()
	if w.plain {
		var rows [][]string
		for i, rule := range w.rules {
			rows = append(rows, []string{strconv.Itoa(i + 1), w.trees.inline(rule, ruleTree)})
		}
		w.table("no rule", rows, "Requirements", "Requirements of the request")
		w.table("end when", [][]string{{"`" + w.v.Goal + "`", cellMet}, {"`" + w.v.Outcomes[1].End + "`", cellUnmet}}, "Ends", "How the request ends")
	} else {
		var rows [][]string
		for i, o := range w.v.Outcomes {
			when := cellElse
			if o.Tree != nil {
				when = w.trees.inline(o.Tree, ruleTree)
			}
			rows = append(rows, []string{strconv.Itoa(i + 1), "`" + o.End + "`", when})
		}
		w.table("no end when", rows, "Outcomes", "How the case ends")
	}
	parts := []func(){w.conditionTable, w.callTable}
	w.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for _, part := range parts {
		part()
	}
	var rows [][]string
	for _, value := range w.values() {
		rows = append(rows, []string{"`" + value + "`", sopUnit(w.v.Values[value].Unit), w.valueWords(value)})
	}
	w.table("value unit stands", rows, "Figures", "Values")
	rows = nil
	for _, set := range w.v.Excludes {
		rows = append(rows, []string{"`" + strings.Join(set, "`, `") + "`"})
	}
	w.table("excludes", rows, "Exclusions", "What excludes what")
}

func (w *sopWriter) conditionTable() {
	var rows [][]string
	for _, c := range w.conds {
		row := []string{"`" + c + "`", cellNone, cellRequest, cellNone, cellNone}
		use := w.v.Conditions[c]
		if use != nil {
			row[1] = sopPlainWords(use.Text)
		}
		if t := w.v.EstablishedBy[c]; t.Op != sop.Leaf || t.Name != sop.Conversation {
			row[2] = w.trees.inline(t, callTree)
		}
		if use != nil && use.Compare != nil {
			row[3] = sopMeasure(w.v, c) + " (`" + use.Compare.String() + "`)"
		}
		if t := w.v.DependsOn[c]; t != nil {
			row[4] = w.trees.inline(t, factTree)
		}
		rows = append(rows, row)
	}
	w.table("condition meaning source measure depends", rows, "Conditions", "Facts and how they are established")
}

func (w *sopWriter) callTable() {
	var rows [][]string
	for _, c := range w.calls {
		row := []string{"`" + c + "`", cellNone, cellNone, cellNone, cellNone}
		if use := w.v.Calls[c]; use != nil {
			row[1] = sopPlainWords(use.Text)
			if p := w.parameters(c); p != "" {
				row[2] = p
			}
		}
		if t := w.v.Requires[c]; w.plain && c == w.v.Goal {
			row[3] = cellMet
		} else if t != nil {
			row[3] = w.trees.inline(t, ruleTree)
		}
		if t := sopEffectTree(w.v.Effects[c]); t != nil {
			row[4] = w.trees.inline(t, factTree)
		}
		rows = append(rows, row)
	}
	w.table("call does takes requires effect", rows, "Calls", "System calls")
}

// table leaves out the columns that hold nothing, but for the first three.
func (w *sopWriter) table(columns string, rows [][]string, headings ...string) {
	if len(rows) == 0 {
		return
	}
	var keep []int
	keys := strings.Fields(columns)
	for i, key := range keys {
		used := i < 3 || key == "requires"
		for _, row := range rows {
			used = used || row[i] != cellNone
		}
		if used {
			keep = append(keep, i)
		}
	}
	w.heading(headings...)
	head, rule := "|", "|"
	for _, i := range keep {
		head += " " + sopPick(w.rng, sopColumns[keys[i]]) + " |"
		rule += "---|"
	}
	w.line(head)
	w.line(rule)
	for _, row := range rows {
		line := "|"
		for _, i := range keep {
			line += " " + row[i] + " |"
		}
		w.line(line)
	}
}

func readSopTables(f *sopFile, text string) error {
	for _, s := range sopSections(text) {
		if s.free() {
			continue
		}
		var columns []string
		for _, l := range s.lines {
			row, isRow := strings.CutPrefix(l.text, "|")
			if !isRow {
				if err := f.lines([]*sopLine{l}); err != nil {
					return err
				}
				continue
			}
			if strings.Trim(row, "-| :") == "" {
				continue
			}
			cells := strings.Split(strings.TrimSuffix(row, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			var err error
			if columns == nil {
				columns, err = sopTableHead(cells)
			} else {
				err = f.row(l, columns, cells)
			}
			if err != nil {
				return l.wrap(err)
			}
		}
	}
	return nil
}

func sopTableHead(cells []string) ([]string, error) {
	var columns []string
	for _, cell := range cells {
		found := sopColumnOf[cell]
		if found == "" {
			return nil, fmt.Errorf("has the column %q, want columns such as Condition, Call, Found out with, Requirement", sopExcerpt(cell))
		}
		columns = append(columns, found)
	}
	return columns, nil
}

// row reads one row as the statements that the other styles make of it.
func (f *sopFile) row(l *sopLine, columns, cells []string) error {
	if len(cells) != len(columns) {
		return fmt.Errorf("has %d cells, want %d", len(cells), len(columns))
	}
	cell := map[string]string{}
	for i, c := range columns {
		cell[c] = cells[i]
	}
	if rule, ok := cell["rule"]; ok {
		t, err := cellTree(rule, ruleTree)
		f.rules = append(f.rules, t)
		return err
	}
	if set, ok := cell["excludes"]; ok {
		said := &sopSaid{kind: sayExcludes, line: l, names: map[string]string{}}
		if rest, _, err := said.slot("names", set); err != nil || rest != "" {
			return fmt.Errorf("has %q, want identifiers in backticks with commas between", sopExcerpt(set))
		}
		return f.add(said)
	}
	name, rest, err := sopTicked(cells[0])
	for _, key := range []string{"end", "condition", "call", "value"} {
		if c, ok := cell[key]; ok {
			name, rest, err = sopTicked(c)
		}
	}
	if err != nil || rest != "" {
		return fmt.Errorf("names nothing in its first cells, want an identifier in backticks")
	}
	switch {
	case cell["end"] != "":
		return f.endRow(name, cell["when"])
	case cell["condition"] != "":
		return f.conditionRow(name, cell)
	case cell["call"] != "":
		return f.callRow(name, cell)
	case cell["value"] != "":
		return sopPut(f.Units, name, sopReadUnit(cell["unit"]))
	}
	return fmt.Errorf("belongs to no table of an SOP, want one of rules, ends, conditions, calls, values, exclusions")
}

func (f *sopFile) endRow(end, when string) error {
	o := sop.Outcome{End: end}
	switch when {
	case cellMet, cellUnmet:
		f.plain = true
		if (when == cellMet) != (len(f.Graph.Outcomes) == 0) {
			return fmt.Errorf("has its end out of place, want first the one for %q", cellMet)
		}
	case cellElse:
	default:
		t, err := cellTree(when, ruleTree)
		if err != nil {
			return err
		}
		o.Tree = t
	}
	f.Graph.Outcomes = append(f.Graph.Outcomes, o)
	return nil
}

func (f *sopFile) conditionRow(name string, cell map[string]string) error {
	source := sop.L(sop.Conversation)
	var err error
	if cell["source"] != cellRequest {
		if source, err = cellTree(cell["source"], callTree); err != nil {
			return err
		}
	}
	if err := sopPut(f.Graph.EstablishedBy, name, source); err != nil {
		return err
	}
	if c := cell["measure"]; c != "" && c != cellNone {
		said := &sopSaid{}
		if rest, _, err := said.slot("formula", c); err != nil || rest != "" {
			return fmt.Errorf("has the measure %q, want words and (`formula`)", sopExcerpt(c))
		}
		f.Comparisons[name] = said.formula
	}
	if c := cell["depends"]; c != "" && c != cellNone {
		f.Graph.DependsOn[name], err = cellTree(c, factTree)
	}
	return err
}

func (f *sopFile) callRow(name string, cell map[string]string) error {
	var err error
	switch c := cell["requires"]; c {
	case cellMet:
		err = f.ruled(name)
	case cellNone:
		err = sopPut(f.Graph.Requires, name, nil)
	default:
		var t *sop.Tree
		if t, err = cellTree(c, ruleTree); err == nil {
			err = sopPut(f.Graph.Requires, name, t)
		}
	}
	if c := cell["effect"]; err == nil && c != "" && c != cellNone {
		var t *sop.Tree
		if t, err = cellTree(c, factTree); err == nil {
			f.Graph.Effects[name], err = sopEffects(t)
		}
	}
	return err
}

func cellTree(s string, use treeUse) (*sop.Tree, error) {
	r := &treeReader{rest: s, use: use}
	t, err := r.tree(0, 0)
	if err == nil {
		err = r.end()
	}
	return t, err
}
