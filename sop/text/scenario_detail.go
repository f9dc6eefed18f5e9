package text

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fmsop/fmsop/sop"
)

// How bound values and numbers are written in a case, and read back exactly.

// scnForm is how one document writes numbers. It is drawn once, before
// anything that depends on the case, so that two cases that differ in one fact
// or value give, from equal seeds, texts that differ in that alone.
type scnForm struct {
	cents   bool // $12.00, else $12
	points  bool // 640 points, else 640
	missing string
}

func newScnForm(rng *rand.Rand) scnForm {
	return scnForm{rng.IntN(2) == 0, rng.IntN(2) == 0, scnPick(rng, scnMissing)}
}

// scnNumber words x in its unit. Nothing is rounded: scnReadNumber gives x.
func scnNumber(x float64, unit string, form scnForm) string {
	sign, digits := "", sop.Number(x)
	if d, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", d
	}
	switch unit {
	case "USD":
		whole, cents, hasCents := strings.Cut(digits, ".")
		switch {
		case hasCents && len(cents) == 1:
			cents += "0"
		case !hasCents && form.cents:
			cents = "00"
		}
		digits = scnThousands(whole)
		if cents != "" {
			digits += "." + cents
		}
		return sign + "$" + digits
	case "percent":
		return sign + digits + "%"
	case "points":
		if !form.points {
			return sign + digits
		}
	}
	if unit == "" {
		return sign + digits
	}
	if digits == "1" {
		unit = strings.TrimSuffix(unit, "s")
	}
	return sign + digits + " " + unit
}

func scnThousands(digits string) string {
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

var scnDigits = regexp.MustCompile(`^(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$`)

// scnReadNumber reads a number in that unit, the unit's word optional.
func scnReadNumber(s, unit string) (float64, bool) {
	s, negative := strings.CutPrefix(strings.TrimSpace(s), "-")
	switch unit {
	case "USD":
		s = strings.TrimPrefix(s, "$")
	case "percent":
		s = strings.TrimSpace(strings.TrimSuffix(s, "%"))
	case "":
	default:
		if word, ok := strings.CutSuffix(s, unit); ok {
			s = strings.TrimSpace(word)
		} else if word, ok := strings.CutSuffix(s, strings.TrimSuffix(unit, "s")); ok {
			s = strings.TrimSpace(word)
		}
	}
	if !scnDigits.MatchString(s) {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if negative {
		x = -x
	}
	return x, err == nil
}

// scnPlain words a bound value inside a sentence, on one line.
func scnPlain(value any) string {
	switch x := scnNormal(value).(type) {
	case nil:
		return "none"
	case string:
		return scnFlat(x)
	case float64:
		return sop.Number(x)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[x]
	case []any:
		parts := make([]string, len(x))
		for i, e := range x {
			parts[i] = scnPlain(e)
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		var parts []string
		for _, k := range scnKeys(x) {
			parts = append(parts, scnWords(k)+" "+scnPlain(x[k]))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// scnNormal is the value as JSON holds it: numbers are float64.
func scnNormal(value any) any {
	switch x := value.(type) {
	case nil, bool:
		return x
	case int:
		return float64(x)
	case float64:
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
	case string:
		if utf8.ValidString(x) {
			return x
		}
	}
	data, err := json.Marshal(value)
	var out any
	if err != nil || json.Unmarshal(data, &out) != nil {
		return nil
	}
	return out
}

// scnJSON writes a value as JSON on one line without a backtick, so that it
// can stand between two of them.
func scnJSON(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(value) != nil {
		return "null"
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "`", `\u0060`)
}

// scnDetail writes what a parameter is bound to: as people write it where
// that reads back equal, else as JSON.
func scnDetail(d *sop.Domain, parameter string, value any, form scnForm) string {
	value = scnNormal(value)
	plain := ""
	switch x := value.(type) {
	case string:
		plain = x
	case float64:
		if v := d.Values[parameter]; v != nil && v.Stated {
			plain = scnNumber(x, v.Unit, form)
		}
	}
	if scnPrintable(plain) && reflect.DeepEqual(scnReadDetail(d, parameter, plain), value) {
		return plain
	}
	return scnJSON(value)
}

func scnPrintable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == '`' || r == unicode.ReplacementChar {
			return false
		}
	}
	return s != "" && s == strings.TrimSpace(s)
}

// scnReadDetail reads what scnDetail wrote.
func scnReadDetail(d *sop.Domain, parameter, text string) any {
	text = strings.TrimSpace(text)
	if v := d.Values[parameter]; v != nil && v.Stated {
		if x, ok := scnReadNumber(text, v.Unit); ok {
			return x
		}
	}
	var value any
	if scnBeginsJSON(text) && json.Unmarshal([]byte(text), &value) == nil {
		return value
	}
	return text
}

func scnBeginsJSON(text string) bool {
	return text != "" && strings.IndexByte(`{["-0123456789tfn`, text[0]) >= 0
}

func scnLabel(d *sop.Domain, parameter string) string {
	if p := d.Parameters[parameter]; p != nil && p.Label != "" {
		return strings.ReplaceAll(p.Label, "`", "'")
	}
	return scnCapital(scnWords(parameter))
}

func scnNoun(d *sop.Domain, parameter string) string {
	if p := d.Parameters[parameter]; p != nil && p.Noun != "" {
		return p.Noun
	}
	return scnWords(parameter)
}

func scnWords(identifier string) string { return strings.ReplaceAll(identifier, "_", " ") }

func scnCapital(s string) string {
	for i, r := range s {
		if i == 0 {
			return string(unicode.ToUpper(r)) + s[len(string(r)):]
		}
	}
	return s
}

// scnFill replaces every {parameter} in one pass, so that a bound value that
// itself holds braces stays as it is. What word does not know stays.
func scnFill(text string, word func(parameter, before, after string) (string, bool)) string {
	var b strings.Builder
	rest := text
	for {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(rest[open:], '}')
		if end < 0 {
			break
		}
		end += open
		b.WriteString(rest[:open])
		if w, ok := word(rest[open+1:end], b.String(), rest[end+1:]); ok {
			b.WriteString(w)
		} else {
			b.WriteString(rest[open : end+1])
		}
		rest = rest[end+1:]
	}
	return b.String() + rest
}

func scnKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func scnPick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }
