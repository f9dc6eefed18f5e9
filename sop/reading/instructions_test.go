package reading

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop"
)

// The pseudo-code of testdata/lamp.yaml: what each call requires and when each
// end is due, by hand.
func TestInstructions(t *testing.T) {
	text, err := os.ReadFile("testdata/lamp.yaml")
	require.NoError(t, err)
	r, err := ReadInstructions("lamp.yaml", text)
	require.NoError(t, err)
	assert.Equal(t, "Lamp repair", r.Title)
	d, err := Build("lamps", []*Result{r})
	require.NoError(t, err)
	p := d.Procedures[0]
	assert.Nil(t, d.Actions["look_up_customer"].Requires)
	assert.Equal(t, `{"all":[{"not":"customer_status_unknown"},"customer_status_known"]}`, d.Actions["test_lamp"].Requires.String())
	var ends []string
	for _, o := range p.Outcomes {
		ends = append(ends, o.End+" "+o.Tree.String())
	}
	assert.Equal(t, []string{
		`send_to_workshop {"all":[{"not":"lamp_fine"},{"not":"lamp_broken_socket"}]}`,
		`ask_card_shown_again "customer_status_unknown"`,
		`nothing_applies {"all":[{"not":"customer_status_unknown"},{"not":"customer_status_known"}]}`,
		`hand_back "lamp_fine"`,
		`order_socket null`,
	}, ends)
	assert.Equal(t, "test_lamp", d.Conditions["lamp_fine"].EstablishedBy.Name)
	assert.Equal(t, [][]string{{"customer_status_unknown", "customer_status_known"}, {"lamp_fine", "lamp_broken_socket"}}, d.Excludes)
}

// Instructions after a branch are for the cases of all branches.
func TestInstructionsGoOn(t *testing.T) {
	r, err := ReadInstructions("a.yaml", []byte(`
- door:
  condition: always
  Instructions:
    - check the bell:
      condition: always
    - if the bell is broken, note the fault:
      condition_type: if
      Instructions:
        - call the electrician:
          condition: always
    - open the door:
      condition: always
`))
	require.NoError(t, err)
	d, err := Build("doors", []*Result{r})
	require.NoError(t, err)
	assert.Equal(t, "open_door", d.Procedures[0].Goal)
	assert.Equal(t, `"bell_broken"`, d.Actions["call_electrician"].Requires.String())
	assert.Equal(t, `{"any":["call_electrician_done",{"not":"bell_broken"}]}`, sop.Conjunction(d.Procedures[0].Required).Canonical().String())
}

// What stands last in a branch ends the case there, with a condition or without.
func TestInstructionsEnd(t *testing.T) {
	r, err := ReadInstructions("a.yaml", []byte(`
- door:
  condition: always
  Instructions:
    - check the bell:
      condition: always
    - if the bell is broken, note the fault:
      condition_type: if
      API: note_fault
      Instructions:
        - always call the electrician:
          condition: always
    - else, ring the bell:
      condition_type: if
`))
	require.NoError(t, err)
	d, err := Build("doors", []*Result{r})
	require.NoError(t, err)
	p := d.Procedures[0]
	require.Len(t, p.Outcomes, 2)
	assert.Equal(t, "call_electrician", p.Goal)
	assert.Equal(t, `"note_fault_done"`, p.Outcomes[0].Tree.String())
	assert.Equal(t, "ring_bell", p.Outcomes[1].End)
}

func TestInstructionsRefused(t *testing.T) {
	sound, err := os.ReadFile("testdata/lamp.yaml")
	require.NoError(t, err)
	for _, c := range []struct{ name, old, with, want string }{
		{"goto", `API: send_to_workshop`, "goto: l01, l02", "goes to l01, l02: goto and loops are not yet modelled"},
		{"loop", `condition_type: if`, "condition_type: while", `the condition is "while": goto and loops are not yet modelled`},
		{"no condition", "          condition_type: if\n", "", `want always, if, or an object`},
		{"another key", `API: send_to_workshop`, "tool: x", `unknown key "tool"`},
		{"another comparison", `"condition_type": "is", "value": "fine"`, `"condition_type": "above", "value": "fine"`, `compares by "above", want is`},
		{"two procedures", "- lamp repair:", "- other:\n  condition: always\n- lamp repair:", "2 procedures, want one in a file"},
		{"no YAML", "- lamp repair:", "- {", "not YAML"},
		{"no list", "- lamp repair:", "lamp repair:", "want a list of instructions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, string(sound), c.old)
			_, err := ReadInstructions("lamp.yaml", []byte(strings.Replace(string(sound), c.old, c.with, 1)))
			require.ErrorContains(t, err, c.want)
			assert.True(t, strings.HasPrefix(err.Error(), "lamp.yaml:"))
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

func FuzzReadInstructions(f *testing.F) {
	text, err := os.ReadFile("testdata/lamp.yaml")
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte("- a:\n  condition: always\n  Instructions:\n  - if b is c, d:\n    condition_type: if\n  - else, e f:\n    condition_type: if\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ReadInstructions("a.yaml", text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		_, _ = Build("a", []*Result{r})
	})
}
