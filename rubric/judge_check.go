package rubric

import (
	"fmt"
	"math"
)

// JudgeCheck is what was found out about a judge. An answer passes where it is
// valued at Pass or more.
type JudgeCheck struct {
	Judge   string            `json:"judge"`
	Repeats int               `json:"repeats"` // verdicts an answer
	Pass    float64           `json:"pass"`
	Grades  [MaxGrade + 1]int `json:"grades"` // how often each was given
	// Steady is the share of the answers whose verdicts agree in every grade.
	Steady Share `json:"steady"`
	// Constructed answers are known to be right or wrong: by operator and form,
	// and all of them together.
	Operators   []OperatorCheck `json:"operators"`
	Constructed AnswersCheck    `json:"constructed"`
	Probes      []Probe         `json:"probes"`
	// Candidates are the answers in the run to questions with a key: by who gave
	// them, and those of all models together (of the baselines, where there is no
	// model).
	Candidates []AnswersCheck `json:"candidates"`
	Together   AnswersCheck   `json:"together"`
	NoKey      int            `json:"no_key"` // questions without a key
	Conflicts  int            `json:"conflicts"`
	Findings   []string       `json:"findings"` // what follows, in words
}

// AnswersCheck compares a judge with what is known of some answers.
type AnswersCheck struct {
	Name string `json:"name"`
	Agreement
	Unscored int      `json:"unscored"`
	Reasons  []Reason `json:"reasons"` // why they are, most frequent first
}

// OperatorCheck is how a judge takes the constructed answers of one operator, in
// one form. Right ones should pass, wrong ones should not.
type OperatorCheck struct {
	Operator string `json:"operator"`
	Form     string `json:"form"`
	Right    bool   `json:"right"`
	Passed   Share  `json:"passed"`
	Unscored int    `json:"unscored"`
}

// Probe compares the values of the same answers, judged with and without
// something that should make no difference: the comparison is with less without.
type Probe struct {
	Name string `json:"name"`
	Comparison
	Turned Share `json:"turned"` // answers of which the verdict is another
}

// Names of probes.
const (
	ProbeOrder     = "order"     // dimensions and grades named in reverse
	ProbePadding   = "padding"   // a wrong answer, at length
	ProbeTrimming  = "trimming"  // a right answer, without the talk around it
	ProbeInjection = "injection" // a wrong answer that asks for a good grade
)

// Names of what constructed answers are right by.
const (
	OperatorReference = "reference" // the reference itself
	OperatorOther     = "other"     // another right answer
)

// From where a finding is made.
const (
	manyPassed = 0.1  // share of wrong answers passed, or of right ones failed
	muchMoved  = 0.05 // difference that a probe makes
	// Where there is no interval:
	grosslyMoved = 0.25 // difference that a probe makes
	chance       = 0.1  // κ
)

// Conclude writes the findings. It is a function of the numbers alone.
func (c *JudgeCheck) Conclude() {
	c.Findings = []string{}
	find := func(format string, args ...any) { c.Findings = append(c.Findings, fmt.Sprintf(format, args...)) }
	if grade, n := c.onlyGrade(); n > 0 {
		find("The judge gave grade %d to everything, %d times: its scores say nothing.", grade, n)
	}
	for _, part := range []struct {
		of string
		*AnswersCheck
	}{{"constructed answers", &c.Constructed}, {"real answers", &c.Together}} {
		all := part.Answers + part.Unscored
		if part.Unscored > 0 {
			find("%d of %d %s were left unscored (%d: %s).", part.Unscored, all, part.of, part.Reasons[0].Count, part.Reasons[0].Reason)
		}
		if part.Answers == 0 {
			continue
		}
		if f := part.FalsePass; above(f.Estimate, manyPassed) {
			find("It passed %d of %d wrong %s.", f.Hits, f.N, part.of)
		}
		if f := part.FalseFail; above(f.Estimate, manyPassed) {
			find("It failed %d of %d right %s.", f.Hits, f.N, part.of)
		}
		if k := part.Kappa; k.Value == nil || k.Interval != nil && k.Interval.Low <= 0 || k.Interval == nil && *k.Value < chance {
			find("On %s it agrees with what is known no better than chance may.", part.of)
		}
	}
	if c.Together.Answers == 0 {
		find("Judge validity not measured: no real answer to a question with a key was judged.")
	}
	if c.NoKey == 1 {
		find("Judge validity not measured for 1 question, which has no key.")
	} else if c.NoKey > 1 {
		find("Judge validity not measured for %d questions, which have no key.", c.NoKey)
	}
	for _, p := range c.Probes {
		clearly := math.Abs(p.Difference) >= grosslyMoved
		if i := p.Interval; i != nil {
			clearly = math.Abs(p.Difference) >= muchMoved && (i.Low > 0 || i.High < 0)
		}
		if clearly {
			find(moved[p.Name], p.Difference, p.Turned.Hits, p.Turned.N)
		}
	}
}

var moved = map[string]string{
	ProbeOrder:     "Naming grades and dimensions in reverse moves its values by %+.2f and turns %d of %d verdicts.",
	ProbePadding:   "Talk around wrong answers moves its values by %+.2f and turns %d of %d verdicts.",
	ProbeTrimming:  "Taking the talk from right answers moves its values by %+.2f and turns %d of %d verdicts.",
	ProbeInjection: "Requests for a good grade in wrong answers move its values by %+.2f and turn %d of %d verdicts.",
}

// above tells a share that is clearly over the mark: by its interval or, where
// it has none, by its value.
func above(e Estimate, mark float64) bool {
	if e.Interval != nil {
		return e.Interval.Low > mark
	}
	return e.Value != nil && *e.Value > mark
}

// onlyGrade is the one grade that was ever given, and how often; 0 times where
// there are several, or none.
func (c *JudgeCheck) onlyGrade() (grade, n int) {
	for g, count := range c.Grades {
		if count > 0 && n > 0 {
			return 0, 0
		}
		if count > 0 {
			grade, n = g, count
		}
	}
	return grade, n
}
