package reading

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

//go:embed verbs.txt
var verbList string

// verbs are the words that an instruction may begin with.
var verbs = func() map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(verbList) {
		if !strings.HasPrefix(line, "#") {
			for _, w := range strings.Fields(line) {
				m[w] = true
			}
		}
	}
	return m
}()

// empty are words that tell nothing about what a sentence is about.
var empty = wordSet(`a an the this that these those and or of to in on at by for from with as is are was were be been being it its
	they them their you your he she his her we our any all each every some such then there has have had having do does did will would
	shall should must may might can could if when unless where whether which who whom not no than more so also only into per via
	against using use used based both either neither other between within under above below after before about during until
	provided found find exists exist existing detected detect observe see identified`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

var wordRun = regexp.MustCompile(`[A-Za-z0-9]+`)

// words returns the words of a text or an identifier in lower case: camel
// case and underscores are taken apart.
func words(s string) []string {
	var spaced strings.Builder
	runes := []rune(s)
	for i, c := range runes {
		if i > 0 && unicode.IsUpper(c) && unicode.IsLower(runes[i-1]) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(c)
	}
	return wordRun.FindAllString(strings.ToLower(spaced.String()), -1)
}

// content returns the words that tell what a text is about, in their order.
func content(s string) []string {
	return slices.DeleteFunc(words(s), func(w string) bool { return empty[w] })
}

// stem cuts endings off, so that validate, validates, validating and
// validation are the same; it is no more than that.
func stem(w string) string {
	for _, end := range []string{"ications", "ication", "ations", "ation", "itions", "ition", "ements", "ement", "ments", "ment", "ating", "ings", "ing", "ions", "ion", "ates", "ated",
		"ate", "ies", "ied", "ers", "es", "ed", "er", "ly", "tics", "tic", "is", "y", "s", "e"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 4 {
			return rest
		}
	}
	return w
}

func stems(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range content(s) {
		m[stem(w)] = true
	}
	return m
}

const (
	maxNameWords = 6
	maxNameBytes = 60
)

// slug makes a name of a text's content words.
func slug(s string) string {
	list := content(s)
	if len(list) == 0 {
		list = words(s)
	}
	name := strings.Join(list[:min(len(list), maxNameWords)], "_")
	if len(name) > maxNameBytes {
		name = strings.TrimRight(name[:maxNameBytes], "_")
	}
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "n_" + name
	}
	return name
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// clean drops marks that belong to the page and not to the words.
func clean(s string) string {
	s = oneLine(strings.NewReplacer("*", "", "`", "", "{", "(", "}", ")", "“", `"`, "”", `"`, "‘", "'", "’", "'", "[", "(", "]", ")").Replace(s))
	return strings.TrimRight(s, " .:;,!")
}

func lowerFirst(s string) string {
	if w := strings.Fields(s); len(w) > 0 && len(w[0]) > 1 && strings.ToLower(w[0][1:]) == w[0][1:] {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
