package agents

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fmsop/fmsop/sop/text"
)

// scoreValue holds an answer against one date, number, call or term.
func (a *asking) scoreValue(g given) finding {
	key := a.question.Key
	if a.reference != nil {
		return a.scoreNext(g)
	}
	if _, err := time.Parse(time.DateOnly, key.Value[0]); err == nil {
		return a.scoreStated(g, key.Value[0], statedDays)
	}
	if x, err := strconv.ParseFloat(key.Value[0], 64); err == nil {
		unit, _ := measureOf(key.Unit)
		right := strings.TrimSpace(key.Value[0] + " " + key.Unit)
		return a.scoreStated(g, right, statedNumbers(x, unit, right))
	}
	if base, _, _ := strings.Cut(key.Value[0], "("); strings.Contains(base, "_") || slices.Contains(names(a.question.Context), base) {
		m, err := a.oneCall(g)
		if err != nil {
			return nought("%v", err)
		}
		return a.is(a.item(m), slices.Concat(key.Value, key.Also))
	}
	return a.scoreTerm(g)
}

// is scores what was read as one of the right ones, or not.
func (a *asking) is(said string, right []string) finding {
	f := finding{understood: understood{Read: []string{said}}, reason: fmt.Sprintf("%s is not %s", said, a.question.Key.Value[0])}
	if slices.Contains(right, said) {
		f.e, f.reason = 1, said+" is right"
	}
	return f
}

// scoreNext takes any next action after which the workflow is still without
// violation.
func (a *asking) scoreNext(g given) finding {
	m, err := a.oneCall(g)
	if err != nil {
		return nought("%v", err)
	}
	return a.is(a.item(m), a.next())
}

// stated is a value that a text states somewhere.
type stated struct {
	value      string // in the form of the key
	rank       int    // those of the least rank count: a unit that fits, no unit, another unit
	begin, end int
}

var announcesValue = announcing(verdictWords + `|value|number|figure|amount|date`)

// scoreStated wants the value that an answer settles on, of all that it states,
// to be the key's.
func (a *asking) scoreStated(g given, key string, find func(text string) []stated) finding {
	whole := unlisted(unwrapped(g.text))
	firstLine, _, _ := strings.Cut(concluded(whole, announcesValue), "\n")
	for _, part := range []string{firstLine, whole} {
		list := find(part)
		if len(list) == 0 {
			continue
		}
		least := slices.MinFunc(list, func(x, y stated) int { return cmp.Compare(x.rank, y.rank) }).rank
		list = slices.DeleteFunc(list, func(s stated) bool { return s.rank != least || excludedBefore.MatchString(tail(part[:s.begin])) })
		values := a.settled(part, list)
		switch len(values) {
		case 0:
			return nought("the value is stated as one that it is not")
		case 1:
			return a.is(values[0], []string{key})
		}
		return nought("undecided between %s", strings.Join(values[:min(len(values), 5)], ", "))
	}
	return nought("off the format: no such value in it")
}

var excludedBefore = regexp.MustCompile(`(?i)(?:\b(?:not|never|neither|nor|instead of|rather than|unlike)|n't)\s+(?:(?:be|is|the|a|an|to|exactly|just)\s+)*[("'` + "`" + `]*$`)

// settled are the values that remain in a text of several: those of the clauses
// that share the most words with the query; of these, where the query asks for a
// bound, those called one, else the others.
func (a *asking) settled(part string, list []stated) []string {
	wanted := contentWords(a.question.Query)
	best, bound := 0, bounds.MatchString(a.question.Query)
	score := func(s stated) int {
		clause := clauseAround(part, s)
		n := 0
		for w := range contentWords(clause) {
			if wanted[w] {
				n += 2
			}
		}
		if bounds.MatchString(clause) == bound {
			n++
		}
		return n
	}
	for _, s := range list {
		best = max(best, score(s))
	}
	var values []string
	for _, s := range list {
		if score(s) == best && !slices.Contains(values, s.value) {
			values = append(values, s.value)
		}
	}
	return values
}

var (
	bounds      = regexp.MustCompile(`(?i)\b(?:limit\w*|max\w*|min\w*|at least|at most|less than|more than|(?:great|high|low|small)er than|below|above|under|over|exceed\w*|require\w*|ceiling|floor|threshold|up to|must)\b`)
	clauseBreak = regexp.MustCompile(`(?i)[.;!?]\s|\n|,\s|\b(?:and|but|since|because|although|though|while|whereas|so|which|therefore|plus|or|if|(?:is )?(?:below|above|less|more|greater|higher|lower))\b|\s[–—]\s`)
	wordOf      = regexp.MustCompile(`\pL{3,}`)
	emptyWords  = " the this that and for are was were has have had with what which how much many according document state number unit date day give does did you your here its now from not reply figure only look colleague asks look will been who whom whose when where "
)

