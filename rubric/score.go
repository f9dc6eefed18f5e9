package rubric

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Answer is what a model said to a question. Repeat counts from 0.
type Answer struct {
	Question  string          `json:"question"`
	Repeat    int             `json:"repeat"`
	Model     string          `json:"model"`
	Text      string          `json:"text"`
	ToolCalls json.RawMessage `json:"tool_calls"` // a list, or null
	Finish    string          `json:"finish"`     // stop, length, tool_calls, …
	Tokens    Tokens          `json:"tokens"`
	Error     string          `json:"error"` // why there is no answer: the server's fault
}

// Said is the text, else the calls, else "".
func (a *Answer) Said() string {
	calls := strings.TrimSpace(string(a.ToolCalls))
	if strings.TrimSpace(a.Text) == "" && calls != "null" && calls != "[]" {
		return calls
	}
	return a.Text
}

// Tokens of one request, as the server counted them.
type Tokens struct {
	Prompt int `json:"prompt"`
	Answer int `json:"answer"`
}

// Outcomes of scoring.
const (
	Scored   = "scored"
	Unscored = "unscored"
)

// Score of one answer by one scorer. The candidate's own fault (an empty
// answer, one off the format, one cut by its own length) is scored 0 with a
// reason; a fault of the judge or of a server is unscored with a reason.
type Score struct {
	Question string             `json:"question"`
	Repeat   int                `json:"repeat"`
	Scorer   string             `json:"scorer"`
	Outcome  string             `json:"outcome"`
	E        map[string]float64 `json:"e"` // e_i in [0, 1] of each dimension that the question tests
	Reason   string             `json:"reason"`
	Raw      string             `json:"raw"` // what the judge said
}

// validate holds a score against its question.
func (s *Score) validate(q *Question) error {
	name := fmt.Sprintf("score of question %s, repeat %d", s.Question, s.Repeat)
	switch {
	case s.Outcome != Scored && s.Outcome != Unscored:
		return fmt.Errorf("%s: outcome is %q, want %s or %s", name, s.Outcome, Scored, Unscored)
	case s.Outcome == Unscored && s.Reason == "":
		return fmt.Errorf("%s: unscored without a reason", name)
	case s.Repeat < 0:
		return fmt.Errorf("%s: repeats count from 0", name)
	case s.Outcome == Unscored:
		return nil
	}
	for _, d := range q.Dimensions {
		e, ok := s.E[d]
		if !ok {
			return fmt.Errorf("%s: nothing for dimension %q", name, d)
		}
		if !(e >= 0 && e <= 1) {
			return fmt.Errorf("%s: %v for dimension %q, want 0 to 1", name, e, d)
		}
	}
	if len(s.E) != len(q.Dimensions) {
		return fmt.Errorf("%s: %d dimensions, the question tests %d", name, len(s.E), len(q.Dimensions))
	}
	return nil
}

// passes tells whether a scored answer is right in every dimension.
func (s *Score) passes() bool {
	for _, e := range s.E {
		if e < 1 {
			return false
		}
	}
	return true
}
