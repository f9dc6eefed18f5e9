package corpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
)

// want ends a sentence about an unknown word: the closest of the accepted
// ones, or all of them where they are few.
func want(word string, accepted []string) string {
	if s := closest(word, accepted); s != "" {
		return fmt.Sprintf(", did you mean %q", s)
	}
	if len(accepted) == 0 || len(accepted) > 24 {
		return ""
	}
	accepted = slices.Clone(accepted)
	slices.Sort(accepted)
	return ", want one of " + strings.Join(accepted, ", ")
}

// closest returns the accepted word with the smallest edit distance, if it is
// small enough for a slip of the pen.
func closest(word string, accepted []string) string {
	best, bestDistance := "", max(2, len(word)/3)+1
	for _, a := range accepted {
		if d := levenshtein.ComputeDistance(word, a); d < bestDistance || d == bestDistance && best != "" && a < best {
			best, bestDistance = a, d
		}
	}
	return best
}

func quote(s string) string { return strconv.Quote(shorten(s)) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func shorten(s string) string {
	s = oneLine(s)
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}
