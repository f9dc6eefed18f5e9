package stages

import (
	"errors"
	"regexp"
	"strings"
)

// What answers of models have around them, beyond what the readers of package
// text allow for.

// withoutReasoning is what follows </think>.
func withoutReasoning(answer string) (string, error) {
	if i := strings.LastIndex(answer, "</think>"); i >= 0 {
		answer = answer[i+len("</think>"):]
	}
	if strings.HasPrefix(strings.TrimSpace(answer), "<think>") {
		return "", errors.New("the answer ends within its reasoning, want </think> and an answer after it")
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(answer), nil
}

var fence = regexp.MustCompile("(?m)^[ \t]*```[^`\n]*$")

// fenced returns what stands in code fences; an open one goes on to the end.
func fenced(answer string) []string {
	var blocks []string
	marks := fence.FindAllStringIndex(answer, -1)
	for i := 0; i < len(marks); i += 2 {
		end := len(answer)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		blocks = append(blocks, answer[marks[i][1]:end])
	}
	return blocks
}

// remark finds a line that may follow an answer made of lists: words that
// begin at the margin and are no heading.
var remark = regexp.MustCompile(`^[^\s\d#>|\x60•+-]\S*\s+\S.*[^\s:]$`)

// remarks bounds how many lines may follow an answer.
const remarks = 16

// withoutRemark drops the last line where it is a remark, and the empty lines
// there.
func withoutRemark(answer string) (string, bool) {
	answer = strings.TrimRight(answer, " \t\n")
	i := strings.LastIndexByte(answer, '\n')
	line := strings.TrimRight(answer[i+1:], " \t")
	if i < 0 || strings.HasPrefix(line, "* ") || !remark.MatchString(line) {
		return answer, false
	}
	return answer[:i], true
}

// shortened is a passage for an error of one line.
func shortened(passage string) string {
	passage = strings.Join(strings.Fields(passage), " ")
	if r := []rune(passage); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return passage
}
