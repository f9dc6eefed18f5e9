package recheck

import (
	"strings"
	"testing"
)

const numberedText = `# SOP: Pay

Document DESK-PAY, version 1.0

## 1. Purpose

Pays. This is no rule: only if ` + "`nothing`" + `.

## 2. Scope

The action at stake is ` + "`pay`" + ` (pay the sum; takes user, sum).

- A condition counts as unknown until a call named for it has been made.

## 3. Steps

**Step 1. Identity**
   - Required: all of the following hold, settled in the order given:
      1. the customer is known (` + "`known`" + `)
      2. at least one of the following holds:
         - the customer has not signed in (not ` + "`signed_in`" + `)
         - it is not the case that both a is b (` + "`ab`" + `) and c is d (` + "`cd(user=payee)`" + `)
   - For ` + "`known`" + `, make the call of that name.
   - ` + "`signed_in`" + ` is plain from the request itself; no call is needed.
   - To find out ` + "`ab`" + `, use any one of these calls: (a) ` + "`known`" + ` together with ` + "`look`" + `; or (b) ` + "`see`" + `.
   - ` + "`cd(user=payee)`" + ` is settled by ` + "`see`" + `.
   - Decision point 1: does this hold?
      - If so, the step is settled. Turn to whichever step is still open.
      - If it can no longer be met, stop and end with ` + "`deny`" + `.

Step 2: Closing
   Close the request with ` + "`pay`" + ` once all the requirements above are met, or with ` + "`deny`" + ` as soon as that has become impossible.

## 4. Calls

- ` + "`known`" + ` (look up): no requirement; it may be called at any time.
- ` + "`look`" + `: only if the customer is known (` + "`known`" + `).
- Before ` + "`see`" + ` (see; takes nothing): make sure that it is established first that a is b (` + "`ab`" + `) and only then that the customer is known (` + "`known`" + `).

## 5. Figures

- The test for ` + "`ab`" + `: the age is at least 18 (` + "`age >= 18`" + `).
- ` + "`age`" + ` (no unit) stands for the age.

## 6. Dependencies

- None of ` + "`ab` and `cd(user=payee)`" + ` can be true unless the customer is known (` + "`known`" + `), and the customer has signed in (` + "`signed_in`" + `).
- A successful ` + "`pay`" + ` changes the picture: from then on both a is not b (not ` + "`ab`" + `) and the customer is known (` + "`known`" + `).
- No two of these are ever true together: ` + "`ab` and `signed_in`" + `.
`

func TestReadDocument(t *testing.T) {
	d, err := readDocument(numberedText)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ what, got, want string }{
		{"goal", d.goal, "pay"},
		{"demand", d.requires["pay"].String(), `{"seq":["known",{"any":[{"not":"signed_in"},{"not":{"all":["ab","cd(user=payee)"]}}]}]}`},
		{"outcome", d.outcomes[0].tree.String(), d.requires["pay"].String()},
		{"free", d.requires["known"].String(), "null"},
		{"look", d.requires["look"].String(), `"known"`},
		{"see", d.requires["see"].String(), `{"seq":["ab","known"]}`},
		{"known", d.established["known"].String(), `"known"`},
		{"given", d.established["signed_in"].String(), `"conversation"`},
		{"ab", d.established["ab"].String(), `{"any":[{"all":["known","look"]},"see"]}`},
		{"depends", d.depends["ab"].String(), `{"all":["known","signed_in"]}`},
		{"depends of the other", d.depends["cd(user=payee)"].String(), `{"all":["known","signed_in"]}`},
		{"effects", text(d.effects["pay"]), `{"ab":false,"known":true}`},
		{"excludes", text(d.excludes), `[["ab","signed_in"]]`},
		{"measure", d.measures["ab"] + ": " + d.worded["ab"], "age >= 18: the age is at least 18"},
		{"unit", d.units["age"], "no unit"},
	} {
		if want.got != want.want {
			t.Errorf("%s is %s, want %s", want.what, want.got, want.want)
		}
	}
	for name, want := range map[string]gloss{
		"known": {"fact", false, "the customer is known"}, "signed_in": {"fact", true, "the customer has not signed in"},
		"see": {"call", false, "see"}, "age": {"quantity", false, "the age"},
	} {
		if len(d.says[name]) == 0 || d.says[name][0] != want {
			t.Errorf("of %s it is said %v, want %v", name, d.says[name], want)
		}
	}
}

