package agents

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// measure is a unit: how many of the smallest unit of its class it has. Units
// of one class can be converted.
type measure struct {
	class  string
	factor float64
}

// measures by their words. A month is a share of a year, not a number of days.
var measures = map[string]measure{
	"minute": {"time", 1}, "min": {"time", 1}, "hour": {"time", 60}, "hr": {"time", 60}, "h": {"time", 60},
	"day": {"time", 24 * 60}, "d": {"time", 24 * 60}, "week": {"time", 7 * 24 * 60}, "wk": {"time", 7 * 24 * 60},
	"year": {"time", 365 * 24 * 60}, "yr": {"time", 365 * 24 * 60}, "month": {"time", 365 * 24 * 60 / 12.0},
	"night": {"nights", 1}, "time": {"times", 1}, "attempt": {"times", 1},
	"usd": {"USD", 1}, "$": {"USD", 1}, "us$": {"USD", 1}, "dollar": {"USD", 1}, "buck": {"USD", 1}, "cent": {"USD", 0.01},
	"eur": {"EUR", 1}, "€": {"EUR", 1}, "euro": {"EUR", 1}, "gbp": {"GBP", 1}, "£": {"GBP", 1}, "pound": {"GBP", 1}, "jpy": {"JPY", 1}, "¥": {"JPY", 1}, "yen": {"JPY", 1},
	"percent": {"percent", 1}, "%": {"percent", 1}, "per cent": {"percent", 1}, "pct": {"percent", 1}, "percentage point": {"percent", 1},
	"point": {"points", 1}, "pt": {"points", 1},
}

func measureOf(word string) (measure, bool) {
	word = strings.ToLower(strings.TrimSpace(word))
	m, ok := measures[word]
	if !ok {
		m, ok = measures[strings.TrimSuffix(word, "s")]
	}
	return m, ok
}

// quantity is a number in a text, with its unit.
type quantity struct {
	value      float64
	unit       measure // zero without a unit
	begin, end int
}

// in converts a quantity; false where the unit is of another class. Without a
// unit it has the wanted one.
func (x quantity) in(unit measure) (float64, bool) {
	switch {
	case x.unit.class == "" || unit.class == "":
		return x.value, true
	case x.unit.class != unit.class:
		return 0, false
	}
	return x.value * x.unit.factor / unit.factor, true
}

const (
	figure     = `\d{1,3}(?:[ ,']\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+[.,]\d+|\d+`
	unitWords  = `us\$|us dollars?|u\.s\. dollars?|dollars?|usd|bucks|cents?|euros?|eur|pounds?|gbp|yen|jpy|percentage points?|percent|per cent|pct|points?|pts?|minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|wks?|months?|years?|yrs?|nights?|times|attempts?`
	spelledOne = `(?:(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)(?:[ -](?:and )?)?)+`
)

var (
	amount = regexp.MustCompile(`(?i)(-)?(?:(us\$|[$€£¥]|\busd\b|\beur\b)\s?)?(-)?(?:(` + figure + `)(k\b|m\b)?|\b(` + spelledOne + `)\b)` +
		"(?:[\"'`)]|\\s*\\([a-z -]+\\))*[\\s-]?(?:(" + unitWords + `)\b|([%€£$]))?`)
	thousands = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+$`)
	clock     = regexp.MustCompile(`(?i)\b(\d{1,2})(?::(\d{2}))?\s*(am|pm|a\.m\.|p\.m\.)|\b(\d{1,2}):(\d{2})\b`)
)

// quantities are the numbers of a text, in order. A unit after the last of
// several joined numbers goes for all of them.
func quantities(text string) []quantity {
	var list []quantity
	for _, at := range amount.FindAllStringSubmatchIndex(text, -1) {
		group := func(k int) string {
			if at[2*k] < 0 {
				return ""
			}
			return text[at[2*k]:at[2*k+1]]
		}
		first, last := at[8], max(at[9], at[11])
		if first < 0 {
			first, last = at[12], at[13]
		}
		if first > 0 && partOfWord(text[first-1]) || last < len(text) && at[1] == last && (letter(text[last]) || text[last] == '_') {
			continue
		}
		x := quantity{begin: at[0], end: at[1]}
		if f := group(4); f != "" {
			x.value = number(f)
			switch strings.ToLower(group(5)) {
			case "k":
				x.value *= 1e3
			case "m":
				x.value *= 1e6
			}
		} else {
			x.value = spelledOut(group(6))
		}
		if group(1)+group(3) != "" && (at[0] == 0 || strings.IndexByte(" \n\t(\"'`", text[at[0]-1]) >= 0) {
			x.value = -x.value
		}
		for _, k := range []int{7, 8, 2} {
			words := strings.ToLower(group(k))
			if strings.HasSuffix(words, "dollars") || strings.HasSuffix(words, "dollar") {
				words = "dollar"
			}
			if m, ok := measureOf(words); ok && x.unit.class == "" {
				x.unit = m
			}
		}
		if group(6) != "" && x.unit.class == "" && len(strings.Fields(text)) > 3 {
			continue // "one" of prose
		}
		list = append(list, x)
	}
	for i := len(list) - 2; i >= 0; i-- {
		if list[i].unit.class == "" && conjunction.MatchString(text[list[i].end:list[i+1].begin]) {
			list[i].unit = list[i+1].unit
		}
	}
	return list
}

