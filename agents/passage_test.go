package agents

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/sop/corpus"
)

// Whatever the passages and the room: nothing is lost, doubled or moved, only a
// passage that is too long is cut, and a piece is too long only where one line
// is.
func TestPiecesHoldAllPassages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-z ]{0,60}\n`), 1, 30)
		var list []passage
		for i := range rapid.IntRange(1, 8).Draw(t, "passages") {
			list = append(list, passage{source: fmt.Sprint("p", i), text: strings.Join(lines.Draw(t, "text"), ""), first: true})
		}
		room := rapid.IntRange(20, 300).Draw(t, "room")
		pieces, cut := pack(list, room)
		texts, parts, firsts := map[string]string{}, map[string]int{}, map[string]int{}
		last := ""
		for _, piece := range pieces {
			size, longest := 0, 0
			for _, p := range piece {
				assert.LessOrEqual(t, last, p.source, "in their order")
				last = p.source
				texts[p.source] += p.text
				parts[p.source]++
				if p.first {
					firsts[p.source]++
				}
				size += p.tokens()
				longest = max(longest, strings.Count(p.text, "\n"))
			}
			assert.True(t, size <= room || len(piece) == 1 && longest == 1, "%d tokens in a piece, room for %d", size, room)
		}
		for _, p := range list {
			require.Equal(t, p.text, texts[p.source])
			assert.Equal(t, 1, firsts[p.source])
			if p.tokens() <= room {
				assert.Equal(t, 1, parts[p.source], "%s fits and is cut", p.source)
				assert.NotContains(t, cut, p.source)
			} else {
				assert.Contains(t, cut, p.source)
			}
		}
		if first, second, ok := halves(list); ok {
			whole := ""
			for _, p := range append(first, second...) {
				whole += p.text
			}
			want := ""
			for _, p := range list {
				want += p.text
			}
			assert.Equal(t, want, whole)
			assert.True(t, len(first) > 0 && len(second) > 0)
		}
	})
}

func TestQuotesStandWordForWord(t *testing.T) {
	list := []passage{
		{source: "bank/pay", text: "# Pay a bill now\n\nR1. The customer\n    has signed in (`signed_in`).\n#. not a heading? it begins like one\n"},
		{source: "bank/move", text: "R1. The customer has signed in (`signed_in`), and owes\tless than 500 USD.\n"},
	}
	for quote, want := range map[string]string{
		"The customer has signed in (`signed_in`).":  "bank/pay",
		"  customer has\nsigned   in (`signed_in`) ": "bank/pay",
		"owes less than 500 USD.":                    "bank/move",
		"Owes less than 500 USD.":                    "", // in other letters
		"owes less than 50 USD.":                     "",
		"has signed in (signed_in).":                 "", // without the backticks
		"owes less … 500 USD.":                       "",
		"Pay a bill now":                             "", // a heading
		"500 USD.":                                   "", // too short
		"":                                           "",
	} {
		source, ok := quoted(list, quote)
		assert.Equal(t, want, source, "%q", quote)
		assert.Equal(t, want != "", ok, "%q", quote)
	}
}

func TestNamesThatTheSOPLacks(t *testing.T) {
	list := []passage{{text: "`sign_in` establishes `signed_in` (`owed_balance < 500`); check_user_exists(username=payee) too."}}
	for text, want := range map[string]string{
		"Call sign_in first, then deny.":                    "",
		"Is `signed_in` true if owed_balance is 3?":         "",
		"`deny` ends it":                                    "",
		"Call sign_on first.":                               "sign_on",
		"Call `smile` at once.":                             "smile",
		"Is sign_i a call?":                                 "sign_i", // a part of a name is none
		"check_user_exists(username=payee) comes before it": "",
		"No name at all.":                                   "",
	} {
		assert.Equal(t, want, unknownName(list, text), "%q", text)
	}
}

// What a model reads of a domain is all of it, and can be quoted.
func TestPassagesOfTheBuiltInDomains(t *testing.T) {
	for _, name := range corpus.Builtin() {
		c, err := corpus.Load(name)
		require.NoError(t, err)
		list, err := passages(c.Domain)
		require.NoError(t, err)
		assert.Len(t, list, len(c.Domain.Procedures)+len(c.Domain.Glossary))
		prompt := material(list)
		for _, p := range list {
			assert.Contains(t, prompt, strings.TrimSpace(p.text), "%s is not altered for the prompt", p.source)
			for line := range strings.Lines(p.text) {
				if len(strings.Fields(line)) >= minQuote && !strings.HasPrefix(line, "#") {
					_, ok := quoted(list, line)
					assert.True(t, ok, line)
				}
			}
		}
	}
}
