package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What lenient puts right.
const (
	fixQuotes      = "quotes"   // 'x', “x”
	fixBareKey     = "bare key" // {x: 1}
	fixMissing     = "missing comma"
	fixTrailing    = "trailing comma"
	fixControl     = "control character" // a line break in a string
	fixEscape      = "escape"            // \d
	fixInnerQuotes = "inner quotes"      // "he said "yes""
	fixComment     = "comment"
	fixSpace       = "space" // that is none in JSON
	fixWord        = "word"  // True, None
	fixUnclosed    = "unclosed"
)

// lenient reads JSON as models break it and writes it as it should be. Where
// what was meant is not plain it fails rather than guess: nothing is left out
// but comments, and nothing is added but what the grammar wants. It takes time
// in proportion to the text.
//
// No library is used for it: of those in Go, the one that is kept well
// (kaptinlin/jsonrepair) takes half a minute for 100 kB of [, and turns
// {"a":"\"b\"" into another string and a second key.
type lenient struct {
	text  string
	at    int
	depth int
	out   strings.Builder
	fixes []string
	// whole forbids to close what the end of the text left open.
	whole bool
}

const deepest = 200

var errCut = errors.New("the JSON ends in the middle")

// readLenient reads the value that text begins with. It returns how far it
// came, also on an error.
func readLenient(text string, whole bool) (value json.RawMessage, fixes []string, end int, err error) {
	l := &lenient{text: text, whole: whole}
	err = l.value()
	return json.RawMessage(l.out.String()), l.fixes, l.at, err
}

func (l *lenient) fixed(what string) {
	if !slices.Contains(l.fixes, what) {
		l.fixes = append(l.fixes, what)
	}
}

// peek is the next character after space and comments, 0 at the end.
func (l *lenient) peek() rune {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		end, size := -1, 0
		switch {
		case strings.HasPrefix(rest, "//"):
			end, size = strings.IndexByte(rest, '\n'), 1
		case strings.HasPrefix(rest, "/*"):
			end, size = strings.Index(rest, "*/"), 2
		default:
			c, size := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(c) {
				return c
			}
			if !strings.ContainsRune(" \t\r\n", c) {
				l.fixed(fixSpace)
			}
			l.at += size
			continue
		}
		l.fixed(fixComment)
		if end < 0 {
			l.at = len(l.text)
			return 0
		}
		l.at += end + size
	}
	return 0
}

func (l *lenient) value() error {
	switch c := l.peek(); {
	case c == 0:
		return errCut
	case c == '{':
		return l.list('}', l.member)
	case c == '[':
		return l.list(']', l.value)
	case closingQuote(c) != 0:
		return l.string(false)
	case c == '-' || c >= '0' && c <= '9':
		return l.number()
	}
	return l.word()
}

// list reads what stands between brackets.
func (l *lenient) list(closing rune, element func() error) error {
	if l.depth++; l.depth > deepest {
		return fmt.Errorf("the JSON is nested more than %d deep", deepest)
	}
	defer func() { l.depth-- }()
	l.out.WriteByte(l.text[l.at])
	l.at++
	comma := false
	for n := 0; ; n++ {
		switch c := l.peek(); {
		case c == closing:
			l.at++
			if comma {
				l.fixed(fixTrailing)
			}
			l.out.WriteRune(closing)
			return nil
		case c == 0:
			if l.whole {
				return errCut
			}
			l.fixed(fixUnclosed)
			l.out.WriteRune(closing)
			return nil
		}
		if n > 0 {
			if !comma {
				l.fixed(fixMissing)
			}
			l.out.WriteByte(',')
		}
		if err := element(); err != nil {
			return err
		}
		if comma = l.peek() == ','; comma {
			l.at++
		}
	}
}

func (l *lenient) member() error {
	if c := l.peek(); closingQuote(c) != 0 {
		if err := l.string(true); err != nil {
			return err
		}
	} else if name := identifier(l.text[l.at:]); name != "" {
		l.fixed(fixBareKey)
		l.at += len(name)
		l.write(name)
	} else {
		return l.unexpected("a key")
	}
	if l.peek() != ':' {
		return l.unexpected("a colon")
	}
	l.at++
	l.out.WriteByte(':')
	return l.value()
}

func (l *lenient) unexpected(wanted string) error {
	c := l.peek()
	if c == 0 {
		return errCut
	}
	return fmt.Errorf("at %q: want %s", excerpt(l.text[l.at:]), wanted)
}

func excerpt(s string) string {
	for i := range s {
		if i >= 20 {
			return s[:i]
		}
	}
	return s
}

// write puts a string into the output, as JSON.
func (l *lenient) write(s string) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string has JSON
	}
	l.out.WriteString(strings.TrimSuffix(b.String(), "\n"))
}

