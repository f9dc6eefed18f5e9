package text

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fmsop/fmsop/sop"
)

// proseToken is a word, or a name that is one whatever it consists of.
type proseToken struct {
	text string // as it stands
	word string // in lower case; "" for a name
}

// proseStemsOf are the stems of all words of two texts.
func proseStemsOf(a, b []proseToken) map[string]bool {
	stems := map[string]bool{}
	for _, t := range slices.Concat(a, b) {
		if t.word != "" {
			stems[proseStem(t.word)] = true
		}
	}
	return stems
}

// marks reads the marks of a text. A prefix negates what is known without it.
func (p *Prose) marks(tokens []proseToken, known map[string]bool) []proseMark {
	var marks []proseMark
	add := func(kind, word string) { marks = append(marks, proseMark{kind, word}) }
	owner := ""
	for i := 0; i < len(tokens); {
		t := tokens[i]
		if t.word == "" {
			add(MarkName, t.text)
			i++
			continue
		}
		if n := proseLongest(tokens[i:], func(phrase string) bool { return prosePolite[phrase] }); n > 0 {
			i += n
			continue
		}
		if x, n := proseNumber(tokens[i:]); n > 0 {
			if i > 0 && proseApproximate[tokens[i-1].word] {
				add(MarkBound, "about")
			}
			add(MarkNumber, x)
			i += n
			continue
		}
		if n := proseLongest(tokens[i:], func(phrase string) bool { return proseOperators[phrase] != proseMark{} }); n > 0 {
			m := proseOperators[prosePhrase(tokens[i:i+n])]
			add(m.kind, m.word)
			i += n
			continue
		}
		if proseTimes[t.word] || proseQualities[t.word] {
			add(map[bool]string{true: MarkTime, false: MarkQuality}[proseTimes[t.word]], t.word)
			i++
			continue
		}
		if person, ok := proseOwners[t.word]; ok {
			if person != owner {
				add(MarkOwner, person)
				owner = person
			}
			i++
			continue
		}
		if toward, ok := proseToward[t.word]; ok {
			if p.named(tokens[i+1:]) {
				add(MarkDirection, toward)
			}
			i++
			continue
		}
		p.content(t.word, known, add)
		i++
	}
	return marks
}

// content adds what a word that is no operator says.
func (p *Prose) content(word string, known map[string]bool, add func(kind, word string)) {
	for part := range strings.SplitSeq(word, "-") {
		stem := proseStem(part)
		if p.mark(stem, add) || proseStop[part] {
			continue
		}
		for _, prefix := range proseNegating {
			rest, ok := strings.CutPrefix(part, prefix)
			if !ok || len(rest) < 4 {
				continue
			}
			if base := proseStem(rest); known[base] || p.terms[base] || proseActs[base] {
				add(MarkNegation, "not")
				p.mark(base, add)
				break
			}
		}
	}
}

func (p *Prose) mark(stem string, add func(kind, word string)) bool {
	switch {
	case proseActs[stem]:
		add(MarkAction, stem)
	case p.terms[stem]:
		add(MarkTerm, stem)
	default:
		return false
	}
	return true
}

// free are the stems of words that bear no mark and yet say something.
func (p *Prose) free(tokens []proseToken) map[string]bool {
	stems := map[string]bool{}
	for _, t := range tokens {
		for word := range strings.SplitSeq(t.word, "-") {
			stem := proseStem(word)
			switch {
			case len(word) < 3, proseStop[word], proseFiller[word], proseTimes[word], proseQualities[word], proseActs[stem], p.terms[stem]:
			case proseOrdinals[word] != "" || proseCounts(word):
			case proseOperators[word] != proseMark{} || proseOwners[word] != "" || proseToward[word] != "" || proseUnits[word] != "":
			default:
				stems[stem] = true
			}
		}
	}
	return stems
}

var proseNegating = []string{"un", "in", "im", "ir", "il", "dis", "non", "mis", "de"}

// named tells whether the tokens begin with a name or number, or with a
// determiner and a term.
func (p *Prose) named(tokens []proseToken) bool {
	determined := false
	for _, t := range tokens {
		if t.word == "" {
			return true
		}
		if proseDeterminers[t.word] {
			determined = true
			continue
		}
		if _, n := proseNumber([]proseToken{t}); n > 0 {
			return true
		}
		return determined && p.terms[proseStem(t.word)]
	}
	return false
}

// prosePhrases is how many words the longest phrase of the tables has.
const prosePhrases = 4

// proseLongest is how many tokens the longest phrase at their beginning has, 0
// where none begins there.
func proseLongest(tokens []proseToken, is func(phrase string) bool) int {
	for n := min(prosePhrases, len(tokens)); n > 0; n-- {
		if phrase := prosePhrase(tokens[:n]); phrase != "" && is(phrase) {
			return n
		}
	}
	return 0
}

func prosePhrase(tokens []proseToken) string {
	words := make([]string, len(tokens))
	for i, t := range tokens {
		if t.word == "" {
			return ""
		}
		words[i] = t.word
	}
	return strings.Join(words, " ")
}

// proseQuoted is what stands in code marks or quotation marks.
var proseQuoted = regexp.MustCompile("`[^`]*`|“[^”]*”|‘[^’]*’|\"[^\"]*\"")

