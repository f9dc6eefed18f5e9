package reading

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop/document"
)

const ward = `# Ward

## Definitions

- **Badge:** The card that a visitor wears.

## Procedure

### 1. Door

Open the door. The badge of the visitor is to be looked at by the guard.
If the lamp is red or the bell rings, stop the work.
If the badge is blue, hand over the key. Otherwise, escalate the case.

### 2. Key

Somebody notes the number of the key. A visit of longer than two hours is too long.
Visitors without a badge are sent to the office and the case is HELD.
Lock the door. A weight of over 30 kg is too much.

## Purpose

The guard greets all who work here.
`

func scanned(t *testing.T, text string) *Result {
	t.Helper()
	d, err := document.Read("ward.md", []byte(text))
	require.NoError(t, err)
	r, err := Scan(d, nil)
	require.NoError(t, err)
	return r
}

func step(quote, text string) *Reading {
	return &Reading{Kind: Step, Quote: quote, Text: text, By: "m"}
}

func ifThen(quote, condition string, then ...Act) *Reading {
	return &Reading{Kind: Decision, Quote: quote, Text: condition, Then: then, By: "m"}
}

// What is proposed is taken as read, uncertain, at its sentence; what cannot be
// is refused with its reason.
func TestPropose(t *testing.T) {
	const look, key, held = "The badge of the visitor is to be looked at by the guard.", "Somebody notes the number of the key.", "Visitors without a badge are sent to the office"
	for _, c := range []struct {
		name string
		x    *Reading
		want string // the line and what was read, or why not
	}{
		{"a step", step(look, "Look at the badge of the visitor."), "ward.md:11 do: look at the badge of the visitor"},
		{"white space and marks of the page", step("The  badge of\nthe *visitor* is to be looked at", "look at the badge"), "ward.md:11 do: look at the badge"},
		{"a decision", ifThen(held, "the visitor is without a badge", Act{End: "HELD"}), "ward.md:18 if the visitor is without a badge: end with held"},
		{"a decision that leads to an act", ifThen(held, "the visitor is without a badge", Act{Text: "Send the visitor to the office."}), "ward.md:18 if the visitor is without a badge: send the visitor to the office"},
		{"an outcome", &Reading{Kind: Outcome, Quote: "the case is HELD", Name: "HELD", Text: "visitors without a badge", By: "m"}, "ward.md:18 held: visitors without a badge"},
		{"a definition", &Reading{Kind: Definition, Quote: "The guard greets all who work here", Name: "Guard", Text: "who greets all", By: "m"}, "ward.md:23 guard: who greets all."},
		{"a threshold in words", &Reading{Kind: Limit, Quote: "longer than two hours", Text: "length of a visit", Compare: "<=", Number: 2, Unit: "hours", By: "m"}, refusedRead},
		{"another reading of what is not certain", ifThen("If the lamp is red or the bell rings", "the lamp is red", Act{End: "stop"}), "ward.md:12 instead if the lamp is red: end with stop"},

		{"a quote astray", step("The guard looks at the badge.", "look at the badge"), refusedAstray},
		{"a quote of two words", step("the key", "note the key"), refusedAstray},
		{"a quote that is too much", step(look+" If the lamp is red", "look at the badge"), refusedAstray},
		{"outside the procedure", step("The guard greets all who work here.", "greet all who work here"), refusedOutside},
		{"what the quote does not say", step(key, "call the police at once"), refusedUnsaid},
		{"a number that is not there", &Reading{Kind: Limit, Quote: "A visit of longer than two hours", Text: "visit", Number: 3, By: "m"}, refusedUnsaid},
		{"an outcome that is not named", ifThen(held, "visitors are without a badge", Act{End: "MAGIC"}), refusedUnsaid},
		{"what is read with certainty", step("Open the door.", "open the door"), refusedRead},
		{"a term that is read", &Reading{Kind: Definition, Quote: "The card that a visitor wears", Name: "badge", Text: "card of a visitor", By: "m"}, refusedRead},
		{"the same as is read without certainty", ifThen("If the lamp is red or the bell rings", "the lamp is red or the bell rings", Act{End: "stop"}), refusedAgrees},
		{"a section that is not there", ifThen(held, "visitors are without a badge", Act{Go: "9"}), refusedNowhere},
		{"a loop", ifThen(held, "visitors are without a badge", Act{Go: "1"}), refusedFlow},
		{"nothing follows", ifThen(held, "visitors are without a badge"), refusedIncomplete},
		{"nothing said", step(key, ""), refusedIncomplete},
		{"no kind", &Reading{Kind: "rumour", Quote: key, By: "m"}, refusedIncomplete},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := scanned(t, ward)
			before := len(r.Readings)
			refused := r.Propose([]*Reading{c.x})
			if len(refused) > 0 {
				assert.Equal(t, c.want, refused[0].Reason, refused[0].Detail)
				assert.Len(t, r.Readings, before)
				return
			}
			instead := ""
			if c.x.Instead {
				instead = "instead "
			}
			assert.Equal(t, c.want, c.x.Source+" "+instead+c.x.String())
			assert.True(t, c.x.Open())
			assert.Contains(t, c.x.Why, "m proposes it")
			assert.Contains(t, r.Readings, c.x)
			_, err := Build("ward", []*Result{r})
			require.NoError(t, err)
		})
	}
}

