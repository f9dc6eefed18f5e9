package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
)

func TestSameMeaning(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(g *sop.Graph)
		want   string // of the error; nothing where the meaning is the same
	}{
		{"nothing", func(*sop.Graph) {}, ""},
		{"order of an any", func(g *sop.Graph) { g.EstablishedBy["low_debt"] = sop.T(sop.Any, sop.L("audit"), sop.L("find")) }, ""},
		{"order of excludes", func(g *sop.Graph) { g.Excludes = [][]string{{"low_debt", "frozen"}} }, ""},
		{"a connective", func(g *sop.Graph) { g.EstablishedBy["low_debt"] = sop.T(sop.All, sop.L("audit"), sop.L("find")) }, `the source of "low_debt"`},
		{"order of a seq", func(g *sop.Graph) { g.Requires["lend"] = sop.T(sop.Seq, sop.L("low_debt"), sop.L("known")) }, `the requirement of "lend"`},
		{"a call", func(g *sop.Graph) { g.Requires["seek"] = nil }, `the requirement of "seek" is stated in one only`},
		{"a dependence", func(g *sop.Graph) { g.DependsOn = nil }, `the dependence of "low_debt"`},
		{"an effect", func(g *sop.Graph) { g.Effects = map[string]map[string]bool{"audit": {"frozen": true}} }, `the effect of "audit" on "frozen"`},
		{"the goal", func(g *sop.Graph) { g.Goal = "borrow" }, "the goal"},
		{"an end", func(g *sop.Graph) { g.Outcomes = g.Outcomes[:1] }, "2 and 1 outcomes"},
		{"exclusion", func(g *sop.Graph) { g.Excludes = nil }, "exclude each other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a, b := sopLoan(t).Graph, sopLoan(t).Graph
			tc.change(&b)
			err := text.SameMeaning(&a, &b)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("SameMeaning = %v, want %q", err, tc.want)
			}
		})
	}
}

func ExampleReadSOP() {
	r, err := text.ReadSOP(`# Rule sheet: Lending

## Scope

The action at stake is ` + "`lend`" + `.

## Rules for the request

R1. It MUST be established that either the request is polite (` + "`polite`" + `) or the account is open (not ` + "`frozen`" + `).
R2. End with ` + "`lend`" + ` if every rule for the request is fulfilled, and with ` + "`deny`" + ` as soon as they cannot all be fulfilled any more.

## Rules of evidence

R3. Whether the request is polite (` + "`polite`" + `) is plain from the request itself; no call is needed.
R4. Whether the account is frozen (` + "`frozen`" + `) is found out with ` + "`audit`" + `.
R5. There is no rule for ` + "`audit`" + `; it is open at any time.
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Style, r.Graph.Requires["lend"])

	_, err = text.ReadSOP("# Rules\n\n## Scope\n\nLend to everybody.\n")
	fmt.Println(err)
	// Output:
	// rules {"any":["polite",{"not":"frozen"}]}
	// line 5: "Lend to everybody." is no statement of an SOP, want a rule, a requirement, how a condition is found out, an outcome, or a general instruction
}
