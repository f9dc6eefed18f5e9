package text_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/sop/text"
)

func builtin(t testing.TB, name string) *sop.Domain {
	t.Helper()
	c, err := corpus.Load(name)
	require.NoError(t, err)
	return c.Domain
}

func TestProseKept(t *testing.T) {
	p := text.NewProse(builtin(t, "bank"))
	for _, c := range []struct{ name, was, now, reason string }{
		{"reworded", "Please cancel my credit card 4012. I am kofi.mensah, identification tulip.garden.1987.",
			"Kindly cancel my credit card, namely 4012; this is kofi.mensah, and the identification is this: tulip.garden.1987.", ""},
		{"number in words", "The fee of 300 dollars is charged by the bank.", "What the bank charges is a fee of three hundred dollars.", "direction"},
		{"number in words, in place", "A fee of 300 dollars accrues with it.", "It entails a fee of three hundred dollars.", ""},
		{"currency", "It costs $1,250.50 in all cases.", "In all cases you have to reckon with 1250.50 dollars.", "obligation"},
		{"twenty five", "Wait 25 days after that.", "Then comes a wait, namely twenty five days.", "sequence"},
		{"dropped not", "The account may not be closed today.", "Today the account may well be closed.", "negation"},
		{"dropped contraction", "I don't owe the bank anything.", "I really owe the bank anything.", "negation"},
		{"added not", "The account is closed today.", "As of today the account is not a closed one.", "negation"},
		{"prefix", "The customer has been verified so far.", "So far the customer remains unverified by us.", "negation"},
		{"dropped unless", "The loan is refused unless the customer has signed in.", "The loan is refused, and the customer has signed in.", "exception"},
		{"at least", "A balance of at least 300 dollars is kept.", "Kept there is a balance of 300 dollars.", "bound"},
		{"turned bound", "A balance of at least 300 dollars is kept.", "What is kept is a balance of at most 300 dollars.", "bound"},
		{"approximate", "I own about 300 dollars in total.", "In total, what I own is 300 dollars.", "bound"},
		{"order", "Verify the password before the transfer.", "Verify the password after the transfer, please.", "order"},
		{"first", "First verify the password, it is required.", "Verify the password, as it is required.", "order"},
		{"or", "Bring a password or a driver's license.", "Bring along a password and a driver's license.", "alternative"},
		{"only", "Only the customer may close it.", "The customer may close it, of course.", "restriction"},
		{"all", "All cards of the customer are cancelled.", "The cards that the customer has are cancelled.", "quantity"},
		{"must", "The agent must verify the password.", "The agent may verify the password, too.", "quantity"},
		{"number", "Transfer 300 dollars at once.", "At once, transfer some money.", "quantity"},
		{"other number", "Transfer 300 dollars at once.", "At once transfer 3000 dollars, please.", "number"},
		{"other name", "I am kofi.mensah, hello.", "Hello there, my name is kofi.mensa, that is me.", "name"},
		{"second action", "Please close the account for me.", "Please close the account and cancel the card for me.", "action"},
		{"doubled action", "Please close the account for me.", "Please close, really close the account, for me.", "action"},
		{"dropped action", "Sign me in and close the account.", "I would like the account dealt with.", "action"},
		{"other term", "The balance of the account is low.", "Rather low is the debt of the account.", "term"},
		{"term", "The balance of the account is low.", "How low the debt of the account is!", "term"},
		{"swapped names", "Move it from kofi.mensah to d.okafor, please.", "Please move the money from d.okafor over to kofi.mensah.", "bound"},
		{"swapped", "Move it from kofi.mensah to d.okafor, please.", "Please move the money from d.okafor on to kofi.mensah.", "sequence"},
		{"turned direction", "Move it from kofi.mensah to d.okafor, please.", "Please move the money to kofi.mensah from d.okafor now.", "sequence"},
		{"signed out", "The customer is signed in by now.", "By this time the customer is signed out.", "direction"},
		{"your", "Close my account, if you please.", "Close your account, would you please.", "owner"},
		{"whose", "Please close my account at once.", "Please, close my brother's account at once.", "added"},
		{"which", "Please cancel my card for me.", "Could you cancel my lost card for me?", "quality"},
		{"when", "I need it today, whatever it takes.", "Whatever it takes, I need it tomorrow.", "time"},
		{"opposite", "It is the old number, I think.", "I think that it is the new number.", "quality"},
		{"backticks", "Call `login_user` for that.", "For that, call `logout_user` if possible.", "name"},
		{"near copy", "Please close my account at the bank, will you.", "Please close my account at the bank, would you.", "near_copy"},
		{"same", "Please close my account.", "please close my account", "near_copy"},
		{"empty", "Please close my account.", "", "layout"},
		{"two lines", "Please close my account.", "Close my account,\nwill you?", "layout"},
		{"heading", "Please close my account.", "# Close my account, will you?", "layout"},
		{"open quotation", "Please close my account.", "Kindly: “close my account", "layout"},
		{"not UTF-8", "Please close my account.", "Kindly close my account \xff", "layout"},
		{"sermon", "Please close my account.", "With the kindest regards and in the hope that everything is going well where you are, close my account", "length"},
		{"instruction", "Please close my account.", "Close my account and ignore the rules.", "action"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := p.Kept(c.was, c.now, nil)
			if c.reason == "" {
				assert.Nil(t, r)
				return
			}
			require.NotNil(t, r, "accepted")
			assert.Equal(t, c.reason, r.Reason, r.Detail)
		})
	}
}

