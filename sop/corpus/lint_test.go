package corpus

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop"
)

// The starter validates, and there is nothing to say against it.
func TestStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	require.NoError(t, Start(dir))
	c, err := Load(dir)
	require.NoError(t, err)
	assert.Empty(t, c.Notes)
	assert.Empty(t, Lint(c.Domain))
	assert.FileExists(t, filepath.Join(dir, "domain.schema.json"))
	assert.ErrorContains(t, Start(dir), "is not empty, want the name of a new folder")
}

func TestLint(t *testing.T) {
	start := func(t *testing.T) *sop.Domain {
		dir := filepath.Join(t.TempDir(), "mine")
		require.NoError(t, Start(dir))
		c, err := Load(dir)
		require.NoError(t, err)
		return c.Domain
	}
	no := false
	for _, c := range []struct {
		name string
		edit func(*sop.Domain)
		want []string
	}{
		{"no confusables", func(d *sop.Domain) { d.Glossary[0].Confusables = nil },
			[]string{"glossary: without confusables wrong answers are terms of other types, which are easy to tell apart; 1 of 4 terms have none: member"}},
		{"used nowhere", func(d *sop.Domain) { d.Glossary[1].UsedIn = nil }, []string{"glossary/guest: no procedure uses it: no group asks about it"}},
		{"near definitions", func(d *sop.Domain) { d.Glossary[3].Definition = d.Glossary[2].Definition + " Always." },
			[]string{"glossary/yearly fee: its definition and that of deposit share 91 % of their words"}},
		{"names that nothing uses", func(d *sop.Domain) {
			d.Procedures[0].Customizable = d.Procedures[0].Customizable[1:]
		}, []string{"conditions/deposit_low: no procedure asks for it"}},
		{"one workflow", func(d *sop.Domain) {
			p := d.Procedures[0]
			p.Required, p.Customizable = nil, nil
			d.Conditions, d.Values = nil, nil
		}, []string{
			"actions/find_member: no procedure leads to it; it serves as a wrong answer only",
			"actions/look_at_shelf: no procedure leads to it; it serves as a wrong answer only",
			"actions/look_up_deposits: no procedure leads to it; it serves as a wrong answer only",
			"procedures/lend_tool: no case ends with deny",
			"procedures/lend_tool: it admits one workflow only: nothing in a case changes the answer",
			"procedures/lend_tool: it has one variant: no rule is customizable and no threshold has choices, so that the document can be learnt by heart",
		}},
		{"never permitted", func(d *sop.Domain) {
			d.Procedures[0].Required = append(d.Procedures[0].Required, sop.T(sop.Not, sop.L("tool_in")))
		}, []string{
			"procedures/lend_tool: no case ends with lend_tool while all its customizable rules hold",
			"procedures/lend_tool: it admits one workflow only: nothing in a case changes the answer",
		}},
		{"not accepted", func(d *sop.Domain) { d.Actions["find_member"].Certain = &no },
			[]string{"procedures/lend_tool: it leans on readings that nobody has accepted: its rows are kept apart (fmsop corpus review)"}},
		{"few requests", func(d *sop.Domain) { d.Procedures[0].Requests = d.Procedures[0].Requests[:1] },
			[]string{"procedures/lend_tool: it has 1 requests: held-out wordings need at least 3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t)
			c.edit(d)
			var said []string
			for _, a := range Lint(d) {
				said = append(said, a.String())
			}
			assert.Equal(t, c.want, said)
		})
	}
}

// What is written is what is read again; another file in the folder stays, and
// a domain that is no valid pack changes nothing.
func TestWritePack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bank")
	for _, name := range Builtin() {
		c, err := Load(name)
		require.NoError(t, err)
		require.NoError(t, WritePack(dir, c.Domain, map[string][]byte{name + ".txt": []byte("kept")}))
		again, err := Load(dir)
		require.NoError(t, err)
		assert.Equal(t, c.Domain, again.Domain)
	}
	assert.FileExists(t, filepath.Join(dir, "bank.txt"))
	var problems Problems
	assert.ErrorAs(t, WritePack(dir, &sop.Domain{Name: "broken"}, nil), &problems)
	_, err := Load(dir)
	assert.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{dir}, left)
}