// contentWords of a text, by their first letters.
func contentWords(s string) map[string]bool {
	words := map[string]bool{}
	for _, w := range wordOf.FindAllString(strings.ToLower(s), -1) {
		if !strings.Contains(emptyWords, " "+w+" ") {
			words[w[:min(6, len(w))]] = true
		}
	}
	return words
}

// clauseAround is the clause that states a value.
func clauseAround(part string, s stated) string {
	begin := max(0, s.begin-around)
	breaks := clauseBreak.FindAllStringIndex(part[begin:s.begin], -1)
	if n := len(breaks); n > 0 {
		begin += breaks[n-1][0]
	}
	rest := head(part[s.end:])
	if at := clauseBreak.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	return part[begin:s.end] + rest
}

func statedDays(part string) []stated {
	var list []stated
	for _, d := range days(part) {
		list = append(list, stated{value: d.date, begin: d.begin, end: d.end})
	}
	return list
}

// statedNumbers finds quantities that can be held against one of this unit. The
// ones that equal it are written as it is.
func statedNumbers(key float64, unit measure, right string) func(string) []stated {
	return func(part string) []stated {
		blank := []byte(part)
		var list []quantity
		cut := func(begin, end int) {
			for i := begin; i < end; i++ {
				blank[i] = ' '
			}
		}
		for _, d := range days(part) {
			cut(d.begin, d.end)
		}
		for _, c := range clockTimes(string(blank)) {
			cut(c.begin, c.end)
			if unit.class == "time" {
				list = append(list, c)
			}
		}
		var found []stated
		for _, x := range append(list, quantities(string(blank))...) {
			s := stated{begin: x.begin, end: x.end}
			v, ok := x.in(unit)
			switch {
			case !ok:
				s.rank, s.value = 2, fmt.Sprint(x.value, " ", x.unit.class)
			case math.Abs(v-key) <= 1e-9*max(1, math.Abs(key)):
				s.value = right
			default:
				s.value = fmt.Sprint(v)
			}
			if ok && x.unit.class == "" && unit.class != "" {
				s.rank = 1
			}
			found = append(found, s)
		}
		return found
	}
}

var announcesTerm = announcing(verdictWords + `|term|word|name`)

// scoreTerm wants the one term that the answer settles on to be the key's, or a
// synonym of it.
func (a *asking) scoreTerm(g given) finding {
	right := slices.Concat(a.question.Key.Value, a.question.Key.Also)
	list := slices.Clone(right)
	if entries, err := text.ReadGlossary(a.question.Context); err == nil {
		for _, e := range entries {
			list = append(list, e.Term)
		}
	}
	whole := unwrapped(g.text)
	for _, part := range []string{concluded(whole, announcesTerm), whole} {
		terms := meantTerms(part, list)
		wrong := slices.DeleteFunc(slices.Clone(terms), func(t string) bool { return slices.Contains(right, t) })
		switch {
		case len(terms) == 1 || len(terms) > 1 && len(wrong) == 0:
			return a.is(terms[0], right)
		case len(terms) > 1:
			return nought("undecided between %s", strings.Join(terms[:min(len(terms), 5)], ", "))
		}
	}
	return nought("off the format: none of the terms is named")
}

// mentionedTerms finds terms in a text, also in the plural, or with their words
// joined.
func mentionedTerms(part string, terms []string) (list []mention) {
	index := map[string]string{}
	var patterns []string
	// The pattern takes the first that fits: longer ones first.
	for _, term := range slices.SortedStableFunc(slices.Values(terms), func(x, y string) int { return cmp.Compare(len(y), len(x)) }) {
		if _, twice := index[squeezed(term)]; !twice {
			index[squeezed(term)] = term
		}
		words := strings.FieldsFunc(term, func(r rune) bool { return r == '_' || r == ' ' || r == '-' })
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		patterns = append(patterns, strings.Join(words, `[\s_-]*`))
	}
	pattern := regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(` + strings.Join(patterns, "|") + `)(?:'?s)?(?:$|[^\pL\pN])`)
	for from := 0; from < len(part) && len(list) < maxMentions; {
		at := pattern.FindStringSubmatchIndex(part[from:])
		if at == nil {
			break
		}
		m := mention{known: true, begin: from + at[2], end: from + at[3]}
		m.name = index[squeezed(part[m.begin:m.end])]
		list = append(list, m)
		from = m.end
	}
	negate(part, list)
	return list
}

// meantTerms are the terms that a text settles on: the one that it begins with,
// unless others are joined to it; else those set off by quotes; else all.
func meantTerms(part string, terms []string) []string {
	list := meant(mentionedTerms(part, terms))
	if len(list) > 1 && strings.Trim(part[:list[0].begin], " \n\"'`(*_#>-") == "" && !joint(part, list[0], list[1]) {
		list = list[:1]
	}
	quoted := slices.DeleteFunc(slices.Clone(list), func(m mention) bool {
		return m.begin == 0 || m.end == len(part) || strings.IndexByte("\"`", part[m.begin-1]) < 0 || part[m.end] != part[m.begin-1]
	})
	if len(quoted) > 0 {
		list = quoted
	}
	return distinct(list)
}
