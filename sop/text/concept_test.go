package text

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
)

func TestConceptWordings(t *testing.T) {
	seen := map[string]string{}
	only := regexp.MustCompile(`(?i)\bthe (only|unique|one) `)
	for _, view := range ConceptViews {
		for split, want := range map[string]int{"train": 8, "test": 4} {
			if n := len(conceptWords[view][split]); n < want {
				t.Errorf("%s/%s has %d questions, want at least %d", view, split, n, want)
			}
			for _, q := range conceptWords[view][split] {
				if at, twice := seen[q]; twice {
					t.Errorf("%q is both in %s and in %s/%s", q, at, view, split)
				}
				seen[q] = view + "/" + split
				if only.MatchString(q) {
					t.Errorf("%q claims that there is one right answer", q)
				}
			}
		}
		for _, kind := range conceptViewKinds[view] {
			if conceptKinds[kind] == "" {
				t.Errorf("%s asks about %q, which has no noun", view, kind)
			}
		}
	}
}

// Every wording of every kind and format is read as what was asked.
func TestConceptQueriesAreReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ids := map[QueryID]bool{}
	for _, view := range ConceptViews {
		for _, kind := range conceptViewKinds[view] {
			for _, format := range TermFormats {
				for _, split := range []string{"train", "validation", "test"} {
					for range 60 {
						want := Concept{View: view, Kind: kind, Phrase: "Card of d.okafor: 12.50 USD, in a drawer.", Format: format}
						if view == DiscriminationView {
							want.Pair = [2]string{"card balance", "driver's license"}
						}
						if view == ApplicationView || view == DiscriminationView {
							want.Title = "Move funds; close the rest"
						}
						query, id := ConceptQuery(want, split, rng)
						ids[id] = true
						got, as, err := ReadConcept(query)
						if err != nil || got != want || as != id {
							t.Fatalf("ReadConcept(%q) = %+v, %s, %v, want %+v, %s", query, got, as, err, want, id)
						}
					}
				}
			}
		}
	}
	all := 0
	for _, view := range ConceptViews {
		for split, questions := range conceptWords[view] {
			for _, format := range TermFormats {
				all += len(questions) * len(conceptFormats[conceptFormat(Concept{View: view, Format: format})][split])
			}
		}
	}
	if len(ids) < all*9/10 {
		t.Errorf("%d of %d wordings were drawn, want nearly all", len(ids), all)
	}
}

func TestReadConceptErrors(t *testing.T) {
	for query, want := range map[string]string{
		"Which term is this?":                                "no sentence on the format",
		"Which term is this?\n\nAnswer with the term alone.": "is none of stage 1",
		"Match the definition with its term: “x”\n\nGive just the term and no other word.": "is none of stage 1", // train question, test format
		"Match the definition with its term: “x” “y”\n\nAnswer with the term alone.":       "is none of stage 1",
	} {
		if _, _, err := ReadConcept(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadConcept(%q): %v, want %q", query, err, want)
		}
	}
	if text, id := ConceptQuery(Concept{View: "poem", Kind: "meaning", Format: "term"}, "train", rand.New(rand.NewPCG(1, 1))); text != "" || id != "" {
		t.Errorf("ConceptQuery(poem) = %q, %q", text, id)
	}
}

func TestGlossariesAreReadBack(t *testing.T) {
	entries := []Entry{
		{"account balance", "The cash that a customer has: all of it."}, {"driver's license", "A card – with a photo."},
		{"get_balance(username=payee)", "look up the balance"},
	}
	for _, style := range GlossaryStyles {
		for seed := range uint64(30) {
			rng := rand.New(rand.NewPCG(seed, 0))
			for _, text := range []string{RenderGlossary(style, "Move funds", entries, rng), RenderTools(style, entries, rng)} {
				if got, err := ReadGlossary(text); err != nil || !slices.Equal(got, entries) {
					t.Fatalf("%s: %q is read as %v, %v, want %v", style, text, got, err, entries)
				}
			}
		}
	}
}

func TestReadGlossaryErrors(t *testing.T) {
	for text, want := range map[string]string{
		"# Words\n\nNothing.\n":           "there is no entry",
		"- **a**: x\n- **a**: y":          `"a" is defined twice`,
		"- **a**: x\n1. **b** – y":        "style numbered, want bullets",
		"- **a**: x\n\nAnd so on.":        `"And so on." is no entry`,
		"**a**\n: x\n\n**b**\n":           `"b" has no definition`,
		"**a**\n: x\n\n**b**\nno colon\n": "is no entry",
	} {
		if _, err := ReadGlossary(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ReadGlossary(%q): %v, want %q", text, err, want)
		}
	}
}

