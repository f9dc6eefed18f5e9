package tokens

import (
	"maps"
	"slices"
)

// Lengths counts how many texts have how many tokens. Its memory grows with the
// longest, not with their number.
type Lengths map[int]int

// Add counts one text.
func (l Lengths) Add(length int) { l[length]++ }

// Merge adds other counts.
func (l Lengths) Merge(other Lengths) {
	for length, n := range other {
		l[length] += n
	}
}

// Summary of lengths. A quantile is the least length that at least this share
// of the texts does not exceed.
type Summary struct {
	Texts   int `json:"texts"`
	Tokens  int `json:"tokens"` // of all texts
	Median  int `json:"median"`
	P95     int `json:"p95"`
	Longest int `json:"longest"`
}

// Summary of what was counted.
func (l Lengths) Summary() (s Summary) {
	for length, n := range l {
		s.Texts += n
		s.Tokens += n * length
		s.Longest = max(s.Longest, length)
	}
	seen := 0
	for _, length := range slices.Sorted(maps.Keys(l)) {
		before := seen
		seen += l[length]
		if 2*before < s.Texts && 2*seen >= s.Texts {
			s.Median = length
		}
		if 20*before < 19*s.Texts && 20*seen >= 19*s.Texts {
			s.P95 = length
		}
	}
	return s
}
