package world

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fmsop/fmsop/bench/python"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// moment is a point in time without a zone, to the second: Python's datetime.
//
// Attributes: year, month, day, hour, minute, second, date (the same day at
// midnight), seconds (since 1970). Methods: plus(days, hours), replace(year),
// strftime(format). Moments compare; minus gives seconds.
type moment struct{ time.Time }

var (
	_ starlark.HasAttrs   = moment{}
	_ starlark.Comparable = moment{}
	_ starlark.HasBinary  = moment{}
)

func (m moment) String() string        { return m.Format("2006-01-02 15:04:05") }
func (m moment) Type() string          { return "datetime" }
func (m moment) Freeze()               {}
func (m moment) Truth() starlark.Bool  { return true }
func (m moment) Hash() (uint32, error) { return uint32(m.Unix()), nil }

func (m moment) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	c := m.Compare(y.(moment).Time)
	switch op {
	case syntax.EQL:
		return c == 0, nil
	case syntax.NEQ:
		return c != 0, nil
	case syntax.LT:
		return c < 0, nil
	case syntax.LE:
		return c <= 0, nil
	case syntax.GT:
		return c > 0, nil
	default:
		return c >= 0, nil
	}
}

func (m moment) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	other, ok := y.(moment)
	if !ok || op != syntax.MINUS || side == starlark.Right {
		return nil, nil
	}
	return starlark.MakeInt64(m.Unix() - other.Unix()), nil
}

func (m moment) AttrNames() []string {
	return []string{"date", "day", "hour", "minute", "month", "plus", "replace", "second", "seconds", "strftime", "year"}
}

func (m moment) Attr(name string) (starlark.Value, error) {
	switch name {
	case "year":
		return starlark.MakeInt(m.Year()), nil
	case "month":
		return starlark.MakeInt(int(m.Month())), nil
	case "day":
		return starlark.MakeInt(m.Day()), nil
	case "hour":
		return starlark.MakeInt(m.Hour()), nil
	case "minute":
		return starlark.MakeInt(m.Minute()), nil
	case "second":
		return starlark.MakeInt(m.Second()), nil
	case "seconds":
		return starlark.MakeInt64(m.Unix()), nil
	case "date":
		y, mon, d := m.Date()
		return moment{time.Date(y, mon, d, 0, 0, 0, 0, time.UTC)}, nil
	case "plus":
		return method(name, m.plus), nil
	case "replace":
		return method(name, m.replace), nil
	case "strftime":
		return method(name, m.strftime), nil
	}
	return nil, nil
}

func method(name string, f func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)) starlark.Value {
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return f(args, kwargs)
	})
}

func (m moment) plus(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var days, hours starlark.Value = starlark.MakeInt(0), starlark.MakeInt(0)
	if err := starlark.UnpackArgs("plus", args, kwargs, "days?", &days, "hours?", &hours); err != nil {
		return nil, err
	}
	d, ok := starlark.AsFloat(days)
	h, also := starlark.AsFloat(hours)
	if !ok || !also {
		return nil, &python.Exception{Kind: "TypeError", Message: "unsupported type for timedelta component"}
	}
	const most = 3e6 // days between the first and the last year
	if total := d + h/24; total > most*2 || total < -most*2 {
		return nil, &python.Exception{Kind: "OverflowError", Message: "date value out of range"}
	}
	whole, rest := math.Modf(d + h/24)
	t := m.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(rest*86400)) * time.Second)
	if t.Year() < 1 || t.Year() > 9999 {
		return nil, &python.Exception{Kind: "OverflowError", Message: "date value out of range"}
	}
	return moment{t}, nil
}

func (m moment) replace(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	year := m.Year()
	if err := starlark.UnpackArgs("replace", args, kwargs, "year", &year); err != nil {
		return nil, err
	}
	return newMoment(year, int(m.Month()), m.Day(), m.Hour(), m.Minute(), m.Second())
}

func (m moment) strftime(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var format string
	if err := starlark.UnpackArgs("strftime", args, kwargs, "format", &format); err != nil {
		return nil, err
	}
	return starlark.String(strings.NewReplacer(
		"%Y", fmt.Sprintf("%04d", m.Year()), "%m", fmt.Sprintf("%02d", int(m.Month())), "%d", fmt.Sprintf("%02d", m.Day()),
		"%H", fmt.Sprintf("%02d", m.Hour()), "%M", fmt.Sprintf("%02d", m.Minute()), "%S", fmt.Sprintf("%02d", m.Second()),
		"%B", m.Month().String(),
	).Replace(format)), nil
}

