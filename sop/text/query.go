package text

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// The views that a query can ask for.
const (
	WorkflowView = "workflow"    // the whole workflow of a case
	NextView     = "next_action" // the next action after a history
	GraphView    = "graph"       // the action graph of a procedure
	ResidualView = "residual"    // the graph still to be done in a case
)

// Views are the views in a fixed order.
var Views = []string{WorkflowView, NextView, GraphView, ResidualView}

// Formats returns the answer formats of a view, nil for an unknown one.
func Formats(view string) []string {
	switch view {
	case WorkflowView:
		return WorkflowFormats
	case NextView:
		return NextFormats
	case GraphView, ResidualView:
		return GraphFormats
	}
	return nil
}

// QueryID names one wording for good: view/split/question/format/sentence, as
// in next_action/train/3/json/0. Wordings are only ever added at the end of a list.
type QueryID string

// Query draws a wording that asks for a view and states the format of the
// answer. The split test has wordings of its own; every other split uses
// those of train. An unknown view or format gives "".
func Query(view, format, split string, rng *rand.Rand) (string, QueryID) {
	if split != "test" {
		split = "train"
	}
	questions, sentences := queryWords[view][split], queryFormats[queryKind(view)+"/"+format][split]
	if len(questions) == 0 || len(sentences) == 0 {
		return "", ""
	}
	id := QueryID(fmt.Sprintf("%s/%s/%d/%s/%d", view, split, rng.IntN(len(questions)), format, rng.IntN(len(sentences))))
	text, _ := QueryText(id)
	return text, id
}

// QueryText returns the wording of that id.
func QueryText(id QueryID) (string, error) {
	parts := strings.Split(string(id), "/")
	if len(parts) == 5 {
		questions, sentences := queryWords[parts[0]][parts[1]], queryFormats[queryKind(parts[0])+"/"+parts[3]][parts[1]]
		q, errQ := strconv.Atoi(parts[2])
		s, errS := strconv.Atoi(parts[4])
		if errQ == nil && errS == nil && q >= 0 && s >= 0 && q < len(questions) && s < len(sentences) {
			return questions[q] + " " + sentences[s], nil
		}
	}
	return "", fmt.Errorf("unknown query %q, want view/split/question/format/sentence such as next_action/train/0/json/0", string(id))
}

// queryKind is what the formats of a view are kept under.
func queryKind(view string) string {
	if view == ResidualView {
		return GraphView
	}
	return view
}
