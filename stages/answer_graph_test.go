package stages_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

const (
	transferEdges = "Calls and what each requires:\n- `login`: no rule\n- `look`: `signed_in`\n- `transfer`: all of (`signed_in`, `funds`)\n\n" +
		"How conditions become known:\n- `signed_in`: `login`\n- `funds`: `look`\n\n" +
		"Edges:\n- `login` -> `look`\n- `login` -> `transfer`\n- `look` -> `transfer`\n"
	transferOutline = "Calls and what each requires:\n- `login`\n  - requires: no rule\n- `look`\n  - requires:\n    - `signed_in`\n  - comes after:\n    - `login`\n" +
		"- `transfer`\n  - requires:\n    - all of:\n      - `funds`\n      - `signed_in`\n  - comes after:\n    - `login`\n    - `look`\n\n" +
		"How conditions become known:\n- `signed_in`\n  - known by:\n    - `login`\n- `funds`\n  - known by:\n    - `look`\n"
	transferJSON = `{"requires": {"login": null, "look": "signed_in", "transfer": {"all": ["funds", "signed_in"]}},
		"established_by": {"signed_in": "login", "funds": "look"}, "edges": [["login", "look"], ["login", "transfer"], ["look", "transfer"]]}`
)

func judgeTransfer(t testing.TB, view, answer string) stages.Verdict {
	t.Helper()
	v, err := stages.Judge(fmt.Appendf(nil, transfer, `["login"]`), view, answer)
	require.NoError(t, err)
	return v
}

func TestJudgeOfGraphs(t *testing.T) {
	replaced := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(transferEdges) }
	statements := 8.0 // three calls, two conditions, three edges
	manyConditions := ""
	for i := range 11 {
		manyConditions += fmt.Sprintf("- `p%d`: the conversation\n", i)
	}
	for _, test := range []struct {
		name, answer string
		kinds        string
		score        float64
	}{
		{"edges", transferEdges, "", 1},
		{"outline", transferOutline, "", 1},
		{"JSON", transferJSON, "", 1},
		{"another order of all", replaced("`signed_in`, `funds`", "`funds`, `signed_in`"), "", 1},
		{"twice the same", "```\n" + transferEdges + "```\nor, as JSON:\n```json\n" + transferJSON + "\n```\n", "", 1},
		{"said twice", replaced("all of (`signed_in`, `funds`)", "all of (`funds`, all of (`signed_in`, `funds`))"), "", 1},
		{"a rule that changes nothing", replaced("all of (`signed_in`, `funds`)", "`funds`", "- `login` -> `transfer`\n", ""), "", 1},
		{"no bullets", replaced("- ", ""), "", 1},

		{"no rule", replaced("`look`: `signed_in`", "`look`: no rule", "- `login` -> `look`\n", ""), "witness", 6 / statements / 2},
		{"circle", replaced("`login`: no rule", "`login`: `funds`"), "cycle edge", 7 / statements / 2},
		{"never", replaced("all of (`signed_in`, `funds`)", "all of (`signed_in`, `funds`, not `funds`)"), "unsatisfiable", 7 / statements / 2},
		{"a condition without a source", replaced("- `funds`: `look`\n", ""), "malformed edge", 7 / statements / 2},
		{"an edge too few", replaced("- `login` -> `look`\n", ""), "edge", 7 / statements / 2},
		{"an edge too many", transferEdges + "- `transfer` -> `login`\n", "edge", 8 / (statements + 1) / 2},
		{"no edges", transferEdges[:strings.Index(transferEdges, "\nEdges")], "edge", 5 / statements / 2},
		{"calls alone", "Calls and what each requires:\n- `login`: no rule\n", "witness", 1 / statements / 2},
		{"calls from outside", replaced("- `look`:", "- `a`: no rule\n- `b`: no rule\n- `look`:"), "witness", 8 / (statements + 2) / 2},
		{"many conditions from outside", replaced("- `funds`: `look`\n", "- `funds`: `look`\n"+manyConditions), "undetermined", 8 / (statements + 11) / 2},
		{"other names", replaced("login", "x", "look", "y", "transfer", "z", "signed_in", "p", "funds", "q"), "witness", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := judgeTransfer(t, dataset.ViewGraph, test.answer)
			requireSound(t, v)
			require.Empty(t, v.Unreadable)
			var kinds []string
			for _, x := range v.Violations {
				kinds = append(kinds, x.Kind)
			}
			assert.Equal(t, test.kinds, strings.Join(kinds, " "), "%+v", v)
			assert.InDelta(t, test.score, v.Score, 1e-9)
		})
	}
}

