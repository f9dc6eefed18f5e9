package reading

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/fmsop/fmsop/sop/document"
)

// sentence is a sentence of a document with its place: the line on which it
// begins, and its number among those that begin there.
type sentence struct {
	line, ordinal int
	text          string
	item          bool              // it is an item of a list or a numbered line
	parts         []*document.Block // what is nested below it
	below         *spot             // the sentence that it is nested below
}

// abbreviation ends with a full stop that ends no sentence.
var abbreviation = regexp.MustCompile(`(?i)(?:^|[\s(])(?:e\.g|i\.e|etc|vs|no|sec|dr|mr|mrs|ms|approx|cf|fig|incl|min|max|dept|inc|ltd|st|ca|resp)\.$`)

// split takes the lines of a block apart into sentences.
func split(lines []document.Line) []sentence {
	var out []sentence
	var text strings.Builder
	line, depth := 0, 0
	flush := func() {
		if t := oneLine(text.String()); t != "" {
			out = append(out, sentence{line: line, text: t})
		}
		text.Reset()
		line, depth = 0, 0
	}
	for i, l := range lines {
		if i > 0 && line != 0 && breaksLine(text.String(), l.Text) {
			flush()
		}
		runes := []rune(l.Text)
		for k, c := range runes {
			if line == 0 && !unicode.IsSpace(c) {
				line = l.Number
			}
			text.WriteRune(c)
			switch c {
			case '(', '[':
				depth++
			case ')', ']':
				depth = max(0, depth-1)
			case '.', '!', '?':
				if depth == 0 && endsHere(text.String(), runes[k+1:]) {
					flush()
				}
			}
		}
		text.WriteByte(' ')
	}
	flush()
	count := map[int]int{}
	for i := range out {
		count[out[i].line]++
		out[i].ordinal = count[out[i].line]
	}
	return out
}

// endsHere tells a full stop from one in an abbreviation or a number.
func endsHere(before string, rest []rune) bool {
	before = before[max(0, len(before)-16):] // no abbreviation is longer
	if len(rest) == 0 {
		return !abbreviation.MatchString(before)
	}
	if !unicode.IsSpace(rest[0]) || abbreviation.MatchString(before) {
		return false
	}
	next := strings.TrimLeft(string(rest[:min(len(rest), 16)]), " *_`\"'“‘([")
	return next != "" && !unicode.IsLower([]rune(next)[0])
}

// breaksLine tells that a line begins a sentence although the one before has
// no full stop: it begins with an instruction or a condition in upper case.
func breaksLine(before, line string) bool {
	before, line = strings.TrimSpace(before), strings.TrimSpace(line)
	if before == "" || line == "" || !unicode.IsUpper([]rune(line)[0]) || strings.HasSuffix(before, ",") {
		return false
	}
	first := strings.ToLower(strings.TrimRight(strings.Fields(line)[0], ",:"))
	return verbs[first] || first == "if" || first == "unless" || first == "otherwise" || strings.HasSuffix(before, ":")
}

// commas returns where the commas outside of brackets and quotes stand.
func commas(s string) (at []int) {
	depth, quoted := 0, false
	for i, c := range s {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		case '"':
			quoted = !quoted
		case ',', ';':
			if depth == 0 && !quoted {
				at = append(at, i)
			}
		}
	}
	return at
}

var (
	// adverb stands before an instruction and changes nothing.
	adverb = regexp.MustCompile(`(?i)^(?:then|next|first|second|third|finally|now|please|also|always|immediately|lastly|additionally|subsequently|afterwards|thereafter|and)\b,?\s+`)
	// lead begins what may stand before an instruction, up to a comma.
	lead = regexp.MustCompile(`(?i)^(?:after|once|before|in|upon|during|using|for each|for every|following|at|on|as|based on|to|with|from|by|when done|while|throughout|per)\b`)
	// duty is an instruction that names who is to follow it.
	duty  = regexp.MustCompile(`(?i)^[\w\s,/()'’-]{1,80}?\b(?:shall|must|should|needs? to|ha(?:s|ve) to|(?:is|are) (?:required|expected|responsible) to)\s+(?:always |immediately |also |then |first |promptly )?([\w-]+)\b`)
	notDo = regexp.MustCompile(`(?i)^(?:do not|don't|never|avoid|under no circumstances)\b`)
)

// instruction returns what a sentence tells somebody to do, beginning with
// the verb; ok is false where it tells nobody anything.
func instruction(s string) (text string, ok bool) {
	s = strings.TrimSpace(s)
	for range 3 {
		s = adverb.ReplaceAllString(s, "")
	}
	if notDo.MatchString(s) {
		return "", false
	}
	if beginsWithVerb(s) {
		return s, true
	}
	if lead.MatchString(s) {
		for _, i := range commas(s) {
			rest := adverb.ReplaceAllString(strings.TrimSpace(s[i+1:]), "")
			if beginsWithVerb(rest) {
				return rest, true
			}
			if m := duty.FindStringSubmatchIndex(rest); m != nil && verbs[strings.ToLower(rest[m[2]:m[3]])] {
				return rest[m[2]:], true
			}
		}
	}
	if m := duty.FindStringSubmatchIndex(s); m != nil && verbs[strings.ToLower(s[m[2]:m[3]])] {
		return s[m[2]:], true
	}
	return "", false
}

// actsOn takes a word that is on no list for a verb where an article follows:
// "deduct the fee".
func actsOn(first, second string) bool {
	return articles[strings.ToLower(second)] && wordOnly.MatchString(first) && !empty[first] && !particles[first] &&
		!strings.HasSuffix(first, "ing") && !strings.HasSuffix(first, "ed") && !strings.HasSuffix(first, "ly") && !strings.HasSuffix(first, "s")
}

var (
	wordOnly  = regexp.MustCompile(`^[a-z]{3,}$`)
	articles  = wordSet("the a an this these its your their")
	phrasal   = wordSet("back out up down off over")
	particles = wordSet(`after although among around because behind beside beyond despite given half however inside instead like near once outside
		since though throughout toward unlike upon while whereas yet what even just only except than plus minus including containing following`)
)

// beginsWithVerb tells an instruction from a noun that is spelt like one: a
// verb is followed by something, and not by a verb in the third person.
func beginsWithVerb(s string) bool {
	f := strings.Fields(s)
	if len(f) < 2 {
		return false
	}
	first := strings.ToLower(strings.Trim(f[0], "*_`\"'(,"))
	second := f[1]
	if len(f) > 2 && phrasal[strings.ToLower(second)] {
		second = f[2] // roll back the release
	}
	if !verbs[first] && !actsOn(first, second) || strings.HasSuffix(f[0], ":") {
		return false
	}
	switch strings.ToLower(f[1]) {
	case "is", "are", "was", "were", "has", "have", "must", "shall", "should", "may", "can", "will", "=", ":", "-", "–", "of":
		return false
	}
	return true
}
