package stages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

// A transfer that needs a sign-in first, and a balance that only a signed-in
// customer's account shows.
const transfer = `{
	"requires": {"login": null, "look": "signed_in", "transfer": {"all": ["signed_in", "funds"]}},
	"established_by": {"signed_in": "login", "funds": "look"},
	"depends_on": {}, "excludes": [], "effects": {},
	"facts": {"signed_in": true, "funds": false}, "values": {},
	"outcomes": [{"end": "transfer", "tree": {"all": ["signed_in", "funds"]}}, {"end": "deny", "tree": null}],
	"goal": "transfer", "history": %s, "bindings": {"username": "ana", "amount": 20}}`

func ExampleJudge() {
	reference := fmt.Appendf(nil, transfer, "[]")
	for _, answer := range []string{"login -> look -> deny", "login -> look -> transfer", "look -> login -> deny", "login -> look -> login -> deny", "I would rather not."} {
		v, err := stages.Judge(reference, "", answer)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%-31s %v %v", answer, v.Valid, v.Score)
		if len(v.Violations) > 0 {
			fmt.Printf(" %s at %d, missing %v", v.Violations[0].Kind, *v.Violations[0].Position, v.Violations[0].Missing)
		}
		fmt.Println()
	}
	// Output:
	// login -> look -> deny           true 1
	// login -> look -> transfer       false 0 wrong_end at 2, missing [funds]
	// look -> login -> deny           false 0 unmet at 0, missing [signed_in]
	// login -> look -> login -> deny  false 0.5 repeated at 2, missing []
	// I would rather not.             false 0
}

func TestJudgeReadsEveryFormat(t *testing.T) {
	workflow, next := fmt.Appendf(nil, transfer, "[]"), fmt.Appendf(nil, transfer, `["login"]`)
	for _, answer := range []string{
		"1. `login`\n2. `look`\n3. `deny`", "login → look → deny",
		"```json\n[{\"name\":\"login\",\"arguments\":{}},{\"name\":\"look\",\"arguments\":{}},{\"name\":\"deny\",\"arguments\":{}}]\n```",
		"First call `login`, then `look`, and finally end with `deny`.",
	} {
		v, err := stages.Judge(workflow, dataset.ViewWorkflow, answer)
		require.NoError(t, err)
		require.True(t, v.Valid, "%s: %+v", answer, v)
	}
	for answer, valid := range map[string]bool{
		"look()": true, `look(username="ana")`: true, `look(username="bob")`: false, "deny": false,
		`{"name": "look", "arguments": {}}`: true, "Call `look`.": true, `login(username="ana")`: false, "transfer(amount=20)": false,
	} {
		v, err := stages.Judge(next, "", answer)
		require.NoError(t, err)
		require.Equal(t, valid, v.Valid, "%s: %+v", answer, v)
	}
}

func TestReferenceErrors(t *testing.T) {
	for want, text := range map[string]string{
		"reference: unexpected EOF":                     `{"requires":`,
		"reference has no requires, outcomes or facts":  `{}`,
		`facts lack "p"`:                                `{"requires":{"a":null},"established_by":{"p":"a"},"facts":{},"outcomes":[{"end":"a","tree":"p"},{"end":"deny","tree":null}]}`,
		`"q" is no condition of the procedure`:          `{"requires":{"a":"q"},"established_by":{"p":"a"},"facts":{"p":true},"outcomes":[{"end":"a","tree":"p"}]}`,
		`unknown operator "some", want one of not, all`: `{"requires":{"a":{"some":["p"]}},"established_by":{},"facts":{},"outcomes":[{"end":"a","tree":null}]}`,
		"requires is a JSON array":                      `{"requires":[],"facts":{},"outcomes":[]}`,
	} {
		_, err := stages.ParseReference([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

func TestJudgeErrors(t *testing.T) {
	sequence, concept := fmt.Sprintf(transfer, "[]"), lateReturns
	for _, test := range []struct{ reference, view, want string }{
		{sequence, "workflows", `view "workflows" cannot be checked, want one of definition, application, `},
		{sequence, "definition", "reference has no subject or answers"},
		{concept, "graph", "reference has no requires, outcomes or facts"},
		{`{"relation":"does"}`, "", "reference has no subject or answers"},
		{"[]", "", "reference: it is a JSON array"},
	} {
		_, err := stages.Judge([]byte(test.reference), test.view, "x")
		require.ErrorContains(t, err, test.want)
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(fmt.Sprintf(transfer, "[]"), "", "login -> look -> deny")
	f.Add(fmt.Sprintf(transfer, `["login"]`), "", `look(username="ana")`)
	f.Add(fmt.Sprintf(transfer, `["login"]`), "residual", transferEdges)
	f.Add(lateReturns, "", "late return count")
	f.Fuzz(func(t *testing.T, reference, view, answer string) {
		if r, err := stages.ParseReference([]byte(reference)); err == nil && (len(r.EstablishedBy) > 8 || len(r.Requires) > 8) {
			return // a reference is trusted: the oracle is exponential in its size
		}
		if v, err := stages.Judge([]byte(reference), view, answer); err == nil {
			requireSound(t, v)
		}
	})
}