// Steps stand in the order of their sentences; the same twice is one; an
// otherwise is not parted from its condition.
func TestProposalsStandInTheirPlace(t *testing.T) {
	r := scanned(t, ward)
	last, first := step("Somebody notes the number of the key.", "note the number of the key"), step("The badge of the visitor is to be looked at", "look at the badge")
	refused := r.Propose([]*Reading{last, first, step("is to be looked at by the guard", "look at the badge")})
	require.Len(t, refused, 1)
	assert.Equal(t, refusedTwice, refused[0].Reason)
	var flow []string
	for _, x := range r.Readings {
		if x.flows() {
			flow = append(flow, strings.TrimPrefix(x.Source, "ward.md:"))
		}
	}
	assert.Equal(t, []string{"11", "11", "12", "13", "13", "17", "19"}, flow)
}

// A proposal that rules read otherwise is used once it is accepted, and they
// are not; and the other way round.
func TestDecideBetweenRivals(t *testing.T) {
	r := scanned(t, ward)
	x := ifThen("If the lamp is red or the bell rings", "the lamp is red", Act{End: "stop"})
	require.Empty(t, r.Propose([]*Reading{x}))
	f := &File{Documents: []*Result{r}}
	at := slices.IndexFunc(r.Readings, func(y *Reading) bool { return y.Quote == x.Quote && y.By == "" })
	rules := r.Readings[at]
	assert.False(t, x.Used())
	assert.True(t, rules.Used())

	assert.Equal(t, []*Reading{rules}, f.Decide(x, Accepted))
	assert.True(t, x.Used())
	assert.False(t, rules.Used())
	domain, err := Build("ward", alone(r))
	require.NoError(t, err)
	assert.NotContains(t, fmt.Sprint(domain.Conditions), "bell")

	assert.Empty(t, f.Decide(x, Rejected))
	assert.True(t, rules.Open(), "it is open again")
	assert.Equal(t, []*Reading{x}, f.Decide(rules, Accepted))
	assert.False(t, x.Used())
}

func alone(r *Result) []*Result { return []*Result{r} }

// Read again without the model, what it proposed is there again, and what a
// person said of it, wherever its sentence stands by now.
func TestProposalsAreKept(t *testing.T) {
	r := scanned(t, ward)
	kept, gone := step("Somebody notes the number of the key.", "note the number of the key"), step("The badge of the visitor is to be looked at", "look at the badge")
	require.Empty(t, r.Propose([]*Reading{kept, gone}))
	f := &File{Documents: []*Result{r}}
	f.Decide(kept, Accepted)
	moved := scanned(t, strings.Replace("\n\n"+ward, " The badge of the visitor is to be looked at by the guard.", "", 1))
	refused := moved.Propose(f.Proposals("ward.md"))
	require.Len(t, refused, 1)
	assert.Equal(t, refusedAstray, refused[0].Reason)
	changes := strings.Join(Recall(f.Documents, alone(moved)), "\n")
	assert.Contains(t, changes, "gone     ward.md:11  do: look at the badge")
	assert.Contains(t, changes, "moved    ward.md:17 -> ward.md:19  do: note the number of the key")
	at := slices.IndexFunc(moved.Readings, func(y *Reading) bool { return y.By != "" })
	assert.Equal(t, Accepted, moved.Readings[at].Verdict)
}

func FuzzPropose(f *testing.F) {
	f.Add("If the badge is blue, hand over the key.", "the badge is blue", "stop", "2")
	f.Add("Visitors without a badge are sent", "", "", "")
	f.Fuzz(func(t *testing.T, quote, text, end, to string) {
		r := scanned(t, ward)
		for _, kind := range []Kind{Definition, Outcome, Step, Decision, Limit} {
			x := &Reading{Kind: kind, Quote: quote, Name: text, Text: text, Then: []Act{{End: end}}, Else: []Act{{Go: to}}, By: "m"}
			if len(r.Propose([]*Reading{x})) == 0 {
				assert.False(t, x.Certain)
				assert.Contains(t, ward, strings.TrimPrefix(x.Quote, "- "))
			}
		}
		_, err := Build("ward", alone(r))
		require.NoError(t, err)
	})
}