// proseTokens cuts a text. Quotations and names stay whole.
func proseTokens(s string, names []string) []proseToken {
	var tokens []proseToken
	for s != "" {
		at, n := len(s), 0
		if m := proseQuoted.FindStringIndex(s); m != nil {
			at, n = m[0], m[1]-m[0]
		}
		for _, name := range names {
			if i := proseIndex(s[:min(len(s), at+len(name))], name); i >= 0 && i < at {
				at, n = i, len(name)
			}
		}
		tokens = append(tokens, proseSplit(s[:at])...)
		if n > 0 {
			tokens = append(tokens, proseToken{text: s[at : at+n]})
		}
		s = s[at+n:]
	}
	return tokens
}

// proseIndex is where the name stands as a word of its own, or -1.
func proseIndex(s, name string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(name):])
		if !proseInWord(before) && !proseInWord(after) {
			return i
		}
		from = i + len(name)
	}
}

func proseInWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_')
}

// proseSplit cuts at blanks and punctuation. What has digits among letters, an
// underscore or the like is a name.
func proseSplit(s string) []proseToken {
	var tokens []proseToken
	word := func(w string) { tokens = append(tokens, proseToken{w, w}) }
	for _, field := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("()[]{}<>;!?…—–/*", r) }) {
		text := strings.TrimRight(strings.TrimLeft(field, `'’"“”‘,.:`), `'’"“”‘,.:`)
		money, dollars := strings.CutPrefix(text, "$")
		number, percent := strings.CutSuffix(money, "%")
		lower := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
		switch {
		case text == "":
		case scnDigits.MatchString(strings.TrimPrefix(number, "-")):
			word(strings.ReplaceAll(number, ",", ""))
			if dollars {
				word("dollars")
			}
			if percent {
				word("percent")
			}
		case proseUnits[lower] == "" && proseIsName(text):
			tokens = append(tokens, proseToken{text: text})
		case lower == "cannot" || lower == "can't":
			word("can")
			word("not")
		case lower == "won't":
			word("will")
			word("not")
		case strings.HasSuffix(lower, "n't"):
			word(strings.TrimSuffix(lower, "n't"))
			word("not")
		default:
			head, tail, _ := strings.Cut(lower, "'")
			word(head)
			if tail == "d" || tail == "ll" {
				word(map[string]string{"d": "would", "ll": "will"}[tail])
			}
		}
	}
	return tokens
}

// proseIsName tells a value or identifier from a word.
func proseIsName(s string) bool {
	letters := 0
	for i, r := range s {
		switch {
		case r == '-' || r == '\'' || r == '’':
		case unicode.IsLetter(r):
			letters++
			if i > 0 && unicode.IsUpper(r) {
				return true
			}
		default:
			return true
		}
	}
	return letters == 0
}

var proseOnes = map[string]float64{"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
	"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
	"eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
	"ninety": 90, "dozen": 12, "single": 1}

var proseScales = map[string]float64{"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9}

var proseOrdinals = map[string]string{"second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th", "seventh": "7th",
	"eighth": "8th", "ninth": "9th", "tenth": "10th"}

// proseUnits are written with a number or for themselves.
var proseUnits = map[string]string{"dollar": "USD", "dollars": "USD", "usd": "USD", "buck": "USD", "bucks": "USD", "percent": "percent",
	"percentage": "percent", "cent": "cent", "cents": "cent", "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month",
	"months": "month", "monthly": "month", "year": "year", "years": "year", "yearly": "year", "annual": "year", "annually": "year",
	"hour": "hour", "hours": "hour", "minute": "minute", "minutes": "minute", "point": "point", "points": "point", "daily": "day", "weekly": "week"}

// proseNumber reads a number in digits or words at the beginning of the
// tokens, or a unit, and tells how many of them it takes.
func proseNumber(tokens []proseToken) (number string, n int) {
	word := tokens[0].word
	if x, err := strconv.ParseFloat(word, 64); err == nil && word[0] != 'i' && word[0] != 'n' { // no infinity, no NaN
		return sop.Number(x), 1
	}
	if ordinal, ok := proseOrdinals[word]; ok {
		return ordinal, 1
	}
	if unit, ok := proseUnits[word]; ok {
		return unit, 1
	}
	total, part := 0.0, 0.0
	for n < len(tokens) {
		value, scale, ok := proseCardinal(tokens[n].word)
		switch {
		case !ok && n > 0 && tokens[n].word == "and" && n+1 < len(tokens) && part >= 100:
			if _, _, more := proseCardinal(tokens[n+1].word); more {
				n++
				continue
			}
		case ok && scale == 100:
			part = max(1, part) * 100
			n++
			continue
		case ok && scale > 0:
			total += max(1, part) * scale
			part = 0
			n++
			continue
		case ok && (int(part)%100 == 0 || int(part)%10 == 0 && int(part)%100 >= 20 && value > 0 && value < 10):
			part += value
			n++
			continue
		}
		break
	}
	if n == 0 {
		return "", 0
	}
	return sop.Number(total + part), n
}

func proseCounts(word string) bool {
	_, _, ok := proseCardinal(word)
	return ok
}

// proseCardinal reads one word, also one such as twenty-five.
func proseCardinal(word string) (value, scale float64, ok bool) {
	if scale, ok = proseScales[word]; ok {
		return 0, scale, true
	}
	tens, ones, two := strings.Cut(word, "-")
	value, ok = proseOnes[tens]
	if two && ok {
		var more float64
		more, ok = proseOnes[ones]
		value += more
	}
	return value, 0, ok
}
