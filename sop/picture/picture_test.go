package picture

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop"
)

var update = flag.Bool("update", false, "write the golden files")

// gate is a procedure with everything that is drawn: an order, alternatives, a
// denial of both, a step that only has to be done, and something uncertain.
func gate(t *testing.T) *sop.Variant {
	t.Helper()
	certain := false
	condition := func(text, by string) *sop.Condition {
		return &sop.Condition{Kind: "state", Text: text, Negated: "not " + text, EstablishedBy: sop.L(by)}
	}
	logged := condition("the visit is logged", "log")
	logged.DependsOn = sop.T(sop.Any)
	known := condition(`the visitor is "known" & welcome`, sop.Conversation)
	known.Certain = &certain
	d := &sop.Domain{
		Name: "gate",
		Conditions: map[string]*sop.Condition{
			"logged": logged, "known": known, "badge": condition("the badge is valid", "check"), "late": condition("it is after hours", "look"),
		},
		Actions: map[string]*sop.Action{
			"check": {Text: "check the badge"}, "look": {Text: "look at the clock"},
			"log":  {Text: "log the visit", Requires: sop.L("badge"), Effects: map[string]bool{"logged": true}},
			"open": {Text: "open the gate"},
		},
	}
	rule := sop.T(sop.All, sop.L("logged"), sop.T(sop.Seq, sop.L("known"), sop.L("badge")), sop.T(sop.Not, sop.T(sop.All, sop.L("late"), sop.T(sop.Not, sop.L("known")))))
	p := &sop.Procedure{Goal: "open", Title: "Open the gate", Required: []*sop.Tree{rule},
		Outcomes: []sop.Outcome{{End: "open", Tree: rule}, {End: "call_guard", Tree: sop.L("late")}, {End: "deny"}}}
	v, err := d.Variant(p, sop.Choice{})
	require.NoError(t, err)
	return v
}

func TestRender(t *testing.T) {
	for _, format := range []string{"dot", "mermaid"} {
		got, err := Render(t.Context(), format, gate(t))
		require.NoError(t, err)
		file := filepath.Join("testdata", "gate."+format)
		if *update {
			require.NoError(t, os.WriteFile(file, got, 0o666))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}
}

// The picture is whole XML, has every node, and is the same twice.
func TestSVG(t *testing.T) {
	v := gate(t)
	got, err := Render(t.Context(), "svg", v)
	require.NoError(t, err)
	again, err := Render(t.Context(), "svg", v)
	require.NoError(t, err)
	assert.Equal(t, string(got), string(again))
	text := 0
	for d := xml.NewDecoder(strings.NewReader(string(got))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "g" {
			for _, a := range e.Attr {
				if a.Name.Local == "class" && a.Value == "node" {
					text++
				}
			}
		}
	}
	assert.Equal(t, len(draw(v).nodes), text)
}

func TestUnknownFormat(t *testing.T) {
	_, err := Render(t.Context(), "png", gate(t))
	assert.EqualError(t, err, `format is "png", want one of svg, dot, mermaid`)
}