func (l *lenient) number() error {
	end := l.at
	for end < len(l.text) && strings.IndexByte("+-.eE0123456789", l.text[end]) >= 0 {
		end++
	}
	digits := l.text[l.at:end]
	if end == len(l.text) && l.whole {
		return errCut // more digits may have been to come
	}
	if !json.Valid([]byte(digits)) || identifier(l.text[end:]) != "" {
		return l.unexpected("a number")
	}
	l.at = end
	l.out.WriteString(digits)
	return nil
}

var words = map[string]string{"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}

func (l *lenient) word() error {
	name := identifier(l.text[l.at:])
	meaning, ok := words[name]
	if !ok {
		return l.unexpected("a value")
	}
	if meaning != name {
		l.fixed(fixWord)
	}
	l.at += len(name)
	l.out.WriteString(meaning)
	return nil
}

func identifier(s string) string {
	for i, c := range s {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return s[:i]
		}
	}
	return s
}

// closingQuote is what ends a string that begins with c, 0 if none does.
func closingQuote(c rune) rune {
	switch c {
	case '"', '\'':
		return c
	case '“':
		return '”'
	case '‘':
		return '’'
	}
	return 0
}

// string reads a string up to the quote that something follows which may
// follow a string there.
func (l *lenient) string(key bool) error {
	opening, size := utf8.DecodeRuneInString(l.text[l.at:])
	closing := closingQuote(opening)
	if opening != '"' {
		l.fixed(fixQuotes)
	}
	l.at += size
	var s strings.Builder
	for l.at < len(l.text) {
		c, size := utf8.DecodeRuneInString(l.text[l.at:])
		switch {
		case c == closing && l.endsString(l.at+size, key):
			l.at += size
			l.write(s.String())
			return nil
		case c == '\\':
			l.escape(&s)
			continue
		case c == closing:
			l.fixed(fixInnerQuotes)
		case c < ' ':
			l.fixed(fixControl)
		}
		s.WriteString(l.text[l.at : l.at+size])
		l.at += size
	}
	if l.whole || key {
		return errCut
	}
	l.fixed(fixUnclosed)
	l.write(s.String())
	return nil
}

// escape reads a backslash and what belongs to it. One that means nothing in
// JSON is a backslash.
func (l *lenient) escape(s *strings.Builder) {
	length := 2
	if strings.HasPrefix(l.text[l.at:], `\u`) {
		if length = 6; strings.HasPrefix(l.text[min(len(l.text), l.at+6):], `\u`) {
			length = 12 // two halves of one character
		}
	}
	for ; length >= 2; length -= 6 {
		var meaning string
		if l.at+length <= len(l.text) && json.Unmarshal([]byte(`"`+l.text[l.at:l.at+length]+`"`), &meaning) == nil {
			s.WriteString(meaning)
			l.at += length
			return
		}
	}
	l.fixed(fixEscape)
	l.at++
	if l.at < len(l.text) && l.text[l.at] == '\'' { // as other languages have it
		s.WriteByte('\'')
		l.at++
		return
	}
	s.WriteByte('\\')
}

// endsString tells whether a quote before position at can be the end of a
// string: what comes next decides.
func (l *lenient) endsString(at int, key bool) bool {
	next := &lenient{text: l.text, at: at}
	switch c := next.peek(); {
	case key:
		return c == ':'
	case c == 0, c == '}', c == ']':
		return true
	case c == ',':
		next.at++
		if next.peek() == 0 {
			return true
		}
		return next.beginsElement()
	}
	return next.at > at && next.beginsElement() // the comma is missing
}

// closes is where a string that line is in ends, -1 if it does not.
func closes(line string, closing rune) int {
	escaped := false
	for i, c := range line {
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == closing:
			return i
		}
	}
	return -1
}

// lookAhead is how far beginsElement looks, in bytes.
const lookAhead = 300

// beginsElement tells whether a key or a value may begin here; of a string,
// where it ends on this line and something may follow it.
func (l *lenient) beginsElement() bool {
	c := l.peek()
	if closing := closingQuote(c); closing != 0 {
		rest := l.text[l.at+utf8.RuneLen(c):]
		line, _, _ := strings.Cut(rest[:min(len(rest), lookAhead)], "\n")
		end := closes(line, closing)
		if end < 0 {
			return !strings.ContainsRune(line, ':')
		}
		after := strings.TrimLeft(line[end+utf8.RuneLen(closing):], " \t\r")
		return after == "" || strings.IndexByte(":,]}", after[0]) >= 0
	}
	if name := identifier(l.text[l.at:]); name != "" {
		return words[name] != "" || strings.HasPrefix(l.text[l.at+len(name):], ":")
	}
	return strings.ContainsRune("{[}]-0123456789", c)
}
