package stages

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The violations of an answer of stage 1.
const (
	WrongTerm = "wrong_term" // a term is named that is none of the right ones
	Hedge     = "hedge"      // the term is denied, doubted, or one of several offered
)

// judge wants every term that the answer names to be right, and none of them
// hedged. A synonym is right.
func (r *ConceptReference) judge(answer string) Verdict {
	claims, err := readClaims(answer)
	if err != nil {
		return unreadable(err)
	}
	right := map[string]bool{}
	for _, t := range slices.Concat(r.Answers, r.Synonyms) {
		right[plainTerm(t)] = true
	}
	var found []Violation
	for _, c := range claims {
		v := Violation{Kind: WrongTerm, Term: shortened(c.term)}
		if right[plainTerm(c.term)] {
			if !hedging.MatchString(c.around) {
				continue
			}
			v = Violation{Kind: Hedge, Text: shortened(c.around)}
		}
		same := func(w Violation) bool { return w.Kind == v.Kind && w.Term == v.Term && w.Text == v.Text }
		if !slices.ContainsFunc(found, same) {
			found = append(found, v)
		}
	}
	return verdictOf(found)
}

// plainTerm is equal for the spellings of one term: it does away with case,
// marks around it, underscores, an article in front, empty parentheses, and
// blanks within (parameter=source).
func plainTerm(term string) string {
	s := strings.ToLower(strings.ReplaceAll(strings.Trim(term, termTrim), "_", " "))
	s = strings.TrimSuffix(argumentBlanks.ReplaceAllString(s, "$1"), "()")
	words := strings.Fields(s)
	if len(words) > 1 && slices.Contains([]string{"the", "a", "an"}, words[0]) {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

var argumentBlanks = regexp.MustCompile(`\s*([(),=])\s*`)

// claim is a term that an answer names, and what is said around it: its
// sentence, without the terms in it and as far as the first reason given.
type claim struct{ term, around string }

// A claim has at most that many words, and an answer that many claims.
const (
	maxTermWords = 8
	maxClaims    = 32
)

// readClaims finds the terms that an answer names. It does not know which
// terms there are, let alone which is right: it goes by how they are set off.
// That is by a JSON object with the key term; by quotes, backticks or bold; by
// "The answer is" or "Term:" before it. Where there is none of these, a line of
// few words without a mark at its end names a term; where there is no such
// line, one with a full stop.
func readClaims(answer string) ([]claim, error) {
	claims, rest := claimsInJSON(strings.ReplaceAll(fence.ReplaceAllString(answer, ""), mark, ""))
	lines := strings.Split(rest, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(lineStart.ReplaceAllString(line, ""))
		claims = append(claims, claimsSetOff(lines[i])...)
	}
	if len(claims) == 0 {
		claims = claimsOfLines(lines, "")
	}
	if len(claims) == 0 {
		claims = claimsOfLines(lines, ".")
	}
	switch {
	case len(claims) == 0:
		return nil, fmt.Errorf(`%q names no term, want it alone, in “ ”, or as {"term": "…"}`, shortened(answer))
	case len(claims) > maxClaims:
		return nil, fmt.Errorf("%q names %d terms, want one", shortened(answer), len(claims))
	}
	return claims, nil
}

// maxObjects bounds the work on texts full of braces.
const maxObjects = 16

// claimsInJSON takes the objects with the key term out of a text.
func claimsInJSON(answer string) (claims []claim, rest string) {
	var b strings.Builder
	for range maxObjects {
		before, _, found := strings.Cut(answer, "{")
		b.WriteString(before)
		answer = answer[len(before):]
		if !found {
			break
		}
		var object struct{ Term *string }
		decoder := json.NewDecoder(strings.NewReader(answer))
		if decoder.Decode(&object) == nil && object.Term != nil {
			claims = append(claims, claim{term: strings.Trim(*object.Term, termTrim)})
			answer = answer[decoder.InputOffset():]
			continue
		}
		b.WriteByte('{')
		answer = answer[1:]
	}
	return claims, b.String() + answer
}

// mark stands for a term that was taken out of a sentence.
const mark = "\x00"

// termTrim is what may stand around a term inside its marks.
const termTrim = " \t.,;!*_`\"'“”„«»‘’"

var (
	lineStart = regexp.MustCompile(`^\s*(?:(?:[-*•+>]|#+|\d+[.)])\s+)*`)
	setOff    = regexp.MustCompile(`“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|‘[^‘’]*’|"[^"]*"|\B'[^']+'\B|` + "`+[^`]*`+" + `|\*\*[^*]+\*\*`)
	heading   = regexp.MustCompile(`(?i)^(?:(?:the|my|final|correct|right) )*(?:answer|term|identifier)$`)
	sentence  = regexp.MustCompile(`[^.!?]+[.!?]*`)
	answered  = regexp.MustCompile(`(?i)\b(?:answer|term|identifier|name|call|choice)\b[^.:!?]{0,40}?(?::|\b(?:is|would be|should be|must be)\b:?)\s*(\S.*?)[\s.!]*$`)
	leading   = regexp.MustCompile(`(?i)^(?:it|that|this|here|i)\b.{0,40}?\b(?:is|be|choose|pick|say|take)\s+`)
	reason    = regexp.MustCompile(`(?i)\b(?:because|since|as|which|where|whereas|while|when)\b`)
	hedging   = regexp.MustCompile(`(?i)\b(?:or|either|neither|nor|not|never|no|cannot|unless|except|instead|rather|unlike|without|` +
		`maybe|perhaps|possibly|probably|might|may|could|doubt|doubtful|unsure|uncertain|unlikely|wrong|incorrect|false)\b|n['’]t\b`)
)

// claimsSetOff are the terms of a line that marks or a lead set off.
func claimsSetOff(line string) (claims []claim) {
	var terms []string
	line = setOff.ReplaceAllStringFunc(line, func(passage string) string {
		term := strings.Trim(passage, termTrim)
		words := len(strings.Fields(term))
		switch {
		case strings.HasSuffix(term, ":") || heading.MatchString(term):
			return term
		case words == 0 || words > maxTermWords:
			return ""
		}
		terms = append(terms, term)
		return mark
	})
	for _, s := range sentence.FindAllString(line, -1) {
		if parts := strings.Split(s, mark); len(parts) > 1 {
			around := strings.TrimSpace(parts[0] + "… " + reason.Split(strings.Join(parts[1:], " … "), 2)[0])
			for range parts[1:] {
				claims = append(claims, claim{terms[0], around})
				terms = terms[1:]
			}
			continue
		}
		if m := answered.FindStringSubmatchIndex(s); m != nil && len(strings.Fields(s[m[2]:m[3]])) <= maxTermWords {
			claims = append(claims, claim{strings.Trim(s[m[2]:m[3]], termTrim), strings.TrimSpace(s[:m[2]])})
		}
	}
	return claims
}

// claimsOfLines are the lines of few words that end with a full stop or, with
// "", without any mark.
func claimsOfLines(lines []string, stop string) (claims []claim) {
	for _, line := range lines {
		end := line[len(strings.TrimRight(line, ".,;:!?…")):]
		lead := leading.FindString(line)
		term := strings.Trim(line[len(lead):], termTrim)
		if words := len(strings.Fields(term)); end == stop && words > 0 && words <= maxTermWords {
			claims = append(claims, claim{term, lead})
		}
	}
	return claims
}
