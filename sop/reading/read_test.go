package reading

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/document"
)

// read reads a document whose procedure is the given sentences, a step before
// them so that it is one.
func read(t *testing.T, sentences string) []*Reading {
	t.Helper()
	d, err := document.Read("a.md", []byte("# Procedure\n\nOpen the case. Look up the account.\n\n"+sentences+"\n"))
	require.NoError(t, err)
	r, err := Read(d, nil)
	require.NoError(t, err)
	return slices.DeleteFunc(r.Readings, func(x *Reading) bool {
		return x.Kind == Outcome || x.Text == "open the case" || x.Text == "look up the account"
	})
}

// What a sentence is read as; a question mark stands for one that is not
// certain.
func TestSentences(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"If the format is invalid, log the issue and immediately terminate the process.", "if the format is invalid: log the issue, then end with stop"},
		{"If the account is closed, escalate immediately; otherwise, update the record.", "if the account is closed: end with escalate; otherwise: update the record"},
		{"Unless the customer agrees, close the case.", "if it is not so that the customer agrees: end with close"},
		{"When the pump stops, close the valve.", "if the pump stops: close the valve"},
		{"Reject the claim if the policy has lapsed.", "if the policy has lapsed: end with reject"},
		{"Check that the licence is valid, else escalate the case.", "do: check that the licence is valid | if it is not so that the licence is valid: end with escalate"},
		{"If the order is not paid, cancel the order.", "if it is not so that the order is paid: end with stop"},
		{"If the badge has expired: keep the badge.", "if the badge has expired: keep the badge"},
		{"If the product ID fails to meet the format (e.g., no prefix, or no digits), no further action should be taken.",
			"if the product ID fails to meet the format (e.g., no prefix, or no digits): end with stop"},
		{"If the age is over 65 and the card is valid, waive the fee.", "if all of (the age is over 65; the card is valid): waive the fee"},
		{"If the lamp is red or the bell rings, stop the work.", "?if the lamp is red or the bell rings: end with stop"},
		{"If the case is urgent, mark it as `HELD`.", "if the case is urgent: end with held"},
		{"Then update the ticket with its status: mark it as `PAID` if the bank has confirmed it, `OPEN` if it is still under way, or `LOST` if nobody has heard of it.",
			"do: update the ticket with its status | if the bank has confirmed it: end with paid | if it is still under way: end with open | ?if nobody has heard of it: end with lost; otherwise: end with lost"},
		{"Set the status to `PAID` if the bank has confirmed it, to `OPEN` if it is still under way, and otherwise to `LOST`.",
			"if the bank has confirmed it: end with paid | if it is still under way: end with open | if not: end with lost"},
		{"Mark the parcel as PAID if the bank has confirmed it, OPEN if it is under way, or LOST if nobody has heard of it.",
			"?if the bank has confirmed it: end with paid | ?if it is under way: end with open | ?if nobody has heard of it: end with lost; otherwise: end with lost"},
		{"Use `ls` if the disk is mounted, or `df` if it is not.", "?if the disk is mounted, or df if it is not: use ls"},
		{"Close the ticket with the status `RESOLVED` if the issue was addressed, otherwise `ESCALATED`.", "if the issue was addressed: end with resolved; otherwise: end with escalated"},
		{"Close the ticket as RESOLVED if the issue was addressed, otherwise ESCALATED.", "?if the issue was addressed: end with resolved; otherwise: end with escalated"},
		{"If the KYC is done, send the form to the BANK.", "if the KYC is done: send the form to the BANK"},
		{"If the crate is wet or does not belong to the shipper, weigh the crate.", "if any of (the crate is wet; the crate does not belong to the shipper): weigh the crate"},
		{"If the crate is wet, call the carrier and stop.", "if the crate is wet: call the carrier, then end with stop"},
		{"If the crate is wet, refuse the crate and escalate to the carrier.", "?if the crate is wet: end with reject, then end with escalate"},
		{"If the crate is wet, weigh the crate, unless the carrier has signed.", "?if the crate is wet: weigh the crate, unless the carrier has signed"},
		{"If the crate is wet, return the crate to the shipper.", "if the crate is wet: return the crate to the shipper"},
		{"If a label is missing for a crate of 25 kg or more, weigh the crate.", "?if a label is missing for a crate of 25 kg or more: weigh the crate"},
		{"If the weight is 25 kg or less, roll back the crate.", "if the weight is 25 kg or less: roll back the crate"},
		{"The officer shall verify the seal.", "do: verify the seal"},
		{"After checking the seal, sign the form.", "do: sign the form"},
		{"Deduct the fee.", "do: deduct the fee"},
		{"Do not open the box.", ""},
		{"The box is heavy.", ""},
		{"Determine if the account is open.", "do: determine if the account is open"},
		{"If the file is older than 30 days, archive the file.", "if the file is older than 30 days: archive the file"},
	} {
		t.Run(c.text, func(t *testing.T) {
			// The decision is there so that every case is a procedure.
			var said []string
			for _, x := range read(t, c.text+"\n\nIf the sky falls, close the case.") {
				if x.Kind == Limit || x.Text == "the sky falls" {
					continue
				}
				mark := ""
				if !x.Certain {
					mark = "?"
				}
				said = append(said, mark+x.String())
			}
			assert.Equal(t, c.want, strings.TrimSpace(strings.Join(said, " | ")))
		})
	}
}