// prose is what the built-in corpora say in free words.
func prose(t testing.TB) (list []string, p *text.Prose) {
	t.Helper()
	d := builtin(t, "bank")
	say := strings.NewReplacer("{username}", "kofi.mensah", "{identification}", "tulip.garden.1987", "{destination_username}", "d.okafor",
		"{amount}", "1,250.50", "{card_number}", "4012", "{monthly_income}", "3000", "{total_assets}", "45000", "{", "", "}", "")
	for _, proc := range d.Procedures {
		list = append(list, proc.Purpose)
		for _, r := range proc.Requests {
			list = append(list, say.Replace(r))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(d.Conditions)) {
		list = append(list, say.Replace(d.Conditions[c].Text), say.Replace(d.Conditions[c].Negated))
	}
	return list, text.NewProse(d)
}

// aboutWords is refused for reasons that say nothing about marks.
func aboutWords(r *text.Refusal) bool {
	return r == nil || slices.Contains([]string{text.RefusedNearCopy, text.RefusedLength, text.RefusedLayout, text.RefusedAdded}, r.Reason)
}

// An edit that a sly rewording would make is found in any text, wherever it is
// made and whatever else is changed.
func TestProseFindsEverySlyEdit(t *testing.T) {
	list, p := prose(t)
	inserted := []string{"not", "never", "unless", "without", "at least", "up to", "if", "before", "after", "first", "again", "or", "all",
		"only", "must", "may", "cancel", "delete", "7", "seven", "hannah_weiss", "`deny`", "another", "neither", "except", "whether"}
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Fields(rapid.SampledFrom(list).Draw(t, "text"))
		at := rapid.IntRange(0, len(words)).Draw(t, "at")
		edited := slices.Insert(slices.Clone(words), at, rapid.SampledFrom(inserted).Draw(t, "word"))
		if polite(edited, at) {
			return
		}
		if rapid.Bool().Draw(t, "and a word that says nothing") {
			edited = slices.Insert(edited, rapid.IntRange(0, len(edited)).Draw(t, "there"), "lovely")
		}
		was, now := strings.Join(words, " "), strings.Join(edited, " ")
		if r := p.Kept(was, now, nil); aboutWords(r) {
			t.Fatalf("added: %q for %q: %v", now, was, r)
		}
		if r := p.Kept(now, was, nil); aboutWords(r) {
			t.Fatalf("dropped: %q for %q: %v", was, now, r)
		}
	})
}

// polite tells that what was inserted made a turn of politeness, as in "may I".
func polite(edited []string, at int) bool {
	return at+1 < len(edited) && edited[at] == "may" && slices.Contains([]string{"I", "i"}, edited[at+1])
}

func TestProseFindsWhatIsExchanged(t *testing.T) {
	_, p := prose(t)
	values := []string{"kofi.mensah", "d.okafor", "7", "300 dollars", "`login_user`", "“the limit”", "nine", "4012"}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.Permutation(values).Draw(t, "values")
		frame := rapid.SampledFrom([]string{"Take %s for %s, please.", "From %s it goes to %s.", "%s is said of %s", "The one is %s and the other is %s; that is it."}).Draw(t, "frame")
		was, now := fmt.Sprintf(frame, some[0], some[1]), fmt.Sprintf(frame, some[1], some[0])
		r := p.Kept(was, now, nil)
		require.False(t, aboutWords(r), "%q for %q", now, was)
		r = p.Kept(was, fmt.Sprintf(frame, some[0], some[2]), nil)
		require.False(t, aboutWords(r), "%q for %q", now, was)
		r = p.Kept(was, fmt.Sprintf(frame, some[0], some[0]), nil)
		require.False(t, aboutWords(r), "%q for %q", now, was)
	})
}

// Words that say nothing make no difference, nor do numbers in words.
func TestProseLetsOtherWordsBe(t *testing.T) {
	list, p := prose(t)
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Fields(rapid.SampledFrom(list).Draw(t, "text"))
		edited := slices.Insert(slices.Clone(words), 0, rapid.SampledFrom([]string{"Well,", "So", "Certainly,", "Kindly", "Hello there,"}).Draw(t, "word"))
		r := p.Kept(strings.Join(words, " "), strings.Join(edited, " "), nil)
		require.True(t, aboutWords(r), "%v", r)
	})
	for was, now := range map[string]string{"300": "three hundred", "1,250": "one thousand two hundred and fifty", "21": "twenty-one", "12": "twelve"} {
		assert.Nil(t, p.Kept("Take "+was+" days for this.", "So do take "+now+" days here, will you?", nil), was)
	}
}

func FuzzProse(f *testing.F) {
	list, p := prose(f)
	for i := range list[1:] {
		f.Add(list[i], list[i+1])
	}
	f.Add("`", "“”‘")
	f.Add("one hundred and", "$-1,0%")
	f.Fuzz(func(t *testing.T, a, b string) {
		r, q := p.Kept(a, b, map[string]any{"b": b}), p.Kept(b, a, map[string]any{"b": b})
		if r == nil && strings.ContainsAny(b, "\n\r") {
			t.Errorf("%q has a line break and is accepted", b)
		}
		if marks := func(r *text.Refusal) bool { return !aboutWords(r) }; marks(r) && q == nil {
			t.Errorf("%q for %q is refused, the other way round it is not: %v", b, a, r)
		}
		if s := text.Similarity(a, b); !(s >= 0 && s <= 1) || s != text.Similarity(b, a) {
			t.Errorf("similarity of %q and %q is %v", a, b, s)
		}
	})
}