func partOfWord(c byte) bool {
	return letter(c) || c == '_' || c == '.' || c >= '0' && c <= '9' || c == ':'
}
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// number reads a figure. A comma before three digits parts thousands, any other
// one decimals; so does a point, unless there are two, or a comma follows.
func number(s string) float64 {
	s = strings.NewReplacer(" ", "", "'", "").Replace(s)
	switch comma, point := strings.LastIndex(s, ","), strings.LastIndex(s, "."); {
	case comma > point && point >= 0, comma >= 0 && point < 0 && !thousands.MatchString(s): // 1.000,50 and 12,5
		s = strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
	case strings.Count(s, ".") > 1: // 1.000.000
		s = strings.ReplaceAll(s, ".", "")
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

var spelled = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
	"fifteen", "sixteen", "seventeen", "eighteen", "nineteen"}

var spelledTens = []string{"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}

// spelledOut reads a number in words.
func spelledOut(s string) float64 {
	total, part := 0.0, 0.0
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '-' }) {
		switch k := slices.Index(spelled, w); {
		case k >= 0:
			part += float64(k)
		case w == "hundred":
			part = max(part, 1) * 100
		case w == "thousand" || w == "million":
			total += max(part, 1) * map[string]float64{"thousand": 1e3, "million": 1e6}[w]
			part = 0
		case slices.Contains(spelledTens, w):
			part += 10 * float64(slices.Index(spelledTens, w))
		}
	}
	return total + part
}

// clockTimes are the times of day in a text, in hours.
func clockTimes(text string) []quantity {
	var list []quantity
	for _, at := range clock.FindAllStringSubmatchIndex(text, -1) {
		group := func(k int) string {
			if at[2*k] < 0 {
				return ""
			}
			return text[at[2*k]:at[2*k+1]]
		}
		hour, _ := strconv.Atoi(group(1) + group(4))
		minute, _ := strconv.Atoi(group(2) + group(5))
		switch half := strings.ToLower(group(3)); {
		case strings.HasPrefix(half, "p") && hour < 12:
			hour += 12
		case strings.HasPrefix(half, "a") && hour == 12:
			hour = 0
		}
		list = append(list, quantity{value: float64(hour) + float64(minute)/60, unit: measures["hour"], begin: at[0], end: at[1]})
	}
	return list
}

// day is a date in a text.
type day struct {
	date       string // 2006-01-02
	begin, end int
}

const monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`

var dateForms = regexp.MustCompile(`(?i)\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:T[\d:.]+Z?)?\b|` +
	`\b(` + monthNames + `)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b|` +
	`\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(` + monthNames + `)\.?,?\s+(\d{4})\b|` +
	`\b(\d{1,2})([./-])(\d{1,2})[./-](\d{4})\b`)

// days are the dates of a text. Of two figures before a year the first is the
// month where a slash follows, else the day, unless it must be the other way
// round. What no calendar has is no date.
func days(text string) []day {
	var list []day
	for _, at := range dateForms.FindAllStringSubmatchIndex(text, -1) {
		group := func(k int) string {
			if at[2*k] < 0 {
				return ""
			}
			return text[at[2*k]:at[2*k+1]]
		}
		count := func(k int) int { n, _ := strconv.Atoi(group(k)); return n }
		var year, month, date int
		switch {
		case group(1) != "":
			year, month, date = count(1), count(2), count(3)
		case group(4) != "":
			year, month, date = count(6), monthOf(group(4)), count(5)
		case group(8) != "":
			year, month, date = count(9), monthOf(group(8)), count(7)
		default:
			year, month, date = count(13), count(12), count(10)
			if group(11) == "/" && date <= 12 || month > 12 {
				month, date = date, month
			}
		}
		t := time.Date(year, time.Month(month), date, 0, 0, 0, 0, time.UTC)
		if t.Year() == year && int(t.Month()) == month && t.Day() == date {
			list = append(list, day{t.Format(time.DateOnly), at[0], at[1]})
		}
	}
	return list
}

func monthOf(name string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(m.String())[:3]) {
			return int(m)
		}
	}
	return 0
}