// Statuses that only their capitals tell are outcomes for a person to confirm.
func TestStatusesInCapitals(t *testing.T) {
	d, err := document.Read("a.md", []byte("# Procedure\n\nOpen the case. Check the line. Close it with the status RESOLVED if the line is up, otherwise `ESCALATED`.\n"))
	require.NoError(t, err)
	r, err := Read(d, nil)
	require.NoError(t, err)
	certain := map[string]bool{}
	for _, x := range r.Readings {
		if x.Kind == Outcome {
			certain[x.Name] = x.Certain
		}
	}
	assert.Equal(t, map[string]bool{"resolved": false, "escalated": true}, certain)
}

// A title that names a procedure and holds definitions is the document's.
func TestDefinitionsInProcedure(t *testing.T) {
	d, err := document.Read("a.txt", []byte("CRATE PROCEDURE\n\n1. DEFINITIONS\n\"Crate\" means a box that is made of wood.\n\"Pallet\" means a frame below a crate.\n\n2. CHECKS\na) Weigh the crate.\nb) Sign the manifest.\nc) If the crate is wet, stop.\n"))
	require.NoError(t, err)
	r, err := Read(d, nil)
	require.NoError(t, err)
	var said []string
	for _, x := range r.Readings {
		said = append(said, string(x.Kind)+" "+x.Name)
	}
	assert.Equal(t, []string{"definition crate", "definition pallet", "step weigh_crate", "step sign_manifest", "decision crate_wet"}, said)
}

func TestLimits(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Flag latency values exceeding 100 milliseconds, jitter over 30 ms.", "latency values > 100 milliseconds; jitter > 30 milliseconds"},
		{"the purchase is more than 30 days old", "purchase > 30 days"},
		{"the amount is at least $1,500", "amount >= 1500 USD"},
		{"ownership of ≥ 25%", "ownership >= 25 percent"},
		{"a score between 1 and 5", "score >= 1 ; score <= 5"},
		{"no more than two attempts", " <= 2 attempts"},
		{"the weight is 25 kg or less", "weight <= 25 kg"},
		{"the ratio is 5% or more", "ratio >= 5 percent"},
		{"the number 30 alone", ""},
	} {
		var said []string
		for _, l := range findLimits(c.text) {
			said = append(said, strings.TrimRight(fmt.Sprintf("%s %s %s %s", l.subject, l.compare, number(l.number), l.unit), " ")+pad(l))
		}
		assert.Equal(t, c.want, strings.TrimRight(strings.Join(said, "; "), " "), c.text)
	}
}

func pad(l limit) string {
	if l.ranged {
		return " "
	}
	return ""
}

// What follows from a condition: where cases go, by the requirements and the
// outcomes of the domain that is built.
// A section outside the procedure is named where a reader would miss it.
func TestSkipped(t *testing.T) {
	const head, tail = "# Refunds\n\n", "\n## Procedure\n\n1. Open the case.\n2. Look up the order.\n3. If the order is closed, reject the refund.\n"
	for _, c := range []struct{ section, want string }{
		{"## Purpose\n\nThis page says what to do if a customer wants the money back.\n", ""},
		{"## Purpose\n\n- Serve customers.\n", ""},
		{"## Scope\n\n| Amount | Who signs |\n|---|---|\n| $100 | the cashier |\n", "a.md:3 Scope"},
		{"## Before you start\n\n- The receipt\n- The item\n", "a.md:3 Before you start"},
		{"## Exceptions\n\nIf the item is a gift, refund the card.\n", "a.md:3 Exceptions"},
		{"## History\n\nThe page is from March.\n", ""},
		{"## Definitions\n\n- **Order**: what a customer has bought.\n", ""},
	} {
		d, err := document.Read("a.md", []byte(head+c.section+tail))
		require.NoError(t, err)
		r, err := Read(d, nil)
		require.NoError(t, err, c.section)
		var got []string
		for _, x := range r.Skipped {
			got = append(got, x.Source+" "+x.Title)
		}
		assert.Equal(t, c.want, strings.Join(got, "; "), c.section)
	}
}

