package reading

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop/document"
)

// What is nested below a condition is for the cases in which it is so; a
// question mark stands for a reading that is not certain.
func TestNested(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"acts below a condition", "If the seal is broken:\n\n- Photograph the seal.\n- Notify the shipper.\n\nWeigh the crate.",
			"seal_broken: go on | photograph the seal <seal_broken> | notify the shipper <seal_broken> | weigh the crate"},
		{"acts below either", "- If the seal is broken, do the following:\n  - Photograph the seal.\n- Otherwise:\n  - Sign the manifest.\n\nWeigh the crate.",
			"seal_broken: go on | photograph the seal <seal_broken> | !seal_broken: go on | sign the manifest <!seal_broken> | weigh the crate"},
		{"a condition below another", "1. If the seal is broken, open the crate.\n   1. If the crate is empty, stop the work.\n2. Weigh the crate.",
			"seal_broken: open the crate | crate_empty: end with stop <seal_broken> | weigh the crate"},
		{"below a sentence that is not read", "- Shipments whose seal is intact unless reopened.\n  - Weigh the crate.",
			"?remark | ?weigh the crate"},
		{"below a step", "- Weigh the crate.\n  - Write the weight into the register.", "weigh the crate | write the weight into the register"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, strings.Join(underOf(read(t, c.text+"\n\nIf the sky falls, close the case.")), " | "))
		})
	}
}

func underOf(list []*Reading) (said []string) {
	for _, x := range list {
		if x.Text == "the sky falls" || x.Kind == Limit {
			continue
		}
		what := x.Text
		if x.Kind == Remark {
			what = "remark"
		}
		if x.Kind == Decision {
			what = sign(x.Holds) + x.Name + ": " + acts(x.Then)
		}
		for _, p := range x.Under {
			what += " <" + sign(p.Holds) + p.Condition + ">"
		}
		if !x.Certain {
			what = "?" + what
		}
		said = append(said, what)
	}
	return said
}

func sign(holds bool) string {
	if holds {
		return ""
	}
	return "!"
}

// What a nested call requires, and what comes behind it.
func TestBuildNested(t *testing.T) {
	d, err := document.Read("crates.md", []byte(`# Crates

## Procedure

1. Inspect the seal.
2. If the seal is broken:
   - Photograph the seal.
   - If the crate is empty, reject the crate.
3. Pay the carrier.
`))
	require.NoError(t, err)
	r, err := Read(d, nil)
	require.NoError(t, err)
	domain, err := Build("port", []*Result{r})
	require.NoError(t, err)
	assert.Equal(t, `"seal_broken"`, domain.Actions["photograph_seal"].Requires.Canonical().String(), "the seal is known by inspecting it")
	assert.Equal(t, "pay_carrier", domain.Procedures[0].Goal)
	assert.Equal(t, `{"any":[{"all":["photograph_seal_done","seal_broken",{"not":"crate_empty"}]},{"not":"seal_broken"}]}`,
		domain.Procedures[0].Required[0].Canonical().String())
}
