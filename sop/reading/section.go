package reading

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop/document"
)

// role is what a section of a document is for.
type role int

const (
	open role = iota // its title does not tell
	procedural
	defining
	outcomes // a list of how cases end
	aside    // purpose, scope, inputs, outputs and what else tells nobody to do anything in a case
)

var roles = []struct {
	role  role
	title *regexp.Regexp
}{
	{defining, regexp.MustCompile(`(?i)\b(?:definitions?|glossary|terms|terminology|lexicon|abbreviations|acronyms)\b`)},
	{outcomes, regexp.MustCompile(`(?i)\b(?:outcomes?|decision categories|final statuse?s?|dispositions?|possible results)\b`)},
	{aside, regexp.MustCompile(`(?i)^(?:\W*)(?:(?:purpose|scope|overview|introduction|background|audience|objectives?|out of scope|applicability|references?|related|resources|appendi(?:x|ces)|` +
		`revision|version|change log|changelog|document (?:control|history)|approvals?|contacts?|roles?|responsibilit|personnel|prerequisites|notes?|disclaimer|about|lessons learned|` +
		`outputs?|output format|input(?:s)?|inputs? and|required (?:documents|documentation)|materials|equipment|tools|training|records?|metrics|important)\b)`)},
	{procedural, regexp.MustCompile(`(?i)\b(?:procedures?|process|workflow|steps?|instructions|method|how to|what to do)\b`)},
}

// roleOf is the role of the section that a title opens. One that holds sections
// such as Definitions or Purpose is the document's and opens no procedure.
func roleOf(b *document.Block, inherited role) role {
	if inherited == defining || inherited == aside || inherited == procedural || inherited == outcomes {
		return inherited
	}
	r := roleByTitle(b.Text())
	if r == procedural && b.Number == "" && slices.ContainsFunc(b.Parts, func(p *document.Block) bool {
		own := roleByTitle(p.Text())
		return p.Kind == document.Title && (own == defining || own == aside)
	}) {
		return open
	}
	return r
}

func roleByTitle(title string) role {
	for _, r := range roles {
		if r.title.MatchString(title) {
			return r.role
		}
	}
	return open
}

// section is a part of the procedure that a text can refer to.
type section struct {
	number, title string
	line          int
	list          *section // where an item of a numbered list stands
	parent        *section // that it is a part of
	sentences     []sentence
	tables        []*document.Block
	// names are the tools that the section names outright.
	tools []string
}

// path is the titles of the section and of those that it is a part of.
func (s *section) path() string {
	if s.parent == nil {
		return s.title
	}
	return s.parent.path() + " / " + s.title
}

// id names the section among all of the procedure: 5.1, or its title; an item
// of a numbered list by the list's section.
func (s *section) id() string {
	switch {
	case s.list != nil && s.list.number != "" && strings.HasPrefix(s.number, s.list.number+"."):
		return s.number // Word counts so
	case s.list != nil && s.list.list != nil && s.list.list.list != nil || s.list != nil && s.list.list != nil && s.list.list.number != "":
		return s.list.id() + "." + s.number
	case s.list != nil && s.list.number != "":
		return s.list.number + "." + s.number
	case s.list != nil && s.list.title != "":
		return s.list.title + " " + s.number
	case s.number != "":
		return s.number
	}
	return s.title
}

// outline is a document by what its sections are for.
type outline struct {
	title    string
	sections []*section // of the procedure, in order
	defining []*document.Block
	outcomes []*document.Block
	skipped  []*document.Block // sections that are no part of the procedure and would be missed
	all      []sentence        // of the whole document, for what may stand anywhere
	places   []placed          // all, with their places in the procedure, once asked for
	placeAt  map[spot]int
}

// maxSentences bounds a document: so many are some two hundred pages.
const maxSentences = 8000

