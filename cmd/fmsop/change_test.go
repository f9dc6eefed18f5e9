package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/fmsop/fmsop/dataset"
)

func TestChange(t *testing.T) {
	workflow := func(items string) string {
		return `{"workflow":["` + strings.ReplaceAll(items, " ", `","`) + `"]}`
	}
	tests := []struct {
		name                       string
		right, wrong               string
		rightPayload, wrongPayload string
		want                       string
	}{
		{"omitted step", "", "", workflow("a b c"), workflow("a c"), "    0  a\n    -  [-b-]\n    1  c"},
		{"inserted step", "", "", workflow("a c"), workflow("a b c"), "    0  a\n    1  {+b+}\n    2  c"},
		{"another end", "", "", workflow("a deny"), workflow("a b"), "    0  a\n    -  [-deny-]\n    1  {+b+}"},
		{"nothing left", "", "", workflow("a"), `{"workflow":[]}`, "    -  [-a-]"},
		{"words", "Call `a` with x = 1.", "Call `b` with x = 1.", `{"next":"a"}`, `{"next":"b"}`, "Call [-`a`-] {+`b`+} with x = 1."},
		{"arguments", `f(x="1", y="2")`, `f(x="1")`, `{"next":"f"}`, `{"next":"f"}`, `f(x="1"[-, y="2"-])`},
		{"equal", "deny", "deny", `{"next":"deny"}`, `{"next":"deny"}`, "deny"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := paint(false).change(dataset.Answer{Text: test.right, Payload: test.rightPayload},
				&dataset.Negative{Text: test.wrong, Payload: test.wrongPayload})
			assert.Equal(t, test.want, got)
		})
	}
	coloured := paint(true).wordChange("a b", "a c")
	assert.Equal(t, "a \x1b[9;31mb\x1b[0m\x1b[32mc\x1b[0m", coloured)
}

// What is marked can be undone: without the removed it is the wrong answer,
// without the added the right one.
func TestWordChangeHoldsBothTexts(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune(`ab c(),"`)), 0, 30, -1)
	gone, came := regexp.MustCompile(`(?s)\[-(.*?)-\]`), regexp.MustCompile(`(?s)\{\+(.*?)\+\}`)
	blanks := strings.NewReplacer(" ", "", "\n", "")
	rapid.Check(t, func(t *rapid.T) {
		right, wrong := text.Draw(t, "right"), text.Draw(t, "wrong")
		marked := paint(false).wordChange(right, wrong)
		wrongAgain := came.ReplaceAllString(gone.ReplaceAllString(marked, ""), "$1")
		rightAgain := gone.ReplaceAllString(came.ReplaceAllString(marked, ""), "$1")
		// Blanks at the end of a change stand outside of its marks.
		assert.Equal(t, blanks.Replace(wrong), blanks.Replace(wrongAgain), marked)
		assert.Equal(t, blanks.Replace(right), blanks.Replace(rightAgain), marked)
	})
}

func TestDifferencesAreFewest(t *testing.T) {
	list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 7)
	rapid.Check(t, func(t *rapid.T) {
		before, after := list.Draw(t, "before"), list.Draw(t, "after")
		var left, right []string
		kept := 0
		for _, e := range differences(before, after) {
			if e.kind != added {
				left = append(left, e.item)
			}
			if e.kind != removed {
				right = append(right, e.item)
			}
			if e.kind == same {
				kept++
			}
		}
		assert.Equal(t, strings.Join(before, " "), strings.Join(left, " "))
		assert.Equal(t, strings.Join(after, " "), strings.Join(right, " "))
		assert.Equal(t, longestCommon(before, after), kept)
	})
}

// longestCommon tries every subsequence of a.
func longestCommon(a, b []string) (best int) {
	for chosen := range 1 << len(a) {
		n, j := 0, 0
		for i := range a {
			if chosen&(1<<i) == 0 {
				continue
			}
			for j < len(b) && b[j] != a[i] {
				j++
			}
			if j == len(b) {
				n = -1
				break
			}
			n, j = n+1, j+1
		}
		best = max(best, n)
	}
	return best
}
