package stages_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/stages"
)

const handbook = `Isolate the host first. Then take an image of its
disk, and rotate the keys of everybody who was signed in.
Keys are rotated only where the owner agrees. Write the report when all of this is done.`

var response = &stages.Authored{Document: "handbook.txt", Domain: "handbook", Text: handbook, By: author}

var responseSteps = []stages.ProposedStep{
	{Name: "isolate_host", Text: "take the host off the network", Quote: "Isolate the host first."},
	{Name: "image_disk", Text: "copy the disk", Quote: "take an image of its disk", After: []string{"isolate_host"}},
	{Name: "rotate_keys", Text: "issue new keys", Quote: "rotate the keys", After: []string{"isolate_host"}},
	{Name: "write_report", Text: "write it down", Quote: "Write the report when all of this is done.", After: []string{"image_disk", "rotate_keys"}},
}

func noDomain(t testing.TB) *stages.Verifier {
	t.Helper()
	v, err := stages.NewVerifier(map[string]*sop.Domain{"handbook": {Name: "handbook"}})
	require.NoError(t, err)
	return v
}

func TestAuthoredSequence(t *testing.T) {
	counts := stages.Counted{}
	row := response.Sequence(responseSteps, [][]string{
		{"image_disk", "isolate_host", "rotate_keys", "write_report", "finish"},                // order
		{"isolate_host", "image_disk", "write_report", "finish"},                               // omitted
		{"isolate_host", "image_disk", "rotate_keys", "phone_home", "write_report", "finish"},  // from outside
		{"isolate_host", "rotate_keys", "image_disk", "write_report", "finish"},                // right
		{"isolate_host", "image_disk", "rotate_keys", "rotate_keys", "write_report", "finish"}, // repeated
		{"isolate_host", "image_disk", "write_report"},                                         // omitted, again
		{"isolate host"},
	}, counts)
	require.NotNil(t, row)
	require.NoError(t, row.Validate())
	require.Empty(t, noDomain(t).Row(row))
	assert.Equal(t, dataset.Unreviewed, row.Split)
	assert.Equal(t, `{"workflow":["isolate_host","image_disk","rotate_keys","write_report","finish"]}`, row.Positive.Payload)
	var kinds []string
	for _, n := range row.Negatives {
		kinds = append(kinds, n.Operator+" "+n.Violation)
	}
	assert.Equal(t, []string{"order unmet", "omit unmet", "insert outside", "insert repeated"}, kinds)
	assert.Equal(t, stages.Counted{
		"sequence":           {Asked: 1, Accepted: 1, Refused: map[string]int{}},
		"sequence negatives": {Asked: 7, Accepted: 4, Refused: map[string]int{"still_right": 1, "duplicate": 1, "name": 1}},
	}, counts)
}

func TestAuthoredGraph(t *testing.T) {
	counts := stages.Counted{}
	steps := slices.Clone(responseSteps)
	steps[2].After = []string{"isolate_host", "owner_agrees"}
	conditions := []stages.ProposedCondition{{Name: "owner_agrees", Text: "the owner agrees", Quote: "only where the owner agrees", FoundBy: "conversation"}}
	row := response.Graph(steps, conditions, []stages.ProposedEdit{
		{Step: "isolate_host", Add: []string{"write_report"}}, // a cycle
		{Step: "rotate_keys", Drop: []string{"owner_agrees"}}, // a precondition
		{Step: "image_disk", Drop: []string{"isolate_host"}},  // an edge
		{Step: "write_report", Add: []string{"isolate_host"}}, // follows already
		{Step: "write_report", Add: []string{"image_disk"}},   // is there
		{Step: "image_disk", Drop: []string{"isolate_host"}},  // again
		{Step: "image_disk", Add: []string{"phone_home"}},
		{Step: "image_disk"},
	}, counts)
	require.NotNil(t, row)
	require.NoError(t, row.Validate())
	require.Empty(t, noDomain(t).Row(row))
	var kinds []string
	for _, n := range row.Negatives {
		kinds = append(kinds, n.Operator+" "+n.Violation)
	}
	assert.Equal(t, []string{"cycle cycle", "precondition witness", "edge witness"}, kinds)
	assert.Equal(t, stages.Counted{
		"graph":           {Asked: 1, Accepted: 1, Refused: map[string]int{}},
		"graph negatives": {Asked: 8, Accepted: 3, Refused: map[string]int{"still_right": 2, "duplicate": 1, "unknown": 2}},
	}, counts)
}

