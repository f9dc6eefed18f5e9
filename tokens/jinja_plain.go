package tokens

import (
	"fmt"
	"regexp"
	"strings"
)

// plainJinja rewrites what the library does not know, or gets wrong.
//
// Blank space around the tags of blocks goes as trim_blocks and lstrip_blocks of
// Jinja have it. A condition in brackets, (A if C else B), becomes ((C) and [A]
// or [B])[0], which evaluates no more than it. An index from the end, x[-1],
// becomes x[-1:][0], since the library does not find the first item by it. The
// method items becomes a filter, which keeps the keys in their order.
func plainJinja(source string) string {
	var b strings.Builder
	for lineStart := true; ; {
		at := opening(source)
		if at < 0 {
			b.WriteString(source)
			return b.String()
		}
		n := tagLength(source[at:])
		if n < 0 { // for the library to complain about
			b.WriteString(source)
			return b.String()
		}
		text, tag := source[:at], source[at:at+n]
		source = source[at+n:]
		block := tag[1] != '{'
		if block && tag[2] != '-' && tag[2] != '+' {
			if bare := strings.TrimRight(text, " \t"); strings.HasSuffix(bare, "\n") || bare == "" && lineStart {
				text = bare
			}
		}
		b.WriteString(text)
		if tag[1] == '#' {
			b.WriteString(tag)
		} else {
			b.WriteString(tag[:2] + inBrackets(generated(tag[2:n-2])) + tag[n-2:])
		}
		lineStart = false
		if end := tag[n-3]; block && end != '+' && strings.HasPrefix(source, "\n") {
			source, lineStart = source[1:], true
		}
	}
}

// opening is where the next tag begins; -1: there is none.
func opening(source string) int {
	for i := range len(source) - 1 {
		if source[i] == '{' && strings.IndexByte("{%#", source[i+1]) >= 0 {
			return i
		}
	}
	return -1
}

// tagLength is the length of the tag that a text begins with; -1: it has no end,
// or no room for one.
func tagLength(source string) int {
	closing := map[byte]string{'{': "}}", '%': "%}", '#': "#}"}[source[1]]
	for i := 2; i < len(source); {
		c := source[i]
		switch {
		case strings.HasPrefix(source[i:], closing) && i > 2:
			return i + 2
		case source[1] == '#':
			i++
		case c == '\'' || c == '"':
			i += quoted(source[i:])
		case strings.IndexByte("([{", c) >= 0:
			i += bracketed(source[i:])
		default:
			i++
		}
	}
	return -1
}

var generation = regexp.MustCompile(`^([-+]?)\s*(end)?generation\s*([-+]?)$`)

// generated makes conditions of the tags that mark what a model generates: they
// are for training masks, not for the text.
func generated(tag string) string {
	m := generation.FindStringSubmatch(tag)
	switch {
	case m == nil:
		return tag
	case m[2] == "":
		return m[1] + " if true " + m[3]
	}
	return m[1] + " endif " + m[3]
}

var fromEnd = regexp.MustCompile(`^\[\s*-\d+\s*\]$`)

// inBrackets rewrites what stands in the brackets of an expression.
func inBrackets(e string) string {
	var b strings.Builder
	for i := 0; i < len(e); {
		switch e[i] {
		case '\'', '"':
			n := quoted(e[i:])
			b.WriteString(e[i : i+n])
			i += n
		case '(', '[', '{':
			n := bracketed(e[i:])
			if n == 1 || strings.IndexByte(")]}", e[i+n-1]) < 0 {
				b.WriteString(e[i:]) // not closed
				return b.String()
			}
			inner := e[i+1 : i+n-1]
			if i > 0 && fromEnd.MatchString(e[i:i+n]) && strings.IndexByte(" ,(+~=<>|", e[i-1]) < 0 {
				b.WriteString("[" + inner + ":][0]")
				i += n
				continue
			}
			var parts []string
			for _, part := range splitTop(inner, ",") {
				parts = append(parts, condition(inBrackets(part)))
			}
			b.WriteString(e[i:i+1] + strings.Join(parts, ",") + e[i+n-1:i+n])
			i += n
		default:
			if method := ".items()"; strings.HasPrefix(e[i:], method) {
				b.WriteString("|items")
				i += len(method)
				continue
			}
			b.WriteByte(e[i])
			i++
		}
	}
	return b.String()
}

// condition rewrites A if C else B.
func condition(e string) string {
	parts := splitTop(e, " if ")
	if len(parts) < 2 {
		return e
	}
	rest := strings.Join(parts[1:], " if ")
	test, otherwise, ok := strings.Cut(rest, " else ")
	if cuts := splitTop(rest, " else "); ok {
		test, otherwise = cuts[0], strings.Join(cuts[1:], " else ")
	}
	if otherwise == "" {
		return e
	}
	return fmt.Sprintf("((%s) and [%s] or [%s])[0]", test, parts[0], condition(otherwise))
}

// splitTop splits where no quotes or brackets are open.
func splitTop(e, mark string) (parts []string) {
	start := 0
	for i := 0; i < len(e); {
		switch c := e[i]; {
		case c == '\'' || c == '"':
			i += quoted(e[i:])
		case strings.IndexByte("([{", c) >= 0:
			i += bracketed(e[i:])
		case strings.HasPrefix(e[i:], mark):
			parts = append(parts, e[start:i])
			i += len(mark)
			start = i
		default:
			i++
		}
	}
	return append(parts, e[start:])
}

// quoted is the length of the text in quotes that e begins with.
func quoted(e string) int {
	for i := 1; i < len(e); i++ {
		switch e[i] {
		case '\\':
			i++
		case e[0]:
			return i + 1
		}
	}
	return len(e)
}

// bracketed is the length of the brackets that e begins with. What is not
// closed is left to the library to complain about.
func bracketed(e string) int {
	depth := 0
	for i := 0; i < len(e); {
		switch c := e[i]; {
		case c == '\'' || c == '"':
			i += quoted(e[i:])
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
	return len(e)
}
