package bench

// Verdict is the seven criteria by which a run is judged.
type Verdict struct {
	// NoToolCallError: every call that was executed again exists, and threw
	// nothing.
	NoToolCallError bool `json:"no_tool_call_error"`
	// ConstraintNotViolated: every such call answered as it was recorded.
	ConstraintNotViolated bool `json:"constraint_not_violated"`
	// DatabaseMatch: the final databases are equal.
	DatabaseMatch bool `json:"database_match"`
	// ActionSuccessfullyCalled: the goal was called, and answered yes.
	ActionSuccessfullyCalled bool `json:"action_successfully_called"`
	// ActionCalledCorrectly: it was, exactly if the task wants that.
	ActionCalledCorrectly bool `json:"action_called_correctly"`
	// DirgraphSatisfied: before every call stood what the graphs demand.
	DirgraphSatisfied bool `json:"dirgraph_satisfied"`
	// Success: all but ActionSuccessfullyCalled.
	Success bool `json:"success"`
}

// Criteria are the names of the criteria, as files and reports give them.
var Criteria = []string{
	"no_tool_call_error", "constraint_not_violated", "database_match", "action_successfully_called",
	"action_called_correctly", "dirgraph_satisfied", "success",
}

// Values are the criteria in the order of [Criteria].
func (v Verdict) Values() [7]bool {
	return [7]bool{
		v.NoToolCallError, v.ConstraintNotViolated, v.DatabaseMatch, v.ActionSuccessfullyCalled,
		v.ActionCalledCorrectly, v.DirgraphSatisfied, v.Success,
	}
}

// Broken are the criteria that do not hold, of those that success asks for.
func (v Verdict) Broken() []string {
	list := []string{}
	for i, holds := range v.Values() {
		if name := Criteria[i]; !holds && name != "success" && name != "action_successfully_called" {
			list = append(list, name)
		}
	}
	return list
}

// conclude derives the two criteria that follow from the others.
func (v *Verdict) conclude(shouldSucceed bool) {
	v.ActionCalledCorrectly = v.ActionSuccessfullyCalled == shouldSucceed
	v.Success = v.NoToolCallError && v.ConstraintNotViolated && v.DatabaseMatch && v.ActionCalledCorrectly && v.DirgraphSatisfied
}