func TestAuthoredConcepts(t *testing.T) {
	counts := stages.Counted{}
	rows := response.Concepts([]stages.ProposedTerm{
		{Term: "image", Definition: "a copy of all that is on a disk", Quote: "an image of its\n  disk", Synonyms: []string{"copy"},
			Distractors: []string{"report", "keys", "Image", "copy", "report", "backup"}},
		{Term: "host", Definition: "a host that was hit", Quote: "the host", Distractors: []string{"report"}},
		{Term: "backup", Definition: "a copy", Quote: "the host", Distractors: []string{"report"}},
		{Term: "keys", Definition: "what opens", Quote: "the keys to the house", Distractors: []string{"report"}},
		{Term: "report", Definition: "“what is written”", Quote: "the report", Distractors: []string{"keys"}},
		{Term: "disk", Definition: "what holds the data", Quote: "its disk", Distractors: []string{"disk"}},
		{Term: "image", Definition: "a picture", Quote: "an image"},
	}, counts)
	require.Len(t, rows, 1)
	require.NoError(t, rows[0].Validate())
	assert.Equal(t, dataset.Unproven, rows[0].Split, "nothing proves that a distractor is wrong")
	assert.Len(t, rows[0].Negatives, 2)
	assert.Equal(t, stages.Counted{
		"concept":           {Asked: 7, Accepted: 1, Refused: map[string]int{"gives_away": 1, "no_such_term": 1, "quote": 1, "no_definition": 1, "no_negative": 1, "duplicate": 1}},
		"concept negatives": {Asked: 7, Accepted: 2, Refused: map[string]int{"synonym": 2, "no_such_term": 2, "duplicate": 1}},
	}, counts)
	require.NotEmpty(t, noDomain(t).Row(rows[0]))
}

func TestAuthoredReadingIsRefusedForAReason(t *testing.T) {
	for _, c := range []struct {
		reason string
		change func([]stages.ProposedStep) []stages.ProposedStep
	}{
		{"name", func(s []stages.ProposedStep) []stages.ProposedStep { s[0].Name = "isolate host"; return s }},
		{"name", func(s []stages.ProposedStep) []stages.ProposedStep { s[0].Name = "finish"; return s }},
		{"name", func(s []stages.ProposedStep) []stages.ProposedStep { return append(s, s[0]) }},
		{"quote", func(s []stages.ProposedStep) []stages.ProposedStep { s[1].Quote = "burn the disk"; return s }},
		{"quote", func(s []stages.ProposedStep) []stages.ProposedStep { s[1].Quote = " "; return s }},
		{"unknown", func(s []stages.ProposedStep) []stages.ProposedStep { s[1].After = []string{"phone_home"}; return s }},
		{"cycle", func(s []stages.ProposedStep) []stages.ProposedStep { s[0].After = []string{"image_disk"}; return s }},
		{"cycle", func([]stages.ProposedStep) []stages.ProposedStep { return nil }},
		{"order", func(s []stages.ProposedStep) []stages.ProposedStep { slices.Reverse(s); return s }},
		{"too_large", func(s []stages.ProposedStep) []stages.ProposedStep {
			for i := range 20 {
				s = append(s, stages.ProposedStep{Name: fmt.Sprint("step_", i), Quote: "the host"})
			}
			return s
		}},
		{"no_negative", func(s []stages.ProposedStep) []stages.ProposedStep { return s }},
	} {
		counts := stages.Counted{}
		require.Nil(t, response.Sequence(c.change(slices.Clone(responseSteps)), nil, counts), c.reason)
		require.Equal(t, stages.Counted{"sequence": {Asked: 1, Accepted: 0, Refused: map[string]int{c.reason: 1}}}, counts)
	}
}

// Whatever a model proposes, what is taken of it is proven again by verify.
func TestAuthoredRowsAreProven(t *testing.T) {
	v := noDomain(t)
	names := []string{"a", "b", "c", "d", "e", "finish", "x", "no name"}
	name := rapid.SampledFrom(names)
	some := rapid.SliceOfN(name, 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		var steps []stages.ProposedStep
		for i, n := range names[:rapid.IntRange(0, 5).Draw(t, "steps")] {
			after := rapid.SliceOfN(rapid.SampledFrom(append(names[:max(1, i):max(1, i)], "a")), 0, 2).Draw(t, "after")
			if i == 0 {
				after = nil
			}
			steps = append(steps, stages.ProposedStep{Name: n, Quote: "the host", After: after})
		}
		counts := stages.Counted{}
		if row := response.Sequence(steps, rapid.SliceOfN(some, 0, 6).Draw(t, "wrong"), counts); row != nil {
			require.NoError(t, row.Validate())
			require.Empty(t, v.Row(row))
		}
		var edits []stages.ProposedEdit
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			edits = append(edits, stages.ProposedEdit{Step: name.Draw(t, "step"), Add: some.Draw(t, "add"), Drop: some.Draw(t, "drop")})
		}
		if row := response.Graph(steps, nil, edits, counts); row != nil {
			require.NoError(t, row.Validate())
			require.Empty(t, v.Row(row))
		}
		for what, n := range counts {
			refused := 0
			for _, k := range n.Refused {
				refused += k
			}
			require.Equal(t, n.Asked, n.Accepted+refused, what)
		}
	})
}