// What is left after the login, in which the customer is signed in.
func TestJudgeOfResidualGraphs(t *testing.T) {
	rest := "Calls and what each requires:\n- `look`: no rule\n- `transfer`: `funds`\n\nHow conditions become known:\n- `funds`: `look`\n\nEdges:\n- `look` -> `transfer`\n"
	require.True(t, judgeTransfer(t, dataset.ViewResidual, rest).Valid)
	v := judgeTransfer(t, dataset.ViewResidual, transferEdges)
	require.Equal(t, stages.GraphWitness, v.Violations[0].Kind)
	require.Equal(t, sop.Workflow{"look", "transfer"}, v.Violations[0].Witness.Workflow)
	require.Equal(t, stages.AcceptedByReference, v.Violations[0].AcceptedBy)
	_, err := stages.Judge(fmt.Appendf(nil, transfer, `["look"]`), dataset.ViewResidual, rest)
	require.ErrorContains(t, err, "reference: procedure transfer: the history calls look at position 0 while its requirement is not met")
}

func TestUnreadableGraphs(t *testing.T) {
	var calls, parts strings.Builder
	for i := range 65 {
		fmt.Fprintf(&calls, "- `c%d`: no rule\n", i)
	}
	for i := range 1025 {
		fmt.Fprintf(&parts, "`p%d`, ", i)
	}
	for answer, want := range map[string]string{
		"":                          "has no call",
		"I do not know.":            `"I do not know." has no call`,
		"login -> look -> transfer": "has no call",
		transferEdges + "Note: see above\n- `x`\n":                                    `the edge "Note: see above" is no pair`,
		transferEdges + "- `login` then `look`\n":                                     "the edge \"`login` then `look`\" is no pair",
		strings.Replace(transferEdges, "all of", "both", 1):                           "the rule \"both (`signed_in`, `funds`)\" goes on",
		strings.Replace(transferOutline, "  - requires: no rule\n", "", 1):            `login has no bullet "requires"`,
		strings.Replace(transferJSON, `"all"`, `"both"`, 1):                           `unknown operator "both"`,
		transferJSON + "\n" + transferJSON:                                            "has 2 objects",
		transferEdges + transferEdges:                                                 `has the call "login" twice`,
		transferJSON + "\n\n" + strings.Replace(transferEdges, "all of", "any of", 1): "states two graphs",
		"Calls and what each requires:\n" + calls.String():                            "65 calls and 0 conditions, want at most 64",
		"Calls and what each requires:\n- `a`: all of (" + parts.String() + "b)":      "have 1027 nodes, want at most 1024",
		"Calls and what each requires:\n- `a`: no rule\nHow conditions become known:\n- `p`: all of (" +
			strings.Repeat("any of (`a`, `b`), ", 7) + "any of (`a`, `b`))": "more than 128 ways to make p known",
		"<think>" + transferEdges:                  "ends within its reasoning",
		transferEdges + strings.Repeat(" ", 1<<16): "want at most 65536",
	} {
		v := judgeTransfer(t, dataset.ViewGraph, answer)
		assert.Contains(t, v.Unreadable, want)
		requireSound(t, v)
	}
}

// The order of lines carries no meaning; the parts of a seq stand on one line
// or are nested.
func TestShuffledGraphsStayValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, row := range threeStages(t, 60, 3) {
		if row.Stage != 3 {
			continue
		}
		for _, answer := range inEveryFormat(t, &row, row.Positive.Payload) {
			shuffled := shuffledLines(rng, answer)
			v, err := stages.Judge([]byte(row.Reference), row.View, shuffled)
			require.NoError(t, err)
			require.True(t, v.Valid, "%s\n%s\n%+v", row.ID, shuffled, v)
		}
	}
}

