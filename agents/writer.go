package agents

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

// Writer is a model that writes a part of the evaluation.
type Writer struct {
	Name     string // of the model
	Asker    *llm.Asker
	Sampling llm.Sampling
	Context  int // tokens of prompt and reply that it takes; 0: 8192
}

const (
	defaultContext = 8192
	// replyTokens are left for a reply where the sampling does not limit it, but
	// never more than half of the context.
	replyTokens = 3000
	// estimateMargin is how far a server's count may be above the estimate.
	estimateMargin = 1.25
	// leastRoom is the number of tokens under which no SOP can be read.
	leastRoom = 256
)

// room is how many tokens of material fit into a prompt beside the rest of it.
func (w *Writer) room(rest string) (int, error) {
	context := cmp.Or(w.Context, w.Sampling.Context, defaultContext)
	reply := min(cmp.Or(w.Sampling.MaxTokens, replyTokens), context/2)
	room := int(float64(context-reply)/estimateMargin) - llm.LikelyTokens(rest)
	if room < leastRoom {
		return 0, fmt.Errorf("%s takes %d tokens of prompt and reply, which leaves %d for the SOPs, want at least %d", w.Name, context, max(0, room), leastRoom)
	}
	return room, nil
}

// request asks for something, number repeat of its kind.
func (w *Writer) request(system, user string, repeat int) llm.Request {
	return llm.Request{Sampling: w.Sampling, Repeat: repeat, Messages: []llm.Message{{Role: llm.System, Text: system}, {Role: llm.User, Text: user}}}
}

// repliesBadly tells the fault of a model from that of a server. A reply that is
// broken off again and again is one that repeats itself.
func repliesBadly(err error) bool {
	return slices.ContainsFunc([]llm.Kind{llm.Unusable, llm.Refused, llm.PromptTooLong, llm.BrokenOff}, func(k llm.Kind) bool { return errors.Is(err, k) })
}

// Drop is what a model wrote and cannot be used, with one of a few reasons.
type Drop struct {
	Item   string `json:"item"` // a dimension, a question, or a piece of the corpus
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

func (d Drop) String() string {
	if d.Detail == "" {
		return d.Item + ": " + d.Reason
	}
	return d.Item + ": " + d.Reason + ": " + d.Detail
}

// CountDrops counts drops by their reason, the most frequent first.
func CountDrops(list []Drop) []rubric.Reason {
	count := map[string]int{}
	for _, d := range list {
		count[d.Reason]++
	}
	var reasons []rubric.Reason
	for _, r := range sortedKeys(count) {
		reasons = append(reasons, rubric.Reason{Reason: r, Count: count[r]})
	}
	slices.SortStableFunc(reasons, func(a, b rubric.Reason) int { return cmp.Compare(b.Count, a.Count) })
	return reasons
}
