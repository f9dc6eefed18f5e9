package agents

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/llm"
)

// maxRead bounds the bytes of an answer, after its thoughts, that are read.
const maxRead = 64 << 10

var (
	thoughts    = regexp.MustCompile(`(?is)<think(?:ing)?>.*?</think(?:ing)?>`)
	thoughtsEnd = regexp.MustCompile(`(?is)^.*</think(?:ing)?>`) // begun in the prompt
	thoughtsCut = regexp.MustCompile(`(?is)<think(?:ing)?>.*$`)
	fenceLine   = regexp.MustCompile("(?m)^[ \t]*(?:```|~~~)[\\w+-]*[ \t]*$")
	boxed       = regexp.MustCompile(`\\boxed\{(?:\\text\{)?([^{}]*)\}?\}`)

	// spellings have one meaning each, whatever the keyboard.
	spellings = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u200b", "", "\ufeff", "",
		"’", "'", "‘", "'", "“", `"`, "”", `"`, "„", `"`, "‐", "-", "‑", "-", "−", "-", "**", "", "__", "")
)

// cleaned takes away what stands around an answer: thoughts, code fences, bold.
func cleaned(text string) string {
	text = thoughts.ReplaceAllString(text, "\n")
	text = thoughtsCut.ReplaceAllString(thoughtsEnd.ReplaceAllString(text, ""), "")
	text = text[:min(len(text), maxRead)]
	text = boxed.ReplaceAllString(spellings.Replace(strings.ToValidUTF8(text, " ")), "\nAnswer: $1\n")
	text = fenceLine.ReplaceAllString(text, "")
	return strings.TrimSpace(strings.ReplaceAll(text, "```", "\n"))
}

var toGrader = regexp.MustCompile(`(?i)\b(?:graders?|grading|examiners?|evaluators?|scorers?|llm judge|(?:full|maximum|perfect|top) (?:marks?|credit|score|points|grade)|` +
	`(?:score|grade|rating)(?: of)?[:=]? ?(?:1(?:\.0+)?|4|5|10|100)\b|(?:mark|count|treat|accept|score|grade|rate) this|(?:ignore|disregard|forget) (?:all|any|the|your|every|previous|prior)\b)|(?m:^\s*\W{0,3}(?:system|assistant|user|note)\s*:)`)

// unpleaded is a text up to where it begins to speak of its grade. Where that
// is in the middle of a sentence, there are two ways to cut it, and both are
// given.
func unpleaded(text string) []string {
	at := toGrader.FindStringIndex(text)
	if at == nil {
		return []string{text}
	}
	before, sentence := text[:at[0]], text[:sentenceStart(text, at[0])]
	if strings.TrimSpace(before) == strings.TrimSpace(sentence) {
		return []string{sentence}
	}
	return []string{before, sentence}
}

// sentenceStart is where the sentence begins that holds the byte at.
func sentenceStart(text string, at int) int {
	begin := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text[:at], -1) {
		begin = end[1]
	}
	return begin
}

var sentenceEnd = regexp.MustCompile(`[.!?]["')*` + "`" + `]*\s+|\n+`)

// sentences are the sentences of a text, a line break ending one too.
func sentences(text string) []string {
	var list []string
	begin := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
		list = append(list, text[begin:end[1]])
		begin = end[1]
	}
	return append(list, text[begin:])
}

// announcing finds where one of the words announces a conclusion: "The answer
// is", "**Final answer:**", or a heading.
func announcing(words string) *regexp.Regexp {
	const what = `(?:the|my|our)?[ \t]*(?:final|correct|right|short|overall)?[ \t]*`
	return regexp.MustCompile(`(?i)(?:^|[.\n,:;!?(|>]|\bso|\btherefore|\bthus|\bhence)[ \t*_#>]*` + what + `(?:` + words + `)(?: here)?[ \t]*(?::|=|\bis\b:?)[ \t]*|` +
		`(?m:^[ \t]*#+[ \t]*` + what + `(?:` + words + `)[ \t]*$)`)
}

