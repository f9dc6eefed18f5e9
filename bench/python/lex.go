package python

import (
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.starlark.net/starlark"
)

type tokenKind int

const (
	tEnd   tokenKind = iota
	tValue           // a number or a text
	tName
	tOp // an operator, a bracket, or a word that is one
)

type token struct {
	kind  tokenKind
	text  string
	value starlark.Value
}

type lexer struct {
	src      string
	pos      int
	brackets int // inside brackets a line may end anywhere
}

var (
	wordOperators = []string{"and", "or", "not", "in", "is", "if", "else"}
	operators     = []string{"**", "//", "<<", ">>", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "|", "^", "&", "~", "(", ")", "[", "]", "{", "}", ",", ":"}
)

func (l *lexer) rest() string { return l.src[l.pos:] }

func (l *lexer) skip() error {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case c == '#':
			if n := strings.IndexByte(l.rest(), '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.src)
			}
		case c == '\n' || c == '\r':
			if l.brackets == 0 && strings.TrimSpace(l.rest()) != "" {
				return errSyntax
			}
			l.pos++
		case strings.HasPrefix(l.rest(), "\\\n"):
			l.pos += 2
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) next() (token, error) {
	if err := l.skip(); err != nil {
		return token{}, err
	}
	if l.pos == len(l.src) {
		return token{}, nil
	}
	c := l.src[l.pos]
	switch {
	case c == '\'' || c == '"':
		return l.text("")
	case isDigit(c) || c == '.' && len(l.rest()) > 1 && isDigit(l.src[l.pos+1]):
		return l.number()
	}
	if r, _ := utf8.DecodeRuneInString(l.rest()); r == '_' || unicode.IsLetter(r) {
		return l.word()
	}
	for _, op := range operators {
		if strings.HasPrefix(l.rest(), op) {
			l.pos += len(op)
			switch op {
			case "(", "[", "{":
				l.brackets++
			case ")", "]", "}":
				l.brackets--
			}
			return token{kind: tOp, text: op}, nil
		}
	}
	return token{}, errSyntax
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (l *lexer) word() (token, error) {
	start := l.pos
	for _, r := range l.src[start:] {
		if !isWord(r) {
			break
		}
		l.pos += utf8.RuneLen(r)
	}
	word := l.src[start:l.pos]
	if l.pos < len(l.src) && (l.src[l.pos] == '\'' || l.src[l.pos] == '"') {
		switch prefix := strings.ToLower(word); prefix {
		case "r", "u":
			return l.text(prefix)
		}
		return token{}, errSyntax // bytes and formatted texts occur nowhere
	}
	if slices.Contains(wordOperators, word) {
		return token{kind: tOp, text: word}, nil
	}
	return token{kind: tName, text: word}, nil
}

// number reads an integer or a float; underscores may stand between digits.
func (l *lexer) number() (token, error) {
	start := l.pos
	base := 10
	if l.src[start] == '0' && len(l.rest()) > 1 {
		base = map[byte]int{'x': 16, 'X': 16, 'o': 8, 'O': 8, 'b': 2, 'B': 2}[l.src[start+1]]
		if base != 0 {
			l.pos += 2
		} else {
			base = 10
		}
	}
	float := false
	for ; l.pos < len(l.src); l.pos++ {
		c := l.src[l.pos]
		switch {
		case isDigit(c) || c == '_' || base == 16 && strings.IndexByte("abcdefABCDEF", c) >= 0:
			continue
		case base == 10 && (c == '.' && !float || c == 'e' || c == 'E'):
			float = true
			if c != '.' && l.pos+1 < len(l.src) && (l.src[l.pos+1] == '+' || l.src[l.pos+1] == '-') {
				l.pos++
			}
			continue
		}
		break
	}
	text := l.src[start:l.pos]
	if l.pos < len(l.src) && (l.src[l.pos] == 'j' || l.src[l.pos] == 'J') && base == 10 {
		l.pos++
		if r, _ := utf8.DecodeRuneInString(l.rest()); isWord(r) {
			return token{}, errSyntax
		}
		return token{kind: tValue, value: starlark.Bytes(text + "j")}, nil // an imaginary number: it equals nothing that a tool answers
	}
	if r, _ := utf8.DecodeRuneInString(l.rest()); isWord(r) || r == '.' || strings.HasSuffix(text, "_") || strings.Contains(text, "__") {
		return token{}, errSyntax
	}
	digits := strings.ReplaceAll(text, "_", "")
	if float {
		f, err := strconv.ParseFloat(digits, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return token{}, errSyntax
		}
		return token{kind: tValue, value: starlark.Float(f)}, nil
	}
	if base == 10 && len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0") != "" {
		return token{}, errSyntax // leading zeros are not permitted
	}
	const mostDigits = 4300 // what Python reads
	i, ok := new(big.Int).SetString(strings.TrimLeft(digits, "0"), 10)
	if base != 10 {
		i, ok = new(big.Int).SetString(digits[2:], base)
	} else if strings.Trim(digits, "0") == "" {
		i, ok = new(big.Int), true
	}
	if !ok || base == 10 && len(digits) > mostDigits {
		return token{}, errSyntax
	}
	return token{kind: tValue, value: starlark.MakeBigInt(i)}, nil
}

