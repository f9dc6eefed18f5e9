package recheck

import (
	"fmt"
	"strings"
)

// columnNames are the headings of the columns, two for each.
var columnNames = map[string]string{
	"No.": "number", "#": "number", "Required of the request": "rule", "Must hold": "rule",
	"End with": "end", "Closing call": "end", "As soon as": "when", "Due when": "when",
	"Condition": "condition", "Fact": "condition", "Meaning": "meaning", "In words": "meaning",
	"Found out with": "source", "Established by": "source", "Possible only where": "depends", "Presupposes": "depends",
	"Measure": "measure", "Exact test": "measure", "Call": "call", "System call": "call",
	"What it does": "does", "Purpose of the call": "does", "Takes": "takes", "Parameters": "takes",
	"Allowed only if": "requires", "Requirement": "requires", "True once it has succeeded": "effect", "After success": "effect",
	"Figure": "value", "Value": "value", "Unit": "unit", "Counted in": "unit", "Stands for": "stands", "Description": "stands",
	"Never true together": "excludes", "At most one is true": "excludes",
}

const (
	cellNone    = "–"
	cellRequest = "the request itself, no call"
	cellRules   = "all requirements of the request are met"
	cellFailed  = "they can no longer all be met"
)

// tables reads a document whose rules stand in tables, a row a statement.
func (d *document) tables(text string) error {
	for _, s := range sections(text) {
		if s.free() {
			continue
		}
		var columns []string
		for _, it := range s.items {
			if !strings.HasPrefix(it.text, "|") {
				if err := d.statements([]*item{it}); err != nil {
					return err
				}
				continue
			}
			if strings.Trim(it.text, "|-") == "" {
				continue
			}
			cells := strings.Split(strings.Trim(it.text, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if columns == nil {
				for _, cell := range cells {
					if columnNames[cell] == "" {
						return fmt.Errorf("line %d: unknown column %q", it.number, cell)
					}
					columns = append(columns, columnNames[cell])
				}
				continue
			}
			if len(cells) != len(columns) {
				return fmt.Errorf("line %d: %d cells, want %d", it.number, len(cells), len(columns))
			}
			row := map[string]string{}
			for i, column := range columns {
				row[column] = cells[i]
			}
			if err := d.row(row); err != nil {
				return fmt.Errorf("line %d: %q: %w", it.number, clip(it.text), err)
			}
		}
	}
	return nil
}

func (d *document) row(row map[string]string) error {
	if rule, is := row["rule"]; is {
		t, err := d.cell(ruleWords, rule)
		d.demands = append(d.demands, t)
		return err
	}
	if list, is := row["excludes"]; is {
		c, s := &clause{rest: list}, said{}
		err := c.slot("names", &s)
		d.excludes = append(d.excludes, s.names)
		if err == nil && c.rest != "" {
			err = fmt.Errorf("it goes on with %q", c.rest)
		}
		return err
	}
	subject, cell := "", ""
	for _, column := range []string{"end", "condition", "call", "value"} {
		if row[column] != "" {
			subject, cell = column, row[column]
		}
	}
	c := &clause{rest: cell}
	name, err := c.ticked()
	if err != nil || c.rest != "" {
		return fmt.Errorf("no name in the row")
	}
	switch subject {
	case "end":
		if want := []string{cellRules, cellFailed}; len(d.outcomes) > 1 || row["when"] != want[len(d.outcomes)] {
			return fmt.Errorf("no end that is wanted here")
		}
		d.outcomes = append(d.outcomes, ending{end: name})
		return nil
	case "value":
		return d.takeValue(said{name: name, end: row["unit"], words: row["stands"]})
	case "condition":
		return d.conditionRow(name, row)
	}
	return d.callRow(name, row)
}

func (d *document) conditionRow(name string, row map[string]string) error {
	if row["meaning"] != cellNone {
		d.gloss(name, "fact", false, row["meaning"])
	}
	source, err := leafOf(conversation), error(nil)
	if row["source"] != cellRequest {
		source, err = d.cell(callWords, row["source"])
	}
	if err == nil {
		err = put(d.established, name, source)
	}
	if measure := row["measure"]; err == nil && measure != "" && measure != cellNone {
		c, s := &clause{rest: measure}, said{}
		if err = c.slot("formula", &s); err == nil {
			s.name = name
			err = d.takeMeasure(s)
		}
	}
	if depends := row["depends"]; err == nil && depends != "" && depends != cellNone {
		var t *tree
		if t, err = d.cell(factWords, depends); err == nil {
			err = put(d.depends, name, t)
		}
	}
	return err
}

func (d *document) callRow(name string, row map[string]string) error {
	if row["does"] != cellNone {
		d.gloss(name, "call", false, row["does"])
	}
	var t *tree
	var err error
	switch rule := row["requires"]; {
	case rule == cellRules && (name != d.goal || d.ruled):
		return fmt.Errorf("%q takes the rules of the goal", name)
	case rule == cellRules:
		d.ruled = true
	case rule == cellNone:
		err = put(d.requires, name, nil)
	default:
		if t, err = d.cell(ruleWords, rule); err == nil {
			err = put(d.requires, name, t)
		}
	}
	if effect := row["effect"]; err == nil && effect != "" && effect != cellNone {
		if t, err = d.cell(factWords, effect); err == nil {
			err = d.takeEffect(said{name: name, tree: t})
		}
	}
	return err
}

func (d *document) cell(w *treeWords, text string) (*tree, error) {
	c := &clause{rest: text, glosses: map[string][]gloss{}}
	t, err := c.tree(w, 0, 0)
	if err == nil && c.rest != "" {
		err = fmt.Errorf("it goes on with %q", clip(c.rest))
	}
	for name, list := range c.glosses {
		for _, g := range list {
			d.gloss(name, g.kind, g.not, g.words)
		}
	}
	return t, err
}