func TestTermsAreReadBack(t *testing.T) {
	for _, format := range TermFormats {
		for seed := range uint64(20) {
			for _, term := range []string{"owed balance", "driver's license", "check(username=payee)", "sign-in"} {
				text := RenderTerm(format, term, rand.New(rand.NewPCG(seed, 0)))
				if got, err := ReadTerm(format, text); err != nil || got != term {
					t.Fatalf("%s: %q is read as %q, %v, want %q", format, text, got, err, term)
				}
			}
		}
	}
	for answer, format := range map[string]string{"`owed balance`": "term", "**owed balance**.": "term", "“owed balance”": "term",
		"```json\n{\"term\": \"owed  balance\"}\n```": "json", "I say `owed balance` here.": "sentence"} {
		if got, err := ReadTerm(format, answer); err != nil || got != "owed balance" {
			t.Errorf("ReadTerm(%s, %q) = %q, %v", format, answer, got, err)
		}
	}
	for answer, format := range map[string]string{"": "term", "a\nb": "term", "{}": "json", "owed balance": "sentence", "“a” or “b”": "sentence", "x": "verse"} {
		if got, err := ReadTerm(format, answer); err == nil {
			t.Errorf("ReadTerm(%s, %q) = %q, want an error", format, answer, got)
		}
	}
}

func conceptDomain() *sop.Domain {
	return &sop.Domain{
		Parameters: map[string]*sop.Parameter{
			"username": {Noun: "the customer", Examples: []any{"ana", "bob"}}, "payee": {Noun: "the payee", Examples: []any{"ana", "bob"}},
			"amount": {Noun: "the amount", Label: "Amount"},
		},
		Values: map[string]*sop.Value{
			"balance": {Unit: "USD", Min: 0, Max: 10, Step: 0.01, Record: "Balance of {username}: {value}"},
			"amount":  {Stated: true, Unit: "USD", Min: 1, Max: 5, Step: 1},
		},
		Conditions: map[string]*sop.Condition{
			"known": {Text: "{username} knows {payee}", RecordTrue: "Contacts of {username}: {payee} is listed"},
		},
		Actions:    map[string]*sop.Action{"look": {Text: "look up {username} (the account)"}},
		Thresholds: map[string]*sop.Threshold{"limit": {Default: 5, Choices: []float64{5, 7}, Unit: "USD", Text: "the limit"}},
	}
}

func TestSituationsAreReadBack(t *testing.T) {
	situations := NewSituations(conceptDomain())
	seen := map[string]bool{}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for kind, of := range map[string]string{"value": "balance", "condition": "known", "state": "known", "action": "look", "threshold": "limit"} {
			term := &sop.Term{Type: kind, Of: of}
			phrase := situations.Draw(term, rng)
			if !situations.Has(term) || phrase == "" || strings.ContainsAny(phrase, "{}") {
				t.Fatalf("Draw(%s) = %q", of, phrase)
			}
			if names := situations.Of(kind, phrase); !slices.Equal(names, []string{of}) {
				t.Fatalf("Of(%s, %q) = %v, want %s", kind, phrase, names, of)
			}
			seen[phrase] = true
		}
		if phrase := situations.Draw(&sop.Term{Type: "condition", Of: "known"}, rng); strings.Contains(phrase, "Contacts of ana: ana") {
			t.Fatalf("%q names one person twice", phrase)
		}
	}
	for _, want := range []string{"the customer knows the payee", "Contacts of ana: bob is listed", "look up the customer [the account]", "the limit: 7 USD"} {
		if !seen[want] {
			t.Errorf("%q was never drawn", want)
		}
	}
	for _, term := range []*sop.Term{{Type: "role"}, {Type: "value", Of: "look"}, {Type: "action"}} {
		if phrase := situations.Draw(term, rand.New(rand.NewPCG(0, 0))); situations.Has(term) || phrase != "" {
			t.Errorf("Draw(%+v) = %q, want none", term, phrase)
		}
	}
}

func TestExplanations(t *testing.T) {
	call := Named{"look", "call", []string{"look up the customer"}}
	limit := Named{"limit", "quantity", []string{"the Limit"}}
	for _, test := range []struct {
		document string
		name     Named
		want     bool
	}{
		{"- `look` (look up the customer; takes username): free", call, true},
		{"- then Look up the customer (`look`)", call, true},
		{"| `look` | look up the customer | username |", call, true},
		{"`look` | look up the customer | username |", call, false},
		{"call look    // look up the customer; takes username", call, true},
		{"call lookout    // look up the customer; takes username", call, false},
		{"- `look_out` (look up the customer)", call, false},
		{"- `look` (sign out). look up the customer", call, false},
		{"- `look` (sign out)\n- `look` (look up the customer)", call, true},
		{"look up the customer", call, false},
		{"- `limit` in USD: the limit", limit, true},
		{"- `limit` in USD\n- the limit", limit, false},
		{"number limit in USD // the limit", limit, true},
		{"", Named{Name: "look", Kind: "call"}, false},
	} {
		if got := NewExplanations(test.document).Has(test.name); got != test.want {
			t.Errorf("%q explains %s: %v, want %v", test.document, test.name.Name, got, test.want)
		}
	}
}
