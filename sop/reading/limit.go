package reading

import (
	"regexp"
	"strconv"
	"strings"
)

// limit is a number that something is held against.
type limit struct {
	subject string // the words before it
	compare string // how a value that is within relates to the number: < <= > >=
	number  float64
	unit    string
	whole   bool // nothing of the clause is left over behind it
	ranged  bool // it is one of the two ends of a range
}

var (
	comparators = []struct {
		compare string
		words   string
	}{
		{"<=", `no more than|not more than|at most|up to|no later than|not exceeding|(?:does|do|must|should|may) not exceed|(?:a )?maximum(?: [\w-]+){0,2}(?: of)?|within|≤|<=`},
		{">=", `at least|no less than|not less than|no fewer than|(?:a )?minimum(?: [\w-]+){0,2}(?: of)?|≥|>=`},
		{">", `exceeds|exceed|exceeding|exceeded|more than|greater than|higher than|larger than|longer than|older than|later than|over|above|beyond|>`},
		{"<", `less than|fewer than|lower than|smaller than|shorter than|younger than|earlier than|falls below|fall below|below|under|<`},
	}
	quantity = `(?:(?:a |an )?(?:value|score|threshold|total|level) of )?(\$|€|£|USD |EUR )?(\d[\d,]*(?:\.\d+)?|` + strings.Join(numerals[1:], "|") + `)(?:(?: ?|-)(%|percent|per cent|` +
		`milliseconds?|ms|seconds?|minutes?|min|hours?|business days?|calendar days?|working days?|days?|weeks?|months?|years?|miles?|km|kilomet(?:er|re)s?|met(?:er|re)s?|` +
		`kg|lbs?|pounds?|dollars?|euros?|usd|eur|points?|attempts?|retry attempts|retries|times|copies|items|digits|mbps|gb|mb|reviewers|pixels)\b|%)?`
	limits = func() []*regexp.Regexp {
		list := make([]*regexp.Regexp, len(comparators))
		for i, c := range comparators {
			list[i] = regexp.MustCompile(`(?i)(?:^|[\s(])(?:` + c.words + `)\s*` + quantity)
		}
		return list
	}()
	// orMore compares behind the number: "5 percent or lower".
	orMore  = regexp.MustCompile(`(?i)(?:^|[\s(])` + quantity + `(?:\s+(?:degrees(?: (?:celsius|fahrenheit))?|°C|°F))?,?\s+or\s+(higher|more|greater|above|older|longer|over|later|lower|less|fewer|below|younger|shorter|under|earlier)\b`)
	lesser  = wordSet("lower less fewer below younger shorter under earlier")
	nothing = regexp.MustCompile(`(?i)^[ .;,)]*(?:old|late|ago|long|away|each|in total|per \w+)?[ .;,)]*$`)
	between = regexp.MustCompile(`(?i)(?:between|within the range|ranges? from|ranges?)\s*\(?(\d+(?:\.\d+)?)\s*(?:and|to|-|–)\s*(\d+(?:\.\d+)?)\)?`)
)

var numerals = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// findLimits returns the limits that a text names, as they stand.
func findLimits(text string) (found []limit) {
	type hit struct{ start, end int }
	var taken []hit
	free := func(start, end int) bool {
		for _, h := range taken {
			if start < h.end && h.start < end {
				return false
			}
		}
		taken = append(taken, hit{start, end})
		return true
	}
	for _, m := range between.FindAllStringSubmatchIndex(text, -1) {
		if !free(m[0], m[1]) {
			continue
		}
		low, _ := strconv.ParseFloat(text[m[2]:m[3]], 64)
		high, _ := strconv.ParseFloat(text[m[4]:m[5]], 64)
		subject := subjectOf(text[:m[0]])
		found = append(found, limit{subject: subject, compare: ">=", number: low, ranged: true}, limit{subject: subject, compare: "<=", number: high, ranged: true})
	}
	for _, m := range orMore.FindAllStringSubmatchIndex(text, -1) {
		if !free(m[0], m[1]) {
			continue
		}
		l := limit{subject: subjectOf(text[:m[0]]), compare: ">=", number: parseNumber(text[m[4]:m[5]]), whole: nothing.MatchString(text[m[1]:])}
		if lesser[strings.ToLower(text[m[8]:m[9]])] {
			l.compare = "<="
		}
		l.unit = unitAt(text, m)
		found = append(found, l)
	}
	for i, c := range comparators {
		for _, m := range limits[i].FindAllStringSubmatchIndex(text, -1) {
			if !free(m[0], m[1]) {
				continue
			}
			l := limit{subject: subjectOf(text[:m[0]]), compare: c.compare, whole: nothing.MatchString(text[m[1]:])}
			l.number = parseNumber(text[m[4]:m[5]])
			l.unit = unitAt(text, m)
			found = append(found, l)
		}
	}
	return found
}

// unitAt is the unit of a quantity whose currency is the first group, and whose
// unit behind the number the third.
func unitAt(text string, m []int) string {
	switch {
	case m[2] >= 0:
		return unitOf(strings.TrimSpace(text[m[2]:m[3]]))
	case m[6] >= 0:
		return unitOf(text[m[6]:m[7]])
	case strings.Contains(text[m[5]:m[1]], "%"):
		return "percent"
	}
	return ""
}

func parseNumber(s string) float64 {
	for i, w := range numerals {
		if strings.EqualFold(s, w) {
			return float64(i)
		}
	}
	x, _ := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return x
}

var units = map[string]string{"$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP",
	"%": "percent", "percent": "percent", "per cent": "percent", "ms": "milliseconds", "min": "minutes"}

func unitOf(s string) string {
	s = strings.ToLower(s)
	if u, ok := units[s]; ok {
		return u
	}
	if !strings.HasSuffix(s, "s") && s != "kg" && s != "km" && s != "gb" && s != "mb" {
		s += "s"
	}
	return s
}

// subjectOf is what a limit is about: the last words before it.
func subjectOf(before string) string {
	for _, at := range commas(before) {
		if rest := strings.TrimSpace(before[at+1:]); len(content(rest)) > 0 {
			before = before[at+1:]
			break
		}
	}
	list := content(before)
	if len(list) > 0 && verbs[list[0]] {
		list = list[1:]
	}
	return strings.Join(list[max(0, len(list)-4):], " ")
}
