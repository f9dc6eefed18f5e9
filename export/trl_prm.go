package export

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	"github.com/fmsop/fmsop/dataset"
)

// trlPRMRow is TRL's stepwise supervision. The steps are pieces of the answer's
// text, one for each call; those of a wrong answer end with the first wrong
// one, since what follows has no right or wrong of its own.
type trlPRMRow struct {
	ID          string   `json:"id" parquet:"id"`
	Prompt      string   `json:"prompt" parquet:"prompt"`
	Completions []string `json:"completions" parquet:"completions,list"`
	Labels      []bool   `json:"labels" parquet:"labels,list"`
}

// Why a group has no steps.
const (
	notWorkflow     = "not a workflow"
	stepsUnreadable = "the calls of the workflow are not in its text"
)

func trlPRM(g *Group) ([]trlPRMRow, string) {
	if g.View != dataset.ViewWorkflow {
		return nil, notWorkflow
	}
	row := func(text, payload string, firstWrong int) (trlPRMRow, bool) {
		steps, ok := cutSteps(text, payload)
		if !ok {
			return trlPRMRow{}, false
		}
		r := trlPRMRow{ID: g.ID, Prompt: g.Prompt() + "\n\n", Completions: steps}
		if firstWrong >= 0 {
			r.Completions = steps[:min(firstWrong+1, len(steps))]
		}
		for i := range r.Completions {
			r.Labels = append(r.Labels, i != firstWrong)
		}
		return r, true
	}
	right, ok := row(g.Positive.Text, g.Positive.Payload, -1)
	if !ok {
		return nil, stepsUnreadable
	}
	rows := []trlPRMRow{right}
	for _, n := range g.Wrong {
		var proof struct{ Position *int }
		if json.Unmarshal([]byte(n.Proof), &proof) != nil || proof.Position == nil {
			continue
		}
		// An answer that stops without an end has no wrong step.
		if r, ok := row(n.Text, n.Payload, *proof.Position); ok && *proof.Position < len(r.Labels) {
			rows = append(rows, r)
		}
	}
	return rows, ""
}

// cutSteps cuts the text behind each call of the workflow, so that the pieces
// joined are the text. It is false where the calls do not stand in the text in
// this order.
func cutSteps(text, payload string) (steps []string, ok bool) {
	var p struct{ Workflow []string }
	if json.Unmarshal([]byte(payload), &p) != nil || len(p.Workflow) == 0 {
		return nil, false
	}
	for i, name := range p.Workflow {
		end := mention(text, name)
		if end < 0 { // where arguments are written apart
			end = mention(text, base(name))
		}
		if end < 0 {
			return nil, false
		}
		end += len(closing.FindString(text[end:]))
		if i == len(p.Workflow)-1 {
			end = len(text)
		}
		steps, text = append(steps, text[:end]), text[end:]
	}
	return steps, true
}

// closing is what belongs to a call that it follows.
var closing = regexp.MustCompile("^[`\"”')]*[.,;]?[\\]}]*\n?")

// mention is where the first mention of a name ends, or -1. A name within a
// longer one is no mention.
func mention(text, name string) int {
	inName := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		start, end := from+i, from+i+len(name)
		before, after := []rune(text[max(0, start-1):start]), []rune(text[end:min(len(text), end+1)])
		if (len(before) == 0 || !inName(before[0])) && (len(after) == 0 || !inName(after[0])) {
			return end
		}
		from = end
	}
}