func newOutline(d *document.Document) (*outline, error) {
	o := &outline{}
	hasProcedure := false
	walk(d.Blocks, open, func(b *document.Block, r role) {
		hasProcedure = hasProcedure || r == procedural && b.Kind == document.Title
		if b.Kind != document.Code && b.Kind != document.Note {
			o.all = append(o.all, split(b.Lines)...)
		}
	})
	if len(o.all) > maxSentences {
		return nil, &Problem{o.all[maxSentences].line, fmt.Sprintf("more than %d sentences so far, want one procedure a document", maxSentences)}
	}
	if i := slices.IndexFunc(d.Blocks, func(b *document.Block) bool { return b.Kind == document.Title }); i >= 0 && d.Blocks[i].Number == "" {
		if r := roleByTitle(d.Blocks[i].Text()); i == 0 || r == open || r == procedural {
			o.title = clean(d.Blocks[i].Text())
		}
	}
	w := outlineWalk{outline: o, within: procedural}
	if !hasProcedure {
		w.within = open
	}
	w.blocks(d.Blocks, open, nil)
	return o, w.err
}

// walk calls f on every block with the role of the section that it is in.
func walk(blocks []*document.Block, in role, f func(*document.Block, role)) {
	for _, b := range blocks {
		r := in
		if b.Kind == document.Title {
			r = roleOf(b, in)
		}
		f(b, r)
		walk(b.Parts, r, f)
	}
}

type outlineWalk struct {
	*outline
	within role  // the role of the procedure's sections
	below  *spot // the sentence that leads what is being walked
	err    error
}

func (w *outlineWalk) blocks(blocks []*document.Block, in role, current *section) {
	seen := map[string]int{} // number -> line
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		if leadsList(b) {
			b = withItems(b, blocks[i+1:])
			i += len(b.Parts)
		}
		if b.Kind == document.Title && b.Number != "" {
			if first, twice := seen[b.Number]; twice && w.err == nil {
				w.err = &Problem{b.Line(), fmt.Sprintf("two headings have the number %s, the other is in line %d", b.Number, first)}
			}
			seen[b.Number] = b.Line()
		}
		w.block(b, in, current)
	}
}

func (w *outlineWalk) block(b *document.Block, in role, current *section) {
	r := in
	if b.Kind == document.Title {
		r = roleOf(b, in)
	}
	switch {
	case r == defining:
		w.defining = append(w.defining, b)
		w.blocks(b.Parts, r, nil)
	case r == outcomes:
		w.outcomes = append(w.outcomes, b)
		w.blocks(b.Parts, r, nil)
	case r == aside:
		w.skip(b, r)
	case b.Kind == document.Title:
		s := &section{number: b.Number, title: clean(b.Text()), line: b.Line(), parent: current}
		if r >= w.within && (r == procedural || r == open) {
			w.sections = append(w.sections, s)
			if isStep(b) {
				list := split(b.Lines)
				list[len(list)-1].parts = b.Parts
				s.sentences = append(s.sentences, w.nested(list)...)
				if !listLead.MatchString(list[len(list)-1].text) {
					w.lead(list, func() { w.blocks(b.Parts, r, s) })
				}
				return
			}
		} else {
			s = nil
			w.skip(b, r)
		}
		w.blocks(b.Parts, r, s)
	case current == nil:
		if r == w.within && w.within == open { // a document without any title
			current = &section{line: b.Line()}
			w.sections = append(w.sections, current)
			w.content(b, current)
			return
		}
		w.blocks(b.Parts, r, nil)
	default:
		w.content(b, current)
	}
}

// skip keeps the title of a section that is not read, where a reader would miss
// it: one with a table, or with a list or sentence that decides something or tells
// somebody what to do; any list where it is no aside, and no prose where it is.
func (w *outlineWalk) skip(b *document.Block, r role) {
	if b.Kind == document.Title && slices.ContainsFunc(b.Parts, func(p *document.Block) bool { return missed(p, r) }) {
		w.skipped = append(w.skipped, b)
	}
}

func missed(b *document.Block, r role) bool {
	switch b.Kind {
	case document.Title, document.Code, document.Note:
		return false
	case document.Table:
		return true
	case document.Item:
		if r != aside {
			return true
		}
	}
	told := r != aside || b.Kind == document.Item
	return told && slices.ContainsFunc(split(b.Lines), func(s sentence) bool {
		_, instructs := instruction(s.text)
		return instructs || conditional(s.text)
	}) || slices.ContainsFunc(b.Parts, func(p *document.Block) bool { return missed(p, r) })
}

