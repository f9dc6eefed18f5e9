package text

import (
	"fmt"
	"regexp"
	"strings"
)

// sopLine is a line of a document with those indented deeper below it.
type sopLine struct {
	number int
	indent int
	text   string // without indentation, bullet and number
	kids   []*sopLine
}

func (l *sopLine) wrap(err error) error {
	if _, done := err.(*sopLineError); done {
		return err
	}
	return &sopLineError{fmt.Sprintf("line %d: %q %v", l.number, sopExcerpt(l.text), err)}
}

// sopLineError already names its line.
type sopLineError struct{ text string }

func (e *sopLineError) Error() string { return e.text }

// sopSection is a heading and what stands under it. The part before the first
// "## " has the title of the document as its heading.
type sopSection struct {
	heading string
	lines   []*sopLine
}

// sopFreeSections hold prose of the pack, which says nothing formal.
var sopFreeSections = map[string]bool{"purpose": true, "background": true, "why this procedure exists": true}

func (s *sopSection) free() bool {
	return s.heading == "" || sopFreeSections[strings.ToLower(s.heading)]
}

var (
	sopBullet        = regexp.MustCompile(`^(?:[-*•] |\d+(?:\.\d+)*[.)]? |\[[ x]\] |R\d+[.:] )+`)
	sopHeadingNumber = regexp.MustCompile(`^(?:\d+(?:\.\d+)*[.)]? |[A-Z]\. )`)
)

func sopSections(text string) []*sopSection {
	current := &sopSection{}
	sections := []*sopSection{current}
	var open []*sopLine
	for i, raw := range strings.Split(text, "\n") {
		body := strings.TrimSpace(raw)
		if body == "" {
			continue
		}
		if heading, ok := strings.CutPrefix(body, "## "); ok {
			current = &sopSection{heading: sopHeadingNumber.ReplaceAllString(heading, "")}
			sections = append(sections, current)
			open = nil
			continue
		}
		l := &sopLine{number: i + 1, indent: len(raw) - len(strings.TrimLeft(raw, " ")), text: sopBullet.ReplaceAllString(body, "")}
		for len(open) > 0 && open[len(open)-1].indent >= l.indent {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			current.lines = append(current.lines, l)
		} else {
			parent := open[len(open)-1]
			parent.kids = append(parent.kids, l)
		}
		open = append(open, l)
	}
	return sections
}
