package reading

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop/document"
)

// Passage is the sentences of a document that stand together, in order.
type Passage struct {
	Section   string // empty where they stand outside the procedure
	Sentences []Sentence
}

// Sentence is one that can be quoted.
type Sentence struct {
	Text string
	Read bool // something was read of it, with certainty
}

// Passages returns all sentences of the document, as they stand; none where it
// was no document but pseudo-code.
func (r *Result) Passages() (list []Passage) {
	if r.outline == nil {
		return nil
	}
	known := map[string]bool{}
	for _, x := range r.Readings {
		if x.Certain && x.Kind != Remark && x.Kind != Tool || x.Verdict == Accepted {
			known[x.Source+x.Quote] = true
		}
	}
	current := -1
	for _, s := range r.outline.placed() {
		if s.place > 0 && (current < 0 || list[current].Section != s.section) || current < 0 {
			list, current = append(list, Passage{Section: s.section}), current+1
		}
		list[current].Sentences = append(list[current].Sentences, Sentence{s.text, known[r.source(s.sentence)+s.text]})
	}
	return list
}

// Sections returns the names of the procedure's sections, in order.
func (r *Result) Sections() (list []string) {
	if r.outline == nil {
		return nil
	}
	for _, s := range r.outline.sections {
		if id := s.id(); id != "" && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// placed is a sentence with its section and its place in the procedure, from
// 1; 0 where it stands outside of it.
type placed struct {
	sentence
	section string
	place   int
}

// spot tells sentences apart.
type spot struct {
	line int
	text string
}

// placed lists all sentences, and the rows of tables behind them.
func (o *outline) placed() []placed {
	if o.places != nil {
		return o.places
	}
	of := map[spot]placed{}
	var rows []placed
	for _, s := range o.sections {
		for _, x := range s.sentences {
			if at := (spot{x.line, x.text}); of[at].place == 0 {
				of[at] = placed{x, s.id(), len(of) + len(rows) + 1}
			}
		}
		for _, t := range s.tables {
			for _, row := range t.Rows[min(1, len(t.Rows)):] {
				rows = append(rows, placed{inTable(row), s.id(), len(of) + len(rows) + 1})
			}
		}
	}
	for _, x := range o.all {
		p, ok := of[spot{x.line, x.text}]
		if !ok {
			p = placed{sentence: x}
		}
		o.places = append(o.places, p)
	}
	o.places = append(o.places, rows...)
	o.placeAt = map[spot]int{}
	for _, p := range o.places {
		o.placeAt[spot{p.line, p.text}] = p.place
		o.placeAt[spot{line: p.line}] = p.place
	}
	return o.places
}

func inTable(row document.Row) sentence {
	return sentence{line: row.Line, ordinal: 1, text: oneLine(strings.Join(row.Cells, " | "))}
}

// placeOf is the place of what a reading quotes, or of what else stands on its
// line: a row of a table is not quoted whole.
func (o *outline) placeOf(x *Reading) int {
	o.placed()
	line, _ := strconv.Atoi(x.Source[strings.LastIndexByte(x.Source, ':')+1:])
	if place, ok := o.placeAt[spot{line, x.Quote}]; ok {
		return place
	}
	return o.placeAt[spot{line: line}]
}

func (r *Result) source(s sentence) string { return r.File + ":" + strconv.Itoa(s.line) }

// index is where the section of that name stands, or -1.
func (o *outline) index(id string) int {
	return slices.IndexFunc(o.sections, func(s *section) bool { return s.id() == id })
}

// unmarked drops the marks that models leave out of quotes.
var unmarked = strings.NewReplacer("*", "", "`", "")

// quoted finds the sentence that has the quote word for word, whatever the
// white space: the first of which nothing was read with certainty, else the
// first.
func (r *Result) quoted(x *Reading) (found placed, err error) {
	quote := oneLine(unmarked.Replace(x.Quote))
	if r.outline == nil || len(strings.Fields(quote)) < minQuote {
		return placed{}, refuse(refusedAstray, "“%s”", short(x.Quote))
	}
	for _, s := range r.outline.placed() {
		if !strings.Contains(oneLine(unmarked.Replace(s.text)), quote) {
			continue
		}
		if found.line == 0 {
			found = s
		}
		if source := r.source(s.sentence); !slices.ContainsFunc(r.Readings, func(y *Reading) bool { return y.Certain && y.Source == source && y.Quote == s.text }) {
			return s, nil
		}
	}
	if found.line == 0 {
		return placed{}, refuse(refusedAstray, "“%s”", short(x.Quote))
	}
	return found, nil
}