// shuffledLines exchanges the top-level bullets, with what is under them, of
// each list; a JSON object is left as it is.
func shuffledLines(rng *rand.Rand, answer string) string {
	var out []string
	for _, list := range strings.Split(answer, "\n\n") {
		heading, body, _ := strings.Cut(list, "\n")
		bullets := strings.Split("\n"+strings.TrimSuffix(body, "\n"), "\n- ")
		rng.Shuffle(len(bullets)-1, func(i, j int) { bullets[i+1], bullets[j+1] = bullets[j+1], bullets[i+1] })
		out = append(out, heading+strings.Join(bullets, "\n- "))
	}
	return strings.Join(out, "\n\n")
}

// An answer is valid if and only if Diff says that it is the same graph.
func TestJudgeAgreesWithDiff(t *testing.T) {
	counts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		v := soptest.Variant(t)
		g, facts := v.Graph.Canonical(), soptest.Facts(t, &v.Graph)
		reference, err := json.Marshal(stages.Reference{
			Requires: g.Requires, EstablishedBy: g.EstablishedBy, DependsOn: g.DependsOn, Excludes: g.Excludes, Effects: g.Effects,
			Facts: facts, Outcomes: g.Outcomes, Goal: g.Goal, History: []string{},
		})
		require.NoError(t, err)
		requires, sources := maps.Clone(g.Requires), maps.Clone(g.EstablishedBy)
		calls, conditions := slices.Sorted(maps.Keys(requires)), slices.Sorted(maps.Keys(sources))
		if call := rapid.SampledFrom(calls).Draw(t, "edited"); rapid.Bool().Draw(t, "a rule") || len(conditions) == 0 {
			other := rapid.SampledFrom(calls).Draw(t, "with the rule of")
			requires[call] = requires[other]
		} else {
			sources[rapid.SampledFrom(conditions).Draw(t, "condition")] = sop.L(call)
		}
		h := g.Restate(requires, sources)
		want, err := sop.Diff(g, h)
		require.NoError(t, err)
		format := rapid.SampledFrom(text.GraphFormats).Draw(t, "format")
		got, err := stages.Judge(reference, dataset.ViewGraph, text.RenderGraph(format, h, rand.New(rand.NewPCG(1, 2))))
		require.NoError(t, err)
		require.Empty(t, got.Unreadable)
		same := want == nil || h.Key() == g.Key() // a goal that nothing permits differs from itself
		require.Equal(t, same, got.Valid, "%+v", got)
		counts[got.Valid]++
	})
	require.NotZero(t, counts[true])
	require.NotZero(t, counts[false])
}

// Each right statement raises the score, each wrong or needless one lowers it.
func TestScoreOfGraphsIsMonotone(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(transferEdges), "\n")
	isStatement := func(line string) bool { return strings.HasPrefix(line, "- ") }
	rapid.Check(t, func(t *rapid.T) {
		kept := []string{}
		var left []string
		for i, line := range lines {
			if isStatement(line) && i != 1 && rapid.Bool().Draw(t, line) {
				left = append(left, line)
			} else {
				kept = append(kept, line)
			}
		}
		score := func(lines []string) float64 {
			v, err := stages.Judge(fmt.Appendf(nil, transfer, `[]`), dataset.ViewGraph, strings.Join(lines, "\n"))
			require.NoError(t, err)
			require.Empty(t, v.Unreadable)
			return v.Score
		}
		before := score(kept)
		require.Less(t, score(append(slices.Clone(kept), "- `other` -> `thing`")), before)
		if len(left) == 0 {
			require.Equal(t, 1.0, before)
			return
		}
		back := rapid.SampledFrom(left).Draw(t, "put back")
		after := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return slices.Contains(left, l) && l != back })
		require.Greater(t, score(after), before)
	})
}

func FuzzJudgeGraphs(f *testing.F) {
	for _, answer := range []string{transferEdges, transferOutline, transferJSON, "```\n" + transferEdges + "```\nDone with it.", "Edges:\n- a -> b"} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		for _, view := range []string{dataset.ViewGraph, dataset.ViewResidual} {
			requireSound(t, judgeTransfer(t, view, answer))
		}
	})
}
