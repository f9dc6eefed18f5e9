package agents

import (
	"cmp"
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
	figure    = `\d{1,3}(?:[ ,']\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+[.,]\d+|\d+`
	inFigures = `(?:us dollars?|u\.s\. dollars?|dollars?|usd|bucks?|cents?|euros?|eur|pounds?|gbp|yen|jpy|percentage points?|percent|per cent|pct|points?|pts?|` +
		`minutes?|mins?|hours?|hrs?|h|days?|d|weeks?|wks?|months?|years?|yrs?|nights?|times|attempts?)\b|[%€£$]`
	inWriting = `(?:(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|` +
		`twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)(?:[ -](?:and )?)?)+`
)

var amount = regexp.MustCompile(`(?i)(?P<minus>-)?(?:(?P<currency>us\$|[$€£¥]|\busd\b|\beur\b)\s?)?(?P<number>(?P<figure>` + figure + `)(?P<scale>[km]\b)?|\b(?P<writing>` + inWriting + `)\b)` +
	"(?:[\"'`)]|\\s*\\([a-z -]+\\))*[\\s-]?(?P<unit>" + inFigures + `)?`)

// groups gives the groups of a match by their names.
func groups(pattern *regexp.Regexp, text string, at []int) func(name string) string {
	return func(name string) string {
		k := 2 * pattern.SubexpIndex(name)
		if at[k] < 0 {
			return ""
		}
		return text[at[k]:at[k+1]]
	}
}

// quantities are the numbers of a text, in order. A unit after the last of
// several joined numbers goes for all of them. A number in words counts where it
// has a unit, or stands alone.
func quantities(text string) []quantity {
	var list []quantity
	k := 2 * amount.SubexpIndex("number")
	for _, at := range amount.FindAllStringSubmatchIndex(text, maxMentions) {
		group := groups(amount, text, at)
		if first, last := at[k], at[k+1]; first > 0 && inWord(text[first-1]) || last == at[1] && last < len(text) && isLetter(text[last]) {
			continue
		}
		x := quantity{begin: at[0], end: at[1]}
		if f := group("figure"); f != "" {
			x.value = number(f) * map[string]float64{"": 1, "k": 1e3, "m": 1e6}[strings.ToLower(group("scale"))]
		} else {
			x.value = spelledOut(group("writing"))
		}
		if group("minus") != "" && (at[0] == 0 || strings.IndexByte(" \n\t(\"'`", text[at[0]-1]) >= 0) {
			x.value = -x.value
		}
		if unit, ok := measureOf(group("unit")); ok {
			x.unit = unit
		} else if unit, ok := measureOf(group("currency")); ok {
			x.unit = unit
		}
		if group("writing") == "" || x.unit.class != "" || len(strings.Fields(text)) <= 3 {
			list = append(list, x)
		}
	}
	for i := len(list) - 2; i >= 0; i-- {
		if list[i].unit.class == "" && conjunction.MatchString(text[list[i].end:list[i+1].begin]) {
			list[i].unit = list[i+1].unit
		}
	}
	return summed(text, list)
}

// summed adds up what is said in two units: an hour and 30 minutes.
func summed(text string, list []quantity) []quantity {
	var sums []quantity
	for _, x := range list {
		if n := len(sums); n > 0 {
			last := &sums[n-1]
			if x.unit.class == "time" && last.unit.class == "time" && x.value*x.unit.factor < last.unit.factor && summand.MatchString(text[last.end:x.begin]) {
				last.value += x.value * x.unit.factor / last.unit.factor
				last.end = x.end
				continue
			}
		}
		sums = append(sums, x)
	}
	return sums
}

var summand = regexp.MustCompile(`^\s*(?:,?\s*and)?\s*$`)

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func inWord(c byte) bool   { return isLetter(c) || c >= '0' && c <= '9' || c == '.' || c == ':' }

var thousands = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+$`)

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

var clock = regexp.MustCompile(`(?i)\b(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>[ap])\.?m\b|\b(?P<hour24>\d{1,2}):(?P<minute24>\d{2})\b`)

// clockTimes are the times of day in a text, in hours.
func clockTimes(text string) []quantity {
	var list []quantity
	for _, at := range clock.FindAllStringSubmatchIndex(text, maxMentions) {
		group := groups(clock, text, at)
		hour, _ := strconv.Atoi(group("hour") + group("hour24"))
		minute, _ := strconv.Atoi(group("minute") + group("minute24"))
		switch half := strings.ToLower(group("half")); {
		case half == "p" && hour < 12:
			hour += 12
		case half == "a" && hour == 12:
			hour = 0
		}
		list = append(list, quantity{float64(hour) + float64(minute)/60, measures["hour"], at[0], at[1]})
	}
	return list
}

// day is a date in a text.
type day struct {
	date       string // 2006-01-02
	begin, end int
}

const (
	monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
	ordinal    = `(?:st|nd|rd|th)?`
)

var dateForms = []*regexp.Regexp{
	regexp.MustCompile(`\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?:T[\d:.]+Z?)?\b`),
	regexp.MustCompile(`(?i)\b(?P<name>` + monthNames + `)\.?\s+(?P<day>\d{1,2})` + ordinal + `,?\s+(?P<year>\d{4})\b`),
	regexp.MustCompile(`(?i)\b(?P<day>\d{1,2})` + ordinal + `\.?\s+(?:of\s+)?(?P<name>` + monthNames + `)\.?,?\s+(?P<year>\d{4})\b`),
	regexp.MustCompile(`\b(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})\b`),
	regexp.MustCompile(`\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})\b`),
}

// days are the dates of a text. The month comes before a slash, the day before
// a point, unless it must be the other way round. What no calendar has is no
// date.
func days(text string) []day {
	var list []day
	for _, form := range dateForms {
		for _, at := range form.FindAllStringSubmatchIndex(text, maxMentions) {
			count := func(name string) int {
				if form.SubexpIndex(name) < 0 {
					return 0
				}
				n, _ := strconv.Atoi(groups(form, text, at)(name))
				return n
			}
			month, date := count("month"), count("day")
			if form.SubexpIndex("name") > 0 {
				month = monthOf(groups(form, text, at)("name"))
			}
			if month > 12 {
				month, date = date, month
			}
			t := time.Date(count("year"), time.Month(month), date, 0, 0, 0, 0, time.UTC)
			if t.Year() == count("year") && int(t.Month()) == month && t.Day() == date {
				list = append(list, day{t.Format(time.DateOnly), at[0], at[1]})
			}
		}
	}
	slices.SortFunc(list, func(x, y day) int { return cmp.Compare(x.begin, y.begin) })
	return list
}

// monthOf is the number of a month by its first letters.
func monthOf(name string) int {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(m.String()[:3], name[:3]) {
			return int(m)
		}
	}
	return 0
}
