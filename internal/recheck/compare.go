package recheck

import (
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

var comparator = regexp.MustCompile(` (==|!=|<=|>=|<|>) `)

// measured says whether a comparison holds over numbers; ok is false where they do not settle it.
func measured(text string, values map[string]json.Number) (holds, ok bool) {
	f := formula{text: text, values: values}
	return f.comparison()
}

// formulaNames are the values that a comparison reads.
func formulaNames(text string) []string {
	var names []string
	for text != "" {
		token := nameForm.FindString(text)
		if token != "" && !slices.Contains(names, token) {
			names = append(names, token)
		}
		if token == "" {
			token = text[:1]
		}
		text = text[len(token):]
	}
	return names
}

// tokens are the parts of a comparison without blanks, names replaced.
func tokens(text string, rename func(string) string) []string {
	var list []string
	for text = strings.TrimLeft(text, " "); text != ""; text = strings.TrimLeft(text, " ") {
		token := numeral.FindString(text)
		if token == "" || len(list) > 0 && operandEnd(list[len(list)-1]) { // 5 -3 is a difference
			token = nameForm.FindString(text)
		}
		switch {
		case token != "" && token[0] != '-' && (token[0] < '0' || token[0] > '9'):
			list = append(list, rename(token))
		case token != "":
			list = append(list, token)
		default:
			if token = text[:1]; len(text) > 1 && text[1] == '=' {
				token = text[:2]
			}
			list = append(list, token)
		}
		text = text[len(token):]
	}
	return list
}

func operandEnd(token string) bool {
	last := token[len(token)-1]
	return isWordByte(last) || last == ')'
}

// formula is read from left to right, in exact numbers.
type formula struct {
	text   string
	values map[string]json.Number
}

func (f *formula) blanks() { f.text = strings.TrimLeft(f.text, " ") }

func (f *formula) take(words ...string) string {
	f.blanks()
	for _, w := range words {
		if strings.HasPrefix(f.text, w) {
			f.text = f.text[len(w):]
			return w
		}
	}
	return ""
}

func (f *formula) comparison() (holds, ok bool) {
	left, ok := f.sum()
	holds = true
	n := 0
	for ; ok; n++ {
		op := f.take("==", "!=", "<=", ">=", "<", ">")
		if op == "" {
			break
		}
		var right *big.Rat
		if right, ok = f.sum(); !ok {
			break
		}
		order := left.Cmp(right)
		holds = holds && map[string]bool{
			"==": order == 0, "!=": order != 0, "<=": order <= 0, ">=": order >= 0, "<": order < 0, ">": order > 0,
		}[op]
		left = right
	}
	f.blanks()
	return holds, ok && n > 0 && f.text == ""
}

func (f *formula) sum() (*big.Rat, bool) {
	x, ok := f.product()
	for ok {
		op := f.take("+", "-")
		if op == "" {
			break
		}
		var y *big.Rat
		if y, ok = f.product(); !ok {
			break
		}
		if op == "-" {
			y = new(big.Rat).Neg(y)
		}
		x = new(big.Rat).Add(x, y)
	}
	return x, ok
}

func (f *formula) product() (*big.Rat, bool) {
	x, ok := f.operand()
	for ok {
		op := f.take("*", "/")
		if op == "" {
			break
		}
		var y *big.Rat
		if y, ok = f.operand(); !ok || op == "/" && y.Sign() == 0 {
			return nil, false
		}
		if op == "/" {
			y = new(big.Rat).Inv(y)
		}
		x = new(big.Rat).Mul(x, y)
	}
	return x, ok
}

var (
	numeral  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?`)
	nameForm = regexp.MustCompile(`^[A-Za-z_]\w*(\([^()]*\))?`)
)

func (f *formula) operand() (*big.Rat, bool) {
	if f.take("(") != "" {
		x, ok := f.sum()
		return x, ok && f.take(")") != ""
	}
	f.blanks()
	token := numeral.FindString(f.text)
	if token == "" {
		token = nameForm.FindString(f.text)
	}
	f.text = f.text[len(token):]
	if number, known := f.values[token]; known {
		token = number.String()
	}
	return new(big.Rat).SetString(token)
}