// content adds what a section says: paragraphs and items as sentences.
func (w *outlineWalk) content(b *document.Block, s *section) {
	switch b.Kind {
	case document.Paragraph, document.Item:
		if b.Kind == document.Item && b.Number != "" && b.Number[0] <= '9' {
			s = &section{number: b.Number, line: b.Line(), list: s, parent: s}
			w.sections = append(w.sections, s)
		}
		if name, ok := namedTool(b.Text()); ok {
			s.tools = append(s.tools, name)
			return
		}
		list := split(b.Lines)
		for i := range list {
			list[i].item = b.Kind == document.Item
			if i == len(list)-1 {
				list[i].parts = b.Parts
			}
		}
		s.sentences = append(s.sentences, w.nested(list)...)
		if len(list) > 0 && listLead.MatchString(list[len(list)-1].text) {
			return // the list below is a part of the sentence
		}
		w.lead(list, func() { w.blocks(b.Parts, procedural, s) })
		return
	case document.Table:
		s.tables = append(s.tables, b)
	}
	w.blocks(b.Parts, procedural, s)
}

var (
	toolLine = regexp.MustCompile(`(?i)^(?:tool|api|function|call)s?\s*:\s*` + "`?" + `([A-Za-z_][\w.-]*)` + "`?" + `\s*$`)
	// nominal ends titles that name a part of the procedure and are no step.
	nominal = regexp.MustCompile(`(?i)(?:tion|tions|ment|ments|sis|ance|protocol|procedures?|process|framework|overview|steps|actions|phase|sequence:?|requirements|guidance)\W*$`)
	// listLead ends with the list of conditions that follow below.
	listLead = regexp.MustCompile(`(?i)\b(?:if|when|unless)\b.*\b(?:all|any|one|both|either|each|none)\b.*\b(?:following|these|below|conditions|criteria)\b.*:\s*$`)
)

// lead walks what is nested below the last of the sentences.
func (w *outlineWalk) lead(list []sentence, walk func()) {
	outer := w.below
	if n := len(list); n > 0 && len(list[n-1].parts) > 0 {
		w.below = &spot{list[n-1].line, list[n-1].text}
	}
	walk()
	w.below = outer
}

// nested tells the sentences what they are nested below.
func (w *outlineWalk) nested(list []sentence) []sentence {
	for i := range list {
		list[i].below = w.below
	}
	return list
}

// leadsList tells a paragraph with a condition whose list follows it.
func leadsList(b *document.Block) bool {
	if b.Kind != document.Paragraph || len(b.Parts) > 0 || len(b.Lines) == 0 || !strings.HasSuffix(b.Lines[len(b.Lines)-1].Text, ":") {
		return false
	}
	list := split(b.Lines)
	last := list[len(list)-1].text
	return listLead.MatchString(last) || conditional(last) || bareElse.MatchString(last)
}

// withItems is the paragraph with the items that follow it below it.
func withItems(b *document.Block, next []*document.Block) *document.Block {
	led := *b
	for _, item := range next {
		if item.Kind != document.Item {
			break
		}
		led.Parts = append(led.Parts, item)
	}
	return &led
}

// listWords point to the list below.
var listWords = regexp.MustCompile(`(?i)\b(?:following|these|below|conditions|criteria)\b`)

func namedTool(text string) (string, bool) {
	if m := toolLine.FindStringSubmatch(clean(text)); m != nil {
		return m[1], true
	}
	return "", false
}

// isStep tells a numbered line that says what to do from a heading.
func isStep(b *document.Block) bool {
	text := clean(b.Text())
	if _, ok := instruction(text); !ok {
		return conditional(text)
	}
	if len(b.Parts) == 0 {
		return !nominal.MatchString(text) || len(strings.Fields(text)) > 4
	}
	return !nominal.MatchString(text)
}

// Problem is what keeps a document from being read.
type Problem struct {
	Line int
	Text string
}

func (p *Problem) Error() string { return p.Text }
