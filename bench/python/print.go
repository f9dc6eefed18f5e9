package python

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

// Str is str(x): a text as it stands, anything else as [Repr].
func Str(x starlark.Value) string {
	if s, ok := x.(starlark.String); ok {
		return string(s)
	}
	return Repr(x)
}

// Repr is repr(x).
func Repr(x starlark.Value) string {
	var b strings.Builder
	write(&b, x)
	return b.String()
}

func write(b *strings.Builder, x starlark.Value) {
	switch x := x.(type) {
	case starlark.String:
		writeString(b, string(x))
	case starlark.Float:
		b.WriteString(reprFloat(float64(x)))
	case *starlark.List:
		writeItems(b, "[", x, "]")
	case starlark.Tuple:
		end := ")"
		if len(x) == 1 {
			end = ",)"
		}
		writeItems(b, "(", x, end)
	case *starlark.Dict:
		b.WriteByte('{')
		for i, item := range x.Items() {
			if i > 0 {
				b.WriteString(", ")
			}
			write(b, item[0])
			b.WriteString(": ")
			write(b, item[1])
		}
		b.WriteByte('}')
	case *starlark.Set:
		writeItems(b, "{", starlark.Tuple(slices.Collect(x.Elements())), "}")
	default: // None, booleans and integers print alike in both languages
		b.WriteString(x.String())
	}
}

func writeItems(b *strings.Builder, start string, x starlark.Indexable, end string) {
	b.WriteString(start)
	for i := range x.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, x.Index(i))
	}
	b.WriteString(end)
}

// reprFloat is the shortest text that reads back as f, with an exponent from
// 1e16 on and below 1e-4.
func reprFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	if a := math.Abs(f); a != 0 && (a >= 1e16 || a < 1e-4) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func writeString(b *strings.Builder, s string) {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b.WriteByte(quote)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		half := r == utf8.RuneError && size == 1 && s[i] == 0xed && i+2 < len(s) // of a surrogate pair: [lexer.escape]
		if half {
			r, size = 0xd000|rune(s[i+1]&0x3f)<<6|rune(s[i+2]&0x3f), 3
		}
		i += size
		switch {
		case half:
			fmt.Fprintf(b, `\u%04x`, r)
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x80 && (r < ' ' || r == 0x7f), r >= 0x80 && r < 0x100 && !unicode.IsPrint(r):
			fmt.Fprintf(b, `\x%02x`, r)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
	}
	b.WriteByte(quote)
}