func TestBuild(t *testing.T) {
	d, err := document.Read("returns.md", []byte(`# Returns

## Procedure

1. Look up the receipt. If there is no receipt, reject the return.
2. Inspect the item. If the item is broken, go to step 4.
3. Put the item on the shelf.
4. Pay the refund.
`))
	require.NoError(t, err)
	r, err := Read(d, nil)
	require.NoError(t, err)
	domain, err := Build("shop", []*Result{r})
	require.NoError(t, err)
	require.Len(t, domain.Procedures, 1)
	p := domain.Procedures[0]
	assert.Equal(t, "pay_refund", p.Goal)
	assert.Equal(t, `{"not":"no_receipt"}`, domain.Actions["inspect_item"].Requires.String())
	assert.Equal(t, `{"not":"item_broken"}`, domain.Actions["put_item_shelf"].Requires.String())
	assert.Equal(t, `{"any":["item_broken","put_item_shelf_done"]}`, sop.Conjunction(p.Required).Canonical().String())
	assert.Empty(t, p.Outcomes, "the return is granted or denied")
	assert.Equal(t, "inspect_item", domain.Conditions["item_broken"].EstablishedBy.Name)
}

func TestTooLittle(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no steps", "# A\n\nThis is a page about the moon. It is far away.\n", "0 sentences tell somebody what to do"},
		{"no decisions", "# Procedure\n\nOpen the case. Write the report.\n", "no sentence decides anything"},
		{"no procedure", "# Purpose\n\nCheck the account.\n", "no section holds a procedure"},
		{"two headings of the same number", "# Procedure\n\n## 2. Check\n\nCheck the box.\n\n## 2. Send\n\nSend the box.\n", "a.md:7: two headings have the number 2, the other is in line 3"},
		{"a step that is not there", "# Procedure\n\nCheck the box. Weigh the box. If it is heavy, go to step 9.\n", "a.md:1: it refers to step 9, which is not there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := document.Read("a.md", []byte(c.text))
			require.NoError(t, err)
			_, err = Read(d, nil)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// Every document that nobody here annotated is read, with its doubts told, or
// refused in one line that says why.
func TestOtherDocuments(t *testing.T) {
	sharedDocument(t, "customer_service")
	files, err := filepath.Glob(filepath.Join(shared, "*", "*.[tm]*"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 9)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		d, err := document.Read(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), text)
		require.NoError(t, err)
		r, err := Read(d, nil)
		if err == nil {
			_, err = Build("all", []*Result{r})
		}
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			t.Log(err)
			continue
		}
		doubts := 0
		for _, x := range r.Readings {
			if !x.Certain {
				doubts++
				assert.NotEmpty(t, x.Why, x.Quote)
			}
		}
		t.Logf("%s: %d readings, %d of them not certain", d.File, len(r.Readings), doubts)
	}
}

// Whatever a document says, it is read or refused, and the same twice.
func FuzzReadDocument(f *testing.F) {
	f.Add("# Procedure\n\nCheck the box. If it is heavy, go to step 2.\n\n1. Open it\n2. Close it\n\n| If | Then |\n|---|---|\n| a b | stop |\n")
	f.Add("STEP 1: Check x\n- Tool: t\nSTEP 2: If all of the following are true, stop:\n- a is b\n- c exceeds 30 days\nOtherwise, send it.")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := document.Read("a.md", []byte(text))
		if err != nil {
			return
		}
		once, err := Read(d, nil)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		again, err := Read(d, nil)
		require.NoError(t, err)
		assert.Equal(t, once, again)
		if domain, err := Build("a", []*Result{once}); err == nil {
			for goal := range domain.Actions {
				assert.True(t, sop.IsIdentifier(goal), goal)
			}
			for c := range domain.Conditions {
				assert.True(t, sop.IsIdentifier(c), c)
			}
		}
	})
}

func FuzzReadTools(f *testing.F) {
	f.Add([]byte(`[{"toolSpec":{"name":"a","inputSchema":{"json":{"properties":{"x":{"type":"string","examples":["1","2"]}}}}}}]`))
	f.Add([]byte(`{"tools":[{"type":"function","function":{"name":"b","parameters":{"properties":{"y":{"enum":[1]}}}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		tools, err := ReadTools(text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.NotEmpty(t, tools)
	})
}
