package text

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func TestReadHistoryByHand(t *testing.T) {
	v := bankVariant(t)
	for _, c := range []struct {
		name, text string
		want       []string
		err        string
	}{
		{"empty", "No call has been made yet.\n", nil, ""},
		{"results", "The log of this case until now:\n1. `sign_in(code=\"K-1\", username=\"ann\")`\n   - The customer has signed in\n2. `get_balance(username=\"ann\")`\n   - Balance of ann: $12\n", []string{"sign_in", "get_balance"}, ""},
		{"below numbered steps", "1. `pay`\n2. `now`\n\nThe log of this case until now:\n1. `sign_in()`\n   - done\n\nWhat now?", []string{"sign_in"}, ""},
		{"stray line", "The log of this case until now:\n1. `sign_in()`\nand so on", nil, `has the line "and so on"`},
		{"instance", "The log of this case until now:\nCall 1: `exists(username=\"cid\")` [`exists(username=payee)`]\n  Answer: Account of cid: none\n", []string{"exists(username=payee)"}, ""},
		{"unknown call", "The log of this case until now:\n1. `dance()`\n", []string{"dance"}, ""},
		{"no mark", "The log of this case until now:\n1. `exists(username=\"ann\")`\n", []string{"exists"}, ""},
		{"wrong number", "The log of this case until now:\n1. `sign_in()`\n3. `get_balance()`\n", nil, "where number 2 is wanted"},
		{"no history", "Hello.", nil, "has no history"},
	} {
		got, err := ReadHistory(c.text, v)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
		} else if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func TestReadKnownNeedsEveryResult(t *testing.T) {
	v, s := bankVariant(t), bankScenario()
	rng := rand.New(rand.NewPCG(3, 4))
	request := RenderRequest("email", v, s, rng)
	history := RenderHistory(v, s, []string{"sign_in", "get_balance"}, rng)
	known, err := ReadKnown(request+"\n"+history, v)
	if err != nil || !known["signed_in"] || !known["sufficient"] || len(known) != 2 {
		t.Fatalf("ReadKnown = %v, %v\n%s", known, err, history)
	}
	var kept []string
	for _, line := range strings.Split(history, "\n") {
		if !strings.Contains(line, "has signed in") {
			kept = append(kept, line)
		}
	}
	if _, err := ReadKnown(request+"\n"+strings.Join(kept, "\n"), v); err == nil || !strings.Contains(err.Error(), `whether "signed_in" holds`) {
		t.Errorf("without the result of sign_in: error %v", err)
	}
}

func TestReadHistoryWantsAMark(t *testing.T) {
	v := bankVariant(t)
	delete(v.Calls, "exists")
	_, err := ReadHistory("The log of this case until now:\n1. `exists(username=\"cid\")`\n", v)
	if err == nil || !strings.Contains(err.Error(), "want [`exists(username=payee)`]") {
		t.Errorf("error %v", err)
	}
}