// TestReadDocumentRefuses changes one thing of a text that is read: what is not understood, or is missing, has to be an error.
func TestReadDocumentRefuses(t *testing.T) {
	for _, change := range [][2]string{
		{"Required: all", "Desired: all"}, {"settled in the order given", "settled in some order"}, {"1. the customer is known (`known`)\n", "1. the customer is known\n"},
		{"(not `signed_in`)", "(never `signed_in`)"}, {"For `known`, make the call of that name.\n", "\n"}, {"`deny`.\n\nStep", "`go`.\n\nStep"},
		{"(b) `see`", "(c) `see`"}, {" together with ", " along with "}, {"only if the customer", "only when the customer"}, {"- `known` (look up): no requirement; it may be called at any time.\n", ""},
		{"Close the request with", "Finish the request with"}, {"`age` (no unit) stands for the age.", "`height` (no unit) stands for the age."},
		{"`age >= 18`", "`age`"}, {"None of", "Some of"}, {"both a is not b (not `ab`) and", "both a is not b (not `ab`) or"}, {"The action at stake is", "At stake is"},
		{"`cd(user=payee)` is settled by `see`", "`cd(user=payee)` is settled by `see`, maybe"}, {"`look`: only", "`known`: only"}, {"ever true together: `ab`", "ever true together: `xy`"},
	} {
		changed := strings.Replace(numberedText, change[0], change[1], 1)
		if changed == numberedText {
			t.Fatalf("the text has no %q", change[0])
		}
		if _, err := readDocument(changed); err == nil {
			t.Errorf("%q for %q is read", change[1], change[0])
		}
	}
	for _, change := range [][2]string{
		{"require in_order(known, funds)", "require in_order(known, funds"}, {"known from read or statement", "known from read or statement and check"}, {"needs all rules", "needs nothing"},
		{"when all rules hold", "when some rules hold"}, {"end deny", "end pay"}, {"possible if known", "possible if"}, {"in USD  # the sum", "# the sum"}, {"fact known  #", "act known  #"},
	} {
		changed := strings.Replace(deskText, change[0], change[1], 1)
		if changed == deskText {
			t.Fatalf("the listing has no %q", change[0])
		}
		if _, err := readDocument(changed); err == nil {
			t.Errorf("%q for %q is read", change[1], change[0])
		}
	}
}

func FuzzReadDocument(f *testing.F) {
	f.Add(numberedText)
	f.Add(deskText)
	f.Add("# T\n\n## Ends\n\n| End with | Due when |\n|---|---|\n| `pay` | all requirements of the request are met |\n| `deny` | they can no longer all be met |\n")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := readDocument(text); err == nil && d.closed() != nil {
			t.Errorf("%q is read as a procedure that is not closed", text)
		}
	})
}

func FuzzReadGraph(f *testing.F) {
	f.Add("edges", callsHeading+"\n- `a`: all of (`b`, not `c`)\n"+factsHeading+"\n- `b`: the conversation\n"+edgesHeading+"\n- `a` -> `b`\n")
	f.Add("indented", callsHeading+"\n- `a`\n  - requires:\n    - not:\n      - `b`\n")
	f.Add("json", `{"requires":{"a":{"not":"b"}},"established_by":{"b":"a"},"edges":[]}`)
	f.Fuzz(func(_ *testing.T, format, text string) {
		if s, err := readGraph(format, text); err == nil {
			r := s.of(&rules{goal: "a"})
			_, _ = r.edges()
			_, _ = r.graphKey(), r.closed()
		}
	})
}

func FuzzReadLog(f *testing.F) {
	f.Add("So far:\n1. `f(a=\"x\", b=1)` [`f(a=c)`]\n   Result: done\n   - more\n")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = readLog(text)
		_, _ = readRequest(text)
		_, _ = readGlossary(text)
	})
}