// text reads a quoted text; l stands at its first quote.
func (l *lexer) text(prefix string) (token, error) {
	quote := l.src[l.pos : l.pos+1]
	if strings.HasPrefix(l.rest(), strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	l.pos += len(quote)
	var b strings.Builder
	for {
		switch {
		case l.pos >= len(l.src):
			return token{}, errSyntax
		case strings.HasPrefix(l.rest(), quote):
			l.pos += len(quote)
			return token{kind: tValue, value: starlark.String(b.String())}, nil
		case l.src[l.pos] == '\n' && len(quote) == 1:
			return token{}, errSyntax
		case l.src[l.pos] == '\\' && prefix == "r":
			b.WriteByte('\\')
			l.pos++
			if l.pos < len(l.src) {
				b.WriteByte(l.src[l.pos])
				l.pos++
			}
		case l.src[l.pos] == '\\':
			if err := l.escape(&b); err != nil {
				return token{}, err
			}
		default:
			b.WriteByte(l.src[l.pos])
			l.pos++
		}
	}
}

var simpleEscapes = map[byte]string{
	'\n': "", '\\': `\`, '\'': "'", '"': `"`, 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
}

// escape reads a backslash and what belongs to it. An escape that means
// nothing stays as it is, backslash included.
func (l *lexer) escape(b *strings.Builder) error {
	if l.pos++; l.pos >= len(l.src) {
		return errSyntax
	}
	c := l.src[l.pos]
	if s, ok := simpleEscapes[c]; ok {
		b.WriteString(s)
		l.pos++
		return nil
	}
	digits, base := 0, 16
	switch {
	case c == 'x':
		digits = 2
	case c == 'u':
		digits = 4
	case c == 'U':
		digits = 8
	case '0' <= c && c <= '7':
		base = 8
		for digits < 3 && l.pos+digits < len(l.src) && '0' <= l.src[l.pos+digits] && l.src[l.pos+digits] <= '7' {
			digits++
		}
	case c == 'N': // a character by its name
		return errSyntax
	default:
		b.WriteByte('\\')
		return nil
	}
	if base == 16 {
		l.pos++
	}
	if l.pos+digits > len(l.src) {
		return errSyntax
	}
	n, err := strconv.ParseUint(l.src[l.pos:l.pos+digits], base, 32)
	if err != nil || n > unicode.MaxRune {
		return errSyntax
	}
	l.pos += digits
	if n >= 0xd800 && n < 0xe000 { // half of a surrogate pair equals no character, and Go's texts hold it only as bytes
		b.Write([]byte{0xed, 0x80 | byte(n>>6&0x3f), 0x80 | byte(n&0x3f)})
		return nil
	}
	b.WriteRune(rune(n))
	return nil
}
