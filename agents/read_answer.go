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

// cleaned takes away what stands around an answer: thoughts, code fences, bold;
// and all from where it begins to speak to whoever grades it.
func cleaned(text string) string {
	text = thoughts.ReplaceAllString(text, "\n")
	text = thoughtsCut.ReplaceAllString(thoughtsEnd.ReplaceAllString(text, ""), "")
	text = text[:min(len(text), maxRead)]
	text = boxed.ReplaceAllString(spellings.Replace(strings.ToValidUTF8(text, " ")), "\nAnswer: $1\n")
	text = fenceLine.ReplaceAllString(text, "")
	return strings.TrimSpace(strings.ReplaceAll(untilGrader(text), "```", "\n"))
}

var toGrader = regexp.MustCompile(`(?i)\b(?:graders?|grading|examiners?|evaluators?|scorers?|llm judge|(?:full|maximum|perfect|top) (?:marks?|credit|score|points|grade)|` +
	`(?:score|grade|rating)(?: of)?[:=]? ?(?:1(?:\.0+)?|4|5|10|100)\b|(?:mark|count|treat|accept|score|grade|rate) this|(?:ignore|disregard|forget) (?:all|any|the|your|every|previous|prior)\b)|(?m:^\s*\W{0,3}(?:system|assistant|user|note)\s*:)`)

// untilGrader cuts a text before the first sentence that speaks of its grade.
func untilGrader(text string) string {
	at := toGrader.FindStringIndex(text)
	if at == nil {
		return text
	}
	return text[:sentenceStart(text, at[0])]
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

const concludes = `(?:^|[.\n,:;!?(|>]|\bso|\btherefore|\bthus|\bhence)[ \t*_#>]*(?:the|my|our)?[ \t]*(?:final|correct|right|short|overall)?[ \t]*(?:%s)(?: here)?[ \t]*(?::|=|\bis\b:?)[ \t]*`

// announcing finds where one of the words announces a conclusion.
func announcing(words string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.Replace(concludes, "%s", words, 1))
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
	tableRule = regexp.MustCompile(`^[\s|:+-]+$`)
)

// items are the entries of the lists and the rows of the tables in a text.
func items(text string) []string {
	var list []string
	for _, line := range strings.Split(text, "\n") {
		row := strings.TrimSpace(line)
		if mark := itemMark.FindString(line); mark != "" {
			list = append(list, line[len(mark):])
		} else if strings.HasPrefix(row, "|") && !tableRule.MatchString(row) {
			list = append(list, strings.Trim(row, "| "))
		}
	}
	return list
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