// concluded is what follows the last announcement in a text; "" without any.
func concluded(text string, announces *regexp.Regexp) string {
	at := announces.FindAllStringIndex(text, -1)
	if at == nil {
		return ""
	}
	return strings.TrimSpace(text[at[len(at)-1][1]:])
}

var (
	itemMark  = regexp.MustCompile(`^\s*(?:#+\s+)?(?:(?:[-*+•●◦▪‣·–—]|\(?\d{1,3}[.):]|\(?[a-h][.)])\s+|(?:[Ss]tep|[Cc]all|[Aa]ction)\s+\d{1,3}\s*[:.)-]?\s*)+(?:\[[ xX]\]\s*)?`)
	firstItem = regexp.MustCompile(`^\D*1\D*$`)
	tableRule = regexp.MustCompile(`^[\s|:+-]+$`)
)

// items are the entries of the last list, or the rows of the tables, in a text.
// What is indented under an item belongs to it. A list begins anew with number 1.
func items(text string) []string {
	type entry struct {
		indent int
		text   string
	}
	var list []entry
	least := len(text)
	for _, line := range strings.Split(text, "\n") {
		mark, row := itemMark.FindString(line), strings.TrimSpace(line)
		e := entry{indent: len(line) - len(strings.TrimLeft(line, " \t")), text: line[len(mark):]}
		if mark == "" {
			if !strings.HasPrefix(row, "|") || tableRule.MatchString(row) {
				continue
			}
			e.text = strings.Trim(row, "| ")
		}
		if firstItem.MatchString(mark) && e.indent <= least {
			list = nil
		}
		least = min(least, e.indent)
		list = append(list, e)
	}
	var texts []string
	for _, e := range list {
		if e.indent == least {
			texts = append(texts, e.text)
		}
	}
	return texts
}

// unlisted is a text without the marks of its list items, which may be numbers.
func unlisted(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = line[len(itemMark.FindString(line)):]
	}
	return strings.Join(lines, "\n")
}

// maxTries bounds the work on texts full of brackets that open nothing.
const maxTries = 200

// jsonValues returns the objects and lists that stand in a text.
func jsonValues(text string) []any {
	var found []any
	for range maxTries {
		begin := strings.IndexAny(text, "{[")
		if begin < 0 {
			break
		}
		var value any
		d := json.NewDecoder(strings.NewReader(text[begin:]))
		if d.Decode(&value) != nil {
			text = text[begin+1:]
			continue
		}
		found = append(found, value)
		text = text[begin+int(d.InputOffset()):]
	}
	return found
}

// answerKeys are under which models put the answer in a JSON object.
var answerKeys = []string{"answer", "final_answer", "value", "result", "term", "end", "outcome", "decision", "verdict", "date", "name", "call", "next", "next_step", "action", "tool"}

// unwrapped is the answer in a text that is nothing but a JSON object with one
// of the usual keys, its unit appended; else the text.
func unwrapped(text string) string {
	var object map[string]any
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &object) != nil {
		return text
	}
	for _, key := range answerKeys {
		if said, ok := object[key]; ok {
			unit, _ := object["unit"].(string)
			return strings.TrimSpace(plain(said) + " " + unit)
		}
	}
	return text
}

// plain is a JSON value in the words of an answer.
func plain(value any) string {
	switch x := value.(type) {
	case string:
		return x
	case bool:
		return yesNo(x)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was JSON before
	}
	return string(text)
}

// toolCalls of an answer; none where they cannot be read.
func toolCalls(raw json.RawMessage) []llm.ToolCall {
	var calls []llm.ToolCall
	if json.Unmarshal(raw, &calls) != nil {
		return nil
	}
	return slices.DeleteFunc(calls, func(c llm.ToolCall) bool { return c.Name == "" })
}