// newMoment is datetime(year, …), which refuses what no calendar has.
func newMoment(year, month, day, hour, minute, second int) (starlark.Value, error) {
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	switch {
	case year < 1 || year > 9999:
		return nil, valueError("year %d is out of range", year)
	case month < 1 || month > 12:
		return nil, valueError("month must be in 1..12")
	case t.Day() != day || int(t.Month()) != month:
		return nil, valueError("day is out of range for month")
	case hour > 23 || minute > 59 || second > 59 || hour < 0 || minute < 0 || second < 0:
		return nil, valueError("second must be in 0..59")
	}
	return moment{t}, nil
}

func valueError(format string, args ...any) error {
	return &python.Exception{Kind: "ValueError", Message: fmt.Sprintf(format, args...)}
}

// directives are the parts of a format that strptime knows, as the patterns
// that Python's own reads them with: months and days need no padding, a year
// needs four digits.
var directives = map[byte]string{
	'Y': `(?P<Y>\d\d\d\d)`,
	'm': `(?P<m>1[0-2]|0[1-9]|[1-9])`,
	'd': `(?P<d>3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9])`,
	'H': `(?P<H>2[0-3]|[0-1]\d|\d)`,
	'M': `(?P<M>[0-5]\d|\d)`,
	'S': `(?P<S>6[0-1]|[0-5]\d|\d)`,
	'B': `(?P<B>january|february|march|april|may|june|july|august|september|october|november|december)`,
}

var formats sync.Map // format -> *regexp.Regexp

func compileFormat(format string) (*regexp.Regexp, error) {
	if re, ok := formats.Load(format); ok {
		return re.(*regexp.Regexp), nil
	}
	var b strings.Builder
	b.WriteString(`(?i)^`)
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '%' && i+1 < len(format) && directives[format[i+1]] != "":
			i++
			b.WriteString(directives[format[i]])
		case c == '%':
			return nil, valueError("'%s' has a directive other than %%Y %%m %%d %%H %%M %%S %%B", format)
		case c == ' ':
			b.WriteString(`\s+`)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, valueError("bad format %q", format) // one directive twice
	}
	formats.Store(format, re)
	return re, nil
}

// strptime is datetime.strptime of Python for %Y %m %d %H %M %S %B. Where a
// text does not fit, otherwise is the result, if it is given.
func strptime(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text, otherwise starlark.Value
	var format string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text, "format", &format, "otherwise?", &otherwise); err != nil {
		return nil, err
	}
	t, err := parseMoment(text, format)
	var thrown *python.Exception
	if otherwise != nil && errors.As(err, &thrown) && thrown.Kind == "ValueError" {
		return otherwise, nil
	}
	return t, err
}

func parseMoment(text starlark.Value, format string) (starlark.Value, error) {
	s, ok := text.(starlark.String)
	if !ok {
		return nil, &python.Exception{Kind: "TypeError", Message: "strptime() argument 1 must be str, not " + typeName(text)}
	}
	re, err := compileFormat(format)
	if err != nil {
		return nil, err
	}
	m := re.FindStringSubmatch(string(s))
	if m == nil {
		return nil, valueError("time data %s does not match format %s", python.Repr(s), python.Repr(starlark.String(format)))
	}
	if rest := string(s)[len(m[0]):]; rest != "" {
		return nil, valueError("unconverted data remains: %s", rest)
	}
	field := map[string]int{"Y": 1900, "m": 1, "d": 1}
	for i, name := range re.SubexpNames() {
		switch name {
		case "":
		case "B":
			field["m"] = monthNumber(m[i])
		default:
			field[name], _ = strconv.Atoi(strings.TrimSpace(m[i])) // the pattern lets digits through only
		}
	}
	return newMoment(field["Y"], field["m"], field["d"], field["H"], field["M"], field["S"])
}

func monthNumber(name string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String(), name) {
			return int(m)
		}
	}
	return 0
}

// typeName is what Python calls the type of x.
func typeName(x starlark.Value) string {
	switch x.Type() {
	case "string":
		return "str"
	}
	return x.Type()
}
