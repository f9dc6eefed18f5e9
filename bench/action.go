package bench

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/llm"
)

// readText finds the first call in a text: under an action label, as a JSON
// object, or as code, in any of the shapes in which small models write one. A
// text without any is for the user. What is meant for a call and cannot be read
// is a fault.
func readText(c *Conversation, text string, _ llm.Reply) Turn {
	whole := text
	if at := observation.FindStringIndex(text); at != nil {
		if text = strings.TrimSpace(text[:at[0]]); text == "" {
			return Turn{Text: whole, Fault: "it begins with an observation, which only tools make"}
		}
	}
	r := actionReader{c: c, text: text}
	for _, shape := range []func() (Turn, bool){r.labelled, r.object, r.tagged, r.code} {
		if turn, found := shape(); found {
			if turn.Fault != "" {
				turn.Text = text
			}
			return turn
		}
	}
	return Turn{Text: text}
}

type actionReader struct {
	c    *Conversation
	text string
}

var (
	observation = regexp.MustCompile(`(?mi)^[ \t>*_#]*observation[ \t*_]*(?:\([^\n]*\))?[ \t*_]*:`)
	// A label stands at the beginning of a line, in any mark-up.
	label = regexp.MustCompile("(?mi)^[ \t>*_#`-]*(?:step )?(?:[0-9]+[.) ]+)?" +
		"(thought|thoughts|reasoning|next action|action name|action|tool name|tool call|tool|function call|function name|function" +
		"|action[ _]?inputs?|tool input|inputs?|action arguments|arguments|args|parameters|final answer|answer|response)" +
		"[ \t*_`]*[0-9]*[ \t*_`]*:[ \t*]*(?:__[ \t]+)?")
	endAction = regexp.MustCompile(`(?i)<?/?end[ _]action>?`)
	// inLine is the form without line breaks.
	inLine = regexp.MustCompile(`(?is)^(.*?)\baction:(.*?)\baction input:(.*)$`)
)

type labelKind int

const (
	thoughtLabel labelKind = iota
	actionLabel
	inputLabel
	answerLabel
)

func kindOfLabel(name string) labelKind {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "input") || strings.HasPrefix(name, "arg") || strings.HasSuffix(name, "arguments") || name == "parameters":
		return inputLabel
	case strings.HasPrefix(name, "thought") || name == "reasoning":
		return thoughtLabel
	case strings.HasSuffix(name, "answer") || name == "response":
		return answerLabel
	}
	return actionLabel
}

// segment is what stands under a label.
type segment struct {
	kind labelKind
	text string
}

// segments splits the text at its labels.
func (r *actionReader) segments() (before string, list []segment) {
	marks := label.FindAllStringSubmatchIndex(r.text, -1)
	for i, m := range marks {
		end := len(r.text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		list = append(list, segment{kindOfLabel(r.text[m[2]:m[3]]), upTo(endAction, r.text[m[1]:end])})
	}
	has := func(kind labelKind) bool {
		return slices.ContainsFunc(list, func(p segment) bool { return p.kind == kind })
	}
	if m := inLine.FindStringSubmatch(r.text); m != nil && !(has(actionLabel) && has(inputLabel)) {
		return "", []segment{{thoughtLabel, label.ReplaceAllString(m[1], "")}, {actionLabel, strings.TrimSpace(m[2])}, {inputLabel, upTo(endAction, m[3])}}
	}
	if len(marks) == 0 {
		return r.text, nil
	}
	return r.text[:marks[0][0]], list
}

func upTo(end *regexp.Regexp, s string) string {
	if at := end.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return strings.TrimSpace(s)
}

// labelled reads Thought, Action and Action Input.
func (r *actionReader) labelled() (Turn, bool) {
	before, parts := r.segments()
	at := slices.IndexFunc(parts, func(p segment) bool { return p.kind == actionLabel })
	if at < 0 {
		return Turn{}, false
	}
	said := []string{before}
	for _, p := range parts[:at] {
		said = append(said, p.text)
	}
	if namesNone(parts[at].text) {
		// Nothing to call: what else is said is for the user.
		for _, p := range parts[at+1:] {
			if p.kind != inputLabel || !isNone(p.text) {
				said = append(said, p.text)
			}
		}
		if words := joined(said); words != "" {
			return Turn{Text: words}, true
		}
		return Turn{Fault: "it names no action, and says nothing to the customer"}, true
	}
	input := ""
	if at+1 < len(parts) && parts[at+1].kind == inputLabel {
		input = parts[at+1].text
	}
	call, err := r.call(parts[at].text, input)
	if err != nil {
		return Turn{Fault: err.Error()}, true
	}
	return Turn{Text: joined(said), Call: call}, true
}

// joined are the lines that say something.
func joined(said []string) string {
	var lines []string
	for _, s := range said {
		if s = strings.TrimSpace(s); s != "" {
			lines = append(lines, s)
		}
	}
	return strings.Join(lines, "\n")
}

// isNone tells whether a text says that there is nothing.
func isNone(s string) bool {
	s = strings.ToLower(strings.Trim(s, " \t\r\n.`'\"*[](){}"))
	return s == "" || none[s]
}

var noAction = regexp.MustCompile(`(?i)^[^\pL]*(?:n/a|na|none|null|no action|no tool)(?:[^\pL\d_]|$)`)

// namesNone is the same of an action, which models like to give a reason for:
// "N/A (the customer has to say more)".
func namesNone(s string) bool { return isNone(s) || noAction.MatchString(s) }
