package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fmsop/fmsop/dataset"
)

// change lays a wrong answer out against the right one: workflows step by
// step, with positions, anything else word by word.
func (p paint) change(right dataset.Answer, wrong *dataset.Negative) string {
	before, ok := steps(right.Payload)
	after, too := steps(wrong.Payload)
	if ok && too {
		return p.stepChange(before, after)
	}
	return p.wordChange(right.Text, wrong.Text)
}

// steps returns the workflow of a payload.
func steps(payload string) ([]string, bool) {
	var p struct{ Workflow []string }
	err := json.Unmarshal([]byte(payload), &p)
	return p.Workflow, err == nil && p.Workflow != nil
}

func (p paint) stepChange(before, after []string) string {
	var lines []string
	at := 0
	for _, e := range differences(before, after) {
		switch e.kind {
		case same:
			lines = append(lines, fmt.Sprintf("  %3d  %s", at, e.item))
		case removed:
			lines = append(lines, "    -  "+p.removed(e.item))
			continue // has no position in the wrong answer
		case added:
			lines = append(lines, fmt.Sprintf("  %3d  %s", at, p.added(e.item)))
		}
		at++
	}
	return strings.Join(lines, "\n")
}

func (p paint) wordChange(before, after string) string {
	var b strings.Builder
	var run []string
	kind := same
	flush := func() {
		text := strings.Join(run, "")
		core := strings.TrimRight(text, " \n")
		switch {
		case core == "" || kind == same:
			b.WriteString(text)
		case kind == removed:
			b.WriteString(p.removed(core) + text[len(core):])
		default:
			b.WriteString(p.added(core) + text[len(core):])
		}
		run = nil
	}
	for _, e := range differences(words(before), words(after)) {
		if e.kind != kind {
			flush()
			kind = e.kind
		}
		run = append(run, e.item)
	}
	flush()
	return b.String()
}

// words cuts text after each blank, and around brackets and commas, so that
// joining the words gives the text.
func words(s string) (list []string) {
	start := 0
	for i, r := range s {
		if strings.ContainsRune("()[]{},", r) && i > start {
			list = append(list, s[start:i])
			start = i
		}
		if strings.ContainsRune(" \n([{", r) {
			list = append(list, s[start:i+1])
			start = i + 1
		}
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}

type editKind int

const (
	same editKind = iota
	removed
	added
)

type edit struct {
	kind editKind
	item string
}

// differences turns before into after with as few removals and additions as
// there can be; removals come first where both are possible.
func differences(before, after []string) (edits []edit) {
	// common[i][j] is the longest common subsequence of before[i:] and after[j:].
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			edits = append(edits, edit{same, before[i]})
			i, j = i+1, j+1
		case i < len(before) && (j == len(after) || common[i+1][j] >= common[i][j+1]):
			edits = append(edits, edit{removed, before[i]})
			i++
		default:
			edits = append(edits, edit{added, after[j]})
			j++
		}
	}
	return edits
}
